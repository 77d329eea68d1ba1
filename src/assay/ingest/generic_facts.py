"""What a file nobody knows tells of a run as a whole: names, model, times, how it ended.

Facts stand on the run's own level, in an object beside it that is named for them, or in its
lines; what several lines tell differently is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.fields import dict_or_empty, objects_in
from assay.ingest.generic_runs import ANSWER_KEYS, QUESTION_KEYS, SESSION_KEYS, TASK_KEYS
from assay.ingest.shapes import first_text
from assay.ingest.stated_outcome import SCORE_KEYS, VERDICT_KEYS, VERDICTS, stated_outcome
from assay.ingest.told_times import last_moment_of, moment_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.run import RunOutcome

MODEL_KEYS = (
    *("model", "model_name", "modelName", "model_id", "modelId", "ai_model_id"),
    *("agent_model", "agentModel", "llm_model", "llm_name", "ls_model_name", "llm"),
)
TEXT_FACTS = (
    ("model", MODEL_KEYS),
    ("session_id", SESSION_KEYS),
    ("task_id", TASK_KEYS),
    ("framework", ("framework", "agent_framework")),
)
# Objects beside a run that tell of it, and what their own id or name is of it.
HEADERS = {
    **dict.fromkeys(("meta", "metadata", "info", "config", "agent", "llm", "policy"), None),
    **dict.fromkeys(("attrs", "attributes", "data", "payload", "fields", "header"), None),
    **dict.fromkeys(("run", "session"), "session_id"),
    "task": "task_id",
}
OWN_NAME_KEYS = ("id", "uuid", "name")
# Objects that hold what was put in, and what was put out.
ASKED_OBJECTS = ("inputs", "input", "request")
ANSWERED_OBJECTS = ("outputs", "output", "response")
TASK_WORDS = ("description", "prompt", "question", "instruction", "text")
# Objects beside a run that tell how it ended.
VERDICT_OBJECTS = ("evaluation", "eval", "outcome", "verdict", "judgement", "grade", "result")
RUN_VERDICTS = (*VERDICT_KEYS, "verdict", "pass", "correct", "solved", "is_success", "ok")
RUN_SCORES = (*SCORE_KEYS, "total_reward", "final_reward", "final_score")
# What the kind of the line is called that tells how a run ended.
ENDINGS = ("end", "finish", "complete", "result", "done", "final", "verdict")
KIND_KEYS = ("event", "ev", "type", "kind", "name", "msg")


def facts_around(around: dict[str, Any]) -> dict[str, str]:
    """What is told of a run on its own level, or in the objects named for it."""
    headers = {key: header for key in HEADERS if (header := dict_or_empty(around.get(key)))}
    found: dict[str, str] = {}
    for fact, keys in TEXT_FACTS:
        own = (first_text(place, keys) for place in (around, *headers.values()))
        told = next(filter(None, own), None) or _named_by_header(headers, fact)
        if told:
            found[fact] = told
    return found


def _named_by_header(headers: dict[str, dict[str, Any]], fact: str) -> str | None:
    named = (first_text(headers[key], OWN_NAME_KEYS) for key in headers if HEADERS[key] == fact)
    return next(filter(None, named), None)


def asked_around(around: dict[str, Any]) -> str | None:
    """What a run was asked, on its own level, as a task, or among what was put in."""
    told = ((ASKED_OBJECTS, QUESTION_KEYS), (("task",), TASK_WORDS))
    return first_text(around, QUESTION_KEYS) or _in_objects(around, told)


def answered_around(around: dict[str, Any]) -> str | None:
    """What a run answered, on its own level or among what was put out; a verdict is no answer."""
    said = first_text(around, ANSWER_KEYS) or _in_objects(
        around, ((ANSWERED_OBJECTS, ANSWER_KEYS),)
    )
    return said or _result_in_words(around)


def _in_objects(
    around: dict[str, Any], told: Iterable[tuple[tuple[str, ...], tuple[str, ...]]]
) -> str | None:
    found = (
        first_text(dict_or_empty(around.get(key)), keys) for places, keys in told for key in places
    )
    return next(filter(None, found), None)


def words_in_lines(lines: Iterable[dict[str, Any]], keys: tuple[str, ...]) -> str | None:
    """The first words that a line, or its data, has under one of these keys."""
    found = (first_text(place, keys) for line in lines for place in _places(line))
    return next(filter(None, found), None)


def model_in(lines: Iterable[object]) -> str | None:
    """The model that lines or their data name, all of them alike."""
    places = [place for line in objects_in(list(lines)) for place in _places(line)]
    named = {model for place in places if (model := first_text(place, MODEL_KEYS))}
    return named.pop() if len(named) == 1 else None


def session_in(lines: Iterable[object]) -> str | None:
    """The session that the data of lines name, all of them alike."""
    places = [place for line in objects_in(list(lines)) for place in _places(line)[1:]]
    named = {name for place in places if (name := first_text(place, SESSION_KEYS))}
    return named.pop() if len(named) == 1 else None


def _places(line: dict[str, Any]) -> list[dict[str, Any]]:
    return [line, *(inner for key in HEADERS if (inner := dict_or_empty(line.get(key))))]


def moments_of(around: dict[str, Any], lines: Iterable[object]) -> list[float]:
    """When a run began and ended, as it says itself, and when its lines were written."""
    header = dict_or_empty(around.get("run")) or dict_or_empty(around.get("session"))
    places = [around, header, *objects_in(list(lines))]
    times = (at for place in places for at in (moment_of(place), last_moment_of(place)))
    return [at for at in times if at is not None]


def outcome_of(around: dict[str, Any], beside: list[dict[str, Any]]) -> RunOutcome | None:
    """How a run ended: told on its own level, in an object for that, or in the line of its end."""
    judged = (dict_or_empty(around.get(key)) for key in VERDICT_OBJECTS)
    last = [line for line in beside if _is_ending(line)][-1:]
    for place in (around, *filter(None, judged), *last):
        found = stated_outcome(place, RUN_VERDICTS, RUN_SCORES)
        if found is not None:
            return found
    return None


def _is_ending(line: dict[str, Any]) -> bool:
    kind = (first_text(line, KIND_KEYS) or "").lower()
    return any(word in kind for word in ENDINGS)


def _result_in_words(around: dict[str, Any]) -> str | None:
    """What a run calls its result, where that is an answer and no verdict."""
    said = first_text(around, ("result",))
    return None if said is None or said.strip().lower() in VERDICTS else said
