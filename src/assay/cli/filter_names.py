"""Names that filters were given and nothing in a store bears: told, with the nearest there is."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.store import Store

_MOST_NAMED = 10
_MOST_COMPARED = 10_000


class _Names(NamedTuple):
    """What one such name is called, and every name of its kind in a store."""

    kind: str
    query: str


# By the filter's name, as `assay analyze` has it.
_KNOWN = {
    "models": _Names(
        "model",
        "SELECT folder_model AS name FROM runs UNION SELECT model FROM runs"
        " UNION SELECT model FROM evaluations UNION SELECT model FROM summaries",
    ),
    "tasks": _Names(
        "task", "SELECT task_id AS name FROM runs UNION SELECT task_id FROM evaluations"
    ),
    "servers": _Names("server", "SELECT DISTINCT server AS name FROM calls"),
    "tools": _Names("tool", "SELECT DISTINCT tool AS name FROM calls"),
}


def unknown_names(store: Store, filters: Mapping[str, Any]) -> Iterator[UnknownName]:
    """What is wrong with each name that nothing bears, upper and lower case aside."""
    for filter_name in _KNOWN:
        names = filters.get(filter_name) or ()
        known = _known(store, filter_name) if names else {}
        for name in names:
            if name.lower() not in known:
                yield _unknown(filter_name, name, known)


def unknown_name(store: Store, filter_name: str, name: str) -> UnknownName:
    """What to say of a name that no run bears: which may have been meant, or some there are."""
    known = _known(store, filter_name)
    return _unknown(filter_name, name, {each: known[each] for each in known if known[each] != name})


def _unknown(filter_name: str, name: str, known: dict[str, str]) -> UnknownName:
    listed = sorted(known)
    near = get_close_matches(name.lower(), listed[:_MOST_COMPARED], n=1)
    shown = [known[other] for other in near or listed[:_MOST_NAMED]]
    more = 0 if near else len(listed) - len(shown)
    return UnknownName(_KNOWN[filter_name].kind, name, shown or ["none"], more=more)


def _known(store: Store, filter_name: str) -> dict[str, str]:
    rows = store.query(_KNOWN[filter_name].query)
    return {row["name"].lower(): row["name"] for row in rows if row["name"]}
