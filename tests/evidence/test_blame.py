"""Whose failure it was: each rule, in order, and the same answer however it was told."""

from __future__ import annotations

from typing import Any

import pytest

from assay.evidence.blame import Blame, Siblings, blame, names_on_offer, seed_names
from assay.evidence.common_wordings import COMMON_WORDINGS
from assay.evidence.failure_kinds import CATEGORY_OF, HTTP_KINDS, JSON_RPC_KINDS, KINDS
from assay.evidence.foreign_kinds import FOREIGN_KINDS
from assay.evidence.kind_wordings import WORDINGS
from assay.evidence.outcome import settle
from assay.evidence.told_kinds import kind_of_message
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.test_case import AgentTestCase
from assay.tools import ToolDefinition

CITY = ToolDefinition(
    "weather",
    input_schema={
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
        "additionalProperties": False,
    },
)


def failed(result: Any = None, parameters: Any = None, **known: Any) -> ToolExecutionResult:
    given = {"city": "Rome"} if parameters is None else parameters
    call = ToolExecutionResult("weather", given, result, **known)
    settle(AgentTestCase("q", "a", execution_data=MCPExecutionData([call])))
    assert call.success is False
    return call


def told(text: str) -> ToolExecutionResult:
    return failed({"content": [{"type": "text", "text": text}], "isError": True})


def thrown(code: int, text: str) -> ToolExecutionResult:
    return failed({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": text}})


def answer(call: ToolExecutionResult, **known: Any) -> tuple[str, str, str]:
    found = blame(call, **known)
    assert found is not None
    return found.category, found.kind, found.rule


def test_a_call_that_did_not_fail_has_no_blame() -> None:
    assert blame(ToolExecutionResult("t", {}, "fine", success=True)) is None


@pytest.mark.parametrize(("code", "kind"), JSON_RPC_KINDS.items())
def test_json_rpc_codes(code: int, kind: str) -> None:
    assert answer(thrown(code, "no"))[1:] == (kind, "json_rpc_code")
    assert answer(told(f"MCP error {code}: no"))[1] == kind


@pytest.mark.parametrize(
    "text",
    [
        "Input validation error: 'city' is a required property",
        "Invalid arguments for tool weather: 4 is not of type 'string'",
        "Unknown tool: wether",
        "Invalid arguments for tool weather: unrecognized_keys 'town'",
        "failed to deserialize parameters: missing field `city`",
        "Error executing tool weather: 1 validation error for Arguments\ncity\n  Field required",
    ],
)
@pytest.mark.parametrize("code", [-32602, -32603])
def test_the_same_mistake_thrown_or_told_gets_the_same_answer(text: str, code: int) -> None:
    ways = (
        thrown(code, text),
        told(text),
        told(f"MCP error {code}: {text}"),
        failed(f"Error: {text}"),
    )
    answers = {answer(way)[:2] for way in ways}
    assert len(answers) == 1
    assert answers.pop()[0] == "model"


@pytest.mark.parametrize(
    ("parameters", "kind"),
    [
        ({}, "missing_required_field"),
        ({"city": 5}, "wrong_type"),
        ({"city": "Rome", "town": 1}, "invalid_arguments"),
        ("Rome", "wrong_type"),
        ('{"city": "Ro', "malformed_call"),
        ('{"city": 5}', "wrong_type"),
    ],
)
def test_arguments_are_checked_again(parameters: Any, kind: str) -> None:
    call = failed("Something went wrong", parameters)
    assert answer(call, tool=CITY) == ("model", kind, "schema_misfit")


def test_a_schema_misfit_does_not_explain_a_lost_connection() -> None:
    call = failed("Connection refused", {})
    assert answer(call, tool=CITY)[:2] == ("environment", "network_error")


def test_a_broken_schema_is_the_servers() -> None:
    broken = ToolDefinition("weather", input_schema={"type": "nonsense"})
    assert answer(failed("Something went wrong"), tool=broken)[0] == "server"


def test_a_tool_that_was_not_on_offer() -> None:
    assert answer(failed("nope", reported_success=False), offered={"other"}) == (
        "model",
        "unknown_tool",
        "not_on_offer",
    )
    assert answer(failed("Something went wrong"), offered={"weather"})[1] == "unclassified"


TRACE = 'Traceback (most recent call last):\n  File "/srv/tide.py", line 3, in weather\n'


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"ok": False, "error": "ratelimited"}, ("environment", "rate_limit")),
        ("Error: rate limit exceeded for weather", ("environment", "rate_limit")),
        ("HTTP 503 Service Unavailable", ("server", "unavailable")),
        ("Error: weather failed with status code 503", ("server", "unavailable")),
        ("Error: connection refused", ("environment", "network_error")),
        (TRACE + "KeyError: 'depth'", ("server", "data_processing_error")),
        (TRACE + "OddError: tide", ("unknown", "unclassified")),
        ("Error executing tool weather: list index out of range", ("server", "index_error")),
        (
            "Error: 1 validation error for Arguments\ndays\n  Field required",
            ("model", "missing_required_field"),
        ),
    ],
)
def test_what_only_a_tool_can_say_was_said_by_one(result: Any, expected: tuple[str, str]) -> None:
    assert answer(failed(result), offered={"other"})[:2] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Unknown tool: weather",
        "Error: weather",
        "Error: HTTP 404",
        "HTTP 400: unknown tool weather",
        "HTTP 500: function weather not found",
        "Error: weather is not available",
        "Error: ValueError",
        "Error: KeyError: 'weather'",
        "Error: 'Harbour' object has no attribute 'weather'",
        "Error: 'NoneType' object is not callable",
        TRACE + "KeyError: 'weather'",
        TRACE + "TypeError: tools[name] is not a function",
    ],
)
def test_what_says_nothing_of_a_tool_was_said_by_none(text: str) -> None:
    assert answer(told(text), offered={"other"}) == ("model", "unknown_tool", "not_on_offer")


