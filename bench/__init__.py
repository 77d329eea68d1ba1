"""Benchmarks: the same work by us and by a named peer in one run, reported as ratios."""
