"""The items of a JSON list that is too long to hold, found by brackets and commas alone."""

from __future__ import annotations

import re

NESTING = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}
# Strings whole, so that the brackets and commas in them do not count; the group is their end.
_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("?)|[][{},]', re.DOTALL)


class ItemScanner:
    """Takes the text of a list, after its opening bracket, and gives each item once it is whole.

    `ended` tells that the list was closed, `rest` is what has not become an item: one that is
    not whole yet or, after the end, what follows the list.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self.rest = b""
        self.ended = False
        self._depth = 0
        self._scanned = 0
        self._begin = 0

    def feed(self, piece: bytes) -> list[bytes]:
        """The items that this piece completes."""
        self.rest += piece
        found: list[bytes] = []
        for mark in _MARK.finditer(self.rest, self._scanned):
            if mark[1] == b"":  # a string that goes on in the next piece
                self._scanned = mark.start()
                break
            self._depth += NESTING.get(mark[0], 0)
            if self._depth < 0 or (self._depth == 0 and mark[0] == b","):
                found.append(self.rest[self._begin : mark.start()].strip())
                self._begin = mark.end()
            if self._depth < 0:
                self.ended = True
                break
        else:
            self._scanned = len(self.rest)
        self.rest = self.rest[self._begin :]
        self._scanned = max(0, self._scanned - self._begin)
        self._begin = 0
        return found
