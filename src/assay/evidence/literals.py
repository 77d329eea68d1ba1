"""The checkable parts of queries, commands and code that an agent wrote as an argument.

Such a text is the agent's own work; what it must have learnt from somewhere are its literals
and, in SQL, the names of tables and columns. Names that the text itself introduces are its own.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.evidence.atoms import Atom, atoms_in
from assay.evidence.moments import days_of
from assay.evidence.quantities import Quantity, decimals_of, size_of
from assay.evidence.words import phrase_of

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_QUERY = 50_000

_SQL_START = re.compile(
    r"\s*+(?:--[^\n]*+\n\s*+|/\*(?>.{0,2000}?\*/)\s*+)*+"
    r"(?:select|insert\s+into|update\s+[\w.\"]+\s+set|delete\s+from|create|alter|drop|truncate"
    r"|merge\s+into|explain|with\s+(?:recursive\s+)?\w+|grant|revoke|begin|do\s+\$|comment\s+on"
    r"|analyze|vacuum|set\s+\w|show\s+\w|describe\s+\w|pragma\s+\w)\b",
    re.IGNORECASE | re.DOTALL,
)
_SQL_SHAPE = re.compile(
    r"\b(?:from|into|set|table|view|index|function|values|where|select)\b", re.IGNORECASE
)
# Text, comment, name, the bracket after a name, number, sign: one group each.
_SQL_TOKEN = re.compile(
    r"'([^']*+(?:''[^']*+)*+)'|(--[^\n]*+|/\*.*?(?:\*/|\Z))|([A-Za-z_][\w$]*+)(\s*+\(|)"
    r"|([0-9]++(?:\.[0-9]++)?)|([.,;()=<>])",
    re.DOTALL,
)
_CATALOGUE = re.compile(r"\b(?:pg_\w+|information_schema|sqlite_(?:master|schema)|sys\.\w+)\b")
_DATE_FORMAT = re.compile(
    r"(?:Y{2,4}|MM|DD|HH(?:12|24)?|MI|SS|MS|US|Mon|Month|Day|DY|Q|TZ|[AP]M|[\W_T])+"
)
_BEFORE_INTO = frozenset({"insert", "merge", "replace", "copy"})
_DEFINING = frozenset({"create", "alter", "do", "function", "trigger", "procedure"})
_BEFORE_TABLE = frozenset({"from", "join", "into", "update", "references", "table", "only", "on"})
# Words of SQL itself: keywords, types, and the usual system names.
_SQL_VOCABULARY = """
    abs absolute action add after age all alter always analyze and any array as asc at authorization
    auto_increment avg before begin between bigint bigserial boolean both by bytea call cascade case
    cast char character check collate column columns commit concurrently conflict constraint count
    create cross cube current current_date current_time current_timestamp cursor cycle database date
    day decimal declare default deferrable deferred definer delete desc describe distinct do domain
    double drop each else elsif end enum epoch escape except exception execute exists explain
    extension extract false fetch filter first float following for force foreign format found from
    full function generated global grant group grouping having hour identity if ilike immediate
    immutable in include index inherit initially inner inout insert instead int integer intersect
    interval into invoker is isolation join json jsonb key lag language last lateral lead leading
    left level like limit local lock loop match materialized max merge min minute month natural new
    next no not notice nothing notify now null nulls numeric of off offset old on only option or
    order ordinality out outer over overlaps owner parallel partition perform plpgsql policy
    position pragma preceding precision prepare primary privileges procedure public query raise
    range read real record recursive references refresh regclass release rename replace reset
    restart restrict return returning returns revoke right role rollback rollup row rows safe schema
    second security select sequence serial session session_user set sets setof share show similar
    smallint some stable start statement statistics stored strict sum symmetric system table tables
    tablesample temp temporary text then time timestamp timestamptz timezone to trailing transaction
    trigger trim true truncate type unbounded union unique unlogged until update usage user using
    uuid vacuum value values varchar variadic varying verbose view volatile when where while window
    with within without work write xml year zone information_schema pg_catalog table_name
    table_schema column_name data_type schemaname tablename indexname sqlite_master
