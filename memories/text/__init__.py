"""Pure functions over text, shared by every room: cleaning, tokens, differences."""
