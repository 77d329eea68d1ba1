"""Single fields that many formats share: content, arguments, times, tokens, identity.

What cannot be read is None or stays as it was; nothing here raises.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from assay.ingest.packed_names import path_inside
from assay.ingest.pipe import STDIN_NAME
from assay.run import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

TEXT_KEYS = ("text", "refusal", "content")
WORD_KINDS = frozenset({"text", "input_text", "output_text", "refusal"})
# Parts that are no words but belong to what was said; every other part is left out.
MEDIA_KINDS = frozenset(
    {"image", "image_url", "input_image", "audio", "input_audio", "file", "input_file", "document"}
)
# Flags a result may carry of its own, and whether a set flag means success.
SUCCESS_FLAGS = (
    *(("is_error", False), ("isError", False), ("error", False), ("tool_call_error", False)),
    *(("success", True), ("successful", True)),
)
# Made once: this is asked of every call.
_NUMBER = int | float
# Whole numbers have any length in JSON; those beyond are no decimal number.
_LARGEST = sys.float_info.max
# Epoch times below each bound are in the unit before it: seconds, milliseconds, micro, nano.
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (inf, 1e9))
# Where providers keep each count; the first one present is taken.
USAGE_PATHS: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    (
        "input_tokens",
        (
            *(("input_tokens",), ("prompt_tokens",), ("inputTokens",), ("promptTokens",)),
            *(("tokens", "input_tokens"), ("input",)),
        ),
    ),
    (
        "output_tokens",
        (
            *(("output_tokens",), ("completion_tokens",), ("outputTokens",), ("completionTokens",)),
            *(("tokens", "output_tokens"), ("output",)),
        ),
    ),
    (
        "cache_read_tokens",
        (
            ("cache_read_input_tokens",),
            ("input_tokens_details", "cached_tokens"),
            ("prompt_tokens_details", "cached_tokens"),
            ("cache_read_tokens",),
            ("cacheReadTokens",),
            ("cacheReadInputTokens",),
            ("cacheRead",),
        ),
    ),
    (
        "cache_write_tokens",
        (
            ("cache_creation_input_tokens",),
            ("cache_write_input_tokens",),
            ("input_tokens_details", "cache_write_tokens"),
            ("prompt_tokens_details", "cache_write_tokens"),
            ("cache_write_tokens",),
            ("cacheWriteTokens",),
            ("cacheWriteInputTokens",),
            ("cacheCreationInputTokens",),
            ("cacheWrite",),
        ),
    ),
    (
        "reasoning_tokens",
        (
            ("reasoning_tokens",),
            ("output_tokens_details", "reasoning_tokens"),
            ("completion_tokens_details", "reasoning_tokens"),
            ("output_reasoning_tokens",),
        ),
    ),
)


def text_of(content: object) -> str:
    """The words of a message, whether it is text, a part, or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "\n".join(text for part in parts if (text := _part_text(part)))


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    kind = text_at(part, "type")
    if kind is not None and kind.isupper():  # as Java names its kinds
        kind = kind.lower()
    if kind in MEDIA_KINDS:
        return f"[{kind}]"
    if kind in WORD_KINDS or "type" not in part:
        return next((v for key in TEXT_KEYS if isinstance(v := part.get(key), str)), "")
    return ""


def decode_arguments(sent: object) -> Any:
    """The arguments of a call as an object; what is no JSON object stays as it was sent.

    Models send nothing, null or an empty text for a tool without arguments: all mean `{}`.
    """
    if sent is None or sent == "":
        return {}
    if not isinstance(sent, str):
        return sent
    decoded = decode_json_text(sent)
    return decoded if isinstance(decoded, dict) else sent


def decode_json_text(text: str | bytes) -> Any:
    """The JSON value a text holds; None when it holds none."""
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None


