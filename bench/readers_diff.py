"""Two versions of assay read the same folders: what each finds, and which facts of runs agree.

    python -m bench.readers_diff OTHER_PYTHON FOLDER...

OTHER_PYTHON is an interpreter in which the other version is installed. A difference says that
somebody has to look, not who is right: `-v` shows the first of each kind.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple

FACTS = (
    *("format", "task_id", "attempt", "model", "framework", "session_id", "run_id", "input"),
    *("actual_output", "success", "score", "usage", "started_at", "ended_at", "tools", "messages"),
)
CALL_FACTS = (
    *("server", "call_id", "turn", "parent_id", "reported_success", "success"),
    *("started_at", "ended_at", "error_message"),
)
_SHOWN = 3
# Run by both interpreters, so it uses nothing but what both have.
_DUMP = """
import json, sys
from assay import AgentTestCase, read_runs
for run in read_runs(sys.argv[1]):
    if isinstance(run, AgentTestCase):
        outcome, usage, source = run.outcome, run.usage, run.source
        calls = [
            {"tool": c.tool, "arguments": c.parameters, "result": c.result}
            | {name: getattr(c, name) for name in sys.argv[2].split(",")}
            for c in run.calls
        ]
        facts = {"format": source.format, "calls": calls}
        facts["success"] = outcome.success if outcome else None
        facts["score"] = outcome.score if outcome else None
        facts["usage"] = usage.to_dict() if usage else None
        facts["tools"] = len(run.available_tools or ())
        facts["messages"] = len(run.conversation_history or ())
        for name in sys.argv[3].split(","):
            facts.setdefault(name, getattr(run, name, None))
        print(json.dumps([source.path, facts], default=str))
"""


class _Runs(NamedTuple):
    """The runs of one folder, by the file in which they stand."""

    by_file: dict[str, list[dict[str, Any]]]

    @property
    def all(self) -> list[dict[str, Any]]:
        return [run for runs in self.by_file.values() for run in runs]


class _Comparison:
    """What two versions found in one folder."""

    def __init__(self, old: _Runs, new: _Runs) -> None:
        self.old, self.new = old, new
        self.pairs: list[tuple[str, dict[str, Any], dict[str, Any]]] = []
        for file, runs in old.by_file.items():
            others = new.by_file.get(file, [])
            if len(others) == len(runs):
                self.pairs += [(file, *pair) for pair in zip(runs, others, strict=True)]
        self.equal: Counter[str] = Counter()
        self.shown: dict[str, list[str]] = defaultdict(list)
        self.calls = self.called = self.answered = 0
        for file, was, now in self.pairs:
            for fact in FACTS:
                self._compare(fact, file, was[fact], now[fact])
            self._compare_calls(file, was["calls"], now["calls"])

    def _compare(self, fact: str, file: str, was: Any, now: Any) -> bool:
        if was == now:
            self.equal[fact] += 1
            return True
        if len(self.shown[fact]) < _SHOWN:
            self.shown[fact].append(f"{file}: {str(was)[:90]!r} -> {str(now)[:90]!r}")
        return False

    def _compare_calls(self, file: str, was: list[Any], now: list[Any]) -> None:
        left = defaultdict(list)
        for call in now:
            left[_named(call)].append(call)
        for call in was:
            self.calls += 1
            if not left[_named(call)]:
                self._compare("call", file, _named(call), None)
                continue
            other = left[_named(call)].pop(0)
            self.called += 1
            self.answered += self._compare("result", file, call["result"], other["result"])
            for fact in CALL_FACTS:
                self._compare(f"call.{fact}", file, call[fact], other[fact])
        for more in left.values():
            for call in more:
                self._compare("more calls", file, None, _named(call))

    def lines(self, *, verbose: bool) -> list[str]:
        """What to print of it."""
        counts = [sum(len(run["calls"]) for run in runs.all) for runs in (self.old, self.new)]
        summary = (
            f"runs {len(self.old.all)} -> {len(self.new.all)}, {len(self.pairs)} compared;"
            f" calls {counts[0]} -> {counts[1]}; tool and arguments equal"
            f" {self.called}/{self.calls}, result {self.answered}/{self.called}"
        )
        found = [summary]
        differing = {
            fact: total - self.equal[fact]
            for fact, total in (
                *((fact, len(self.pairs)) for fact in FACTS),
                *((f"call.{fact}", self.called) for fact in CALL_FACTS),
            )
            if total != self.equal[fact]
        }
        if differing:
            found.append("differ: " + ", ".join(f"{k} {v}" for k, v in differing.items()))
        if verbose:
            found += [f"  {fact}: {line}" for fact in self.shown for line in self.shown[fact]]
        files = [
            f
            for f in self.old.by_file
            if len(self.new.by_file.get(f, ())) != len(self.old.by_file[f])
        ]
        found += [
            f"  {f}: {len(self.old.by_file[f])} -> {len(self.new.by_file.get(f, ()))} runs"
            for f in files[: 20 if verbose else _SHOWN]
        ]
        return found


def _named(call: dict[str, Any]) -> str:
    return json.dumps([call["tool"], call["arguments"]], sort_keys=True)[:500]


def read(python: str, folder: Path) -> _Runs:
    """The runs that one version finds in a folder."""
    command = [python, "-c", _DUMP, str(folder), ",".join(CALL_FACTS), ",".join(FACTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
    by_file: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in done.stdout.splitlines():
        path, run = json.loads(line)
        by_file[str(path).removeprefix(str(folder))].append(run)
    return _Runs(by_file)


def main(arguments: list[str]) -> None:
    """Compare the folders that are named."""
    verbose = "-v" in arguments
    other, *folders = [argument for argument in arguments if argument != "-v"]
    for folder in map(Path, folders):
        found = _Comparison(read(other, folder), read(sys.executable, folder))
        print(f"{folder.name}:", *found.lines(verbose=verbose), sep="\n  ")


if __name__ == "__main__":
    main(sys.argv[1:])
