"""A server without an SDK, of either generation, that does what servers should not do.

flawed_server.py [modern] [crashing] [silent]
"""

from __future__ import annotations

import json
import sys
from typing import Any

HOW = set(sys.argv[1:])
READS = {"readOnlyHint": True}
PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS: list[dict[str, Any]] = [
    {"name": "careless", "inputSchema": PATH, "annotations": READS},
    {"name": "terse", "inputSchema": PATH, "annotations": READS},
    {"name": "vague", "inputSchema": PATH, "annotations": READS},
    {"name": "exact", "inputSchema": PATH, "annotations": READS, "x-unknown": {"kept": True}},
    {"name": "delete", "inputSchema": PATH},
]


def answer(message: dict[str, Any]) -> dict[str, Any]:
    method, params = message["method"], message.get("params", {})
    is_modern = "io.modelcontextprotocol/protocolVersion" in params.get("_meta", {})
    if ("modern" in HOW) != is_modern:
        return {"error": {"code": -32022, "message": "another generation"}}
    if method == "initialize":
        about = {"name": "flawed", "version": "1"}
        return {
            "result": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": about}
        }
    if method == "tools/list":
        at = int(params.get("cursor", 0))
        more = {"nextCursor": str(at + 2)} if at + 2 < len(TOOLS) else {}
        return {"result": {"tools": TOOLS[at : at + 2], **more}}
    return called(params["name"], params["arguments"])


def called(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if "crashing" in HOW and name == "vague":
        sys.stderr.write("KeyError in vague\n")
        sys.exit(3)
    refusals = {
        "terse": "'path'",
        "vague": "Invalid input",
        "exact": "'path' must be text, and is missing or something else",
    }
    text = refusals.get(name, f"Unknown tool or fine: {name} {json.dumps(arguments)}")
    content = [{"type": "hologram", "text": text, "x-unknown": 1}]
    return {"result": {"content": content, "isError": name in refusals}}


if __name__ == "__main__":
    for line in sys.stdin:
        received = json.loads(line)
        if "method" not in received or "id" not in received:
            continue
        if "silent" in HOW and received["method"] == "tools/list":
            continue
        for frame in (
            {"id": "s1", "method": "ping"},
            {"id": "s2", "method": "roots/list"},
            {"method": "notifications/message", "params": {"level": "info", "data": "hello"}},
            {"id": received["id"], **answer(received)},
        ):
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
            sys.stdout.flush()
