"""What is wrong with the files of a store, and what may be removed without loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from assay.engine import connect, file_list, in_our_words
from assay.errors import AssayError
from assay.store.layout import FOLDERS, MARK, REPLACES, files_of
from assay.store.lookalikes import MASKING
from assay.store.tables import KEYS, TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from assay.engine import Engine
    from assay.store.layout import Layout

_BATCH_FILES = frozenset({MASKING, REPLACES, *(f"{table}.parquet" for table in TABLES)})


class Finding(Struct, frozen=True):
    """One thing that is not as it should be; `harmless` ones cost only space."""

    path: str
    problem: str
    advice: str
    harmless: bool = False
    repaired: bool = False


def examine(
    layout: Layout, *, repair: bool, on_share: Callable[[float], object] | None = None
) -> list[Finding]:
    """Look at every file of a store; `repair` removes what nobody needs.

    `on_share` hears how much of its tables was read, between 0 and 1.
    """
    layout.check()
    removed = set(layout.sweep()) if repair else set()
    found = [*_unneeded(layout, removed)]
    with layout.locked("read", shared=True):
        found += [*_unknown(layout), *_damages(layout, on_share), *_doubles(layout)]
    return found


def _unneeded(layout: Layout, removed: set[Path]) -> Iterator[Finding]:
    for path in sorted(removed | set(layout.leftovers())):
        if path.parent != layout.batches_folder:
            yield _harmless(path, "a writer died and left this", repaired=path in removed)
    for path in sorted(removed | set(layout.replaced())):
        if path.parent == layout.batches_folder:
            yield _harmless(path, "a compaction replaced this batch", repaired=path in removed)


def _harmless(path: Path, problem: str, *, repaired: bool) -> Finding:
    advice = "removed" if repaired else "remove it with --repair"
    return Finding(str(path), problem, advice, harmless=True, repaired=repaired)


def _unknown(layout: Layout) -> Iterator[Finding]:
    strangers = [
        path
        for path in layout.root.iterdir()
        if path.name not in FOLDERS and not path.name.startswith(MARK)
    ]
    for path in layout.batches_folder.iterdir():
        if path.is_dir():
            strangers += [file for file in path.iterdir() if file.name not in _BATCH_FILES]
        else:
            strangers.append(path)
    for path in sorted(strangers):
        yield Finding(str(path), "not part of a store", "move it away", harmless=True)


def _tables_of(batch: Path) -> list[tuple[str, Path]]:
    """The tables that a batch has, and their files."""
    listed = [(table, batch / f"{table}.parquet") for table in TABLES]
    return [(table, file) for table, file in listed if file.exists()]


def _damages(layout: Layout, on_share: Callable[[float], object] | None) -> Iterator[Finding]:
    batches = layout.batches()
    shares = None if on_share is None else _Shares(batches, on_share)
    with connect(spill=layout.spill_folder()) as engine:
        for batch in batches:
            counts: dict[str, int] = {}
            broken = False
            for table, file in _tables_of(batch):
                on_file = None if shares is None else shares.begin(file)
                try:
                    with in_our_words(layout.root):
                        counts[table] = _read_through(engine, file, KEYS[table], on_file)
                except AssayError as exc:
                    broken = True
                    yield _damage(file, str(exc.__cause__ or exc))
            if not broken:
                try:
                    with in_our_words(layout.root):
                        calls = _calls_of(engine, batch)
                except AssayError as exc:  # a column is not what it was
                    yield _damage(batch, str(exc.__cause__ or exc))
                    continue
                yield from _mismatch(batch, counts, calls)


class _Shares:
    """Tells of the whole as one file after the other is read, each as heavy as it is large."""

    def __init__(self, batches: list[Path], on_share: Callable[[float], object]) -> None:
        files = [file for batch in batches for _, file in _tables_of(batch)]
        self._whole = max(1, sum(file.stat().st_size for file in files))
        self._on_share, self._next = on_share, 0

    def begin(self, file: Path) -> Callable[[float], object]:
        """Who is to hear how much of the next file is read."""
        before, size = self._next, file.stat().st_size
        self._next += size
        return lambda share: self._on_share((before + share * size) / self._whole)


def _read_through(
    engine: Engine, file: Path, key: str, on_share: Callable[[float], object] | None
) -> int:
    """Read every value of a file once; the number of its keys."""
    source = f"read_parquet({file_list([file])})"
    rows = engine.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608 - the file, quoted
    touched = ", ".join(f"MAX(HASH({_column(name)}))" for name, *_ in rows)
    sql = f"SELECT COUNT(DISTINCT {key}), {touched} FROM {source}"  # noqa: S608 - the same, quoted
    if on_share is None:
        engine.execute(sql)
    else:
        engine.execute_watched(sql, None, on_share)
    found = engine.fetchone()
    return int(found[0]) if found else 0


def _column(name: str) -> str:
    """A column as SQL; a file that somebody else wrote may call it anything."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


class _Calls(NamedTuple):
    """How many calls the runs of a batch tell of, and how many rows there are of them."""

    told: int
    rows: int


def _calls_of(engine: Engine, batch: Path) -> _Calls:
    sums = {"runs": "SUM(calls)", "calls": "COUNT(*)"}
    counts = []
    for table, counted in sums.items():
        files = files_of(table, [batch])
        sql = f"SELECT {counted} FROM read_parquet({file_list(files)})"  # noqa: S608 - our own file, quoted
        row = engine.execute(sql).fetchone() if files else None
        counts.append(int(row[0] or 0) if row else 0)
    return _Calls(*counts)


def _mismatch(batch: Path, counts: dict[str, int], calls: _Calls) -> Iterator[Finding]:
    runs, cases = counts.get("runs", 0), counts.get("cases", 0)
    if runs != cases:
        yield _damage(batch, f"{runs} runs, but the cases of {cases}")
    if calls.told != calls.rows:
        yield _damage(batch, f"its runs made {calls.told} calls, but rows tell of {calls.rows}")


def _damage(path: Path, problem: str) -> Finding:
    advice = "move the batch out of the store and import its runs again"
    return Finding(str(path), f"cannot be read: {problem.splitlines()[0]}", advice)


def _doubles(layout: Layout) -> Iterator[Finding]:
    """Runs that stand in two batches: somebody copied files by hand."""
    files = files_of("runs", layout.batches())
    if not files:
        return
    sql = f"""
        SELECT COUNT(*) FROM (
            SELECT run_key FROM read_parquet({file_list(files)}, union_by_name = true)
            GROUP BY run_key HAVING COUNT(*) > 1
        )
    """  # noqa: S608 - our own file, quoted
    try:
        with in_our_words(layout.root), connect(spill=layout.spill_folder()) as engine:
            row = engine.execute(sql).fetchone()
    except AssayError:
        return  # a damaged file is reported already
    if row and row[0]:
        where = str(layout.batches_folder)
        yield Finding(where, f"{row[0]} runs stand here twice", "import into a new store")
