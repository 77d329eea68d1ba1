"""The evaluator: fifteen metrics of one answer, as the seed's dict or as a tree of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from assay.errors import InvalidRecord, UnknownName
from assay.metrics.chatbot.answers import recommendation_quality, task_completion
from assay.metrics.chatbot.case_turn import turn_of_case
from assay.metrics.chatbot.conduct import action_planning, ambiguity_handling, error_recovery
from assay.metrics.chatbot.cost import response_time, tool_call_count
from assay.metrics.chatbot.developer import (
    debuggability,
    implementation_effort,
    integration_simplicity,
)
from assay.metrics.chatbot.domain import Domain, load_domain, weather
from assay.metrics.chatbot.facts import accuracy, groundedness
from assay.metrics.chatbot.memory import adaptation_quality, context_retention, repeatability
from assay.metrics.chatbot.public_profile import PUBLIC_METRICS
from assay.metrics.chatbot.quantities import is_figure
from assay.metrics.chatbot.source_measure import (
    SourceMeasure,
    measure_source,
    traits_of_source,
)
from assay.metrics.chatbot.text import read_text
from assay.metrics.chatbot.trace_twins import TWINS, trace_twins
from assay.metrics.chatbot.traits import Traits, read_traits, traits_of
from assay.metrics.chatbot.turn import Turn, Verdict, read_history
from assay.records import preview
from assay.score import Score, mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from assay.test_case import AgentTestCase

    OneMetric = Callable[[Turn, Domain], Verdict]
    Profile = Literal["seed", "public"]

CATEGORIES: dict[str, dict[str, OneMetric]] = {
    "functional": {
        "accuracy": accuracy,
        "task_completion": task_completion,
        "recommendation_quality": recommendation_quality,
        "context_retention": context_retention,
        "adaptation_quality": adaptation_quality,
        "response_time": response_time,
        "tool_call_count": tool_call_count,
        "action_planning": action_planning,
    },
    "developer_experience": {
        "implementation_effort": implementation_effort,
        "integration_simplicity": integration_simplicity,
        "debuggability": debuggability,
    },
    "behavioural": {
        "error_recovery": error_recovery,
        "ambiguity_handling": ambiguity_handling,
        "repeatability": repeatability,
        "groundedness": groundedness,
    },
}
METRICS: dict[str, OneMetric] = {
    name: metric for metrics in CATEGORIES.values() for name, metric in metrics.items()
}
PROFILES: dict[str, dict[str, OneMetric]] = {"seed": METRICS, "public": PUBLIC_METRICS}
JUDGED_BY_RUN = frozenset({"functional", "behavioural"})
_LABELS = {
    "functional": "judged by words and figures",
    "developer_experience": "judged by traits",
    "behavioural": "judged by words and figures",
    "own": "",
}


class ChatbotEvaluator:
    """Judges answers of a conversational agent by fifteen metrics; higher is better in each.

    `evaluate_response` judges one answer and returns the seed's dict; `evaluate` judges a
    recorded run and returns a tree of scores, in which a metric that has nothing to judge is
    None. `domain` is a name, a path or a `Domain`; `sources` are folders of source code to be
    measured, or what was measured of them, instead of the `traits` asserted; `metrics` are
    functions of one's own. The profile "public" reckons as the seed's published code does,
    defects and all, to compare with it.
    """

    name = "chatbot"

    def __init__(
        self,
        *,
        domain: Domain | str | Path | None = None,
        traits: Mapping[str, Any] | None = None,
        sources: Mapping[str, str | Path | SourceMeasure] | None = None,
        metrics: Mapping[str, OneMetric] | None = None,
        profile: Profile = "seed",
    ) -> None:
        """Take the domain, what is known of the frameworks, and metrics of one's own."""
        if profile not in PROFILES:
            raise UnknownName("profile", profile, PROFILES)
        self._metrics = PROFILES[profile]
        if domain is None:
            domain = weather()
        self.domain = domain if isinstance(domain, Domain) else load_domain(domain)
        self.traits = read_traits(traits)
        for framework, source in (sources or {}).items():
            known = traits_of(framework, self.traits)
            measure = source if isinstance(source, SourceMeasure) else measure_source(source)
            self.traits[framework] = traits_of_source(measure, known)
        self._own = dict(metrics or {})
        for name in self._own:
            if name in METRICS:
                raise InvalidRecord(f"metrics: {name!r} is one of the fifteen; choose another name")

    def evaluate_response(  # noqa: PLR0913, PLR0917 - the seed's signature
        self,
        user_query: str,
        response: str,
        framework_name: str,
        weather_data_used: Any = None,
        conversation_history: list[dict[str, Any]] | None = None,
        user_preferences: dict[str, Any] | None = None,
        response_time: float | None = None,
        tool_call_count: int | None = None,
    ) -> dict[str, dict[str, Any]]:
        """Judge one answer: each metric's score, details, band and findings by its name."""
        if response_time is not None and not (is_figure(response_time) and response_time >= 0):
            raise InvalidRecord(
                f"response_time: expected seconds from 0 on, got {preview(response_time)}"
            )
        turn = Turn(
            read_text(_text("user_query", user_query)),
            read_text(_text("response", response)),
            self._traits_of(framework_name),
            weather_data_used,
            read_history(conversation_history),
            user_preferences,
            response_time,
            _count(tool_call_count),
            _evidence(weather_data_used, tool_call_count),
        )
        every = self._metrics | self._own
        return {name: metric(turn, self.domain).to_dict() for name, metric in every.items()}

    async def evaluate(self, case: AgentTestCase) -> Score:
        """Judge a recorded run: fifteen metrics in three parts, and their trace twins.

        The value is the mean of the functional and behavioural ones that apply, as their twins
        have it where the run was recorded; None without an answer.
        """
        if case.actual_output is None:
            return Score(self.name, None, "the run has no answer")
        turn = turn_of_case(case, self._traits_of(case.framework or ""), self.domain)
        parts = [
            self._category(category, {name: self._metrics[name] for name in metrics}, turn)
            for category, metrics in CATEGORIES.items()
        ]
        if self._own:
            parts.append(self._category("own", self._own, turn))
        twins = trace_twins(case, turn, self.domain)
        value, reason = _whole(parts, twins)
        return Score(self.name, value, reason, parts=(*parts, twins))

    def _category(self, name: str, metrics: Mapping[str, OneMetric], turn: Turn) -> Score:
        label = _LABELS[name]
        parts = tuple(
            metric(turn, self.domain).to_score(own, label) for own, metric in metrics.items()
        )
        return Score(name, mean(part.value for part in parts), parts=parts, label=label)

    def _traits_of(self, framework: str) -> Traits:
        return traits_of(framework, self.traits)

    def _load_framework_characteristics(self) -> dict[str, dict[str, Any]]:
        return {name: traits.to_dict() for name, traits in self.traits.items()}

    def _judge(self, name: str, query: str, response: str, **known: Any) -> dict[str, Any]:
        turn = Turn(read_text(query), read_text(response), **known)
        return self._metrics[name](turn, self.domain).to_dict()

    def _evaluate_accuracy(
        self, response: str, weather_data: Any, user_query: str = ""
    ) -> dict[str, Any]:
        return self._judge("accuracy", user_query, response, data=weather_data)

    def _evaluate_task_completion(self, user_query: str, response: str) -> dict[str, Any]:
        return self._judge("task_completion", user_query, response)

    def _evaluate_recommendation_quality(
        self, response: str, user_query: str = ""
    ) -> dict[str, Any]:
        return self._judge("recommendation_quality", user_query, response)

    def _evaluate_context_retention(
        self, user_query: str, response: str, conversation_history: Any
    ) -> dict[str, Any]:
        history = read_history(conversation_history)
        return self._judge("context_retention", user_query, response, history=history)

    def _evaluate_adaptation_quality(self, response: str, user_preferences: Any) -> dict[str, Any]:
        return self._judge("adaptation_quality", "", response, preferences=user_preferences)

    def _evaluate_response_time(self, response_time: float | None) -> dict[str, Any]:
        return self._judge("response_time", "", "", response_time=response_time)

    def _evaluate_tool_call_count(self, tool_call_count: int | None) -> dict[str, Any]:
        return self._judge("tool_call_count", "", "", tool_call_count=tool_call_count)

    def _evaluate_action_planning(
        self, user_query: str, response: str, weather_data: Any, tool_call_count: int | None = None
    ) -> dict[str, Any]:
        known = {"data": weather_data, "tool_call_count": tool_call_count}
        return self._judge("action_planning", user_query, response, **known)

    def _evaluate_error_recovery(
        self, user_query: str, response: str, weather_data: Any
    ) -> dict[str, Any]:
        return self._judge("error_recovery", user_query, response, data=weather_data)

    def _evaluate_implementation_effort(self, framework_name: str) -> dict[str, Any]:
        return self._judge("implementation_effort", "", "", traits=self._traits_of(framework_name))

    def _evaluate_integration_simplicity(self, framework_name: str) -> dict[str, Any]:
        return self._judge("integration_simplicity", "", "", traits=self._traits_of(framework_name))

    def _evaluate_debuggability(self, framework_name: str, response: str = "") -> dict[str, Any]:
        return self._judge("debuggability", "", response, traits=self._traits_of(framework_name))

    def _evaluate_ambiguity_handling(
        self, user_query: str, response: str, conversation_history: Any = None
    ) -> dict[str, Any]:
        history = read_history(conversation_history)
        return self._judge("ambiguity_handling", user_query, response, history=history)

    def _evaluate_repeatability(
        self, user_query: str, response: str, conversation_history: Any = None
    ) -> dict[str, Any]:
        history = read_history(conversation_history)
        return self._judge("repeatability", user_query, response, history=history)

    def _evaluate_groundedness(
        self, response: str, tool_results: list[Any] | None, *, tools_failed: bool = False
    ) -> dict[str, Any]:
        known = {"evidence": tool_results, "tools_failed": tools_failed}
        return self._judge("groundedness", "", response, **known)


def _whole(categories: list[Score], twins: Score) -> tuple[float | None, str]:
    """The mean of what applies to this run; where it was recorded twins stand for their metrics.

    What a framework asks of developers is the same in every run, and says nothing of this one.
    """
    judged = [
        score
        for category in categories
        if category.name in JUDGED_BY_RUN
        for score in category.parts
        if not (twins.parts and score.name in TWINS)
    ]
    found = [score.value for score in (*judged, *twins.parts) if score.value is not None]
    how = "by the run" if twins.parts else "by words: no calls were recorded"
    return mean(found), f"mean of {len(found)} metrics that apply, {how}"


def _text(name: str, given: object) -> str:
    if not isinstance(given, str):
        raise InvalidRecord(f"{name}: expected text, got {preview(given)}")
    return given


def _count(given: object) -> int | None:
    if given is None or (isinstance(given, int) and not isinstance(given, bool) and given >= 0):
        return given
    raise InvalidRecord(f"tool_call_count: expected a count from 0 on, got {preview(given)}")


def _evidence(data: Any, calls: int | None) -> list[Any] | None:
    """What tools returned: the data used; nothing when none was called; else it is not known."""
    if data is not None:
        return [data]
    return [] if calls == 0 else None
