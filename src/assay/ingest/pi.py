"""Pi: sessions of the coding agent, of OpenClaw too, and what `pi --mode json` prints.

A session is a tree: whoever goes back and asks otherwise begins another branch, which is an
attempt of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_or_none,
)
from assay.ingest.message_trees import MOST_BRANCHES, about_branches, ends_of, path_to
from assay.ingest.pi_messages import ASSISTANT, CALL, RESULT, ROLES, tell_message, usage_of
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "pi"
HEADER = "session"
# Lines with a message that is whole: in a stream others tell how it grows, or repeat it.
MESSAGE_LINES = frozenset({"message", "message_end"})
COMPACTION = "compaction"
# Lines of the harness whose words the model is shown, and where these stand.
SHOWN_LINES = {
    COMPACTION: "summary",
    "branch_summary": "summary",
    "custom_message": "content",
}
# Lines that only a stream has.
STREAM_LINES = frozenset({"agent_start", "turn_start", "message_start", "message_update"})
_KEPT = ("cwd", "parentSession", "version")


def _recognise(recording: Recording) -> float:
    lines = [dict_or_empty(line) for line in recording.sample]
    kinds = {text_at(line, "type") for line in lines}
    messages = [_message(line) for line in lines]
    if HEADER in kinds and (any(messages) or STREAM_LINES & kinds):
        return 0.95
    # The header may be lost; only Pi names results so in lines of this kind.
    return 0.9 if any(map(_is_peculiar, messages)) else 0.0


def _message(line: dict[str, Any]) -> dict[str, Any]:
    """The message of a line; empty where it has none that is whole."""
    found = dict_or_empty(line.get("message")) if text_at(line, "type") in MESSAGE_LINES else {}
    return found if text_at(found, "role") in ROLES else {}


def _is_peculiar(message: dict[str, Any]) -> bool:
    parts = objects_in(message.get("content"))
    return message.get("role") == RESULT or any(part.get("type") == CALL for part in parts)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    header: dict[str, Any] = {}
    lines: list[dict[str, Any]] = []
    for document in recording.own_documents(NAME):
        if isinstance(document, Unreadable):
            yield document
        elif not isinstance(document.value, dict):
            yield unexpected(
                recording.name, document.value, "an object in each line", document.position
            )
        elif document.value.get("type") == HEADER:
            yield from _session(header, lines, recording.name)
            header, lines = document.value, []
        else:
            lines.append(document.value)
    yield from _session(header, lines, recording.name)


def _session(
    header: dict[str, Any], lines: list[dict[str, Any]], name: str
) -> Iterator[AgentTestCase]:
    """The branches of a session in which the model had its say, the last one first."""
    tree, parents = _tree(lines)
    told: set[str] = set()
    own_parts = [
        _untold(end, parents, told) for end in ends_of(parents, next(reversed(tree), None))
    ]
    spoken = [own for own in own_parts if any(_is_reply(tree[key]) for key in own)]
    for number, own in enumerate(spoken[:MOST_BRANCHES], start=1):
        mine = set(own)
        path = path_to(own[0], parents)
        branch = _Branch([(tree[key], key not in mine) for key in path], own[0])
        yield branch.case(header, name, number, len(spoken))


def _untold(end: str, parents: dict[str, str | None], told: set[str]) -> list[str]:
    """What a branch has that none before it told, from its end; noted as told from now on."""
    own = []
    at: str | None = end
    while at is not None and at in parents and at not in told:
        told.add(at)
        own.append(at)
        at = parents[at]
    return own


def _tree(lines: list[dict[str, Any]]) -> tuple[dict[str, dict[str, Any]], dict[str, str | None]]:
    """The lines by their ids, and what each goes on with: where it does not say, the one before.

    Of a line that came twice the last counts.
    """
    tree: dict[str, dict[str, Any]] = {}
    parents: dict[str, str | None] = {}
    before: str | None = None
    for number, line in enumerate(lines):
        if (
            text_at(line, "type") not in MESSAGE_LINES | SHOWN_LINES.keys()
            and "parentId" not in line
        ):
            continue
        key = text_at(line, "id") or f"line {number}"
        tree[key] = line
        parents[key] = text_or_none(line["parentId"]) if "parentId" in line else before
        before = key
    return tree, parents


def _is_reply(line: dict[str, Any]) -> bool:
    return _message(line).get("role") == ASSISTANT


class _Branch:
    """One way through a session; what another branch told already is told in words only."""

    def __init__(self, lines: list[tuple[dict[str, Any], bool]], end: str) -> None:
        self._lines = lines
        self._end = end
        self._shared = sum(is_shared for _, is_shared in lines)
        own = (line for line, is_shared in lines if not is_shared)
        self._own_replies = [_message(line) for line in own if _is_reply(line)]

    def case(self, header: dict[str, Any], name: str, number: int, branches: int) -> AgentTestCase:
        """The run that the branch was."""
        run = RunBuilder()
        for line, is_shared in self._lines:
            _tell(run, line, in_words=is_shared)
        own_id = text_at(header, "id")
        several = branches > 1
        stamps = [header.get("timestamp"), *(_stamp(line) for line, _ in self._lines)]
        times = [at for stamp in stamps if (at := epoch_seconds(stamp)) is not None]
        models = [text_at(reply, "model") for reply in self._own_replies]
        place = own_id or place_id(name, None)
        return run.finish(
            run_id=stable_id(NAME, place, *([self._end] if several else [])),
            session_id=own_id,
            task_id=own_id if several else None,
            attempt=number if several else None,
            model=next(filter(None, reversed(models)), None),
            framework=NAME,
            usage=usage_of(self._own_replies),
            outcome=_outcome(self._own_replies[-1]),
            started_at=min(times, default=None),
            ended_at=max(times, default=None),
            source=Source(name, NAME),
            extra=self._extra(header, branches),
        )

    def _extra(self, header: dict[str, Any], branches: int) -> dict[str, Any]:
        kept = {key: header[key] for key in _KEPT if header.get(key)}
        compactions = sum(line.get("type") == COMPACTION for line, _ in self._lines)
        known = {"compactions": compactions, **about_branches(branches, self._shared)}
        return {**kept, **{key: count for key, count in known.items() if count}}


def _stamp(line: dict[str, Any]) -> object:
    """When a line was written; in a stream only the message in it has a time."""
    return line.get("timestamp") or _message(line).get("timestamp")


def _tell(run: RunBuilder, line: dict[str, Any], *, in_words: bool) -> None:
    kind = text_at(line, "type")
    if kind in SHOWN_LINES:
        run.system(line.get(SHOWN_LINES[kind]))
    elif message := _message(line):
        tell_message(run, message, epoch_seconds(line.get("timestamp")), in_words=in_words)


def _outcome(last: dict[str, Any]) -> RunOutcome | None:
    """The error that the last reply ended in; one that the user broke off says nothing."""
    if last.get("stopReason") != "error":
        return None
    return RunOutcome(success=False, decided_by=NAME, reason=text_at(last, "errorMessage"))


PI = Format(
    name=NAME,
    title="Pi sessions, OpenClaw's too, and `--mode json` logs",
    fidelity=(
        "Says of each call whether it failed, with times, tokens and costs of each reply. Has no "
        "server, no tool schemas and no outcome but an error of the last reply."
    ),
    recognise=_recognise,
    read=_read,
)
