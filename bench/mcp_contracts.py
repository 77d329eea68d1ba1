"""`assay mcp check` and `diff` on released servers: `python -m bench.mcp_contracts [FOLDER]`.

The servers are installed by name from the package indexes into FOLDER, unless they are there.
Three tables are printed: what check finds, what diff says of pairs of releases, and how diff does
on seeded mutations of the tools of the newest releases.
"""

from __future__ import annotations

import copy
import random
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import ServerUnavailable
from assay.mcp.check import check, probe
from assay.mcp.client import Client
from assay.mcp.diff import Call, diff, validator_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Change = Callable[["Tool", random.Random], bool]

Tool = dict[str, Any]
SEED = 25
MUTATIONS = 200
CALLS_A_TOOL = 12
SCOPE = "@modelcontextprotocol/server-"
# Releases of their time need the libraries of their time, or do not start.
OF_ITS_TIME = {"git@2025.1.14": ("mcp==1.2.0", "pydantic<2.11")}
CHECKED = (
    "filesystem@2025.8.21",
    "everything@2026.8.31",
    "memory@2026.8.31",
    "sequential-thinking@2026.8.31",
    "time@2026.10.19",
    "git@2025.1.14",
    "fetch@2026.10.24",
    "sqlite@2025.4.25",
)
PAIRS = (
    ("filesystem", "2025.7.29", "2025.8.18"),
    ("filesystem", "2025.8.21", "2025.12.18"),
    ("filesystem", "2025.12.18", "2026.8.31"),
    ("everything", "2025.1.14", "2025.9.25"),
    ("everything", "2025.12.18", "2026.8.31"),
    ("memory", "2025.4.25", "2025.9.25"),
    ("memory", "2025.9.25", "2026.8.31"),
    ("sequential-thinking", "2025.7.1", "2025.12.18"),
    ("sequential-thinking", "2025.12.18", "2026.8.31"),
    ("git", "2025.1.14", "2025.9.25"),
    ("git", "2026.1.14", "2026.10.19"),
    ("fetch", "2025.1.14", "2025.4.7"),
    ("fetch", "2025.4.7", "2026.10.24"),
    ("sqlite", "2025.1.14", "2025.4.25"),
    ("time", "2025.7.1", "2026.10.19"),
)
MUTATED = (
    "filesystem@2026.8.31",
    "everything@2026.8.31",
    "memory@2026.8.31",
    "sequential-thinking@2026.8.31",
    "time@2026.10.19",
    "git@2026.10.19",
    "fetch@2026.10.24",
    "sqlite@2025.4.25",
)
ON_NODE = frozenset({"filesystem", "everything", "memory", "sequential-thinking"})


