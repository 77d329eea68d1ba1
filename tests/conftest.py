"""What every test may use."""

from __future__ import annotations

import gc
import os
import signal
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

# A shell starts what runs in its background deaf to Ctrl-C, and programs inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Servers of the tests speak plain HTTP. Each client, also of a program that is started, would read
# all certificates of the machine first: that is longer than a scripted turn takes.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = os.devnull

# Commands that are started print as they do for everybody, whatever the shell of the tests says:
# through a buffer, and so many letters wide.
os.environ.pop("PYTHONUNBUFFERED", None)
os.environ["COLUMNS"] = "80"

# What was found of a judge on this machine is shown beside its scores.
_DATA = TemporaryDirectory(prefix="assay-data-")
os.environ["XDG_DATA_HOME"] = _DATA.name

# No clock decides a test. A change is held against the same examples each time, half as many as
# usual, which keeps `make test` within its time; the slow tests look for new ones.
settings.register_profile("assay", deadline=None, max_examples=50, derandomize=True)
settings.register_profile("slow", deadline=None, max_examples=1_000)
settings.load_profile("slow" if os.environ.get("ASSAY_SLOW") else "assay")

PROJECT = Path(__file__).resolve().parents[1]
# Where tests take longest; the last files decide when all workers are done.
LONGEST = (
    *("docs", "spark", "arena", "web", "cli", "test_bench.py", "judge", "analyses"),
    *("scoring", "test_importing.py", "agents", "store", "deepeval", "test_pytest_plugin.py"),
)


# Where readers are given what is nested without end.
NESTED = frozenset({"readers", "evidence", "judge", "agents", "cli", "tests"})


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Look for no cycles where a reader may be as deep as Python goes.

    What another test left would be cleared away right there, and has no room left for that.
    """
    if item.path.parent.name not in NESTED:
        return (yield)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no cycles while tests are gathered, nor later in what was: it stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    """Let what was kept be cleared away: the engine complains of all that outlives it."""
    gc.unfreeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that no worker is left alone with it at the end."""
    ranks = {name: rank for rank, name in enumerate(LONGEST)}
    files = {item: item.nodeid.partition("::")[0] for item in items}
    names = {item: file.removeprefix("tests/").partition("/")[0] for item, file in files.items()}
    items.sort(key=lambda item: ranks.get(names[item], len(ranks)))


def shared_path(*parts: str) -> Path:
    """A file of the shared folder beside the project; skips the test where there is none."""
    root = Path(os.environ.get("ASSAY_SHARED", PROJECT.parent / "shared"))
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} of the shared folder (set ASSAY_SHARED to its place)")
    return path


@pytest.fixture(scope="session")
def shared() -> Callable[..., Path]:
    """The way to a file of the shared folder: `shared("oracle", "mcp-tool", "cases.json")`."""
    return shared_path


def unpacked_ds200(folders: pytest.TempPathFactory) -> Path:
    """ToolGym's reference dataset; skips the test where there is none."""
    folder = folders.mktemp("toolgym")
    with tarfile.open(shared_path("oracle", "toolgym", "ds200.tar.gz")) as packed:
        packed.extractall(folder, filter="data")
    return folder / "ds200"
