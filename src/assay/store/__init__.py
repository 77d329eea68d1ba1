"""Cases to tables on disk and back; the only importer of a database engine."""

from __future__ import annotations

from assay.store.compaction import Compaction
from assay.store.health import Finding
from assay.store.pool import PooledStore
from assay.store.reading import Siblings, Store
from assay.store.scores import ScoreWriter, Settings
from assay.store.tables import TABLES
from assay.store.writing import BatchLimit, Writer

__all__ = [
    "TABLES",
    "BatchLimit",
    "Compaction",
    "Finding",
    "PooledStore",
    "ScoreWriter",
    "Settings",
    "Siblings",
    "Store",
    "Writer",
]
