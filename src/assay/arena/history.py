"""Sessions as a store has them: the list, and each of them again as it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.agents.harness import Event
from assay.arena.choices import METRIC as CHOICE
from assay.arena.choices import choice_in
from assay.arena.conversation import EVENTS_KEY
from assay.arena.session import LETTERS, PLACE_KEY, Cell, Prompt, Session, state_of
from assay.metrics.chatbot import ChatbotEvaluator
from assay.run import Source
from assay.score import Score
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_SCORES = f"""
    SELECT run_key, metric, tree FROM scores WHERE metric IN ($metric, $choice) AND path = name
    AND run_key IN (SELECT run_key FROM runs WHERE {_OF_SESSION})
"""  # noqa: S608 - ours
_decode_score = msgspec.json.Decoder(Score).decode


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
    def place(self) -> dict[str, Any]:
        """What the case says of its place in the session."""
        found: Any = self.case.extra.get(PLACE_KEY)
        return found if isinstance(found, dict) else {}

    @property
    def letter(self) -> str:
        """Whose answer it is."""
        return str(self.place.get("letter", LETTERS[0]))[:1]

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
    case.source = Source(path=session.id, format=FORMAT, position=prompt.number)
    case.extra[PLACE_KEY] = {
        "letter": letter,
        "order": prompt.order,
        "of": prompt.of,
        "blind": prompt.is_blind,
        "retold": prompt.is_retold,
    }


def list_sessions(store: Store) -> list[SessionLine]:
    """The sessions of a store, the latest first."""
    return [SessionLine(**row) for row in store.query(_LIST, format=FORMAT)]


def read_session(store: Store, session_id: str) -> Session | None:
    """A session as it was; None if the store has none of that name."""
    found = _kept(store, session_id)
    if not found:
        return None
    session = Session(session_id, _began(found), is_live=False)
    for number in sorted({kept.number for kept in found}):
        own = [kept for kept in found if kept.number == number]
        session.prompts.append(_prompt(number, own))
    return session


def session_lines(store: Store, session_id: str) -> Iterator[str]:
    """A session as lines of JSON: a run each, as it can be imported again, with its scores."""
    for kept in _kept(store, session_id):
        written = kept.case.to_dict()
        if kept.scores:
            written["scores"] = [score.to_dict() for score in kept.scores]
        yield json.dumps(written, ensure_ascii=False)


def _kept(store: Store, session_id: str) -> list[_Kept]:
    params = {"format": FORMAT, "session": session_id}
    rows = store.query(_SCORES, metric=ChatbotEvaluator.name, choice=CHOICE, **params)
    scores = {(row["run_key"], row["metric"]): _decode_score(row["tree"]) for row in rows}
    found = [
        _Kept(case, scores.get((key, ChatbotEvaluator.name)), scores.get((key, CHOICE)))
        for key, case in store.keyed_cases(_OF_SESSION, **params)
    ]
    return sorted(found, key=lambda kept: (kept.number, kept.letter))


def _began(found: list[_Kept]) -> float | None:
    """When the first of them began, as far as that was recorded."""
    known = (kept.case.started_at for kept in found)
    return min((at for at in known if at is not None), default=None)


def _prompt(number: int, own: list[_Kept]) -> Prompt:
    first, place = own[0].case, own[0].place
    cells = {kept.letter: _cell(kept) for kept in own}
    prompt = Prompt(
        number,
        first.input,
        str(place.get("order", "".join(cells))),
        _began(own),
        cells,
        task=number - (first.attempt or 1) + 1,
        attempt=first.attempt or 1,
        of=place["of"] if isinstance(place.get("of"), int) else 1,
        is_blind=place.get("blind") is True,
        is_retold=place.get("retold") is True,
    )
    prompt.choice = choice_in({k.letter: k.choice.value for k in own if k.choice is not None})
    return prompt


def _cell(kept: _Kept) -> Cell:
    case = kept.case
    return Cell(
        kept.letter,
        case.framework or "",
        case.model or "",
        state_of(case),
        events=events_of(case),
        case=case,
        score=kept.score,
        preferred=None if kept.choice is None else kept.choice.value,
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
