"""Pages and XML documents that stand where an answer should."""

from __future__ import annotations

import pytest

from assay.evidence.error_pages import read_page, visible_text

FORM = '<form><input type="password"></form>'


@pytest.mark.parametrize(
    ("text", "rule", "failed"),
    [
        ("<html><title>404 Not Found</title></html>", "html_error_page", True),
        ("<!DOCTYPE html><html><h1>Access Denied</h1></html>", "html_error_page", True),
        ("<html><title>Just a moment...</title></html>", "html_error_page", True),
        ("<html><body>Internal Server Error</body></html>", "html_error_page", True),
        (f"<html><title>Log in | X</title>{FORM}</html>", "html_login_page", True),
        ("<html><title>Log in | X</title></html>", "html_page", False),
        (f"<html><title>News</title>{FORM}</html>", "html_page", False),
        ("<html><title>Forty-four ways to fail</title></html>", "html_page", False),
        ("<html><title>Area 51 and 404 other places</title></html>", "html_page", False),
        ("<html><title>Status</title><h1>404 Not Found explained</h1></html>", "html_page", False),
        ("<html><title>Fixing it</title><h1>502 Bad Gateway</h1></html>", "html_page", False),
        ("<html><title>404 | The Tide Guide</title></html>", "html_error_page", True),
        ("<html><title>Page not found - API Reference</title></html>", "html_error_page", True),
        ("<html><title>502 Bad Gateway - How to fix it</title></html>", "html_page", False),
        ("<html><h1>How to fix a 502 Bad Gateway</h1></html>", "html_page", False),
        ("<!-- saved --><html><title>500</title></html>", "html_error_page", True),
        ("<Error><Code>AccessDenied</Code></Error>", "xml_error", True),
        ("<s:Envelope><s:Body><s:Fault/></s:Body></s:Envelope>", "xml_error", True),
    ],
)
def test_pages(text: str, rule: str, failed: bool) -> None:
    found = read_page(text)
    assert found is not None
    assert (found.rule, found.failed) == (rule, failed)


@pytest.mark.parametrize(
    "text",
    [
        *("", "Error: <html>", "<rss><title>404</title></rss>", "{}", "<p>x</p>"),
        "<tide><errors>0</errors><level>3</level></tide>",
        '<tide><errors count="0"/><level>3</level></tide>',
        "<tide><error /><level>3</level></tide>",
    ],
)
def test_what_is_no_page(text: str) -> None:
    assert read_page(text) is None


def test_visible_text() -> None:
    assert visible_text("<style>a{}</style><p>one <b>two</b></p>") == "one two"
