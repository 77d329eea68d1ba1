"""Sessions as a store has them: the list, and each of them again as it was."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay.agents.harness import ERROR_KEY
from assay.arena.choices import METRIC as CHOICE
from assay.arena.choices import choice_in
from assay.arena.figures import METRICS, Figures, counted_values, seconds_of
from assay.arena.session import (
    LETTERS,
    MOST_SHOWN,
    PLACE_KEY,
    Cell,
    Prompt,
    Retold,
    Session,
    events_of,
    state_after,
)
from assay.metrics.chatbot import ChatbotEvaluator
from assay.metrics.chatbot.trace_twins import SUFFIX
from assay.run import Source
from assay.score import Score
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from assay.store import Store

FORMAT = "arena-session"
MOST_LISTED = 200
_LONGEST_PROMPT = 300
_LIST = f"""
    SELECT source_path AS id, MIN(started_at) AS began_at,
           COUNT(DISTINCT source_position) AS prompts,
           substr(ARG_MIN(input, source_position), 1, {_LONGEST_PROMPT}) AS first,
           LIST_SORT(LIST(DISTINCT framework)) AS agents,
           COUNT(*) FILTER (WHERE actual_output IS NULL) AS unanswered, COUNT(*) AS answers
    FROM runs WHERE source_format = $format GROUP BY source_path
    ORDER BY began_at DESC, id LIMIT {MOST_LISTED}
"""  # noqa: S608 - numbers
_OF_SESSION = "source_format = $format AND source_path = $session"
_OUTLINE = f"""
    SELECT run_key, run_id, COALESCE(source_position, 0) AS number, input, framework, model,
           attempt, started_at, ended_at, calls,
           json_extract_string(source, ['$.{PLACE_KEY}', '$.{ERROR_KEY}']) AS place_and_error
    FROM runs JOIN cases USING (run_key) WHERE {_OF_SESSION}
"""  # noqa: S608 - ours
# Versions that wrote the place into the case alone. Both at once: a case holds all that was said
# before it, and is read anew for every question.
_IN_CASES = f"""
    SELECT run_key, json_extract_string("case", ['$.{PLACE_KEY}', '$.{ERROR_KEY}']) AS found
    FROM cases WHERE run_key IN (SELECT unnest($keys::VARCHAR[]))
"""  # noqa: S608 - ours
_VALUES = f"""
    SELECT run_key, metric, LIST(name ORDER BY path) AS names, LIST(value ORDER BY path) AS "values"
    FROM scores WHERE metric IN ($metric, $choice) AND name IN (SELECT unnest($names::VARCHAR[]))
    AND run_key IN (SELECT run_key FROM runs WHERE {_OF_SESSION}) GROUP BY run_key, metric
"""  # noqa: S608 - ours
_NUMBERS = f"""
    SELECT DISTINCT COALESCE(source_position, 0) AS number FROM runs WHERE {_OF_SESSION}
    ORDER BY number
"""  # noqa: S608 - ours
_SCORES = """
    SELECT run_key, metric, tree FROM scores WHERE metric IN ($metric, $choice) AND path = name
    AND run_key IN (SELECT unnest($keys::VARCHAR[]))
