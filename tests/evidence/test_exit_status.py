"""Exit statuses are found where harnesses put them, and nowhere else."""

from __future__ import annotations

import time

import pytest

from assay.evidence.exit_status import exit_status, missing_programs, status_label

# How harnesses spell the status below what was printed.
SPELLINGS = (
    "exit code: {}",
    "Exit code {}",
    "EXIT CODE: {}",
    "exit_code={}",
    "exit-code: {}",
    "ExitCode: {}",
    "Exit status: {}",
    "exit status {}",
    "return code: {}",
    "returncode={}",
    "Exited with code {}",
    "exited with status {}",
    "exited with exit code {}",
    "Command exited with non-zero status {}",
    "Command failed with exit code {}.",
    "Error: Process completed with exit code {}.",
    "**Exit code:** {}",
    "**Exit code:** `{}`",
    "[exit code: {}]",
    "exit code: {} (SIGKILL)",
)
# What a shell prints before it ends with 127, and the programs that are not there.
MISSING: tuple[tuple[str, list[str]], ...] = (
    ("bash: line 1: ebb: command not found\n\n\n", ["ebb"]),
    ("bash: ebb: command not found", ["ebb"]),
    ("/bin/sh: 1: ebb: not found", ["ebb"]),
    ("sh: 1: ebb: not found\nsh: 2: flow: not found", ["ebb", "flow"]),
    ("zsh: command not found: ebb", ["ebb"]),
    ("(eval):1: command not found: ebb", ["ebb"]),
    ("fish: Unknown command: ebb", ["ebb"]),
    ("bash: ebb: command not found\nhigh tide", []),
    ("bash: type: ebb: not found", []),
    ("tide.log: 1: ebb: not found", []),
    ("bash: ebb: Permission denied", []),
    ("bash: ebb: command not found\n" * 11, []),
    ("", []),
)
# What ends in a number that is the status of no command.
NO_STATUSES = (
    "HTTP status: 404",
    "status: 1",
    "code: 1",
    "Completed with status 404",
    "Returned code 1",
    "the exit code was 1",
    "# exit code 1",
    "- exit code: 1",
    "exit code: 1 means trouble",
    "exit codes: 1",
    "last exit code: 1",
    "exit code: 1, 2",
    "exit code: none",
)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Exit code 1\nboom", 1),
        ("exit code: 0", 0),
        ("Command failed with exit code 127", 127),
        ("Process exited with code 2", 2),
        ("The command returned with exit status -9", -9),
        ("Chunk ID: a\nWall time: 1 s\nProcess exited with code 3\nOutput:\n", 3),
        ("<returncode>4</returncode><output/>", 4),
        ("[exit_code 9]\nno such berth", 9),
        ("done\n[The command completed with exit code 5.]", 5),
        ("done\n(exit code 6)", 6),
        ("done\n<exited with exit code 7>", 7),
        ("Command: ls x\nOutput: no\nError: (none)\nExit Code: 8\nSignal: (none)", 8),
        ("ebb: no such tide\n\nCommand completed with return code: 1", 1),
        ("Run in the dock:\n\n--- Error (status code: -1) ---\ntoo slow", -1),
        ("ebb\nCommand returned exit code 2 (ENOENT)", 2),
        ("The file says: exit code 7", None),
        ("notes\nThe program ended with code 3 in the logs", None),
        ("Run in the dock:\n\n--- Output ---\nError (status code: 4) is rare\n", None),
        ("all good", None),
        ("", None),
    ],
)
def test_of_commands(text: str, status: int | None) -> None:
    assert exit_status(text, of_command=True) == status


def test_the_end_of_a_document_is_no_status() -> None:
    assert exit_status("notes\n(exit code 6)", of_command=False) is None


@pytest.mark.parametrize("status", [0, 1, 137, -9])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_decides(spelling: str, status: int) -> None:
    line = spelling.format(status)
    assert exit_status(f"ebb\n{line}", of_command=True) == status
    assert exit_status(f"STDOUT:\n\nSTDERR:\nno tide\n\n{line}\n\n", of_command=True) == status
    assert exit_status(f"ebb\n{line}", of_command=False) is None


@pytest.mark.parametrize("spelling", SPELLINGS[:4])
def test_a_status_in_the_middle_is_of_something_else(spelling: str) -> None:
    line = spelling.format(1)
    assert exit_status(f"ebb\n{line}\nflood", of_command=True) is None
    assert exit_status(f"the tool ends with {line}", of_command=True) is None
    assert exit_status(f"ebb\nthe tool ends with {line}", of_command=True) is None


@pytest.mark.parametrize("line", NO_STATUSES)
def test_other_numbers_are_no_status(line: str) -> None:
    assert exit_status(f"ebb\n{line}", of_command=True) is None


def test_the_words_before_a_status() -> None:
    assert status_label("ebb\nexit code: 1") == "exit code:"
    assert status_label("ebb\n[exit_code=1]") == "exit_code="
    assert status_label("ebb\n[Exit status 1]") == "Exit status"
    assert status_label("ebb") is None


def test_long_texts_are_read_quickly() -> None:
    started = time.process_time()
    for text in ("\n" * 200_000, "\nexit code " * 50_000, "exit status: " * 50_000):
        exit_status(text, of_command=True)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(("text", "programs"), MISSING)
def test_programs_that_are_not_there(text: str, programs: list[str]) -> None:
    assert missing_programs(text) == programs
