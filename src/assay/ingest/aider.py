"""Aider: its chat history in Markdown, and its log of analytics."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.aider_text import (
    AIDER,
    MODEL,
    USER,
    Edit,
    blocks_in,
    edits_in,
    model_in,
    not_matched,
    session_cost,
    tokens_in,
    without_thoughts,
)
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Document, Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    dict_or_empty,
    epoch_seconds,
    place_id,
    stable_id,
    text_at,
    total_usage,
    with_cost,
)
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "aider"
_BEGIN = "# aider chat started at "
_HEADER = re.compile(rf"^{_BEGIN}(\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
HISTORY_SUFFIX = ".md"
_LOOKED_AT = 4096
RESULTS = ".aider.results.json"
# Commands of the user whose rest is a question to the model.
QUESTIONS = ("/ask", "/code", "/architect", "/help", "/context")
BLANK = "<blank>"
EDIT, COMMAND = "edit", "run_command"
APPLIED = "Applied edit to "
OTHERS_APPLIED = "applied successfully"
# What a notice says of a file that stays as it is.
LEFT_ALONE = ("Skipping edits to ", "Did not apply edit to ")
ASKED_TO_RUN = "Run shell command"
RUNNING = "Running "
OWN_NOTICES = ("Tokens:", "Cost:", "Commit ", APPLIED, "Added ", "Add ", "Create new file")
REFUSED = "the user did not let it run"
_YES = ("y", "a", "d")
_GAVE_UP = re.compile(r"^Only \d+ reflections allowed, stopping\.?$", re.MULTILINE)
SENT = "message_send"
LAUNCHED = "launched"
EVENT_KEYS = frozenset({"event", "properties", "time"})
EVENTS = frozenset({SENT, LAUNCHED, "cli session", "message_send_starting"})


def _recognise(recording: Recording) -> float:
    if _is_history(recording):
        return 0.95
    events = [dict_or_empty(value) for value in recording.sample]
    if not events or not all(event.keys() >= EVENT_KEYS for event in events):
        return 0.0
    return 0.9 if any(text_at(event, "event") in EVENTS for event in events) else 0.0


def _is_history(recording: Recording) -> bool:
    """Whether a file is a chat history; JSON that stands in one does not make it JSON."""
    if recording.sample and not recording.name.endswith(HISTORY_SUFFIX):
        return False
    try:
        with recording.open() as file:
            return file.read(_LOOKED_AT).lstrip().startswith(_BEGIN.encode())
    except OSError:
        return False


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    found = False
    for run in _history(recording) if _is_history(recording) else _analytics(recording):
        found = True
        yield run
    if not found:
        problem = "no message was sent to a model"
        yield Unreadable(recording.name, problem, kind="passed_over")


def _history(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    if recording.text is None:
        yield Unreadable(recording.name, "is too long for a chat history; split it by sessions")
        return
    text = recording.text.decode(errors="replace").replace("\r\n", "\n")
    lines = text.split("\n")
    headers = [i for i, line in enumerate(lines) if _HEADER.match(line)]
    marked = any(line.startswith("> ") and line.endswith("  ") for line in lines)
    sessions = [
        _Session(lines[begin:end], begin + 1, marked=marked)
        for begin, end in pairwise([*headers, len(lines)])
    ]
    told = [session for session in sessions if session.replies]
    results = _results_beside(recording) if told else {}
    for session in told:
        yield session.case(recording.name, results if session is told[-1] else {})


def _results_beside(recording: Recording) -> dict[str, Any]:
    """What Aider's benchmark wrote down beside the history of an exercise."""
    beside = recording.beside(RESULTS)
    found = next((v for v in beside.sample), None) if beside else None
    return dict_or_empty(found)


