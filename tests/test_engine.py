"""The database engine as we open it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import engine
from assay.engine import EngineError, connect

if TYPE_CHECKING:
    from pathlib import Path

_OPTION = "async_threads"


def test_an_engine_of_one_thread_has_no_others() -> None:
    with connect(spill=None, threads=1) as alone:
        try:
            alone.execute(f"SELECT current_setting('{_OPTION}')")
        except EngineError:
            pytest.skip("this version has no such threads")
        assert int(alone.fetchone()[0]) == 0


def test_how_far_a_statement_is_can_be_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_SECONDS_TO_LOOK", 0.005)
    shares: list[float] = []
    numbers = "SELECT range, md5(range::VARCHAR) AS text FROM range(400_000)"
    with connect(spill=None) as opened:
        opened.execute(f"COPY ({numbers}) TO '{tmp_path}/a.parquet'")
        copy = f"COPY (FROM '{tmp_path}/a.parquet') TO '{tmp_path}/b.parquet'"
        assert opened.execute_watched(copy, None, shares.append).fetchone() == (400_000,)
        assert all(0 <= share <= 1 for share in shares)
        assert len(shares) > 1
        assert shares[-1] == 1
        with pytest.raises(EngineError, match="nowhere"):
            opened.execute_watched("FROM nowhere", None, shares.append)


def test_a_version_that_does_not_know_the_option_is_opened_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "_NO_ASYNC_THREADS", {"nobody_knows_this": 0})
    with connect(spill=None, threads=1) as opened:
        assert opened.execute("SELECT current_setting('threads')").fetchone() == (1,)
