"""An address as agents, pages and records may see it."""

from __future__ import annotations


def shown_address(address: str) -> str:
    """The address without what lets one in there: user, password and query.

    What is no address has no parts to take out but these.
    """
    scheme, separator, rest = address.partition("?")[0].partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"
