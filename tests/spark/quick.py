"""A Spark for little data: what is compiled for millions of rows costs more than it saves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}


def quick_environment(folder: Path) -> dict[str, str]:
    """What makes a Spark quick that a command starts; its settings are written to the folder."""
    folder.mkdir()
    lines = [f"{name} {value}\n" for name, value in SETTINGS.items()]
    (folder / "spark-defaults.conf").write_text("".join(lines), encoding="utf-8")
    return {"SPARK_CONF_DIR": str(folder), "JDK_JAVA_OPTIONS": JAVA}
