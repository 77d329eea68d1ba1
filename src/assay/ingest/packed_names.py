"""Names of packed files: how they end, and what lies inside them."""

from __future__ import annotations

import re

TAR = (".tar", ".tar.gz", ".tgz", ".tar.zst")
ARCHIVES = (".zip", *TAR)
GZIP, ZSTD = ".gz", ".zst"
PACKED = (*ARCHIVES, GZIP, ZSTD)

_INSIDE = re.compile(
    rf"(?:{'|'.join(map(re.escape, ARCHIVES))})!(.+/.+)", re.IGNORECASE | re.DOTALL
)


def is_archive(name: str) -> bool:
    """Whether a file of that name holds others."""
    return name.lower().endswith(ARCHIVES)


def unpacked_name(name: str) -> str:
    """The name without the packing's suffix."""
    suffix = next((end for end in (GZIP, ZSTD) if name.lower().endswith(end)), "")
    return name[: len(name) - len(suffix)]


def path_inside(name: str) -> str | None:
    """The path of a file in a folder of an archive, of `archive!path`; None of other names."""
    found = _INSIDE.search(name)
    return found[1] if found else None
