"""What a tool does, as far as its name tells: enough to know how to read what it says."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

ToolKind = Literal[
    "command", "content", "log", "wording", "stopper", "checking", "acting", "asking", "other"
]

WRITE_VERBS = frozenset(
    {"create", "add", "insert", "update", "upsert", "delete", "remove", "send", "post", "put"}
    | {"patch", "write", "save", "store", "set", "book", "reserve", "cancel", "assign", "move"}
    | {"rename", "upload", "edit", "modify", "replace", "append", "push", "commit", "merge"}
    | {"publish", "submit", "pay", "transfer", "refund", "schedule", "approve", "reject", "close"}
    | {"enable", "disable", "grant", "revoke", "register", "purchase", "buy", "apply", "deploy"}
    | {"restart", "drop", "truncate", "migrate", "import", "copy", "archive", "restore", "share"}
    | {"invite", "reply", "comment", "change", "make", "place", "start", "stop", "reset", "clear"}
)
READ_VERBS = frozenset(
    {"get", "list", "search", "find", "read", "fetch", "query", "describe", "show", "check", "view"}
    | {"count", "lookup", "calculate", "think", "explain", "analyze", "validate", "browse", "open"}
    | {"cat", "grep", "glob", "head", "tail", "status", "download", "export", "compare", "load"}
    | {"select", "inspect", "preview", "summarize", "translate", "convert", "estimate", "retrieve"}
)
# What else a tool does rather than tells.
_ACTING = frozenset(
    {"click", "press", "type", "fill", "play", "pause", "skip", "turn", "join", "leave", "kick"}
    | {"ban", "mute", "lock", "unlock", "withdraw", "deposit", "redeem", "subscribe", "launch"}
    | {"install", "uninstall", "attach", "detach", "draw", "vote", "enter", "charge", "trigger"}
    | {"render", "speak", "print", "switch", "activate", "connect", "mount", "control", "toggle"}
    | {"adjust", "sign", "login", "logout", "dial", "scroll", "hover", "navigate", "drag", "seek"}
    | {"goto", "jump"}
    | {"enqueue", "dispatch", "order", "checkout", "ship", "tag", "untag", "pin", "unpin", "follow"}
    | {
        "unfollow",
        "react",
        "tweet",
        "notify",
        "remind",
        "snooze",
        "sync",
        "backup",
        "clone",
        "fork",
    }
    | {"rebase", "stash", "reboot", "spawn", "compile", "provision", "allocate", "scale"}
    | {"rollback", "promote", "demote", "freeze", "halt", "resume", "suspend", "unblock", "sell"}
    | {"trade", "bid", "swap", "mint", "claim", "tip", "donate", "bet", "equip", "craft", "mine"}
    | {
        "accept",
        "escalate",
        "choose",
        "challenge",
        "give",
        "take",
        "use",
        "unverify",
        "feed",
        "collect",
    }
    | {"increase", "decrease", "raise", "lower", "record", "attack", "cast", "roll", "recognize"}
    | {"finalize", "reschedule", "reorder", "reopen", "reassign", "unassign", "delegate", "forget"}
    | {"evict", "purge", "flush", "wipe", "erase", "unlink", "unpair", "disarm", "hide", "unhide"}
    | {"unarchive", "regenerate", "requeue", "rerun", "retry", "replay", "broadcast", "bump"}
    | {"extend", "renew", "postpone", "hire", "invest", "stake", "unstake", "borrow", "lend"}
    | {"repay", "nominate", "bookmark", "unlike", "dismiss", "acknowledge", "settle", "void"}
    | {
        "configure",
        "calibrate",
        "extrude",
        "advance",
        "unmute",
        "rotate",
        "rewind",
        "eject",
        "dock",
        "undock",
    }
)
# Deeds where a name begins with them; behind other words they are things or states.
_ACTING_FIRST = frozenset(
    {"complete", "confirm", "mark", "like", "link", "pair", "arm", "release", "forward"}
    | {"pick", "rate"}
)
# The same before one of these is a thing, or makes one: `rate_limits`, `complete_text`.
_NO_DEED_BEFORE = frozenset(
    {"limit", "limits", "notes", "checker", "preview", "geocode", "text", "prompt", "sentence"}
)
# What these find wrong, or tell to be forbidden, was asked for.
_CHECKING = frozenset(
    {"ping", "probe", "traceroute"}
    | {"check", "validate", "verify", "compare", "lint", "diff", "grade", "audit", "scan", "test"}
    | {
        "diagnose",
        "status",
        "state",
        "health",
        "monitor",
        "is",
        "has",
        "classify",
        "spell",
        "review",
        "availability",
        "exists",
        "explain",
        "why",
        "troubleshoot",
        "hint",
        "suggest",
    }
    | {"faq", "policy", "policies", "guidelines", "terms", "horoscope", "advice"}
    | {"pruefen", "verifier", "verificar", "comprobar", "statut", "estado"}
)
# Works that have a state, and are called like the deed: `import_status` imports nothing.
_STATES = frozenset({"status", "progress"})
_WORKS_AND_STATES = _STATES | {
    *("backup", "deploy", "import", "migrate", "refund", "restore", "sync", "transfer", "upload"),
}
# Of these somebody may ask how they stand: `check_draft_status` drafts nothing.
_STATED: frozenset[ToolKind | None] = frozenset({"wording", "stopper"})
# Who checks in or out does something; who checks in a list does not.
_PLACES = (
    r"(?i:use|stock|range|order|of|progress|time|date|list|set|table|db|database|cache|index|file"
    r"|code|repo|text)(?![a-z])"
)
_CHECKS_IN = re.compile(rf"(?i:check)_?(?i:in|out)(?:_(?!{_PLACES})|(?=[A-Z])(?!{_PLACES})|\Z)")
_OPENING = 60
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SHELLS = frozenset(
    {"bash", "sh", "zsh", "shell", "terminal", "cmd", "powershell", "exec", "console", "ssh"}
    | {"stdin", "python", "ipython", "repl", "jupyter", "interpreter"}
)
_STOPPING = frozenset(
    {"cancel", "abort", "stop", "kill", "terminate", "reject", "decline", "deny", "close"}
    | {"disconnect", "shutdown", "revoke"}
)
_RUNNING = frozenset({"run", "execute", "exec"})
_SEARCHING = frozenset({"search", "find", "lookup", "suchen", "rechercher", "chercher", "buscar"})
_RUNNABLE = frozenset({"command", "commands", "code", "script", "cell", "notebook", "program"})
_CONTENT_WORDS = frozenset(
    {"read", "cat", "view", "grep", "search", "fetch", "browse", "scrape", "crawl"}
    | {"extract", "glob"}
    | {"lesen", "lire", "leer", "ler", "suchen", "rechercher", "chercher", "buscar"}
)
# Who opens one of these reads it; who opens a gate acts.
_READABLE = frozenset(
    {"file", "files", "page", "url", "link", "document", "doc", "article", "book", "tab", "website"}
    | {"site", "notebook", "image", "paper", "email", "mail", "message", "note", "issue"}
)
# How the name of a question begins.
_QUESTIONS = frozenset({"is", "has", "can", "should", "are", "does"})
# Who does this to what is read does not read it: mark_read, create_search.
_MAKING_OF = frozenset({"mark", "set", "create", "update", "delete", "add", "remove"})
# The same of what is said in words: rate_translation, delete_definition.
_HANDLING = frozenset(
    {"mark", "set", "update", "delete", "remove", "save", "approve", "submit", "publish", "rate"}
    | {"rename", "share", "vote", "import", "move", "restore", "archive"}
)
# Whoever does not write one of these brings it.
_CONTENTS = frozenset(
    {"docs", "wiki", "article", "transcript", "page", "help", "manual", "readme", "changelog"}
)
_TEXTS_HANDLED: dict[ToolKind, frozenset[str]] = {"content": _MAKING_OF, "wording": _HANDLING}
# What these bring was written down as things went wrong elsewhere.
_LOGS = frozenset(
    {"log", "logs", "tail", "stderr", "journal", "journalctl"}
    | {"traceback", "tracebacks", "backtrace", "stacktrace", "stacktraces"}
)
_CONSOLE = frozenset({"message", "messages", "errors", "output"})
# What these bring is prose, whatever it says.
_WORDING = frozenset(
    {"translate", "translation", "define", "dictionary", "rewrite", "paraphrase"}
    | {"definition", "definitions", "meaning", "glossary", "thesaurus", "synonyms", "compose"}
    | {"draft", "summarize", "joke", "lyrics", "poem", "think", "thinking"}
    | {"grammar", "proofread", "essay", "haiku"}
    | {"uebersetzen", "traduire", "traducir", "traduzir", "resumir"}
)
# Where these have done their work, something is no more.
_UNDOING = frozenset(
    {"delete", "remove", "disable", "mute", "clear", "uninstall", "unsubscribe", "ban", "kick"}
    | {"leave", "detach", "revoke", "drop", "archive", "hide", "block", "unshare", "unfollow"}
    | {"purge", "flush", "wipe", "erase", "evict", "forget", "empty"}
)
# These leave less of what is to be done, or none: "No tasks left."
_FINISHING = _UNDOING | {"complete", "finish", "mark"}
# Who does this a second time does not get it.
_MAKING = frozenset(
    {"create", "add", "insert", "register", "book", "reserve", "make", "post", "submit", "send"}
    | {"pay", "claim", "redeem", "accept", "approve", "apply", "buy", "purchase", "import"}
)
# What is so where a tool of such a name has done its work; other verbs tell it by themselves.
_BROUGHT_ABOUT = {
    "fill": "full",
    "charge": "full",
    "freeze": "frozen",
    "void": "void",
    "forget": "deleted",
    "disarm": "inactive|off",
    "dismiss": "closed",
    "eject": "offline",
    "inactive": "inactive",
    "off": "off|disabled",
    "toggle": "(?:en|dis)abled|(?:un)?locked|(?:un)?muted|paused|closed",
}
# Of which a refusal speaks, and a deed only where the tool is for them.
_OF_A_CALL = frozenset({"access", "action", "call", "command", "operation", "request", "tool"})
_NO_MORE = (
    r"(?:no longer (?!supported|available|valid|allowed|accepted|maintained|possible|permitted"
    r"|reachable|connected)\w+|not (?!found\b)\w+ any ?more)"
)
_DOING_IT = (_STOPPING | _WORDING | WRITE_VERBS) - {"translation", "shutdown", "thinking"}
# First match wins.
_KINDS: tuple[tuple[ToolKind, frozenset[str]], ...] = (
    ("stopper", _STOPPING),
    ("wording", _WORDING),
    ("content", _CONTENT_WORDS),
)
# What else the name of a tool has that is asked.
_ASKED = (
    READ_VERBS
    | {"look", "info", "information", "details", "overview", "history", "poll", "track"}
    | {"summary", "stats", "statistics"}
    | {"anzeigen", "abrufen", "afficher", "lister", "obtenir", "consulter", "mostrar", "listar"}
    | {"obtener", "obter", "consultar"}
) - {"export", "convert", "download"}
# With one of these, what tools do is what is told of: `order_history`.
_TOLD_OF = READ_VERBS | (_ASKED - {"poll"})
# First match wins, where a tool does nothing.
_TELLING_KINDS: tuple[tuple[ToolKind, frozenset[str]], ...] = (
    ("content", _CONTENTS),
    ("checking", _CHECKING),
    ("asking", _ASKED),
)
# What these compose is no prose.
_COMPOSERS = frozenset({"docker", "podman", "container", "containers", "stack", "service"})
# Who does this with a shell or a program does not run anything in it.
_BESIDE_SHELLS = frozenset(
    {"connect", "disconnect", "upload", "download", "install", "create", "list", "delete"}
)
_PASSING_ON = frozenset({"transfer", "handoff", "handover", "escalate", "forward", "route"})
_TAKING_OVER = frozenset(
    {"human", "humans", "agent", "agents", "person", "operator", "representative", "supervisor"}
    | {"support", "staff", "specialist"}
)


def words_of(name: str) -> set[str]:
    """The words that the name of a tool is made of, in small letters."""
    return {word.lower() for word in _WORDS.findall(name)}


@lru_cache(maxsize=4_096)
def hands_over(name: str) -> bool:
    """Whether a tool passes the conversation on to somebody else, which changes nothing yet."""
    words = words_of(name)
    return bool(words & _PASSING_ON and words & _TAKING_OVER)


@lru_cache(maxsize=4_096)
def kind_of_tool(name: str) -> ToolKind:
    """What a tool's name promises: to run a command, to stop something, to bring some text."""
    words = words_of(name)
    if (words & _LOGS and "in" not in words) or ("console" in words and words & _CONSOLE):
        return "log"
    shell = words & _SHELLS and not words & _BESIDE_SHELLS
    if shell or (words & _RUNNING and words & _RUNNABLE):
        return "command"
    if words & _COMPOSERS:
        words -= {"compose"}
    told = _told_by_one_word(name, words)
    if told is None and _opens_with(name, _QUESTIONS):
        told = "checking"
    if told is None and "open" in words:
        told = "content" if words <= {"open"} or (words - {"open"}) & _READABLE else "acting"
    if told is not None:
        return told
    if len(words) > 1 and words <= _WORKS_AND_STATES and not words.isdisjoint(_STATES):
        return "checking"
    if _acts(name, words):
        return "acting"
    return next((kind for kind, known in _TELLING_KINDS if words & known), "other")


