"""`assay cache`: show or clear the cache of judge replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import typer

from assay.cli.console import Terminal
from assay.cli.machine_output import write_json
from assay.cli.stores import JsonOption
from assay.judge.cache import ReplyCache
from assay.records import counted

if TYPE_CHECKING:
    from assay.judge.cache import CacheSize

EPILOG = """
\b
Examples:
  assay cache info
  assay cache clear

The cache is in $XDG_CACHE_HOME/assay/judge, or ~/.cache/assay/judge.
Exit codes: 0 ok, 2 wrong usage.
"""

cache = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Show or clear the cache of judge replies.",
)


@cache.command(epilog=EPILOG)
def info(as_json: JsonOption = False) -> None:
    """Say where the cache is and how much it holds."""
    replies = ReplyCache()
    size = replies.size()
    if as_json:
        write_json({"folder": str(replies.folder), **msgspec.structs.asdict(size)})
    else:
        Terminal().tell(f"{replies.folder}: {_size_text(size)}")


@cache.command(epilog=EPILOG)
def clear() -> None:
    """Delete every reply that is kept; what was scored with them stays."""
    replies = ReplyCache()
    Terminal().tell(f"{replies.folder}: {_size_text(replies.clear())} removed")


def _size_text(size: CacheSize) -> str:
    return f"{counted(size.replies, 'reply', 'replies')}, {size.bytes:,} bytes"
