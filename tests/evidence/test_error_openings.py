"""Every wording of every opening is met by an example, and the example is told by that rule."""

from __future__ import annotations

import re
from time import process_time
from typing import TYPE_CHECKING

import pytest
from tests.evidence.refused_results import REFUSALS
from tests.evidence.spoken_results import FAILING_LINES

from assay.evidence.error_grammar import OPENINGS, failing_opening
from assay.evidence.text_shape import opening_of, reads_like_content

if TYPE_CHECKING:
    from assay.evidence.error_openings import Opening

EXAMPLES: dict[str, tuple[str, ...]] = {
    "protocol_error": (
        "MCP error -32602: Invalid arguments for tool x",
        "Invalid tools/call result: [\n  {",
    ),
    "traceback": (
        "Traceback (most recent call last):\n  File",
        'Exception in thread "main" java.lang.Error',
        "Unhandled promise rejection: x",
        "panic: runtime error",
        "thread 'main' panicked at src/main.rs:2:5:",
        "goroutine 1 [running]:",
        "PHP Fatal error:  Uncaught",
        "fatal error: all goroutines are asleep",
        "Stack trace:\n#0 x",
        'File "<string>", line 1\n    print(',
        "-----------------------\nKeyError          Traceback (most recent call last)",
        "/app/x.js:3\nfoo(\n   ^\n\nSyntaxError: Unexpected end of input",
    ),
    "exception": (
        "ValueError: no",
        "psycopg.errors.UndefinedTable: relation x",
        "QuotaExceeded: too much",
        "(ResourceNotFound) The resource 'x' was not there",
        "FAILED_PRECONDITION: the bucket is not empty",
        "undefined method `each' for nil (NoMethodError)",
        "<_InactiveRpcError of RPC that terminated with",
    ),
    "tagged_error": (
        "<tool_use_error>no</tool_use_error>",
        "[pier_log error] No pier given",
        "[tide] Error querying buoy: timeout",
        "[ERROR] no",
        "npm ERR! code E404",
        "[ALERTFAILED] no",
        "BLOCKED: the command writes to the disk",
    ),
    "database_error": (
        "ERROR 1064 (42000): You have",
        "SQLSTATE[42S02]: Base table",
        "ORA-00942: table or view",
        "Msg 208, Level 16, State 1",
        "Code: 60. DB::Exception: Table",
        "SQL compilation error: Object",
        "000904 (42000): SQL compilation error",
        "Neo.ClientError.Statement.SyntaxError",
        "E11000 duplicate key",
        '(1064, "You have an error',
        "WRONGTYPE Operation against",
        'relation "users" does not exist',
        "no such table: users",
        'near "SELEC": syntax error',
        'syntax error at or near "UNION"',
        "duplicate key value violates unique constraint",
        "UNIQUE constraint failed: users.id",
        "Unknown column 'x' in 'field list'",
        "You have an error in your SQL syntax",
        "database is locked",
        "incomplete input",
    ),
    "edit_refused": (
        "Your proposed edit has introduced new syntax error(s). Please retry.",
        "Your changes have NOT been applied.",
        "[Your last patch led to 3 errors.]\n1: a\n2: b\n3: c\n4: d",
    ),
    "http_status": (
        "HTTP 503",
        "401: Missing or invalid key",
        "404 Not Found",
        "Client error '429 Too Many Requests'",
        "Service Unavailable",
        "(535, b'5.7.8 no such login')",
        "404 GET https://x.example/a: gone",
    ),
    "state_symbol": ("no_pilot",),
    "no_such_thing": (
        "There is no such pier.",
        "There is no 'lamp' here to light.",
        "not a berth (pier)",
    ),
    "demand": ("Tide gauge misconfigured",),
    "error_symbol": ("invalid_grant", "channel_not_found"),
    "error_prefix": ("Database error: gone", "Fehler: Datei fehlt"),
    "error_of": ("Etherscan error: bad address",),
    "error_while": (
        "An error occurred while running the tool",
        "There was an error.",
        "The crane raised ValueError: too high",
        "There is a problem with the server configuration",
        "Error retrieving user profile",
        "Something went wrong",
        "Oops, try again",
        "Server error while saving",
        "Error in lm(y ~ x) : object 'y' is gone",
        "Internal server error in module x",
        "The pier sent no readable log",
        "You tried to moor at an empty berth",
    ),
    "failed_to": (
        "Failed to connect to db",
        "Could not find the file",
        "failed with status 3",
        "failed: no idea",
        "Failure.",
    ),
    "work_failed": (
        "Request failed with status code 403",
        "Google Sheets sync failed: no rights",
        "The sandbox rejected this action for policy reasons",
        "Your last edit has new syntax error(s).",
    ),
    "invalid_input": (
        "find_pier() takes from 1 to 2 positional arguments but 3 were given",
        "Pier.find() missing 1 required positional argument: 'name'",
        "Expecting value: line 1 column 1 (char 0)",
        "Expected a tide or '}' in JSON at position 4",
        "Invalid date: 2027",
        "Missing required argument: city",
        "Required parameter 'q' was not provided",
        "Unknown parameter 'x'",
        "Input validation error: 'x' is a required property",
        "Validation failed for field x",
        "1 validation error for call[x]",
        "No such file",
        "Unexpected end of JSON input",
        "Extra inputs are not permitted",
        "No such customer: 'c9'",
        "Missing 1 required positional argument: 'city'",
        "Undefined control sequence.",
        "attempt to index a nil value",
        "no route matched with those values",
        "Unsupported image type: heic",
        "Unknown operator '$eqq'",
        "No replacement was performed, the text did not appear",
        "pilot list missing: north/4",
    ),
    "not_let_in": (
        "Forbidden for this user",
        "Approval required for: moor_boat",
        "Human approval required before this runs.",
        "No API key for the tide service",
        "Access denied for user",
        "Not authorized to do this",
        "Insufficient permissions",
        "Authentication required",
        "Authentication failed for user bob",
        "Login required",
        "Bad credentials",
        "The token has expired",
        "You do not have permission to do this",
        "You must be logged in",
        "You need to be signed in to moor here",
        "Please sign in to continue",
        "Just a moment...\nChecking your browser",
        "Enable JavaScript and cookies to continue",
        "Please verify you are human",
        "path escapes the harbour project",
        "The passcode is not correct",
    ),
    "overload": (
        "API rate limit exceeded",
        "rate-limited, come back later",
        "requests are rate-limited right now",
        "Too many requests, slow down",
        "RESOURCE_EXHAUSTED",
        "Service temporarily unavailable",
        "Out of memory",
        "Tool call limit reached",
    ),
    "broken_line": (
        "Request timed out",
        "spawnSync /usr/bin/tide ENOENT",
        "Deadline exceeded",
        "Connection refused",
        "All connection attempts failed",
        "Network is unreachable",
        "Host is unreachable",
        "socket hang up",
        "fetch failed",
        "ECONNREFUSED: localhost",
        "Could not resolve host: x",
        "HTTPSConnectionPool(host='x', port=443): no answer",
        "Lost connection to the server",
        "Server not initialized",
        "certificate verify failed",
        "No reply was received from the harbour server",
        "The pilot closed before the tow completed",
        "The tide query did not return a level",
        "No answer could be generated.",
        "Charts cannot be loaded right now (low tide)",
        "The pilot didn't show up within 30 seconds.",
    ),
    "browser_error": (
        "Stale element reference",
        "Element is not a checkbox",
        "engine.start: Executable doesn't exist at /opt/tide",
    ),
    "stopped": (
        "[Request interrupted by user]",
        "The user doesn't want this",
        "Cancelled",
        "Target page, context or browser has been closed",
    ),
    "tool_missing": (
        "Unknown tool: x",
        "Tool 'x' not found",
        "No tool named x",
        "Model tried to call unavailable tool 'x'",
    ),
    "too_large": ("File content exceeds maximum allowed size", "Response is too large"),
    "compiler_error": ("a.ts(3,7): error TS2322: no", "example/app\n./main.go:7:2: undefined: x"),
    "shell_refused": (
        "bash: line 1: xxd: command not found",
        "zsh: no matches found: *.foo",
        "Get-Item : Cannot find path 'C:\\x'\nAt line:1 char:1",
        "CONFLICT (content): Merge conflict in x\nerror: could not apply 1f2e3d4",
    ),
    "shell_error": (
        "ls: cannot access 'x': No such file or directory",
        "fatal: not a git repository",
        "usage: git [--version]",
        "'xyz' is not recognized as an internal or external command",
    ),
    "refused_sentence": (
        "File '/pier/b.txt' exists. Use force=true to replace it.",
        "Only SELECT queries are allowed here",
        "The specified time range is empty.",
        "Recipient address required",
        "The file is not a valid PDF",
        "This field may not be blank.",
        "Enter a valid email address.",
        "You need to connect to a database before you can read from it.",
        "Reservation X not found",
        "Archive X does not provide downloads",
        "recipient must be provided",
        "Cannot divide by zero",
        "Expected an integer, got text",
        "You must specify one of the two",
        "Must specify a region",
        "Please provide a city",
        "Path is a directory, not a file: /srv",
        "The file x has only 4 lines, but line 9 was asked for",
        "No project selected",
        "You already voted in this poll",
        "This endpoint requires at least one filter",
        "Too few arguments for format",
        "Refusing to merge unrelated histories",
        "Rejected: not your turn",
        "Transfer declined: the purse is empty",
        "403 Harbour not accessible by this crew",
        "The kitchen is busy, try again later.",
        "Permission to use this has been denied",
        "Password too short",
        "chart is not a file: /srv/charts",
        "path is a directory; only charts can be read",
        "the crane could not lift the boat: rope torn",
        "Pilot name missing in the token",
        "berth required (e.g. north/4)",
        "Blocked: the tide is low",
    ),
    "foreign_error": (
        "Bạn không có quyền vào cảng.",
        "Dermaga 4 tidak ditemukan",
        "Zugriff verweigert: keine Rechte",
        "Fehler beim Lesen der Datei",
        "注文が見つかりません。",
        "요청을 처리하는 중 오류가 발생했습니다.",
        "Der Hafenname muss mit einem Buchstaben beginnen",
        "Le nom du quai doit être court",
        "El texto del aviso supera 200 caracteres",
        "O arquivo da carta já está em uso",
        "Размер буя превышает 3 метра",
        "Nur Segelboote erlaubt",
        "指定された岸壁は範囲外です。",
        "입력 수심이 없습니다.",
    ),
    "foreign_state": (
        "Der Server antwortet nicht",
        "Der Lotse ist nicht angemeldet",
        "La page ne contient pas de marées",
        "La tabla no tiene mareas",
        "A lista não tem barcos",
        "Файл пуст",
        "Маяк не отвечает",
        "潮位計は接続されていません",
        "파일이 비어 있습니다.",
    ),
    "chinese_error": (
        "查询失败：连接超时",
        "找不到ID为 b-7 的泊位",
        "密码至少 6 位",
        "错误：文件不存在",
        "抱歉，发生了未知错误",
        "未获取到数据，请检查代码是否正确",
        "无法连接到数据库",
        "缺少必填参数 city",
        "缺少泊位上下文",
        "无效的参数",
        "请求过于频繁",
        "没有权限访问该资源",
        "很抱歉，该歌曲暂时不能播放",
        "接口调用次数已达上限",
        "起点和终点距离过近，无法叫车",
        "未登录",
        "泊位数量必须大于零",
        "泊位代码不正确",
        "只有会员才能预订",
        "当前没有打开港口",
        "本次会话最多只能调用 3 次泊位工具",
        "用法：/berth [名称]",
        "找不到已停靠的 boat 泊位：a1",
        "有多艘船，请通过 boat_id 指定",
        "日期请使用有效的格式",
    ),
}


