"""Formats that need code: what no table can say."""
