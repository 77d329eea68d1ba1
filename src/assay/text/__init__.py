"""Values found in text: numbers, dates, entities, words, code."""