def test_a_tool_that_worked_was_on_offer() -> None:
    worked = ToolExecutionResult("weather", {}, "18 degrees", success=True)
    silent = ToolExecutionResult("tide", {}, None, success=True, success_rule="no_result")
    broken = ToolExecutionResult("pilot", {}, "Error: odd", success=False)
    calls = [worked, silent, broken]
    assert names_on_offer(["search"], calls) == {"search", "weather"}
    assert names_on_offer(None, calls) is None
    offered = names_on_offer(["search"], calls)
    assert answer(told("Something went wrong"), offered=offered)[0] == "unknown"


@pytest.mark.parametrize(
    ("text", "siblings", "expected"),
    [
        (
            "Something went wrong",
            Siblings(succeeded=1),
            ("server", "execution_error", "same_call_succeeded"),
        ),
        ("Request timed out", Siblings(succeeded=3), ("server", "timeout", "same_call_succeeded")),
        (
            "city is required",
            Siblings(succeeded=1),
            ("server", "execution_error", "same_call_succeeded"),
        ),
        ("City Rome not found", Siblings(succeeded=1), ("model", "not_found", "wording")),
        ("Unauthorized", Siblings(succeeded=1), ("environment", "auth", "wording")),
        (
            "Something went wrong",
            Siblings(failed=3, models_failed=2),
            ("server", "execution_error", "same_call_fails_for_all"),
        ),
        (
            "city is required",
            Siblings(failed=3, models_failed=2),
            ("model", "missing_required_field", "wording"),
        ),
        (
            "Something went wrong",
            Siblings(failed=1, models_failed=1),
            ("unknown", "unclassified", "none"),
        ),
        # What is not there may have been there in another run.
        ("HTTP 404", Siblings(succeeded=3), ("model", "not_found", "http_status")),
        ("HTTP 500", Siblings(succeeded=3), ("server", "execution_error", "same_call_succeeded")),
        ("Something went wrong", Siblings(), ("unknown", "unclassified", "none")),
    ],
)
def test_siblings(text: str, siblings: Siblings, expected: tuple[str, str, str]) -> None:
    assert answer(told(text), siblings=siblings) == expected


def test_arguments_that_were_not_recorded_prove_nothing() -> None:
    call = failed({"content": "Something went wrong", "isError": True}, {})
    assert answer(call, tool=CITY) == ("model", "missing_required_field", "schema_misfit")
    call.extra["arguments_recorded"] = False
    assert answer(call, tool=CITY) == ("unknown", "unclassified", "none")
    assert answer(call, siblings=Siblings(succeeded=1)) == ("unknown", "unclassified", "none")


