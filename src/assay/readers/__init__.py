"""Recordings of any framework as `AgentTestCase`s: files, formats, and an engine for the rest."""