@pytest.mark.parametrize("row", OPENINGS, ids=lambda row: row.rule)
def test_every_wording_has_an_example(row: Opening) -> None:
    refusals = (text for text, _, _ in REFUSALS)
    texts = (*EXAMPLES.get(row.rule, ()), *FAILING_LINES.strip().split("\n"), *refusals)
    heads = [opening_of(text) for text in texts]
    unmet = [
        wording
        for wording in row.wordings
        if not any(re.compile(wording, re.IGNORECASE).match(head) for head in heads)
    ]
    assert unmet == []


@pytest.mark.parametrize("example", [text for examples in EXAMPLES.values() for text in examples])
def test_every_example_opens_with_a_failure(example: str) -> None:
    assert failing_opening(example) is not None


@pytest.mark.parametrize("rule", EXAMPLES)
def test_a_rule_tells_its_first_example(rule: str) -> None:
    found = failing_opening(EXAMPLES[rule][0])
    assert found is not None
    assert found.rule == rule


def test_a_rule_speaks_for_texts_of_its_reach_only() -> None:
    assert failing_opening("Order 7 not found") is not None
    assert failing_opening("Order 7 not found " + "and so the tale goes on " * 20) is None
    assert failing_opening("Failed to connect. " + "x" * 1_000) is not None
    assert failing_opening("Failed to connect. " + "x" * 1_600) is None
    assert failing_opening("Error: " + "x" * 100_000) is not None
    assert failing_opening("Error: " + "x" * 100_000, longest=1_000) is None


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("Error: none", False),
        ("Error: 0", False),
        ("Error: 0.05", False),
        ("Error: 12 %", False),
        ("Error: 404", True),
        ("Error: -32602", True),
        ("Error: 0 rows updated", True),
        ("Error: no matching index found", True),
        ("Invalid index check: no invalid index found", False),
        ("Invalid rows removed: 14", False),
        ("Invalid date: 2027", True),
        ("Missing values: 12", False),
        ("Missing parameter: 12", False),
        ("error code: 1020", True),
        ("Tests failed: 3", False),
        ("失败：0，成功：12", False),
    ],
)
def test_what_follows_the_colon_counts(text: str, failed: bool) -> None:
    assert (failing_opening(text) is not None) is failed


