"""Which formats there are, and which one a recording has, by looking at its content."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from assay.errors import UnknownName
from assay.ingest.native import NATIVE

if TYPE_CHECKING:
    from assay.ingest.recording import Format, Recording

# Name for `--format` to the module that reads it; the module holds one `Format`.
_HOMES = {
    "a2a": "a2a:A2A",
    "acp": "acp:ACP",
    "ag-ui": "ag_ui:AG_UI",
    "ag2": "ag2:AG2",
    "agentdojo": "agentdojo:AGENTDOJO",
    "agno": "agno:AGNO",
    "aider": "aider:AIDER_FORMAT",
    "anthropic-managed-agents": "managed_agents:MANAGED_AGENTS",
    "anthropic-messages": "anthropic_messages:ANTHROPIC_MESSAGES",
    "assay": "native:NATIVE",
    "atif": "atif:ATIF",
    "bedrock": "bedrock:BEDROCK",
    "bfcl": "bfcl:BFCL",
    "browser-use": "browser_use:BROWSER_USE",
    "chatgpt": "chatgpt:CHATGPT",
    "claude-ai": "claude_ai:CLAUDE_AI",
    "claude-code": "claude_code:CLAUDE_CODE",
    "cli-telemetry": "cli_telemetry:CLI_TELEMETRY",
    "cline": "cline:CLINE",
    "codex-cli": "codex_cli:CODEX_CLI",
    "continue": "continue_sessions:CONTINUE",
    "copilot": "copilot_cli:COPILOT",
    "crewai": "crewai_events:CREWAI",
    "cursor": "cursor:CURSOR",
    "deepeval": "deepeval_results:DEEPEVAL",
    "dify": "dify:DIFY",
    "droid": "droid:DROID",
    "dspy": "dspy_history:DSPY",
    "function-calling": "function_calling:FUNCTION_CALLING",
    "gemini-api": "gemini_api:GEMINI_API",
    "gemini-cli": "gemini_cli:GEMINI_CLI",
    "generic": "generic:GENERIC",
    "google-adk": "adk:ADK",
    "goose": "goose:GOOSE",
    "inspect": "inspect_log:INSPECT",
    "kimi-cli": "kimi_cli:KIMI_CLI",
    "langchain": "langchain:LANGCHAIN",
    "langfuse": "langfuse:LANGFUSE",
    "librechat": "librechat:LIBRECHAT",
    "llama-index": "llama_events:LLAMA_EVENTS",
    "mcp": "mcp_wire:MCP_WIRE",
    "mcp-bench": "mcp_bench:MCP_BENCH",
    "mcpmark": "mcpmark:MCPMARK",
    "n8n": "n8n:N8N",
    "open-webui": "open_webui:OPEN_WEBUI",
    "openai-agents": "openai_agents:OPENAI_AGENTS",
    "openai-assistants": "openai_assistants:ASSISTANTS",
    "openai-chat": "openai_chat:OPENAI_CHAT",
    "openai-realtime": "openai_realtime:REALTIME",
    "openai-responses": "openai_responses:OPENAI_RESPONSES",
    "openclaw": "openclaw:OPENCLAW",
    "opencode": "opencode:OPENCODE",
    "openhands": "openhands:OPENHANDS",
    "openinference": "openinference:OPENINFERENCE",
    "otel": "otel:OTEL",
    "pi": "pi:PI",
    "promptfoo": "promptfoo:PROMPTFOO",
    "qwen-code": "qwen_code:QWEN_CODE",
    "smolagents": "smolagents:SMOLAGENTS",
    "swe-agent": "swe_agent:SWE_AGENT",
    "tau-bench": "tau_bench:TAU_BENCH",
    "tau2-bench": "tau2:TAU2",
    "toolbench": "toolbench:TOOLBENCH",
    "toolgym": "toolgym:TOOLGYM",
    "traceloop": "traceloop:TRACELOOP",
    "trae-agent": "trae_agent:TRAE_AGENT",
    "vercel-ai": "vercel_stream:VERCEL_AI",
    "voice-calls": "voice_calls:VOICE_CALLS",
    "web-actions": "web_trajectories:WEB_ACTIONS",
    "zed": "zed:ZED",
}
FORMAT_NAMES = tuple(_HOMES)
# Looks into every corner of a document; only where nobody else knows it.
_LAST_RESORT = "generic"
_SPECIFIC_FIRST = (*(name for name in _HOMES if name != _LAST_RESORT), _LAST_RESORT)
# The first words of names that files have from a writer who is known by that.
_WRITERS = {"trajectory_": "toolgym", "eval_": "toolgym"}
# So sure that nobody else need be asked.
_CERTAIN = 0.9
# Below this a format would only be guessing.
_PLAUSIBLE = 0.1


@cache
def format_named(name: str) -> Format:
    """A format by its name."""
    if name not in _HOMES:
        raise UnknownName("format", name, _HOMES)
    module, _, constant = _HOMES[name].partition(":")
    found: Format = getattr(import_module(f"assay.ingest.{module}"), constant)
    return found


def all_formats() -> list[Format]:
    """Every format there is, in name order."""
    return [format_named(name) for name in FORMAT_NAMES]


def likely_format(name: str) -> Format:
    """The format to ask first about a file of that name; to ask all takes loading all."""
    file = name[name.rfind("/") + 1 :]
    return format_named(_WRITERS.get(file[: file.find("_") + 1], NATIVE.name))


def pick_format(recording: Recording, *, likely: Format = NATIVE) -> tuple[Format | None, float]:
    """The format of a recording and how sure that is; None when nobody knows it.

    `likely` is asked first: the files of one folder are mostly of one format.
    """
    sure = likely.recognise(recording)
    if sure >= _CERTAIN:
        return likely, sure
    best, how_sure = None, _PLAUSIBLE
    for name in _SPECIFIC_FIRST:
        if name == _LAST_RESORT and best is not None:
            break
        candidate = format_named(name)
        sure = candidate.recognise(recording)
        if sure > how_sure:
            best, how_sure = candidate, sure
    return best, how_sure if best else 0.0
