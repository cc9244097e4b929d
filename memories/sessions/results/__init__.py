"""What a tool's structured result means: one small reader a shape."""
