"""What is wrong with a judge is said in the words of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import AgentTestCase
from assay.cli.option_names import OPTIONS, in_options

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command_line import Assay


@pytest.mark.parametrize(("argument", "option"), OPTIONS.items())
def test_every_argument_is_told_as_its_option(argument: str, option: str) -> None:
    assert in_options(f"{argument}: odd, use {argument} or leave it") == (
        f"{option}: odd, use {option} or leave it"
    )


@pytest.mark.parametrize(
    "written", ["'http://h/base_url'", "'base_url'", "http://h/?max_cost=1", "my_base_url_2"]
)
def test_what_somebody_wrote_stays_as_it_is(written: str) -> None:
    assert in_options(f"expected an address, got {written}") == (
        f"expected an address, got {written}"
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--judge", "qwen3"], "assay: judge: 'qwen3' does not say whose model it is."),
        (["--judge", "openai:gpt-5"], "or name a server of your own by --base-url or"),
        (["--judge", "openai:m", "--base-url", "ftp://x"], "assay: --base-url: expected http://"),
        (["--jury", "evidence,evidence"], "assay: --jury: expected two or more different judges"),
        (["--jury", "evidence,evidence"], "several times, use --judge-runs"),
    ],
)
def test_errors_about_a_judge_name_options(
    options: list[str],
    told: str,
    assay: Assay,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "ASSAY_JUDGE_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    case = tmp_path / "case.json"
    case.write_text(AgentTestCase("Is it?", "Yes.").to_json())
    done = assay("score", case, *options)
    assert done.code == 2
    assert told in " ".join(done.err.split())
