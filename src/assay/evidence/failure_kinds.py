"""What kinds of failure there are, whose they usually are, and which codes stand for them.

The seed's subcategories keep their names; the other kinds fill what it lacks. A category here
is the usual one: stronger evidence than the words of a message may say otherwise.
"""

from __future__ import annotations

from typing import Literal, get_args

Category = Literal["model", "server", "environment", "unknown"]
Kind = Literal[
    "missing_required_field",
    "wrong_type",
    "invalid_schema",
    "invalid_arguments",
    "validation_error",
    "invalid_date_range",
    "malformed_call",
    "syntax_error",
    "unknown_tool",
    "not_found",
    "conflict",
    "rule_violation",
    "unsupported",
    "output_too_large",
    "rate_limit",
    "quota_exceeded",
    "auth",
    "permission",
    "configuration",
    "network_error",
    "cancelled",
    "timeout",
    "unavailable",
    "server_unavailable",
    "null_reference",
    "data_processing_error",
    "index_error",
    "execution_error",
    "status_not_success",
    "empty_result",
    "unclassified",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

_KINDS_OF: dict[Category, tuple[Kind, ...]] = {
    "model": (
        "missing_required_field",
        "wrong_type",
        "invalid_schema",
        "invalid_arguments",
        "validation_error",
        "invalid_date_range",
        "malformed_call",
        "syntax_error",
        "unknown_tool",
        "not_found",
        "conflict",
        "rule_violation",
        "unsupported",
        "output_too_large",
    ),
    "environment": (
        "rate_limit",
        "quota_exceeded",
        "auth",
        "permission",
        "configuration",
        "network_error",
        "cancelled",
    ),
    "server": (
        "timeout",
        "unavailable",
        "server_unavailable",
        "null_reference",
        "data_processing_error",
        "index_error",
        "execution_error",
    ),
    "unknown": ("status_not_success", "empty_result", "unclassified"),
}
CATEGORY_OF: dict[Kind, Category] = {
    kind: category for category, kinds in _KINDS_OF.items() for kind in kinds
}
# What no arguments could have prevented: found in a message, it outweighs a misfit to the schema.
CIRCUMSTANCES: frozenset[Kind] = frozenset(
    (
        *("rate_limit", "quota_exceeded", "auth", "configuration", "network_error", "cancelled"),
        *("timeout", "unavailable", "server_unavailable"),
    )
)
# Told in plain words, these clear the model, although a code for bad requests stands beside.
NOT_OF_THE_MODEL: frozenset[Kind] = CIRCUMSTANCES | {"permission", "data_processing_error"}
# What a query meets in the data it asks for.
OF_DATA: frozenset[Kind] = frozenset(("data_processing_error", "index_error"))
# What depends on what was done before: the same call may rightly succeed in another run.
STATEFUL: frozenset[Kind] = frozenset({"not_found", "conflict", "rule_violation", "syntax_error"})

# What words tell when they tell little.
VAGUE_KINDS: frozenset[Kind] = frozenset(("unclassified", "execution_error", "rule_violation"))

# What words tell when they tell nothing of whose failure it was.
UNTOLD_KINDS: frozenset[Kind] = frozenset(("unclassified", "execution_error"))

# OpenTelemetry's MCP conventions call the first five the caller's. Vague codes and statuses are
# what servers send when they know no better: there the words say more.
JSON_RPC_KINDS: dict[int, Kind] = {
    -32700: "malformed_call",
    -32600: "malformed_call",
    -32601: "unknown_tool",
    -32602: "invalid_arguments",
    -32002: "not_found",
    -32603: "execution_error",
    -32000: "unavailable",
    -32001: "timeout",
    -32042: "auth",
    -32800: "cancelled",
    -32098: "unclassified",  # ours: a replayed recording has no answer to that
}
VAGUE_CODES = frozenset({-32603, -32000, -32001})
HTTP_KINDS: dict[int, Kind] = {
    400: "invalid_arguments",
    401: "auth",
    402: "quota_exceeded",
    403: "permission",
    404: "not_found",
    405: "unsupported",
    406: "unsupported",
    407: "auth",
    408: "timeout",
    409: "conflict",
    410: "not_found",
    412: "conflict",
    413: "output_too_large",
    415: "unsupported",
    422: "validation_error",
    423: "conflict",
    429: "rate_limit",
    451: "permission",
    500: "execution_error",
    501: "unsupported",
    502: "unavailable",
    503: "unavailable",
    504: "timeout",
    511: "auth",
    529: "unavailable",
}
VAGUE_STATUSES = frozenset({400, 403, 404, 422, 500, 502})
# Vague as they are, these are no answer to wrong arguments.
CLEARING_STATUSES = frozenset({403, 502})
