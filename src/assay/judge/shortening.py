"""Long texts cut to a length by rule, the same each time, with what matters kept.

What matters is told by needles: the values that later arguments or the answer took from the
text. Each keeps its surroundings; the start and the end of the text are kept too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping
    from typing import TypeVar

    Name = TypeVar("Name", bound=Hashable)

_MOST_NEEDLES = 60
_AROUND = 80
_END_SHARE = 0.5


def shorten(
    text: str, length: int, needles: Iterable[str] = (), *, mark: str = "[{count} left out]"
) -> str:
    """The text in at most about `length` characters; `mark` stands where something is left out."""
    if len(text) <= length:
        return text
    kept = _within(_wanted(text, length, needles), text, length)
    pieces: list[str] = []
    done = 0
    for start, end in kept:
        if start > done:
            pieces.append(mark.format(count=start - done))
        pieces.append(text[start:end])
        done = end
    if done < len(text):
        pieces.append(mark.format(count=len(text) - done))
    return "\n".join(piece for piece in pieces if piece)


def _wanted(text: str, length: int, needles: Iterable[str]) -> list[tuple[int, int]]:
    """Where each needle stands first, with its surroundings, as long as there is room."""
    found: list[tuple[int, int]] = []
    room = int(length * (1 - _END_SHARE))
    for needle in list(dict.fromkeys(needles))[:_MOST_NEEDLES]:
        at = text.find(needle) if needle else -1
        if at == -1 or any(start <= at and at + len(needle) <= end for start, end in found):
            continue
        span = (max(at - _AROUND, 0), min(at + len(needle) + _AROUND, len(text)))
        room -= span[1] - span[0]
        if room < 0:
            break
        found.append(span)
    return found


def _within(spans: list[tuple[int, int]], text: str, length: int) -> list[tuple[int, int]]:
    """The spans in order, joined where they meet, between a start and an end of what is left."""
    room = max(length - sum(end - start for start, end in spans), 0)
    tail = room // 2
    ends = [(0, room - tail), (len(text) - tail, len(text))]
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans + ends):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return [(start, end) for start, end in joined if end > start]


def share_out(
    needs: Mapping[Name, int], weights: Mapping[Name, float], total: int
) -> dict[Name, int]:
    """Divide room by weight; what one does not need goes to those that need more."""
    if sum(needs.values()) < total:  # as it is for most, and then nothing is to be divided
        return dict(needs)
    given = dict.fromkeys(needs, 0)
    open_names = [name for name in needs if needs[name] > 0]
    room = total
    while open_names and room > 0:
        weight = sum(weights[name] for name in open_names)
        portion = {name: int(room * weights[name] / weight) for name in open_names}
        content = [name for name in open_names if needs[name] <= portion[name]]
        if not content:
            return given | portion
        for name in content:
            given[name] = needs[name]
            room -= needs[name]
        open_names = [name for name in open_names if name not in content]
    return given