@pytest.mark.parametrize(
    ("tool", "parameters", "text", "kind"),
    [
        ("run_python", {"code": "1/0"}, "ZeroDivisionError: division by zero", "model"),
        ("run_python", {"code": "tide"}, "NameError: name 'tide' is not defined", "model"),
        ("run_python", {"code": "[][0]"}, "IndexError: list index out of range", "model"),
        ("execute_sql", {"sql": "select 1/0"}, "ERROR: division by zero", "model"),
        ("calculator", {"expression": "2 +"}, "unexpected EOF while parsing", "model"),
        ("bash", {"command": "make test"}, "make: *** [test] Error 2\nexit code: 2", "model"),
        ("bash", {"command": "tide"}, "the moon is out", "unknown"),
        ("bash", {"command": "tide"}, "", "unknown"),
        ("get_tide", {"day": "x"}, "Error: x", "model"),
        ("divide", {"a": 1, "b": 0}, "division by zero", "model"),
        # A service that is down is down for code as well.
        ("bash", {"command": "tide"}, "The kernel timed out", "server"),
        ("get_tide", {"day": "x"}, "list index out of range", "server"),
        ("get_tide", {"day": "x"}, "the moon is out", "server"),
    ],
)
def test_what_is_wrong_in_the_call_is_wrong_for_everybody(
    tool: str, parameters: Any, text: str, kind: str
) -> None:
    call = ToolExecutionResult(tool, parameters, reported_success=False)
    call.success, call.error_message = False, text
    assert answer(call, siblings=Siblings(failed=5, models_failed=4))[0] == kind


def test_own_code_may_work_elsewhere_and_still_be_wrong_here() -> None:
    call = ToolExecutionResult("run_python", {"code": "print(tide)"}, reported_success=False)
    call.success, call.error_message = False, "NameError: name 'tide' is not defined"
    assert answer(call, siblings=Siblings(succeeded=3))[0] == "model"


@pytest.mark.parametrize(
    ("tool", "parameters", "category"),
    [
        ("divide", {"a": 1, "b": 0}, "model"),
        ("math_divide", {"a": 1.5, "b": 0.0}, "model"),
        ("divide", {"a": "1", "b": "0"}, "model"),
        ("divide", {"a": 1, "b": 2}, "server"),
        ("divide", {"a": 1, "round": False}, "server"),
        ("divide", {}, "server"),
        ("average_speed", {"offset": 0}, "server"),
    ],
)
def test_who_asks_to_divide_by_zero_is_wrong(
    tool: str, parameters: dict[str, Any], category: str
) -> None:
    call = ToolExecutionResult(tool, parameters, "Error: Division by zero")
    settle(AgentTestCase("q", "a", execution_data=MCPExecutionData([call])))
    assert answer(call)[0] == category


def test_a_page_to_sign_in_on_wants_a_login() -> None:
    page = "<!DOCTYPE html><html><head><title>Sign in · Harbour</title></head><body><form>{}</form>"
    call = failed(page.format('<input type="password" name="p">'))
    assert answer(call)[:2] == ("environment", "auth")


@pytest.mark.parametrize(("status", "kind"), HTTP_KINDS.items())
def test_http_statuses(status: int, kind: str) -> None:
    assert answer(failed({"status": status, "message": "no"}))[1:] == (kind, "http_status")
    assert answer(told(f"Request failed with status code {status}"))[1] == kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTP 418", ("model", "invalid_arguments")),
        ("HTTP 599", ("server", "execution_error")),
        ("HTTP 400: API key not valid", ("environment", "auth")),
        ("HTTP 403: API rate limit exceeded", ("environment", "rate_limit")),
        ("HTTP 400: missing required parameter q", ("model", "missing_required_field")),
        ("HTTP 500: 'NoneType' object is not iterable", ("server", "null_reference")),
        ("status code is not 200, got 422", ("model", "validation_error")),
    ],
)
def test_words_refine_a_vague_status(text: str, expected: tuple[str, str]) -> None:
    assert answer(told(text))[:2] == expected