@pytest.mark.parametrize(
    "mark", ["# ", "> ", "**", "❌ ", "⚠️ ", "```\n", '"', "\ufeff", "\x1b[31m"]
)
def test_decoration_is_seen_through(mark: str) -> None:
    assert failing_opening(f"{mark}Error: gone") is not None


def test_a_cross_without_a_tick_is_a_refusal() -> None:
    assert failing_opening("❌ URL too short") is not None
    assert failing_opening("❌ login\n✅ logout\n") is None
    assert failing_opening("❌ login\n❌ logout\n") is None


def test_conditions_tell_no_fact() -> None:
    assert failing_opening("Returns None if the key is not found") is None
    assert failing_opening("How to mend 'berth not found' in a harbour") is None
    assert failing_opening("HTTP 404 means that the page was not found.") is None
    assert failing_opening("Error 404 usually indicates a broken link.") is None
    assert failing_opening("HTTP 404: the page was not found.") is not None


@pytest.mark.parametrize(
    "text",
    [
        "INFO a\nERROR b\nINFO c\n",
        "ERROR: a\nhttps://x.example\nmore\nhttps://y.example\n",
        "# Error: a\n\n## b\n\n## c\n",
        "1\tError: a\n2\tb\n3\tc\n",
    ],
)
def test_documents_are_told_by_their_lines(text: str) -> None:
    assert reads_like_content(text)
    assert failing_opening(text) is None


