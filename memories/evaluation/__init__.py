"""Measuring the product with its own paths: how good (evaluate_…), and how fast (bench…)."""
