"""Results that try to fool a reader: failures without a flag, good news full of bad words."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

LOG = (
    "2024-05-01 12:00:01 INFO  starting worker\n"
    "2024-05-01 12:00:02 ERROR connection refused, retrying\n"
    "2024-05-01 12:00:03 ERROR connection refused, retrying\n"
    "2024-05-01 12:00:04 INFO  connected\n"
)
LEVEL_FIRST_LOG = (
    "ERROR: could not reach broker\nINFO: retrying in 5 s\nINFO: connected\nDEBUG: 4 topics\n"
)
LOG_WITH_TRACEBACK = (
    "[2024-05-01 12:00:00] INFO request 7\n"
    "Traceback (most recent call last):\n"
    '  File "app.py", line 3, in handler\n'
    "ValueError: bad input\n"
    "[2024-05-01 12:00:01] INFO request 8\n"
    "[2024-05-01 12:00:02] INFO request 9\n"
)
SCRIPT_THAT_CRASHED = (
    "loading data\n3 rows\nTraceback (most recent call last):\n"
    '  File "x.py", line 9, in <module>\n    total / 0\nZeroDivisionError: division by zero\n'
)
SOURCE = (
    "     1\timport os\n     2\t\n     3\tdef check(value):\n     4\t    if value is None:\n"
    '     5\t        raise ValueError("Error: value is missing")\n     6\t    return value\n'
)
SEARCH_HITS = (
    "TypeError: Cannot read properties of undefined - Stack Overflow\n"
    "https://stackoverflow.example/questions/1\n"
    "Why do I get TypeError: undefined is not a function?\n"
    "https://stackoverflow.example/questions/2\n"
)
NUMBERED_HITS = (
    "1. Error 404: what it means - https://help.example/404\n"
    "2. Fixing 'connection refused' - https://help.example/refused\n"
    "3. Failed to load resource - https://help.example/load\n"
)
NOVEL = (
    "Failure had followed him since childhood. He had failed at school, failed at trade, and the "
    "one time he cried out 'Error! It was all an error!' nobody in the courtroom looked up. "
) * 20
GUIDE = (
    "# Error: what to do when the build breaks\n\nThis guide lists frequent errors.\n\n"
    "## Syntax errors\n\nRead the first line.\n\n## Type errors\n\nRead the last line.\n\n"
    "## Missing modules\n\nInstall them.\n"
)
BUILT_REPORT = "Build finished\n\n14 tests, 0 failures, 0 errors\n"
GATEWAY_PAGE = (
    "<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n<center><h1>502 Bad Gateway</h1>"
    "</center><hr><center>nginx</center>\n</body>\n</html>"
)
LOGIN_PAGE = (
    "<!DOCTYPE html><html><head><title>Sign in · Portal</title></head><body><form><input "
    'name="user"><input type="password" name="pw"></form></body></html>'
)
ARTICLE_PAGE = (
    "<!DOCTYPE html><html><head><title>A short history of human error</title></head><body><h1>Why "
    "we fail</h1><p>Error: the word comes from wandering.</p></body></html>"
)
BLOG_ABOUT_LOGIN = (
    "<html><head><title>How we built our login flow</title></head><body><p>Access denied pages "
    "are hard.</p></body></html>"
)
S3_ERROR = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified '
    "key does not exist.</Message></Error>"
)
RSS = '<?xml version="1.0"?><rss><channel><title>Errors of the week</title></channel></rss>'
ZOD = (
    '[\n  {\n    "code": "invalid_type",\n    "expected": "string",\n    "path": ["query"],\n'
    '    "message": "Required"\n  }\n]'
)


class Case(Struct, frozen=True):
    """One result, who returned it, and whether the call behind it failed."""

    name: str
    result: Any
    failed: bool | None
    tool: str = "do_something"
    reported: bool | None = None


def bad(name: str, result: Any, tool: str = "do_something", **known: Any) -> Case:
    """A call that failed, whatever it looks like."""
    return Case(name, result, failed=True, tool=tool, **known)


def good(name: str, result: Any, tool: str = "do_something", **known: Any) -> Case:
    """A call that worked, whatever it looks like."""
    return Case(name, result, failed=False, tool=tool, **known)


FAILURES: tuple[Case, ...] = (
    # text
    bad("plain prefix", "Error: file not found"),
    bad("prefix although flagged as success", "Error: file not found", reported=True),
    bad("upper case", 'ERROR:  relation "users" does not exist\nLINE 1: SELECT\n        ^'),
    bad("markdown heading", "## Error\n\nThe repository is archived."),
    bad("bold", "**Error:** quota is used up"),
    bad("emoji", "❌ Error: could not save"),
    bad("warning sign", "⚠️ Failed to fetch the page"),
    bad("fenced", "```\nError: no rights\n```"),
    bad("quoted", '"Error: no rights"'),
    bad("verb", "Error executing tool get_quote: list index out of range"),
    bad("verb with object", "Error retrieving user profile: Client error '404 Not Found'"),
    bad("occurred", "An unexpected error occurred while processing your request."),
    bad("wrong", "Something went wrong, please try again later"),
    bad("failed to", "Failed to connect to localhost:5432"),
    bad("could not", "Could not find a file for record 42"),
    bad("unable", "Unable to resolve host api.example.test"),
    bad("work failed", "Request failed with status code 403"),
    bad("tool failed", "send_keys failed: the terminal is gone"),
    bad("fetch failed", "fetch failed"),
    bad("exception", "ValueError: time data '2024' does not match format"),
    bad("dotted exception", "psycopg.errors.UndefinedTable: relation does not exist", "query_db"),
    bad("java exception", 'java.lang.NullPointerException: Cannot invoke "String.length()"'),
    bad("exception call", "AuthenticationException(401, 'Unauthorized')"),
    bad("node error", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad'"),
    bad("traceback", SCRIPT_THAT_CRASHED[20:], "run_job"),
    bad("script that crashed", SCRIPT_THAT_CRASHED, "python"),
    bad("go panic", "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1"),
    bad("rust panic", "thread 'main' panicked at src/main.rs:2:5:\nboom"),
    bad("mysql", "ERROR 1064 (42000): You have an error in your SQL syntax"),
    bad("sqlite", "no such table: orders", "run_sql"),
    bad("postgres bare", 'column "total" does not exist', "run_sql"),
    bad("oracle", "ORA-00942: table or view does not exist"),
    bad("mongo", "MongoServerError: E11000 duplicate key error collection: a.b"),
    bad("clickhouse", "Code: 60. DB::Exception: Table default.x does not exist."),
    bad("redis", "WRONGTYPE Operation against a key holding the wrong kind of value"),
    bad("http line", "HTTP 503 Service Unavailable"),
    bad("http number", "404 Not Found"),
    bad("reason phrase alone", "Internal Server Error"),
    bad("mcp code", "MCP error -32602: Invalid arguments for tool x: Required"),
    bad("timeout of the harness", "Tool call 'run_report' timed out after 90 seconds"),
    bad("timeout", "Request timeout after 30000ms"),
    bad("tool not found", "Tool 'no_such_tool' not found.\nAvailable tools: a, b"),
    bad("unknown tool", "Unknown tool: fetch_wether"),
    bad("cancelled", "[Request interrupted by user for tool use]"),
    bad("declined", "The user doesn't want this tool to run."),
    bad("rejected action", "The sandbox rejected this action for policy reasons."),
    bad("tag", "<tool_use_error>File does not exist.</tool_use_error>", "Read"),
    bad("too large", "File content (12 MB) exceeds maximum allowed size (1 MB).", "Read"),
    bad("errno", "EISDIR: illegal operation on a directory, read", "Read"),
    bad("exit code", "Exit code 1\nnothing to commit, working tree clean", "Bash"),
    bad(
        "exit header", "Wall time: 4.1 seconds\nProcess exited with code 2\nOutput:\nrg: x", "exec"
    ),
    bad("exit at the end", "compiling\n[The command completed with exit code 101.]", "run_command"),
    bad("exit below", "compiling\nKilled\nexit code: 137", "execute_command"),
    bad("exit one level down", {"output": "x\n", "metadata": {"exit_code": 1}}, "shell"),
    bad("last words", "compiling\nerror: could not compile `tide` (bin)", "bash"),
    bad("exit tag", "<returncode>1</returncode>\n<output>\n</output>", "bash"),
    bad("shell", "bash: line 1: steghide: command not found", "bash"),
    bad("git", "fatal: not a git repository (or any of the parent directories): .git", "git"),
    bad("not let in", "Unauthorized: missing API key"),
    bad("permission", "Permission denied", "delete_file"),
    bad("rate limit", "API rate limit exceeded, retry in 4 seconds"),
    bad("refused sentence", "Reservation QX12 not found"),
    bad("business rule", "Order 77 is closed and cannot be modified"),
    bad("not provided", "Archive X does not provide downloads."),
    bad("invalid", "Invalid date: 2027-03-15 is in the future"),
    bad("missing argument", "Missing required argument: city"),
    bad("pydantic", "1 validation error for call[get_quote]\nsymbol\n  Field required"),
    bad("gateway page", GATEWAY_PAGE, "fetch"),
    bad("gateway page flagged as success", GATEWAY_PAGE, "fetch", reported=True),
    bad("login page", LOGIN_PAGE, "fetch"),
    bad("s3 error", S3_ERROR),
    # Chinese
    bad("chinese prefix", "错误：文件不存在"),
    bad("chinese failed", "查询失败：连接超时"),
    bad("chinese cannot", "无法连接到数据库"),
    bad("chinese sorry", "抱歉，发生了未知错误"),
    bad("chinese parameter", "缺少必填参数 city"),
    bad("chinese rights", "没有权限访问该资源"),
    bad("chinese missing", "用户 42 不存在"),
    # data
    bad("error string", {"error": "no such town: Atlantis"}),
    bad("error string with echo", {"label": "X", "exists": False, "error": "No page of that name"}),
    bad("error true", {"error": True, "message": "no seats"}),
    bad("success false", {"success": False, "message": "no seats left"}),
    bad("ok false", {"ok": False, "error": "channel_not_found"}),
    bad("success false as text", {"Response": "False", "Error": "Movie not found!"}),
    bad("status error", {"status": "error", "message": "bad symbol"}),
    bad("status fail", {"status": "fail", "data": None, "message": "no"}),
    bad("status number", {"status": 500, "error": "Internal Server Error", "path": "/x"}),
    bad("status code text", {"cod": "404", "message": "city not found"}),
    bad("problem json", {"type": "about:blank", "title": "Forbidden", "status": 403}),
    bad("github", {"message": "Bad credentials", "documentation_url": "https://docs.example"}),
    bad("google", {"error": {"code": 404, "message": "Not found", "status": "NOT_FOUND"}}),
    bad("openai", {"error": {"message": "Invalid key", "type": "invalid_request_error"}}),
    bad("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
    bad("aws", {"__type": "ResourceNotFoundException", "message": "no such table"}),
    bad("aws error", {"Error": {"Code": "AccessDenied", "Message": "no"}, "ResponseMetadata": {}}),
    bad("api gateway", {"message": "Internal server error"}),
    bad("fastapi", {"detail": "Not authenticated"}),
    bad("fastapi list", {"detail": [{"loc": ["q"], "msg": "Field required", "type": "missing"}]}),
    bad("graphql", {"data": None, "errors": [{"message": "Cannot query field"}]}),
    bad("graphql nulls", {"data": {"user": None}, "errors": [{"message": "not found"}]}),
    bad("atlassian", {"errorMessages": ["Issue does not exist"], "errors": {}}),
    bad("mongo body", {"ok": 0, "errmsg": "ns not found", "code": 26}),
    bad("wechat", {"errcode": 40001, "errmsg": "invalid credential"}),
    bad("chinese api", {"code": 500, "msg": "服务器错误", "data": None}),
    bad("chinese code", {"code": 10086, "msg": "参数错误", "data": {}}),
    bad("jsonrpc", {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}),
    bad("kubernetes", {"kind": "Status", "status": "Failure", "message": "pods x not found"}),
    bad("notion", {"object": "error", "status": 400, "code": "validation_error", "message": "x"}),
    bad("command", {"stdout": "", "stderr": "ls: no such file", "exit_code": 2}),
    bad("timed out", {"stdout": "", "timed_out": True}),
    bad("all items", {"results": [{"success": False}, {"success": False}]}),
    bad("all counted", {"succeeded": 0, "failed": 3}),
    bad("item list", [{"id": 1, "ok": False, "error": "x"}, {"id": 2, "ok": False, "error": "y"}]),
    bad("issue list", ZOD),
    bad("nested json", '{"result": "{\\"error\\": \\"denied\\"}"}'),
    bad("json in json in json", '"{\\"error\\": \\"boom\\"}"'),
    bad("list of text", [{"text": "Error executing HealthTool: AuthException"}]),
    bad(
        "repr 1",
        "meta=None content=[TextContent(type='text', text='x', annotations=None)] isError=True",
    ),
    bad(
        "repr 2",
        "meta=None content=[] structured_content=None is_error=True result_type='complete'",
    ),
    bad(
        "repr without flag",
        "content=[TextContent(type='text', text='Error: x', annotations=None)] isError=False",
    ),
    bad("python dict", "{'error': \"can't open\", 'code': None}"),
    bad("json that was cut", '{"error": {"message": "The query is too long and the text was c'),
    bad("flag", {"content": [{"type": "text", "text": "fine"}], "isError": True}),
    bad("reported only", "all fine", reported=False),
    bad("lambda proxy", {"statusCode": 502, "body": "upstream"}),
    bad("error inside data", {"status": "done", "data": {"error": "no rights"}}),
)

SUCCESSES: tuple[Case, ...] = (
    # text
    good("log", LOG, "read_file"),
    good("log with the level first", LEVEL_FIRST_LOG, "tail_log"),
    good("traceback in the middle of a log", LOG_WITH_TRACEBACK, "read_file"),
    good("source code", SOURCE, "read_file"),
    good("code without numbers", 'def f():\n    raise ValueError("Error: no")\n', "read_file"),
    good("search hits", SEARCH_HITS, "web_search"),
    good("numbered hits", NUMBERED_HITS, "web_search"),
    good("novel", NOVEL, "read_book"),
    good("novel of one line", "Failure is the mother of success, said the old teacher."),
    good("guide", GUIDE, "fetch_docs"),
    good("error handling", "Error handling in Go is explicit: functions return an error value."),
    good("error codes", "Error codes\n\n| code | meaning |\n|---|---|\n| 404 | not found |"),
    good("0 failed", "12 passed, 0 failed in 0.31s", "run_tests"),
    good("tests", BUILT_REPORT, "run_tests"),
    good("no errors", "No errors found."),
    good("0 errors", "0 errors, 0 warnings", "lint"),
    good("errors: 0", "Errors: 0\nWarnings: 2\n", "lint"),
    good("error: none", "Error: None\nResult: 42"),
    good("error: 0", "error: 0"),
    good("mean error", "Mean squared error: 0.0312\nR2: 0.91", "evaluate_model"),
    good("standard error", "Standard error: 1.2 %"),
    good("margin", "Error: 0.05 (95 % confidence)"),
    good("exit 0", "Exit code: 0\nError: this line was expected by the test", "Bash"),
    good("exit 0 below", "Error: this line was expected\nexit_code=0", "Bash"),
    good("exit in a log", "step 1\nexit code: 1\nretrying\nstep 2 done", "Bash"),
    good("exit in a document", "Statuses\n\nexit code: 1", "read_file"),
    good("exit 0 header", "Process exited with code 0\nOutput:\nerror: unused variable\n", "exec"),
    good("fixed", "Fixed: the error that made the build fail", "git_log"),
    good("commit list", "d9e611e fix: error spans\n0629d16 feat: retry failed calls\n", "git_log"),
    good(
        "grep hits",
        "src/errors.py:3:class NotFound(Exception):\nsrc/a.py:9:    raise NotFound",
        "grep",
    ),
    good("completed", "Script completed successfully, no errors.\nResult: True"),
    good("query", 'SQL query executed successfully:\n{"rows": [{"error": "x"}]}'),
    good("no results", "No results found for 'timeout errors'", "search"),
    good("no data", "No matching documents", "search"),
    good("found", "Found 4 files\nsrc/errors.ts\nsrc/failure.ts", "Grep"),
    good("echo", "Directory not found", "Bash", reported=True),
    good("find", "find: ‘/x’: No such file or directory", "Bash", reported=True),
    good("empty flagged", "", "Bash", reported=True),
    good("number", "42"),
    good("false", "false", "is_prime"),
    good("word", "unknown", "classify"),
    good("answer that denies", "The file exists but it contains no errors."),
    good("weather", "Sunny. Warning: strong winds. Flight delays, but no cancellations."),
    good("medical", "Heart failure: stage II. Renal function normal.", "get_diagnosis"),
    good("song", "Title: Error\nArtist: The Failures\nAlbum: 404", "get_song"),
    good(
        "invalid index check", "Invalid index check: No invalid indexes found.", "analyze_db_health"
    ),
    good("article page", ARTICLE_PAGE, "fetch"),
    good("page about login", BLOG_ABOUT_LOGIN, "fetch"),
    good("rss", RSS, "fetch"),
    good("csv", "error,count\ntimeout,5\nrefused,2\n", "query"),
    good("yaml", "error: null\nstatus: ok\n"),
    good("help text", "Usage notes\n\nIf the call fails, an error is returned.", "get_help"),
    good("protocol note", "Note: servers report a failed call with isError=True."),
    good(
        "mention of repr", "The docs show CallToolResult(isError=True) for failures.", "read_docs"
    ),
    # Chinese
    good("chinese success", "操作成功，没有错误"),
    good("chinese count", "失败：0，成功：12"),
    good("chinese rate", "失败率为 0.2%，错误率下降"),
    good("chinese article", "错误处理是编程中的重要主题。本文介绍常见的做法，以及如何避免它们。"),
    # data
    good("error null", {"error": None, "data": [1]}),
    good("error null alone", {"error": None}),
    good("error empty", {"error": "", "result": 1}),
    good("error false", {"error": False, "value": 3}),
    good("errors empty", {"errors": [], "data": {"a": 1}}),
    good("errors 0", {"errors": 0, "warnings": 3}),
    good("errors counted", {"errors": 3, "files": 12}, "lint"),
    good("failed 0", {"failed": 0, "passed": 3}),
    good("failed tests", {"passed": 10, "failed": 2, "duration": 3.1}, "run_tests"),
    good("success true", {"success": True, "message": "error log cleared"}),
    good("success true with note", {"success": True, "error": "deprecated parameter ignored"}),
    good("status ok", {"status": "ok", "message": "0 failed"}),
    good("code 0", {"code": 0, "msg": "ok", "data": [1]}),
    good("code 200", {"code": 200, "message": "success", "data": {"x": 1}}),
    good("errcode 0", {"errcode": 0, "errmsg": "ok"}),
    good("graphql partial", {"data": {"user": {"id": 1}}, "errors": [{"message": "slow field"}]}),
    good("some items", {"results": [{"success": True}, {"success": False, "error": "x"}]}),
    good("per item null", {"results": [{"url": "u", "content": "c", "error": None}]}),
    good("some counted", {"succeeded": 2, "failed": 1}),
    good("job", {"id": 7, "name": "nightly", "status": "failed", "started_at": "2024-05-01"}),
    good("job with its error", {"id": 7, "created_at": "x", "status": "failed", "error": "exit 1"}),
    good("rows of a log", [{"log_id": 1, "status": "failed", "error_message": "no parts", "n": 2}]),
    good("rows", [{"error": "timeout", "count": 5}, {"error": "refused", "count": 2}]),
    good("order", {"order_id": 3, "status": "cancelled", "total": 12.5}, "get_order"),
    good("linter", {"errors": [{"line": 3, "message": "unused"}], "file": "a.py"}, "lint"),
    good("regression", {"error": 0.031, "r2": 0.9}),
    good("text in data", {"title": "Error: a memoir", "author": "A. Fail"}, "get_book"),
    good("nested null", {"structuredContent": {"response": {"error": None, "items": [1]}}}),
    good("empty list", []),
    good("empty dict", {}),
    good("empty mcp list", {"content": [], "structuredContent": {"result": []}, "isError": False}),
    good("exit code 0", {"stdout": "error: 0", "stderr": "warning: error", "exit_code": 0}),
    good("country code", {"code": "US", "message": "United States"}),
    good("http code table", [{"code": 404, "meaning": "not found"}, {"code": 500, "meaning": "x"}]),
    good("python rows", "[{'errors': None, 'id': 1}, {'errors': 2, 'id': 2}]"),
    good(
        "repr of a success",
        "content=[TextContent(type='text', text='no error', annotations=None)] isError=False",
    ),
    good("false answer", {"valid": False, "reason": "checksum differs"}, "validate_iban"),
    good("found false", {"found": False}, "lookup"),
    good("error in text", '{"answer": "Error: is a valid song title", "score": 1}'),
    good("messages", {"messages": [{"text": "Error: I was joking"}]}, "read_messages"),
    good("settings", {"error_log": "/var/log/e.log", "timeout": 30, "retry_failed": True}),
)

UNDECIDED: tuple[Case, ...] = (
    Case("nothing", None, failed=None),
    Case("no text", "", failed=None),
    Case("spaces", " \n ", failed=None),
)
