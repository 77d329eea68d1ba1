"""A Spark for little data: what is compiled for millions of rows costs more than it saves."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=256m"
# For a process that is asked a hundred questions: with less it clears away again and again.
ROOM = "-Xms1g -Xmn512m"
SETTINGS = {
    # Two parts each, read and shuffled, on two cores: the least that is still put together.
    "spark.default.parallelism": "1",
    "spark.sql.files.minPartitionNum": "2",
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


@contextmanager
def one_java(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let all commands work in one quick Java process, handed on as `spark-submit` does."""
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415 - an extra

    for name, value in quick_environment(folder).items():
        monkeypatch.setenv(name, value)
    with (folder / "log").open("wb") as log:
        # Spark does not say of which types this is.
        gateway = launch_gateway(None, {"stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
    known = gateway.java_parameters
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", str(known.port))
    monkeypatch.setenv("PYSPARK_GATEWAY_SECRET", known.auth_token)
    try:
        yield
    finally:
        gateway.shutdown()
        gateway.proc.stdin.close()
        assert gateway.proc.wait(120) == os.EX_OK
