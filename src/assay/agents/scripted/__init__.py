"""A scripted model: an OpenAI-compatible server that plays a part, for runs without a key.

It is no model and says so: its names begin with "scripted-". It exists so that every part of an
arena can be tried, and so that metrics can be shown to tell good conduct from bad.
"""

PREFIX = "scripted-"


def is_scripted(model: str) -> bool:
    """Whether a model of that name is played by a script."""
    return model.startswith(PREFIX)
