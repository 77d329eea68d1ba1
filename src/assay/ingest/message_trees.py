"""Chats that are trees: a question edited or a reply asked for again begins another branch."""

from __future__ import annotations

# A chat with more branches than anybody clicks: the rest is counted.
MOST_BRANCHES = 100


def ends_of(parents: dict[str, str | None], current: str | None) -> list[str]:
    """The last message of each branch, that which the user sees first of all.

    Only parents are to be trusted: the children of a reply are often not written down.
    """
    inner = set(parents.values())
    leaves = [key for key in parents if key not in inner] or list(parents)[-1:]
    return sorted(leaves, key=lambda leaf: leaf != current)


def path_to(end: str, parents: dict[str, str | None]) -> list[str]:
    """The ids of the messages from the first one to the end of a branch."""
    path: dict[str, None] = {}
    at: str | None = end
    while at is not None and at in parents and at not in path:
        path[at] = None
        at = parents[at]
    return list(reversed(path))


def about_branches(branches: int, shared: int) -> dict[str, int]:
    """What is worth knowing of a chat with several branches; nothing of one without."""
    known = {
        "branches": branches if branches > 1 else 0,
        "messages_of_another_branch": shared,
        "branches_not_read": max(0, branches - MOST_BRANCHES),
    }
    return {key: count for key, count in known.items() if count}
