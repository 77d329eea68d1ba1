"""Which kind a message tells of: each wording that leaves no doubt, and what is read past."""

from __future__ import annotations

import re
import time

import pytest

from assay.evidence.chinese_kinds import CHINESE_WORDINGS
from assay.evidence.coded_kinds import EXIT_KINDS, SQLSTATE_KINDS, kind_by_code
from assay.evidence.sure_wordings import SURE_WORDINGS
from assay.evidence.told_kinds import (
    _KIND_OF,
    _KIND_TOLD,
    _LONGEST_REMEMBERED,
    _MOST_REMEMBERED,
    kind_of_message,
    kinds_of_messages,
)

# One message for each wording, in the order of the table.
SURE: list[tuple[str, tuple[str, ...]]] = [
    (
        "malformed_call",
        (
            "Failed to parse the tool arguments: Expecting value: line 1 column 1 (char 0)",
            "arguments are not valid JSON",
        ),
    ),
    (
        "data_processing_error",
        (
            "Cannot parse tide response as JSON",
            "unexpected tide table response",
            "MCP error -32602: Invalid tools/call result: expected record",
            "Output validation error: 'depth' is a required property",
            "The reply from the buoy is empty",
            "the response had no depth",
            "response did not include the tide",
            "the answer could not be parsed",
            "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
            "no output from the plotter",
            "the API returned malformed tides",
            "Missing field 'depth' in API response",
            "missing tide in the provider's answer",
            "Expecting value: line 1 column 1 (char 0)",
            "parse result: invalid character 'x' looking for beginning of value",
            "failed to serialize the result",
            "Object of type Tide is not JSON serializable",
            "too many values to unpack (expected 2)",
            "Unable to load the tide: parse error: 'depth'",
        ),
    ),
    (
        "null_reference",
        (
            "tides.map is not a function",
            "Cannot destructure property 'tide' of 'buoy' as it is undefined.",
            "Object reference not set to an instance of an object",
            'Cannot invoke "Tide.depth()" because "<local4>" is null',
            "NameError: name 'tide' is not defined",
        ),
    ),
    (
        "execution_error",
        (
            "maximum recursion depth exceeded",
            "Unhandled tide in the harbour",
            "CUDA out of memory",
            "deadlock detected",
            "no berth in the map: this is a harbour bug",
            "The harbour met an unexpected condition",
            "The page, context or browser has been closed",
        ),
    ),
    ("output_too_large", ("The output exceeded what a page holds",)),
    ("invalid_arguments", ("failed to unmarshal arguments into berth",)),
    (
        "missing_required_field",
        (
            "Invalid input: expected string, received undefined",
            "data must have required property 'berth'",
        ),
    ),
    ("wrong_type", ("Expected `int`, got `str` - at `$.depth`", "data/depth must be integer")),
    (
        "unsupported",
        (
            "Could not detect the language for tides.csv",
            "Cannot read 'tide.png' as text. Use show_chart for charts.",
            "Mooring 'north' is not available for this boat.",
            "Cannot read binary file: tide.bin",
        ),
    ),
    (
        "validation_error",
        (
            "timeout must be between 1 and 60 seconds; read about timeouts",
            "depth must be a positive number of fathoms",
            "Cannot divide by zero",
            "Input should be 'ebb' or 'flood'",
            "Invalid URL",
            "the ebb must precede the flood",
            "Latitude 120 is out of bounds",
            "berth name may not contain spaces",
        ),
    ),
    (
        "invalid_arguments",
        (
            'ValidationError: "berth" is not allowed',
            "Give berth or pier, not both",
            "expected 2 arguments, got 3",
        ),
    ),
    ("timeout", ("the upstream pilot request timed out after 30 s",)),
    (
        "unavailable",
        (
            "failed to launch the tide reader",
            "upstream pilot request gave up",
            "the tide worker has died",
            "the pool is exhausted",
            "no nodes available",
            "Could not start the tide server: no such file",
            "the pilot is not responding",
            "The chart is loading",
            "Tide manager is not initialized",
            "no pilot service available",
            "no tide table in context",
            "Tide kernel not found",
            "the API client is required for tides",
            "mooring needs the harbour daemon",
            "this connection is no longer available",
        ),
    ),
    (
        "syntax_error",
        (
            "Error in the tide query: odd sign",
            "parse error at line 1: syntax error: unexpected EBB",
            "Error parsing query: no rule matched at ''",
            "moor: missing closing parenthesis",
        ),
    ),
    (
        "not_found",
        (
            "'moor' is not recognized as an internal or external command",
            "no such column: depht",
            'Table "tides" does not have a column with name "depht"',
            "Berth 9 does not exist or you are not the one to see it",
            "Invalid object name 'dbo.Berths'.",
            "No active session found for pilot 4411",
        ),
    ),
    ("cancelled", ("Cancelled: another call errored", "the prompt was dismissed")),
    (
        "permission",
        (
            "You are not allowed to move other boats",
            "berth 'B9' is outside the token's scope",
            "The boat does not belong to this owner",
            "the pilot lacks the berth permission",
            "The tide scopes are missing",
            "tool not accessible",
            "only harbour owners can move boats",
            "IP not allowed",
            "The boat was blocked by the chain",
            "approval needed",
            "mooring requires admin",
            "This tow requires the pilot's approval",
            "Path not allowed",
            "this quay is not allowed to write to the chart",
            "your rank does not permit this",
            "You need pilot rights",
            "your account has been suspended",
            "night access disabled",
        ),
    ),
    (
        "auth",
        (
            "Your harbour credentials were not found",
            "the harbour rejected the key",
            "No cookie for the harbour",
            "the token you gave is not valid",
            "Cookie expired",
            "mooring requires a current grant",
            "OAuth consent wanted",
            "please reconnect your harbour",
        ),
    ),
    (
        "configuration",
        (
            "plotter is not installed",
            "tide must be on your PATH",
            "The environment variable for tides must be defined",
            "Harbour URL is not set",
            "Please enable the tide gauge",
            "Choose a pier in the harbour settings",
            "Enable night moorings in the harbour configuration",
            "TIDE_KEY must stand in .env",
            "No tide gauge instance is configured",
            "configuration file not found",
            "Tide gauge not configured. Add tide_api_key to the harbour file.",
            "TIDE_URL is undefined",
            "port 8080 is already in use",
            "Please run: npx plotter install",
            "invalid configuration: no chart",
            "missing tide driver",
            "no configuration has been provided",
            "Unsupported tide version on the host: 3",
            "The chart plugin failed to load: invalid manifest",
            "Not connected to the harbour, please provide 'HARBOUR_TOKEN'",
            "the tide CLI was not found",
        ),
    ),
    ("configuration", ("plotter not found on the server",)),
    (
        "network_error",
        (
            "peer closed connection",
            "incomplete chunked read",
            "no internet connection",
            "lookup harbour: no such host",
            "connect EHOSTUNREACH",
        ),
    ),
    ("server_unavailable", ("Bad Request: No valid session ID provided", "Not connected")),
    ("rate_limit", ("Rate exceeded", "Please wait 30 before the next boat")),
    (
        "quota_exceeded",
        (
            "You have reached your daily limit",
            "Charts are for a paid plan",
            "Premium required",
            "The chart requires a paid subscription",
            "the free tier is over",
            "the licence has expired",
            "a payment method is required",
            "Charts are not included in your plan",
        ),
    ),
    (
        "timeout",
        ("no reply in 164s", "the tide table exceeded 30 s", "the pilot did not answer in time"),
    ),
    (
        "conflict",
        (
            "your local charts would be overwritten",
            "MOORING FAILED: another tow (in or out) is in progress",
            "An error occurred (ConditionalCheckFailedException): odd tide",
            "the berth has been modified; apply your changes to the latest version",
            "unable to resolve dependency tree",
        ),
    ),
    (
        "rule_violation",
        (
            "current transaction is aborted",
            "This mooring cannot be cancelled",
            "The button is disabled",
            "the buoy is not clickable",
            "nothing to moor",
            "The boat is not assigned to a pilot",
            "This chart is only available after high tide",
            "The picture was flagged by the watch",
        ),
    ),
]


