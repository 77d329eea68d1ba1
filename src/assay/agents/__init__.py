"""Agents: the same prompts to any framework, every call recorded whatever the framework hides."""
