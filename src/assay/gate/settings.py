"""What `assay.yaml` and `[tool.assay]` may say; the published JSON Schema is made from this."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

Bound = Literal["interval", "value"]
Undecided = Literal["insufficient", "pass"]
MissingTasks = Literal["insufficient", "ignore"]

_BOUND = "interval: the whole interval must keep the limit (the default); value: the value alone"
_UNDECIDED = "what an interval on both sides of the limit gives: insufficient (the default) or pass"
_MIN_TASKS = "a whole number from 1: with fewer tasks there is no verdict (5)"
_MAX_MISSING = "a share from 0 to 1 of runs that may lack the value (0.1)"

_Share = Meta(ge=0, le=1)


class CheckSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of one quantity; at least one of min, max and margin."""

    min: Annotated[float | None, Meta(description="a number: the mean must not be below it")] = None
    max: Annotated[float | None, Meta(description="a number: the mean must not be above it")] = None
    margin: Annotated[
        Annotated[float, Meta(ge=0)] | Annotated[str, Meta(pattern=r"^[0-9]+(\.[0-9]+)?%$")] | None,
        Meta(
            description="a number from 0, or a share of the baseline's mean such as 10%: "
            "so much worse than the baseline it may be"
        ),
    ] = None
    bound: Annotated[Bound | None, Meta(description=_BOUND)] = None
    undecided: Annotated[Undecided | None, Meta(description=_UNDECIDED)] = None
    min_tasks: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description=_MIN_TASKS)] = None
    max_missing: Annotated[Annotated[float, _Share] | None, Meta(description=_MAX_MISSING)] = None


class GateSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What is gated, and how strictly; a check may say otherwise for itself."""

    checks: Annotated[
        dict[str, CheckSettings],
        Meta(
            description="limits by quantity: success, outcome_score, pass^k, pass@k, "
            "failed_call_share, model_failure_share, server_failure_share, "
            "environment_failure_share, unknown_failure_share, cost_usd, seconds, tokens, "
            "or the name of a metric in the store"
        ),
    ] = field(default_factory=dict)
    baseline: Annotated[
        str | None,
        Meta(description="a baseline file or a store, as a path from this file"),
    ] = None
    level: Annotated[
        float, Meta(gt=0.5, lt=1, description="a share above 0.5 and below 1: of the intervals")
    ] = 0.95
    bound: Annotated[Bound, Meta(description=_BOUND)] = "interval"
    undecided: Annotated[Undecided, Meta(description=_UNDECIDED)] = "insufficient"
    min_tasks: Annotated[int, Meta(ge=1, description=_MIN_TASKS)] = 5
    max_missing: Annotated[float, Meta(ge=0, le=1, description=_MAX_MISSING)] = 0.1
    missing_tasks: Annotated[
        MissingTasks,
        Meta(
            description="what tasks that only the baseline has give: insufficient (the default) "
            "or ignore"
        ),
    ] = "insufficient"


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of assay for one project."""

    store: Annotated[
        str | None, Meta(description="the store to look at, as a path from this file")
    ] = None
    judge: Annotated[
        str | dict[str, Any] | None,
        Meta(description="the judge of metrics that ask one: a name, or a table of its settings"),
    ] = None
    gate: Annotated[GateSettings, Meta(description="the limits of `assay gate`")] = field(
        default_factory=GateSettings
    )


def settings_schema() -> dict[str, Any]:
    """The JSON Schema of the settings, for editors and for our own checks."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "assay.yaml, or [tool.assay] of pyproject.toml",
        **msgspec.json.schema(Settings),
    }


def schema_text() -> str:
    """The schema as the file that is published."""
    return msgspec.json.format(msgspec.json.encode(settings_schema()), indent=2).decode() + "\n"
