"""The origin's other trees, goal-oriented, emergency and budget, are read and are no models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.conftest import unpacked_ds200

from assay import Store
from assay.analyses import agreement, efficiency, passes, queries, summary, weighted
from assay.importing import ImportSettings, import_runs

if TYPE_CHECKING:
    from assay.analyses.selection import Rules

ORDINARY = {"Gemini-3pro", "claude-3.5", "deepseek-v3.2", "gpt-4omini", "grok4"}
THREE = {"Gemini-3pro", "claude-3.5", "gpt-4omini"}
BY_ROUTER = {"anthropic-claude-3.5-sonnet", "google-gemini-3-pro-preview", "openai-gpt-4o-mini"}
MODELS = {"react": ORDINARY, "goal-oriented": THREE, "emergency": THREE, "budget": BY_ROUTER}
# Evaluations of each model, over all judges.
EVALUATIONS = {"goal-oriented": 20, "emergency": 90, "budget": 120}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Store:
    dataset = unpacked_ds200(tmp_path_factory)
    trees = ["trajectories", "evaluation"]
    folders = [str(dataset / tree) for tree in trees]
    for variant in ("goal", "emergency", "budget"):
        folders += [str(dataset / "variants" / variant / tree) for tree in trees]
    import_runs(folders, ImportSettings(str(dataset / "store")), jobs=1)
    return Store(dataset / "store")


@pytest.mark.parametrize("rules", ["assay", "seed"])
def test_models_stand_by_experiment(mixed: Store, rules: Rules) -> None:
    found: dict[str | None, set[str | None]] = {}
    for row in weighted(mixed, rules=rules):
        found.setdefault(row.experiment, set()).add(row.model)
    assert found == MODELS


def test_no_folder_of_an_experiment_is_a_model(mixed: Store) -> None:
    names = {str(row.model).lower() for row in summary(mixed)}
    assert names.isdisjoint({"budget_test", "emergency_test", "goaloriented", "iter20"})
    judged = {(row.experiment, row.model): row.evaluations for row in weighted(mixed)}
    for experiment, evaluations in EVALUATIONS.items():
        own = [n for (other, _), n in judged.items() if other == experiment]
        assert own == [evaluations] * 3


def test_ordinary_figures_do_not_change_beside_them(mixed: Store) -> None:
    with_others = [row for row in weighted(mixed) if row.experiment == "react"]
    assert with_others == weighted(mixed, experiments=["react"])
    assert [row.evaluations for row in with_others] == [126, 126, 126, 126, 96]


def test_the_user_decides_a_goal_and_judges_have_their_say(mixed: Store) -> None:
    rows = [row for row in summary(mixed, experiments=["goal-oriented"]) if row.judge]
    assert {row.judge for row in rows} == {"gpt-4o", "ToolGym's simulated user"}
    assert {row.evaluations for row in rows} == {20}


def test_every_run_finds_its_own_evaluations(mixed: Store) -> None:
    # An emergency run shares model, task and pass with two others; only the file tells.
    runs = {row.experiment: row for row in efficiency(mixed, models=["claude-3.5"])}
    assert {name: (row.runs, row.scored) for name, row in runs.items()} == {
        "react": (42, 42),
        "goal-oriented": (20, 20),
        "emergency": (30, 30),
    }
    units = {row.experiment: row.units for row in agreement(mixed) if row.second is None}
    assert units == {"react": 200, "emergency": 90, "budget": 120}


def test_tasks_and_passes_stand_by_experiment(mixed: Store) -> None:
    assert {row.experiment for row in queries(mixed)} == set(MODELS)
    assert {row.experiment for row in passes(mixed, k=1)} == set(MODELS)
