"""The sixteen kinds of failure, and which of them a message reports.

A status code decides first. Then one ordered table of words is held against the message, whose
identifiers are split into words beforehand: `FileNotFoundError` and `FILE_NOT_FOUND` read alike.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, get_args

from assay.outcome.grammar import rows

Blame = Literal["model", "server", "environment", "unknown"]
Kind = Literal[
    "missing_required_field",
    "wrong_type",
    "invalid_value",
    "unknown_tool",
    "not_found",
    "syntax_error",
    "permission",
    "auth",
    "rate_limit",
    "timeout",
    "network",
    "server_crash",
    "quota",
    "unavailable",
    "empty_result",
    "other",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
BLAMES: tuple[Blame, ...] = get_args(Blame)

# What is wrong with the arguments themselves, whatever the tool had to work with.
OF_ARGUMENTS: frozenset[Kind] = frozenset(
    ("missing_required_field", "wrong_type", "invalid_value", "unknown_tool", "syntax_error")
)
# Whose failure one of a kind usually is.
_BLAMED: dict[Blame, tuple[Kind, ...]] = {
    "model": (*OF_ARGUMENTS, "not_found"),
    "environment": ("permission", "auth", "quota"),
    "server": ("rate_limit", "timeout", "network", "server_crash", "unavailable", "empty_result"),
    "unknown": ("other",),
}
USUAL_BLAME: dict[Kind, Blame] = {kind: blame for blame, kinds in _BLAMED.items() for kind in kinds}
# What no arguments could have prevented.
CIRCUMSTANCES: frozenset[Kind] = frozenset(
    ("auth", "rate_limit", "timeout", "network", "quota", "unavailable")
)

_STATUSES: dict[Kind, tuple[int, ...]] = {
    "invalid_value": (400, 405, 409, 413, 422),
    "auth": (401, 407),
    "quota": (402,),
    "permission": (403, 451),
    "not_found": (404, 410),
    "timeout": (408, 504),
    "wrong_type": (415,),
    "rate_limit": (429,),
    "server_crash": (500,),
    "unavailable": (501, 502, 503, 529),
}
HTTP_KINDS = {status: kind for kind, statuses in _STATUSES.items() for status in statuses}
# What servers answer when they know no better: the words beside them say more.
VAGUE_STATUSES = frozenset({400, 422, 500})
RPC_KINDS: dict[int, Kind] = {
    -32700: "syntax_error",
    -32601: "unknown_tool",
    -32602: "invalid_value",
    -32600: "invalid_value",
    -32603: "server_crash",
    -32002: "not_found",
    -32001: "timeout",
}

_LONGEST = 700
_ADDRESSES = re.compile(r"\b(?:https?|file)://\S+|(?<![\w/])(?:/[\w.@-]+){2,}/?")
_TAGS = re.compile(r"</?[\w:-]{1,40}>")
_JOINTS = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_STATUS = re.compile(
    r"\b(?:status(?:[ _]?code)?|http(?:/\d(?:\.\d)?)?(?: error| status)?|(?:error"
    r"|response)(?: code)?)"
    r"[\"': =(]{0,4}(?:of )?([45]\d\d)\b|^\W{0,4}([45]\d\d)\b(?!\.\d)"
    r"|\b([45]\d\d) (?:(?:client|server) error|unauth|forb|not found|bad|too many|internal|service"
    r"|gateway|conflict|gone|method|payload|unprocess)",
    re.IGNORECASE,
)
_RPC_CODE = re.compile(r"(?<!\d)-32(?:[67]\d\d|0\d\d)\b")
_RAISED = re.compile(r"^(?:[\w.]{0,80}\.)?([A-Z]\w{2,60})(?::[ \t]*(.*))?$", re.MULTILINE)
# What an exception of the model's own code says by its class.
_BY_CLASS: dict[str, Kind] = {
    "TypeError": "wrong_type",
    **dict.fromkeys(("SyntaxError", "IndentationError"), "syntax_error"),
    **dict.fromkeys(("ModuleNotFoundError", "ImportError"), "unavailable"),
    **dict.fromkeys(
        ("KeyError", "IndexError", "NameError", "AttributeError", "ZeroDivisionError"), "other"
    ),
}

# First row whose words stand in the message; they are lower case, `_` and CamelCase undone. The
# wording of schema validators is exact and goes first. A line that is indented goes on.
_WORDS = r"""
missing_required_field: is a required property|field required|\"type\": ?\"missing\"|type=missing
  |received\"?: ?\"?undefined|required prop|missing (?:\d+ )?required|missing \d+|(?:field|value
  |parameter|argument|property|input)s? (?:is|are) required