WORDS: dict[str, tuple[str, ...]] = {
    "cancelled": (
        "The user doesn't want this tool to run.",
        "Transfer declined by the owner",
        "Aborted while loading tiles",
        "操作已取消",
    ),
    "unknown_tool": (
        "Unknown tool: x",
        "METHOD_UNKNOWN: berths.frob",
        "Tool 'x' not found. Available tools: y",
        "'park' is not a valid tool here",
        "You asked for the tool park, but it does not exist.",
        "工具不存在",
        "错误：工具 moor 不存在",
    ),
    "rate_limit": (
        "429 Too Many Requests",
        "API rate limit exceeded",
        "OVER_QUERY_LIMIT",
        "Slow down, please",
        "请求过于频繁",
    ),
    "quota_exceeded": (
        "Monthly usage cap exceeded",
        "Daily limit (boats) exceeded",
        "You exceeded your current quota",
        "Look at your plan and billing",
        "No credits. Top up at the kiosk",
        "You lack the credits to print",
    ),
    "auth": (
        "Unauthorized: missing API key",
        "Login failure",
        "Failed to start the tide client: invalid API key",
        "token has expired",
        "no signed-in visitor",
        "JWT is stale",
        "a verified identity is wanted",
        "用户未登录",
    ),
    "permission": (
        "permission denied for table x",
        "must be owner of relation x",
        "the harbour runs in read-only mode",
        "Command blocked: it holds a pipe",
        "Camera permission is required",
        "PILOT_NEEDED: the pilot role is required",
        "scope_denied",
        "the peer refused the chart",
        "The boat is not on the list",
        "权限不足",
    ),
    "server_unavailable": ("Server 'x' could not be loaded. Reason: connection_error",),
    "timeout": (
        "The read operation timed out",
        "deadline exceeded",
        "The copy timed out and was cancelled",
        "waited for the gate: 500ms exceeded",
        "Deadline expired before the ferry left",
        "请求超时",
    ),
    "network_error": (
        "fetch failed",
        "getaddrinfo ENOTFOUND x",
        "error sending request for url (http://x)",
        "transport error from the quay",
        "daemon not reachable",
        "network",
        "No active connection to the quay",
        "连接失败",
    ),
    "unavailable": (
        "Service Unavailable",
        "the model is overloaded",
        "the pool is closed",
        "The tide could not be read. Try again shortly.",
        "The archive is unavailable",
        "Pilot desk not initialized",
        "tide service not running",
        "服务不可用",
    ),
    "malformed_call": (
        "Expecting ',' delimiter: line 1 column 4 (char 3)",
        "Failed to parse JSON arguments",
        "Invalid JSON: unexpected end of JSON input",
    ),
    "null_reference": (
        "'NoneType' object is not subscriptable",
        "Cannot read properties of undefined",
        "load_tide: received null",
    ),
    "index_error": ("list index out of range", "Index 4 is out of bounds"),
    "data_processing_error": (
        "unsupported operand type(s) for +: 'int' and 'str'",
        "The map file is corrupt",
        "read tiles: unexpected EOF",
        "failed to unmarshal the chart",
        "the chart's disk image is torn",
        "The plotter returned no page",
        "No depth field in the response",
        "Length mismatch: Expected axis has 4",
        "Error decoding bytes to utf-8",
    ),
    "missing_required_field": (
        "Missing plate_number argument",
        "Missing config argument",
        "required argument pier not found",
        "No fields to update",
        "No plate provided to park_car",
        "plate required for parking",
        "the 'cars' list is empty",
        "Pass either plate or colour",
        "anchor missing",
        "'x' is a required property",
        '"message": "Required"',
        "缺少参数 city",
    ),
    "invalid_date_range": (
        "start_date cannot be after end_date",
        "Invalid date: x",
        "The given hour is in the past",
    ),
    "wrong_type": ("4 is not of type 'string'", 'invalid input syntax for type integer: "a"'),
    "invalid_schema": ("{} is not valid under any of the given schemas",),
    "invalid_arguments": (
        "Unexpected keyword argument",
        "unrecognized_keys 'x'",
        "near and far cannot both be set",
        "park_car does not accept: wheels",
        "Too many positional arguments to park_car",
        "参数错误",
    ),
    "syntax_error": (
        'syntax error at or near "UNION"',
        'column reference "x" is ambiguous',
        "parsing_exception: odd query",
        "compilation failed: invalid token for primary expression: DIV",
    ),
    "conflict": (
        'role "x" already exists',
        "Expected 1 occurrence but there are 3",
        "Berth names have to be unique",
        "Name is already in use",
        "duplicate key value violates",
        "the ferry is already leaving",
        "the job is still running",
        "用户已存在",
    ),
    "output_too_large": ("File content exceeds maximum allowed tokens", "Response is too large"),
    "validation_error": (
        "'c' is not one of ['a', 'b']",
        "not all berth names are valid",
        "Invalid value for parameter 'x'",
        "start_day must use YYYY-MM-DD",
        "invalid harbour class five",
        "wheels must be round",
        "badly formed berth code",
    ),
    "not_found": (
        "Reservation X not found",
        "no such file or directory",
        "Could not resolve to a Berth with the number 9",
        "No buoys exist for this bay",
        "no open berth with that id",
        "Unknown planet: plutto",
        "harbour:Client Unknown pier 9999",
        "Chart layer :piers unknown",
        "TIDES.BERTHS does not exist or not authorized.",
        "No berth B9",
        "There is no crane here",
        "The buoy is gone",
        "No berth_id in the request",
        "the depot has no truck 'T9'",
        "用户不存在",
    ),
    "unsupported": (
        "method is not supported",
        "EISDIR: illegal operation on a directory",
        "crane supports steel and wooden boats only",
    ),
    "configuration": (
        "The SEARCH_URL environment variable is not set",
        "TIDE_URL must be set",
        "Missing required tide gauge configuration",
        "The configured tide address is not valid",
        "this quay does not have the crane module installed",
        "tide reader disabled (ask the owner)",
        "Plotter not available. Please install it",
        "Check the harbour configuration",
        "Please configure your tide reader",
        'Cannot run program "tide"',
        "xyzlint not found. Install it with your package manager",
        "The search plug-in is not enabled for this project",
    ),
    "rule_violation": (
        "not enough stock of item X",
        "Order 7 is closed and cannot be modified",
        "The lid is shut. Open the lid first",
        "no ferry active",
        "Guests may move only their own boats; owners may move only your own boat",
        "The boat has no sails",
        "No boats to moor",
        "You cannot move the last buoy",
        "ferry ticket T9 not available on that day",
        "The race has not begun yet",
    ),
    "execution_error": (
        "Error executing tool x: browser context closed",
        "服务器错误",
        "海图打印均失败",
        "We could not process this chart",
    ),
}


