"""Any OpenAI-compatible LLM, if one is configured."""
