"""The session: who judges by which rules, and what outlives the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assay.errors import AssayError
from assay.judge.marks import JudgedBy, Marks, judged_by
from assay.judge.rubric import DIMENSION_NAMES
from assay.judge.session import JudgeConfig, JudgeSession

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ASSAY_JUDGE", raising=False)


# Who is asked for, what ASSAY_JUDGE says, who judges.
CHOICES: dict[str, tuple[dict[str, Any], str | None, str]] = {
    "nobody in particular": ({}, None, "evidence"),
    "the environment's": ({}, "none", ""),
    "the user's, not the environment's": ({"judge": "evidence"}, "none", "evidence"),
    "nobody at all": ({"judge": "none"}, None, ""),
}


@pytest.mark.parametrize("kind", CHOICES)
def test_who_judges(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, variable, name = CHOICES[kind]
    if variable:
        monkeypatch.setenv("ASSAY_JUDGE", variable)
    session = JudgeSession(JudgeConfig(**rules))
    assert session.name == name
    assert not session.asks_models
    assert session.cache is None
    assert session.report()["questions"] == 0


# Rules of a model at a server of one's own, and what of them decides the marks.
OPTIONS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "once": ({}, set()),
    "another language": ({"lang": "zh"}, {"lang", "rubric_hash"}),
    "often": ({"judge_runs": 3}, {"judge_runs", "seed"}),
    "another seed, asked once": ({"seed": 5}, set()),
    "a budget": ({"max_tokens": 5, "deadline": 3.0, "remember": False}, set()),
}


@pytest.mark.parametrize("kind", OPTIONS)
def test_what_decides_the_marks(kind: str) -> None:
    pytest.importorskip("pydantic_ai", reason="asking a server needs assay[judge]")
    changes, decisive = OPTIONS[kind]
    usual = JudgeConfig(judge="openai:m", base_url="http://127.0.0.1:9/v1")
    plain = JudgeSession(usual).options()
    given = {"judge": usual.judge, "base_url": usual.base_url} | changes
    found = JudgeSession(JudgeConfig(**given)).options()
    differing = {name for name in found if found[name] != plain.get(name)}
    assert differing == decisive


def test_a_jury_needs_no_judge_beside_it() -> None:
    pytest.importorskip("pydantic_ai", reason="asking a server needs assay[judge]")
    url = "http://127.0.0.1:9/v1"
    session = JudgeSession(JudgeConfig(jury=("evidence", "openai:m"), base_url=url))
    assert session.name == f"jury of evidence, openai:m at {url}"
    assert session.asks_models


@pytest.mark.parametrize("rules", [{"judge": "nobody:m"}, {"judge": "m"}, {"jury": ("none", "m")}])
def test_a_judge_that_cannot_be_asked_is_refused_at_once(rules: dict[str, Any]) -> None:
    with pytest.raises(AssayError):
        JudgeSession(JudgeConfig(**rules))


def test_what_outlives_the_judge() -> None:
    values: dict[str, float | None] = dict.fromkeys(DIMENSION_NAMES, 7.0)
    by = JudgedBy("m", model="m-1", rubric="2", runs=3, read=2)
    marks = Marks("m", values, cost_usd=0.5, input_tokens=9, provenance=by, warnings=("kin",))
    assert judged_by(marks) == {
        "judge": "m",
        "model": "m-1",
        "rubric": "2",
        "runs": 3,
        "read": 2,
        "cost_usd": 0.5,
        "input_tokens": 9,
        "warnings": ["kin"],
    }
    assert judged_by(Marks("evidence", values)) == {"judge": "evidence"}
    jury = Marks("jury", values, jurors=(Marks("a", values), Marks("b", values)))
    assert judged_by(jury)["juror_marks"] == {"a": values, "b": values}
