"""What has to be installed for some modules: their packages, all those need, and the bytes.

Only the lists that installers leave behind are read; nothing is imported.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_PACKAGES = 2_000
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[([^\]]*)\])?")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
_SEPARATORS = re.compile(r"[-_.]+")


class Installed(Struct, frozen=True):
    """The packages that something needs: direct ones by name, how many in all, and their bytes."""

    direct: tuple[str, ...]
    packages: int
    bytes: int


class _Need(Struct, frozen=True):
    name: str
    extras: frozenset[str] = frozenset()


def installed_for(modules: Iterable[str], requirements: Iterable[str] = ()) -> Installed | None:
    """What the modules and requirements take as installed here; None where one is missing.

    Requirements are written as for pip, "google-adk[openai]>=2": an import does not tell of
    packages that another one loads when it is asked to.
    """
    holders = [package_of(module) for module in modules]
    needs = [*(_Need(name) for name in holders if name), *_needs(requirements, frozenset())]
    if None in holders or any(_found(need.name) is None for need in needs):
        return None
    packages = _closure(needs)
    direct = tuple(sorted({need.name for need in needs}))
    return Installed(direct, len(packages), sum(map(_size, packages)))


def requirements_of(package: str, extra: str) -> list[str]:
    """What a package asks for beyond its base when it is installed with an extra."""
    lines = metadata.requires(package) or [] if _found(package) else []
    return [
        line.partition(";")[0]
        for line in lines
        if _normal(extra) in map(_normal, _EXTRA.findall(line))
    ]


def package_of(module: str) -> str | None:
    """The installed package that holds a module; None if none does."""
    parts = module.split(".")
    for depth in range(len(parts), 0, -1):
        stem = "/".join(parts[:depth])
        for name, record in _records().items():
            if f"\n{stem}/__init__.py," in record or f"\n{stem}.py," in record:
                return name
    return None


@cache
def _records() -> dict[str, str]:
    """What each installed package lists as its files."""
    found: dict[str, str] = {}
    for package in metadata.distributions():
        name = package.metadata["Name"]
        if name:
            found.setdefault(_normal(name), "\n" + (package.read_text("RECORD") or ""))
    return found


def _normal(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()


def _found(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def _closure(needs: Iterable[_Need]) -> set[str]:
    """The packages and all that they need here: what only other platforms need is not installed."""
    waiting, seen, names = list(needs), set[_Need](), set[str]()
    while waiting and len(names) < _MOST_PACKAGES:
        need = waiting.pop()
        package = None if need in seen else _found(need.name)
        seen.add(need)
        if package is not None:
            names.add(need.name)
            waiting.extend(_needs(package.requires or (), need.extras))
    return names


def _needs(requirements: Iterable[str], extras: frozenset[str]) -> Iterator[_Need]:
    for line in requirements:
        wanted = {_normal(name) for name in _EXTRA.findall(line)}
        match = _REQUIREMENT.match(line)
        if match and (not wanted or wanted & extras):
            asked = (name.strip() for name in (match[2] or "").split(","))
            yield _Need(_normal(match[1]), frozenset(_normal(name) for name in asked if name))


def _size(name: str) -> int:
    """The bytes of the files that a package lists; compiled ones have no size there."""
    rows = csv.reader(_records().get(name, "").splitlines())
    return sum(int(row[2]) for row in rows if len(row) > 2 and row[2].isdecimal())
