"""Every word of ours has its translation, and what the evidence says is known again."""

from __future__ import annotations

import re
import tomllib
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from tests.web.sample_stores import EXAMPLES

from assay import AgentTestCase, Score
from assay.analyses import ANALYSES, Analysis
from assay.analyses.questions.episodes import Ending
from assay.comparing.many_tasks import SIGN_FLIP
from assay.event_loop import run_to_end
from assay.judge.rubric import DIMENSIONS
from assay.metrics import chatbot
from assay.metrics.chatbot import ChatbotEvaluator
from assay.metrics.mcp_tool import MCPToolMetric
from assay.metrics.mcp_tool.result import INCOMPLETE_JURY, JUDGED_BY_EVIDENCE, UNSTABLE
from assay.outcome import KINDS as FAILURE_KINDS
from assay.render.pages import figures
from assay.render.pages.analyses_view import definition_of
from assay.render.pages.arena_view import MetricView
from assay.render.pages.chatbot_wordings import WORDS
from assay.render.pages.environment import LANGUAGES, Language, environment, translator
from assay.render.pages.retold import KINDS, TERMS, WORDINGS, retold, retold_figure, retold_reason
from assay.stats.pairing import EXACT_SIGN_FLIP, MCNEMAR, SAMPLED_SIGN_FLIP

if TYPE_CHECKING:
    from assay.score import Evidence

_PAGES = files("assay.render.pages")
_SAID = re.compile(r"""\bt\("([^"]+)"[,)]""")
_WORDS = tomllib.loads((_PAGES / "words" / "zh.toml").read_text("utf-8"))
_LABELS = (
    *("judged part only", "measured part only", "nothing to score", JUDGED_BY_EVIDENCE),
    *(UNSTABLE, INCOMPLETE_JURY),
)
_TEMPLATES = sorted(
    place.name for place in (_PAGES / "templates").iterdir() if "arena" not in place.name
)


@pytest.mark.parametrize("name", _TEMPLATES)
def test_every_word_of_a_page_has_its_translation(name: str) -> None:
    said = _SAID.findall((_PAGES / "templates" / name).read_text("utf-8"))
    assert [text for text in said if text not in _WORDS] == []


@pytest.mark.parametrize("analysis", ANALYSES.values(), ids=list(ANALYSES))
def test_every_question_and_column_has_its_translation(analysis: Analysis) -> None:
    said = [analysis.title, analysis.question, *(column.label for column in analysis.columns)]
    said += definition_of(analysis)
    said += [text for one in analysis.parameters for text in (one.help, one.name.replace("_", " "))]
    said += [str(choice) for one in analysis.parameters for choice in one.choices or ()]
    assert [text for text in said if text not in _WORDS] == []


@pytest.mark.parametrize("ending", get_args(Ending))
def test_every_ending_of_an_episode_has_its_translation(ending: str) -> None:
    assert ending in _WORDS


@pytest.mark.parametrize("test", [MCNEMAR, EXACT_SIGN_FLIP, SAMPLED_SIGN_FLIP, SIGN_FLIP])
def test_every_test_has_its_translation(test: str) -> None:
    assert test in _WORDS


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("3 of 5", "5 中的 3"),
        ("1,000 of 2,345", "2,345 中的 1,000"),
        ("−3.1 to +7.6", "−3.1 至 +7.6"),
        ("−1.2 s to +3 s", "−1.2 s 至 +3 s"),
        ("71.4 %", "71.4 %"),
        ("–", "–"),
    ],
)
def test_figures_are_told_in_chinese(text: str, chinese: str) -> None:
    assert retold_figure(text).said(translator("zh")) == chinese
    assert retold_figure(text).said(translator("en")) == text


@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_every_kind_of_failure_has_its_translation(kind: str) -> None:
    assert kind.replace("_", " ") in _WORDS


@pytest.mark.parametrize(
    ("text", "sentence", "values"),
    [
        ("2 of 3 calls failed.", "{n} of {total} calls failed.", {"n": "2", "total": "3"}),
        (
            "The last call failed (HTTP 401: no), and the answer does not say so.",
            "The last call failed ({error}), and the answer does not say so.",
            {"error": "HTTP 401: no"},
        ),
        (
            "1 turn was taken, 1 would have been enough.",
            "{n} turn was taken, {total} would have been enough.",
            {"n": "1", "total": "1"},
        ),
        ("The moon is {made} of cheese.", "The moon is {made} of cheese.", {}),
    ],
)
def test_sentences_of_the_evidence_are_known_again(
    text: str, sentence: str, values: dict[str, str]
) -> None:
    found = retold(text)
    assert (found.words, found.values) == (sentence, values)
    assert found.said(translator("en")) == text


