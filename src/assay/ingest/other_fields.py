"""What a recording tells beside what we ask, kept apart from our own fields.

Files name their facts as they like, and some as we do: `usage`, `outcome`, `attempt`. Beside our
own such a fact would be taken for ours, or the run could not be read back.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase

_PREFIX = "recorded_"
# Beside the fields of a case, in its text.
_VERSION = "schema_version"


def keep_apart(case: AgentTestCase) -> AgentTestCase:
    """Rename what else was told of a case and its parts where we have a field of that name.

    `usage` becomes `recorded_usage`. The case is changed in place, and returned.
    """
    for record in (case, case.execution_data, case.outcome, case.usage):
        if record is not None and record.extra:
            _keep_apart(record)
    for call in case.calls:
        if call.extra:
            _keep_apart(call)
    return case


def _keep_apart(record: Any) -> None:
    cls: Any = type(record)
    own, extra = _own_names(cls), record.extra
    if own.isdisjoint(extra):
        return
    kept: dict[Any, Any] = {key: value for key, value in extra.items() if key not in own}
    for key in sorted(own & extra.keys()):
        name = f"{_PREFIX}{key}"
        while name in kept or name in own:
            name = f"{_PREFIX}{name}"
        kept[name] = extra[key]
    record.extra = kept


@cache
def _own_names(cls: Any) -> frozenset[str]:
    return frozenset(field.name for field in fields(cls)) - {"extra"} | {_VERSION}
