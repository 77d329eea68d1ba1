"""Finds recorded tool calls, their results and what was said in any parsed value.

The engine knows roles (name, arguments, result, id, kind, failure flag), not formats: a key is
split into words, the words tell its role, and two roles together make a call.
"""

from assay.readers.engine.found import FoundCall, FoundRun
from assay.readers.engine.runs import find_runs, to_case

__all__ = ["FoundCall", "FoundRun", "find_runs", "to_case"]