@pytest.mark.parametrize("size", [200, 1_400, 300_000])
@pytest.mark.parametrize("part", ["a ", ": a", "not found on the ", "keine a ", "не ", "нет a_"])
def test_hostile_messages_take_bounded_time(part: str, size: int) -> None:
    text = part * (size // len(part))
    started = time.process_time()
    kind_of_message(text)
    kind_of_message(f"Error: {text}")
    assert time.process_time() - started < 2


def test_messages_read_together_are_read_like_single_ones() -> None:
    told = [text for _, examples in SURE for text in examples]
    told += [f"Error: {text}. Please check your input" for text in told[::7]]
    told += ["查询失败", "", "channel_not_found", "x" * 2_000 + " permission denied", *told[:3]]
    _forget()
    together = kinds_of_messages(told)
    assert list(together) == list(dict.fromkeys(told))
    for text, kind in together.items():
        _forget()
        assert kind_of_message(text) == kind


def test_what_is_remembered_is_bounded() -> None:
    _forget()
    for first in range(0, 3 * _MOST_REMEMBERED, 1_000):
        kinds_of_messages(f"boat {n} not found" for n in range(first, first + 1_000))
        kinds_of_messages(f"{'boat ' * 1_000}{n}" for n in range(3))
        assert max(len(_KIND_OF), len(_KIND_TOLD)) <= _MOST_REMEMBERED
    assert max(map(len, _KIND_OF)) <= _LONGEST_REMEMBERED
    found = kinds_of_messages(f"berth {n} not found" for n in range(2 * _MOST_REMEMBERED))
    assert len(found) == 2 * _MOST_REMEMBERED
    assert found["berth 7 not found"] == "not_found"
    assert max(len(_KIND_OF), len(_KIND_TOLD)) == _MOST_REMEMBERED


def _forget() -> None:
    _KIND_OF.clear()
    _KIND_TOLD.clear()


def test_each_sure_wording_has_an_example() -> None:
    told = [(kind, len(wordings)) for kind, wordings in SURE_WORDINGS]
    assert told == [(kind, len(examples)) for kind, examples in SURE]


@pytest.mark.parametrize(
    ("kind", "wording", "text"),
    [
        (kind, wording, text)
        for (kind, wordings), (_, examples) in zip(SURE_WORDINGS, SURE, strict=True)
        for wording, text in zip(wordings, examples, strict=True)
    ],
)
def test_sure_wordings(kind: str, wording: str, text: str) -> None:
    assert re.search(wording, text, re.IGNORECASE)
    assert kind_of_message(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "File not found on the server",
        "page was not found on the server",
        "Member not found on this server",
        "Account with number 7 not found on the server",
        "chart.zip not found on the server",
    ],
)
def test_what_a_call_asks_a_server_for_is_no_missing_program(text: str) -> None:
    assert kind_of_message(text) == "not_found"


