"""How a message tells that something is missing where the tool runs: a program, a setting.

No arguments of a call can mend that, although "not found" stands in both.
"""

from __future__ import annotations

from assay.evidence.error_vocabulary import HANDLED_THINGS

_QUOTE = r"[`'\"]?"
# As an environment variable is written.
_SETTING = r"(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"
_HOST = r"(?:server|host|machine|system|computer|box|container|image|device|worker|node)"

HOSTING: tuple[str, ...] = (
    r"\b(?:is|are) not installed|executable (?:doesn't|does not) exist",
    r"(?:in|on) (?:\S+ ){0,3}\$?(?-i:PATH)\b",
    r"environment variables?\b[^\n]{0,40}(?:must|should|needs?|required|missing)\b",
    r"(?:url|host|endpoint|dsn) is not set\b|run \S+ install\b|\w installation\b|no gpu\b",
    (
        r"please (?:configure|set up|enable|install)\b|(?:gpu"
        r"|cuda)\b[^\n]{0,20} (?:is )?required"
    ),
    r"in (?:the |your )?(?:\w+ ){0,2}(?:settings|preferences|defaults)\b",
    (
        r"(?:enable|allow|add|permit)\b[^\n.]{1,60} in (?:the |your )?(?:\w+ ){0,2}"
        r"config(?:uration)?\b"
    ),
    r"(?<!\w)\.env\b|credential (?:store|manager|helper)|\bkey(?:chain|ring)\b",
    r"\bno (?:\S+ ){1,6}(?:is |are )?configured\b|needs? (?:\w+ ){1,3}configured\b",
    r"config(?:uration)?(?: file)? (?:was |is )?(?:not found|missing)",
    # The advice behind it may name the key that is to be set.
    (
        r"(?!\S*key)(?!\S*token)(?!\S*secret)(?!\S*password)(?!\S*auth)(?!\S*credential)"
        r"(?!is )(?!are )\b\S+ (?:is |are )?not configured[.(]|(?:服务|系统|模块|插件)(?:尚)?未配置"
    ),
    rf"\b{_SETTING} (?:is |was )?(?:undefined|unset|missing|empty)\b",
    r"\binstall (?:it|an? |the )|EADDRINUSE|(?:port \d+|address) (?:is )?already in use",
    r"(?:npm|pip3?|npx|brew|uv|apt(?:-get)?) (?:[\w@./-]+ ){0,3}install",
    r"invalid (?:\w+ )?config",
    (
        r"missing (?:\w+ ){0,2}(?:dependenc\w+|driver|library|module|package|plugin|binary"
        r"|extension)\b"
    ),
    r"no config\w* (?:has been |was )?(?:provided|found|set)",
    r"(?:version|licen[cs]e) (?:on|of) (?:the|this|our) (?:host|server|machine|system)\b",
    r"\b(?:plugin|extension|driver) (?:failed to load|could not be loaded)\b",
    (
        r"\b(?:provide|set|setting|define|export|supply|configure|requires?|needs?) "
        rf"(?:the |an? |your |both |either )?{_QUOTE}{_SETTING}\b"
    ),
    (
        r"\b(?:cli|binary|executable|interpreter|compiler) (?:\S{1,60} )?(?:is |was |could )?not"
        r" (?:be )?(?:found|available)"
    ),
)
# What a call may ask a host for, and no program. Flat, as look-aheads in wordings must be.
_ASKED_FOR = rf"{HANDLED_THINGS[3:-1]}|member|guild|emoji|sticker|city|movie|song|book|game|player"
_NO_PROGRAM = "|".join(rf"{thing}\b" for thing in _ASKED_FOR.split("|"))
# A program by its mere name: "ffmpeg not found on the server".
MISSING_PROGRAM = (
    rf"(?:^|: )\W{{0,4}}(?!{_NO_PROGRAM})(?-i:[a-z][a-z0-9+-]{{1,20}}|[A-Z][\w+]{{1,20}})"
    r"\W{0,2} (?:is |was |could )?not (?:be )?(?:found|available|present) on (?:this|the|our)"
    rf" (?:\w+ ){{0,2}}{_HOST}\b"
)
