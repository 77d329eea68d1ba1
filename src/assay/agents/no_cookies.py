"""A jar that takes no cookies, for clients that turns of different sessions share."""

from __future__ import annotations

from http.cookiejar import CookieJar, DefaultCookiePolicy


def no_cookies() -> CookieJar:
    """What one session was given, another would bring back: the sessions would become one."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))