def _told_by_one_word(name: str, words: set[str]) -> ToolKind | None:
    """What a word of a name promises, unless the first word or a state says otherwise."""
    told = next((kind for kind, known in _KINDS if words & known), None)
    if told in _TEXTS_HANDLED and _opens_with(name, _TEXTS_HANDLED[told]):
        return "acting"
    if told in _STATED and words & _STATES and not _opens_with(name, _DOING_IT):
        return "checking"
    return told


def _acts(name: str, words: set[str]) -> bool:
    if name_writes(name) or (_CHECKS_IN.search(name) and words & _TOLD_OF <= {"check"}):
        return True
    first = _opens_with(name, _ACTING_FIRST) and not words & _NO_DEED_BEFORE
    return (first or bool(words & _ACTING)) and not words & _TOLD_OF


@lru_cache(maxsize=4_096)
def runs_something(name: str) -> bool:
    """Whether a tool runs what it was given, even where it is a question: `run_query`."""
    return _opens_with(name, _RUNNING) and kind_of_tool(name) in {"asking", "other"}


@lru_cache(maxsize=4_096)
def searches(name: str) -> bool:
    """Whether a tool brings titles of what others wrote."""
    return not words_of(name).isdisjoint(_SEARCHING)


def _opens_with(name: str, words: frozenset[str]) -> bool:
    first = _NAME_WORD.match(name)
    return first is not None and first[0].lower() in words