CHINESE = {
    "rate_limit": "今日查询次数已达",
    "quota_exceeded": "账户余额为零",
    "auth": "令牌已失效",
    "permission": "不允许访问此泊位",
    "configuration": "请先在设置中启用海图",
    "network_error": "无法连接港口",
    "unavailable": "调度器未初始化",
    "malformed_call": "请求体解析失败",
    "data_processing_error": "接口返回的潮汐不完整",
    "invalid_date_range": "无法解析日期字符串",
    "missing_required_field": "必须指定泊位",
    "invalid_arguments": "不能同时指定泊位和码头",
    "unsupported": "仅支持整点潮汐",
    "conflict": "泊位已被占用",
    "not_found": "没有找到泊位",
    "validation_error": "深度校验未通过",
    "rule_violation": "无法取消这次停泊",
}


@pytest.mark.parametrize(("kind", "text"), CHINESE.items())
def test_chinese(kind: str, text: str) -> None:
    assert kind_of_message(text) == kind


def test_each_chinese_kind_has_an_example() -> None:
    assert [kind for kind, _ in CHINESE_WORDINGS] == list(CHINESE)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Unknown column 'timeout' in 'field list'", "not_found"),
        ("File not found: '/srv/auth/token.txt'", "not_found"),
        ("Get http://harbour.example/tide?timeout=32s: connection refused", "network_error"),
        (
            (
                "berth\n  Input should be a valid integer [type=int_parsing,"
                " input_value='permission denied', input_type=str]"
            ),
            "wrong_type",
        ),
        ("Invalid 'api_key'", "auth"),
        ("error: 'unauthorized'", "auth"),
    ],
)
def test_what_a_message_names_says_nothing(text: str, kind: str) -> None:
    assert kind_of_message(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("upstream timed out after 30 s", "timeout"),
        ("upstream request timeout", "timeout"),
        ("The origin is timing out", "timeout"),
        ("upstream connect error, reset reason: connection timeout", "unavailable"),
        ("backend failed: timeout waiting for the lock", "unavailable"),
    ],
)
def test_a_server_behind_the_tool_that_took_too_long_is_no_absent_one(text: str, kind: str) -> None:
    assert kind_of_message(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SSL certificate verify failed", "network_error"),
        ("certificate has expired", "network_error"),
        ("request to URL failed, reason: certificate has expired", "network_error"),
        ("unable to verify the first certificate", "network_error"),
        ("self-signed certificate", "network_error"),
        ("unable to get local issuer certificate", "network_error"),
        ("x509: certificate is valid for tide.example, not buoy.example", "network_error"),
        ("Hostname/IP does not match certificate's altnames", "network_error"),
        ("Error: certificate cannot be used to update reservation", "rule_violation"),
        ("gift certificate is not valid for this booking", "validation_error"),
        ("Your gift certificate has expired", "rule_violation"),
        ("Certificate C7 not found", "not_found"),
    ],
)
def test_a_certificate_may_be_a_voucher(text: str, kind: str) -> None:
    assert kind_of_message(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("invalid_auth", "auth"),
        ("not_authed", "auth"),
        ("account_inactive", "auth"),
        ("invalid_author", "validation_error"),
        ("The savings account is inactive", "rule_violation"),
        ("Upstream returned 502 Bad Gateway", "unavailable"),
        ("502 Bad Gateway", "unavailable"),
        ("the server sent a bad tide table", "data_processing_error"),
    ],
)
def test_codes_and_states_of_a_service(text: str, kind: str) -> None:
    assert kind_of_message(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "ResponseValidationError: 1 validation error: depth is of the wrong type",
            "data_processing_error",
        ),
        ("Request validation failed: depth is of the wrong type", "wrong_type"),
        ("License of the server has expired", "configuration"),
        ("missing required depth in the upstream reply", "data_processing_error"),
        ("潮汐服务密钥无效,请联系管理员", "auth"),
        ("无效的泊位", "validation_error"),
    ],
)
def test_what_the_server_made_is_not_the_models(text: str, kind: str) -> None:
    assert kind_of_message(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Berth 9 not found. Please check your API key or network connection.", "not_found"),
        ("No berth with id 9.\nSuggestions: check the network, verify the token", "not_found"),
        ("Something odd. Please check your API key.", "auth"),
    ],
)
def test_advice_counts_where_nothing_else_says_more(text: str, kind: str) -> None:
    assert kind_of_message(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Chart at pier 4 is larger than 20 MB.", "output_too_large"),
        ("Berth 4 is larger than berth 3 may be", "unclassified"),
        ("depth cannot be negative", "validation_error"),
        ("Mooring several boats is not possible here", "unsupported"),
        ("You don't have harbour master access.", "permission"),
        ("You don't have that boat!", "rule_violation"),
        ("You don't have enough rope.", "rule_violation"),
        ("A tow requires both boat and pier.", "missing_required_field"),
        ("a tow needs a pier in its plan", "missing_required_field"),
        ("The chart may be open in the plotter.", "conflict"),
        ("Tow failed to start: no crane capacity available", "unavailable"),
        ("Disconnected from the tide server.", "network_error"),
        ("tide_key is not configured.", "configuration"),
        ("The API key is not configured.", "auth"),
        ("潮汐服务未配置（TIDE_API_KEY）", "configuration"),
        ("tool moor_boat is not allowed", "permission"),
        ("no hay un muelle llamado 'norte'", "not_found"),
        ("Tàu thiếu quyền vào cảng", "permission"),
        ("Vui lòng nhập tên tàu", "missing_required_field"),
        ("Không có tàu 'north'", "not_found"),
        ("The note does not conform to the rules of the pier", "validation_error"),
        ("crane-not-loaded", "unavailable"),
        ("expected two arguments: pier and boat", "invalid_arguments"),
        ("That pilot is not online.", "unavailable"),
        ("Daily tow limit of 5 boats reached.", "quota_exceeded"),
        ("You are too far from the pier.", "rule_violation"),
        ("charts support .csv only", "unsupported"),
        ("Exactly one pier is allowed.", "unsupported"),
        ("Only the pilot on watch can moor boats", "rule_violation"),
        ("Смещение не может быть отрицательным", "validation_error"),
        ("Lưu tàu thất bại", "execution_error"),
        ("No tide data available", "unavailable"),
        ("No berths left", "rule_violation"),
        ("No tables available at 8 pm.", "rule_violation"),
        ("Not enough capacity for 5 boats", "rule_violation"),
        ("Not enough capacity in the north harbour", "unavailable"),
        ("Daily limit of $500 reached", "quota_exceeded"),
        ("The lamp did not light up within 30 s", "timeout"),
        ("Your tow cannot be booked right now", "unavailable"),
        ("berth required (e.g. north/4)", "missing_required_field"),
    ],
)
def test_what_is_wanting_and_what_is_too_much(text: str, kind: str) -> None:
    assert kind_of_message(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Error: not a directory: charts", "validation_error"),
        ("Error executing tool moor: Error: Unknown pier", "not_found"),
        ("Bad Request: berth not found", "not_found"),
        ("Bad Request: odd", "invalid_arguments"),
        ("<tool_use_error>Cancelled: the other call errored</tool_use_error>", "cancelled"),
    ],
)
def test_what_only_says_that_there_is_an_error_is_read_past(text: str, kind: str) -> None:
    assert kind_of_message(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "找 \ud83d",
        "error: " * 5_000,
        "'" * 5_000,
        "http://" * 2_000,
        "<a>" * 5_000,
        "input_value=" * 2_000,
    ],
)
def test_odd_messages_take_no_time(text: str) -> None:
    assert kind_of_message(text)


