"""The pytest plugin: inert unless a test asks for it."""
