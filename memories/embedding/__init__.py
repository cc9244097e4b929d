"""Embeddings: a light client for the web, worker and MCP processes, and the one process that holds
the model.
"""