@pytest.mark.parametrize(("code", "kind"), SQLSTATE_KINDS.items())
def test_sqlstates(code: str, kind: str) -> None:
    whole = code.ljust(5, "0")
    assert kind_by_code(f"odd (SQLSTATE: {whole})") == kind
    assert kind_by_code(f"[{whole}] odd") == kind


@pytest.mark.parametrize(("code", "kind"), EXIT_KINDS.items())
def test_exit_codes(code: int, kind: str) -> None:
    assert kind_by_code(f"Command ended: exit code {code}") == kind


@pytest.mark.parametrize("text", ["odd", "SQLSTATE 99999", "exit code 100", "exit code 1"])
def test_codes_that_say_nothing(text: str) -> None:
    assert kind_by_code(text) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Failed to fetch robots.txt http://a due to a connection issue", "network_error"),
        ("Could not load robots.txt: connection refused", "network_error"),
        ("Failed to fetch robots.txt of the pier: timed out", "timeout"),
        ("Failed to fetch robots.txt: 503 Service Unavailable", "unavailable"),
        ("The site's robots.txt forbids fetching this page", "permission"),
        ("robots.txt of the pier disallows this path", "permission"),
        ("Disallowed by robots.txt; the connection was closed", "permission"),
        ("Not allowed by the site's robots.txt", "permission"),
        ("fetching robots.txt gave no answer, so that this page is not allowed", "permission"),
        ("Skipped (robots.txt)", "permission"),
        ("No open tow with ticket 123", "not_found"),
        ("No tow with ticket #4", "not_found"),
        ("No tow with rope", "rule_violation"),
    ],
)
def test_what_robots_may_fetch_and_what_is_not_there(text: str, kind: str) -> None:
    assert kind_of_message(text) == kind
