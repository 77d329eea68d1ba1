"""What is wrong with the tools of a server, by their definitions and by how it refuses.

A probe is a call whose arguments the tool's own schema refuses, so that no tool should run.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import jsonschema_rs
import msgspec
from msgspec import Struct

from assay.errors import ServerUnavailable
from assay.mcp.client import is_refusal, problem_of
from assay.mcp.contract import contract_hash
from assay.mcp.diff import validator_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.mcp.client import Client, Frame
    from assay.mcp.contract import Tool

Severity = Literal["error", "warning", "note"]
Probe = Literal["read-only", "all", "none"]


class Rule(NamedTuple):
    """How bad it is, and what it means to a model."""

    severity: Severity
    why: str


RULES: Final = {
    "invalid-schema": Rule("error", "Clients refuse the tool, or all tools."),
    "not-an-object": Rule("error", "The root of an input schema is of type object."),
    "undefined-required": Rule("error", "No value can be known for the argument."),
    "duplicate-name": Rule("error", "A client keeps one of the two."),
    "bad-name": Rule("error", "The protocol allows 1 to 128 of A-Z, a-z, 0-9, '_', '-' and '.'."),
    "hidden-characters": Rule("error", "A model reads what a person does not see."),
    "instructions": Rule("error", "A description describes; it gives the model no orders."),
    "unknown-tool-accepted": Rule("error", "A call of a tool that is not there must fail."),
    "invalid-accepted": Rule("error", "Arguments that the schema refuses must be refused."),
    "no-answer": Rule("error", "A refusal is an answer."),
    "unnamed-argument": Rule("warning", "A model mends what a refusal names."),
    "bare-refusal": Rule("warning", "A refusal says what is wrong with the argument."),
    "no-description": Rule("warning", "A model chooses a tool by its description."),
    "no-parameters": Rule("warning", "What only the prose names cannot be given."),
    "undescribed-parameter": Rule("warning", "A model guesses what it means."),
    "untyped-parameter": Rule("warning", "A model guesses what it takes."),
    "no-annotations": Rule("note", "A client takes the tool for destructive."),
    "no-output-schema": Rule("note", "Results have no structure to rely on."),
}
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_ORDERS = re.compile(
    r"(?:ignore|disregard|forget|override) (?:\w{1,12} ){0,3}(?:previous|prior|earlier|above|other)"
    r" (?:\w{1,12} ){0,2}(?:instruction|prompt|rule|message)"
    r"|(?:do not|don't|never|without) (?:tell|inform|mention|reveal|show|notify|telling|informing"
    r"|mentioning|notifying)\w{0,3} (?:\w{1,12} ){0,4}(?:user|human)"
    r"|<(?:important|system|instructions?|secret|hidden)>"
    r"|\b(?:read|send|include|attach|pass|upload) (?:[^\n.]{1,60} )?"
    r"(?:~/\.ssh|[^\s]{0,40}id_rsa|~/\.aws|\.env\b|[^\s]{0,40}mcp\.json|api keys?|passwords?)",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"^\s{0,20}(?:args|arguments|parameters|params)\s?:"
    r"|['\"`]\w{1,40}['\"`] (?:parameter|argument)",
    re.IGNORECASE | re.MULTILINE,
)
# What joins letters and signs into one is seen in what it does.
_SEEN = frozenset("\t\n\r\u200c\u200d")
_HIDDEN = frozenset({"Cc", "Cf", "Co"})
_DEEPEST = 30
_MOST_SHOWN = 160
_CHARACTERS_A_TOKEN = 4


class Finding(Struct, frozen=True):
    """One thing that is wrong with a tool; without a name it is the server."""

    rule: str
    tool: str
    message: str

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return RULES[self.rule].severity


class Report(Struct, frozen=True):
    """All that was found, worst first; tokens are an estimate from the characters."""

    tools: int
    contract: str
    characters: int
    tokens_estimated: int
    probes: int
    findings: tuple[Finding, ...]

    def count(self, severity: Severity) -> int:
        """How many findings are that bad."""
        return sum(each.severity == severity for each in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values, each finding with its severity."""
        findings = [{"severity": f.severity, **msgspec.to_builtins(f)} for f in self.findings]
        return {**msgspec.to_builtins(self), "findings": findings}

    def to_sarif(self, target: str) -> dict[str, Any]:
        """The report as SARIF 2.1.0, for code scanning."""
        rules = [
            {"id": name, "shortDescription": {"text": rule.why}} for name, rule in RULES.items()
        ]
        results = [
            {
                "ruleId": each.rule,
                "level": each.severity,
                "message": {"text": f"{each.tool}: {each.message}"},
                "locations": [
                    {
                        "physicalLocation": {"artifactLocation": {"uri": target}},
                        "logicalLocations": [{"fullyQualifiedName": each.tool}],
                    }
                ],
            }
            for each in self.findings
        ]
        driver = {"name": "assay mcp check", "rules": rules}
        return {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{"tool": {"driver": driver}, "results": results}],
        }