def epoch_seconds(value: object) -> float | None:
    """A time in seconds since the epoch, from ISO text or a number in any usual unit.

    A time without a zone is taken as UTC, so that a file reads the same everywhere.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _in_seconds(value)
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        number = decode_json_text(value)
        return epoch_seconds(number) if isinstance(number, int | float) else None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _in_seconds(number: float) -> float | None:
    if not 0 < number < 1e20:
        return None
    return next(number / scale for bound, scale in _UNITS if number < bound)


def amount_or_none(value: object) -> float | None:
    """A finite number that is not negative, such as a duration; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, _NUMBER):
        return None
    return float(value) if 0 <= value <= _LARGEST else None


def number_or_none(value: object) -> float | None:
    """A finite number, such as a score; None for anything else."""
    if not isinstance(value, _NUMBER):
        return None
    return float(value) if -_LARGEST <= value <= _LARGEST else None


def text_or_none(value: object) -> str | None:
    """A text that says something; None for anything else."""
    return value if isinstance(value, str) and value else None


def text_at(value: dict[str, Any], key: str) -> str | None:
    """The text an object holds under a key; None when it holds none there."""
    found = value.get(key)
    return found if isinstance(found, str) and found else None


def id_or_none(value: object) -> str | None:
    """An id as text, whether it was written as text or as a number."""
    return text_or_none(value) or (None if count_or_none(value) is None else str(value))


def count_or_none(value: object) -> int | None:
    """A whole number; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def reported_success(message: dict[str, Any]) -> bool | None:
    """What a result says of its own success, by a flag; None when it carries none."""
    for key, meaning in SUCCESS_FLAGS:
        flag = message.get(key)
        if isinstance(flag, bool):
            return flag is meaning
    return None


def dict_or_empty(value: object) -> dict[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects of a list, other items left out; none of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def named_tools(declared: object) -> list[dict[str, Any]] | None:
    """The tools on offer; None when some are sets whose members have no names here."""
    tools = objects_in(declared)
    return tools if tools and all(text_at(tool, "name") for tool in tools) else None


def total_usage(reports: Iterable[object]) -> Usage | None:
    """The sum of what the model's replies report of their tokens; None when none does."""
    totals: dict[str, int] = {}
    for report in filter(dict_or_empty, reports):
        for name, paths in USAGE_PATHS:
            counts = (_count_at(report, path) for path in paths)
            count = next((found for found in counts if found is not None), None)
            if count is not None:
                totals[name] = totals.get(name, 0) + count
    return Usage(**totals) if totals else None  # type: ignore[arg-type]  # only counts are set


def with_cost(usage: Usage | None, costs: Iterable[object]) -> Usage | None:
    """The usage with what its replies cost in US dollars; as it was where nobody says."""
    known = [amount for cost in costs if (amount := amount_or_none(cost)) is not None]
    if not known:
        return usage
    usage = usage or Usage()
    usage.cost_usd = amount_or_none(sum(known))
    return usage


def _count_at(report: object, path: tuple[str, ...]) -> int | None:
    for key in path:
        report = report.get(key) if isinstance(report, dict) else None
    return count_or_none(report)


def stable_id(*facts: object) -> str:
    """A run's id made from facts that are the same at every reading."""
    return blake2b(msgspec.json.encode(facts), digest_size=16).hexdigest()


def whole_path(name: str) -> str:
    """The path of a file from the root on, however it was typed: folders tell of runs as well."""
    if name == STDIN_NAME or os.path.isabs(name):  # noqa: PTH117 - asked for each run
        return name
    return os.path.abspath(name)  # noqa: PTH100 - the same


def place_id(name: str, position: int | None) -> tuple[str, ...]:
    """Where a run without an id of its own stands: folder, file and position.

    Two runs that went word for word alike are still two; a moved tree keeps its ids, and so does a
    folder that was packed.
    """
    inside = path_inside(name)
    path = inside if inside is not None and "/" in inside else name
    folder = "" if os.path.isabs(path) else os.getcwd()  # noqa: PTH109, PTH117 - asked for each run
    return (*_last_two_parts(path, folder), str(position))


@lru_cache(maxsize=16)
def _last_two_parts(path: str, folder: str) -> tuple[str, ...]:
    """The folder and the file of a path; kept because the runs of a file come one after another."""
    return Path(folder, path).parts[-2:]