class Servers:
    """Releases of servers, each in a folder of its own, with libraries of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "--quiet", self.work], check=True)

    def command(self, release: str) -> list[str]:
        name, _, version = release.partition("@")
        home = self.folder / release
        if name in ON_NODE:
            script = home / "node_modules" / f"{SCOPE}{name}" / "dist" / "index.js"
            if not script.exists():
                home.mkdir(exist_ok=True)
                package = f"{SCOPE}{name}@{version}"
                _install("npm", "install", "--silent", "--no-audit", "--prefix", home, package)
            return ["node", str(script), *([str(self.work)] if name == "filesystem" else [])]
        program = home / "bin" / f"mcp-server-{name}"
        if not program.exists():
            _install(sys.executable, "-m", "venv", home)
            year, month = map(int, version.split(".")[:2])
            beside = OF_ITS_TIME.get(
                release, ("mcp",) if (year, month) >= (2026, 6) else ("mcp<2",)
            )
            packages = (f"mcp-server-{name}=={version}", *beside)
            _install(home / "bin" / "pip", "install", "--quiet", *packages)
        arguments = {"sqlite": ["--db-path", str(self.work / "sqlite.db")]}
        return [str(program), *arguments.get(name, [])]

    @cache  # noqa: B019 - one object a run
    def tools(self, release: str) -> list[Tool]:
        with Client(self.command(release)) as client:
            return client.tools()


def _install(*command: object) -> None:
    subprocess.run([str(part) for part in command], check=True, stderr=subprocess.DEVNULL)


def checked(servers: Servers) -> None:
    print("| server | tools | errors | warnings | tokens (estimate) | what stands out |")
    print("|---|---|---|---|---|---|")
    for release in CHECKED:
        tools, command = servers.tools(release), servers.command(release)
        report = check(tools, *probe(lambda command=command: Client(command), tools, "all"))  # type: ignore[misc]
        serious = [each for each in report.findings if each.severity != "note"]
        rules = Counter(each.rule for each in serious)
        first = {each.rule: f"{each.tool}: {each.message}" for each in reversed(serious)}
        said = "; ".join(f"{n} x {rule} ({first[rule][:90]})" for rule, n in rules.items())
        print(
            f"| {release} | {report.tools} | {report.count('error')} | {report.count('warning')} "
            f"| {report.tokens_estimated:,} | {said.replace('|', '/') or 'nothing'} |"
        )


def compared(servers: Servers) -> None:
    print("| server | from | to | breaking | risky | unstated | fine | the breaking |")
    print("|---|---|---|---|---|---|---|---|")
    for name, old, new in PAIRS:
        found = diff(servers.tools(f"{name}@{old}"), servers.tools(f"{name}@{new}"))
        counts = Counter(each.level for each in found.changes)
        broken = [each.sentence() for each in found.changes if each.level == "breaking"]
        levels = " | ".join(str(counts[each]) for each in ("breaking", "risky", "unstated", "fine"))
        print(
            f"| {name} | {old} | {new} | {levels} | {'; '.join(broken).replace('|', '/')[:240]} |"
        )


def _named(tool: Tool, chance: random.Random, fits: Callable[[Any], bool]) -> str | None:
    names = [k for k, v in sorted(_properties(tool).items()) if isinstance(v, dict) and fits(v)]
    return chance.choice(names) if names else None


def _properties(tool: Tool) -> dict[str, Any]:
    found: dict[str, Any] = tool["inputSchema"].setdefault("properties", {})
    return found


def _on_property(
    fits: Callable[[Any], bool], edit: Callable[[dict[str, Any], random.Random], object]
) -> Callable[[Tool, random.Random], bool]:
    def change(tool: Tool, chance: random.Random) -> bool:
        name = _named(tool, chance, fits)
        if name is not None:
            edit(_properties(tool)[name], chance)
        return name is not None

    return change


def _rename_property(tool: Tool, chance: random.Random) -> bool:
    required = tool["inputSchema"].get("required", [])
    name = chance.choice(required) if required else None
    if name is None:
        return False
    _properties(tool)[f"{name}_2"] = _properties(tool).pop(name, {})
    tool["inputSchema"]["required"] = [f"{name}_2" if n == name else n for n in required]
    return True


def _remove_closed(tool: Tool, chance: random.Random) -> bool:
    name = _named(tool, chance, lambda _: True)
    if name is None:
        return False
    del _properties(tool)[name]
    schema = tool["inputSchema"]
    schema["required"] = [each for each in schema.get("required", []) if each != name]
    schema["additionalProperties"] = False
    return True


def _require(tool: Tool, chance: random.Random) -> bool:
    required = tool["inputSchema"].setdefault("required", [])
    optional = sorted(_properties(tool).keys() - set(required))
    if optional:
        required.append(chance.choice(optional))
    return bool(optional)


def _add_required(tool: Tool, _: random.Random) -> bool:
    _properties(tool)["trace"] = {"type": "string"}
    tool["inputSchema"].setdefault("required", []).append("trace")
    return True


def _add_optional(tool: Tool, _: random.Random) -> bool:
    _properties(tool)["trace"] = {"type": "string"}
    return True


def _relax(tool: Tool, chance: random.Random) -> bool:
    required = tool["inputSchema"].get("required", [])
    if required:
        required.remove(chance.choice(required))
    return bool(required) or "required" in tool["inputSchema"]


def _reorder(tool: Tool, chance: random.Random) -> bool:
    items = list(_properties(tool).items())
    chance.shuffle(items)
    tool["inputSchema"]["properties"] = dict(items)
    tool["inputSchema"].get("required", []).reverse()
    return len(items) > 1


def _into_definition(tool: Tool, chance: random.Random) -> bool:
    name = _named(tool, chance, lambda each: "$ref" not in each)
    if name is not None:
        tool["inputSchema"].setdefault("$defs", {})["Moved"] = _properties(tool)[name]
        _properties(tool)[name] = {"$ref": "#/$defs/Moved"}
    return name is not None


def _rename_tool(tool: Tool, _: random.Random) -> bool:
    tool["name"] += "_2"
    return True


def _explicit(tool: Tool, _: random.Random) -> bool:
    schema = tool["inputSchema"]
    schema.setdefault("required", [])
    schema.setdefault("additionalProperties", True)
    schema["title"], schema["$schema"] = "Arguments", "https://json-schema.org/draft/2020-12/schema"
    return True


def _is(*kinds: str) -> Callable[[Any], bool]:
    return lambda schema: schema.get("type") in kinds


def _as_union(schema: dict[str, Any], kinds: list[str]) -> None:
    kept = {key: schema.pop(key) for key in list(schema) if key not in {"title", "description"}}
    schema["anyOf"] = [kept, *({"type": kind} for kind in kinds)]


def _other_type(schema: dict[str, Any], chance: random.Random) -> None:
    kind = schema["type"]
    schema.clear()
    schema["type"] = chance.choice(sorted({"string", "boolean", "array"} - {kind}))


def _limits(schema: dict[str, Any]) -> set[str]:
    return schema.keys() & {"minimum", "maximum", "exclusiveMaximum", "minItems", "minLength"}


def _is_free_text(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "string" and "enum" not in schema


# Whether a tool takes less than before is known from how it was changed.
NARROWING: dict[str, Change] = {
    "argument renamed": _rename_property,
    "argument removed, others refused": _remove_closed,
    "optional argument required": _require,
    "required argument added": _add_required,
    "type changed": _on_property(_is("string", "number", "boolean"), _other_type),
    "value dropped from an enum": _on_property(
        lambda s: len(s.get("enum", ())) > 1,
        lambda s, chance: s["enum"].remove(chance.choice(s["enum"])),
    ),
    "texts limited": _on_property(_is_free_text, lambda s, _: s.update(maxLength=4)),
    "pattern added": _on_property(_is_free_text, lambda s, _: s.update(pattern="^/")),
    "numbers limited": _on_property(
        _is("integer", "number"), lambda s, _: s.update(maximum=s.get("minimum", 0) + 2)
    ),
    "list limited": _on_property(_is("array"), lambda s, _: s.update(maxItems=1)),
    "tool renamed": _rename_tool,
}
HARMLESS: dict[str, Change] = {
    "optional argument added": _add_optional,
    "required argument made optional": _relax,
    "value added to an enum": _on_property(
        lambda s: "enum" in s, lambda s, _: s["enum"].append("another")
    ),
    "null allowed": _on_property(
        _is("string", "integer", "number", "array"), lambda s, _: _as_union(s, ["null"])
    ),
    "other types allowed": _on_property(
        _is("string", "integer"), lambda s, _: _as_union(s, ["boolean", "object"])
    ),
    "bounds of safe integers": _on_property(
        lambda s: s.get("type") == "integer" and not _limits(s),
        lambda s, _: s.update(minimum=-(2**53 - 1), maximum=2**53 - 1),
    ),
    "bounds dropped": _on_property(
        lambda s: bool(_limits(s)), lambda s, _: [s.pop(each) for each in _limits(s)]
    ),
    "words changed": _on_property(
        lambda _: True, lambda s, _: s.update(title="Other", description="In other words.")
    ),
    "keys in another order": _reorder,
    "schema moved into a definition": _into_definition,
    "said what was meant anyway": _explicit,
}
OF_THE_WHOLE = frozenset({"tool renamed", "schema moved into a definition"})


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    """The schema and all objects with properties in it, at any depth."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield schema
        for inner in (*schema.get("properties", {}).values(), schema.get("items")):
            yield from _objects(inner)


