"""Secrets that a command line hands over, where no name tells them: `curl -u ada:...`."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from assay.store.quoted_text import end_of_quoted
from assay.store.secret_rules import is_no_placeholder, is_told_apart
from assay.store.secret_search import BARE_WORD, STOPS, Span, occurrences, search, search_by_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LONGEST_COMMAND = 600
_LONGEST_BEFORE = 120
_SHORTEST = 3

# A flag begins a word; its value is the next one, also in a list of words, or `=` stands between.
_FLAG = r"(?<=[\s\"'])"
_GAP = r"(?:\\*[\"'],\s{0,8}|\s{1,8})"
_OPEN = r"(?P<open>\\*[\"'](?![\s,\]}]))?"
_USER = r"[^\s:\"'\\]{0,100}:"
_FIRST_OF_TWO = r"\s{0,8}\\*[\"'][^\"'\\]{0,100}\\*[\"'],\s{0,8}(?P<open>\\*[\"'])"
# Who has a registry or a cloud to sign in to.
_SIGNS_IN = (
    r"(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|oc|cf|ibmcloud)(?:\.exe)?"
    r"(?:\\*[\"'])?\W{1,40}(?:(?:args|registry|acr|auth)\W{1,40}){0,2}\Z"
)
# No word goes on here but the letter of an escape.
_BEGINS = r"(?:\A|[^a-z0-9_\\]|\\[nrt]|\\u[0-9a-f]{4}|[0-9]m)\Z"


class Command(NamedTuple):
    """A command that takes a secret, and how it is told which.

    `word` is how the command begins, in lower case; the pattern goes from anywhere in the command
    up to the secret, or has it as its group. What stands before the command counts for a
    subcommand that many know (`login`). `rest` is how the word may go on: `mysqldump` takes a
    password, and `mysql-client` is what one installs. Where a name or a role may stand as well
    (`auth('admin', 'editor')`), no word of small letters alone counts: not `plain`.
    """

    word: str
    pattern: str
    before: str = ""
    rest: str = r"[a-z0-9_]{0,12}(?:\.exe)?(?:[\s\"'\\]|\Z)"
    plain: bool = True


COMMANDS: tuple[Command, ...] = (
    Command(
        "curl",
        rf"{_FLAG}(?:-[a-zA-Z]{{0,6}}[uU]{_GAP}?|--(?:proxy-)?user(?:=|{_GAP})){_OPEN}{_USER}",
    ),
    Command("http ", rf"{_FLAG}(?:-a{_GAP}?|--auth(?:=|{_GAP})){_OPEN}{_USER}", rest=""),
    Command("mysql", rf"{_FLAG}-p{_OPEN}"),
    Command("mariadb", rf"{_FLAG}-p{_OPEN}", rest=r"[a-z0-9_-]{0,15}(?:\.exe)?[\s\"'\\]"),
    Command("login", rf"{_FLAG}-p(?:=|{_GAP}){_OPEN}", _SIGNS_IN),
    Command("sshpass", rf"{_FLAG}-p{_GAP}?{_OPEN}"),
    Command("redis-cli", rf"{_FLAG}(?:-a|--pass){_GAP}{_OPEN}"),
    Command("mongo", rf"{_FLAG}-p{_GAP}{_OPEN}"),
    Command("ldap", rf"{_FLAG}-w{_GAP}{_OPEN}", rest=r"[a-z]{3,9}[\s\"'\\]"),
    Command("sqlcmd", rf"{_FLAG}-P{_GAP}?{_OPEN}"),
    Command("smbclient", rf"{_FLAG}-U{_GAP}?{_OPEN}[^\s%\"'\\]{{1,100}}%"),
    Command("sqlplus", r"\s[^\s/@:\"'\\-][^\s/@:\"'\\]{0,60}/(?P<secret>[^\s@/\"'\\]{1,100})@"),
    Command(":thin:", r":thin:[^\s/@:\"'\\]{1,60}/(?P<secret>[^\s@/\"'\\]{1,100})@", rest=""),
    Command(
        "identified ",
        r"(?:[A-Za-z]{4}\s{1,8}\S{1,60}\s{1,8})?[Bb][Yy]\s{1,8}(?!(?i:random)\b)(?P<open>\\*[\"'])?",
        r"(?:(?:create|alter)\s{1,8}(?:user|role)|set\s{1,8}password|grant\s.{0,60}\son\s.{0,60}\sto)"
        r"\s.{0,100}\Z",
        rest=r"(?:with\s{1,8}\S{1,60}\s{1,8})?by\s",
    ),
    Command(
        "set password",
        r"=\s{0,8}(?:(?i:password)\(\s{0,4})?(?P<open>\\*[\"'])",
        rest=r"\s{1,8}(?:for\s|=)",
    ),
    Command("xh ", rf"{_FLAG}(?:-a{_GAP}?|--auth(?:=|{_GAP})){_OPEN}{_USER}", _BEGINS, rest=""),
    Command("auth=(", rf"=\({_FIRST_OF_TWO}", rest=""),
    Command("auth = (", rf"= \({_FIRST_OF_TWO}", rest=""),
    Command("auth(", rf"\({_FIRST_OF_TWO}", r"(?:basic|digest|ntlm|proxy)_?\Z|\.\Z", rest=""),
    Command("auth(", rf"\({_FIRST_OF_TWO}", _BEGINS, rest="", plain=False),
    Command("login(", rf"\({_FIRST_OF_TWO}", _BEGINS, rest=""),
)


@cache
def command_search() -> Callable[[str], bool]:
    """A test of a text in lower case; where it finds nothing, no command hands a secret over."""
    options = (
        " -[a-z]{0,6}[upaw]",
        "[\"']-[a-z]{0,6}[upaw]",
        "[ \"']--(?:proxy-user|user|auth|pass)",
    )
    words = (
        "sqlplus ",
        ":thin:",
        r"identified (?:with|by)\s",
        r"set password\s",
        r"auth=?\(",
        r"auth = \(",
        r"login\(",
    )
    return search_by_groups([options, words])


def handed_over(text: str, lowered: str) -> Iterator[Span]:
    """The secrets that commands in a text are given, told also in lower case."""
    for command, occurs_in, pattern, before, rest in _compiled():
        done = 0
        # Most commands are not there, which this engine sees in a tenth of the time.
        for at in occurrences(lowered, command.word) if occurs_in(lowered) else ():
            end = at + len(command.word)
            if at < done or not rest.match(lowered, end):
                continue
            if not before.search(lowered, max(0, at - _LONGEST_BEFORE), at):
                continue
            done = _end_of_command(text, end)
            for lead in pattern.finditer(text, at, done):
                span = _secret_after(text, lead)
                if span is not None and (command.plain or not _is_plain(text, span)):
                    yield span


class _Compiled(NamedTuple):
    command: Command
    occurs_in: Callable[[str], bool]
    pattern: re.Pattern[str]
    before: re.Pattern[str]
    rest: re.Pattern[str]


@cache
def _compiled() -> list[_Compiled]:
    return [
        _Compiled(
            row,
            search(re.escape(row.word)),
            re.compile(row.pattern),
            re.compile(row.before),
            re.compile(row.rest),
        )
        for row in COMMANDS
    ]


_COMMAND_END = re.compile(r"\s(?:&&|\|{1,2})\s|;\s|(?<!\\)\"|(?<!\\)(?P<slashes>\\+)[nr]")
_SMALL_LETTERS = re.compile(r"[a-z_.:-]*")
_IN_LIST = re.compile(r"[a-z.]{0,10}\\*[\"'],")


def _end_of_command(text: str, start: int) -> int:
    """Where a command ends: with its line, its list of words, or where the next one begins."""
    limit = min(len(text), start + _LONGEST_COMMAND)
    if _IN_LIST.match(text, start):
        end = text.find("]", start, limit)
        return end if end >= 0 else limit
    for found in _COMMAND_END.finditer(text, start, limit):
        slashes = len(found["slashes"] or "\\")
        # Behind a backslash of its own a line goes on: that makes three, however deep it stands.
        if slashes & (slashes - 1) == 0:
            return found.start()
    return limit


def _secret_after(text: str, lead: re.Match[str]) -> Span | None:
    named = lead.groupdict()
    if "secret" in named:
        span = Span(*lead.span("secret"))
    elif named["open"]:
        end = end_of_quoted(text, lead.end(), named["open"])
        span = Span(lead.end(), end or lead.end())
    else:
        word = BARE_WORD.match(text, lead.end())
        end = lead.end() + len(word[0].rstrip(STOPS)) if word else lead.end()
        span = Span(lead.end(), end)
    return span if _is_secret(text[span.start : span.end]) else None


def _is_plain(text: str, span: Span) -> bool:
    return _SMALL_LETTERS.fullmatch(text, span.start, span.end) is not None


def _is_secret(value: str) -> bool:
    """Whether a value stands for itself: here every word may be one, and every number."""
    return (
        len(value) >= _SHORTEST
        and is_no_placeholder(value)
        and (value.isdigit() or is_told_apart(value.replace(" ", "")))
    )
