"""What a field is for, by its name: what an agent may choose there, and what it must know."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.evidence.json_leaves import Leaf

SMALL = 10
# Numbers people choose for limits and page sizes, where the field says that it is one.
_ROUND = frozenset(
    {15, 20, 25, 30, 40, 50, 60, 64, 80, 100, 120, 128, 150, 200, 250, 256, 300, 365, 400, 500}
    | {512, 600, 800, 1000, 1024, 1500, 2000, 2048, 3000, 4096, 5000, 10_000, 20_000}
)
_LIMIT_FIELD = re.compile(
    r"(?:^|_)(?:limit|size|count|page|pages|max|min|maximum|minimum|top|offset|depth|timeout|num"
    r"|n|k|first|last|lines|width|height|days|hours|minutes|seconds|radius|retries|results|rows"
    r"|tokens|chars|length|skip|start|end|level|quality|threshold|delay|wait|ms|duration|interval"
    r"|tail|head)(?:_|$)"
)
# How much of something is brought at once says nothing about the matter, round or not.
_PORTION_FIELD = re.compile(
    r"(?:^|_)(?:top_?k|page|page_?size|page_?number|page_?limit|per_?page|batch_?size|timeout"
    r"|timeout_ms|max_(?:results|items|tokens|output_tokens|rows|count|length|pages|depth|chars)"
    r"|num_results|limit)$"
)
_ID_FIELD = re.compile(
    r"(?:^|_)(?:ids?|uuid|guid|key|code|ref|token|sha|hash|sku|email|phone|username"
    r"|owner|login|account)$|_(?:no|number)$"
)
_NAMING_FIELD = re.compile(
    r"(?:^|_)(?:name|title|summary|label|subject|description|comment|message|note|body|content"
    r"|text|reason)$"
)
_PLACE_FIELD = re.compile(
    r"(?:^|_)(?:path|file|filename|filepath|file_name|dir|directory|folder|destination|target)$"
)
_HOUR_FIELD = re.compile(r"hour|time|(?:^|_)(?:start|end|from|to|at|until)(?:_|$)|stunde|时|点")
_CODE_FILE = re.compile(
    r".{0,400}\.(?:py|ipynb|jsx?|mjs|tsx?|vue|svelte|html?|css|scss|java|kt|go|rs|c|cc|cpp|h|hpp|cs"
    r"|rb|php|swift|sh|bash|ps1|sql|exs?|erl|hs|scala|lua|pl|r|jl|dart|tf|dockerfile|toml|ya?ml)",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def is_trivial(size: float, field: str) -> bool:
    """Whether a number says nothing: a small one, or a usual size in a field for sizes."""
    if not size.is_integer():
        return size < 1 and (10 * size).is_integer()
    return size <= SMALL or _is_portion(field) or (size in _ROUND and _is_limit(field))


@lru_cache(maxsize=4096)
def is_id_field(field: str) -> bool:
    """Whether the name of a field says that it holds what tells one thing from all others."""
    return bool(_ID_FIELD.search(_snake(field)))


@lru_cache(maxsize=4096)
def names_new_thing(field: str) -> bool:
    """Whether a field of a call that writes holds what a new thing is called, or says."""
    return bool(_NAMING_FIELD.search(_snake(field)))


@lru_cache(maxsize=4096)
def names_place(field: str) -> bool:
    """Whether a field holds where something is kept."""
    return bool(_PLACE_FIELD.search(_snake(field)))


@lru_cache(maxsize=4096)
def holds_hour(field: str) -> bool:
    """Whether a field may hold an hour of the day, by its name."""
    return bool(_HOUR_FIELD.search(_snake(field)))


def goes_to_code_file(leaves: Iterable[Leaf]) -> bool:
    """Whether the arguments name a file of code, the text of which is its maker's work."""
    return any(
        isinstance(leaf.value, str) and names_place(leaf.field) and _CODE_FILE.fullmatch(leaf.value)
        for leaf in leaves
    )


@lru_cache(maxsize=4096)
def _is_limit(field: str) -> bool:
    return bool(_LIMIT_FIELD.search(_snake(field)))


@lru_cache(maxsize=4096)
def _is_portion(field: str) -> bool:
    return bool(_PORTION_FIELD.search(_snake(field)))


def _snake(field: str) -> str:
    return _CAMEL.sub("_", field[:80]).replace("-", "_").lower()
