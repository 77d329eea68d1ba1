"""Aider: its chat history, a Markdown file in which everybody speaks, and its log of analytics.

What the user said is a heading, what Aider says itself a quotation, all else is the model's. Lines
that Aider wrote end in two blanks, so that a model's own headings can be told from them.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.readers import values
from assay.readers.documents import Document, Unreadable
from assay.readers.engine import FoundCall, to_case
from assay.readers.special.transcript import Transcript
from assay.readers.values import dict_or_empty, place_id, seconds, stable_id
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.readers.files.file import File
    from assay.test_case import AgentTestCase

NAME = "aider"
RESULTS = ".aider.results.json"
_BEGIN = "# aider chat started at "
_HEADER = re.compile(rf"{_BEGIN}(\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_HEADING, _QUOTED, _BREAK = "####", ">", "  "
# Commands of the user whose rest is a question to the model.
_QUESTIONS = ("/ask", "/code", "/architect", "/help", "/context")
_EDIT = re.compile(
    r"^([^\n]{1,300})\n(?:(?:```|~~~)[^\n]{0,40}\n)?<{5,9} ?SEARCH>?[^\S\n]*\n(.{0,100000}?)"
    r"^={5,9}[^\S\n]*\n(.{0,100000}?)^>{5,9} ?REPLACE",
    re.MULTILINE | re.DOTALL,
)
_FENCE = re.compile(r"(?:```|~~~)[^\n]{0,40}")
_NOT_MATCHED = re.compile(r"This SEARCH block failed to exactly match lines in (.+)$", re.MULTILINE)
_GAVE_UP = re.compile(r"^Only \d{1,6} reflections allowed, stopping", re.MULTILINE)
_MODEL = re.compile(r"(?:Main model|Models?): (\S{1,200}?),?(?: with .*)?$")
_COST = re.compile(r"\$(\d[\d.,]{0,11}) session")
_COUNTED = re.compile(r"(?<!\d)(\d[\d.,]{0,11})([kM]?) (sent|received|cache write|cache hit)\b")
_UNITS = {"": 1, "k": 1_000, "M": 1_000_000}
_COUNTS = {
    "sent": "input_tokens",
    "received": "output_tokens",
    "cache write": "cache_write_tokens",
    "cache hit": "cache_read_tokens",
}
_APPLIED, _ASKED, _RUNNING = "Applied edit to ", "Run shell command", "Running "
_LEFT_ALONE = ("Skipping edits to ", "Did not apply edit to ")
_EVENT_KEYS = frozenset({"event", "properties", "time"})
_EVENTS = frozenset({"message_send", "launched", "cli session"})


class Aider(Struct, frozen=True):
    """Chat histories and analytics of Aider."""

    name: str = NAME
    title: str = "Aider's chat histories and its log of analytics"
    cannot: str = "What commands printed, servers, times of calls, tool schemas."

    def matches(self, file: File) -> bool:
        """Whether a file begins like a history, or holds events of the log."""
        events = [dict_or_empty(value) for value in file.head()]
        if events and all(event.keys() >= _EVENT_KEYS for event in events):
            return any(event.get("event") in _EVENTS for event in events)
        is_history = not events or file.suffix == ".md"
        return is_history and (file.text() or b"").lstrip().startswith(_BEGIN.encode())

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """A run for each session in which a model replied, or each launch that asked one."""
        if (file.text() or b"").lstrip().startswith(_BEGIN.encode()):
            yield from _sessions(file)
        else:
            yield from _launches(file)


def _sessions(file: File) -> Iterator[AgentTestCase]:
    lines = (file.text() or b"").decode(errors="replace").replace("\r\n", "\n").split("\n")
    headers = [number for number, line in enumerate(lines) if _HEADER.match(line)]
    marked = any(line.startswith("> ") and line.endswith(_BREAK) for line in lines)
    parts = [
        _Session(lines[a:b], a + 1, marked=marked) for a, b in pairwise([*headers, len(lines)])
    ]
    asked = [session for session in parts if session.replies]
    results = dict_or_empty(file.beside(RESULTS)) if asked else {}
    for session in asked:
        yield session.case(file, results if session is asked[-1] else {})


class _Session:
    """One session of a history, block by block."""

    def __init__(self, lines: list[str], line: int, *, marked: bool) -> None:
        header = _HEADER.match(lines[0])
        self.replies = 0
        self._line = line
        self._started = seconds(header[1]) if header else None
        self._transcript = Transcript()
        self._asked = False
        self._edits: list[FoundCall] = []
        self._counts: list[dict[str, int]] = []
        self._cost: float | None = None
        self._model: str | None = None
        self._gave_up: str | None = None
        self._answer: str | None = None
        for speaker, text in _blocks(lines[1:], marked=marked):
            {"user": self._user, "model": self._reply, "aider": self._notice}[speaker](text)

    def _user(self, text: str) -> None:
        command, _, question = text.partition(" ")
        is_question = command in _QUESTIONS and bool(question.strip())
        if text.startswith(("/", "!")) and not is_question:
            self._transcript.system(text)
        elif text and text != "<blank>":
            self._asked, self._answer, self._gave_up = True, None, None
            self._transcript.user(question.strip() if is_question else text)

    def _reply(self, text: str) -> None:
        if not self._asked or not text:
            return
        self.replies += 1
        self._answer = text
        self._transcript.end_reply()
        self._transcript.say(text)
        path = ""
        self._edits = []
        for found in _EDIT.finditer(text):
            above = found[1].strip().strip(' \t`*:#"')
            path = path if _FENCE.fullmatch(found[1].strip()) or not above else above
            sent = {"path": path, "search": found[2][:-1], "replace": found[3][:-1]}
            self._edits.append(self._call("edit", sent))

    def _call(self, tool: str, sent: dict[str, Any]) -> FoundCall:
        number = len(self._transcript.run.calls) + 1
        call = FoundCall(tool, sent, call_id=f"{tool}-{number}", sign="text")
        self._transcript.call(call)
        return call

    def _notice(self, text: str) -> None:
        lines = text.split("\n")
        for line in lines:
            model, cost = _MODEL.match(line), _COST.search(line)
            self._model = model[1] if model else self._model
            self._cost = (values.amount(cost[1].replace(",", "")) if cost else None) or self._cost
            if line.startswith("Tokens:"):
                found = _COUNTED.findall(line)
                self._counts.append(
                    {_COUNTS[k]: round(_number(n) * _UNITS[u]) for n, u, k in found}
                )
        if not self.replies:
            return
        gave_up = _GAVE_UP.search(text)
        self._gave_up = gave_up[0] if gave_up else self._gave_up
        self._end_edits(text, lines)
        self._commands(lines)
        self._transcript.system(text)

    def _end_edits(self, text: str, lines: list[str]) -> None:
        """What came of the edits of the last reply, and of those that only Aider saw."""
        failed = {match[1].strip() for match in _NOT_MATCHED.finditer(text)}
        for line in lines:
            if line.startswith(_APPLIED):
                path = line.removeprefix(_APPLIED)
                found = [c for c in self._edits if c.arguments["path"] == path and not c.has_result]
                for call in found or [self._call("edit", {"path": path})]:
                    self._transcript.result(call.call_id, line, reported_success=True)
            failed |= {line[len(mark) :] for mark in _LEFT_ALONE if line.startswith(mark)}
        for call in self._edits:
            if call.arguments["path"] in failed and not call.has_result:
                why = f"the edit does not fit {call.arguments['path']}"
                self._transcript.result(
                    call.call_id, why, reported_success=False, error_message=why
                )

    def _commands(self, lines: list[str]) -> None:
        """The commands that the model wanted to run; what they printed is not kept."""
        for number, line in enumerate(lines):
            allowed = line.rpartition(":")[2].strip().lower().startswith(("y", "a", "d"))
            if line.startswith(_ASKED) and not allowed:
                call = self._call("run_command", {"command": lines[number - 1] if number else ""})
                why = "the user did not let it run"
                self._transcript.result(
                    call.call_id, why, reported_success=False, error_message=why
                )
            elif line.startswith(_RUNNING):
                self._call("run_command", {"command": line.removeprefix(_RUNNING)})

    def case(self, file: File, results: dict[str, Any]) -> AgentTestCase:
        """The run of the session; a benchmark wrote its verdict beside the last one."""
        counts = values.usage_of(self._counts)
        cost = values.amount(results.get("cost"))
        tried = results.get("tests_outcomes")
        outcome = None
        if isinstance(tried, list) and tried:
            outcome = RunOutcome(success=tried[-1] is True, decided_by="the benchmark's tests")
        elif self._gave_up:
            outcome = RunOutcome(success=False, decided_by=NAME, reason=self._gave_up)
        return to_case(
            self._transcript.run,
            actual_output=self._answer,
            run_id=stable_id(NAME, *place_id(file.name, self._line)),
            task_id=values.text(results.get("testcase")),
            model=self._model or values.text(results.get("model")),
            framework=NAME,
            usage=values.usage({**counts, "cost_usd": self._cost if cost is None else cost}),
            outcome=outcome,
            started_at=self._started,
            source=Source(file.name, NAME, self._line),
        )


def _number(written: str) -> float:
    return values.number(written.replace(",", "").rstrip(".")) or 0.0


def _blocks(lines: list[str], *, marked: bool) -> Iterator[tuple[str, str]]:
    """The lines of each speaker in a row; unmarked files count any heading and quotation."""
    speaker, gathered, last = "", list[str](), ""
    for line in lines:
        now = _speaker(line, speaker, last, marked=marked)
        if now != speaker and gathered:
            yield speaker, "\n".join(gathered).strip()
            gathered = []
        speaker, last = now, line
        if speaker:
            mark = {"user": _HEADING, "aider": _QUOTED}.get(speaker)
            gathered.append(line.removeprefix(mark).removeprefix(" ").rstrip() if mark else line)
    if gathered:
        yield speaker, "\n".join(gathered).strip()


def _speaker(line: str, speaker: str, last: str, *, marked: bool) -> str:
    is_own = line.endswith(_BREAK) or not marked
    if is_own and line.startswith(_HEADING):
        return "user"
    if line.startswith(_QUOTED) and (is_own or speaker == "aider"):
        return "aider"
    # A notice of several lines is quoted in its first one, and ends in blanks in its last.
    if speaker == "aider" and not last.endswith(_BREAK) and marked:
        return "aider"
    return "model" if line.strip() or speaker == "model" else ""


def _launches(file: File) -> Iterator[AgentTestCase | Unreadable]:
    launches: list[list[Document]] = [[]]
    for item in file.documents():
        if isinstance(item, Unreadable):
            yield item
            continue
        if dict_or_empty(item.value).get("event") == "launched":
            launches.append([])
        launches[-1].append(item)
    for launch in launches:
        events = [dict_or_empty(item.value) for item in launch]
        sent = [
            dict_or_empty(e.get("properties")) for e in events if e.get("event") == "message_send"
        ]
        times = [at for event in events if (at := seconds(event.get("time"))) is not None]
        if not sent:
            continue
        costs = [cost for said in sent if (cost := values.amount(said.get("cost"))) is not None]
        yield to_case(
            Transcript().run,
            run_id=stable_id(NAME, *place_id(file.name, launch[0].position)),
            model=values.text(sent[-1].get("main_model")),
            framework=NAME,
            usage=values.usage({**values.usage_of(sent), "cost_usd": sum(costs) or None}),
            total_rounds=len(sent),
            started_at=min(times, default=None),
            ended_at=max(times, default=None),
            source=Source(file.name, NAME, launch[0].position),
        )


AIDER = Aider()
