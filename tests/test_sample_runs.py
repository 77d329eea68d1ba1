"""The bundled sample runs are what their README says they are."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest

from assay.test_case import AgentTestCase
from assay.tools import read_tools

if TYPE_CHECKING:
    from assay.execution import ToolExecutionResult

RUNS = Path(__file__).resolve().parents[1] / "examples" / "runs"
FILES = sorted(RUNS.glob("*.json"))
CLAUDE, QWEN = "claude-sonnet-4.5", "qwen3-32b"
TRIED_AGAIN = ("return-cracked-lamp", "top-region-q3")

# file: task, model, attempt, whether the task succeeded
RUN_TABLE: dict[str, tuple[str, str, int, bool | None]] = {
    "01-weather-and-clothes": ("weather-clothes-beijing", QWEN, 1, True),
    "02-regression-research": ("ledgerly-csv-regression", CLAUDE, 1, True),
    "03-hallucinated-tool": ("design-review-booking", "gpt-5-mini", 1, False),
    "04-no-tools-needed": ("discount-arithmetic", "deepseek-v3.2", 1, True),
    "05-trip-across-servers": ("hangzhou-day-trip", "deepseek-v3.2", 1, True),
    "06-parallel-reads": ("compare-timeouts", "gpt-5-mini", 1, None),
    "07-silent-failure": ("save-meeting-notes", QWEN, 1, False),
    "08-rate-limit-and-expired-token": (
        "assign-oldest-payments-bug",
        "gemini-2.5-flash",
        1,
        False,
    ),
    "09-return-good": ("return-cracked-lamp", CLAUDE, 1, True),
    "10-return-policy-checked": ("return-cracked-lamp", CLAUDE, 2, True),
    "11-return-both-lamps": ("return-cracked-lamp", CLAUDE, 3, False),
    "12-return-invented-ids": ("return-cracked-lamp", QWEN, 1, False),
    "13-return-repeated-calls": ("return-cracked-lamp", QWEN, 2, True),
    "14-return-arguments-against-schema": ("return-cracked-lamp", QWEN, 3, False),
    "15-revenue-good": ("top-region-q3", CLAUDE, 1, True),
    "16-revenue-retry-and-recovery": ("top-region-q3", CLAUDE, 2, True),
    "17-revenue-server-down": ("top-region-q3", CLAUDE, 3, False),
    "18-revenue-step-by-step": ("top-region-q3", QWEN, 1, True),
    "19-revenue-made-up-number": ("top-region-q3", QWEN, 2, False),
    "20-revenue-gives-up": ("top-region-q3", QWEN, 3, False),
}

# "a > b c!": a in the first turn, then b and c in one; c was reported as failed
CALLS = {
    "01-weather-and-clothes": "weather_query > clothing_recommendation",
    "02-regression-research": (
        "search_issues > get_issue list_issue_comments get_release_by_tag > list_commits > "
        "get_pull_request get_pull_request_files search_issues > get_pull_request"
    ),
    "03-hallucinated-tool": "get_freebusy > create_event > send_email!",
    "04-no-tools-needed": "",
    "05-trip-across-servers": "list_events get_forecast > search_trains > create_event",
    "06-parallel-reads": "read_text_file read_text_file read_text_file",
    "07-silent-failure": "write_file",
    "08-rate-limit-and-expired-token": "search_issues! > search_issues > update_issue!",
    "09-return-good": "find_customer > list_orders > get_order > create_return",
    "10-return-policy-checked": (
        "find_customer > list_orders > get_order get_return_policy > create_return"
    ),
    "11-return-both-lamps": "find_customer > list_orders > get_order > create_return",
    "12-return-invented-ids": "list_orders > get_order! > get_order!",
    "13-return-repeated-calls": (
        "find_customer > list_orders > get_order > get_order > get_order > get_order > "
        "create_return"
    ),
    "14-return-arguments-against-schema": "find_customer > list_orders > get_order > create_return",
    "15-revenue-good": "list_tables > describe_table describe_table describe_table > read_query",
    "16-revenue-retry-and-recovery": (
        "read_query! > list_tables describe_table > describe_table describe_table > read_query"
    ),
    "17-revenue-server-down": (
        "list_tables > describe_table describe_table describe_table > read_query! > read_query!"
    ),
    "18-revenue-step-by-step": (
        "list_tables > describe_table > describe_table > describe_table > read_query"
    ),
    "19-revenue-made-up-number": (
        "list_tables > describe_table describe_table describe_table > read_query"
    ),
    "20-revenue-gives-up": (
        "list_tables > describe_table describe_table describe_table > read_query! > "
        "read_query! > read_query!"
    ),
}

SCHEMA_ERRORS = {
    "14-return-arguments-against-schema": {
        '"line_id" is a required property',
        '"1" is not of type "integer"',
    }
}

# theme, as the README's second column names it: the file that shows it
THEMES = {
    "the seed's example (Chinese)": "01-weather-and-clothes",
    "good multi-step research": "02-regression-research",
    "a hallucinated tool": "03-hallucinated-tool",
    "no tools needed (Chinese)": "04-no-tools-needed",
    "several servers (Chinese)": "05-trip-across-servers",
    "parallel calls": "06-parallel-reads",
    "a silent failure (Chinese)": "07-silent-failure",
    "rate limit and expired token": "08-rate-limit-and-expired-token",
    "a task done well": "09-return-good",
    "the same task, another way": "10-return-policy-checked",
    "a wrong result without a trace": "11-return-both-lamps",
    "invented ids as arguments": "12-return-invented-ids",
    "repeated identical calls": "13-return-repeated-calls",
    "arguments against the schema, accepted": "14-return-arguments-against-schema",
    "a short path to the answer": "15-revenue-good",
    "retry with changed arguments, recovery": "16-revenue-retry-and-recovery",
    "server failure, honest end": "17-revenue-server-down",
    "right, one call at a time": "18-revenue-step-by-step",
    "a made-up number": "19-revenue-made-up-number",
    "failed retries, giving up": "20-revenue-gives-up",
}

every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def load(stem: str) -> AgentTestCase:
    return AgentTestCase.from_json((RUNS / f"{stem}.json").read_bytes())


def all_but_answer(case: AgentTestCase) -> str:
    """Everything the agent was told: prompt, conversation, arguments and results."""
    calls = [[call.parameters, call.result] for call in case.calls]
    return json.dumps([case.input, case.conversation_history, calls], ensure_ascii=False)


def times(call: ToolExecutionResult) -> tuple[float, float]:
    assert call.started_at is not None
    assert call.ended_at is not None
    return call.started_at, call.ended_at


def overlap(one: ToolExecutionResult, other: ToolExecutionResult) -> bool:
    return times(one)[0] < times(other)[1] and times(other)[0] < times(one)[1]


def test_the_tables_name_every_file() -> None:
    stems = [path.stem for path in FILES]
    assert len(stems) == 20
    assert list(RUN_TABLE) == stems
    assert list(CALLS) == stems
    assert list(THEMES.values()) == stems


@every_file
def test_round_trip(path: Path, tmp_path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    case = AgentTestCase.from_dict(data)
    assert case.to_dict() == data
    assert case.extra == {}
    case.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


@every_file
def test_every_record_is_valid(path: Path) -> None:
    assert load(path.stem).validate() == []


@every_file
def test_task_model_attempt_and_outcome(path: Path) -> None:
    case = load(path.stem)
    success = case.outcome.success if case.outcome else None
    assert (case.task_id, case.model, case.attempt, success) == RUN_TABLE[path.stem]
    assert case.run_id == path.stem
    assert case.outcome is None or (case.outcome.decided_by and case.outcome.reason)


def test_two_tasks_were_tried_three_times_by_two_models() -> None:
    passed = Counter(
        (task, model)
        for task, model, _, success in RUN_TABLE.values()
        if task in TRIED_AGAIN and success
    )
    assert passed == {
        ("return-cracked-lamp", CLAUDE): 2,
        ("return-cracked-lamp", QWEN): 1,
        ("top-region-q3", CLAUDE): 2,
        ("top-region-q3", QWEN): 1,
    }
    attempts = Counter(row[:3] for row in RUN_TABLE.values() if row[0] in TRIED_AGAIN)
    assert attempts == Counter(product(TRIED_AGAIN, (CLAUDE, QWEN), (1, 2, 3)))


@every_file
def test_calls_by_turn(path: Path) -> None:
    turns: dict[int | None, list[str]] = {}
    for call in load(path.stem).calls:
        turns.setdefault(call.turn, []).append(f"{call.tool}{'' if call.success else '!'}")
    assert " > ".join(" ".join(names) for names in turns.values()) == CALLS[path.stem]
    assert list(turns) == list(range(1, len(turns) + 1))


@every_file
def test_calls_say_what_was_reported(path: Path) -> None:
    for call in load(path.stem).calls:
        assert call.reported_success is call.success
        assert (call.error_message is None) is call.success
        assert call.call_id


@every_file
def test_arguments_fit_the_schemas(path: Path) -> None:
    case = load(path.stem)
    tools = read_tools(case.available_tools)
    assert tools
    found: set[str] = set()
    for call in case.calls:
        if call.tool in tools:
            schema: Any = tools[call.tool].input_schema
            validator = jsonschema_rs.validator_for(schema, validate_formats=True)
            found |= {error.message for error in validator.iter_errors(call.parameters)}
    assert found == SCHEMA_ERRORS.get(path.stem, set())


@every_file
def test_times_agree(path: Path) -> None:
    case = load(path.stem)
    assert case.started_at is not None
    assert case.ended_at is not None
    for call in case.calls:
        start, end = times(call)
        assert case.started_at < start < end < case.ended_at
        assert end - start == pytest.approx(call.execution_time, abs=1e-6)
    for before, after in pairwise(case.calls):
        assert overlap(before, after) is (before.turn == after.turn)


@every_file
def test_tokens_are_known(path: Path) -> None:
    usage = load(path.stem).usage
    assert usage is not None
    assert (usage.input_tokens or 0) > (usage.output_tokens or 0) > 0
    assert (usage.cost_usd is None) is (RUN_TABLE[path.stem][1] == QWEN)


@every_file
def test_addresses_are_fictitious(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("http://json-schema.org/draft-07/schema#", "")
    hosts = re.findall(r"(?:https?://|[\w.]+@)([\w.-]+\w)", text)
    assert all(re.fullmatch(r"(\w+\.)?example\.(com|org)", host) for host in hosts)


def test_the_seeds_example_is_word_for_word() -> None:
    case = load("01-weather-and-clothes")
    assert case.input == "请查询北京的天气并推荐合适的穿衣搭配"
    assert case.actual_output == "根据查询，北京今天晴天22°C，建议穿轻薄长袖衬衫。"
    assert case.expected_output == "应该提供天气信息和穿衣建议"
    assert (case.agent_id, case.session_id) == ("weather_clothing_agent", "session_20240928_001")
    assert case.planning_strategy == "sequential_execution"
    assert case.conversation_history == [
        {"role": "user", "content": "请查询北京的天气并推荐合适的穿衣搭配"},
        {"role": "assistant", "content": "我来帮您查询天气并推荐穿衣。"},
    ]
    weather, clothes = case.calls
    assert weather.parameters == {"location": "北京", "unit": "celsius"}
    assert weather.result == {"weather": "晴天", "temperature": 22}
    assert (weather.server, weather.execution_time) == ("weather_server", 1.2)
    assert clothes.parameters == {"weather": "晴天", "temperature": 22}
    assert clothes.result == {"recommendation": "轻薄长袖衬衫"}
    assert (clothes.server, clothes.execution_time) == ("lifestyle_server", 0.8)


def test_at_least_three_runs_are_in_chinese() -> None:
    chinese = [path.stem[:2] for path in FILES if re.search("[一-鿿]", load(path.stem).input)]
    assert chinese == ["01", "04", "05", "07"]


def test_the_hallucinated_tool_is_claimed_to_have_worked() -> None:
    case = load("03-hallucinated-tool")
    assert case.calls[-1].server is None
    assert (case.calls[-1].error_message or "").startswith("Unknown tool: send_email.")
    assert "I have also emailed the agenda to both of them" in (case.actual_output or "")


def test_tools_are_on_offer_where_none_is_needed() -> None:
    case = load("04-no-tools-needed")
    assert list(read_tools(case.available_tools) or {}) == [
        "search_products",
        "list_coupons",
        "get_price_history",
    ]
    assert case.expected_tools == []


def test_the_trip_uses_three_servers() -> None:
    servers = [call.server for call in load("05-trip-across-servers").calls]
    assert servers == ["calendar", "weather", "trains", "calendar"]


def test_the_silent_failure_is_an_error_text_reported_as_success() -> None:
    case = load("07-silent-failure")
    (call,) = case.calls
    assert call.result["isError"] is False
    assert call.result["content"][0]["text"].startswith("Error: EACCES: permission denied")
    assert "已整理并保存到" in (case.actual_output or "")


def test_rate_limit_and_expired_token() -> None:
    limited, again, refused = load("08-rate-limit-and-expired-token").calls
    assert (limited.error_message or "").startswith("HTTP 429 Too Many Requests")
    assert again.parameters == limited.parameters
    assert times(again)[0] - times(limited)[1] >= limited.result["retry_after"] == 42
    assert (refused.error_message or "").startswith("HTTP 401 Unauthorized")


def test_both_lamps_were_returned_where_one_was_asked_for() -> None:
    case = load("11-return-both-lamps")
    assert case.input.startswith("Hello, I'm Maren Holt")
    assert "One of the two desk lamps" in case.input
    assert case.calls[-1].parameters["quantity"] == 2
    assert load("09-return-good").calls[-1].parameters["quantity"] == 1


def test_the_invented_ids_come_from_nowhere() -> None:
    case = load("12-return-invented-ids")
    told = str([case.input, case.conversation_history, [call.result for call in case.calls]])
    used = [
        call.parameters.get("customer_id") or call.parameters["order_id"] for call in case.calls
    ]
    assert used == ["C-10001", "SO-12345", "SO-12346"]
    assert not any(name in told for name in used)


def test_the_repeated_calls_are_identical() -> None:
    repeats = load("13-return-repeated-calls").calls[2:6]
    assert all(one.parameters == {"order_id": "SO-58213"} for one in repeats)
    assert all(one.result == repeats[0].result for one in repeats)


def test_the_server_accepted_what_its_schema_forbids() -> None:
    call = load("14-return-arguments-against-schema").calls[-1]
    assert "line_id" not in call.parameters
    assert call.parameters["quantity"] == "1"
    assert call.result["lines"] == [
        {"line_id": 1, "quantity": 2},
        {"line_id": 2, "quantity": 1},
    ]


def test_the_retry_changes_the_query_and_recovers() -> None:
    calls = load("16-revenue-retry-and-recovery").calls
    assert calls[0].error_message == "Error executing tool read_query: no such column: o.region"
    assert "o.region," in calls[0].parameters["query"]
    assert "o.region," not in calls[-1].parameters["query"]
    assert "'region': 'South', 'q2': 210118.0, 'q3': 236592.87" in calls[-1].result


def test_the_server_was_down_for_a_query_that_works_elsewhere() -> None:
    case = load("17-revenue-server-down")
    timeout, refused = case.calls[-2:]
    assert timeout.parameters == refused.parameters
    assert timeout.parameters == load("16-revenue-retry-and-recovery").calls[-1].parameters
    assert (timeout.error_message or "").startswith("Timed out")
    assert (refused.error_message or "").startswith("HTTP 503 Service Unavailable")
    assert "236" not in (case.actual_output or "")


@pytest.mark.parametrize(
    ("shown", "times_recorded"), [("236,592.87", 1), ("200,163.17", 0), ("18.2", 0)]
)
def test_the_made_up_numbers_come_from_nowhere(shown: str, times_recorded: int) -> None:
    case = load("19-revenue-made-up-number")
    assert shown in (case.actual_output or "")
    assert all_but_answer(case).count(shown.replace(",", "")) == times_recorded


def test_the_last_run_repeats_a_failing_query_and_gives_up() -> None:
    first, second, third = load("20-revenue-gives-up").calls[-3:]
    assert first.parameters == second.parameters != third.parameters
    assert first.error_message == 'Error executing tool read_query: near "FROM": syntax error'
    assert third.error_message == "Error executing tool read_query: no such function: DATE_TRUNC"


def test_the_readme_names_every_file_with_its_theme() -> None:
    readme = (RUNS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(.+)\]\((.+)\.json\) \| (.+?) \| (.+) \|$", readme, re.MULTILINE)
    assert {theme: link for _, link, theme, _ in rows} == THEMES
    assert all(name == link and notice.endswith(".") for name, link, _, notice in rows)
    assert "All of them are invented." in readme