@pytest.mark.parametrize(("kind", "text"), [(k, t) for k, texts in WORDS.items() for t in texts])
def test_words_tell_the_kind(kind: str, text: str) -> None:
    assert kind_of_message(text) == kind


def test_every_kind_with_words_has_an_example() -> None:
    assert {kind for kind, _ in (*WORDINGS, *COMMON_WORDINGS)} == set(WORDS)


# One message for each kind that is known in other languages, each in another one.
FOREIGN_WORDS = [
    ("unknown_tool", "Ferramenta desconhecida: atracar"),
    ("missing_required_field", "Le mot de passe est requis"),
    ("rate_limit", "Слишком много запросов, подождите"),
    ("data_processing_error", "Réponse inattendue du port"),
    ("configuration", "Erro: TIDE_URL não configurada"),
    ("quota_exceeded", "Saldo insuficiente en la cuenta"),
    ("auth", "認証に失敗しました"),
    ("permission", "Ошибка: недостаточно прав"),
    ("timeout", "Délai d'attente dépassé"),
    ("network_error", "Error al conectar: conexión rechazada"),
    ("unavailable", "Der Dienst ist derzeit nicht erreichbar"),
    ("conflict", "Il file esiste già"),
    ("missing_required_field", "O campo 'nome' é obrigatório"),
    ("invalid_date_range", "終了日時は開始日時より後にしてください"),
    ("validation_error", "Nieprawidłowy format"),
    ("not_found", "사용자를 찾을 수 없습니다."),
    ("unsupported", "Dateityp wird nicht unterstützt"),
    ("rule_violation", "Превышен размер"),
    ("execution_error", "Die Abfrage ist fehlgeschlagen"),
]


@pytest.mark.parametrize(("kind", "text"), FOREIGN_WORDS)
def test_other_languages_tell_the_kind(kind: str, text: str) -> None:
    assert kind_of_message(text) == kind


def test_every_foreign_kind_has_an_example() -> None:
    assert [kind for kind, _ in FOREIGN_KINDS] == [kind for kind, _ in FOREIGN_WORDS]


