"""The database engine as we open it."""

from __future__ import annotations

import pytest

from assay import engine
from assay.engine import EngineError, connect

_OPTION = "async_threads"


def test_an_engine_of_one_thread_has_no_others() -> None:
    with connect(spill=None, threads=1) as alone:
        try:
            alone.execute(f"SELECT current_setting('{_OPTION}')")
        except EngineError:
            pytest.skip("this version has no such threads")
        assert int(alone.fetchone()[0]) == 0


def test_a_version_that_does_not_know_the_option_is_opened_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "_NO_ASYNC_THREADS", {"nobody_knows_this": 0})
    with connect(spill=None, threads=1) as opened:
        assert opened.execute("SELECT current_setting('threads')").fetchone() == (1,)