_TEXTS = ["a", "/tmp/a.txt", "two words", "UTC", "12:30"]


def sample(schema: Any, chance: random.Random, depth: int = 0) -> Any:
    """A value that the schema probably admits."""
    if not isinstance(schema, dict) or depth > 6:
        return "a"
    if choices := schema.get("anyOf", schema.get("oneOf")):
        return sample(chance.choice(choices), chance, depth + 1)
    kind = schema.get("type")
    kind = chance.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        return _object(schema, chance, depth)
    if kind == "array":
        least = schema.get("minItems", 0)
        many = chance.randint(least, max(least, min(3, schema.get("maxItems", 3))))
        return [sample(schema.get("items"), chance, depth + 1) for _ in range(many)]
    if kind in {"integer", "number"}:
        least = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
        return chance.randint(int(least), int(min(schema.get("maximum", least + 40), least + 40)))
    texts = schema.get("enum", [schema["const"]] if "const" in schema else _TEXTS)
    return chance.choice([True, False] if kind == "boolean" else texts)


def _object(schema: dict[str, Any], chance: random.Random, depth: int) -> dict[str, Any]:
    required = set(schema.get("required", ()))
    return {
        name: sample(each, chance, depth + 1)
        for name, each in schema.get("properties", {}).items()
        if name in required or chance.random() < 0.6
    }


