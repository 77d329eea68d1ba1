"""How a text opens that states a failure outright, however long it goes on.

Prefixes, exceptions, codes: what nobody writes at the head of anything but a failure.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from assay.evidence.error_vocabulary import (
    ERROR_NAMES,
    ERROR_SYMBOLS,
    FIELD_NAMES,
    FOREIGN_ERRORS,
    HTTP_PHRASES,
    NO_TOPIC,
    SOME_WORDS,
    SUBJECTS,
)

# How long a text a rule may speak for: any text, a page, or a single line.
Reach = Literal["any", "page", "line"]


class Opening(Struct, frozen=True):
    """One way in which a text can open with a failure: a rule, its reach, its wordings.

    `beyond_ascii` says that no text of ASCII letters alone can match.
    """

    rule: str
    reach: Reach
    wordings: tuple[str, ...]
    beyond_ascii: bool = False


# What an issue or a note is tagged with, and no program that speaks.
_LABELS = r"(?:bug|issue|feature|feat|fix|task|to-?do|docs?|question|open|closed|resolved|solved)"

# First match wins. Letters match in either case unless a wording says (?-i:...).
STATEMENTS: tuple[Opening, ...] = (
    Opening(
        "protocol_error",
        "any",
        (
            r"(?:error:\s*)?(?:mcp|json-?rpc)\s+error\s+-?\d+",
            r"invalid tools/call (?:result|request)\s?:",
        ),
    ),
    Opening(
        "traceback",
        "any",
        (
            r"traceback \(most recent call last\)",
            r"exception in thread ",
            r"unhandled (?:promise rejection|exception)",
            r"panic: ",
            r"thread '[^'\n]{0,80}' panicked at",
            r"goroutine \d+ \[",
            r"php (?:fatal|parse) error",
            r"fatal error: ",
            r"stack ?trace:\s",
            r"file \"[^\"\n]{1,200}\", line \d+\n",
            r"-{20,}\s*\n(?-i:[A-Z]\w{0,60})\s+traceback \(most recent",  # a notebook's cell
            (
                r"(?:\w+:)?[^\s:]{1,200}+:\d+\n[^\n]{0,200}\n\s*\^+\s*\n(?:[^\n]{0,200}\n)?"
                r"(?-i:[A-Za-z]*(?:Error|Exception)): "
            ),
        ),
    ),
    Opening(
        "exception",
        "any",
        (
            (
                r"(?:(?:uncaught|unhandled|caused by:?)\s+)?"
                r"(?-i:(?:[A-Za-z_$][\w$]{0,60}(?:\.|::|\\)){0,8}"
                r"(?:[A-Za-z_$][\w$]{0,60}(?:Error|Exception)))"
                r"(?:\s?\[[^\]\n]{0,60}\]|\s?\([^)\n]{0,200}\))?(?:\s*[:：]|\s*\n|\s*\Z|\s-\s)"
            ),
            r"(?-i:(?:[a-z_]\w{0,40}\.){1,6}(?:errors?|exceptions?)\.[A-Z]\w{0,60})\s*[:：]",
            rf"(?-i:{ERROR_NAMES})\s*[:：]",
            rf"\((?-i:{ERROR_NAMES}|[A-Z]\w{{0,60}}(?:Error|Exception))\) ",
            rf"(?:\d{{1,2}} )?(?-i:{ERROR_SYMBOLS})(?:\s*[:：]|\s-\s)",
            r"[^\n(]{1,160}+\((?-i:[A-Z]\w{0,60}(?:Error|Exception))\)\s*(?:\n|\Z)",
            r"<(?-i:[A-Za-z_.]{0,60}(?:Error|Exception))\b",
            r"(?-i:[A-Z]\w{0,60}(?:Error|Exception))\{\s?(?:code|kind|type|status|message|reason)\b",
        ),
    ),
    Opening(
        "tagged_error",
        "any",
        (
            r"<(?:tool_use_error|tool_error|error|exception|[\w-]{0,20}:?fault)\b[^>\n]{0,200}>",
            r"\[(?:error|err|fatal|exception|failure|failed)[\]:](?!\s*\d+\s*(?:\||\n|\Z|\[))",
            r"\(error\) ",
            r"\[[\w .-]{1,40}\] (?:error|failed|failure)\s*[:：]",
            r"\[[\w .-]{1,40} (?:error|failed|failure)\]:? ",
            # The tag of who says it, and what could not be done. Of a log each line has one.
            (
                rf"\[(?!\d|{_LABELS}\b)[\w .:/#@-]{{1,40}}\] (?:error {NO_TOPIC}[a-z]{{3,15}}ing"
                r"|(?:failed|unable) to (?-i:[a-z]{2,20}))\b[^\n:]{0,120}: "
                r"(?!\d+\s*(?:\n|\Z)|[^\n]{0,1000}\n\s{0,9}[\[\d])\S"
            ),
            (
                r"\[(?-i:[A-Z]{1,20}_ERROR|[A-Z_ ]{0,30}(?:FAILED|INVALID|DENIED|EXPIRED"
                r"|UNAVAILABLE|BLOCKED|TIMEOUT|NOT_FOUND|MISSING|REFUSED|CONFLICT|EXCEEDED|REQUIRED"
                r"|FORBIDDEN|NONEXISTENT))\] "
            ),
            r"\[errno -?\d+\]",
            r"npm err",
            # One line only: a board's column of that name has its cards below it.
            r"(?-i:BLOCKED|REFUSED|REJECTED|DENIED)\s?[:：]\s(?!\d)[^\n]{1,400}\Z",
        ),
    ),
    Opening(
        "edit_refused",
        "any",
        (
            (
                r"\[?your (?:\w+ )?(?:edit|change|patch|replacement|insertion)s?"
                r" (?:(?:has|have|had|would|would have) )?(?:introduced?|caused?|contain(?:s|ed)?"
                r"|(?:leads?|led) to|result(?:s|ed)? in) [^\n.]{0,40}\berrors?(?:\(s\)|\b)"
            ),
            (
                r"\[?your (?:\w+ )?(?:edit|change|patch|replacement|insertion)s?"
                r" (?:(?:has|have) not been|(?:was|were) not) (?:applied|made|saved|written)\b"
            ),
        ),
    ),
    Opening(
        "database_error",
        "any",
        (
            r"error \d{4} \(\w{5}\)",
            r"sqlstate\W{0,3}\w{5}",
            r"(?:ora|pls)-\d{5}",
            r"msg \d{3,6}, level \d",
            r"code: \d{1,4}\. db::exception",
            r"sql compilation error",
            r"\d{4,6} \(\w{5}\): ",
            r"(?:\{code: )?neo\.\w{1,20}error",
            r"e11000 duplicate",
            r"\(\d{4}, [\"']",
            (
                r"(?-i:(?:WRONGTYPE|NOAUTH|NOPERM|MISCONF|CLUSTERDOWN|NOSCRIPT|NOGROUP|BUSYGROUP"
                r"|READONLY|EXECABORT"
                r"|LOADING|CROSSSLOT) |ERR [a-z])"
            ),
            (
                r"(?:relation|column|table|role|schema|function|type|database|index|view) [\"'`]?\S"
                r"[^\n]{0,120}(?:does not exist|already exists|is ambiguous|is not unique)"
            ),
            r"no such (?:table|column)",
            r"near \"[^\"\n]{0,60}\": syntax error",
            r"syntax error at (?:or near|end of)",
            r"duplicate key value violates",
            r"(?:unique|foreign key|check|not null) constraint failed",
            r"unknown (?:column|database) ",
            r"you have an error in your sql",
            r"\[SQLITE_[A-Z]+\]",
            r"deadlock detected",
            r"cancell?ing statement due to",
            r"value too long for type",
            r"null value in column",
            rf"{SOME_WORDS}violates (?:[\w-]+ ){{1,3}}constraint",
            r"data truncated for column",
            r"ambiguous column name",
            r"operand should contain",
            r"cast to \w+ failed",
            # As SQLite says it, which writes no capitals.
            r"(?-i:database (?:table |schema )?is locked|incomplete input)(?:: \S|\s*\Z)",
        ),
    ),
    Opening(
        "http_status",
        "any",
        (
            (
                r"(?:http(?:/\d(?:\.\d)?)?|http status|status(?:[ _]?code)?|response(?: code)?"
                r"|http error|error(?: code)?)\s*[:=]?\s*[45]\d\d\b"
                # What explains a status has not met it.
                r"(?!(?: errors?)? (?:usually |often |typically |generally )?(?:means?|indicates?"
                r"|stands? for|is (?:the|an?|returned|sent))\b)"
            ),
            rf"[\[(]?[45]\d\d[\])]?\s*[:：–-]?\s*(?:{HTTP_PHRASES}|client error|server error)",
            r"(?:client|server) error '?[45]\d\d",
            (
                r"[45]\d\d: (?:missing|invalid|expired|bad|access|permission|rate|no such|not"
                r" (?:found|allowed|authori[sz]ed))\b"
            ),
            (
                r"[45]\d\d (?-i:Unrecogni[sz]ed|Unexpected|Invalid|Unknown|Missing|Expired"
                r"|Unsupported) [^\n:]{1,60}: "
            ),
            (
                r"(?!(?:what|how|why|about|fix\w*) )(?:[\w.-]{1,30} ){1,3}"
                rf"(?-i:HTTP) [45]\d\d(?:: | (?:{HTTP_PHRASES})[.!]?\s*\Z)"
            ),
            r"unexpected (?:response|http|status)(?: status)? code:? [45]\d\d\b",
            # As generated clients print what was thrown.
            r"\([45]\d\d\)\s?\nReason: \w",
            rf"(?:{HTTP_PHRASES})(?:[.!]?\s*\Z|:)",
            r"\(?[45]\d\d[ ,-]{1,2}(?:b?[\"'])?[45]\.\d{1,3}\.\d{1,3}\b",  # as mail servers say it
            r"(?:api )?[45]\d\d (?-i:GET|HEAD|POST|PUT|PATCH|DELETE) (?:https?:|/)",
            r"response status code does not indicate success",
            (
                r"(?:[\w.-]{1,40} )?(?-i:GET|HEAD|POST|PUT|PATCH|DELETE) [^\s:]{1,160} ?(?:→|->|:"
                r"|returned|failed:?) ?(?:http |status )?[45]\d\d\b"
            ),
            r"[\w .-]{0,60}:? ?\[(?-i:GET|HEAD|POST|PUT|PATCH|DELETE) [^\]\s]{1,160}\]\[[45]\d\d\]",
            r"upstream connect error|no healthy upstream",
        ),
    ),
    Opening(
        "error_prefix",
        "any",
        (
            (
                rf"(?:an?\s|the\s)?(?:{SUBJECTS}[ _-]){{0,3}}(?:error|err|failure|exception)"
                r"(?:\s(?:code|message|type|response|details?)(?=\s*[:：=]))?"
                r"(?:\s?#?-?\d[\d.-]{0,11}|\s?\([^)\n]{1,40}\)|\s?\[[^\]\n]{1,40}\]"
                r"|\s(?-i:[A-Z]{1,8}[-_]?\d[\w.-]{0,20}|[A-Z]+_[A-Z_]+))?"
                r"\s*(?:[:：=!！]|\s[–—-]\s|\]|\n|\.?\s*\Z)"
            ),
            rf"(?:{SUBJECTS} )error (?:making|during|while|when) [^\n:]{{1,60}}: (?=\S)",
            rf"(?:{FOREIGN_ERRORS})(?: (?:d[eiu] |d')?(?-i:[A-Z]\w{{1,15}}|\d{{3}}))?\s*[:：!]",
            # A program's name first.
            (
                rf"(?!{FIELD_NAMES}\b|[^\n]*\n-{{3,}}\n)"
                r"(?-i:[a-z][\w.-]{0,30}: (?:[Ee]rror|[Ff]atal|[Ff]ailed)\b)"
            ),
        ),
    ),
)
