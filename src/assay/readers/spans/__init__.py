"""Traces of agents: spans of any export in one shape, and tables of the dialects they speak."""
