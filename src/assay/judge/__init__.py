"""Judges: a case goes in, marks from 1 to 10 come out."""
