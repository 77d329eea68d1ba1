"""Web pages and XML documents that a server sent instead of an answer."""

from __future__ import annotations

import re

from assay.evidence.error_bodies import Reading
from assay.evidence.error_grammar import failing_opening

_HEAD = 20_000
_SHORT_PAGE = 4_000
_PAGE = re.compile(r"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b", re.I | re.S)
_XML_ERROR = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<\w{1,40}[^>]{0,200}>\s*)?"
    r"<(?:\w{1,20}:)?(?:errors?|fault|exception|errorresponse)\b"
    r"(?!(?:\s{1,9}count=.0.)?\s{0,9}/>|>\s{0,9}(?:0|none|null|false)?\s{0,9}</)",
    re.IGNORECASE,
)
_SOAP_FAULT = re.compile(r"<(?:\w{1,20}:)?Envelope\b.{0,3000}<(?:\w{1,20}:)?Fault\b", re.S)
_TITLES = re.compile(r"<(title|h1)\b[^>]{0,300}>(.{0,300}?)</\1\s*>", re.I | re.S)
_TAG = re.compile(
    r"<(?:script|style)\b.{0,4000}?</(?:script|style)\s*>|<[^<>]{0,2000}>", re.I | re.S
)
_ERROR_TITLE = re.compile(
    r"(?:\W*(?:error|http|oops)?\W{0,3}(?:code\s)?[45]\d\d\b)|\W*error\W*(?:\Z|[:|–—-])"
    r"|.{0,40}\b(?:(?:page |file )?not found|access denied|forbidden|unauthori[sz]ed|bad gateway"
    r"|bad request|service (?:temporarily )?unavailable|internal server error|gateway time-?out"
    r"|too many requests|just a moment|attention required|are you a robot|security check"
    r"|captcha|site can.t be reached|server error|temporarily unavailable|页面不存在|无法访问)",
    re.IGNORECASE | re.DOTALL,
)
# A page that explains errors is an answer, not one of them.
# "404 | The Guide" is none: what follows a stroke may be the name of the site.
_EXPLAINING = re.compile(
    r".{0,300}?\b(?:explained|explanations?|how to|what (?:is|are|does)|means"
    r"|fix(?:es|ing)?|causes?)\b"
    r"|(?:(?!\s[|·•–—-]\s).){0,300}?\b(?:guide|tutorial|meaning|handling|reference)\b",
    re.IGNORECASE | re.DOTALL,
)
_LOGIN_TITLE = re.compile(
    r".{0,60}\b(?:sign[ -]?in|log[ -]?in|login|single sign-on|authenticate)\b|.{0,20}登录",
    re.I | re.S,
)
_PASSWORD_FIELD = re.compile(r"<input\b[^>]{0,400}type\s*=\s*[\"']?password", re.IGNORECASE)


def read_page(text: str) -> Reading | None:
    """What a page says of the call that fetched it; None for anything but a page."""
    head = text[:_HEAD]
    if _XML_ERROR.match(head) or (head.lstrip()[:1] == "<" and _SOAP_FAULT.search(head[:6_000])):
        return Reading(failed=True, rule="xml_error", message=visible_text(head))
    if _PAGE.match(head) is None:
        return None
    titles = [_TAG.sub(" ", found[1]).strip() for found in _TITLES.findall(head)]
    explains = any(_EXPLAINING.match(title) for title in titles)
    if not explains and any(_ERROR_TITLE.match(title) for title in titles):
        return Reading(failed=True, rule="html_error_page", message=titles[0])
    if any(_LOGIN_TITLE.match(title) for title in titles) and _PASSWORD_FIELD.search(head):
        return Reading(failed=True, rule="html_login_page", message=titles[0])
    if not titles and len(text) < _SHORT_PAGE and failing_opening(visible_text(head)) is not None:
        return Reading(failed=True, rule="html_error_page", message=visible_text(head))
    return Reading(failed=False, rule="html_page")


def visible_text(page: str) -> str:
    """What a reader of the page would see, roughly."""
    return " ".join(_TAG.sub(" ", page).split())
