"""What a ReAct agent printed: its question, thoughts, actions, observations and final answer."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from assay.ingest.python_literals import decode_loosely
from assay.ingest.shapes import typed_action

_LABEL = re.compile(
    r"(?m)^[ \t>]{0,9}(Question|Thought|Action Input|Action|Observation|Final Answer):[ \t]*"
)


class ReactRun(NamedTuple):
    """One run as messages and calls, and the line it begins in."""

    told: list[dict[str, Any]]
    line: int


def react_runs(text: str) -> list[ReactRun]:
    """The runs of a log; none where no action is followed by what was observed."""
    labels = list(_LABEL.finditer(text))
    if not {"Action", "Observation"} <= {label[1] for label in labels}:
        return []
    ends = [*(label.start() for label in labels[1:]), len(text)]
    runs: list[ReactRun] = []
    line, counted_to = 1, 0
    for label, end in zip(labels, ends, strict=True):
        if label[1] == "Question" or not runs:
            line += text.count("\n", counted_to, label.start())
            counted_to = label.start()
            runs.append(ReactRun([], line))
        _tell(runs[-1].told, label[1], text[label.end() : end].strip())
    return [run for run in runs if any("tool" in told for told in run.told)]


def _tell(told: list[dict[str, Any]], label: str, words: str) -> None:
    """Add what a label tells; an input and an observation belong to the action before them."""
    called = told[-1] if told and "tool" in told[-1] else None
    match label:
        case "Question":
            told.append({"role": "user", "content": words})
        case "Final Answer":
            told.append({"role": "assistant", "content": words})
        case "Action":
            told.append(typed_action(words) or {"tool": words, "arguments": ""})
        case "Action Input" if called is not None:
            decoded = decode_loosely(words)
            called["arguments"] = decoded if isinstance(decoded, dict) else words
        case "Observation" if called is not None:
            called["result"] = words