@pytest.mark.parametrize(
    ("parameters", "text", "expected"),
    [
        ('{"city": "Ro', "the moon is out", ("model", "malformed_call", "broken_arguments")),
        (
            '{"city": "Ro',
            "Error executing tool weather",
            ("model", "malformed_call", "broken_arguments"),
        ),
        ('{"city": "Ro', "Request timed out", ("server", "timeout", "wording")),
        ('{"city": "Ro', "Unknown tool: weather", ("model", "unknown_tool", "wording")),
        ('["Rome"', "the moon is out", ("unknown", "unclassified", "none")),
        # Who recorded it printed it in Python, or cut it short.
        ("{'city': 'Rome'}", "the moon is out", ("unknown", "unclassified", "none")),
        ('{"city": "Ro…', "the moon is out", ("unknown", "unclassified", "none")),
        ('{"city": "Ro [truncated]\n', "the moon is out", ("unknown", "unclassified", "none")),
        ("Rome", "the moon is out", ("unknown", "unclassified", "none")),
    ],
)
def test_arguments_that_break_off(
    parameters: str, text: str, expected: tuple[str, str, str]
) -> None:
    call = ToolExecutionResult("weather", parameters, error_message=text)
    assert answer(call) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Error: Argument parsing failed.",
        "Arguments decoding error",
        "Parameter parsing error",
        "Tool input deserialization failed",
        "Unable to parse the function arguments",
        "Failed to parse function call arguments",
        "Error while decoding your parameters",
        "Failed to convert arguments to the expected types",
        "arguments: unparsable",
    ],
)
def test_arguments_that_nobody_could_read_are_the_models(text: str) -> None:
    call = ToolExecutionResult("moor", {"town": 42}, error_message=text)
    assert answer(call) == ("model", "malformed_call", "wording")


@pytest.mark.parametrize(
    "text",
    [
        "Error parsing API parameters from response",
        "Failed to parse parameters of the server",
        "Failed to parse the config",
    ],
)
def test_what_else_nobody_could_read_is_not(text: str) -> None:
    call = ToolExecutionResult("moor", {"town": 42}, error_message=text)
    assert answer(call)[0] == "server"


@pytest.mark.parametrize(
    ("tool", "parameters", "text", "category"),
    [
        ("python", {"code": "while 1: pass"}, "Command timed out before completing.", "model"),
        ("bash", {"command": "./ebb"}, "EXECUTION TIMED OUT", "model"),
        ("bash", {"command": "make test"}, "Command timed out after 2m 0s", "model"),
        ("bash", {"command": "make"}, "The command took too long: timeout", "model"),
        ("bash", {"command": "make"}, "Timed out after 30 seconds", "model"),
        ("run_code", {"code": "ebb()"}, "Code execution exceeded the time limit of 9 s", "model"),
        ("python", {"code": "run()"}, "TimeoutExpired: '['ebb']' timed out after 5 s", "model"),
        # What waits for somebody else, a service, or what was to run the code.
        ("bash", {"command": "curl -s pier.example"}, "Command timed out after 2m 0s", "server"),
        ("bash", {"command": "npm install"}, "Command timed out after 2m 0s", "server"),
        ("bash", {"command": "git -C pier fetch"}, "Command timed out after 2m 0s", "server"),
        ("python", {"code": "import requests"}, "Command timed out", "server"),
        ("bash", {"restart": True}, "Command timed out", "server"),
        ("python", {"code": "ebb()"}, "Request timed out", "server"),
        ("python", {"code": "ebb()"}, "Execution timed out: the kernel did not start", "server"),
        ("execute_sql", {"sql": "select"}, "Query timeout: it took over 30 seconds", "server"),
        ("get_tide", {"day": "x"}, "Command timed out", "server"),
    ],
)
def test_what_the_model_wrote_may_take_too_long(
    tool: str, parameters: Any, text: str, category: str
) -> None:
    call = ToolExecutionResult(tool, parameters, error_message=text)
    found = (category, "timeout", "own_code" if category == "model" else "wording")
    assert answer(call) == found
    if category == "model":
        assert answer(call, siblings=Siblings(succeeded=2)) == found


@pytest.mark.parametrize(
    "text",
    [
        "fatal: The current branch ebb has no upstream branch.\nTo push the current branch, use",
        "There is no tracking information for the current branch.",
        "fatal: no upstream configured for branch 'ebb'",
    ],
)
def test_a_branch_without_upstream_is_a_matter_of_configuration(text: str) -> None:
    assert kind_of_message(text) == "configuration"