"""
_SCORE = ChatbotEvaluator.name
_NAMES = [_SCORE, CHOICE, *METRICS, *(name + SUFFIX for name in METRICS)]
_AT_ONCE = 50
# What a record says of how a session went on; "True" is of versions that told the words alone.
_RETOLD: dict[str, Retold] = {"True": "words", "words": "words", "all": "all"}
_decode_score = msgspec.json.Decoder(Score).decode


class _Line(Struct, frozen=True):
    """A run of a session in outline: where it belongs, how it ended, and its figures."""

    number: int
    letter: str
    text: str
    label: str
    model: str
    attempt: int
    began_at: float | None
    place: dict[str, Any]
    error: str | None
    figures: Figures
    choice: dict[str, float | None]  # by its letter; empty where nobody chose

    def cell(self) -> Cell:
        """The cell of its agent, without what was said."""
        preferred = self.choice.get(self.letter)
        state = state_after(self.error)
        return Cell(
            self.letter,
            self.label,
            self.model,
            state,
            figures=self.figures,
            preferred=preferred,
        )


class _Kept(Struct, frozen=True):
    """A run of a session and what was said of it: by the metrics, and by a person."""

    case: AgentTestCase
    score: Score | None
    choice: Score | None

    @property
    def number(self) -> int:
        """Which prompt of the session it answers."""
        return (self.case.source.position if self.case.source else None) or 0

    @property
    def letter(self) -> str:
        """Whose answer it is."""
        found: Any = self.case.extra.get(PLACE_KEY)
        return _letter_in(found if isinstance(found, dict) else {})

    @property
    def scores(self) -> list[Score]:
        """All scores there are."""
        return [score for score in (self.score, self.choice) if score is not None]


class SessionLine(Struct, frozen=True):
    """A session in the list."""

    id: str
    began_at: float | None
    prompts: int
    first: str
    agents: list[str]
    unanswered: int
    answers: int


def place_in_session(case: AgentTestCase, session: Session, prompt: Prompt, letter: str) -> None:
    """Write into a case where it belongs."""
    case.run_id = f"{session.id}.{prompt.number}.{letter}"
    case.task_id = f"{session.id}.{prompt.task}"
    case.attempt = prompt.attempt if prompt.of > 1 else None
    place = {
        "letter": letter,
        "order": prompt.order,
        "of": prompt.of,
        "blind": prompt.is_blind,
        "retold": prompt.retold,
    }
    case.extra[PLACE_KEY] = place
    # Where it was read stands beside the case, which is long: it holds all that was said before.
    beside = {PLACE_KEY: place, ERROR_KEY: case.extra.get(ERROR_KEY)}
    case.source = Source(path=session.id, format=FORMAT, position=prompt.number, extra=beside)


def list_sessions(store: Store) -> list[SessionLine]:
    """The sessions of a store, the latest first."""
    return [SessionLine(**row) for row in store.query(_LIST, format=FORMAT)]


def read_session(store: Store, session_id: str) -> Session | None:
    """A session as it was; None if the store has none of that name.

    What its first page shows is whole, of the prompts before that there are the figures.
    """
    lines = _outline(store, session_id)
    if not lines:
        return None
    session = Session(session_id, _began(lines), is_live=False)
    for _, own in groupby(lines, key=lambda line: line.number):
        session.prompts.append(_prompt(list(own)))
    latest = session.prompts[-MOST_SHOWN:]
    session.prompts[-MOST_SHOWN:] = made_whole(store, session_id, latest)
    return session


def made_whole(store: Store, session_id: str, prompts: Sequence[Prompt]) -> list[Prompt]:
    """The prompts with all that the store has of them."""
    if not prompts:
        return []
    numbers = [prompt.number for prompt in prompts if not prompt.is_whole]
    found = {(kept.number, kept.letter): kept for kept in _kept(store, session_id, numbers)}

    def whole(number: int, cell: Cell) -> Cell:
        kept = found.get((number, cell.letter))
        return cell if cell.is_whole or kept is None else _filled(cell, kept)

    return [
        replace(prompt, cells={k: whole(prompt.number, cell) for k, cell in prompt.cells.items()})
        for prompt in prompts
    ]


def session_lines(store: Store, session_id: str) -> Iterator[str]:
    """A session as lines of JSON: a run each, as it can be imported again, with its scores."""
    for kept in _kept_in_order(store, session_id):
        written = kept.case.to_dict()
        if kept.scores:
            written["scores"] = [score.to_dict() for score in kept.scores]
        yield json.dumps(written, ensure_ascii=False)


def past_turns(store: Store, session_id: str) -> Iterator[tuple[str, AgentTestCase]]:
    """The turns of a session in their order, each with the letter of its agent."""
    for kept in _kept_in_order(store, session_id):
        yield kept.letter, kept.case


def _kept_in_order(store: Store, session_id: str) -> Iterator[_Kept]:
    """All runs of a session, some prompts at a time: each run holds all that was said before."""
    rows = store.query(_NUMBERS, format=FORMAT, session=session_id)
    numbers = [row["number"] for row in rows]
    for begin in range(0, len(numbers), _AT_ONCE):
        yield from _kept(store, session_id, numbers[begin : begin + _AT_ONCE])


def _outline(store: Store, session_id: str) -> list[_Line]:
    params = {"format": FORMAT, "session": session_id}
    values: dict[tuple[str, str], dict[str, float | None]] = {
        (row["run_key"], row["metric"]): dict(zip(row["names"], row["values"], strict=True))
        for row in store.query(_VALUES, metric=_SCORE, choice=CHOICE, names=_NAMES, **params)
    }
    rows = _with_places(store, store.query(_OUTLINE, **params))
    found = [_line(row, values) for row in rows]
    return sorted(found, key=lambda line: (line.number, line.letter))


def _with_places(store: Store, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, those that tell no place with what their cases tell."""
    lacking = [row["run_key"] for row in rows if not _told(row)]
    if not lacking:
        return rows
    found = {row["run_key"]: row["found"] for row in store.query(_IN_CASES, keys=lacking)}
    return [
        row if _told(row) else {**row, "place_and_error": found[row["run_key"]]} for row in rows
    ]


