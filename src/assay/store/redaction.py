"""Secrets out of a case before it is written.

Works on the JSON text. A quick search for the words and prefixes that secrets come with decides
whether the expensive look is needed at all.
"""

from __future__ import annotations

import re

MASK = "[redacted]"

# Literal beginnings of well-known keys, and how such a key goes on. Nothing here is a JSON
# metacharacter, so replacing inside the text keeps it JSON.
_KEYS: dict[bytes, str] = {
    b"sk-": r"sk-(?:proj-|ant-|or-|svcacct-)?[A-Za-z0-9_-]{20,200}",
    b"ghp_": r"gh[pousr]_[A-Za-z0-9]{30,80}",
    b"gho_": r"gh[pousr]_[A-Za-z0-9]{30,80}",
    b"ghs_": r"gh[pousr]_[A-Za-z0-9]{30,80}",
    b"github_pat_": r"github_pat_[A-Za-z0-9_]{40,120}",
    b"glpat-": r"glpat-[A-Za-z0-9_-]{20,60}",
    b"AKIA": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    b"ASIA": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    b"AIza": r"AIza[A-Za-z0-9_-]{35}",
    b"xox": r"xox[abeoprs]-[A-Za-z0-9-]{10,200}",
    b"hf_": r"\bhf_[A-Za-z0-9]{30,60}",
    b"npm_": r"\bnpm_[A-Za-z0-9]{36}",
    b"eyJ": r"\beyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{5,1000}",
    b"-----BEGIN": r"-----BEGIN [A-Z ]{0,40}KEY-----.{1,8000}?-----END [A-Z ]{0,40}KEY-----",
    b"earer ": r"(?<=[Bb]earer )[A-Za-z0-9._~+/-]{16,2000}=*",
    b"asic ": r"(?<=[Bb]asic )[A-Za-z0-9+/]{16,1000}={0,2}",
    b"://": r"(?<=://)[^\s:@/\"\\]{1,100}:[^\s@/\"\\]{1,200}(?=@)",
}
# A value under such a name is a secret whatever it looks like. The name may stand in JSON
# (quoted, or quoted and escaped inside another text) or in a line like KEY=value.
_NAMES = (
    rb"password|passwd|pwd|secret|api_?key|apikey|access_?token|auth_?token|refresh_?token"
    rb"|private_?key|client_?secret|authorization|x-api-key|session_?token|credentials?"
)
_NAME_HINTS = (b"pass", b"pwd", b"secret", b"key", b"token", b"uthoriz", b"redential")
_NAMED = re.compile(
    rb"(?i)((?:\\*[\"'])?[a-z0-9_-]{0,40}(?:"
    + _NAMES
    + rb")(?:\\*[\"'])?\s{0,4}[:=]\s{0,4}\\*[\"'])"
    rb"([^\"'\\]{4,500})(?=\\*[\"'])"
)
_ASSIGNED = re.compile(
    rb"(?i)(\b[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|SECRET|API_?KEY|TOKEN)=)([^\s\"'\\&;]{6,300})"
)
_EMAIL = re.compile(rb"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}")
_COMPILED = {start: re.compile(rule.encode()) for start, rule in _KEYS.items()}
_MASK = MASK.encode()


def redacted(text: bytes, *, emails: bool = False) -> tuple[bytes, int]:
    """The text with every secret masked, and how many were found."""
    count = 0
    for rule in dict.fromkeys(rule for start, rule in _COMPILED.items() if start in text):
        text, found = rule.subn(_MASK, text)
        count += found
    lowered = text.lower()
    if any(hint in lowered for hint in _NAME_HINTS):
        text, named = _NAMED.subn(rb"\1" + _MASK, text)
        text, assigned = _ASSIGNED.subn(rb"\1" + _MASK, text)
        count += named + assigned
    if emails and b"@" in text:
        text, found = _EMAIL.subn(_MASK, text)
        count += found
    return text, count
