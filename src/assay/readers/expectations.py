"""A suite of expectations as a file: what each task expects, in JSON or YAML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml

from assay.errors import InvalidRecord, NotJson, UnknownName
from assay.expectation import Expectations
from assay.json_values import json_value
from assay.readers.documents import Unreadable, decode_json
from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assay.test_case import AgentTestCase

# Cases, or what a reading brings: cases, and what stands in the place of others.
_Read = TypeVar("_Read", bound="AgentTestCase | Unreadable")
SUFFIXES = (".json", ".yaml", ".yml")
_TIMESTAMP = "tag:yaml.org,2002:timestamp"


class _Loader(yaml.SafeLoader):
    """Reads YAML, and leaves a date the text it is: JSON has no dates."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - the base class's form
        first: [(tag, form) for tag, form in forms if tag != _TIMESTAMP]
        for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def read_expectations(path: str | Path) -> dict[str, Expectations]:
    """The expectations of a suite file by task id; errors name the file, the task and the field."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise UnknownName("form of expectations", path.suffix or path.name, SUFFIXES)
    try:
        return _by_task(_decoded(path))
    except OSError as exc:
        raise InvalidRecord(f"{path} cannot be read: {exc.strerror}") from exc
    except (InvalidRecord, NotJson) as exc:
        raise InvalidRecord(f"{path}: {exc}") from exc


def with_expectations(
    cases: Iterable[_Read], expected: Mapping[str, Expectations]
) -> Iterator[_Read]:
    """The cases one after the other, each with what its task expects.

    Others are left alone, and so is what could not be read.
    """
    for case in cases:
        if not isinstance(case, Unreadable) and case.task_id is not None:
            case.expected_effects = expected.get(case.task_id, case.expected_effects)
        yield case


def _by_task(content: Any) -> dict[str, Expectations]:
    if not isinstance(content, dict):
        raise InvalidRecord(f"expected task ids with expectations, got {preview(content)}")
    return {task: Expectations.from_dict(one, task) for task, one in content.items()}


def _decoded(path: Path) -> Any:
    text = path.read_bytes()
    if path.suffix.lower() == ".json":
        return decode_json(text)
    try:
        content = yaml.load(text, _Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as exc:
        raise InvalidRecord(f"not YAML: {' '.join(str(exc).split())}") from exc
    if isinstance(content, dict):
        # Task ids are often numbers, which YAML reads as such.
        content = {str(task): one for task, one in content.items()}
    return json_value(content, "the file")
