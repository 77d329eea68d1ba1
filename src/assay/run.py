"""What is known of a run besides its calls: how it ended, what it cost, where it was recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assay.records import read_record, write_record


@dataclass
class RunOutcome:
    """Whether the task succeeded, and who says so."""

    success: bool | None = None
    score: float | None = None
    decided_by: str | None = None
    reason: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def to_dict(self, where: str = "outcome") -> dict[str, Any]:
        """The outcome as a JSON object."""
        return write_record(self, where, always=frozenset({"success"}))

    @classmethod
    def from_dict(cls, data: object, where: str = "outcome") -> RunOutcome:
        """Read an outcome; errors name the field below `where`."""
        return read_record(cls, data, where)


@dataclass
class Usage:
    """Tokens and money; None is unknown, never nothing."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def to_dict(self, where: str = "usage") -> dict[str, Any]:
        """The usage as a JSON object; what is unknown is left out."""
        return write_record(self, where, always=frozenset())

    @classmethod
    def from_dict(cls, data: object, where: str = "usage") -> Usage:
        """Read a usage; errors name the field below `where`."""
        return read_record(cls, data, where)


@dataclass
class Source:
    """Where a run was recorded: file, format and position in the file."""

    path: str | None = None
    format: str | None = None
    position: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def to_dict(self, where: str = "source") -> dict[str, Any]:
        """The source as a JSON object."""
        return write_record(self, where, always=frozenset())

    @classmethod
    def from_dict(cls, data: object, where: str = "source") -> Source:
        """Read a source; errors name the field below `where`."""
        return read_record(cls, data, where)
