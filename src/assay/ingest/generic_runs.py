"""Where in a document nobody knows the runs are: which of its parts are a conversation each."""

from __future__ import annotations

from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

from assay.ingest import shapes
from assay.ingest.fields import decode_json_text, dict_or_empty, objects_in, text_of
from assay.ingest.shapes import first_id, first_text
from assay.ingest.told_once import told_once

if TYPE_CHECKING:
    from collections.abc import Iterator

# What stands at a place of a file: its line or item, if it has one.
Placed: TypeAlias = tuple[int | None, object]

_DEEPEST_RUN = 4
_DEEPEST = 60
_LOOKED_AT = 100_000
# What should have happened, not what did.
EXPECTATION_KEYS = frozenset({"task", "tasks", "evaluation_criteria", "reward_info", "rubric"})
# How LlamaIndex calls what it remembers.
MEMORY = "SimpleChatStore"
# A text without any of these holds no conversation.
_SPOKEN = ('"role"', '"tool', '"type"')
# Facts of a run by the keys that usually hold them, on the run's own level.
QUESTION_KEYS = (
    *("prompt", "question", "query", "instruction", "task", "goal", "input", "user_input"),
    *("userInput", "chatInput", "request", "user_query", "user_prompt", "user_message"),
    "user_request",
)
ANSWER_KEYS = (
    *("final_answer", "final_output", "answer", "final_response", "prediction", "output"),
    *("responseText", "response", "text", "reply", "final", "final_text", "final_message"),
    *("actual_output", "completion"),
)
# What a line has that tells one step of a run.
STEP_KEYS = frozenset({"step", "step_number", "turn", "round", "iteration", "event", "level"})
SESSION_KEYS = (
    *("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "trace_id"),
    *("traceId", "threadId", "dialog_id", "dialogue_id", "session", "run_id", "runId"),
    *("run_name", "run", "episode_id", "episode"),
)
# What the lines of one run have in common; the last names its task.
RUN_KEYS = (*SESSION_KEYS, "task_id")
# Of these it is enough that two lines share a name: nothing else is called so.
OWN_RUN_KEYS = frozenset(
    {"run_id", "runId", "run_name", "run", "session", "session_id", "sessionId"}
    | {"conversation_id", "conversationId", "dialog_id", "dialogue_id", "episode_id", "episode"}
)
# What tells rows of one session apart: each task, and each try of it, is a run.
TASK_KEYS = (
    *("task_id", "taskId", "instance_id", "sample_id", "case_id", "caseId", "problem_id", "case"),
)
TRY_KEYS = (*TASK_KEYS, "attempt", "trial", "seed")
# What a whole experiment is called as well, with a question in each of its rows; what a model is
# sent in each step of a run is called otherwise.
EXPERIMENT_KEYS = frozenset({"run_id", "runId", "run_name", "run"})
SENT_KEYS = frozenset({"prompt", "input", "request"})
# Of a step or a line of a log only what cannot mean anything else.
LINE_QUESTION_KEYS = ("prompt", "question", "query", "instruction", "goal", "user_input")
ASKED = ("question",)
# The same of a line that is a call.
CALL_QUESTION_KEYS = tuple(key for key in LINE_QUESTION_KEYS if key != "query")
LINE_ANSWER_KEYS = ("final_answer", "final_output", "answer", "final_response")
EXPECTATION_STARTS = ("expected", "gold", "ground_truth", "reference", "target", "label")


def runs_in(value: object, depth: int = 0) -> list[object]:
    """The parts of a value that hold a conversation each; none where it holds no whole one."""
    if is_conversation(value):
        return [value]
    if depth > _DEEPEST_RUN:
        return []
    found = [run for child in children_of(value) for run in runs_in(child, depth + 1)]
    if isinstance(value, dict) and shapes.may_be_known(value) and shapes.message_role(value):
        # The calls and results that one message carries are no conversation.
        found = [run for run in found if _has_speakers(run)]
    # Several lists in one object are parts of one run: messages here, calls there.
    return [value] if isinstance(value, dict) and found and _is_one(value, found) else found


def _has_speakers(run: object) -> bool:
    roles = (shapes.message_role(item) for item in objects_in(run))
    return not isinstance(run, list) or any(role in {"user", "assistant"} for role in roles)


def is_row(value: object) -> bool:
    """Whether a value has a question of its own and an answer, or calls: a row, and no step."""
    row = dict_or_empty(value)
    # Steps have a time, too: only what cannot mean anything else makes a row of such.
    is_timed = "timestamp" in row
    asked = first_text(row, LINE_QUESTION_KEYS if is_timed else QUESTION_KEYS)
    answered = first_text(row, LINE_ANSWER_KEYS if is_timed else ANSWER_KEYS)
    if asked is None or not (answered or shapes.calls_in(row)) or not STEP_KEYS.isdisjoint(row):
        return False
    return not shapes.belongs_to_conversation(row)


def rows_in(value: object) -> list[object]:
    """The rows of data that a value is, or lists; none where anything else is among them."""
    rows = value if isinstance(value, list) else [value]
    if all(map(is_row, rows)):
        return rows
    inner = [item for item in dict_or_empty(value).values() if isinstance(item, list | dict)]
    lists = [item if isinstance(item, list) else list(item.values()) for item in inner if item]
    if len(lists) == 1 and all(map(is_row, lists[0])):
        return lists[0]
    # Rows may stand under their names.
    return list(inner) if len(inner) > 1 and all(map(is_row, inner)) else []


def answered_in(value: object) -> int:
    """How many rows of data a value is that have their answer beside the question."""
    return sum(first_text(dict_or_empty(row), ANSWER_KEYS) is not None for row in rows_in(value))


def may_go_on(row: object) -> bool:
    """Whether a row names something that other rows may belong to, and holds no conversation."""
    is_named = first_id(dict_or_empty(row), SESSION_KEYS) is not None
    return is_named and not any(map(_has_speakers, conversations_in(row)))


def runs_of_rows(rows: list[Placed]) -> list[Placed]:
    """The rows of each run, with the place of the first: those of one session are its turns."""
    key = next((key for key in SESSION_KEYS if _names_most(rows, key)), "")
    asked_in_each = tuple(name for name in QUESTION_KEYS if name not in SENT_KEYS)
    runs: dict[object, list[Placed]] = {}
    for number, (place, row) in enumerate(rows):
        told = dict_or_empty(row)
        is_own = key in EXPERIMENT_KEYS and first_text(told, asked_in_each) is not None
        session = first_id(told, (key,)) if may_go_on(row) and not is_own else None
        tries = tuple(first_id(told, (name,)) for name in TRY_KEYS)
        runs.setdefault((session, tries) if session else number, []).append((place, row))
    return [(run[0][0], _alone([row for _, row in run])) for run in runs.values()]


def runs_of_lines(lines: list[Placed]) -> list[Placed]:
    """The lines of each run with the place of its first, where lines name several runs.

    Lines without a name belong to the run before them. A name that hardly any two lines share
    is none of a run, unless each line is a whole call or lists some; where all share one, other
    names in them are those of its turns. Whole calls without a name are told apart by what was
    asked. What stands among rows and tells nothing stays alone, as does what names none of them.
    """
    rows = [place for place in lines if is_row(place[1])]
    others = [place for place in lines if not is_row(place[1])]
    apart = runs_of_rows(rows)
    if rows and not any(_tells_of_run(line, among=len(apart)) for _, line in others):
        return [*apart, *((place, [line]) for place, line in others)]
    keys = (*RUN_KEYS, *(ASKED if all(_is_whole_call(line) for _, line in lines) else ()))
    for key in keys:
        if not _names_most(lines, key):
            continue
        groups = _named_alike(lines, key)
        if len(groups) == 1:
            break
        if _are_runs(groups, key):
            return [(run[0][0], [line for _, line in run]) for run in groups]
    return [(None, [line for _, line in lines])] if lines else []


def _names_most(lines: list[Placed], key: str) -> bool:
    """Whether at least half of the lines have a name under a key."""
    named = sum(first_id(dict_or_empty(line), (key,)) is not None for _, line in lines)
    return named > 0 and 2 * named >= len(lines)


def _named_alike(lines: list[Placed], key: str) -> list[list[Placed]]:
    """The lines by what they have under a key; one without a name goes with that before it."""
    named = [first_id(dict_or_empty(line), (key,)) for _, line in lines]
    groups: dict[str | None, list[Placed]] = {}
    last = next(filter(None, named))
    for name, line in zip(named, lines, strict=True):
        last = name or last
        groups.setdefault(last, []).append(line)
    return list(groups.values())


def _are_runs(groups: list[list[Placed]], key: str) -> bool:
    """Whether lines that a key names apart are of several runs, and not each a step of one."""
    lines = [line for group in groups for _, line in group]
    if all(map(_lists_calls, lines)):
        return True
    if key not in {*OWN_RUN_KEYS, *ASKED}:
        return 3 * len(groups) <= 2 * len(lines)
    return len(groups) < len(lines) or all(map(_is_whole_call, lines))


def _lists_calls(line: object) -> bool:
    """Whether a line has a list of calls with their results, as a run has, and is no step."""
    told = dict_or_empty(line)
    called = [] if shapes.belongs_to_conversation(told) else shapes.calls_in(told)
    is_over = any(shapes.own_result(call) is not None for call in called)
    return is_over and STEP_KEYS.isdisjoint(told)


def _is_whole_call(line: object) -> bool:
    told = dict_or_empty(line)
    is_step = not STEP_KEYS.isdisjoint(told) or any(key.startswith("parent") for key in told)
    return not is_step and shapes.is_call(told) and shapes.own_result(told) is not None


def _tells_of_run(line: object, *, among: int) -> bool:
    """Whether a line that is no row tells something that was asked, said or done.

    A mere step tells of one run, or `among` several of that which it names.
    """
    told = dict_or_empty(line)
    is_said = shapes.belongs_to_conversation(told) or bool(shapes.calls_in(told))
    is_step = not STEP_KEYS.isdisjoint(told) and (among == 1 or may_go_on(told))
    return is_said or is_step or bool(runs_in(line))


def _alone(lines: list[object]) -> object:
    return lines[0] if len(lines) == 1 else lines


def as_turns(lines: object) -> object:
    """Rows of one run as what was asked, done and answered in each; anything else as it is."""
    if not isinstance(lines, list) or len(lines) < 2 or not all(map(is_row, lines)):
        return lines
    told: list[object] = []
    for row in map(dict_or_empty, lines):
        asked, answered = first_text(row, QUESTION_KEYS), first_text(row, ANSWER_KEYS)
        said = {*QUESTION_KEYS, *ANSWER_KEYS}
        told.append({"role": "user", "content": asked})
        told.append({key: value for key, value in row.items() if key not in said})
        told += [] if answered is None else [{"role": "assistant", "content": answered}]
    return told


def names_in_lines(lines: list[object]) -> dict[str, str]:
    """What the lines of one run call its session and its task, all of them alike."""
    told = [dict_or_empty(line) for line in lines]
    facts = (("session_id", RUN_KEYS[:-1]), ("task_id", RUN_KEYS[-1:]))
    return {fact: name for fact, keys in facts if (name := _shared_name(told, keys))}


def _shared_name(lines: list[dict[str, Any]], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        names = {name for line in lines if (name := first_id(line, (key,)))}
        if len(names) == 1:
            return names.pop()
    return None


def longest_of(runs: list[object]) -> list[object]:
    """The runs without those that the next one only goes on with: a log of growing prompts."""
    pairs = zip_longest(runs, runs[1:])
    return [run for run, following in pairs if not _goes_on(_prompt(run), _prompt(following))]


def _goes_on(run: object, following: object) -> bool:
    if not isinstance(run, list) or not isinstance(following, list):
        return False
    return len(following) > len(run) and following[: len(run)] == run


def _prompt(run: object) -> object:
    """The list that a logged request sent; a run that is a list itself is one."""
    return run.get("messages") if isinstance(run, dict) and "response" in run else run


def children_of(value: object) -> list[Any]:
    """What may hold something inside a list or an object; expectations are left out."""
    if isinstance(value, list):
        inner = value
    else:
        inner = [
            item
            for key, item in told_once(dict_or_empty(value)).items()
            if key not in EXPECTATION_KEYS and not key.lower().startswith(EXPECTATION_STARTS)
        ]
    return [item for item in inner if isinstance(item, dict | list)]


def _is_one(value: dict[str, Any], found: list[object]) -> bool:
    own = {id(child) for child in value.values()}
    asked = {question for run in found if (question := _first_asked(run))}
    return len(found) == 1 or (len(asked) <= 1 and all(id(run) in own for run in found))


def _first_asked(run: object) -> str:
    """The first thing that a user said in a list; empty where none spoke."""
    said = (item for item in objects_in(run) if shapes.message_role(item) == "user")
    return next((text for item in said if (text := text_of(shapes.message_content(item)))), "")


def is_conversation(value: object) -> bool:
    """Whether a list is mostly messages, calls and results."""
    items = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    known = sum(shapes.belongs_to_conversation(item) for item in items)
    return known >= 2 and 2 * known > len(items)


def conversations_in(value: object, depth: int = 0) -> Iterator[object]:
    """The lists in a value that are a conversation each."""
    if depth > _DEEPEST_RUN:
        return
    if isinstance(value, list) and is_conversation(value):
        yield value
    elif isinstance(value, dict):
        for child in children_of(value):
            yield from conversations_in(child, depth + 1)


def in_small_letters(value: Any) -> Any:
    """A document whose keys begin with capitals, as .NET writes them, with those of others."""
    first = next(iter(objects_in(value)), dict_or_empty(value))
    return _in_small_letters(value) if {"Role", "Messages"} & first.keys() else value


def unfolded(value: Any) -> Any:
    """A document with its texts that are JSON read, and those in them; None where none may be.

    LlamaIndex keeps a workflow so; of one that has a memory, the memory is what was said, all
    else are events that tell the same over and over.
    """
    if not _hides_any(value):
        return None
    told = _unfolded(value)
    memories = list(islice(_memories(told), 1))
    return memories[0] if memories else told


def _hides_any(value: Any) -> bool:
    """Whether a text among the first nodes of a value may hold a conversation."""
    waiting = [value]
    for _ in range(_LOOKED_AT):
        if not waiting:
            return False
        node = waiting.pop()
        if isinstance(node, str) and _may_unfold(node):
            return True
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        waiting.extend(islice(inner, _LOOKED_AT))
    return False


def _may_unfold(text: str) -> bool:
    return text[:1] in {"{", "["} and any(sign in text for sign in _SPOKEN)


def _memories(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict) and value.get("class_name") == MEMORY:
        yield dict_or_empty(value.get("store"))
    elif depth <= _DEEPEST:
        for child in children_of(value):
            yield from _memories(child, depth + 1)


def _unfolded(value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        return value
    if isinstance(value, str):
        decoded = decode_json_text(value) if _may_unfold(value) else None
        return value if decoded is None else _unfolded(decoded, depth + 1)
    if isinstance(value, list):
        return [_unfolded(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _unfolded(item, depth + 1) for key, item in value.items()}


def _in_small_letters(value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        return value
    if isinstance(value, list):
        return [_in_small_letters(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    return {k[:1].lower() + k[1:]: _in_small_letters(v, depth + 1) for k, v in value.items()}