def test_two_lines_are_no_document() -> None:
    assert not reads_like_content("ERROR: a\nINFO b")


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("[tide] Failed to read the buoy: no answer", True),
        ("[tide-gauge.v2] Unable to reach pier 4: refused\nTry again at noon", True),
        ("[guide] Error handling in Go: a primer", False),
        ("[tide] Error rating: high", False),
        ("[tide] Error reading buoys: 3", False),
        ("[tide] Error querying buoy: timeout\n[tide] trying again\n[tide] done", False),
        ("[tide] querying buoy: timeout is 3 s", False),
        ("[bug] Error reading buoys: off by one", False),
        ("[2026-11-18] Failed to moor: no wind", False),
        ("Requests are rate limited. Please slow down.", True),
        ("The tide API is currently being rate-limited", True),
        ("Your key has been rate limited until noon", True),
        ("Requests are rate-limited to 60 per minute", False),
        ("The tide API is rate limited. Each key has 60 requests.", False),
        ("No requests are rate-limited", False),
        ("Guests are rate-limited; sign in for more.", False),
        ("If requests are rate-limited, they are sent again", False),
        ("Keys that are rate-limited: 3", False),
        ("approval required for: moor_boat", True),
        ("Human approval required", True),
        ("User approval needed: mooring costs 20 crowns", True),
        ("Approval is required to run this command", True),
        ("Approval required: no", False),
        ("Approval required: 3", False),
        ("Approval is required for purchases above 500 crowns, by the house rules.", False),
        ("Approval required by law since 1984 in most harbours", False),
        ("Approval required (2 of 3 pilots agreed)", False),
        ("Approval required: moor_boat\nReply yes to go on.", True),
        ("Approval required: night tows\n\nBoats ask the pilot.\n\nOthers sail.", False),
        ("The tow cannot be shown right now, please wait", True),
        ("The bridge cannot be opened right now, says the mayor.", False),
        ("Berth missing: north/4\nBerth missing: south/2", False),
        ("请使用有效的泊位", True),
        ("请使用有效的泊位证。\n须知：\n准时靠泊", False),
        ("Requests are rate-limited (60 per minute)", False),
        ("Requests are rate-limited (429)", True),
        ("The helper could not reach the pier: no rope", True),
        ("Helm could not turn: rope torn", True),
        ("The crew could not believe it: land in sight", False),
        ("Blocked: the gate is locked by the pilot", True),
        ("Blocked: waiting for the pilot", False),
        ("The gauge did not answer in 30 seconds", True),
        ("The gauge did not settle within 30 s", True),
        ("The crew did not score in 90 minutes", False),
        ("The boat did not finish within 3 min of the record", False),
        ("Mooring line missing: north/4", True),
        ("Cargo missing: 2 ropes, 1 anchor", False),
        ("https://tides.example/4?ebb=1 returned 503 Service Unavailable", True),
        ("make: *** No targets specified and no makefile found.  Stop.", True),
        ("gmake: *** [Makefile:2: all] Error 1", True),
        ("Error: -0.4", False),
        ("Error: -71", True),
        ("Error: 404", True),
    ],
)
def test_who_says_it_and_of_which_call(text: str, *, failed: bool) -> None:
    assert (failing_opening(text) is not None) is failed


@pytest.mark.parametrize(
    "part", ["[tide] ", "is ", "rate-limited ", "approval ", "human ", "a/", "error reading "]
)
def test_hostile_openings_take_no_time(part: str) -> None:
    started = process_time()
    for size in (200, 1_400, 300_000):
        for opening in ("", "[tide] Error reading ", "human approval required ", "requests are "):
            failing_opening((opening + part * (size // len(part)))[:size])
    assert process_time() - started < 2
