"""Statements, commands and code inside of argument values: do they change anything?"""

from __future__ import annotations

import re

_SQL_CHANGE = re.compile(
    r"\b(?:insert\s+(?:or\s+\w+\s+)?into|update\s+\S{1,120}\s+(?:as\s+)?(?:\w+\s+)?set|delete\s+from"
    r"|create\s+(?:or\s+replace\s+)?(?:(?:temp\w*|unique|materialized|global|local)\s+){0,3}(?:table|view"
    r"|index|function|procedure|role|policy|trigger|schema|user|type|extension|sequence|database)"
    r"|alter\s+\w|drop\s+\w|truncate\s|grant\s+\w|revoke\s+\w|merge\s+into|comment\s+on"
    r"|refresh\s+materialized|replace\s+into)",
    re.IGNORECASE,
)
_SQL_READ = re.compile(r"\s*(?:select|with|explain|show|describe|pragma)\b", re.IGNORECASE)
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


def changes_by_code(text: str) -> bool:
    """Whether a text has a shell command or code that writes."""
    return _COMMAND_CHANGE.search(text) is not None
