"""Single values that formats record: times, counts, texts, token usage, ids.

What cannot be read is None; nothing here raises.
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

from assay.json_values import MAX_DEPTH
from assay.run import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

# How deep a value may be, which stands deep in the record of a run itself.
_DEEPEST = MAX_DEPTH - 6
_LARGEST = sys.float_info.max
# A number below each bound is in seconds, milliseconds, microseconds, nanoseconds.
_TIME_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (inf, 1e9))
_TRUE = frozenset({"true", "yes", "success", "successful", "passed", "pass", "resolved", "correct"})
_FALSE = frozenset({"false", "no", "failure", "failed", "fail", "unresolved", "incorrect"})
_MEDIA = frozenset(
    {"image", "image_url", "input_image", "audio", "input_audio", "file", "input_file", "document"}
)
_SPOKEN = frozenset({"text", "input_text", "output_text", "refusal"})
# Where providers keep each count; the first one present is taken.
USAGE_KEYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "input_tokens",
        (
            *("input_tokens", "prompt_tokens", "inputTokens", "promptTokens", "total_input_tokens"),
            *("promptTokenCount", "prompt_token_count", "total_prompt_tokens", "input"),
            *("inputTokenCount", "input_token_count", "tokens.input_tokens", "inputTokens.total"),
        ),
    ),
    (
        "output_tokens",
        (
            *("output_tokens", "completion_tokens", "outputTokens", "completionTokens"),
            *("candidatesTokenCount", "candidates_token_count", "total_completion_tokens"),
            *("total_output_tokens", "output", "outputTokenCount", "output_token_count"),
            *("tokens.output_tokens", "outputTokens.total"),
        ),
    ),
    (
        "cache_read_tokens",
        (
            *("cache_read_input_tokens", "input_tokens_details.cached_tokens"),
            *("prompt_tokens_details.cached_tokens", "cache_read_tokens", "cacheReadTokens"),
            *("cacheReadInputTokens", "cacheRead", "cached_input_tokens", "cachedInputTokens"),
            *("cachedContentTokenCount", "cached_content_token_count", "cached", "cache.read"),
            *("total_cached_tokens", "input_tokens_cache_read", "input_token_details.cache_read"),
        ),
    ),
    (
        "cache_write_tokens",
        (
            *("cache_creation_input_tokens", "cache_write_input_tokens"),
            *("input_tokens_details.cache_write_tokens", "cache_write_tokens", "cacheWriteTokens"),
            *("prompt_tokens_details.cache_write_tokens", "cacheWriteInputTokens"),
            *("cacheCreationInputTokens", "cacheWrite", "cache.write", "input_tokens_cache_write"),
            *("input_token_details.cache_creation",),
        ),
    ),
    (
        "reasoning_tokens",
        (
            *("reasoning_tokens", "output_tokens_details.reasoning_tokens"),
            *("completion_tokens_details.reasoning_tokens", "output_reasoning_tokens"),
            *("reasoning_output_tokens", "reasoningTokens", "thoughtsTokenCount", "thoughts"),
            *("thoughts_token_count", "reasoning", "output_token_details.reasoning"),
        ),
    ),
)


def seconds(value: object) -> float | None:
    """A time in seconds since the epoch, from ISO text or a number in any usual unit.

    A time without a zone is taken as UTC, so that a file reads the same everywhere.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        if not 0 < value < 1e20:
            return None
        return next(value / scale for bound, scale in _TIME_UNITS if value < bound)
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return seconds(_number_in(value))


def _number_in(text: str) -> float | None:
    try:
        return float(text) if len(text) < 40 else None
    except ValueError:
        return None


def amount(value: object) -> float | None:
    """A finite number that is not negative, such as a cost; None for anything else."""
    found = number(value)
    return found if found is not None and found >= 0 else None