def check(
    tools: Sequence[Tool], found_by_probes: Sequence[Finding] = (), probes: int = 0
) -> Report:
    """Check the definitions of a server's tools; what probes found is added."""
    names = Counter(str(tool.get("name")) for tool in tools)
    findings = [*found_by_probes]
    findings += (
        Finding("duplicate-name", name, f"{n} tools have this name")
        for name, n in names.items()
        if n > 1
    )
    for tool in tools:
        name = str(tool.get("name"))
        findings += (Finding(rule, name, message) for rule, message in _of_tool(tool))
    order = list(RULES)
    characters = len(msgspec.json.encode(tools).decode())
    return Report(
        len(tools),
        contract_hash(tools),
        characters,
        round(characters / _CHARACTERS_A_TOKEN),
        probes,
        tuple(sorted(findings, key=lambda each: (order.index(each.rule), each.tool))),
    )


_Complaint = tuple[str, str]


def _of_tool(tool: Tool) -> Iterator[_Complaint]:
    name = tool.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield "bad-name", f"{name!r:.160} is no name that the protocol allows"
    yield from _of_texts(tool)
    if not str(tool.get("description") or "").strip():
        yield "no-description", "has no description"
    yield from _of_input(tool)
    if "outputSchema" not in tool:
        yield "no-output-schema", "does not say what it gives"
    elif isinstance(problem := validator_of(tool["outputSchema"]), str):
        yield "invalid-schema", f"outputSchema: {problem}"
    if not tool.get("annotations"):
        yield "no-annotations", "does not say whether it only reads"


def _of_input(tool: Tool) -> Iterator[_Complaint]:
    schema = tool.get("inputSchema")
    if isinstance(problem := validator_of(schema), str):
        yield "invalid-schema", f"inputSchema: {problem}"
        return
    if not isinstance(schema, dict) or schema.get("type") != "object":
        says = "has no schema" if not isinstance(schema, dict) else "the schema has no type: object"
        is_empty = isinstance(schema, dict) and not schema.keys() - {"$schema"}
        yield "not-an-object", "the schema is empty" if is_empty else says
    properties = _properties(tool)
    for name in _required(tool):
        closed = isinstance(schema, dict) and not schema.keys() & {"allOf", "patternProperties"}
        if name not in properties and closed:
            yield "undefined-required", f"{name!r} is required and not defined"
    if not properties and _PROSE.search(str(tool.get("description") or "")):
        yield "no-parameters", "the description names parameters, the schema has none"
    for name, each in properties.items():
        if not isinstance(each, dict) or not each.keys() - {"title", "description", "default"}:
            yield "untyped-parameter", f"{name!r} has no type"
        if isinstance(each, dict) and "$ref" not in each and not each.get("description"):
            yield "undescribed-parameter", f"{name!r} has no description"


def _of_texts(tool: Tool) -> Iterator[_Complaint]:
    for place, text in _texts(tool, ""):
        hidden = sorted({c for c in text if unicodedata.category(c) in _HIDDEN} - _SEEN)
        if hidden:
            shown = ", ".join(f"U+{ord(c):04X}" for c in hidden[:5])
            yield "hidden-characters", f"{place} holds {shown}"
        if (order := _ORDERS.search(text)) is not None:
            yield "instructions", f"{place} says {order[0][:_MOST_SHOWN]!r}"


