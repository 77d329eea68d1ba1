"""Tool definitions in every form we read, and what is no form at all."""

from __future__ import annotations

import tracemalloc
from types import SimpleNamespace
from typing import Any

import pytest

from assay.errors import InvalidTools
from assay.tools import ToolDefinition, read_tools

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
FULL = ToolDefinition("search", None, "Finds things.", SCHEMA)
SERVED = ToolDefinition("search", "web", "Finds things.", SCHEMA)
BARE = ToolDefinition("search")
MCP = {"name": "search", "description": "Finds things.", "inputSchema": SCHEMA}
ANTHROPIC = {"name": "search", "description": "Finds things.", "input_schema": SCHEMA}
OPENAI = {"name": "search", "description": "Finds things.", "parameters": SCHEMA}

FORMS: dict[str, tuple[Any, ToolDefinition]] = {
    "the seed's dict": (
        {"search": {"server": "web", "description": "Finds things.", "input_schema": SCHEMA}},
        SERVED,
    ),
    "a dict with nothing said": ({"search": None}, BARE),
    "a dict of descriptions": (
        {"search": "Finds things."},
        ToolDefinition("search", description="Finds things."),
    ),
    "a dict of OpenAI functions": ({"search": {"type": "function", "function": OPENAI}}, FULL),
    "an MCP list": ([MCP], FULL),
    "an MCP tools/list result": ({"tools": [MCP], "nextCursor": "x"}, FULL),
    "an MCP tools/list message": ({"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}}, FULL),
    "objects of the MCP SDK": ([SimpleNamespace(**MCP)], FULL),
    "objects of the later MCP SDK": ([SimpleNamespace(**ANTHROPIC)], FULL),
    "an OpenAI chat list": ([{"type": "function", "function": OPENAI}], FULL),
    "an OpenAI responses list": ([{"type": "function", **OPENAI}], FULL),
    "an Anthropic list": ([ANTHROPIC], FULL),
    "Gemini declarations": ([{"functionDeclarations": [OPENAI]}], FULL),
    "Gemini declarations with JSON Schema": (
        [
            {
                "functionDeclarations": [
                    {
                        "name": "search",
                        "description": "Finds things.",
                        "parametersJsonSchema": SCHEMA,
                    }
                ]
            }
        ],
        FULL,
    ),
    "lists by server": ({"web": [MCP]}, SERVED),
    "lists by server, in MCP's form": ({"web": {"tools": [MCP]}}, SERVED),
    "names by server": ({"web": ["search"]}, ToolDefinition("search", "web")),
    "a list of names": (["search"], BARE),
    "a tuple of names": (("search",), BARE),
    "a set of names": ({"search"}, BARE),
    "a tool that is called tools": (
        {"tools": {"input_schema": SCHEMA}},
        ToolDefinition("tools", input_schema=SCHEMA),
    ),
    "a dict of tools below tools": (
        {"tools": {"search": {"description": "Finds things.", "input_schema": SCHEMA}}},
        FULL,
    ),
    "one MCP tool alone": (MCP, FULL),
    "one OpenAI tool alone": ({"type": "function", "function": OPENAI}, FULL),
    "a dict of schemas": ({"search": SCHEMA}, ToolDefinition("search", input_schema=SCHEMA)),
    "a tool that is called name": (
        {"name": {"input_schema": SCHEMA}},
        ToolDefinition("name", input_schema=SCHEMA),
    ),
    "a tool whose texts are no texts": ([{"name": "search", "description": 5, "server": 7}], BARE),
    "a tool that says its own server": ({"x": [{**MCP, "server": "web"}]}, SERVED),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read(form: str) -> None:
    definitions, tool = FORMS[form]
    assert read_tools(definitions) == {tool.name: tool}


def test_several_tools_keep_their_order() -> None:
    forms = [MCP, "fetch", {"type": "function", "function": {"name": "save"}}]
    found = read_tools(forms)
    assert found is not None
    assert list(found) == ["search", "fetch", "save"]


def test_not_known_is_not_the_same_as_none_on_offer() -> None:
    assert read_tools(None) is None
    assert read_tools({}) == {}
    assert read_tools([]) == {}
    assert read_tools({"tools": []}) == {}
    assert read_tools({"tools": {}}) == {}


def test_the_same_tools_are_the_same_however_often_they_are_read() -> None:
    first, again = read_tools({"search": {"input_schema": SCHEMA}}), read_tools({"search": {}})
    assert first == read_tools({"search": {"input_schema": SCHEMA}})
    assert again == {"search": BARE}


def test_many_large_lists_of_tools_do_not_fill_the_memory() -> None:
    tracemalloc.start()
    try:
        for i in range(60):
            texts = {f"tool_{i}_{n}": {"description": f"{i} {n} " + "x" * 200} for n in range(800)}
            assert len(read_tools(texts) or {}) == 800
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # One list takes about half a megabyte.
    assert kept < 15 * 1024 * 1024


WRONG: list[tuple[Any, str]] = [
    ("search", "tools: expected a dict or a list of tool definitions, got str 'search'"),
    (5, "tools: expected a dict or a list of tool definitions, got int 5"),
    ([5], "tools[0]: a tool needs a name (as MCP, OpenAI or Anthropic list them), got int 5"),
    (
        ["a", None],
        "tools[1]: a tool needs a name (as MCP, OpenAI or Anthropic list them), got null",
    ),
    ([{"name": ""}], "tools[0]: a tool needs a name"),
    ([{"title": "search"}], "tools[0]: a tool needs a name"),
    ([{"functionDeclarations": 5}], "tools[0]: a tool needs a name"),
    ([{"functionDeclarations": [{}]}], "tools[0][0]: a tool needs a name"),
    ({"web": [{}]}, "tools.web[0]: a tool needs a name"),
    ({"schema_version": 1}, "tools.schema_version: expected a tool's definition, got int 1"),
    ({"a": {}, "b": True}, "tools.b: expected a tool's definition, got bool True"),
    ({("a", "b"): {}}, "tools: a tool's name is text, got tuple ('a', 'b')"),
]


@pytest.mark.parametrize(("definitions", "message"), WRONG)
def test_no_form_at_all_is_refused_by_place(definitions: Any, message: str) -> None:
    with pytest.raises(InvalidTools) as raised:
        read_tools(definitions)
    assert str(raised.value).startswith(message)


def test_gemini_declarations_are_read_as_json_schema() -> None:
    declared = {
        "name": "f",
        "parameters": {
            "type": "OBJECT",
            "properties": {"a": {"any_of": [{"type": "STRING"}, {"type": "INTEGER"}]}},
        },
    }
    found = read_tools([{"function_declarations": [declared]}])
    assert found is not None
    assert found["f"].input_schema == {
        "type": "object",
        "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
    }


def test_namesakes_on_two_servers_are_both_kept() -> None:
    found = read_tools({"a": [{"name": "s"}], "b": [{"name": "s", "inputSchema": {}}]})
    assert found is not None
    assert found["s"].server == "a"
    assert found["s"].on("b").input_schema == {}
    assert found["s"].on("elsewhere").server == "a"