"""
SQL_WORDS = frozenset(_SQL_VOCABULARY.split())
_CODE_FIELDS = frozenset(
    {"code", "script", "command", "commands", "cmd", "bash", "shell", "python", "javascript", "js"}
    | {"source_code", "program", "jq"}
)
_QUOTES = re.compile("[\"'`]")
_DIGIT = re.compile("[0-9]")
_QUOTATION = re.compile(r"\"[^\"\n]*+\"|'[^'\n]*+'|`[^`\n]*+`")
_NAME = re.compile(r"[A-Za-z_][\w.-]*+")
# Devices and places that every system has, and addresses of nobody.
_KNOWN_TO_ALL = re.compile(r"/dev/|/tmp/?\Z|/proc/|/bin/|/usr/bin/|~/?\Z|no-?reply@")
# What a command says in so many words is its own.
_SAID = re.compile(r"\b(?:echo|printf)\s{1,4}(?:-\w{1,4}\s{1,4})?[\"']\Z")
_LONGEST_SAYING = 24
_MADE = re.compile(
    r"(?:(?<![0-9<>=-])>{1,2}|\b(?:tee|mkdir|touch|create)\b(?:\s+-{1,2}\w+){0,4})\s{0,4}"
    r"[\"']?([\w./~@%+-]{1,300})"
)
# Clauses of a query, and those in which it says something rather than asks for it.
_SAYING = frozenset({"select", "then", "else", "notice", "exception", "comment"})
_CLAUSES = _SAYING | frozenset(
    {"from", "where", "values", "set", "when", "having", "on", "join", "in", "like", "ilike"}
    | {"between", "insert", "update", "using", "returning"}
)
_WRITING = frozenset({"insert", "update", "merge"})
_COMPARING = frozenset({"=", "<", ">"})
_SIZED_TYPES = frozenset(
    {"varchar", "char", "character", "varying", "nvarchar", "decimal", "numeric", "float", "bit"}
    | {"varbinary", "binary", "vector", "timestamp", "timestamptz", "time", "number", "string"}
)
# Calls whose literals are headings, keys and forms of what they put together.
_SAYING_CALLS = frozenset(
    {"json_build_object", "jsonb_build_object", "json_object", "concat", "concat_ws", "format"}
    | {"to_char", "to_date", "to_timestamp", "to_number", "string_agg", "array_to_string"}
)
_MATCHING = frozenset({"like", "ilike"})
_PORTIONS = frozenset({"limit", "offset"})
_CREATED = re.compile(
    r"\bcreate\s+(?:\w+\s+){0,4}?(?:table|view|function|procedure|index|trigger|type|schema"
    r"|sequence|role|user|policy|database|domain)\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?"
    r"(?:[\w\"$]{1,80}\.)?\"?([\w$]{1,80})",
    re.IGNORECASE,
)
_LEAST_NAME = 3
_LONGEST_LITERAL = 120
_LEAST_DIGITS = 2
# Numbers that belong to calculations, not to the matter.
_ARITHMETIC = frozenset(
    {10.0**n for n in range(10)} | {0.1, 0.01, 0.5, 12, 24, 60, 365, 365.25, 3600, 86400}
)
_CHECKED_IN_CODE = frozenset({"url", "email", "path", "date", "id"})


def is_sql(text: str) -> bool:
    """Whether a text is an SQL statement."""
    if " " not in text:
        return False
    head = text[:LONGEST_QUERY]
    return bool(_SQL_START.match(head) and _SQL_SHAPE.search(head))


def holds_code(field: str) -> bool:
    """Whether a field holds a command or code, by its name."""
    return field.lower() in _CODE_FIELDS


@lru_cache(maxsize=1024)
def sql_atoms(text: str) -> tuple[Atom, ...]:
    """Literals of an SQL statement, and the names in it that it does not introduce itself."""
    tokens = _SQL_TOKEN.findall(text[:LONGEST_QUERY])
    found: dict[str, Atom] = {}
    literals = _literals(tokens)
    # Who asks the catalogue uses its names, which nobody has to tell.
    names = [] if asks_catalogue(text) else _foreign_names(tokens)
    for atom in (*literals, *names):
        if atom is not None:
            found.setdefault(atom.phrase, atom)
    return tuple(found.values())


def code_atoms(text: str) -> tuple[Atom, ...]:
    """Addresses, paths, dates and ids of a command or program; ids only inside its quotes.

    An id that the program uses outside of quotes too is a name of its own.
    """
    text = text[:LONGEST_QUERY]
    found: list[Atom] = []
    own: set[str] | None = None
    for atom in atoms_in(text, names=False):
        if atom.kind in {"quoted", "code"}:
            if _SAID.search(text[max(0, atom.start - _LONGEST_SAYING) : atom.start]):
                continue
            inside = atoms_in(_QUOTES.sub(" ", atom.text), names=False)
            for inner in inside:
                if inner.kind == "id" and own is None:
                    own = set(_NAME.findall(_QUOTATION.sub(" ", text)))
                if inner.kind in _CHECKED_IN_CODE and inner.text not in (own or ()):
                    found.append(inner)
        elif atom.kind in _CHECKED_IN_CODE and atom.kind != "id":
            found.append(atom)
    return tuple(atom for atom in found if not _KNOWN_TO_ALL.match(atom.text))


def introduced_by(text: str) -> frozenset[str]:
    """The phrases of the files and folders that a command makes itself."""
    return frozenset(phrase_of(match[1]) for match in _MADE.finditer(text[:LONGEST_QUERY]))


def made_by_query(text: str) -> frozenset[str]:
    """The phrases of the tables, views and other things that a query makes."""
    return frozenset(map(phrase_of, _CREATED.findall(text[:LONGEST_QUERY])))


def asks_catalogue(text: str) -> bool:
    """Whether a query asks what there is in the database."""
    return _CATALOGUE.search(text) is not None


def _literals(tokens: list[tuple[str, ...]]) -> Iterator[Atom | None]:
    """What a statement compares, writes or hands over; what it merely says is its own words.

    It says what stands in the list of a query that writes nothing, outside of any call, and
    after THEN and ELSE. The sizes of types are no matter either.
    """
    says = writes = sized = False
    before = last = ""
    calls: list[str] = []
    for text, _, name, bracket, number, sign in tokens:
        word = name.lower()
        if bracket or sign == "(":
            calls.append(word if bracket and word not in SQL_WORDS else "")
        elif sign == ")" and calls:
            calls.pop()
        if word:
            sized = bool(bracket) and word in _SIZED_TYPES
            writes = writes or word in _WRITING
            says = word in _SAYING and not writes if word in _CLAUSES else says
        elif sign == ")":
            sized = False
        elif number and not sized and last not in _PORTIONS:
            yield _literal("", number)
        elif text and _is_asked_for(text, calls, last):
            compared = before in _COMPARING or any(calls)
            yield _literal(text, "") if compared or not says else None
        before, last = sign, word or last


def _is_asked_for(text: str, calls: list[str], last: str) -> bool:
    """Whether a text is no heading or form of what a call puts together, and no search for words.

    A part without figures that the query looks for is such a search.
    """
    if calls and calls[-1] in _SAYING_CALLS:
        return False
    return last not in _MATCHING or _DIGIT.search(text) is not None


def _literal(literal: str, number: str) -> Atom | None:
    if number:
        quantity = Quantity(size_of(number), decimals_of(number))
        telling = len(number) >= _LEAST_DIGITS and quantity.size not in _ARITHMETIC
        return Atom("number", number, 0, phrase_of(number), quantity) if telling else None
    inner = literal.replace("''", "'").strip("%")
    if not _LEAST_NAME <= len(inner) <= _LONGEST_LITERAL:
        return None
    if inner.lower() in SQL_WORDS or _DATE_FORMAT.fullmatch(inner):
        return None
    phrase = phrase_of(inner)
    days = days_of(inner)
    return Atom("date" if days else "quoted", inner, 0, phrase, days=days)


def _foreign_names(tokens: list[tuple[str, ...]]) -> list[Atom]:
    """The names that the statement takes for granted, in order."""
    names: dict[str, str] = {}
    introduced = set()
    defining = False
    keyword = before = ""
    for _, _, name, bracket, _, sign in tokens:
        word = name.lower()
        if word in SQL_WORDS:
            if word == "as" and bracket:
                introduced.add(before)
            defining = defining or word in _DEFINING
            # What a query is selected into is a variable of its own.
            keyword = "as" if word == "into" and keyword not in _BEFORE_INTO else word
            before = ""
            continue
        if word:
            table = keyword in _BEFORE_TABLE
            if before or keyword == "as":
                introduced.add(word)
            elif table or not (bracket or defining):
                names.setdefault(word, name)
        if word or sign:
            keyword = keyword if sign == "." else ""
            before = ")" if sign == ")" else "" if bracket else word
    return [
        Atom("id", name, 0, phrase_of(name))
        for word, name in names.items()
        if word not in introduced and len(word) >= _LEAST_NAME
    ]