@pytest.mark.parametrize("sentence", WORDINGS)
def test_every_sentence_of_the_evidence_has_its_translation(sentence: str) -> None:
    assert sentence in _WORDS
    assert set(re.findall(r"\{\w+\}", sentence)) == set(re.findall(r"\{\w+\}", _WORDS[sentence]))


@pytest.mark.parametrize(
    "word", [*TERMS, *KINDS, *WORDS, *(dimension.label for dimension in DIMENSIONS), *_LABELS]
)
def test_every_word_within_a_sentence_has_its_translation(word: str) -> None:
    assert word in _WORDS


# A line of a reason and the same in Chinese.
_RETOLD = (
    (
        (
            "0.6 x 0.862 (judged by evidence, 5 of 6 dimensions) + 0.4 x 0.833 (measured: 0.833"
            " = mean of schema 1.00, names 0.67, ok 0.67, 1 - fail 1.00)."
        ),
        (
            "0.6 x 0.862（由证据评判，6 个维度中的 5 个）+ 0.4 x 0.833（测量：0.833 = 平均值：模式"
            " 1.00，名称 0.67，成功 0.67，1 - 失败 1.00）。"
        ),
    ),
    (
        "Judged part only (nothing could be measured): 0.800 (judged by gpt-5).",
        "只有评判部分（没有可测量的）：0.800（由 gpt-5 评判）。",
    ),
    (
        "Measured part only (judging is off): 0.500.",
        "只有测量部分（未开启评判）：0.500。",
    ),
    (
        "Suspect (evidence): The run ends without an answer. 2 of 3 calls failed.",
        "可疑（证据）：运行结束时没有回答。 3 次调用中 2 次失败。",
    ),
    (
        "Call 3: 'mail' is not on offer.",
        "调用 3：没有 'mail' 这个工具。",
    ),
    (
        (
            "Grounding 3.3: 1 of 3 checkable claims of the answer are backed by results; not"
            " backed: 7."
        ),
        "有据性 3.3：回答中 3 个可核查的说法有 1 个有结果支持；无支持：7。",
    ),
    (
        "Grounding 5 (3 to 7): Some of it, I think.",
        "有据性 5（3 到 7）：Some of it, I think.",
    ),
    (
        "Not everything applies: the agent made no calls.",
        "并非都适用：智能体没有调用。",
    ),
    (
        "2 of 3 calls were to a tool on offer and new and used (unknown tool, repeated call).",
        "3 次调用中有 2 次是可用的工具、不重复且结果被使用（未知工具，重复调用）。",
    ),
    (
        (
            "1 of 2 expected writes made as expected, 1 made with other values; nothing forbidden"
            " was done."
        ),
        "预期的 2 项更改中 1 项按预期完成，1 项的值不同；没有做被禁止的事。",
    ),
    (
        "2 of 3 expected calls made; 0 with wrong arguments; 1 extra; order: strict",
        "预期的 3 次调用中作出 2 次；0 次参数不对；1 次多余；顺序：strict",
    ),
    (
        "The moon is made; of {cheese}.",
        "The moon is made; of {cheese}.",
    ),
    (
        "figures given; advice given; temperature is -1.5, the answer is off by 2",
        "给出了数字；给出了建议；温度为 -1.5，回答相差 2",
    ),
    ("get_weather: had been made before", "get_weather：之前已经调用过"),
    ("not so: a call succeeded", "不成立：有一次调用成功"),
    ("dislikes_cold followed", "遵循了怕冷"),
    ("2.50 s (good)", "2.50 秒（良好）"),
    (
        "1 file to change for a tool; manual memory (asserted)",
        "加一个工具要改 1 个文件；手工记忆（据称）",
    ),
    (
        (
            "very easy: 3 files, low setup, medium code complexity (counted: 1,234 lines, 2.0"
            " paths each, needs httpx, mcp: 12 packages, 34 MB installed)"
        ),
        (
            "很容易：3 个文件，配置难度低，代码复杂度中（统计：1,234 行，每个函数 2.0 条路径，需要"
            " httpx, mcp：12 个包，安装后 34 MB）"
        ),
    ),
)


