"""What a framework asks of its developers: effort, integration, debugging."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.chatbot.turn import Tally, Turn, Verdict, level, not_applicable

if TYPE_CHECKING:
    from assay.metrics.chatbot.domain import Domain

FEW_FILES = 4
_GRADES = {"low": -0.15, "medium": 0.15, "high": 0.25}
_TOOL_FILES = {1: 0.3, 2: 0.1}
_MANY_TOOL_FILES = -0.2
_MEMORY = {"built-in": 0.2, "manual": -0.1}
_ERRORS = {"framework": 0.2, "manual": -0.1}
_LOGGING = {"framework": 0.2, "basic": -0.1}
_DOCUMENTATION = {"comprehensive": 0.1, "moderate": 0.05}
_DESCRIPTIVE_FROM = 50
_EFFORT_LEVELS = ("very easy", "easy", "moderate", "difficult", "very difficult")
_SIMPLE_LEVELS = ("very simple", "simple", "moderate", "complex", "very complex")
_DEBUG_LEVELS = ("excellent", "good", "moderate", "poor", "very poor")


def implementation_effort(turn: Turn, _: Domain) -> Verdict:
    """How hard is it to build the same thing? 1 is easiest."""
    traits = turn.traits
    if traits.files is None or traits.setup is None or traits.code is None:
        return not_applicable("files, setup and code are not known", {"effort_level": None})
    effort = Tally(0.5)
    effort.add(-0.2 if traits.files <= FEW_FILES else 0.2, f"{traits.files} files")
    effort.add(_GRADES[traits.setup], f"{traits.setup} setup")
    effort.add(_GRADES[traits.code], f"{traits.code} code complexity")
    score = Tally(1 - min(1.0, max(0.0, effort.total)))
    word = level(score.verdict().score, _EFFORT_LEVELS)
    details = f"{word}: {traits.files} files, {traits.setup} setup, {traits.code} code complexity"
    return score.verdict(details, {"effort_level": word, "traits": traits.to_dict()})


def integration_simplicity(turn: Turn, _: Domain) -> Verdict:
    """How easily are tools and memory connected? 1 is simplest."""
    traits = turn.traits
    if traits.tool_files is None or traits.memory is None:
        return not_applicable("tool files and memory are not known", {"simplicity_level": None})
    tally = Tally(0.5)
    tool_files = f"{traits.tool_files} files to change for a tool"
    tally.add(_TOOL_FILES.get(traits.tool_files, _MANY_TOOL_FILES), tool_files)
    tally.add(_MEMORY[traits.memory], f"{traits.memory} memory")
    word = level(tally.verdict().score, _SIMPLE_LEVELS)
    return tally.verdict(extras={"simplicity_level": word, "traits": traits.to_dict()})


def debuggability(turn: Turn, domain: Domain) -> Verdict:
    """How clear are errors, logs and documents? 1 is clearest."""
    traits, response = turn.traits, turn.response
    if traits.errors is None or traits.logging is None:
        return not_applicable("errors and logging are not known", {"debuggability_level": None})
    tally = Tally(0.5)
    tally.add(_ERRORS[traits.errors], f"{traits.errors} error handling")
    tally.add(_LOGGING[traits.logging], f"{traits.logging} logging")
    if traits.documentation is not None:
        tally.add(_DOCUMENTATION[traits.documentation], f"{traits.documentation} documentation")
    if domain.terms("error_mark").in_(response):
        cause = domain.terms("error_cause").in_(response)
        clear = cause and len(response) > _DESCRIPTIVE_FROM
        tally.add(0.1 if clear else -0.1, "clear error message" if clear else "bare error message")
    word = level(tally.verdict().score, _DEBUG_LEVELS)
    return tally.verdict(extras={"debuggability_level": word, "traits": traits.to_dict()})
