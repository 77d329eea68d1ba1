"""Statements, commands and code inside of argument values: do they change anything?"""

from __future__ import annotations

import re

_SQL_CHANGE = re.compile(
    r"\b(?:insert\s+(?:or\s+\w+\s+)?into|update\s+\S{1,120}\s+(?:as\s+)?(?:\w+\s+)?set\b|delete\s+from"
    r"|create\s+(?:or\s+replace\s+)?(?:(?:unique|materialized|global|local)\s+){0,3}(?:table|view"
    r"|index|function|procedure|role|policy|trigger|schema|user|type|extension|sequence|database)"
    r"|alter\s+\w|drop\s+\w|truncate\s|grant\s+\w|revoke\s+\w|merge\s+into|comment\s+on"
    r"|refresh\s+materialized|replace\s+into)",
    re.IGNORECASE,
)
_SQL_READ = re.compile(
    r"(?:\s++|--[^\n]*+\n|/\*[^*]*+\*/)*+"
    r"(?:select\b[\s\S]{0,5000}?\bfrom\b|with\s+\w+\s+as\s*\(|explain\s+(?:analyze\s+)?select|pragma\s)",
    re.IGNORECASE,
)
_COMMAND_CHANGE = re.compile(
    r"(?:^|[\s;&|(])(?:rm|mv|cp|mkdir|rmdir|touch|tee|chmod|sed\s+-i|git\s+(?:commit|push|merge|add)"
    r"|(?:npm|pip3?|apt(?:-get)?|yarn|cargo)\s+(?:install|add|remove|uninstall))\s"
    r"|(?<![<>=-])>{1,2}\s*[\w./~]+\.\w|\bopen\([^)\n]{0,200}['\"][wax]b?['\"]"
    r"|\.(?:to_(?:csv|json|excel|parquet|sql)|write(?:_text|_bytes|File)?|save)\("
    r"|\b(?:requests|httpx)\.(?:post|put|patch|delete)\(|-X\s*(?:POST|PUT|PATCH|DELETE)\b"
)


def changes_by_sql(text: str) -> bool:
    """Whether a text has an SQL statement that changes data or structure."""
    return _SQL_CHANGE.search(text) is not None


def reads_by_sql(text: str) -> bool:
    """Whether a text is an SQL query that changes nothing."""
    return _SQL_READ.match(text) is not None and not changes_by_sql(text)


def is_statement(text: str) -> bool:
    """Whether a text is SQL."""
    return _SQL_READ.match(text) is not None or changes_by_sql(text)


def changes_by_code(text: str) -> bool:
    """Whether a text has a shell command or code that writes."""
    return _COMMAND_CHANGE.search(text) is not None


# Text, comment, mark of a quoted body, quoted name, name, number, sign: one group each.
_SQL_TOKEN = re.compile(
    r"'([^']*+(?:''[^']*+)*+)'|(--[^\n]*+|/\*.*?(?:\*/|\Z))|(\$[A-Za-z_]*+\$)"
    r"|\"([^\"]*+)\"|`([^`]*+)`|([^\W\d][\w$]*+)|([0-9]++(?:\.[0-9]++)?)|([;.])",
    re.DOTALL,
)
_VERBS_TEXT = """
    insert replace update delete truncate merge refresh create alter drop grant revoke
    comment
"""
_VERBS = frozenset(_VERBS_TEXT.split())
# Words between a verb and the name of what it changes.
_BETWEEN_TEXT = """
    or ignore replace into overwrite only from table view materialized concurrently unique
    index function procedure role policy trigger schema user type extension sequence
    database unlogged if not exists on all tables in column event foreign constraint
    privileges temporary temp
"""
_BETWEEN = frozenset(_BETWEEN_TEXT.split())
# An index, a policy or a trigger belongs to a table, and its own name is the agent's choice.
_BELONGING = frozenset({"index", "policy", "trigger", "rule", "grant", "revoke"})
_KEYWORDS = (
    _VERBS
    | _BETWEEN
    | frozenset(
        [
            "select",
            "where",
            "values",
            "set",
            "and",
            "as",
            "by",
            "to",
            "is",
            "null",
            "returning",
            "order",
            "group",
            "having",
            "limit",
            "join",
            "left",
            "right",
            "inner",
            "outer",
            "using",
            "with",
            "begin",
            "end",
            "then",
            "else",
            "when",
            "case",
            "default",
            "primary",
            "key",
            "references",
            "begin",
            "commit",
            "distinct",
            "union",
            "count",
            "sum",
            "avg",
            "min",
            "max",
            "integer",
            "int",
            "text",
            "varchar",
            "numeric",
            "boolean",
            "timestamp",
            "date",
            "serial",
            "language",
            "plpgsql",
            "returns",
            "return",
            "declare",
            "for",
            "each",
            "row",
            "execute",
            "new",
            "old",
            "true",
            "false",
            "do",
            "add",
            "cascade",
            "enable",
            "security",
            "level",
        ]
    )
)
_LONGEST_QUERY = 200_000


def sql_changes(text: str) -> list[tuple[str, list[str]]]:
    """What each statement of an SQL text changes: its target, and its verb, names and values."""
    found = []
    for words in _statements(text[:_LONGEST_QUERY]):
        verb = next(
            (i for i, (word, is_name) in enumerate(words) if is_name and word in _VERBS), None
        )
        target = None if verb is None else _target(words, verb)
        if verb is not None and target is not None:
            values = dict.fromkeys(
                word for word, is_name in words if word and not (is_name and word in _KEYWORDS)
            )
            found.append((target, [words[verb][0], *values]))
    return found


def _statements(text: str) -> list[list[tuple[str, bool]]]:
    """The words of each statement, lower case; a quoted body belongs to the statement around it."""
    found: list[list[tuple[str, bool]]] = [[]]
    body, after_dot = "", False
    for literal, comment, mark, quoted, ticked, name, number, sign in _SQL_TOKEN.findall(text):
        if mark:
            body = "" if mark == body else body or mark
        elif sign == ";" and not body:
            found.append([])
        elif not sign and not comment:
            own = quoted or ticked or name
            word = own.lower() if own else " ".join((literal or number).casefold().split())
            if after_dot and found[-1]:
                found[-1].pop()  # the schema of a name says little
            found[-1].append((word, bool(own)))
        after_dot = sign == "."
    return found


def _target(words: list[tuple[str, bool]], verb: int) -> str | None:
    rest = words[verb:]
    if any(word in _BELONGING for word, _ in rest[:4]):
        place = next((i for i, (word, _) in enumerate(rest) if word == "on"), 0)
        rest = rest[place:]
    if any(word in ("temp", "temporary") for word, _ in rest[:3]):
        return None
    return next((w for w, is_name in rest[1:] if is_name and w not in _BETWEEN), None)