class _Session:
    """One session of a history, told block by block."""

    def __init__(self, lines: list[str], line: int, *, marked: bool) -> None:
        self.replies = 0
        self._line = line
        header = _HEADER.match(lines[0])
        self._started = epoch_seconds(header[1]) if header else None
        self._run = RunBuilder()
        self._asked = False
        self._answer: str | None = None
        # Edits of which nobody said yet what came of them, by their files.
        self._edits: dict[str, list[tuple[Edit, ToolExecutionResult]]] = {}
        self._usages: list[dict[str, int]] = []
        self._cost: float | None = None
        self._model: str | None = None
        self._version: str | None = None
        self._gave_up: str | None = None
        for block in blocks_in(lines[1:], marked=marked):
            self._take(block.speaker, block.text)

    def _take(self, speaker: str, text: str) -> None:
        if speaker == USER:
            self._user(text)
        elif speaker == MODEL and self._asked:
            self._reply(text)
        elif speaker == AIDER:
            self._notice(text)

    def _user(self, text: str) -> None:
        command, _, question = text.partition(" ")
        if text == BLANK or not text:
            return
        if text.startswith(("/", "!")) and (command not in QUESTIONS or not question.strip()):
            self._run.system(text)
            return
        self._asked, self._answer, self._gave_up = True, None, None
        self._run.user(question.strip() if command in QUESTIONS else text)

    def _reply(self, text: str) -> None:
        said, thought = without_thoughts(text)
        self.replies += 1
        self._answer = said
        self._run.end_reply()
        self._run.think(thought)
        self._run.say(said)
        self._edits = {}
        for edit in edits_in(said):
            asked = (edit, self._call(EDIT, edit._asdict()))
            self._edits.setdefault(edit.path, []).append(asked)

    def _call(self, tool: str, sent: dict[str, Any]) -> ToolExecutionResult:
        call = ToolExecutionResult(tool, sent, call_id=f"{tool}-{len(self._run.calls) + 1}")
        self._run.call(call)
        return call

    def _notice(self, text: str) -> None:
        lines = text.split("\n")
        for line in lines:
            self._model = model_in(line) or self._model
            if line.startswith("Aider v"):
                self._version = line.removeprefix("Aider v")
            if tokens := tokens_in(line) if line.startswith("Tokens:") else {}:
                self._usages.append(tokens)
            cost = session_cost(line)
            self._cost = self._cost if cost is None else cost
        if not self.replies:
            return
        gave_up = _GAVE_UP.search(text)
        self._gave_up = gave_up[0] if gave_up else self._gave_up
        self._end_edits(text, lines)
        self._commands(lines)
        self._run.system(text)

    def _end_edits(self, text: str, lines: list[str]) -> None:
        """Tell what came of the edits of the last reply, and of those only Aider saw."""
        failed = {(path, search.strip()) for path, search in not_matched(text)}
        applied = {line.removeprefix(APPLIED): line for line in lines if line.startswith(APPLIED)}
        left = {line[len(s) :]: line for line in lines for s in LEFT_ALONE if line.startswith(s)}
        rest = next((line for line in lines if failed and OTHERS_APPLIED in line), None)
        unasked = [path for path in applied if path not in self._edits]
        told_of = self._edits if rest else {**dict(failed), **applied, **left}
        for path in [path for path in told_of if path in self._edits]:
            done = applied.get(path) or rest
            waiting = []
            for edit, call in self._edits.pop(path):
                if (path, edit.search.strip()) in failed:
                    self._failed(call, f"the SEARCH block does not match lines in {path}")
                elif path in left:
                    self._failed(call, left[path])
                elif done:
                    self._done(call, done)
                else:
                    waiting.append((edit, call))
            if waiting:
                self._edits[path] = waiting
        for path in unasked:
            self._done(self._call(EDIT, {"path": path}), applied[path])

    def _done(self, call: ToolExecutionResult, notice: str) -> None:
        self._run.result(call.call_id, notice, reported_success=True)

    def _failed(self, call: ToolExecutionResult, why: str) -> None:
        self._run.result(call.call_id, why, reported_success=False, error_message=why)

    def _commands(self, lines: list[str]) -> None:
        """Tell the commands that the model wanted to run; what they printed is not kept."""
        is_allowed = False
        since = 0
        for number, line in enumerate(lines):
            if line.startswith(ASKED_TO_RUN):
                is_allowed = line.rpartition(":")[2].strip().lower().startswith(_YES)
                if not is_allowed:
                    wanted = "\n".join(lines[_after_notices(lines, since, number) : number])
                    self._failed(self._call(COMMAND, {"command": wanted}), REFUSED)
                since = number + 1
            elif is_allowed and line.startswith(RUNNING):
                self._call(COMMAND, {"command": line.removeprefix(RUNNING)})
                since = number + 1

    def case(self, name: str, results: dict[str, Any]) -> AgentTestCase:
        """The run that the session was."""
        told = amount_or_none(results.get("cost"))
        cost = self._cost if told is None else told
        extra = {"version": self._version, "benchmark": results}
        return self._run.finish(
            run_id=stable_id(NAME, *place_id(name, self._line)),
            actual_output=self._answer,
            task_id=text_at(results, "testcase"),
            model=self._model or text_at(results, "model"),
            framework=NAME,
            usage=with_cost(total_usage(self._usages), [cost]),
            outcome=self._outcome(results),
            started_at=self._started,
            source=Source(name, NAME, self._line),
            extra={key: value for key, value in extra.items() if value},
        )

    def _outcome(self, results: dict[str, Any]) -> RunOutcome | None:
        tried = results.get("tests_outcomes")
        if isinstance(tried, list) and tried:
            return RunOutcome(success=tried[-1] is True, decided_by="the benchmark's tests")
        if self._gave_up is None:
            return None
        return RunOutcome(success=False, decided_by=NAME, reason=self._gave_up)


