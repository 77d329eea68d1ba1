"""What it takes to run every command and every Python block of README and docs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.ports import lasting_port
from tests.spark.quick import one_java

PROJECT = Path(__file__).resolve().parents[2]
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUNNABLE = {"python", "bash"}
NOT_RUN = {"text", "json", "yaml", "toml", "sql", ""}
EXTRAS = {"deepeval": "deepeval", "spark": "pyspark"}
PROGRAMS = {"spark": "java"}
# Seconds: a page starts dozens of programs, which takes minutes where others work beside it.
PATIENCE = 900
# As the pages show what is printed: no line is broken.
WIDE = {"COLUMNS": "160"}
# Where a page has something served; here another, or two who run the pages would meet there.
PORT = "8020"


class Block(NamedTuple):
    """A block of a page; `printed` is the text that stands right below it, if any."""

    language: str
    code: str
    line: int
    printed: str = ""


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(match[1], match[2], text[: match.start()].count("\n") + 2, printed_below(text, match))
        for match in BLOCK.finditer(text)
    ]


def printed_below(text: str, block: re.Match[str]) -> str:
    below = BLOCK.search(text, block.end())
    if below is None or below[1] != "text" or text[block.end() : below.start()].strip():
        return ""
    return below[2]


def run_bash(block: Block, folder: Path) -> None:
    expected = re.match(r"# exit (\d)", block.code)
    code = block.code.replace(PORT, str(lasting_port()))
    lines = [line for line in code.splitlines() if not is_about_the_machine(line)]
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(lines)],
        cwd=folder,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **WIDE},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    said = done.stdout + done.stderr
    assert done.returncode == int(expected[1] if expected else 0), said
    for line in block.printed.splitlines():
        assert " ".join(line.split()) in " ".join(said.split()), said


def is_about_the_machine(line: str) -> bool:
    """Installing and make are proven in other ways: here only that they name what exists."""
    if line.startswith("pip install"):
        extras = re.findall(r"\[([\w,]+)\]", line)
        declared = (PROJECT / "pyproject.toml").read_text()
        assert all(f"\n{name} = [" in declared for group in extras for name in group.split(","))
        return True
    if target := re.match(r"make (\w+)", line):
        assert f"\n{target[1]}:" in (PROJECT / "Makefile").read_text()
        return True
    return False


def pages_of(section: str) -> list[Path]:
    """The pages of one folder of the docs, or of several by a pattern."""
    return [page for page in PAGES if page.match(section)]


def run_page(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the blocks of a page one after the other, in a folder with the examples."""
    blocks = blocks_of(page)
    assert {block.language for block in blocks} <= RUNNABLE | NOT_RUN
    needed = EXTRAS.get(page.stem)
    if needed and find_spec(needed) is None:
        pytest.skip(f"needs the extra {needed}")
    if shutil.which(PROGRAMS.get(page.stem, "bash")) is None:
        pytest.skip(f"needs {PROGRAMS[page.stem]}")
    shutil.copytree(PROJECT / "examples", folder / "examples")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
    if page.stem != "deepeval":
        # Else it loads into every pytest, ten times as long as the page's own tests take.
        monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:asyncio -p no:deepeval -p no:plugins")
    # What was imported or judged before, here or by another test, says nothing.
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / ".cache"))
    with ExitStack() as stack:
        if page.stem == "spark":
            stack.enter_context(one_java(folder / "quick", monkeypatch))
        run_blocks(page, blocks, folder)


def run_blocks(page: Path, blocks: list[Block], folder: Path) -> None:
    script = folder / "page.py"
    for block in blocks:
        if block.language == "bash":
            run_bash(block, folder)
        elif block.language == "python":
            # Blocks of a page build on each other, so each is run after those before it.
            with script.open("a", encoding="utf-8") as file:
                file.write(f"# {page.name}, line {block.line}\n{block.code}\n")
            if is_last_python_before_bash(blocks, block):
                run_python(script)


def is_last_python_before_bash(blocks: list[Block], block: Block) -> bool:
    following = [other for other in blocks[blocks.index(block) + 1 :] if other.language in RUNNABLE]
    return not following or following[0].language == "bash"


def run_python(script: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