@pytest.mark.parametrize(("line", "chinese"), _RETOLD)
def test_reasons_are_told_in_chinese(line: str, chinese: str) -> None:
    found = retold_reason(f"{line}\nUnknown.")
    assert found.said(translator("zh")) == f"{chinese}\n未知。"
    assert found.said(translator("en")) == f"{line}\nUnknown."


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.json")), ids=lambda file: file.stem)
def test_all_that_is_said_of_a_sample_has_its_translation(file: Path) -> None:
    case = AgentTestCase.from_json(file.read_text("utf-8"))
    score = run_to_end(MCPToolMetric().evaluate(case))
    lines = [line for part in _all_parts(score) for line in part.reason.split("\n") if line]
    lines += [found.text for part in score.parts for found in _evidence_below(part)]
    assert lines
    for line in lines:
        found = retold_reason(line)
        assert found.said(translator("en")) == line
        assert found.said(translator("zh")) != line


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.json")), ids=lambda file: file.stem)
def test_all_that_is_said_of_a_conversation_has_its_translation(file: Path) -> None:
    case = AgentTestCase.from_json(file.read_text("utf-8"))
    score = run_to_end(ChatbotEvaluator(domain="weather").evaluate(case))
    lines = [part.reason for part in _all_parts(score) if part.reason]
    assert lines
    for line in lines:
        assert retold_reason(line).said(translator("en")) == line
        assert retold_reason(line).said(translator("zh")) != line


@pytest.mark.parametrize(
    "file", sorted(Path(chatbot.__file__).parent.glob("*.py")), ids=lambda file: file.stem
)
def test_every_sentence_of_the_chatbot_metrics_has_its_translation(file: Path) -> None:
    given = re.findall(
        r'(?:add\([^"()]*, |Finding\([^"()]*, |not_applicable\(|Verdict\([0-9._A-Z]+, )"([^"]+)"',
        file.read_text("utf-8"),
    )
    assert [
        text for text in given if text != "files" and retold(text).said(translator("zh")) == text
    ] == []


def test_the_arena_tells_a_metric_and_its_evidence_in_chinese() -> None:
    reason, label = "asks for what it needs; wavers", "judged by words and figures"
    found = MetricView("error recovery", 0.5, reason, label, ["wavers", "<b>Lisbon</b>"])
    parts: Any = environment().get_template("arena_parts.html").module
    assert parts.why(found, translator("zh")) == (
        '<p>询问了所需的内容；摇摆不定 <span class="muted">(依据文字和数字评判)</span></p>'
        '<ul class="evs"><li>摇摆不定</li><li>&lt;b&gt;Lisbon&lt;/b&gt;</li></ul>'
    )


def _all_parts(score: Score) -> list[Score]:
    return [score, *(found for part in score.parts for found in _all_parts(part))]


def _evidence_below(score: Score) -> list[Evidence]:
    return [found for part in _all_parts(score) for found in part.evidence]


def test_long_and_hostile_reasons_are_told_soon() -> None:
    for text in (
        "Call 1: " * 50_000,
        "a. " * 6_000,
        "x; " * 6_000,
        "Problem found: " + "a. " * 6_000,
        "not so: " * 2_000,
        "wavers" + " (asserted)" * 1_500,
        "wavers" + " (counted: 1" * 1_500,
    ):
        assert retold_reason(text).said(translator("en")) == text


@pytest.mark.parametrize(
    "module", ["call_cards", "argument_rows", "answer_text", "run_view", "runs_view"]
)
def test_every_sentence_about_data_has_its_translation(module: str) -> None:
    code = (_PAGES / f"{module}.py").read_text("utf-8")
    said = re.findall(r'Said\(\s*"([^"]+)"', code)
    said += re.findall(r'(?:True|False|None|"\w+"): "([A-Z][^"]+\.)"', code)
    assert [text for text in said if text not in _WORDS] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_moment_is_written_as_the_language_does(language: Language) -> None:
    at = datetime(2026, 11, 4, 9, 5).astimezone().timestamp()
    written = {"en": "4 Nov 2026, 09:05", "zh": "2026年11月4日 09:05"}
    assert figures.moment(at, language) == written[language]
    template = environment().from_string("{{ at | moment }}")
    assert template.render(at=at, language=language) == written[language]
    assert figures.moment(None, language) == "–"
