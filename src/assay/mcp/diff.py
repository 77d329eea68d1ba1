"""What changed between two servers, and which recorded calls the new one would refuse."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jsonschema_rs
import msgspec
from msgspec import Struct

from assay import Store, Unreadable, read_runs
from assay.errors import InvalidRecord, NotAStore
from assay.mcp.client import Client
from assay.mcp.contract import (
    LEVELS,
    Change,
    Level,
    compare_tools,
    contract_hash,
    names_a_file,
    read_tool_list,
)
from assay.mcp.frames import MASKED, parse_any, read_recording, recorded_calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assay import AgentTestCase
    from assay.mcp.contract import Tool

_PATTERNS = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)


class Call(NamedTuple):
    """A call that somebody once made: where it is recorded, and of what."""

    place: str
    tool: str
    arguments: Any


class Refused(Struct, frozen=True):
    """A recorded call that the old contract took and the new one does not."""

    place: str
    tool: str
    why: str


class Diff(Struct, frozen=True):
    """What changed, worst first; of the calls only those count that the old contract took."""

    old_hash: str
    new_hash: str
    changes: tuple[Change, ...]
    calls: int = 0
    refused: tuple[Refused, ...] = ()
    undecided: int = 0
    """Calls that would be refused as they are recorded, with a masked secret in them."""

    @property
    def level(self) -> Level:
        """The worst there is."""
        levels = [change.level for change in self.changes]
        if self.refused:
            return "breaking"
        return min(levels, key=LEVELS.index, default="fine")

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values, the verdict first."""
        return {"level": self.level, "sentence": self.sentence(), **msgspec.to_builtins(self)}

    def sentence(self) -> str:
        """All of it in one line."""
        if self.old_hash == self.new_hash:
            changed = f"Same contract ({self.new_hash})"
        else:
            counts = [(sum(c.level == each for c in self.changes), each) for each in LEVELS]
            told = ", ".join(f"{n} {_SPOKEN.get(level, level)}" for n, level in counts if n)
            changed = f"{self.old_hash} to {self.new_hash}: {told or 'nothing that binds'}"
        if not self.calls:
            return f"{changed}."
        return f"{changed}. {len(self.refused)} of {self.calls} recorded calls would be refused."


_SPOKEN = {"unstated": "that the old contract said nothing of"}


def diff(old: Sequence[Tool], new: Sequence[Tool], calls: Iterable[Call] = ()) -> Diff:
    """Compare two lists of tools, and hold recorded calls against the new one."""
    accepts_old, accepts_new = _Acceptance(old), _Acceptance(new)
    refused, undecided, counted = [], 0, 0
    for call in calls:
        if accepts_old.refusal(call) is not None:
            continue
        counted += 1
        why = accepts_new.refusal(call)
        if why is not None and MASKED.search(msgspec.json.encode(call.arguments).decode()):
            undecided += 1
        elif why is not None:
            refused.append(Refused(call.place, call.tool, why))
    return Diff(
        contract_hash(old),
        contract_hash(new),
        tuple(compare_tools(old, new)),
        counted,
        tuple(refused),
        undecided,
    )


def tools_of(target: str, headers: Mapping[str, str] | None = None) -> list[Tool]:
    """The tools of a file (a recording or a list), an address, or a command."""
    if names_a_file(target):
        return read_tool_list(Path(target))
    with Client(target, headers=headers) as client:
        return client.tools()


def calls_of(path: Path) -> Iterator[Call]:
    """The calls in a recording, in a store, or in whatever else records runs."""
    with suppress(NotAStore):
        for key, case in Store(path).keyed_cases():
            yield from _calls_of(case, key[:10])
        return
    if path.is_file() and _is_recording(path):
        for exchange in recorded_calls(read_recording(path)):
            arguments = exchange.params.get("arguments")
            place = f"line {exchange.request.position}"
            yield Call(place, str(exchange.params.get("name")), arguments or {})
        return
    for item in read_runs(path):
        if isinstance(item, Unreadable):
            raise InvalidRecord(str(item))
        where = item.source.path if item.source else None
        yield from _calls_of(item, where or str(path))


def _calls_of(case: AgentTestCase, run: str) -> Iterator[Call]:
    made = case.execution_data.tool_executions if case.execution_data else []
    for number, call in enumerate(made, 1):
        yield Call(f"{run} call {number}", call.tool, call.parameters)


def _is_recording(path: Path) -> bool:
    with path.open("rb") as file:
        first = parse_any(file.readline())
    return isinstance(first, dict) and "direction" in first


class _Acceptance:
    """Which calls a list of tools takes."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._schemas = {str(tool.get("name")): tool.get("inputSchema") for tool in tools}
        self._validators: dict[str, Any] = {}

    def refusal(self, call: Call) -> str | None:
        """Why a call is refused; None where it is not, or where the schema cannot say."""
        if call.tool not in self._schemas:
            return "no such tool"
        if call.tool not in self._validators:
            self._validators[call.tool] = validator_of(self._schemas[call.tool])
        validator = self._validators[call.tool]
        if isinstance(validator, str):
            return None
        try:
            validator.validate(call.arguments)
        except jsonschema_rs.ValidationError as exc:
            place = "".join(f"{step}: " for step in map(str, exc.instance_path))
            return f"{place}{exc.message[:200]}"
        except (ValueError, RecursionError):
            return None
        return None


def validator_of(schema: Any) -> Any:
    """What checks values against a schema, or what is wrong with the schema; fetches nothing."""
    try:
        return jsonschema_rs.validator_for(
            {} if schema is None else schema, pattern_options=_PATTERNS, offline=True
        )
    except (ValueError, TypeError, RecursionError) as exc:
        return str(exc).partition("\n")[0][:200]