def _told(row: dict[str, Any]) -> bool:
    return row["place_and_error"] is not None and row["place_and_error"][0] is not None


def _line(row: dict[str, Any], values: dict[tuple[str, str], dict[str, float | None]]) -> _Line:
    written, error = row["place_and_error"]
    place = _read_place(written)
    letter = _letter_in(place)
    scores = values.get((row["run_key"], _SCORE), {})
    chosen = values.get((row["run_key"], CHOICE), {})
    return _Line(
        number=row["number"],
        letter=letter,
        text=row["input"],
        label=row["framework"] or "",
        model=row["model"] or "",
        attempt=row["attempt"] or 1,
        began_at=row["started_at"],
        place=place,
        error=error,
        figures=Figures(
            row["run_id"],
            seconds_of(row["started_at"], row["ended_at"]),
            row["calls"],
            scores.get(_SCORE),
            counted_values(scores),
        ),
        choice={letter: chosen[CHOICE]} if CHOICE in chosen else {},
    )


def _read_place(written: str | None) -> dict[str, Any]:
    """What a case says of its place in the session; a foreign store may say anything."""
    try:
        found = json.loads(written or "")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _letter_in(place: dict[str, Any]) -> str:
    return str(place.get("letter") or LETTERS[0])[:1]


def _kept(store: Store, session_id: str, numbers: Collection[int]) -> list[_Kept]:
    where = f"{_OF_SESSION} AND COALESCE(source_position, 0) IN (SELECT unnest($numbers::BIGINT[]))"
    wanted = list(numbers)
    cases = list(store.keyed_cases(where, format=FORMAT, session=session_id, numbers=wanted))
    rows = store.query(_SCORES, metric=_SCORE, choice=CHOICE, keys=[key for key, _ in cases])
    scores = {(row["run_key"], row["metric"]): _decode_score(row["tree"]) for row in rows}
    found = [
        _Kept(case, scores.get((key, _SCORE)), scores.get((key, CHOICE))) for key, case in cases
    ]
    return sorted(found, key=lambda kept: (kept.number, kept.letter))


def _began(lines: Sequence[_Line]) -> float | None:
    """When the first of them began, as far as that was recorded."""
    return min((line.began_at for line in lines if line.began_at is not None), default=None)


def _prompt(own: Sequence[_Line]) -> Prompt:
    first, place = own[0], own[0].place
    cells = {line.letter: line.cell() for line in own}
    return Prompt(
        first.number,
        first.text,
        str(place.get("order", "".join(cells)))[: len(LETTERS)],
        _began(own),
        cells,
        task=first.number - first.attempt + 1,
        attempt=first.attempt,
        of=place["of"] if isinstance(place.get("of"), int) else 1,
        is_blind=place.get("blind") is True,
        retold=_RETOLD.get(str(place.get("retold"))),
        choice=choice_in({k: worth for line in own for k, worth in line.choice.items()}),
    )


def _filled(cell: Cell, kept: _Kept) -> Cell:
    return replace(cell, case=kept.case, score=kept.score, events=events_of(kept.case))