def _texts(value: Any, place: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    if depth > _DEEPEST or not isinstance(value, dict | list):
        return
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _texts(each, f"{place}.{key}".removeprefix("."), depth + 1)
        if isinstance(key, str) and not key.isascii():
            yield f"a key of {place}", key


def probe(
    connect: Callable[[], Client], tools: Sequence[Tool], which: Probe = "read-only"
) -> tuple[list[Finding], int]:
    """Call what must be refused, and look at how; a server that ended is started again."""
    if which == "none":
        return [], 0
    wanted = [_Question("", "assay_probe_no_such_tool", {}, ())]
    for tool in tools:
        if (which == "all" or _only_reads(tool)) and not _is_task(tool):
            wanted += _questions(tool)
    found: list[Finding] = []
    client = connect()
    try:
        for question in wanted:
            try:
                answer = client.call(question.tool, question.arguments)
            except ServerUnavailable as exc:
                message = f"{question.what} ended or stopped the server: {exc}"
                found.append(Finding("no-answer", question.tool, message[:400]))
                client.close()
                client = connect()
            else:
                found += _of_answer(question, answer)
    finally:
        client.close()
    return found, len(wanted)


class _Question(NamedTuple):
    what: str
    tool: str
    arguments: dict[str, Any]
    names: tuple[str, ...]


def _questions(tool: Tool) -> Iterator[_Question]:
    """Calls that the tool's schema refuses: one without arguments, one with a wrong type."""
    validator = validator_of(tool.get("inputSchema"))
    properties, required, name = _properties(tool), _required(tool), str(tool.get("name"))
    asked: list[tuple[str, dict[str, Any], tuple[str, ...]]] = []
    if required:
        asked.append(("a call without arguments", {}, tuple(required)))
    wrong = next(((key, each) for key, each in properties.items() if _type(each)), None)
    if wrong is not None:
        key, each = wrong
        # What may change something is not called with arguments that it could work with.
        filled = {n: _sample(properties.get(n)) for n in required} if _only_reads(tool) else {}
        value: Any = "assay probe" if _type(each) == "object" else {"assay": "probe"}
        asked.append((f"{key!r} of a wrong type", {**filled, key: value}, (key, *required)))
    for what, arguments, names in asked:
        if not isinstance(validator, str) and not _admits(validator, arguments):
            yield _Question(what, name, arguments, names)


def _of_answer(question: _Question, answer: Frame) -> Iterator[Finding]:
    said = problem_of(answer)
    shown = said.strip()[:_MOST_SHOWN]
    if not is_refusal(answer):
        if question.names:
            message = f"{question.what} was accepted, and answered with {shown!r}"
            yield Finding("invalid-accepted", question.tool, message)
        else:
            message = f"answered with success: {shown!r}"
            yield Finding("unknown-tool-accepted", question.tool, message)
        return
    named = [name for name in question.names if name.lower() in said.lower()]
    if question.names and not named:
        message = f"{question.what} is refused, and no argument named: {shown!r}"
        yield Finding("unnamed-argument", question.tool, message)
    elif named and len(re.findall(r"\w+", said)) <= 1 + named[0].count(" "):
        message = f"{question.what} is refused with only {shown!r}"
        yield Finding("bare-refusal", question.tool, message)


def _admits(validator: Any, arguments: Any) -> bool:
    try:
        return bool(validator.is_valid(arguments))
    except (ValueError, RecursionError, jsonschema_rs.ValidationError):
        return True


def _only_reads(tool: Tool) -> bool:
    annotations = tool.get("annotations")
    return isinstance(annotations, dict) and annotations.get("readOnlyHint") is True


def _is_task(tool: Tool) -> bool:
    """Whether it can only be called as a task, which we do not do."""
    execution = tool.get("execution")
    return isinstance(execution, dict) and execution.get("taskSupport") == "required"


def _properties(tool: Tool) -> dict[str, Any]:
    schema = tool.get("inputSchema")
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def _required(tool: Tool) -> list[str]:
    schema = tool.get("inputSchema")
    found = schema.get("required") if isinstance(schema, dict) else None
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _type(schema: Any) -> str | None:
    found = schema.get("type") if isinstance(schema, dict) else None
    return found if isinstance(found, str) else None


def _sample(schema: Any) -> Any:
    """A value that the schema is likely to admit."""
    if not isinstance(schema, dict):
        return "assay probe"
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    plain: dict[str | None, Any] = {"boolean": False, "array": [], "object": {}}
    plain |= dict.fromkeys(("integer", "number"), schema.get("minimum", 1))
    return plain.get(_type(schema), "assay probe")
