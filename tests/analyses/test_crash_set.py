"""Values on which the reference's scripts end with a traceback are read, and nothing ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import unpacked_ds200

from assay import Store
from assay.analyses import ANALYSES, distribution, exported_evaluations, opened, weighted
from assay.analyses.selection import RULES
from assay.importing import ImportSettings, import_runs

if TYPE_CHECKING:
    from pathlib import Path

# Case to the final-answer score and the step score that are left of it.
EVALUATIONS: dict[str, tuple[float | None, float | None]] = {
    "null_fa_block": (None, 0.5),
    "null_fa_score": (None, 0.5),
    "null_query": (0.5, 0.5),
    "string_fa_score": (0.5, 0.5),
    "string_step_score": (0.5, 0.5),
}
RUNS = (
    *("null_duration", "null_execution", "null_query_uuid", "null_server"),
    *("null_tool_calls", "null_tool_error", "string_duration"),
)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked_ds200(tmp_path_factory) / "variants" / "crash"


def test_all_cases_are_here(cases: Path) -> None:
    assert {path.name for path in cases.iterdir()} == {*EVALUATIONS, *RUNS}


@pytest.mark.parametrize("name", [*EVALUATIONS, *RUNS])
def test_every_analysis_answers(cases: Path, tmp_path: Path, name: str) -> None:
    import_runs([str(cases / name)], ImportSettings(str(tmp_path / "store")), jobs=1)
    store = Store(tmp_path / "store")
    for rules in RULES:
        with opened(store, {"rules": rules}) as view:
            for analysis in ANALYSES.values():
                rows = analysis.answer(view)
                assert all(isinstance(row, analysis.row) for row in rows)


@pytest.mark.parametrize("name", EVALUATIONS)
def test_what_is_left_of_an_evaluation(cases: Path, tmp_path: Path, name: str) -> None:
    import_runs([str(cases / name)], ImportSettings(str(tmp_path / "store")), jobs=1)
    store = Store(tmp_path / "store")
    (row,) = exported_evaluations(store)
    assert (row.final_answer_score, row.step_score) == EVALUATIONS[name]
    known: list[Any] = [score for score in EVALUATIONS[name] if score is not None]
    assert [spread.mean for spread in distribution(store)] == known
    # Without the answer there is no weighted score; the seed's rules have 0 in its place.
    assert len(weighted(store)) == (len(known) == 2)
    (seed,) = weighted(store, rules="seed")
    assert seed.weighted == pytest.approx(0.5 if len(known) == 2 else 0.25)
