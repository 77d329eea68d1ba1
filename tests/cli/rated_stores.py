"""Stores of models that pass as many tasks as a test says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.store.runs import fill, run

from assay import RunOutcome
from assay.store import Store

HOSTILE = "task \x1b[31m[red] =cmd() | http://evil.example"


def store_of(path: str | Path, rates: dict[str, float], tasks: int = 8) -> None:
    """Two attempts of each task by each model; the first tasks pass, as many as the rate says."""
    cases: list[Any] = []
    for model, rate in rates.items():
        for task in range(tasks):
            for attempt in (1, 2):
                success = task < rate * tasks
                cases.append(
                    run(
                        len(cases),
                        run_id=f"{path}-{len(cases)}",
                        model=model,
                        task_id=HOSTILE if task == 7 else f"task-{task}",
                        attempt=attempt,
                        outcome=RunOutcome(success=success),
                        framework=f"of {model}",
                    )
                )
    fill(Store.create(path), cases)


def put_here(stores: Path) -> None:
    """Have the stores of a folder in the one that commands run in."""
    for store in stores.iterdir():
        Path(store.name).symlink_to(store)
