"""Two runs beside each other: their calls in pairs, and what is different about each pair."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

from assay.render.safe_text import shortened
from assay.store.tables import CALLS, FAILED_CALLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.store import Store

# More calls of a run are not paired, longer arguments not compared word by word.
MOST_CALLS = 400
_MOST_WORDS = 800
_LONGEST_ANSWER = 4_000
_LONGEST_ALONE = 300
_KEPT = 60
_ENDINGS = ('"}', "}", '"]}', "]}", '"}}', "}}")
_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
_RUN = f"""
    SELECT run_key, run_id, task_id, attempt, model, framework, input, actual_output,
           outcome_success, {CALLS} AS calls, {FAILED_CALLS} AS failed_calls,
           ended_at - started_at AS seconds, cost_usd
    FROM stored_runs WHERE run_key = $run_key
"""  # noqa: S608 - our own words
_CALLS = """
    SELECT position, server, tool, arguments, failed, blame, kind, execution_time
    FROM stored_calls WHERE run_key = $run_key ORDER BY position LIMIT $most
"""
Kind = Literal["same", "changed", "only_a", "only_b"]
Piece = tuple[str, bool]
"""Text, and whether only this side has it."""


class CallSide(Struct, frozen=True):
    """One call of a pair; `pieces` are its arguments."""

    number: int
    name: str
    state: str
    blame: str | None
    kind: str | None
    seconds: float | None
    pieces: tuple[Piece, ...]


class Pair(Struct, frozen=True):
    """Two calls that belong together, or one that stands alone."""

    kind: Kind
    a: CallSide | None
    b: CallSide | None
    is_first_difference: bool = False


class SideBySide(Struct, frozen=True):
    """Two runs, paired."""

    a: dict[str, Any]
    b: dict[str, Any]
    pairs: tuple[Pair, ...]
    same: int
    different: int
    left_out: int


def read_two(store: Store, a: str, b: str) -> tuple[Any, ...]:
    """What is known of two runs: each run, or None, and its calls."""
    found: list[Any] = []
    with store.questions() as engine:
        for key in (a, b):
            found.append(next(iter(engine.sql(_RUN, run_key=key)), None))
            found.append(engine.sql(_CALLS, run_key=key, most=MOST_CALLS))
    return tuple(found)


def side_by_side(
    a: dict[str, Any],
    a_calls: Sequence[dict[str, Any]],
    b: dict[str, Any],
    b_calls: Sequence[dict[str, Any]],
) -> SideBySide:
    """The runs with their calls paired by tool and order."""
    pairs = tuple(_marked(_paired(a_calls, b_calls)))
    same = sum(pair.kind == "same" for pair in pairs)
    left = (a["calls"] or 0) - len(a_calls) + (b["calls"] or 0) - len(b_calls)
    return SideBySide(_shown(a), _shown(b), pairs, same, len(pairs) - same, left)


def _shown(run: dict[str, Any]) -> dict[str, Any]:
    answer = run["actual_output"] or ""
    cut = len(answer) - _LONGEST_ANSWER
    state = {True: "ok", False: "fail", None: "none"}[run["outcome_success"]]
    return run | {"answer": answer[:_LONGEST_ANSWER], "cut": max(0, cut), "state": state}


def _marked(pairs: Iterator[Pair]) -> Iterator[Pair]:
    seen = False
    for pair in pairs:
        is_first = not seen and pair.kind != "same"
        seen = seen or is_first
        yield Pair(pair.kind, pair.a, pair.b, is_first)


def _paired(a: Sequence[dict[str, Any]], b: Sequence[dict[str, Any]]) -> Iterator[Pair]:
    names = [[(call["server"], call["tool"]) for call in calls] for calls in (a, b)]
    matcher = SequenceMatcher(None, names[0], names[1], autojunk=False)
    for what, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        if what == "equal":
            for one, other in zip(a[a_from:a_to], b[b_from:b_to], strict=True):
                yield _both(one, other)
            continue
        for call in a[a_from:a_to]:
            yield Pair("only_a", _side(call, _whole(call)), None)
        for call in b[b_from:b_to]:
            yield Pair("only_b", None, _side(call, _whole(call)))


def _both(a: dict[str, Any], b: dict[str, Any]) -> Pair:
    if a["arguments"] == b["arguments"]:
        kind: Kind = "same" if a["failed"] == b["failed"] else "changed"
        return Pair(kind, _side(a, _whole(a)), _side(b, _whole(b)))
    removed, added = word_difference(written(a["arguments"]), written(b["arguments"]))
    return Pair("changed", _side(a, removed), _side(b, added))


def _whole(call: dict[str, Any]) -> tuple[Piece, ...]:
    return ((shortened(written(call["arguments"]), _LONGEST_ALONE), False),)


def written(arguments: str) -> str:
    """Arguments as lines of name and value, text as it is and not as JSON has it."""
    found, is_cut = _decoded(arguments)
    if not isinstance(found, dict):
        return arguments
    lines = (
        f"{name}: {value if isinstance(value, str) else msgspec.json.encode(value).decode()}"
        for name, value in found.items()
    )
    return "\n".join(lines) + ("…" if is_cut else "")


def _decoded(arguments: str) -> tuple[Any, bool]:
    """What the JSON says; long ones are cut off in the table, and are closed where that can be."""
    for ending in ("", *_ENDINGS):
        try:
            return msgspec.json.decode(arguments.rstrip("\\…") + ending), bool(ending)
        except msgspec.DecodeError:
            continue
    return None, True


def _side(call: dict[str, Any], pieces: tuple[Piece, ...]) -> CallSide:
    return CallSide(
        call["position"] + 1,
        ".".join(filter(None, (call["server"], call["tool"]))),
        "fail" if call["failed"] else "ok",
        call["blame"] if call["failed"] else None,
        call["kind"] if call["failed"] else None,
        call["execution_time"],
        pieces,
    )


def _middle_out(text: str) -> str:
    """Text that both sides have, without its middle where it is long."""
    if len(text) <= 3 * _KEPT:
        return text
    return f"{text[:_KEPT]} … {text[-_KEPT:]}"


def word_difference(a: str, b: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts in pieces, each with whether the other text has it not; long ones whole."""
    words = [_TOKENS.findall(text) for text in (a, b)]
    if max(map(len, words)) > _MOST_WORDS:
        return ((a, True),), ((b, True),)
    removed: list[Piece] = []
    added: list[Piece] = []
    matcher = SequenceMatcher(None, words[0], words[1], autojunk=False)
    for what, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        for pieces, side in ((removed, words[0][a_from:a_to]), (added, words[1][b_from:b_to])):
            if side:
                text = "".join(side)
                pieces.append((_middle_out(text) if what == "equal" else text, what != "equal"))
    return tuple(removed), tuple(added)
