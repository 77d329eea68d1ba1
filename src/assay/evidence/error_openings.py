"""The ways in which a text can open with a failure: one table, first match wins."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from assay.evidence.error_vocabulary import (
    CHINESE,
    FOREIGN_ERRORS,
    HTTP_PHRASES,
    NAMED_THINGS,
    NO_ERROR_OF,
    SOME_WORDS,
    SUBJECTS,
    VERBS,
    WORKS,
)

# How long a text a rule may speak for: any text, a page, or a single line.
Reach = Literal["any", "page", "line"]


class Opening(Struct, frozen=True):
    """One way in which a text can open with a failure: a rule, its reach, its wordings."""

    rule: str
    reach: Reach
    wordings: tuple[str, ...]


# First match wins. Letters match in either case unless a wording says (?-i:...).
OPENINGS: tuple[Opening, ...] = (
    Opening("protocol_error", "any", (r"(?:error:\s*)?(?:mcp|json-?rpc)\s+error\s+-?\d+",)),
    Opening(
        "traceback",
        "any",
        (
            r"traceback \(most recent call last\)",
            r"exception in thread ",
            r"unhandled (?:promise rejection|exception)",
            r"panic: ",
            r"thread '[^'\n]{0,80}' panicked at",
            r"goroutine \d+ \[",
            r"php (?:fatal|parse) error",
            r"fatal error: ",
            r"stack ?trace:\s",
        ),
    ),
    Opening(
        "exception",
        "any",
        (
            (
                r"(?:(?:uncaught|unhandled|caused by:?)\s+)?"
                r"(?-i:(?:[A-Za-z_$][\w$]{0,60}(?:\.|::|\\)){0,8}"
                r"(?:[A-Za-z_$][\w$]{0,60}(?:Error|Exception)))"
                r"(?:\s?\[[^\]\n]{0,60}\]|\s?\([^)\n]{0,200}\))?(?:\s*[:：]|\s*\n|\s*\Z|\s-\s)"
            ),
            r"(?-i:(?:[a-z_]\w{0,40}\.){1,6}(?:errors?|exceptions?)\.[A-Z]\w{0,60})\s*[:：]",
        ),
    ),
    Opening(
        "tagged_error",
        "any",
        (
            r"<(?:tool_use_error|tool_error|error|exception|[\w-]{0,20}:?fault)\b[^>\n]{0,200}>",
            r"\[(?:error|err|fatal|exception|failure|failed)\]",
            r"npm err",
        ),
    ),
    Opening(
        "database_error",
        "any",
        (
            r"error \d{4} \(\w{5}\)",
            r"sqlstate\W{0,3}\w{5}",
            r"(?:ora|pls)-\d{5}",
            r"msg \d{3,6}, level \d",
            r"code: \d{1,4}\. db::exception",
            r"sql compilation error",
            r"neo\.\w{1,20}error",
            r"e11000 duplicate",
            r"\(\d{4}, [\"']",
            r"(?-i:WRONGTYPE|NOAUTH|NOPERM|MISCONF|CLUSTERDOWN) ",
            (
                r"(?:relation|column|table|role|schema|function|type|database|index|view) [\"'`]?\S"
                r"[^\n]{0,120}(?:does not exist|already exists|is ambiguous|is not unique)"
            ),
            r"no such (?:table|column)",
            r"near \"[^\"\n]{0,60}\": syntax error",
            r"syntax error at or near",
            r"duplicate key value violates",
            r"(?:unique|foreign key|check|not null) constraint failed",
            r"unknown (?:column|database) ",
            r"you have an error in your sql",
        ),
    ),
    Opening(
        "http_status",
        "any",
        (
            (
                r"(?:http(?:/\d(?:\.\d)?)?|http status|status(?: code)?|response(?: code)?|http"
                r" error"
                r"|error(?: code)?)\s*[:=]?\s*[45]\d\d\b"
            ),
            rf"[45]\d\d\s*[:：–-]?\s*(?:{HTTP_PHRASES}|client error|server error)",
            r"(?:client|server) error '?[45]\d\d",
            rf"(?:{HTTP_PHRASES})[.!]?\s*\Z",
        ),
    ),
    Opening(
        "error_prefix",
        "any",
        (
            (
                rf"(?:an?\s|the\s)?(?:{SUBJECTS}[ _-]){{0,3}}(?:error|err|failure|exception)"
                r"(?:\s(?:code|message|type|response|details?)(?=\s*[:：=]))?"
                r"(?:\s?[#(\[]?(?-i:[A-Z]{1,4}[\w.-]{0,30}|-?\d[\d.-]{0,11})[)\]]?)?"
                r"\s*(?:[:：=!！]|\s[–—-]\s|\]|\n|\.?\s*\Z)"
            ),
            rf"(?:{FOREIGN_ERRORS})\s*[:：!]",
        ),
    ),
    Opening(
        "error_of",
        "page",
        (
            (
                rf"(?!(?:{NO_ERROR_OF})\b)(?:[\w.'-]{{1,40}}\s){{1,3}}(?:error|exception)"
                r"(?:\s?\([^)\n]{0,60}\))?\s*[:：]"
            ),
        ),
    ),
    Opening(
        "error_while",
        "page",
        (
            (
                r"(?:an?\s|the\s|some\s|there was an?\s|sorry,? an?\s)?(?:\w+\s){0,2}?error\s"
                r"(?:has\s|had\s)?(?:occurr?ed|happened|encountered|while|when|during|trying"
                r"|in\s\S{1,80}:)"
            ),
            (
                r"(?:an?\s)?error\s(?!handling|logging|report|track|check|correct|monitor|rating"
                r"|messag)[a-z]{3,15}ing\b"
            ),
            r"something went wrong",
            r"(?:oops|uh[- ]oh)\b",
            r"internal (?:server )?error\b",
        ),
    ),
    Opening(
        "failed_to",
        "page",
        (
            rf"(?:(?:we|i|the \w+|it|\w+) )?(?:failed|unable|not able|failure) to {VERBS}\b",
            rf"(?:(?:we|i) )?(?:could not|couldn't|cannot|can't|can not)\s(?:be\s)?{VERBS}\b",
            r"failed\s+(?:with|because|due to|after)\b",
            r"failed\s*[:：]",
            r"(?:failed|failure)[.!]?\s*\Z",
        ),
    ),
    Opening(
        "work_failed",
        "page",
        (
            (
                rf"(?:the\s)?(?:\S{{1,40}}\s){{0,2}}{WORKS}(?:\s\S{{1,60}})?\s(?:has\s)?(?:failed"
                r"|errored|aborted|timed out|was (?:cancell?ed|aborted|rejected|denied|interrupted"
                r"|blocked)|(?:is |has been )?(?:cancell?ed|rejected|denied)"
                r"|not (?:found|permitted|allowed))\b"
            ),
            rf"(?!\d){SOME_WORDS}failed\s*[:：]",
            (
                r"(?:\S{1,40}\s){1,4}(?:rejected|refused|denied|blocked) (?:this|the|your)"
                r" (?:action"
                r"|request|operation|call|command|connection)\b"
            ),
            (
                r"your (?:\w+ )?(?:edit|change|request|query|command|input|call|code)\b[^\n]{0,40}"
                r"(?:errors?\b|error\(s\)|invalid|rejected|failed|could not)"
            ),
        ),
    ),
    Opening(
        "invalid_input",
        "page",
        (
            (
                rf"(?:invalid|malformed|illegal|incorrect|wrong|bad)\s(?:or \w+\s)?(?:\w+\s)?"
                rf"{NAMED_THINGS}\b(?! check)"
            ),
            (
                rf"(?:missing|required)\s(?:or"
                rf" \w+\s)?(?:a\s)?(?:required\s)?(?:\w+\s)?{NAMED_THINGS}\b"
            ),
            (
                r"(?:unknown|unrecogni[sz]ed|unexpected|unsupported|undefined)\s(?:or \w+\s)?"
                rf"(?:keyword\s)?{NAMED_THINGS}\b"
            ),
            r"input validation error",
            r"validation (?:error|failed)",
            r"\d+ validation errors? for",
            r"no such (?:file|tool|command|function|method|host|user)\b",
            r"unexpected end of",
            r"extra inputs are not permitted",
        ),
    ),
    Opening(
        "not_let_in",
        "page",
        (
            r"unauthori[sz]ed\b",
            r"forbidden\b",
            r"(?:access|permission)(?: is| was)? denied\b",
            r"not (?:authori[sz]ed|authenticated|permitted|allowed)\b",
            r"insufficient (?:permissions?|privileges?|scopes?|quota|credits?|funds)\b",
            r"authentication (?:required|failed|error)\b",
            r"login required\b",
            r"bad credentials\b",
            (
                r"(?:\w+ )?(?:api key|token|session|credentials?) (?:has |have |is |are |was )?"
                r"(?:expired|invalid|missing|not (?:found|set|configured|valid))\b"
            ),
            r"you (?:do not|don't) have (?:the )?(?:permission|access)\b",
            r"you (?:must be|are not) (?:logged|signed|authori[sz]ed)\b",
            r"please (?:log|sign) in\b",
        ),
    ),
    Opening(
        "overload",
        "page",
        (
            (
                r"(?:\w+ ){0,3}(?:rate[ -]?limit(?:s|ed)?|quota|usage (?:limit|cap)|cap)"
                r"(?: \w+){0,3} (?:exceeded|reached|hit)"
            ),
            r"rate[ -]?limited",
            r"too many requests",
            r"resource[_ ]exhausted",
            (
                r"(?:service|server)(?: is| was)?(?: temporarily| currently)?"
                r" (?:unavailable|overloaded|down)\b"
            ),
            r"out of memory",
            r"server error\b",
        ),
    ),
    Opening(
        "broken_line",
        "page",
        (
            (
                r"(?:(?:\w+ ){0,3}?timed out|(?:(?:request|connection|operation|query|execution"
                r"|read|gateway|tool|response|connect) )?time-?out)(?:\s(?:after|of|while|waiting"
                r"|exceeded|expired|occurred|reached|before)|[:.!]|\s*\Z)"
            ),
            r"deadline exceeded",
            r"connection (?:\w+ )?(?:refused|reset|closed|aborted|lost|failed|error|timed out)",
            r"(?:all )?connection attempts? failed",
            r"network (?:error|is unreachable|unreachable)",
            (
                r"(?:host|server|service|endpoint) (?:is )?(?:unreachable|not reachable"
                r"|not responding)"
            ),
            r"socket hang up",
            r"fetch failed",
            r"(?-i:E[A-Z]{3,15})(?::| -|\s*\Z)",
            r"could not resolve host",
            r"certificate verify failed",
        ),
    ),
    Opening(
        "stopped",
        "page",
        (
            (
                r"\[?(?:request|tool use|tool call|operation|action|execution|call"
                r"|user)?\s?(?:was\s)?"
                r"(?:interrupted|cancell?ed|aborted|declined|rejected) by (?:the )?(?:user|client"
                r"|system|operator)"
            ),
            (
                r"(?:the )?user (?:doesn't want|does not want|rejected|declined|denied|cancell?ed"
                r"|aborted)"
            ),
            r"(?:cancell?ed|aborted|interrupted|killed|segmentation fault)\b[^\n]{0,40}\Z",
        ),
    ),
    Opening(
        "tool_missing",
        "page",
        (
            r"(?:unknown|no such|unrecogni[sz]ed|undefined|invalid) (?:tool|function|method)\b",
            (
                r"(?:the )?(?:tool|function|method|server|mcp server|command) (?:name )?\S{0,80} ?"
                r"(?:is |was |could |does )?(?:not (?:found|available|registered|exist|connected"
                r"|running|configured|be (?:found|loaded|reached))|unknown|unavailable)\b"
            ),
            r"no tool (?:named|called)",
            r"model tried to call unavailable tool",
        ),
    ),
    Opening(
        "too_large",
        "page",
        (
            rf"{SOME_WORDS}(?:exceeds|exceeded) (?:the )?(?:maximum|max|limit|allowed)",
            (
                r"(?:output|response|result|file|content|payload|input|message)s? (?:is |was |are"
                r" )?"
                r"too (?:large|long|big)"
            ),
        ),
    ),
    Opening("chinese_error", "page", CHINESE),
    Opening(
        "shell_error",
        "line",
        (
            (
                r"(?:-?(?:ba|z|da|k|fi)?sh|[\w./-]{1,40}|\(eval\)):(?:\s?(?:line"
                r" )?\d+:)?[^\n]{0,160}"
                r"(?:not found|no such file|permission denied|is a directory|not a directory"
                r"|cannot (?:access|open|stat|find|create|remove))"
            ),
            r"fatal: ",
            r"usage: \S+ \[",
            r"'[^'\n]{1,60}' is not recognized as an internal",
        ),
    ),
    Opening(
        "refused_sentence",
        "line",
        (
            (
                rf"(?!no ){SOME_WORDS}(?=[nadicwmt])(?:not found|(?:does not|doesn't|do not) exist"
                r"|already exists|(?:is|are) not (?:available|allowed|supported|permitted|valid"
                r"|implemented)|is (?:missing|invalid|required|out of range|out of bounds"
                r"|closed and)|cannot be (?:\w+ly )?(?:\w+ed|after|before|empty|null|negative)"
                r"|could not be \w+|not enough|(?:was|were) rejected|is not (?:set|configured)"
                r"|is (?:empty|needed)|already (?:registered|in use)|does not match"
                r"|mutually exclusive|too (?:many|few) arguments|index out of (?:range|bounds))\b"
            ),
            (
                rf"{SOME_WORDS}(?=d)(?:does not|doesn't|do not) (?:support|provide|allow|accept"
                r"|permit)\b"
            ),
            (
                r"(?:the )?(?:\S{1,60} ){1,2}must (?:not )?(?:be|contain|match|start|end|have"
                r"|include)\b"
            ),
            r"(?:cannot|can't|could not|couldn't|unable to) [a-z]{2,}\b",
            r"expected (?:an?|the|one|at least|exactly|type)\b",
            r"you (?:must|cannot|can't|can only|need to|have to) ",
            r"must (?:be|specify|provide|supply)\b",
            r"please (?:install|set|provide|specify|supply|configure|try again)\b",
            r"attempt(?:ed)? to ",
        ),
    ),
)
