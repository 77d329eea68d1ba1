"""What `assay analyze` looks at: a store, or raw files that are imported into a cache first."""

from __future__ import annotations

import os
import shutil
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.output_places import is_store
from assay.cli.stores import open_store
from assay.records import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.console import Terminal
    from assay.store import Store

# Where the seed's scripts look when they are told nothing.
TRAJECTORIES, EVALUATIONS = Path("trajectories"), Path("evaluation")
_FINGERPRINT = "files.txt"


def chosen_store(
    store: Path | None, traj_dir: Path | None, eval_dir: Path | None, messages: Terminal
) -> Store:
    """The store that is meant; raw folders are imported, unless they were and are unchanged."""
    if store is not None and (traj_dir or eval_dir):
        raise typer.BadParameter("name a STORE, or --traj-dir and --eval-dir, not both")
    if store is not None and (is_store(store) or not store.exists()):
        return open_store(store)
    folders = [store] if store is not None else _folders(traj_dir, eval_dir)
    return _imported(folders, messages)


def _folders(traj_dir: Path | None, eval_dir: Path | None) -> list[Path]:
    missing = [folder for folder in (traj_dir, eval_dir) if folder and not folder.is_dir()]
    if missing:
        raise typer.BadParameter(f"no such folder: {', '.join(map(str, missing))}")
    found = [f for f in (traj_dir or TRAJECTORIES, eval_dir or EVALUATIONS) if f.is_dir()]
    if not found:
        raise typer.BadParameter(
            f"name a STORE or a folder of recordings: there is no {TRAJECTORIES}/ and no "
            f"{EVALUATIONS}/ here"
        )
    return found


def _imported(folders: Sequence[Path], messages: Terminal) -> Store:
    from assay.importing import ImportSettings, import_runs  # noqa: PLC0415 - seldom needed
    from assay.judge.cache import user_cache  # noqa: PLC0415 - the same

    names = [str(folder) for folder in folders]
    places = "\n".join(str(folder.absolute()) for folder in folders)
    digest = blake2b(places.encode(errors="replace"), digest_size=10).hexdigest()
    cache = user_cache() / "imports" / digest
    fingerprint = _fingerprint(names)
    mark = cache / _FINGERPRINT
    told = " and ".join(names)
    if mark.exists() and mark.read_text(encoding="utf-8") == fingerprint:
        messages.tell(f"{told}: no store; its import in {cache} is up to date")
        return open_store(cache / "store")
    shutil.rmtree(cache, ignore_errors=True)
    messages.tell(f"{told}: no store; importing into the cache {cache}")
    report = import_runs(names, ImportSettings(str(cache / "store")))
    messages.tell(
        f"read: {counted(report.runs, 'run', 'runs')}, "
        f"{counted(report.evaluations, 'evaluation', 'evaluations')}, "
        f"{counted(report.summaries, 'summary', 'summaries')}; not read: {report.problem_count:,}"
    )
    if report.interrupted:
        raise KeyboardInterrupt
    if not report.runs + report.evaluations + report.summaries:
        shutil.rmtree(cache, ignore_errors=True)
        raise typer.BadParameter(
            f"{told} holds no recording that can be read: `assay formats` lists what is known"
        )
    mark.write_text(fingerprint, encoding="utf-8")
    return open_store(cache / "store")


def _fingerprint(names: Sequence[str]) -> str:
    """What changes when a file does: names, sizes and times of all."""
    from assay.importing.portions import names_of  # noqa: PLC0415 - seldom needed

    digest = blake2b(digest_size=16)
    for name in sorted(names_of(names)):
        try:
            found = os.stat(name)  # noqa: PTH116 - much faster, and there are many
        except OSError:
            continue
        digest.update(f"{name}\0{found.st_size}\0{found.st_mtime_ns}\n".encode(errors="replace"))
    return digest.hexdigest()
