"""Sessions as a store has them: the list, and each of them again as it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.agents.harness import Event
from assay.arena.conversation import EVENTS_KEY
from assay.arena.session import PLACE_KEY, Cell, Prompt, Session, state_of
from assay.metrics.chatbot import ChatbotEvaluator
from assay.run import Source
from assay.score import Score

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.store import Store
    from assay.test_case import AgentTestCase

FORMAT = "arena-session"
_MOST_LISTED = 200
_LONGEST_PROMPT = 300
_LIST = f"""
    SELECT source_path AS id, MIN(started_at) AS began_at,
           COUNT(DISTINCT source_position) AS prompts,
           substr(ARG_MIN(input, source_position), 1, {_LONGEST_PROMPT}) AS first,
           LIST_SORT(LIST(DISTINCT framework)) AS agents,
           COUNT(*) FILTER (WHERE actual_output IS NULL) AS unanswered, COUNT(*) AS answers
    FROM runs WHERE source_format = $format GROUP BY source_path
    ORDER BY began_at DESC, id LIMIT {_MOST_LISTED}
"""  # noqa: S608 - numbers
_OF_SESSION = "source_format = $format AND source_path = $session"
_SCORES = f"""
    SELECT run_key, tree FROM scores WHERE metric = $metric AND path = name
    AND run_key IN (SELECT run_key FROM runs WHERE {_OF_SESSION})
"""  # noqa: S608 - ours
_decode_score = msgspec.json.Decoder(Score).decode


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
    case.task_id = f"{session.id}.{prompt.number}"
    case.source = Source(path=session.id, format=FORMAT, position=prompt.number)
    case.extra[PLACE_KEY] = {"letter": letter, "order": prompt.order}


def list_sessions(store: Store) -> list[SessionLine]:
    """The sessions of a store, the latest first."""
    return [SessionLine(**row) for row in store.query(_LIST, format=FORMAT)]


def read_session(store: Store, session_id: str) -> Session | None:
    """A session as it was; None if the store has none of that name."""
    found = [(case, score) for _, case, score in _scored(store, session_id)]
    if not found:
        return None
    began = min(case.started_at or 0.0 for case, _ in found)
    session = Session(session_id, began, is_live=False)
    numbers = sorted({_number(case) for case, _ in found})
    for number in numbers:
        own = [(case, score) for case, score in found if _number(case) == number]
        session.prompts.append(_prompt(len(session.prompts) + 1, own))
    return session


def session_lines(store: Store, session_id: str) -> Iterator[str]:
    """A session as lines of JSON: a run each, as it can be imported again, with its scores."""
    for _, case, score in _scored(store, session_id):
        written = case.to_dict()
        if score is not None:
            written["scores"] = [score.to_dict()]
        yield json.dumps(written, ensure_ascii=False)


def _scored(store: Store, session_id: str) -> list[tuple[str, AgentTestCase, Score | None]]:
    params = {"format": FORMAT, "session": session_id}
    rows = store.query(_SCORES, metric=ChatbotEvaluator.name, **params)
    scores = {row["run_key"]: _decode_score(row["tree"]) for row in rows}
    found = [(key, case, scores.get(key)) for key, case in store.keyed_cases(_OF_SESSION, **params)]
    return sorted(found, key=lambda item: (_number(item[1]), _letter(item[1])))


def _prompt(number: int, own: list[tuple[AgentTestCase, Score | None]]) -> Prompt:
    first = own[0][0]
    began = min(case.started_at or 0.0 for case, _ in own)
    cells = {cell.letter: cell for cell in (_cell(case, score) for case, score in own)}
    order = str(_place(first).get("order", "".join(cells)))
    return Prompt(number, first.input, order, began, cells)


def _cell(case: AgentTestCase, score: Score | None) -> Cell:
    return Cell(
        _letter(case),
        case.framework or "",
        case.model or "",
        state_of(case),
        events=events_of(case),
        case=case,
        score=score,
    )


def events_of(case: AgentTestCase) -> list[Event]:
    """The events that a case keeps; what is odd is passed over."""
    kept: Any = case.extra.get(EVENTS_KEY)
    found = []
    for item in kept if isinstance(kept, list) else []:
        try:
            found.append(msgspec.convert(item, Event))
        except msgspec.ValidationError:
            continue
    return found


def _place(case: AgentTestCase) -> dict[str, Any]:
    found: Any = case.extra.get(PLACE_KEY)
    return found if isinstance(found, dict) else {}


def _letter(case: AgentTestCase) -> str:
    return str(_place(case).get("letter", "A"))[:1]


def _number(case: AgentTestCase) -> int:
    return (case.source.position if case.source else None) or 0
