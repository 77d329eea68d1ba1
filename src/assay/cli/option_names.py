"""Arguments that errors about a judge name as Python does, as the command line calls them."""

from __future__ import annotations

import re

OPTIONS = {
    "base_url": "--base-url",
    "max_cost": "--max-cost",
    "max_tokens": "--max-tokens",
    "judge_runs": "--judge-runs",
}
# Not as a part of what somebody wrote, an address for instance.
_ARGUMENT = re.compile(rf"(?<![\w/.'\"=?&-])(?:{'|'.join(OPTIONS)})(?![\w/.'\"=&-])")
# What an error begins with; a model is named by --judge or by --jury.
_BLAMED = {"model: ": "judge: ", "jury: ": "--jury: "}


def in_options(message: str) -> str:
    """The message with options in place of arguments."""
    for argument, option in _BLAMED.items():
        if message.startswith(argument):
            message = option + message.removeprefix(argument)
    return _ARGUMENT.sub(lambda found: OPTIONS[found[0]], message)