def _after_notices(lines: list[str], since: int, before: int) -> int:
    """The line after the last one above that is Aider's own and no part of a command."""
    own = (i for i in range(before - 1, since - 1, -1) if lines[i].startswith(OWN_NOTICES))
    return next(own, since - 1) + 1


def _analytics(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    """A run for each launch that sent a message; what was said is not in the log."""
    events: list[dict[str, Any]] = []
    begun: int | None = None
    for item in recording.documents():
        if not isinstance(item, Document) or not isinstance(item.value, dict):
            expected = "an event of Aider's analytics"
            yield (
                item
                if isinstance(item, Unreadable)
                else unexpected(recording.name, item.value, expected, item.position)
            )
            continue
        if text_at(item.value, "event") == LAUNCHED:
            yield from _launch(events, recording.name, begun)
            events, begun = [], item.position
        begun = begun or item.position
        events.append(item.value)
    yield from _launch(events, recording.name, begun)


def _launch(
    events: list[dict[str, Any]], name: str, position: int | None
) -> Iterator[AgentTestCase]:
    sent = [dict_or_empty(e.get("properties")) for e in events if e.get("event") == SENT]
    if not sent:
        return
    times = [at for event in events if (at := epoch_seconds(event.get("time"))) is not None]
    counts = Counter(str(event.get("event")) for event in events)
    yield RunBuilder().finish(
        run_id=stable_id(NAME, *place_id(name, position)),
        model=next(
            (model for said in reversed(sent) if (model := text_at(said, "main_model"))), None
        ),
        framework=NAME,
        usage=with_cost(total_usage(sent), (said.get("cost") for said in sent)),
        total_rounds=len(sent),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(name, NAME, position),
        extra={"events": dict(counts), "edit_format": text_at(sent[-1], "edit_format")},
    )


AIDER_FORMAT = Format(
    name=NAME,
    title="Aider's chat histories and its log of analytics",
    fidelity=(
        "Edits and shell commands are the calls. Whether an edit was applied is said; what a "
        "command printed and whether it failed is not kept. Tokens are rounded, times are those "
        "of a session's begin, without a zone. The log of analytics has model, tokens, costs and "
        "times, but no word and no call."
    ),
    recognise=_recognise,
    read=_read,
)
