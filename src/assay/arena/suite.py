"""A suite: tasks of one or more prompts each, and what the agents are given to do them."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import yaml
from msgspec import Struct

from assay.agents.protocol import INSTRUCTIONS
from assay.agents.weather.tools import INSTRUCTIONS as WEATHER_INSTRUCTIONS
from assay.errors import InvalidRecord, UnknownName
from assay.json_values import json_value

BUNDLED = ("weather",)
_MOST_TASKS = 10_000
_LONGEST_FILE = 20_000_000
_SUFFIXES = frozenset({".yaml", ".yml", ".json"})
_MOST_NEAR = 20


Tools = Literal["weather", "none"]


class Task(Struct, frozen=True, forbid_unknown_fields=True):
    """What is asked, turn by turn, in one conversation."""

    id: str
    turns: list[str]


class Suite(Struct, frozen=True, forbid_unknown_fields=True):
    """The tasks of a suite; `tools` are the weather assistant's, or those of MCP servers alone."""

    name: str
    tasks: list[Task]
    tools: Tools = "none"
    mcp_servers: str | None = None
    instructions: str | None = None

    @property
    def told(self) -> str:
        """The instructions that every agent gets."""
        usual = WEATHER_INSTRUCTIONS if self.tools == "weather" else INSTRUCTIONS
        return self.instructions or usual

    @property
    def digest(self) -> str:
        """The same for the same prompts: a changed suite is another suite."""
        return sha256(msgspec.json.encode(self)).hexdigest()[:12]


def load_suite(source: str | Path) -> Suite:
    """A suite from a YAML or JSON file, or a bundled one by name."""
    if isinstance(source, str) and source in BUNDLED:
        text = (files("assay.arena") / "suites" / f"{source}.yaml").read_text(encoding="utf-8")
        return read_suite(text, source)
    path = Path(source)
    if not path.exists():
        raise UnknownName("suite or file", str(source), _suites_near(path))
    try:
        if path.stat().st_size > _LONGEST_FILE:
            raise InvalidRecord(f"{path}: a suite of more than {_LONGEST_FILE:,} bytes")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise InvalidRecord(f"{path} cannot be read: {exc}") from exc
    return read_suite(text, str(path), path.parent)


def _suites_near(path: Path) -> list[str]:
    """What may have been meant: the bundled suites, and the files where it was looked for."""
    try:
        beside = [each for each in path.parent.iterdir() if each.suffix in _SUFFIXES]
    except OSError:
        beside = []
    return [*BUNDLED, *map(str, sorted(beside)[:_MOST_NEAR])]


def read_suite(text: str, where: str, folder: Path | None = None) -> Suite:
    """A suite from text; errors name the field. Paths in it start from its folder."""
    try:
        found = _parsed(text)
        suite = msgspec.convert(found, Suite)
    except yaml.YAMLError as exc:
        raise InvalidRecord(f"{where} is no YAML: {exc}") from exc
    except msgspec.ValidationError as exc:
        raise InvalidRecord(f"{where}: {exc}{_what_may_stand(str(exc))}") from exc
    json_value(found, where)
    _check(suite, where)
    if suite.mcp_servers is None or folder is None:
        return suite
    return msgspec.structs.replace(suite, mcp_servers=str(folder / suite.mcp_servers))


def _what_may_stand(problem: str) -> str:
    """The names there are, where one that is none was given."""
    if "enum value" in problem:
        return f". Known: {', '.join(get_args(Tools))}"
    if "unknown field" in problem:
        place = Task if "$.tasks" in problem else Suite
        return f". Known: {', '.join(place.__struct_fields__)}"
    return ""


def _parsed(text: str) -> Any:
    """JSON by its own rules: by those of YAML an escaped emoji is two halves of a character."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return yaml.safe_load(text)


def _check(suite: Suite, where: str) -> None:
    ids = [task.id for task in suite.tasks]
    twice = next((name for name in ids if ids.count(name) > 1), None)
    problems = (
        (not suite.tasks, "tasks: expected at least one"),
        (len(suite.tasks) > _MOST_TASKS, f"tasks: {len(ids)} are more than {_MOST_TASKS}"),
        (twice is not None, f"tasks: the id {twice!r} stands there twice"),
        (any(not task.turns for task in suite.tasks), "tasks: each needs at least one turn"),
    )
    for is_so, problem in problems:
        if is_so:
            raise InvalidRecord(f"{where}: {problem}")