@lru_cache(maxsize=4_096)
def _told_deed(name: str) -> re.Pattern[str] | None:
    words = words_of(name)
    deeds = sorted(words & (WRITE_VERBS | _ACTING | _STOPPING | _FINISHING))
    if not deeds:
        return None
    stems = [f"{word.removesuffix('e')}[a-z]?ed" for word in deeds]
    stems += [_BROUGHT_ABOUT[word] for word in sorted(words & _BROUGHT_ABOUT.keys())]
    again = "now " if words & _MAKING else "(?:now|already) "
    is_so = f"(?:is|are|was|were|has been|have been) (?:{again})?|(?:has|have) {again}been "
    done = rf"(?:{is_so})(?:{'|'.join(stems)})"
    if words & _FINISHING:
        done += "|left|remaining"
    if words & _UNDOING:
        done += rf"|(?:\w+ )?{_NO_MORE}|(?:is|are) (?:now |already )?(?:gone|empty)"
    # Who is told "You are blocked", or that of the call, did not block anybody.
    own = "|".join(sorted(_OF_A_CALL - words))
    others = (
        r"(?!you (?:are|were|have been) (?:blocked|banned)\b"
        rf"|(?:(?:the|this|your) )?(?:{own}) (?:is|was|has been) )"
    )
    return re.compile(rf"{others}[^\n:;,]{{1,80}}? (?:{done})\b[^\n:;,]{{0,40}}\Z", re.IGNORECASE)


def tells_its_deed(name: str, text: str) -> bool:
    """Whether a sentence only says that what the tool was to do is done.

    "The door is locked" hinders many, but not who was to lock it.
    """
    told = _told_deed(name)
    return told is not None and told.match(text) is not None


def checks_for(name: str, text: str) -> bool:
    """Whether a text opens with what a tool of this name was to look at."""
    words = words_of(name)
    told = {word.lower() for word in _WORDS.findall(text[:_OPENING])}
    return bool((words - _CHECKING - READ_VERBS) & told)


def is_about(name: str, words: AbstractSet[str]) -> bool:
    """Whether one of these words, in small letters, stands in a name after its first word.

    `get_export` looks after one, `export_pages` makes it.
    """
    return any(word.lower() in words for word in _WORDS.findall(name)[1:])


@lru_cache(maxsize=4_096)
def name_writes(tool: str) -> bool:
    """Whether a tool changes something by its name: its first verb decides.

    The name of a server may stand before it.
    """
    for word in _NAME_WORD.findall(tool):
        if word.lower() in READ_VERBS:
            return False
        if word.lower() in WRITE_VERBS:
            return True
    return False