invalid_value: extra (?:forbidden|inputs)|additional ?properties|unexpected (?:keyword|arg|param
  |prop|field)|unrecognized keys?|invalid enum|literal error|is not one of|\benum\b
wrong_type: is not of type|invalid type\b|expected type|incorrect type|wrong type|type mismatch
  |type error|unable to parse string as|\b(?:string|int|float|bool|list|dict|date) (?:type
  |parsing)|(?:should|must) be (?:an? )?(?:valid )?(?:string|number|integer|boolean|array|list
  |object|dict\w*|float|int)\b|expected (?:an? )?\w+,? (?:but )?(?:received|got|found)
  |cannot unmarshal|could not convert|unhashable|not (?:iterable|callable)
permission: \b(?:user|human|operator)\b.{0,20}(?:rejected|declined|denied|disallow|cancell?ed
  |doesn't want|does not want|did not approve)|denied (?:the|this|tool)|(?:tool|call|request|patch
  |edit|command) (?:was )?rejected|(?:rejected|aborted|interrupted|cancell?ed
  |denied) by (?:the )?user
unknown_tool: (?:unknown|unrecognized|invalid|unsupported) (?:tool|function|action|command|call)\b
  |no (?:such )?tool\b|(?:tool|function):? ?['\"`]?[\w ./-]{0,40}['\"`]? (?:was )?(?:not found
  |does(?:n't| not) exist|is not (?:available|a valid|defined|registered|recogni|supported))
  |method not found|not a valid tool|tool not found
rate_limit: rate.?limit|too many requests|too (?:quickly|fast|frequently)|throttl|\b429\b
  |slow down|requests per (?:second|minute)
quota: quota|usage (?:limit|cap)|cap exceeded|insufficient (?:credit|fund|balance)|out of credits
  |payment required|billing|plan limit|limit of \d+|upgrade your plan|resource exhausted
  |exceeded your|limit (?:reached|exceeded)|not enough
syntax_error: syntax ?error|invalid syntax
server_crash: (?:pars|decod)\w+ (?:\w+ ){0,2}response|response pars|operational ?error
  |internal server|internal error|(?:is not a|undefined is not a) function|of (?:undefined|null)\b
  |has no attribute|none ?type|null ?pointer|index .{0,20}out of (?:range|bounds)
  |closed unexpectedly|lengths? (?:must match|mismatch)|not subscriptable|something went wrong
  |segmentation fault|core dumped|\bpanic
timeout: 超时|逾時|tim(?:ed?|ing)[ -]?out|deadline exceeded|took too long
unavailable: command not found|not installed|no module named|cannot find (?:module|package)
  |unable to locate package|module not found|import ?error|executable (?:file )?not found
  |not recognized as an|unsupported (?:engine|environment)|unavailable|offline|bad gateway
  |maintenance|overloaded|server (?:closed|disconnected|is down|not running)|not (?:running
  |connected|ready|initiali[sz]ed)|could not be (?:loaded|imported)|failed to (?:retrieve|launch
  |start)\b|not implemented
missing_required_field: (?:is|are) (?:a )?required\b|required (?:field|param|arg|input|key|option)
  |missing (?:argument|param|field|input|key|value|operand)|must (?:provide|specify|supply
  |include)|please (?:provide|specify|supply)|not provided|can(?:not|'t) be (?:empty|blank|null
  |none)|must not be empty|requires an? argument|no \w+(?: \w+)? (?:was |were )?(?:provided
  |specified|given|passed)|at least one
syntax_error: syntax|pars(?:e|ing) (?:error|failed|failure)|(?:failed|unable|could not|cannot
  |error) (?:to |on )?(?:pars|decod)|malformed|unexpected (?:token|end|eof|character|identifier
  |indent)|invalid (?:json|regex|regular expression|escape)|json ?decode|untermina|unclosed
  |unbalanced|cannot execute binary|not well.formed
auth: unauth(?:ori[sz]ed|enticated)|authenticat|not logged in|log ?in\b|login|sign.?in\b|api.?key
  |(?:invalid|missing|expired|no|bad) (?:access )?(?:credential|token)|token .{0,20}(?:expired
  |invalid|required|missing)|credential|oauth|\b401\b
network: connect(?:ion)?\b.{0,30}(?:refused|reset|error|closed|aborted|issue|failed|lost)
  |(?:could not|failed to|unable to|cannot) (?:connect|resolve|reach)|econn|enotfound|eai again
  |\bnetwork|\bdns\b|name resolution|getaddrinfo|fetch failed|socket hang up|unreachable
  |can.t be reached|\bssl\b|\btls\b|certificate|net::|error sending request
permission: permission|forbidden|requires? approval|approval required|hook error|granted
  |access .{0,30}denied|not (?:allowed|permitted|authori[sz]ed)|denied|disallow|robots|rejected
  |refus(?:ed|al|ing)|policy|outside (?:of )?(?:the )?\w* ?allowed|read.?only|captcha
  |unusual traffic|blocked|\beacces|\beperm|sandbox|privilege|prohibited|restricted|human
  |just a moment|not accessible|\b403\b
not_found: not found|no such|(?:do|does|did) ?n[o']t exist|not exist|nonexist|enoent|\b404\b
  |(?:could ?n[o']t|could not|cannot|can't|unable to|did not|didn't|failed to) (?:be )?(?:f(?:i
  |ou)nd|locate)|cannot (?:access|stat)|no longer exists|was not found|\bno .{1,60}(?:found
  |with (?:id|name|that)|match\w*|(?:is )?available|exists|loaded|generated|open)\b
  |unknown (?!error|option|arg|param|field|prop|key|type|format|value|method|operation)\w
  |zero results|does ?n[o']t have|does not have|不存在|未找到|找不到|introuvable|is not a known
  |not in (?:the )?(?:list|index|database)|did not (?:appear|match)
server_crash: unexpected error|unknown error|unhandled|crash|exception|traceback|server error
  |\b500\b|key ?error|index ?error|attribute ?error|zero ?division|runtime ?error|no such table
  |out of memory|internal|always (?:fails|raises)|simulated|intentional
invalid_value: invalid|参数|无效|無效|division by zero|cannot query|not (?:a )?valid|(?:must
  |should) (?:be|match|have|contain|not|start)|out of (?:range|bounds)|exceed|too (?:long|large
  |many|short|big|small|few)|not (?:supported|accepted|match|recogni[sz]ed|unique|permitted)
  |unsupported|does ?n[o']t match|already|conflict|ambiguous|at most|only|did you mean
  |wrong (?!please)\w|bad request|\b4(?:00|09|22)\b|duplicate|identical|multiple matches
  |occurrences|has not been|has been modified|illegal|unknown|unrecognized|contained a|\bnon-\w
  |validation|expected|greater than|less than|incorrect|instead|cannot be
empty_result: \Aloading|empty (?:result|response|output|answer)|no content
"""


@cache
def _table() -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    return tuple((KINDS[KINDS.index(kind)], re.compile(text)) for kind, text in rows(_WORDS))


def kind_of_words(message: str) -> Kind | None:
    """The kind that the words of a message report; None if they are of no row."""
    text = _TAGS.sub(" ", _ADDRESSES.sub(" ", message[: 2 * _LONGEST])[:_LONGEST])
    text = _JOINTS.sub(" ", text).lower()
    return next((kind for kind, words in _table() if words.search(text)), None)


def http_status(message: str) -> int | None:
    """The HTTP error status that a message names."""
    found = _STATUS.search(message[:_LONGEST])
    return int(next(filter(None, found.groups()))) if found else None


def rpc_code(message: str) -> int | None:
    """The JSON-RPC error code that a message names."""
    found = _RPC_CODE.search(message[:_LONGEST]) if "-32" in message[:_LONGEST] else None
    return int(found[0]) if found else None


def kind_of_exception(message: str) -> Kind | None:
    """The kind by the class of the exception on which a Python traceback ends."""
    if "Traceback (most recent" not in message:
        return None
    last = None
    for last in _RAISED.finditer(message[-3_000:]):  # noqa: B007 - the last one counts
        pass
    if last is None:
        return None
    return _BY_CLASS.get(last[1]) or kind_of_words(f"{last[1]}: {last[2] or ''}")
