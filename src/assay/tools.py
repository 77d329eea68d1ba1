"""The tools an agent was offered, read from whatever form the user has them in.

Known forms: the seed's dict (name to definition), MCP `tools/list` output, OpenAI and
Anthropic tool lists, Gemini function declarations, a dict from server to its tools, plain
lists of names, and the objects of the MCP SDK.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay.errors import InvalidTools
from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Mapping

_GEMINI_KEYWORDS = {
    "any_of": "anyOf",
    "additional_properties": "additionalProperties",
    "max_items": "maxItems",
    "min_items": "minItems",
    "max_length": "maxLength",
    "min_length": "minLength",
    "max_properties": "maxProperties",
    "min_properties": "minProperties",
}
_SCHEMA_KEYS = ("input_schema", "inputSchema", "parameters", "parametersJsonSchema")
# Either of these makes a dict the definition of one tool, not a dict of tools.
_TELLING_KEYS = (*_SCHEMA_KEYS, "description", "function")
_LARGE = 100_000


class ToolDefinition(Struct, frozen=True):
    """One tool on offer; `input_schema` is None where the server gave none.

    Two servers may offer tools of the same name: the others are the `namesakes`. `read_only`
    is what the server's annotations say, None where they say nothing.
    """

    name: str
    server: str | None = None
    description: str | None = None
    input_schema: Any = None
    namesakes: tuple[ToolDefinition, ...] = ()
    read_only: bool | None = None

    def on(self, server: str | None) -> ToolDefinition:
        """The tool of this name on that server; this one if there is none."""
        if not self.namesakes or server == self.server:
            return self
        return next((tool for tool in self.namesakes if tool.server == server), self)


def read_tools(definitions: object) -> Mapping[str, ToolDefinition] | None:
    """The tools on offer by name; None when nothing is known of them.

    None is not the same as an empty dict, which says that no tool was on offer.
    """
    if definitions is None:
        return None
    if isinstance(definitions, dict) and not {str}.issuperset(map(type, definitions)):
        return _read(definitions)  # says which key is wrong; JSON would turn it into text
    try:
        text = msgspec.json.encode(definitions)
    except (TypeError, ValueError, RecursionError):
        return _read(definitions)  # objects of an SDK, say
    return _read_text(text) if len(text) <= _LARGE else _read_large_text(text)


def _read_text_anew(text: bytes) -> Mapping[str, ToolDefinition]:
    return _read(msgspec.json.decode(text))


# The same tools are offered in case after case; they are read once. Large ones are few, or they
# would fill the memory.
_read_text = lru_cache(maxsize=128)(_read_text_anew)
_read_large_text = lru_cache(maxsize=8)(_read_text_anew)


def _read(definitions: object) -> dict[str, ToolDefinition]:
    if isinstance(definitions, dict):
        return _from_dict(definitions)
    if isinstance(definitions, list | tuple | set | frozenset):
        return _from_list(definitions, "tools", server=None)
    raise InvalidTools(
        f"tools: expected a dict or a list of tool definitions, got {preview(definitions)}"
    )


def _from_dict(definitions: dict[Any, Any]) -> dict[str, ToolDefinition]:
    if isinstance(definitions.get("result"), dict) and "jsonrpc" in definitions:
        definitions = definitions["result"]
    inner = definitions.get("tools")
    if isinstance(inner, list):
        return _from_list(inner, "tools", server=None)
    if isinstance(inner, dict) and not _defines_a_tool(inner):
        return _from_dict(inner)
    if _defines_a_tool(definitions) and _name_of(definitions) is not None:
        return _from_list([definitions], "tools", server=None)
    found: dict[str, ToolDefinition] = {}
    for name, entry in definitions.items():
        if not isinstance(name, str):
            raise InvalidTools(f"tools: a tool's name is text, got {preview(name)}")
        if isinstance(entry, int | float):
            raise InvalidTools(f"tools.{name}: expected a tool's definition, got {preview(entry)}")
        served = _tools_of_server(entry)
        if served is None:
            found[name] = _named(name, entry)
        else:
            _add_all(found, _from_list(served, f"tools.{name}", server=name))
    return found


def _defines_a_tool(entry: dict[Any, Any]) -> bool:
    return any(key in entry for key in _TELLING_KEYS)


def _name_of(entry: Any) -> str | None:
    inner = _get(entry, "function")
    name = _get(entry if inner is None else inner, "name")
    return name if isinstance(name, str) and name else None


def _add_all(found: dict[str, ToolDefinition], more: Mapping[str, ToolDefinition]) -> None:
    for name, tool in more.items():
        known = found.get(name)
        if known is None or known.server == tool.server:
            found[name] = tool
        else:
            found[name] = replace(known, namesakes=(*known.namesakes, tool))


def _tools_of_server(entry: Any) -> list[Any] | None:
    if isinstance(entry, dict) and isinstance(entry.get("tools"), list):
        entry = entry["tools"]
    return entry if isinstance(entry, list) else None


def _from_list(entries: Any, where: str, *, server: str | None) -> dict[str, ToolDefinition]:
    found: dict[str, ToolDefinition] = {}
    for i, entry in enumerate(entries):
        declared = _gemini_declarations(entry)
        if declared is not None:
            _add_all(found, _from_list(declared, f"{where}[{i}]", server=server))
            continue
        tool = _listed(entry, f"{where}[{i}]", server)
        _add_all(found, {tool.name: tool})
    return found


def _gemini_declarations(entry: Any) -> list[Any] | None:
    """Gemini's list of functions with its schemas as JSON Schema, if this is one."""
    if not isinstance(entry, dict):
        return None
    declared = entry.get("functionDeclarations", entry.get("function_declarations"))
    if not isinstance(declared, list):
        return None
    return [_in_json_schema(function) for function in declared]


def _in_json_schema(value: Any) -> Any:
    """Gemini writes types in capitals and keywords with underscores."""
    if isinstance(value, list):
        return [_in_json_schema(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {_GEMINI_KEYWORDS.get(key, key): _in_json_schema(item) for key, item in value.items()}
    kind = found.get("type")
    if isinstance(kind, str) and kind.isupper():
        found["type"] = kind.lower()
    return found


def _listed(entry: Any, where: str, server: str | None) -> ToolDefinition:
    if isinstance(entry, str):
        return ToolDefinition(entry, server)
    name = _name_of(entry)
    if name is None:
        raise InvalidTools(
            f"{where}: a tool needs a name (as MCP, OpenAI or Anthropic list them), "
            f"got {preview(entry)}"
        )
    return _named(name, entry, server)


def _named(name: str, entry: Any, server: str | None = None) -> ToolDefinition:
    if entry is None or isinstance(entry, str):
        return ToolDefinition(name, server, entry)
    body = _get(entry, "function") or entry
    schema = next((found for key in _SCHEMA_KEYS if (found := _get(body, key)) is not None), None)
    if schema is None and isinstance(_get(body, "properties"), dict):
        schema = body  # the schema itself stands where its tool should
    own_server = _get(entry, "server")
    description = _get(body, "description")
    return ToolDefinition(
        name=name,
        server=own_server if isinstance(own_server, str) else server,
        description=description if isinstance(description, str) else None,
        input_schema=schema,
        read_only=_read_only(_get(body, "annotations")),
    )


def _read_only(annotations: Any) -> bool | None:
    hint = _get(annotations, "readOnlyHint")
    if isinstance(hint, bool):
        return hint
    return False if _get(annotations, "destructiveHint") is True else None


def _get(entry: Any, key: str) -> Any:
    return entry.get(key) if isinstance(entry, dict) else getattr(entry, key, None)
