"""Requests of the tests: one client for all of them, which waits longer than any machine takes."""

from __future__ import annotations

from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

# Every request is on its own: no cookie of the one before, and no connection that a server that
# is being ended may close meanwhile.
CLIENT = httpx.Client(
    timeout=120,
    cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
    limits=httpx.Limits(max_keepalive_connections=0),
)
