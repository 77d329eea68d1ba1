"""SWE-agent and mini-swe-agent: typed commands and what came of them."""

from __future__ import annotations

import re
from collections import deque
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.readers import values
from assay.readers.documents import Unreadable, unexpected
from assay.readers.engine import FoundCall, to_case
from assay.readers.paths import opened
from assay.readers.special.transcript import Transcript
from assay.readers.values import (
    count,
    decode_arguments,
    dict_or_empty,
    objects_in,
    place_id,
    seconds,
    stable_id,
)
from assay.run import RunOutcome, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.readers.files.file import File
    from assay.test_case import AgentTestCase

NAME = "swe-agent"
MINI = "mini-swe-agent"
SHELL = "bash"
# The commands that SWE-agent gives the model besides the shell's own.
COMMANDS = frozenset(
    {
        *("open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "append"),
        *("search_dir", "search_file", "find_file", "filemap", "str_replace_editor"),
        *("submit", "exit_forfeit", "exit_cost", "exit_context", "exit_format", "exit_error"),
        *("connect_start", "connect_sendline", "connect_exec", "connect_stop"),
        *("debug_start", "debug_add_breakpoint", "debug_continue", "debug_step", "debug_exec"),
        *("debug_stop", "decompile", "disassemble", "view_image"),
    }
)
_WORD = re.compile(r"\s*([A-Za-z_][\w-]{0,60})")
_RETURN_CODE = re.compile(
    r"(?:<exception>.{0,2000}?</exception>\s*)?<returncode>(-?\d{1,10})</returncode>", re.DOTALL
)
# The command by which mini-swe-agent is told that the work is done, and what it notes of it.
SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
NOT_EXECUTED = "action was not executed"
FENCES = ("```mswea_bash_command", "```bash")

_TYPED_ACTION = re.compile(r"\s{0,9}\w{1,100}\[.{0,2000}\]\s{0,9}", re.DOTALL)
# What steps and messages of SWE-agent have together.
OWN_MARKS = (
    frozenset({"action", "observation", "response"}),
    frozenset({"action", "thought", "agent"}),
)


def _is_own(value: Any) -> bool:
    if isinstance(value, list):
        return _is_mini_list(value)
    if not isinstance(value, dict):
        return False
    if str(value.get("trajectory_format", "")).startswith(MINI):
        return True
    steps = objects_in(value.get("trajectory")) or objects_in(value.get("history"))
    if any(step.keys() >= marks for step in steps for marks in OWN_MARKS):
        return True
    seen = [step for step in steps if {"action", "observation"} <= step.keys()]
    # An action that has its input in brackets is a tool's, and no command.
    return any(not _TYPED_ACTION.fullmatch(str(step["action"])[:2000]) for step in seen)


def _is_mini_list(messages: list[Any]) -> bool:
    """Whether commands stand in fences and answers carry a return code, as mini writes them."""
    spoken = [message for message in objects_in(messages) if message.get("role") == "assistant"]
    return bool(spoken) and any(
        return_code(_words(message.get("content"))) is not None for message in objects_in(messages)
    )


def _read(file: File) -> Iterator[AgentTestCase | Unreadable]:
    for document in file.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        value = document.value
        if isinstance(value, list):
            yield _mini_case({"messages": value}, file)
        elif isinstance(value, dict) and "messages" in value:
            yield _mini_case(value, file)
        elif isinstance(value, dict) and (value.get("trajectory") or value.get("history")):
            yield _case(value, file)
        else:
            yield unexpected(
                file.name, value, "a SWE-agent trajectory or history", document.position
            )


def _case(value: dict[str, Any], file: File) -> AgentTestCase:
    history = objects_in(value.get("history"))
    steps = objects_in(value.get("trajectory")) or _steps_of(history)
    transcript = Transcript()
    _add_opening(transcript, history)
    asked = deque(message for message in history if message.get("role") == "assistant")
    for step in steps:
        is_told = bool(asked) and asked[0].get("action") == step.get("action")
        _add_step(transcript, step, asked.popleft() if is_told else {})
    return _finished(transcript, value, NAME, file)


def _steps_of(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Steps put together from messages, for files that hold nothing else."""
    steps: list[dict[str, Any]] = []
    for message in history:
        if message.get("role") == "assistant":
            steps.append({"action": message.get("action"), "thought": message.get("thought")})
        elif steps and _text(message, "role") in {"user", "tool"}:
            steps[-1].setdefault("observation", _words(message.get("content")))
    return steps


def _add_opening(transcript: Transcript, history: list[dict[str, Any]]) -> None:
    """What the model was told before its first step; a demonstration is no question."""
    for message in history:
        if message.get("role") == "assistant":
            return
        if message.get("role") == "user" and not message.get("is_demo"):
            transcript.user(message.get("content"))
        else:
            transcript.system(message.get("content"))


def _add_step(transcript: Transcript, step: dict[str, Any], asked: dict[str, Any]) -> None:
    words = _text(step, "thought") or _text(step, "response")
    sent = objects_in(asked.get("tool_calls"))
    calls = [_sent_call(call) for call in sent] or _typed_calls(step.get("action"))
    transcript.assistant(words, calls)
    for call in calls:
        # A step has one observation, whatever it called.
        transcript.result(call.call_id, step.get("observation"), tool=call.tool)


def _sent_call(sent: dict[str, Any]) -> FoundCall:
    function = dict_or_empty(sent.get("function"))
    return FoundCall(
        tool=str(function.get("name") or ""),
        arguments=decode_arguments(function.get("arguments")),
        call_id=_text(sent, "id"),
    )


def _typed_calls(action: object) -> list[FoundCall]:
    command = _words(action)
    if not command.strip():
        return []
    call = command_call(command)
    return [FoundCall(call["name"], call["arguments"])]


def _mini_case(value: dict[str, Any], file: File) -> AgentTestCase:
    transcript = Transcript()
    waiting: list[FoundCall] = []
    for message in objects_in(value.get("messages")):
        about = dict_or_empty(message.get("extra"))
        role = _text(message, "role")
        if role == "assistant":
            waiting = _mini_calls(message, about)
            transcript.assistant(message.get("content"), waiting)
        elif role in {"user", "tool"} and waiting:
            _add_observation(transcript, waiting.pop(0), message, about)
        elif role == "user":
            transcript.user(message.get("content"))
        else:
            transcript.system(message.get("content"))
    return _finished(transcript, value, MINI, file)


def _mini_calls(message: dict[str, Any], about: dict[str, Any]) -> list[FoundCall]:
    at = seconds(about.get("timestamp"))
    sent = [_sent_call(call) for call in objects_in(message.get("tool_calls"))]
    actions = [action.get("command") for action in objects_in(about.get("actions"))]
    commands = actions or _fenced(_words(message.get("content")))
    calls = sent or [FoundCall(SHELL, {"command": text}) for text in commands]
    for call in calls:
        call.started_at = at
    return calls


def _fenced(words: str) -> list[str]:
    """The command between fences; several of them are refused by the agent and run none."""
    for fence in FENCES:
        start = words.find(fence)
        end = words.find("```", start + len(fence))
        if start >= 0 and end >= 0:
            return [] if words.find(fence, end) >= 0 else [words[start + len(fence) : end].strip()]
    return []


def _add_observation(
    transcript: Transcript, call: FoundCall, message: dict[str, Any], about: dict[str, Any]
) -> None:
    if _text(about, "exception_info") == NOT_EXECUTED and _submits(call):
        return  # it was run and ended the run: what it submitted is the answer
    words = _words(message.get("content"))
    said = return_code(words)
    code = count(about.get("returncode")) if said is None else said
    success = None if code is None else code == 0
    raised = _text(about, "exception_info")
    transcript.result(
        call.call_id,
        message.get("content"),
        reported_success=success,
        error_message=(raised or words) if success is False else None,
        ended_at=seconds(about.get("timestamp")),
        tool=call.tool,
    )


def _submits(call: FoundCall) -> bool:
    return SUBMIT in _words(dict_or_empty(call.arguments).get("command"))


def _finished(
    transcript: Transcript, value: dict[str, Any], framework: str, file: File
) -> AgentTestCase:
    info = dict_or_empty(value.get("info"))
    replayed = value.get("replay_config")
    replayed = opened(replayed) if isinstance(replayed, str) else replayed
    config = dict_or_empty(info.get("config")) or dict_or_empty(replayed)
    submission = _text(info, "submission")
    kept = {key: info.get(key) for key in ("exit_status", "swe_agent_version", "mini_version")}
    return to_case(
        transcript.run,
        actual_output=submission,
        run_id=stable_id(NAME, *place_id(file.name, None)),
        task_id=_task(value, file),
        model=_model(config),
        framework=framework,
        usage=_usage(value, dict_or_empty(info.get("model_stats"))),
        outcome=_outcome(value),
        source=Source(file.name, NAME),
        extra={key: given for key, given in kept.items() if given},
    )


def _task(value: dict[str, Any], file: File) -> str:
    """The instance, which files carry in their name."""
    stem = PurePath(file.name).name.removesuffix(".json").removesuffix(".traj")
    told = (_text(place, "instance_id") for place in (value, dict_or_empty(value.get("info"))))
    return next(filter(None, told), stem)


def _model(config: dict[str, Any]) -> str | None:
    agent = dict_or_empty(config.get("agent"))
    places = (config.get("model"), agent.get("model"), agent)
    named = (dict_or_empty(place).get(key) for place in places for key in ("model_name", "name"))
    return next((name for name in named if isinstance(name, str) and name), None)


def _usage(value: dict[str, Any], stats: dict[str, Any]) -> Usage | None:
    """What the statistics say; a replay asks no model and reports zeros for unknown."""
    sent, received = stats.get("tokens_sent"), stats.get("tokens_received")
    reports: list[object] = [{"input_tokens": sent, "output_tokens": received}] if sent else []
    counts = values.usage_of(reports or _responses(objects_in(value.get("messages"))))
    cost = values.amount(stats.get("instance_cost")) or None
    return values.usage({**counts, "cost_usd": cost})


def _outcome(value: dict[str, Any]) -> RunOutcome | None:
    """The verdict that a published row has beside its trajectory."""
    keys = ("success", "resolved", "is_resolved", *(("target",) if "exit_status" in value else ()))
    known = ((key, values.truth(value.get(key))) for key in keys)
    found = next(((key, verdict) for key, verdict in known if verdict is not None), None)
    return None if found is None else RunOutcome(found[1], decided_by=f"the file's {found[0]!r}")


def _responses(messages: Iterable[dict[str, Any]]) -> Iterator[object]:
    for message in messages:
        response = dict_or_empty(dict_or_empty(message.get("extra")).get("response"))
        yield response.get("usage")


def command_call(command: str) -> dict[str, Any]:
    """A typed command as a call: one of SWE-agent's own by its name, any other of the shell."""
    word = _WORD.match(command)
    tool = word[1] if word and word[1] in COMMANDS else SHELL
    return {"name": tool, "arguments": {"command": command}}


def return_code(words: str) -> int | None:
    """The return code that mini-swe-agent writes before what a command printed."""
    said = _RETURN_CODE.match(words)
    return int(said[1]) if said else None


def _words(content: object) -> str:
    return values.text(content) or ""


def _text(value: dict[str, Any], key: str) -> str | None:
    return values.text_or_none(value.get(key))


class SweAgent(Struct, frozen=True):
    """Trajectories of SWE-agent and mini-swe-agent."""

    name: str = NAME
    title: str = "SWE-agent .traj and mini-swe-agent .traj.json files"
    cannot: str = "Servers, tool schemas, success of commands (mini has return codes), the outcome."

    def matches(self, file: File) -> bool:
        """Whether the first values look like it."""
        head = file.head()
        return len(head) == 1 and _is_own(head[0])

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """The runs of a file."""
        yield from _read(file)


SWE_AGENT = SweAgent()
