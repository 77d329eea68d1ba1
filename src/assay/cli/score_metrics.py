"""The metrics that `assay score` was asked for, and what else decides their scores."""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import typer

from assay import __version__
from assay.errors import InvalidRecord, InvalidTools
from assay.judge.choosing import NO_JUDGE
from assay.metrics.catalogue import METRICS, metric_named
from assay.readers import decode_json

if TYPE_CHECKING:
    from assay.judge.session import JudgeSession
    from assay.metrics import Metric

_JUDGED = "mcp_tool"


class Instructions(NamedTuple):
    """What the user asked for: metrics by name, files of tools and expectations, and a judge."""

    names: tuple[str, ...]
    tools: Path | None
    expect: Path | None
    session: JudgeSession


class MadeMetric(NamedTuple):
    """A metric, who judges in it, and the options that decide its scores.

    None for a metric of the user's own: nobody knows when it has changed.
    """

    metric: Metric
    judge: str
    options: dict[str, Any] | None


def made_metrics(instructions: Instructions) -> list[MadeMetric]:
    """The metrics in the order they were asked for, each once."""
    definitions = None if instructions.tools is None else _read_tools_file(instructions.tools)
    if any(":" in name for name in instructions.names) and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))  # where a user's own metric most often lies
    found: dict[str, MadeMetric] = {}
    for name in dict.fromkeys(instructions.names):
        made = _made(name, definitions, instructions)
        if made.metric.name in found:
            problem = f"two are called {made.metric.name!r}"
            raise typer.BadParameter(problem, param_hint="--metric")
        found[made.metric.name] = made
    return list(found.values())


def _made(name: str, definitions: Any, instructions: Instructions) -> MadeMetric:
    session = instructions.session
    metric = _metric(name, definitions, session)
    if name not in METRICS:
        return MadeMetric(metric, "", None)
    options: dict[str, Any] = {"assay": __version__}
    if definitions is not None:
        options["tools"] = _digest(msgspec.json.encode(definitions))
    if instructions.expect is not None:
        options["expect"] = _digest(instructions.expect.read_bytes())
    if name != _JUDGED:
        return MadeMetric(metric, "", options)
    return MadeMetric(metric, session.name, options | session.options())


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:16]


def _metric(name: str, definitions: Any, session: JudgeSession) -> Metric:
    try:
        metric = metric_named(name, definitions, session.judge or NO_JUDGE)
    except TypeError as exc:
        raise typer.BadParameter(f"{name} cannot be made: {exc}", param_hint="--metric") from exc
    if not (isinstance(getattr(metric, "name", None), str) and hasattr(metric, "evaluate")):
        problem = f"{name} is no metric: it needs a name and an async evaluate(case)"
        raise typer.BadParameter(problem, param_hint="--metric")
    return metric


def _read_tools_file(path: Path) -> Any:
    try:
        return decode_json(path.read_bytes())
    except OSError as exc:
        raise InvalidTools(f"{path} cannot be read: {exc.strerror}") from exc
    except InvalidRecord as exc:
        raise InvalidTools(f"{path}: {exc}") from exc