def number(value: object) -> float | None:
    """A finite number, also written as text; None for anything else."""
    if isinstance(value, str):
        value = _number_in(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -_LARGEST <= value <= _LARGEST else None


def count(value: object) -> int | None:
    """A whole number, also written as text; None for anything else."""
    found = number(value)
    return int(found) if found is not None and found == int(found) else None


def truth(value: object) -> bool | None:
    """Whether a value means yes; None where it means neither."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    word = value.strip().lower() if isinstance(value, str) and len(value) < 40 else ""
    return True if word in _TRUE else False if word in _FALSE else None


def text(value: object) -> str | None:
    """A text that says something, the words of a message, or an id that is a number."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return f"{value:g}"
    parts = value if isinstance(value, list) else [value]
    return "\n".join(words for part in parts if (words := _words(part))) or None


def _words(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    kind = str(part.get("type") or "text").lower()
    if kind in _MEDIA:
        return f"[{kind}]"
    if kind not in _SPOKEN:
        return ""
    found = (part.get(key) for key in ("text", "refusal", "content"))
    return next((value for value in found if isinstance(value, str)), "")


def text_or_none(value: object) -> str | None:
    """A text that says something; None for anything else."""
    return value if isinstance(value, str) and value else None


def dict_or_empty(value: object) -> dict[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects of a list, other items left out; none of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def decode_arguments(sent: object) -> Any:
    """The arguments of a call as an object; what is no JSON object stays as it was sent.

    Models send nothing, null or an empty text for a tool without arguments: all mean `{}`.
    """
    if sent is None or sent == "":
        return {}
    if not isinstance(sent, str):
        return sent
    try:
        decoded = msgspec.json.decode(sent)
    except (ValueError, RecursionError):
        return sent
    return decoded if isinstance(decoded, dict) else sent


_USAGE_PATHS = tuple((name, tuple(key.split(".") for key in keys)) for name, keys in USAGE_KEYS)


def usage_of(reports: Iterable[object]) -> dict[str, int]:
    """The token counts of the model's replies, summed; empty where none reports any."""
    totals: dict[str, int] = {}
    for report in reports:
        if isinstance(report, dict) and report:
            for name, paths in _USAGE_PATHS:
                known = (count(_at(report, path)) for path in paths if path[0] in report)
                found = next((number for number in known if number is not None), None)
                if found is not None:
                    totals[name] = totals.get(name, 0) + found
    return totals


def _at(report: Any, path: list[str]) -> Any:
    for key in path:
        report = report.get(key) if isinstance(report, dict) else None
    return report


def usage(counts: dict[str, Any]) -> Usage | None:
    """A usage with these counts; None where there are none."""
    known = {name: value for name, value in counts.items() if value is not None}
    return Usage(**known) if known else None


def stable_id(*facts: object) -> str:
    """A run's id made from facts that are the same at every reading."""
    return blake2b(msgspec.json.encode(facts), digest_size=16).hexdigest()


def whole_path(name: str) -> str:
    """The path of a file from the root on, however it was typed: folders name runs as well."""
    if name == "<stdin>" or os.path.isabs(name):  # noqa: PTH117 - asked for each run
        return name
    return os.path.abspath(name)  # noqa: PTH100 - the same


def place_id(name: str, position: int | None) -> tuple[str, ...]:
    """Where a run without an id of its own stands: folder, file and position.

    Two runs that went word for word alike are still two; a moved tree keeps its ids, and so does a
    folder that was packed.
    """
    _, packed, inside = name.rpartition("!")
    path = inside if packed and "/" in inside else name
    folder = "" if os.path.isabs(path) else os.getcwd()  # noqa: PTH109, PTH117 - asked for each run
    return (*_last_two_parts(path, folder), str(position))


@lru_cache(maxsize=16)
def _last_two_parts(path: str, folder: str) -> tuple[str, ...]:
    """The folder and the file of a path; kept because the runs of a file come one after another."""
    return Path(folder, path).parts[-2:]


def bounded(value: Any) -> Any:
    """A value that a record can hold: what is nested too deeply is cut off."""
    return _cut(value, _DEEPEST) if _is_too_deep(value) else value


def _is_too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(_DEEPEST):
        lists = (above.values() if isinstance(above, dict) else above for above in level)
        level = [below for inner in lists for below in inner if isinstance(below, dict | list)]
        if not level:
            return False
    return True


def _cut(value: Any, levels: int) -> Any:
    if not isinstance(value, dict | list):
        return value
    if levels == 0:
        return "…"
    if isinstance(value, list):
        return [_cut(item, levels - 1) for item in value]
    return {key: _cut(item, levels - 1) for key, item in value.items()}
