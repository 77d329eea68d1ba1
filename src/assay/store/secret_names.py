"""Names that give a secret away, and a quick look whether one with a value is in a text at all."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from assay.store.secret_rules import IN_ADDRESSES, NAMES, Name
from assay.store.secret_search import search_lowered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def name_pattern(name: Name) -> str:
    """How a name is written: its words joined or not."""
    return name.words.replace(" ", "[ _-]?")


# Or the name is that of a box, and what is typed into it follows, its place in between:
# `"element": "Password textbox", "ref": "e12", "text": "..."`.
QUOTE = r"\\*[\"']"
BOX = rf"(?:\s(?:text ?)?(?:box|field|input){QUOTE})"
_OF_BOX = rf"{QUOTE}(?:ref|type){QUOTE}\s{{0,8}}:\s{{0,8}}{QUOTE}[^\"'\\]{{0,60}}{QUOTE},\s{{0,8}}"
PAIR = (
    rf"(?:,\s{{0,8}}(?:(?:{_OF_BOX}){{0,3}}{QUOTE}val(?:ue)?|(?:{_OF_BOX}){{1,3}}{QUOTE}text){QUOTE}\s{{0,8}}:"
    r"|\s{1,8}value\s{0,2}=)"
)
# What a sentence has between them.
IS = r"(?:is|was)(?: now|:| set to)?\s"
# What may stand between a name and its value: the closing quote, then a separator, and what
# Markdown sets the name in bold type with.
_CLOSED = rf"[0-9]{{0,4}}(?:{BOX}|{QUOTE})?[\])]?(?:\*\*)?\s{{0,8}}"
_BETWEEN = (
    rf"{_CLOSED}(?:[:：=]=*>?(?:\*\*|\s*[&a-z][a-z0-9_.|<>?&\[\] ]*=\s*)?|\\+uff1a|>|\s*\\*[\"']"
    rf"|{PAIR}|{IS}|\s)\s{{0,8}}(?:\[\s*)?(?:[a-z]{{0,2}}{QUOTE})?"
)
# A value may begin with any mark, but one before a quote is more likely the text's own.
_STRICT_VALUE = r"(?:[^\s\[\]{},]|[\[\]{},]{1,2}[^\s\[\]{},\\\"'])"
_HEADER_VALUE = r"[^\s\\\"']"
_TELLING_VALUE = r"(?:\\*[\"'])?[^\s\"'][^\s\"]{3}"
_RANDOM_VALUE = r"(?:\\*[\"'])?[^\s\"'][^\s\"]{7}"
_ADDRESS_VALUE = r"[^\s\\\"'&]{8}"


# What may follow a name on the line that names the columns of a table. The next one is a rule,
# the first row of a data frame, or a row of cells, and may bear its number.
HEAD_REST = r"(?:[\w .#/&*`|,;│┃-]|\\{1,64}[t\"])"
# A line of a program may end with a comma, a first row with an empty cell hardly ever does.
_CELL_END = r"(?:[,;|](?:[^\s\\]|\\{1,64}\")|\\{1,64}t)"
NEXT_LINE = (
    r"(?:\\{1,64}r)?\\{1,64}[nr](?:\s{0,8}[0-9]{1,6}(?:→|\\{1,64}(?:t|u2192)|[:|]))?"
    r"(?:[ |+:├╞┡│-]{0,200}[-─━═=]{2}|\s{0,40}(?:0\s|[│┃])"
    rf"|[^\\\",;|]{{0,200}}{_CELL_END}|\\{{1,64}}\"[^\\\"]{{0,200}}\\{{1,64}}\"{_CELL_END})"
)
# In a list of columns, and where it ends: rows follow, in SQL or in JSON.
LIST_REST = r"[\w\s,.\"'`\\-]"
GAP = r"(?:\s|\\{1,64}[nrt])"
BESIDE_COLUMNS = "(?:index|types|column_?types|dtypes|row_?count|count|total)"
ROWS = "(?:rows|data|values|records|results?|tuples|items)"
LIST_END = (
    rf"(?:\){GAP}{{0,40}}(?:values?|from{GAP}{{1,8}}stdin)"
    rf"|\]{GAP}{{0,40}},{GAP}{{0,40}}(?:\[|\\{{0,64}}[\"'](?:{BESIDE_COLUMNS}|{ROWS})\\{{0,64}}[\"']))"
)
_OF_TABLE = (
    rf"[0-9]{{0,4}}(?:(?:(?:[ |,;*`│┃]|\\{{1,64}}[t\"]){HEAD_REST}{{0,2000}})?{NEXT_LINE}"
    rf"|(?:[\s,\"'`\\]{LIST_REST}{{0,2000}})?{LIST_END})"
)


def _any_of(names: list[Name]) -> str:
    return f"(?:{'|'.join(map(name_pattern, names))})"


def _pattern(names: list[Name], value: str) -> str:
    return f"{_any_of(names)}{_BETWEEN}{value}"


def _pattern_or_column(names: list[Name], value: str) -> str:
    return f"{_any_of(names)}(?:{_BETWEEN}{value}|{_OF_TABLE})"


# Names whose letters are so unlike those of others that they are found faster without them.
_SOUGHT_APART = (("token", "auth"), ("pass",), ("pw",))


@cache
def name_search() -> Callable[[str], bool]:
    """A test of a text in lower case; where it finds nothing, no name gives a secret away."""
    others = [n for n in NAMES if not (n.strict or n.header or n.assigned)]
    # Any group may find what is for another to judge.
    return search_lowered(
        [
            [_pattern_or_column([name for name in NAMES if name.strict], _STRICT_VALUE)],
            [_pattern([name for name in NAMES if name.header], _HEADER_VALUE)],
            [
                f"[?&;6](?:{'|'.join(IN_ADDRESSES)})={_ADDRESS_VALUE}",
                _pattern([name for name in NAMES if name.assigned], _RANDOM_VALUE),
            ],
            [_pattern_or_column([name for name in others if name.hint == "key"], _TELLING_VALUE)],
            *([_pattern_or_column(names, _TELLING_VALUE)] for names in _in_groups(others)),
            # Of two items of a list, the second is the first one's value where that is an option.
            [rf"-[a-z0-9_-]*{_any_of(list(NAMES))}{_CLOSED},\s*\[?\s*\\*[\"']"],
        ]
    )


@cache
def column_search() -> Callable[[str], bool]:
    """A test of a text in lower case that has names: whether one of them may name a column."""
    others = [n for n in NAMES if not (n.strict or n.header or n.assigned)]
    groups = (
        [name for name in NAMES if name.strict],
        [name for name in others if name.hint == "key"],
        *_in_groups(others),
    )
    return search_lowered([f"{_any_of(names)}{_OF_TABLE}"] for names in groups)


def _in_groups(names: list[Name]) -> Iterator[list[Name]]:
    left = [name for name in names if name.hint != "key" and not name.telling]
    for hints in _SOUGHT_APART:
        yield [name for name in left if name.hint in hints]
        left = [name for name in left if name.hint not in hints]
    yield left
