"""Settings from `assay.yaml` or `pyproject.toml`; what is wrong is named by key and value."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import msgspec
import yaml
from msgspec import Struct

from assay.errors import InvalidSettings
from assay.gate.settings import CheckSettings, Settings, settings_schema
from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_YAML_NAMES = ("assay.yaml", "assay.yml")
_PYPROJECT = "pyproject.toml"


class FoundSettings(Struct, frozen=True):
    """Settings and the file they stand in; its folder is where their paths start."""

    settings: Settings
    path: Path | None = None

    def place(self, name: str) -> Path:
        """A path of the settings, seen from here."""
        return Path(name) if self.path is None else self.path.parent / name


def find_settings(folder: str | Path = ".") -> FoundSettings:
    """The settings of a folder: `assay.yaml`, else `[tool.assay]`, else none at all."""
    for name in _YAML_NAMES:
        if (path := Path(folder) / name).is_file():
            return read_settings(path)
    path = Path(folder) / _PYPROJECT
    if path.is_file() and (said := _pyproject(path)) is not None:
        return FoundSettings(settings_of(said, f"{path} [tool.assay]"), path)
    return FoundSettings(Settings())


def read_settings(path: str | Path) -> FoundSettings:
    """The settings in a file: YAML, JSON, or a `pyproject.toml` with a table `[tool.assay]`."""
    path = Path(path)
    if path.suffix != ".toml":
        return FoundSettings(settings_of(_decoded(path, _yaml) or {}, str(path)), path)
    said = _pyproject(path)
    if said is None:
        raise InvalidSettings(f"{path} has no table [tool.assay]")
    return FoundSettings(settings_of(said, f"{path} [tool.assay]"), path)


def _pyproject(path: Path) -> Any:
    said: Any = _decoded(path, tomllib.loads)
    return said.get("tool", {}).get("assay")


def _decoded(path: Path, decode: Callable[[str], Any]) -> Any:
    try:
        return decode(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise InvalidSettings(f"{path} cannot be read: {exc.strerror}") from exc
    except (ValueError, yaml.YAMLError) as exc:
        raise InvalidSettings(f"{path}: {' '.join(str(exc).split())}") from exc


def _yaml(text: str) -> Any:
    return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader


class _Loader(yaml.SafeLoader):
    """A safe loader that lets nobody say a thing twice: the first would be lost."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    found: dict[Any, Any] = loader.construct_mapping(node, deep=True)
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key: Any = loader.construct_object(key_node)
        if key in seen:
            line = key_node.start_mark.line + 1
            raise InvalidSettings(f"line {line}: {key!r} is said twice; keep one")
        seen.add(key)
    return found


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def settings_of(said: Any, where: str) -> Settings:
    """Settings from plain values; `where` is what an error names."""
    said = msgspec.to_builtins(said, str_keys=True)
    problem = next(_validator().iter_errors(said), None)
    if problem is not None:
        raise InvalidSettings(f"{where}: {_told(problem)}")
    settings = msgspec.convert(said, Settings)
    for name, check in settings.gate.checks.items():
        _check_limits(check, f"{where}: gate.checks.{name}")
    return settings


def _check_limits(check: CheckSettings, key: str) -> None:
    """What a schema cannot say of one check."""
    if check.min is check.max is check.margin is None:
        raise InvalidSettings(f"{key} limits nothing; give it min, max or margin")
    if check.min is not None and check.max is not None and check.min > check.max:
        raise InvalidSettings(f"{key}: min {check.min:g} is above max {check.max:g}")


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(settings_schema())


def _told(problem: jsonschema_rs.ValidationError) -> str:
    """The key, its value and what is allowed, in a sentence."""
    key = ".".join(map(str, problem.instance_path))
    said = _part(settings_schema(), problem.schema_path[:-1])
    if isinstance(problem.kind, jsonschema_rs.ValidationErrorKind.AdditionalProperties):
        unknown = problem.kind.unexpected[0]
        known = sorted(said["properties"])
        close = get_close_matches(unknown, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"
        return f"there is no key {'.'.join(filter(None, (key, unknown)))}; {hint}"
    allowed = said.get("description") or problem.message
    if "properties" in said:
        allowed = f"keys and values ({', '.join(said['properties'])})"
    return f"{key or 'all of it'} is {preview(problem.instance)}; expected {allowed}"


def _part(schema: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        schema = schema[step]
    return schema