def test_what_the_models_own_code_throws_is_the_models() -> None:
    call = ToolExecutionResult("execute_code", {"code": "1/0"}, reported_success=False)
    call.success, call.error_message = False, "ZeroDivisionError: division by zero"
    assert answer(call) == ("model", "data_processing_error", "own_code")
    call.error_message = "The kernel timed out"
    assert answer(call) == ("server", "timeout", "wording")


@pytest.mark.parametrize(
    ("tool", "text", "category"),
    [
        ("browser_evaluate", "ReferenceError: buoy is not defined", "model"),
        ("run_js", "ReferenceError: buoy is not defined", "model"),
        ("get_buoys", "ReferenceError: buoy is not defined", "server"),
        ("execute_sql", "division by zero", "model"),
        ("query", "division by zero", "model"),
        ("get_depth", "division by zero", "server"),
        ("execute_sql", "The query failed", "server"),
        ("query_tides", "empty response from the gauge", "server"),
    ],
)
def test_a_query_and_a_script_are_the_models_own(tool: str, text: str, category: str) -> None:
    call = ToolExecutionResult(tool, {}, reported_success=False)
    call.success, call.error_message = False, text
    assert answer(call)[0] == category


def test_a_code_in_a_vague_message_tells_the_kind() -> None:
    assert answer(told("odd (SQLSTATE: 42501)"))[:2] == ("environment", "permission")
    assert answer(told("Command failed with exit code 124"))[:2] == ("server", "timeout")


def test_every_kind_has_a_category() -> None:
    assert set(CATEGORY_OF) == set(KINDS)
    assert set(CATEGORY_OF) - set(WORDS) == {"status_not_success", "empty_result", "unclassified"}


def test_a_statement_that_is_quoted_says_nothing() -> None:
    message = 'column "x" does not exist\nLINE 3: connection refused timeout'
    assert kind_of_message(message) == "not_found"


def test_a_traceback_says_it_last() -> None:
    message = 'Traceback (most recent call last):\n  File "timeout.py", line 1\nKeyError: 4'
    assert kind_of_message(message) == "data_processing_error"


def test_long_messages_are_read_at_both_ends() -> None:
    assert kind_of_message("x" * 5_000 + " permission denied") == "permission"
    assert kind_of_message("x" * 5_000 + " permission denied " + "x" * 5_000) == "unclassified"


def test_silence() -> None:
    call = failed({"content": [], "isError": True})
    assert answer(call) == ("unknown", "status_not_success", "no_message")
    assert answer(failed(None, reported_success=False)) == (
        "unknown",
        "status_not_success",
        "no_message",
    )


@pytest.mark.parametrize(
    ("category", "name"),
    [
        ("model", "MODEL_ERROR"),
        ("server", "SERVER_ERROR"),
        ("environment", "SERVER_ERROR"),
        ("unknown", "UNKNOWN"),
    ],
)
def test_seed_names(category: Any, name: str) -> None:
    assert seed_names(Blame(category, "timeout", "x", 1.0)) == (name, "timeout")


