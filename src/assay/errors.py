"""Everything assay raises on purpose.

AssayError
├── InvalidRecord          a record cannot be read: which field, what it holds, what is expected
│   └── UnsupportedVersion it was written by a later version of assay
├── NotJson                a value that JSON cannot hold, with the path to it
├── InvalidTools           tool definitions in no form we know
├── NotAStore              a folder that is no store, or one of a later version
├── DamagedStore           a file of a store that cannot be read
├── QueryFailed            a question to the store that its engine refused
├── WriteFailed            a file that could not be written: which, and why
├── SparkFailed            Spark could not be started, or did not do its work
├── InvalidSample          figures that cannot be compared: which, and what is expected
├── InvalidSettings        settings or a baseline that cannot be used: which key, what it holds
├── UnknownName            nothing answers to that name (with the nearest one that does)
├── JudgeError
│   ├── InvalidJudge       the judge given cannot be asked
│   ├── JudgeFailed        the judge was asked and no usable marks came back
│   │   └── JudgeUnavailable its endpoint refused, failed or did not answer
│   └── BudgetSpent        the judge was not asked: that would cost more than allowed
├── AgentFailed            an agent was asked and no answer came back
├── ToolFailed             a tool of an MCP server says that it failed, in its own words
├── ServerUnavailable      an MCP server could not be started or reached
├── WeatherUnavailable     the weather asked for cannot be had: which, and why
├── BrowserFailed          a report could not be printed: no browser, or it did not do it
├── MissingExtra           an optional part is not installed (with the install line)
└── NativeObject           a native assay object was handed to deepeval

Catch AssayError for what a user can mend; anything else is a bug and keeps its traceback.
"""

from __future__ import annotations

from difflib import get_close_matches
from errno import EACCES, EDQUOT, EFBIG, ENOSPC, EPERM, EROFS
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


_MOST_MEANT = 5
OF_THE_DISK = frozenset({EACCES, EDQUOT, EFBIG, ENOSPC, EPERM, EROFS})
"""What the system says where a disk takes nothing: which the user can mend, whatever we do."""


class AssayError(Exception):
    """Something the user can mend; the message says what and how."""

    def __reduce__(self) -> tuple[Callable[..., AssayError], tuple[Any, ...]]:
        """Go to another process as it is, whatever it was made of."""
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[AssayError], args: tuple[Any, ...], told: dict[str, Any]) -> AssayError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(told)
    return error


class InvalidRecord(AssayError, ValueError):
    """A record that cannot be read."""


class UnsupportedVersion(InvalidRecord):
    """A record written by a later version of assay."""


class NotJson(AssayError, ValueError):
    """A value that JSON cannot hold."""

    def __init__(self, where: str, problem: str) -> None:
        """Name the place of the value and what is wrong with it."""
        super().__init__(f"{where}: {problem}")
        self.where = where


class InvalidTools(AssayError, ValueError):
    """Tool definitions in no form we know."""


class NotAStore(AssayError, ValueError):
    """A folder that is no store, or one of a later version."""


class DamagedStore(AssayError):
    """A file of a store that cannot be read."""


class QueryFailed(AssayError, ValueError):
    """A question to the store that its engine refused; its words follow."""


class WriteFailed(AssayError):
    """A file that could not be written."""

    def __init__(self, path: str | Path, reason: str | None) -> None:
        """Name the file, and what the system says."""
        super().__init__(f"{path} cannot be written: {reason or 'the system does not say why'}")
        self.reason = reason


class SparkFailed(AssayError):
    """Spark could not be started, or did not do its work; says why."""


class InvalidSample(AssayError, ValueError):
    """Figures that cannot be compared or counted."""


class InvalidSettings(AssayError, ValueError):
    """Settings or a baseline file that cannot be used."""


class UnknownName(AssayError, LookupError):
    """A name that nothing answers to."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, more: int = 0) -> None:
        """Say what was looked up and offer the nearest known name; `more` are not among these."""
        options = sorted(known)
        close = " or ".join(map(repr, _nearest(name, options)))
        others = f" and {more:,} more" if more else ""
        hint = f"Did you mean {close}?" if close else f"Known: {', '.join(options)}{others}."
        super().__init__(f"No {kind} named {name!r}. {hint}")


def _nearest(name: str, options: list[str]) -> list[str]:
    """The names that may have been meant: those it is a word of, else the one most like it."""
    longer = [option for option in options if name.lower() in option.lower().split("-")]
    return longer[:_MOST_MEANT] or get_close_matches(name, options, n=1)


class JudgeError(AssayError):
    """The judged part of a score could not be had."""


class InvalidJudge(JudgeError, ValueError):
    """The judge given cannot be asked."""


class JudgeFailed(JudgeError):
    """The judge was asked and no usable marks came back."""


class JudgeUnavailable(JudgeFailed):
    """The judge's endpoint refused, failed or did not answer: says whether to try again."""

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        """Take the message, whether asking again may help, after how many seconds, and a status."""
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after
        self.status = status


class AgentFailed(AssayError):
    """An agent was asked and no answer came back."""


class ToolFailed(AssayError):
    """A tool of an MCP server says that it failed; its words follow."""


class ServerUnavailable(AssayError):
    """An MCP server that could not be started or reached."""


class WeatherUnavailable(AssayError):
    """The weather that was asked for cannot be had."""


class BudgetSpent(JudgeError):
    """The judge was not asked: that would cost more than allowed."""


class BrowserFailed(AssayError):
    """A report that could not be printed; the browser's words follow."""


class MissingExtra(AssayError, ImportError):
    """An optional part that is not installed."""


class NativeObject(AssayError):
    """A native assay object was handed to deepeval."""
