"""Rows to what people read: terminal tables, CSV, JSON, Markdown."""