@pytest.mark.parametrize("text", [*(t for texts in WORDS.values() for t in texts), "", "zzz"])
def test_confidence_is_a_share(text: str) -> None:
    found = blame(told(text))
    assert found is not None
    assert 0 < found.confidence < 1
    assert CATEGORY_OF[found.kind] == found.category


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        (-32602, "The token requires the berth:write scope", ("environment", "permission")),
        (-32602, "Rate limit exceeded", ("environment", "rate_limit")),
        (-32600, "execution timed out", ("server", "timeout")),
        (-32602, "Invalid tools/call result: no depth", ("server", "data_processing_error")),
        (-32602, "'NoneType' object is not iterable", ("model", "invalid_arguments")),
    ],
)
def test_plain_words_clear_the_model_of_a_code(
    code: int, text: str, expected: tuple[str, str]
) -> None:
    assert answer(thrown(code, text))[:2] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"error": "odd", "errorCode": "BERTH_NOT_FOUND"}, ("model", "not_found")),
        ({"error": {"type": "overloaded_error", "message": "later"}}, ("server", "unavailable")),
        ({"error": "odd", "details": {"httpStatus": 401}}, ("environment", "auth")),
        ({"error": {"code": "PERMISSION_DENIED", "message": "odd"}}, ("environment", "permission")),
        # What the message tells plainly is not overruled.
        ({"error": {"code": "FORBIDDEN", "message": "No such file: x"}}, ("model", "not_found")),
    ],
)
def test_codes_beside_a_vague_message(body: Any, expected: tuple[str, str]) -> None:
    assert answer(failed(body))[:2] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTP 403: berth is required", ("environment", "permission")),
        ("HTTP 502: berth is required", ("server", "unavailable")),
        ("HTTP 400: berth is required", ("model", "missing_required_field")),
        ("The pilot returned 401", ("environment", "auth")),
        ("403 Harbour closed to strangers", ("environment", "permission")),
        ("404 boats seen", ("unknown", "unclassified")),
    ],
)
def test_what_a_status_clears(text: str, expected: tuple[str, str]) -> None:
    assert answer(told(text))[:2] == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("HARBOUR_TOKEN environment variable is not set", "configuration"),
        ("Missing required environment variable: HARBOUR_URL", "configuration"),
        ("API key is missing", "auth"),
    ],
)
def test_an_invalid_request_for_want_of_a_key_is_no_fault_of_the_model(
    text: str, kind: str
) -> None:
    assert answer(thrown(-32600, text))[:2] == ("environment", kind)
    assert answer(thrown(-32600, "Invalid Request"))[0] == "model"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("API 409 PUT /boats/7", "conflict"),
        ("429 GET https://harbour.example/berths", "rate_limit"),
        ("PUT /boats/7 → 409", "conflict"),
        ("GET /berths returned 503", "unavailable"),
        ("The tide gauge returned error code 503", "unavailable"),
        ("harbour: [PATCH /boats/7][412]", "conflict"),
    ],
)
def test_a_status_is_read_beside_its_request(text: str, kind: str) -> None:
    assert answer(told(text))[1:] == (kind, "http_status")


@pytest.mark.parametrize(
    ("tool", "text", "expected"),
    [
        ("python", "NameError: name 'ebb' is not defined", ("model", "syntax_error", "own_code")),
        ("run_js", "ReferenceError: ebb is not defined", ("model", "syntax_error", "own_code")),
        (
            "execute_code",
            "UnboundLocalError: local variable 'ebb' referenced before assignment",
            ("model", "syntax_error", "own_code"),
        ),
        (
            "python",
            "AttributeError: 'NoneType' object has no attribute 'ebb'",
            ("model", "null_reference", "own_code"),
        ),
        (
            "python",
            (
                "Traceback (most recent call last):\nNameError: name 'ebb' is not defined\n\n"
                "During handling of the above exception, another exception occurred:\n\n"
                "ZeroDivisionError: division by zero"
            ),
            ("model", "data_processing_error", "own_code"),
        ),
        (
            "python",
            "Code failed: NameError: name 'ebb' is not defined",
            ("model", "syntax_error", "own_code"),
        ),
        # Of code that somebody else wrote.
        (
            "get_tide",
            "NameError: name 'ebb' is not defined",
            ("server", "null_reference", "wording"),
        ),
    ],
)
def test_a_name_that_nobody_gave(tool: str, text: str, expected: tuple[str, str, str]) -> None:
    call = ToolExecutionResult(tool, {}, reported_success=False)
    call.success, call.error_message = False, text
    assert answer(call) == expected


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Error parsing query: odd sign", "model"),
        ("Error parsing query results", "server"),
        ("Failed to parse query response from server", "server"),
        ("Cannot read 'tide.png' as text", "model"),
        ("Cannot parse response as JSON", "server"),
        ("Unknown internal server error", "server"),
        ("Unknown failure x1", "server"),
    ],
)
def test_what_the_server_could_not_read_or_tell_is_its_own(text: str, category: str) -> None:
    found = blame(ToolExecutionResult("moor", {"pier": 1}, error_message=text))
    assert found is not None
    assert (found.category == "model") is (category == "model")


@pytest.mark.parametrize("what", ["account", "plan", "API key"])
def test_what_is_not_for_this_account_is_no_fault_of_the_arguments(what: str) -> None:
    assert kind_of_message(f"Export is not available for this {what}") != "unsupported"
