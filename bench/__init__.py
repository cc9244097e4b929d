"""Asks any memory system the same questions, ours included; README.md says how."""
