"""Which family a model belongs to: a judge is said to favour its own."""

from __future__ import annotations

import re
from functools import lru_cache

# The first row whose pattern occurs in the name decides; hosts and vendors stand last, because
# they serve models of others.
FAMILIES = (
    ("gpt", r"\bgpt|\bchatgpt|\bo[1345](?:-|\b)|\bdavinci"),
    ("claude", r"\bclaude"),
    ("gemini", r"\bgemini|\bgemma|\bpalm-?2"),
    ("nemotron", r"\bnemotron"),
    ("deepseek", r"\bdeepseek"),
    ("qwen", r"\bqwen|\bqwq|\bqvq"),
    ("llama", r"\bllama|\bcodellama"),
    ("mistral", r"\b(?:mistral|mixtral|ministral|magistral|codestral|devstral|pixtral)"),
    ("glm", r"\b(?:chat)?glm"),
    ("kimi", r"\bkimi|\bmoonshot"),
    ("grok", r"\bgrok"),
    ("command", r"\bcommand-|\baya-"),
    ("nova", r"\bnova-|\btitan-"),
    ("phi", r"\bphi-?\d"),
    ("doubao", r"\bdoubao|\bseed-"),
    ("ernie", r"\bernie"),
    ("hunyuan", r"\bhunyuan"),
    ("minimax", r"\bminimax|\babab\d"),
    ("yi", r"\byi-"),
    ("granite", r"\bgranite"),
    ("jamba", r"\bjamba"),
    ("smollm", r"\bsmollm"),
)
_PATTERNS = [(family, re.compile(pattern, re.IGNORECASE)) for family, pattern in FAMILIES]
_LONGEST_NAME = 200


@lru_cache(maxsize=256)
def family_of(model: str | None) -> str | None:
    """The family of a model by its name; None where the name tells nothing."""
    name = (model or "")[:_LONGEST_NAME].replace("_", "-")
    return next((family for family, pattern in _PATTERNS if pattern.search(name)), None)


def kinship_warning(judge_model: str | None, judged_model: str | None) -> str | None:
    """A warning where judge and judged are of one family; None where they are not, or unknown."""
    family = family_of(judge_model)
    if family is None or family != family_of(judged_model):
        return None
    return (
        f"The judge ({judge_model}) and the agent's model ({judged_model}) are one family, "
        f"{family}: judges are known to favour their own. Have another family judge too"
    )
