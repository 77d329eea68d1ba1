"""Domain files and word lists: every row findable, every mistake named."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult
from assay.errors import InvalidRecord, UnknownName
from assay.metrics.chatbot import ChatbotEvaluator, load_domain
from assay.metrics.chatbot.domain import _general_words
from assay.metrics.chatbot.entities import entities_in
from assay.metrics.chatbot.quantities import conditions_in, mentions
from assay.metrics.chatbot.text import Terms, read_text, topic_words, words_of

if TYPE_CHECKING:
    from pathlib import Path

WEATHER = load_domain("weather")
GROUPS = sorted(WEATHER.file.words.keys() | _general_words().keys())


@pytest.mark.parametrize("group", GROUPS)
def test_every_term_is_found_in_a_sentence(group: str) -> None:
    terms = WEATHER.terms(group)
    for term in terms.terms:
        sentence = read_text(f"So, {term.removesuffix('*')} it is.")
        assert term in terms.found(sentence)
        assert terms.in_(sentence)


@pytest.mark.parametrize("group", [g for g in GROUPS if g not in {"before_entity", "no_entity"}])
def test_every_group_speaks_both_languages(group: str) -> None:
    own, general = WEATHER.file.words.get(group, {}), _general_words().get(group, {})
    for language in ("en", "zh"):
        assert own.get(language) or general.get(language)


@pytest.mark.parametrize("name", sorted(WEATHER.conditions))
def test_every_condition_is_stated_by_its_words_and_denied_by_a_no(name: str) -> None:
    for term in WEATHER.conditions[name].terms:
        word = term.removesuffix("*")
        no = "没有" if not word.isascii() else "no "
        assert name in conditions_in(read_text(f"It is {word} now"), WEATHER)
        assert name not in conditions_in(read_text(f"There is {no}{word} now"), WEATHER)


@pytest.mark.parametrize(
    ("terms", "text", "found"),
    [
        (["hat"], "What is that?", []),
        (["as"], "It was so", []),
        (["recommend*"], "It is recommended", ["recommend*"]),
        (["recommend*"], "unrecommended", []),
        (["could not"], "I couldn’t say", ["could not"]),
        (["cannot"], "I can't, I can not", ["cannot"]),
        (["will not"], "It won't", ["will not"]),
        (["°c"], "20℃", ["°c"]),
        (["雨"], "今天有雨吗", ["雨"]),
        (["rain"], "今天rain吗", ["rain"]),
        ([], "anything", []),
    ],
)
def test_terms_are_whole_words(terms: list[str], text: str, found: list[str]) -> None:
    assert Terms(terms).found(read_text(text)) == found


def test_words_and_topics() -> None:
    assert words_of(read_text("What's up, 天气?")) == ["what's", "up", "天", "气"]
    assert topic_words(read_text("The weather in 赫尔辛")) == {"weather", "赫尔", "尔辛"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("20°C", [20.0]),
        ("-5 °C", [-5.0]),
        ("−5°C", [-5.0]),
        ("20–25°C", [25.0]),
        ("50°F", [10.0]),
        ("50° F", [10.0]),
        ("68 degrees fahrenheit", [20.0]),
        ("20,5 degrees", [20.5]),
        ("5 cities", []),
        ("v1.20°C", []),
        ("temperature of 7.", [7.0]),
        ("temperature in 3 cities", []),
        ("零下5度", [-5.0]),
    ],
)
def test_figures_are_read_with_sign_and_unit(text: str, values: list[float]) -> None:
    temperature = WEATHER.quantity("temperature")
    assert temperature is not None
    found = mentions(read_text(text), temperature, WEATHER)
    assert [m.value for m in found] == pytest.approx(values)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Weather in Helsinki and new york", ["helsinki", "new york"]),
        ("At San Francisco today", ["san francisco"]),
        ("I hate Cold weather in January", []),
        ("in Bergen's harbour", ["bergen"]),
        ("北京天气怎么样", ["北京"]),
    ],
)
def test_entities_are_known_or_introduced(text: str, names: list[str]) -> None:
    assert entities_in(read_text(text), WEATHER) == names


SHARES = """
name = "shares"
[words.topic]
en = ["price*", "share*", "stock*"]
[words.advice]
en = ["buy", "sell", "hold"]
[words.asking_entity]
en = ["which company"]
[entities]
known = ["acme"]
[[quantities]]
name = "price"
at = ["quote.price"]
names = ["price"]
exact = 0.01
close = 0.5
[[quantities.units]]
marks = ["$", "dollars", "usd"]
fields = ["price*"]
[conditions]
at = ["quote.trend"]
[conditions.groups.rising]
en = ["rising", "up"]
[conditions.groups.falling]
en = ["falling", "down"]
"""
QUOTE = {"quote": {"price": 1234.5, "trend": "rising"}}


@pytest.fixture(scope="module")
def shares(tmp_path_factory: pytest.TempPathFactory) -> ChatbotEvaluator:
    path = tmp_path_factory.mktemp("domain") / "shares.toml"
    path.write_text(SHARES, encoding="utf-8")
    return ChatbotEvaluator(domain=path)


@pytest.mark.parametrize(
    ("metric", "args", "expected"),
    [
        ("accuracy", ["Acme is rising: $1,234.50.", QUOTE], 1.0),
        ("accuracy", ["Acme is rising: 1234.9 dollars.", QUOTE], 0.9),
        ("accuracy", ["Acme is falling: $1,300.", QUOTE], 0.5),
        ("task_completion", ["Price of Acme?", "The share price of Acme is $1,234.50; hold."], 0.9),
        ("recommendation_quality", ["You should hold because it is rising.", ""], 0.9),
        ("groundedness", ["$1,234.50, rising", [QUOTE]], 1.0),
        ("ambiguity_handling", ["What is the stock price?", "Which company do you mean?"], 1.0),
    ],
)
def test_another_domain_is_judged_by_its_own_file(
    shares: ChatbotEvaluator, metric: str, args: list[Any], expected: float
) -> None:
    assert getattr(shares, f"_evaluate_{metric}")(*args)["score"] == expected


@pytest.mark.parametrize(
    ("answer", "facts", "planning"),
    [
        ("The price of Acme is $1,234.50 and rising.", 1.0, 1.0),
        ("The price of Acme is $1,234.50 and falling.", 0.5, 1.0),
        # Nothing that was fetched is told.
        ("The price of Acme is $99 and falling.", 0.0, 0.5),
    ],
)
def test_another_domain_has_its_twins(
    shares: ChatbotEvaluator, answer: str, facts: float, planning: float
) -> None:
    call = ToolExecutionResult("get_quote", {"company": "Acme"}, QUOTE, success=True)
    case = AgentTestCase("Price of Acme?", answer, execution_data=MCPExecutionData([call]))
    values = asyncio.run(shares.evaluate(case)).values()
    for name in ("accuracy", "groundedness"):
        assert values[f"{name}_from_trace"] == facts
    assert values["action_planning_from_trace"] == planning


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = ", "not a TOML file"),
        ("[words]", "missing required field `name`"),
        ('name = "x"\nwords = 3', "Expected `object`, got `int`"),
        ('name = "x"\nword = 3\n[words]', "unknown field `word`"),
        ('name = "x"\n[words.topic]\nen = "a"', r"Expected `array`, got `str` - at `\$.words"),
        (
            'name = "x"\n[words]\n[[quantities]]\nname="q"\nunits=[]\nexact=0\nclose=1',
            "quantity 'q' needs at least one unit",
        ),
        (
            'name="x"\n[words]\n[[quantities]]\nname="q"\nunits=[{marks=["m"]}]\nexact=2\nclose=1',
            r"exact \(2.0\) must lie between 0 and close \(1.0\)",
        ),
        (
            'name = "x"\n[words]\n[[warrants]]\nwords=["a"]\nwhen={quantity="q", below=1.0}',
            "No quantity named 'q'",
        ),
        (
            'name = "x"\n[words]\n[[warrants]]\nwords=["a"]\nwhen={conditions=["wet"]}',
            "No condition named 'wet'",
        ),
    ],
)
def test_a_broken_file_is_named_with_its_fault(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((InvalidRecord, UnknownName), match=problem):
        load_domain(path)


def test_names_that_nothing_answers_to(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"No domain named 'wether'. Did you mean 'weather'"):
        load_domain("wether")
    with pytest.raises(InvalidRecord, match="cannot be read: No such file"):
        load_domain(tmp_path / "none.toml")
    path = tmp_path / "mine.toml"
    path.write_text('name = "x"\n[words.topics]\nen = ["a"]', encoding="utf-8")
    with pytest.raises(UnknownName, match=r"No group of words named 'topics'. Did you mean"):
        load_domain(path)
