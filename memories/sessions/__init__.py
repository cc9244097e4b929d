"""Sessions: what happens while an agent works, now (working memory) and kept (turns)."""
