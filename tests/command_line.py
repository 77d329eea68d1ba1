"""The command line as the tests call it, without a process of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import pytest

from assay.cli import main


class Done(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Assay: TypeAlias = Callable[..., Done]


def in_this_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *first: str
) -> Assay:
    """What calls `assay` with these words and more; it never ends in a traceback."""

    def call(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["assay", *first, *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Done(int(ended.value.code or 0), out, err)

    return call