def calls_of(tool: Tool, chance: random.Random) -> list[Call]:
    """Calls that the tool's schema admits."""
    validator = validator_of(tool["inputSchema"])
    made = (sample(tool["inputSchema"], chance) for _ in range(4 * CALLS_A_TOOL))
    fitting = [each for each in made if validator.is_valid(each)]
    return [Call(f"call {i}", tool["name"], each) for i, each in enumerate(fitting[:CALLS_A_TOOL])]


def mutated(servers: Servers) -> None:
    chance = random.Random(SEED)
    tools = [tool for release in MUTATED for tool in servers.tools(release)]
    kinds = NARROWING | HARMLESS
    rows: dict[str, Counter[str]] = {name: Counter() for name in kinds}
    while (made := sum(row["made"] for row in rows.values())) < MUTATIONS:
        old, name = chance.choice(tools), list(kinds)[made % len(kinds)]
        new = copy.deepcopy(old)
        whole = new["inputSchema"]
        inner = whole if name in OF_THE_WHOLE else chance.choice([*_objects(whole)] or [whole])
        site = {"name": new["name"], "inputSchema": inner}
        if not kinds[name](site, chance) or (site["name"] == old["name"] and new == old):
            continue
        new["name"] = site["name"]
        refused = diff([old], [new], calls_of(old, chance)).refused
        is_breaking = diff([old], [new]).level == "breaking"
        rows[name].update(
            {
                "made": 1,
                "breaking": is_breaking,
                "refusing": bool(refused),
                "missed": bool(refused) and not is_breaking,
                "false": is_breaking and name in HARMLESS,
            }
        )
    print("| mutation | narrows | made | refuse a call | breaking | missed | false breaks |")
    print("|---|---|---|---|---|---|---|")
    columns = ("made", "refusing", "breaking", "missed", "false")
    for name, row in rows.items():
        figures = " | ".join(str(row[each]) for each in columns)
        print(f"| {name} | {'yes' if name in NARROWING else 'no'} | {figures} |")
    total = sum(rows.values(), Counter[str]())
    print(f"| all, of {len(tools)} tools | | {' | '.join(str(total[each]) for each in columns)} |")


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir() + "/mcp-releases")
    servers = Servers(folder)
    for table in (checked, compared, mutated):
        try:
            table(servers)
        except (subprocess.CalledProcessError, FileNotFoundError, ServerUnavailable) as exc:
            print(f"skipped: {exc}", file=sys.stderr)
        print()


if __name__ == "__main__":
    main()
