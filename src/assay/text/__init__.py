"""Values found in text: numbers, dates, entities, words, code, and what wraps the results of tools."""
