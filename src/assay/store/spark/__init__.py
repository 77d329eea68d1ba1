"""Apache Spark in DuckDB's place, where one machine is not enough: the extra `assay[spark]`.

from assay.analyses import tools
from assay.store.spark import Spark, SparkStore

with Spark("local[2]") as spark:
    tools(SparkStore("runs.assay", spark), by="model")
"""

from __future__ import annotations

from assay.store.spark.questions import SparkStore
from assay.store.spark.session import LOCAL, Spark

__all__ = ["LOCAL", "Spark", "SparkStore"]
