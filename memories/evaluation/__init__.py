"""Measuring the product with its own paths; the commands evaluate_recall and evaluate_pairs."""
