"""Several judges as one, which families they are of, and how far they agree."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from assay import AgentTestCase
from assay.errors import InvalidJudge, JudgeFailed, JudgeUnavailable, UnknownName
from assay.judge.choosing import as_judge
from assay.judge.marks import FAMILIES, Marks, Spread, family_of, same_family_warning
from assay.judge.panel import Panel, panel_agreement
from assay.judge.rubric import DIMENSION_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

CASE = AgentTestCase("a", "b", model="claude-sonnet-4")


class Juror:
    """Gives the same mark everywhere, or fails."""

    def __init__(self, name: str, mark: float | Exception) -> None:
        self.name = name
        self._mark = mark

    async def mark(self, case: AgentTestCase) -> Marks:
        assert case is CASE
        if isinstance(self._mark, Exception):
            raise self._mark
        return Marks(self.name, dict.fromkeys(DIMENSION_NAMES, self._mark), cost_usd=0.1)


def verdict_of(*marks: float | Exception, **how: Any) -> Marks:
    jurors = [Juror(f"j{i}", mark) for i, mark in enumerate(marks)]
    return asyncio.run(Panel(jurors, **how).mark(CASE))


@pytest.mark.parametrize(("verdict", "mark"), [("mean", 6.0), ("median", 8.0)])
def test_the_marks_of_a_jury(verdict: str, mark: float) -> None:
    marks = verdict_of(1.0, 8.0, 9.0, middle=verdict)
    assert marks.values == dict.fromkeys(DIMENSION_NAMES, mark)
    spread = marks.spread["grounding"]
    assert spread == Spread(1.0, 9.0, spread.sd, 3)
    assert spread.sd == pytest.approx(19**0.5)
    assert marks.run_scores == (0.1, 0.8, 0.9)
    assert marks.judge == "jury of j0, j1, j2"
    assert [juror.judge for juror in marks.jurors] == ["j0", "j1", "j2"]
    assert marks.cost_usd == pytest.approx(0.3)
    assert marks.unstable(0.7) is True


class Preparing(Juror):
    """Has a part of its work that can be done beforehand."""

    def __init__(self, name: str, preparation: Callable[[AgentTestCase], object]) -> None:
        super().__init__(name, 5.0)
        self.preparation = preparation
        self.got: object = None

    async def mark_prepared(self, case: AgentTestCase, prepared: object) -> Marks:
        self.got = prepared
        return await self.mark(case)


def test_each_juror_gets_what_it_needs_and_what_several_need_is_made_once() -> None:
    made = list[str]()

    def read(case: AgentTestCase) -> str:
        made.append("read")
        return f"read {case.input}"

    def counted(case: AgentTestCase) -> int:
        made.append("counted")
        return len(case.input)

    jurors = [Preparing("a", read), Juror("b", 6.0), Preparing("c", counted), Preparing("d", read)]
    marks = asyncio.run(Panel(jurors).mark(CASE))
    assert marks.values == dict.fromkeys(DIMENSION_NAMES, 5.25)
    assert [juror.got for juror in jurors if isinstance(juror, Preparing)] == [
        "read a",
        1,
        "read a",
    ]
    assert made == ["read", "counted"]


def test_a_juror_that_cannot_prepare_a_case_does_not_sink_the_jury() -> None:
    def refuse(case: AgentTestCase) -> object:
        raise JudgeFailed(f"{case.input} is too long")

    juror = Preparing("b", refuse)
    juror._mark = JudgeFailed("a is too long")
    marks = asyncio.run(Panel([Juror("a", 6.0), juror]).mark(CASE))
    assert marks.values == dict.fromkeys(DIMENSION_NAMES, 6.0)
    assert marks.warnings == ("b gave no marks: a is too long", "1 of 2 jurors answered")


def test_a_jury_of_which_nobody_prepares_anything_prepares_nothing() -> None:
    assert Panel([Juror("a", 5.0), Juror("b", 6.0)]).preparation is None


def test_one_juror_that_fails_does_not_sink_the_jury() -> None:
    marks = verdict_of(6.0, JudgeUnavailable("down"), 8.0)
    assert marks.values == dict.fromkeys(DIMENSION_NAMES, 7.0)
    assert marks.warnings == ("j1 gave no marks: down", "2 of 3 jurors answered")
    assert marks.provenance is not None
    assert (marks.provenance.runs, marks.provenance.read) == (3, 2)
    assert [by.judge for by in marks.provenance.jurors] == ["j0", "j2"]


def test_a_jury_that_says_nothing_is_a_failure() -> None:
    with pytest.raises(JudgeFailed, match=r"No juror gave marks\. j0 gave no marks: x; j1"):
        verdict_of(JudgeFailed("x"), JudgeFailed("y"))


def test_a_bug_in_a_juror_is_no_opinion() -> None:
    with pytest.raises(ZeroDivisionError):
        verdict_of(6.0, ZeroDivisionError())


@pytest.mark.parametrize("names", [[], ["a"], ["a", "a"]])
def test_a_jury_is_of_two_different_judges_or_more(names: list[str]) -> None:
    with pytest.raises(InvalidJudge, match="jury: expected two or more different judges, got"):
        Panel([Juror(name, 5.0) for name in names])


def test_an_unknown_verdict_is_refused() -> None:
    with pytest.raises(UnknownName, match="No verdict of a jury named 'mode'"):
        Panel([Juror("a", 5.0), Juror("b", 5.0)], "mode")  # type: ignore[arg-type]


def test_a_jury_of_what_the_user_gave() -> None:
    judge = as_judge(Juror("a", 4.0), jury=[Juror("b", 8.0)])
    assert isinstance(judge, Panel)
    assert asyncio.run(judge.mark(CASE)).values["grounding"] == 6.0
    alone = as_judge(None, jury=[Juror("a", 4.0), Juror("b", 9.0), Juror("c", 5.0)],
                     verdict="median")  # fmt: skip
    assert alone is not None
    assert asyncio.run(alone.mark(CASE)).values["grounding"] == 5.0


def juror_marks(*cases: tuple[float, float]) -> list[dict[str, dict[str, float | None]]]:
    """What two jurors gave all dimensions of several cases."""
    return [
        {"a": dict.fromkeys(DIMENSION_NAMES, a), "b": dict.fromkeys(DIMENSION_NAMES, b)}
        for a, b in cases
    ]


def test_jurors_who_follow_the_cases_agree() -> None:
    found = panel_agreement(juror_marks((2, 2), (9, 9), (5, 5)))
    assert found.overall.value == 1.0
    assert {one.value for one in found.dimensions.values()} == {1.0}


def test_marks_by_the_place_of_a_dimension_are_no_agreement() -> None:
    by_place = {name: float(place + 3) for place, name in enumerate(DIMENSION_NAMES)}
    found = panel_agreement([{"a": by_place, "b": by_place}] * 20)
    assert found.overall.value is None
    assert found.overall.interval is None
    assert "beyond chance" not in found.overall.sentence()
    assert all(one.value is None for one in found.dimensions.values())


def test_a_place_effect_beside_noise_is_not_beyond_chance() -> None:
    dice = Random(3)
    cases = [
        {
            juror: {n: place + dice.random() for place, n in enumerate(DIMENSION_NAMES)}
            for juror in "ab"
        }
        for _ in range(60)
    ]
    overall = panel_agreement(cases).overall  # type: ignore[arg-type]  # float is None or a float
    assert overall.interval is not None
    assert overall.interval.spans(0.0)


def test_jurors_of_one_family_are_a_warning() -> None:
    judge = Panel([Juror("gpt-4o", 5.0), Juror("openai:gpt-5-mini", 6.0), Juror("qwen3", 5.0)])
    (warning,) = asyncio.run(judge.mark(CASE)).warnings
    assert warning.startswith("2 jurors are of one family, gpt:")


# One known model a family, and names that say nothing.
KNOWN = {
    "gpt": ("openai:gpt-4o-mini", "o4-mini", "azure:o3", "openrouter:openai/gpt-oss-120b"),
    "claude": ("anthropic:claude-sonnet-4-5", "bedrock:us.anthropic.claude-3-5-haiku-20241022"),
    "gemini": ("google:gemini-2.5-pro", "gemma-3-27b-it"),
    "nemotron": ("nvidia/llama-3.1-nemotron-70b",),
    "deepseek": ("deepseek:deepseek-chat", "deepseek-r1-distill-qwen-32b"),
    "qwen": ("Qwen/Qwen3-30B-A3B", "qwq-32b"),
    "llama": ("ollama:llama3.2:3b", "meta-llama/Llama-3.3-70B"),
    "mistral": ("mistral:mistral-small-2503", "mixtral-8x7b", "devstral-2"),
    "glm": ("glm-4.5", "zai:glm-4.6"),
    "kimi": ("kimi-k2", "moonshot-v1-8k"),
    "grok": ("xai:grok-4",),
    "command": ("cohere:command-r-plus",),
    "nova": ("bedrock:amazon.nova-micro-v1:0",),
    "phi": ("phi-4", "phi3"),
    "doubao": ("doubao-1-5-pro", "seed-1.6"),
    "ernie": ("ernie-4.5",),
    "hunyuan": ("hunyuan-large",),
    "minimax": ("MiniMax-M1",),
    "yi": ("yi-34b",),
    "granite": ("granite-3.1-8b",),
    "jamba": ("jamba-1.5-mini",),
    "smollm": ("SmolLM2-135M-Instruct.Q4_1.gguf",),
}


@pytest.mark.parametrize("family", [family for family, _ in FAMILIES])
def test_every_family_is_told_by_its_models(family: str) -> None:
    assert {family_of(model) for model in KNOWN[family]} == {family}


@pytest.mark.parametrize("model", [None, "", "my-model", "agent", "protocol-1", "x" * 100_000])
def test_a_name_that_says_nothing_has_no_family(model: str | None) -> None:
    assert family_of(model) is None
    assert same_family_warning(model, model) is None


def test_judge_and_judged_of_one_family_are_a_warning() -> None:
    def claude(prompt: str) -> dict[str, int]:
        return dict.fromkeys(DIMENSION_NAMES, len(prompt))

    claude.__name__ = "claude-haiku"
    judge = as_judge(claude)
    assert judge is not None
    (warning,) = asyncio.run(judge.mark(CASE)).warnings
    assert warning == (
        "The judge (claude-haiku) and the agent's model (claude-sonnet-4) are one family, claude: "
        "judges are known to favour their own. Have another family judge too"
    )
    assert same_family_warning("gpt-4o", "claude-sonnet-4") is None
