"""Ports for servers of the tests."""

from __future__ import annotations

import random
import socket
from contextlib import suppress


def lasting_port() -> int:
    """A port that is still free for a second server: none that the system deals out by itself."""
    while True:
        port = random.randrange(20_000, 30_000)
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return port
