"""Exit statuses are found where harnesses put them, and nowhere else."""

from __future__ import annotations

import pytest

from assay.evidence.exit_status import exit_status


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
