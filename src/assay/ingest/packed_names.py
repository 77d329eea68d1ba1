"""Names of packed files: how they end, and what lies inside them."""

from __future__ import annotations

import re

GZIP, ZSTD, XZ, BZIP2 = ".gz", ".zst", ".xz", ".bz2"
PACKINGS = (GZIP, ZSTD, XZ, BZIP2)
# Short names of tar archives that are packed as a whole.
_SHORT = {".tgz": GZIP, ".txz": XZ, ".tbz2": BZIP2, ".tbz": BZIP2}
TAR = (".tar", *(f".tar{packing}" for packing in PACKINGS), *_SHORT)
ARCHIVES = (".zip", *TAR)
PACKED = (*ARCHIVES, *PACKINGS)
# What nobody unpacks here, but should hear of.
SEALED = (".7z", ".rar")

_INSIDE = re.compile(rf"(?:{'|'.join(map(re.escape, ARCHIVES))})!(.+)", re.I | re.DOTALL)


def is_archive(name: str) -> bool:
    """Whether a file of that name holds others."""
    return name.lower().endswith(ARCHIVES)


def packing_of(name: str) -> str | None:
    """How a file of that name is packed as a whole; None where it is not."""
    ends = {**_SHORT, **{packing: packing for packing in PACKINGS}}
    return next((packing for end, packing in ends.items() if name.lower().endswith(end)), None)


def unpacked_name(name: str) -> str:
    """The name without the packing's suffix."""
    suffix = next((end for end in PACKINGS if name.lower().endswith(end)), "")
    return name[: len(name) - len(suffix)]


def path_inside(name: str) -> str | None:
    """The path of a file in an archive, of `archive!path`; None of other names."""
    found = _INSIDE.search(name)
    return found[1] if found else None
