"""Evidence about one run: pure functions, no LLM."""
