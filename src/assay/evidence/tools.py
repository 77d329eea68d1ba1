"""What a call does by its tool and arguments: reads, changes, ends the run, or unknown."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from assay.text.code import changes_by_code, changes_by_sql, reads_by_sql
from assay.text.leaves import leaves_of
from assay.text.words import words_of_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.execution import ToolExecutionResult
    from assay.text.leaves import Leaf
    from assay.tools import ToolDefinition

Effect = Literal["read", "write", "end", "unknown"]

_READ_VERBS_TEXT = """
    analyze analyse browse calculate check compare compute convert count describe detect
    diff download estimate evaluate exists explain explore extract fetch find get grep head
    help history info inspect list load log look lookup navigate open peek query read
    resolve retrieve scan screenshot search see show snapshot stat status summarize summary
    tail think tree validate verify view wait whoami
"""
READ_VERBS = frozenset(_READ_VERBS_TEXT.split())
_WRITE_VERBS_TEXT = """
    add append apply approve archive assign book build buy cancel change clear close comment
    commit copy create delete deploy disable discard edit enable exchange fork grant insert
    install invite issue kill label lock make mark merge modify move open_pull order patch
    pay post publish purchase push put refund register reject remove rename replace reply
    reserve reset restart return revoke save schedule scrap send set share star stop store
    submit suspend tag transfer trash unarchive unlock update upload upsert void write
"""
WRITE_VERBS = frozenset(_WRITE_VERBS_TEXT.split())
_CREATE_VERBS_TEXT = """
    add build commit create fork generate init insert make new push put register save upload
    write
"""
CREATE_VERBS = frozenset(_CREATE_VERBS_TEXT.split())
_ENDS = re.compile(
    r"hand_?-?off|escalat|transfer_to_|claim_?done|finish|complete_task|task_complete|final_answer"
    r"|attempt_completion|^submit\w*$|^done$|^end$|human",
    re.IGNORECASE,
)
_QUERY_WORDS = frozenset({"query", "sql"})


@lru_cache(maxsize=4_096)
def effect_of_name(tool: str) -> Effect:
    """What a tool does by the first verb of its name."""
    if _ENDS.search(tool):
        return "end"
    words = words_of_name(tool)
    for word in words:
        if word in READ_VERBS:
            return "read"
        if word in WRITE_VERBS:
            return "write"
    return "read" if _QUERY_WORDS.intersection(words) else "unknown"


def effect_of(tool: str, texts: Iterable[str], definition: ToolDefinition | None = None) -> Effect:
    """What a call does: by statements and code in its arguments, annotations, then names."""
    by_name = effect_of_name(tool)
    if by_name == "end":
        return by_name
    for text in texts:
        if changes_by_sql(text):
            return "write"
        if reads_by_sql(text):
            return "read"
        if changes_by_code(text):
            return "write"
    if definition is not None and definition.read_only is not None:
        return "read" if definition.read_only else "write"
    return by_name


def is_write(call: ToolExecutionResult) -> bool:
    """Whether a call changes something by its tool and arguments."""
    return effect_of(call.tool or "", long_texts(leaves_of(call.parameters))) == "write"


def long_texts(leaves: Iterable[Leaf]) -> list[str]:
    """The texts of more than one word: a single word is neither statement nor command."""
    texts = (value for _, value in leaves if isinstance(value, str))
    return [text for text in texts if " " in text or "\n" in text]


def creates(tool: str) -> bool:
    """Whether a tool makes something new, so that its arguments may be new as well."""
    return not CREATE_VERBS.isdisjoint(words_of_name(tool))
