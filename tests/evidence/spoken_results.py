"""Results as tools say them: one a line where they are text, then data.

Written to be hard: messages without a prefix, prose that opens like one, data about failures.
"""

from __future__ import annotations

from typing import Any

FAILING_LINES = r"""
Error: ENOENT: no such file or directory, open '/x'
Access denied - path outside allowed directories: /etc not in /data
Failed to fetch https://x - status code 403
Failed to click #x: No element found for selector: #x
Script execution failed: boom
Brave API error: 422 Unprocessable
Geocoding failed: ZERO_RESULTS
Database error: no such column: x
Error processing mcp-server-time query: Invalid timezone
failed to get file contents: GET https://api.github.com/repos/x: 404 Not Found []
Error from server (NotFound): pods "x" not found
Error response from daemon: No such container: x
psql: error: connection to server on socket failed
main.c:3:5: error: expected ';' before 'return'
curl: (6) Could not resolve host: x
ssh: connect to host x port 22: Connection refused
Sorry, I couldn't find that page.
No access to this repository
The requested URL returned error: 404
Exception caught: x
ToolException('x')
Segmentation fault (core dumped)
Terminated
command timed out after 120 seconds
Command exceeded time limit
Browser closed unexpectedly
Not connected to database
Not found: x
Invalid or expired session
Bad Request: chat not found
[404] Not Found
(403) Forbidden
statusCode=500
API returned 500 Internal Server Error
Server responded with 404
Got 404 from server
Received HTTP 500 from upstream
系统繁忙，请稍后再试
【错误】参数不合法
接口返回错误: 超时
请先登录
余额不足
找不到该用户
Token 已过期，请重新登录
address is required
'limit' must be less than 100
schema_json is required
Parameter 'q' cannot be empty
Tool arguments must be an object.
Unable to locate credentials
Cannot divide by zero
could not parse the date
Operation not permitted
Access to fetch at 'x' has been blocked by CORS policy
net::ERR_NAME_NOT_RESOLVED at https://x
io.grpc.StatusRuntimeException: UNAVAILABLE
rpc error: code = NotFound desc = x
java.sql.SQLSyntaxErrorException: x
System.IO.FileNotFoundException: x
Unhandled Rejection (TypeError): x
Uncaught (in promise) Error: x
error TS2304: Cannot find name 'x'.
error[E0382]: borrow of moved value
ERR_INVALID_ARG_TYPE
AssertionError
AssertionError [ERR_ASSERTION]: x
SyntaxError: Unexpected token < in JSON at position 0
400 Bad Request
504 Gateway Time-out
<Response><Errors><Error><Code>RequestLimitExceeded</Code></Error></Errors></Response>
Response status code does not indicate success: 404 (Not Found).
Query error: Unknown function
Rate limited. Retry after 5 seconds
Quota exceeded for quota metric 'Queries'
You exceeded your current quota, please check your plan and billing details.
Insufficient balance
This model's maximum context length is 8192 tokens
Could not establish connection. Receiving end does not exist.
Session not found
Invalid session ID
MCP error 0: unmarshaling: json: unknown field "foobar"
Tool result missing after a crash
Execution failed: x
The operation was canceled.
Task was cancelled
Permission denied: '/etc/shadow'
Cannot read properties of undefined (reading 'x')
undefined is not a function
KeyError: 'x'
'NoneType' object is not subscriptable
division by zero
I was unable to complete the request because the API returned an error.
Tool call failed validation: parameter `limit` expected integer
Cannot invoke tool: server 'github' is offline
ENOTDIR: not a directory, scandir '/x'
The model `gpt-9` does not exist or you do not have access to it.
No element matches selector '#foo'
Page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:1/
Navigation timeout of 30000 ms exceeded
strict mode violation: locator('x') resolved to 3 elements
Element not visible
Stale element reference
Ticket ABC-1 does not exist or you do not have permission to see it.
/bin/sh: 1: foo: not found
zsh: command not found: foo
foo: command not found
make: *** [Makefile:3: all] Error 2
npm ERR! missing script: build
E: Unable to locate package foo
ModuleNotFoundError: No module named 'x'
error: failed to push some refs to 'x'
CONFLICT (content): Merge conflict in x
Killed: 9
Out of tokens
Context length exceeded
Request entity too large
The server encountered an internal error and was unable to complete your request.
upstream connect error or disconnect/reset before headers
no healthy upstream
Bad gateway
error code: 1020
Please enable JS and disable any ad blocker
You have been blocked
Too many login attempts
DeadlineExceeded: 504 Deadline Exceeded
FATAL: password authentication failed for user "x"
could not connect to server: Connection refused
deadlock detected
canceling statement due to statement timeout
value too long for type character varying(10)
null value in column "x" violates not-null constraint
Operand should contain 1 column(s)
Data truncated for column 'x' at row 1
ambiguous column name: id
[SQLITE_ERROR] SQL error or missing database (no such table: x)
MongoNetworkError: connect ECONNREFUSED
Cast to ObjectId failed for value "x"
(error) ERR unknown command 'FOO'
SyntaxException: line 1:7 no viable alternative at input
Query failed (#2024): line 1:8: Column 'x' cannot be resolved
Binder Error: Referenced column "x" not found in FROM clause!
Catalog Error: Table with name x does not exist!
Conversion Error: Could not convert string 'a' to INT32
Unknown symbol: FOOO
Ticker 'XYZZ' not recognized
City 'Atlantis' could not be located
Latitude must be between -90 and 90
API key is invalid or missing
Your API key has been disabled
Account suspended
Subscription required to access this endpoint
This endpoint requires a premium plan
Payment required
Feature not enabled for your account
Sandbox error: container exited with code 137
Timed out waiting for the page to load
The command was terminated because it exceeded the timeout
Patch failed to apply
Text to replace not found in file.
old_string not found in /x/y.py
Path does not exist: /x
Is a directory: /x
File too large to read
Binary file cannot be displayed
Access to this directory is restricted
工具执行失败: xxx
参数 city 不能为空
网络连接超时，请检查网络
服务暂时不可用
查询出错，请稍后重试
操作超时
用户名或密码错误
文件过大
请求参数有误
接口调用次数超限
Error: Invalid JWT
error: pathspec 'foo' did not match any file(s) known to git
remote: Repository not found.
Unable to read file: permission issue
ERROR 2003 (HY000): Can't connect to MySQL server on 'x' (111)
AccessDeniedException: User is not authorized to perform: s3:GetObject
An error occurred (NoSuchBucket) when calling the GetObject operation: no such bucket
botocore.exceptions.NoCredentialsError: Unable to locate credentials
googleapiclient.errors.HttpError: <HttpError 403 when requesting x>
openai.BadRequestError: Error code: 400 - {'error': {'message': 'x'}}
requests.exceptions.ConnectionError: HTTPSConnectionPool(host='x', port=443): Max retries exceeded
urllib3.exceptions.ReadTimeoutError: x
HTTPError: 502 Server Error: Bad Gateway for url: https://x
Request to https://api failed (500)
Failed: could not open database
Login failed. Check your password.
Upload failed
Deployment failed: image not found
❌ Build failed
⛔ Access restricted
Error occurred: division by zero
The tool returned an error: x
Query returned an error
Execution error
[Error: ENOENT: no such file or directory, open 'x'] { errno: -2 }
Error [ERR_HTTP_HEADERS_SENT]: Cannot set headers
Exception: x
PermissionError: [Errno 13] Permission denied: '/x'
thread 'tokio' panicked at 'x'
Caused by: java.net.SocketTimeoutException: connect timed out
SQL Error [42P01]: ERROR: relation "x" does not exist
Error Code: 1146. Table 'a.b' doesn't exist
ERR wrong number of arguments for 'get' command
Invalid query: unexpected token at position 5
Invalid regular expression: missing )
JSON parse error at line 3
Could not parse arguments as JSON
Missing parameter: query
Parameter "limit" is out of range
Tool not found: foo
No tool named foo is registered
Function foo does not exist
Server "x" not found in configuration
MCP server disconnected
Request cancelled
Operation timed out
Timeout waiting for selector "#x"
Rate limit reached for requests
429 Too Many Requests
quota exceeded
Unauthorized
Token expired
You need to sign in to view this page
无法解析该地址
请求失败，状态码 500
数据库连接失败
权限不足，无法执行该操作
未知工具: foo
{"output": "{\"error\": \"bad\"}"}
CallToolResult(content=[TextContent(type='text', text='nope', annotations=None)], isError=True)
[TextContent(type='text', text='Error: x', annotations=None)]
{'status': 'error', 'message': 'x'}
{"error": "x"
Error: Issue ENG-42 not found
Failed to list messages: invalid_grant
GraphQL Error: Field 'foo' doesn't exist on type 'Query'
An error occurred while fetching weather data: 404 Client Error
yfinance error: No timezone found, symbol may be delisted
Error fetching URL: HTTPConnectionPool(host='x'): Max retries exceeded
Failed to open browser: Executable doesn't exist at /x/chrome
MCP error -32001: Request timed out
Error executing query: (pymysql.err.ProgrammingError) (1146, "Table 'x.y' doesn't exist")
Cypher query error: Invalid input 'MATC'
Elasticsearch error: index_not_found_exception
Could not retrieve transcript: Subtitles are disabled for this video
HTTP error 429: Too Many Requests
Error: spawn npx ENOENT
Unable to parse date '31/02/2024'
Docker error: permission denied while trying to connect to the Docker daemon socket
error validating data: unknown field "spec.foo"
The request was rejected because no multipart boundary was found
bash: cd: /nope: No such file or directory
[Errno 2] No such file or directory: 'x.csv'
Validation Error: 'start' must be before 'end'
Sheet 'Q3' does not exist in workbook
Invalid cell reference: ZZZZ1
File '/a/b' is outside the allowed directories
Merge request could not be created: 409 Conflict
User rejected the request
insufficient funds for gas * price + value
execution reverted: ERC20: transfer amount exceeds balance
ERROR: Tool execution exceeded 30s and was aborted
Tool execution was denied by policy
错误: 城市不存在
API 调用失败：401
"""
PASSING_LINES = r"""
Error rate: 0.2%
Failed login attempts: 3
Failed: 0, Passed: 12
Failed: 3, Passed: 9
Invalid login attempts are logged to /var/log/auth.log.
Required fields: name, email
Missing values: 0
Missing values: 12 (3%)
Forbidden City is a palace complex in Beijing.
Timeout of the query is 30 s
Internal error codes are listed below.
Server error logs from last night: none
Out of memory killer explained
Validation error handling in Zod
No action is required.
A restart is required to apply the changes.
A visa is required for entry.
Passwords must be at least 12 characters.
The inbox is empty.
The alarm is not set.
The checksum does not match.
Killed in action, 1917
Attempted murder is a crime.
Expected: rain and wind
Unauthorized biography of the band, published 1998
Smoking is prohibited here
The test suite ran: 3 errors, 2 failures
Access denied events (last 24h): 3
Exceptions are caught by the handler.
Connection pool size: 5
Timeout: 30
Timeouts were rare
error_log: /var/log/x
Error budget: 99.9 %
Error Code Reference
Failure Modes: an overview of reliability engineering in practice, chapter 3
Fatal Attraction (1987)
Panic! at the Disco
Exception to the rule: children travel free
Bad Bunny - DÁKITI
Unknown Pleasures by Joy Division
Invalid characters were stripped from the name; saved as 'x'.
Missing person found safe
Rejected applications: 12
Cancelled flights: 4
Cancelled order 42 as requested.
Cancelled successfully
Denied claims report for May
Blocked user bob.
Aborted the running job as asked; 3 jobs remain.
Interrupted sleep affects 30 % of adults.
Killed process 4242
Terminated instance i-123
Deleted 3 files
404 Media is a journalism company.
500 Days of Summer (2009)
451 degrees
HTTP 200 OK
Status: 200
200 OK
Exit code: 0
No such luck is needed; all 5 rows match.
Nothing to do
None
0
True
[]
{}
No errors
No issues found!
All checks passed
Could be worse: 3 of 4 succeeded
Cannot is not a valid column name
错误码说明：见附录
异常检测模型准确率 98%
失败是成功之母。
未找到匹配的结果
暂无数据
共 0 条错误
无
无法无天是一个成语
不存在的骑士是卡尔维诺的小说
超时时间：30 秒
Fehlerquote: 3 %
Created issue #12: Fix error handling
Updated ticket: Login fails with 500 error
Issue #3: App crashes on startup (open)
Comment added: Error persists on my machine.
Message sent
The error has been fixed in version 2.3.
Errors in translation are common among beginners.
Error correction codes detect bit flips.
Failure analysis of the bridge: see chapter 2.
Failed states index 2023: Somalia ranks first.
Unable is an adjective.
Exception handling in Java uses try and catch.
Timeouts: connect 5s, read 30s
Timed out sessions: 14
Connection established
Connection string updated
Network errors fell by 12 % this quarter.
Invalidated 3 cache entries.
Invalid rows removed: 14
Missing translations: de (3), fr (1)
Unknown speakers: 2
Not much changed since last week.
No such thing as a free lunch
Rejected 3 duplicates, imported 97 rows.
Skipped 2 invalid rows; inserted 98.
Warning: 2 rows skipped. Imported 98 rows.
Warning: deprecated API. Result: 42
Access granted
Access logs for May
Permission updated for user bob
Permissions: read, write
Forbidden words list: foo, bar
Unauthorized access attempts: 12 in the last hour
Authentication methods: password, OAuth
Login page updated
Please find the report attached.
Please review the summary below.
Could you clarify the date range?
Can't Stop - Red Hot Chili Peppers
You must remember this - As Time Goes By
Must-see places in Rome: the Forum
Order #W1 cancelled; refund issued.
Deleted error.log
error.log: 12 lines
2 problems (1 error, 1 warning)
Tests: 1 failed, 12 passed, 13 total
Build succeeded with 2 warnings
0 vulnerabilities, 0 errors
Response code: 204
Status code 200 means success; 404 means not found.
404 errors dropped by half
500 internal users were invited
[ERROR] 0 | [WARN] 2 | [INFO] 12
错误日志已清空
删除成功
未发现异常
没有发现错误
异常值：3 个
查询成功，共 0 条失败记录
错误处理已启用
Here are the results of your search for "error handling".
Top 5 articles about failure
Errors should never pass silently.
The Zen of Python, by Tim Peters
Successfully deleted the failed job.
Retried 3 failed uploads; all succeeded.
Job finished: 12 ok, 0 failed
No problems detected.
No failures in the last 24 hours.
Everything is fine
Marked as resolved: TypeError in checkout
Branch fix/timeout-error created
error-handling.md
ErrorBoundary.tsx exports ErrorBoundary
class NotFoundError(Exception): pass
try { run() } catch (error) { console.error(error) }
if err != nil { return err }
throw new Error("boom")
console.log("Error: x")
SELECT * FROM errors WHERE status = 'failed'
grep -r "Error:" src
git commit -m "fix: error"
raise ValueError("x")
The function raises KeyError if the key is missing.
Returns 404 when the user does not exist.
Use exit code 1 to signal failure.
status: active
Status: Failed over to the secondary at 12:03; service is healthy.
Result: not found guilty
The defendant was denied bail.
Flight LH123 was cancelled due to weather.
Order 5 was rejected by the customer.
The package could not be delivered on Monday; it was delivered on Tuesday.
Paris cannot be compared to London.
The temperature must be rising.
Dragons do not exist.
Air quality: unhealthy
Battery: 0%
Reply: "I can't make it, sorry"
User: I got an error yesterday
Bob: Error: lol
Timeout set to 30 seconds
Set timeout: 30
Retry limit: 5
Rate limit: 5000 per hour, 4998 remaining
Quota: 12 of 100 used
Permission: granted
Access level: restricted
Missing: none
Invalid: 0, valid: 12
Unknown: 3
Error bars show the standard deviation.
Errata for the second edition
Panic selling drove the index down 3 %.
Failed banks list: https://fdic.example
Exit code meanings: 0 ok, 1 error
[{'error': 'x', 'n': 1}, {'error': 'y', 'n': 2}]
{'errors': 0, 'ok': 3}
meta=None content=[TextContent(type='text', text='{"error": null}', annotations=None)] isError=False
"""
FAILING_DATA: tuple[Any, ...] = (
    "### Result\nError: locator.click: Timeout 5000ms exceeded.",
    {"error": "Invalid thought: must be a string", "status": "failed"},
    "**Input Error**\n\nIt looks like there was a problem with the input you provided.",
    "╷\n│ Error: Invalid reference\n│",
    "❌ Tool execution failed\n\nReason: no rights",
    {"Message": "Rate exceeded", "Code": "Throttling"},
    {"status": "REQUEST_DENIED", "results": [], "error_message": "bad key"},
    {"status": "OVER_QUERY_LIMIT", "results": []},
    {"type": "error", "message": "boom"},
    {"result": "error", "message": "x"},
    {"faultcode": "x", "faultstring": "no rights"},
    {"status": "rejected", "reason": "x"},
    [{"status": "rejected", "reason": "x"}],
    {"code": "A0400", "msg": "用户请求参数错误"},
    {"__typename": "UserError", "message": "no"},
    {"content": [{"type": "text", "text": "x"}], "isError": "true"},
    {"errors": [{"status": "404", "title": "Not Found"}]},
    {"data": {"createUser": None}, "errors": [{"message": "x", "path": ["createUser"]}]},
    {"result": None, "error": {"message": "x"}},
    {"ok": False},
    {"isSuccess": False, "message": "x"},
    {"Success": "false", "Reason": "x"},
    {"error_description": "expired", "error": "invalid_grant"},
    {"msg": "failed", "code": -1},
    {"ret": -1, "msg": "x"},
    {"statusCode": 404, "error": "Not Found", "message": "Route not found"},
    {"name": "Error", "message": "boom", "stack": "Error: boom\n at x"},
    {"detail": [{"type": "missing", "loc": ["body", "q"], "msg": "Field required"}]},
    {"errorMessages": ["x"], "warningMessages": []},
    {"fault": {"faultstring": "Invalid ApiKey", "detail": {"errorcode": "oauth.v2.InvalidApiKey"}}},
    {"error": "invalid_token", "error_description": "expired"},
    {"status": "NOT_FOUND"},
    {"status": 400, "title": "Bad Request", "detail": "x", "type": "https://x"},
    {"exception": "java.lang.X", "message": "y", "timestamp": 1},
    {"result": "", "error": "timeout"},
    {"output": "", "error": "x", "exit_code": None},
    {"data": {"error": {"code": "E1", "message": "x"}}},
    {"status": "error"},
    {"status": "failed"},
    {"success": False},
    {"results": [{"error": "a", "url": "u"}, {"error": "b", "url": "v"}]},
    [{"error": "x"}],
    {"tool": "x", "error": "y", "args": {"a": 1}},
    {"error": ["a", "b"]},
    {"err": "x"},
    {"message": "Rate limit exceeded", "code": "rate_limit_exceeded"},
    {"text": "Error: no"},
    {"content": "Error: no"},
    {"isError": True},
    {"is_error": True, "content": "x"},
    {"response": {"status": 500}},
    {"body": '{"error":"x"}', "statusCode": 400},
    {"error": {"type": "not_found_error", "message": "x"}, "request_id": "r"},
    {"jsonrpc": "2.0", "id": 3, "error": {"code": -32000, "message": "Connection closed"}},
    {"content": [{"type": "text", "text": '{"success":false,"error":"x"}'}], "isError": False},
    {"result": {"content": [{"type": "text", "text": "Failed to get issue: 404"}]}},
    {"status": "failure", "error": {"reason": "x"}},
    {"code": 401, "message": "Unauthorized"},
    {
        "code": "PGRST116",
        "details": None,
        "hint": None,
        "message": "JSON object requested, multiple (or no) rows returned",
    },
    {"errors": ["Name can't be blank"]},
    {"errors": {"name": ["can't be blank"]}},
    {"error_msg": "x", "error_code": 17},
    {"meta": {"status": 429, "msg": "too many"}, "response": {}},
    {"detail": "Authentication credentials were not provided."},
    {"Error": "x"},
    {
        "error": {
            "errors": [{"domain": "global", "reason": "notFound", "message": "Not Found"}],
            "code": 404,
            "message": "Not Found",
        }
    },
    {"returncode": 1, "stdout": "", "stderr": "boom"},
    {"exit_code": 127, "output": "sh: x: not found"},
    {"ok": False, "description": "Bad Request: chat not found", "error_code": 400},
    {"statusCode": 403, "message": "Forbidden resource", "error": "Forbidden"},
    {"status": "error", "data": None, "message": "Symbol not supported"},
    {"cod": 401, "message": "Invalid API key."},
    "TimeoutError: page.click: Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator",
    {
        "error": {
            "root_cause": [{"type": "index_not_found_exception"}],
            "type": "index_not_found_exception",
            "reason": "no such index [x]",
        },
        "status": 404,
    },
    {"success": False, "errorCode": "INVALID_SESSION", "errorMessage": "Session expired"},
    [{"message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"}],
    "Error: Cannot find module '/x/index.js'\nRequire stack:\n- x",
    'Traceback (most recent call last):\n  File "a.py", line 1\nZeroDivisionError: x',
    {"returncode": 2, "stderr": "usage: x", "stdout": ""},
    {"code": -32000, "message": "execution reverted"},
    {"code": 1001, "message": "参数缺失", "data": None},
)
# With the tool that returned it, where its name matters.
PASSING_DATA: tuple[tuple[str, Any], ...] = (
    ("do_something", "Errors\n------\nnone"),
    ("do_something", "timeout: 30s\nretries: 3"),
    ("do_something", "Error Handling Guide\n\nUse try/except."),
    ("do_something", {"type": "log", "level": "error", "message": "x"}),
    ("do_something", {"level": "error", "message": "disk full", "timestamp": "x", "service": "db"}),
    ("do_something", {"status": "failed", "order_id": 4, "amount": 3}),
    ("do_something", {"status": "error", "id": 7, "created_at": "x", "name": "job"}),
    ("do_something", {"status": "timeout", "value": 30, "unit": "s"}),
    ("do_something", {"errors": {"count": 0}}),
    ("do_something", {"error": {"count": 0, "list": []}}),
    ("do_something", {"error_rate": 0.2, "errors_total": 5}),
    ("do_something", {"exception": None}),
    ("do_something", {"failed": [], "ok": ["a"]}),
    ("do_something", {"failed": ["a"], "ok": ["b"]}),
    ("do_something", {"success": ["a"], "failure": []}),
    ("do_something", {"code": "E", "name": "Energy"}),
    ("do_something", {"code": 404, "phrase": "Not Found"}),
    ("do_something", {"message": "Hello"}),
    ("do_something", {"message": "Order cancelled"}),
    ("do_something", {"message": "File deleted"}),
    ("do_something", {"detail": {"a": 1}}),
    ("do_something", {"title": "Not Found", "director": "x", "year": 1999}),
    ("do_something", {"state": "Failed", "city": "x", "temp": 3}),
    ("do_something", {"valid": False, "errors": ["too short"]}),
    ("do_something", {"compliant": False, "violations": ["x"]}),
    ("do_something", {"tests": 3, "failures": 1, "errors": 0, "suite": "x"}),
    ("do_something", {"results": [], "error": None}),
    ("do_something", {"results": [{"title": "Error 404", "url": "u"}]}),
    ("do_something", [{"title": "Error: x", "url": "u"}]),
    ("do_something", [{"level": "error", "message": "x"}, {"level": "info", "message": "y"}]),
    ("do_something", [{"code": "invalid", "count": 3}]),
    ("do_something", [{"message": "hi", "path": "/a", "type": "chat"}]),
    ("get_issue", "Title: Failed to load resource\nState: open\nAuthor: bob"),
    ("read_email", "Subject: Error in invoice\nFrom: a@b.c\nBody: hi"),
    ("do_something", "Connection: keep-alive\nContent-Type: text/html"),
    ("stop_service", "Stopped service nginx"),
    ("kill_process", "Process 12 terminated"),
    ("cancel_job", "Job 12 was cancelled."),
    ("cancel_reservation", "Cancelled: reservation ABC"),
    ("list_dir", "errors.txt\nfailures.txt"),
    ("grep", "logs/error.log:12: connection refused"),
    ("grep", "src/app.ts:3: throw new Error('x')"),
    ("lint", "1 error found:\nsrc/a.ts:3 unused variable"),
    ("run_mypy", "Found 2 errors in 1 file (checked 3 source files)"),
    ("run_tests", "====== 1 failed, 2 passed in 0.3s ======"),
    ("fetch", "HTTP/1.1 200 OK\nContent-Type: text/html"),
    ("fetch", "HTTP/2 301 \nlocation: x"),
    ("do_something", "error\twarning\tinfo\n3\t2\t9"),
    ("do_something", "失败任务列表：\n1. 备份"),
    ("get_task_status", "任务状态：失败"),
    ("cancel_order", "已取消订单 42"),
    ("do_something", {"conclusion": "failure", "status": "completed", "id": 1, "name": "ci"}),
    ("do_something", {"pods": [{"name": "x", "status": "CrashLoopBackOff"}]}),
    ("do_something", {"alerts": [{"severity": "error", "message": "x"}]}),
    ("do_something", {"diagnostics": [{"message": "x", "severity": 1}]}),
    ("do_something", {"issues": [{"title": "Error: x", "state": "open"}]}),
    ("do_something", {"messages": [{"role": "user", "content": "Error: x"}]}),
    ("do_something", {"rows": [["Error: x"]]}),
    ("do_something", {"logs": "Error: x\nError: y"}),
    ("do_something", {"text": "Error: x is a song", "lang": "en"}),
    ("do_something", {"answer": "Failed to find a better one."}),
    ("do_something", {"stdout": "Error: x\n", "stderr": "", "exit_code": 0}),
    ("do_something", {"stdout": "ok", "stderr": "warning: error prone", "returncode": 0}),
    ("do_something", {"ok": True, "error": "ignored"}),
    ("do_something", {"error_count": 0, "errors": []}),
    ("do_something", {"retries": 3, "last_error": "timeout", "status": "ok"}),
    ("do_something", {"healthy": False, "checks": {"db": "error"}}),
    ("do_something", {"state": "error", "entity_id": "sensor.x", "attributes": {"a": 1}}),
    ("do_something", {"temperature_error": 0.2}),
    ("do_something", {"code": "ERR", "currency": "Eritrean"}),
    ("do_something", {"message": "Deployment failed alerts enabled"}),
    ("do_something", [["error", "warning"], [3, 4]]),
    ("do_something", ["error.log", "app.log"]),
    ("do_something", ["Error: A Memoir", "Failure: A Love Story"]),
    ("read_file", {"path": "/e", "content": "Error: x"}),
    ("ls", {"name": "error.log", "type": "file"}),
    ("do_something", [{"type": "error", "count": 3}]),
    ("do_something", {"type": "error", "count": 3, "since": "x"}),
    ("validate", {"valid": False, "error": "checksum"}),
    ("do_something", {"result": {"failed": [], "passed": ["a"]}}),
    ("get_job", {"job": {"status": "failed", "exit_code": 1}}),
    ("get_schedule", {"last_run": {"error": "boom"}}),
    (
        "do_something",
        {"content": [{"type": "text", "text": "No error was found in the log"}], "isError": False},
    ),
    ("do_something", {"result": {"errors": []}}),
    ("do_something", {"error": None, "result": None}),
    ("do_something", {"errors": None, "data": {"x": None}}),
    ("do_something", {"success": "true", "errors": "0"}),
    ("do_something", {"failed_count": 0, "success_count": 3}),
    (
        "do_something",
        {"summary": {"failed": 2, "passed": 8}, "tests": [{"name": "a", "status": "failed"}]},
    ),
    (
        "do_something",
        {
            "id": 3,
            "title": "Error: x",
            "body": "Traceback (most recent call last)",
            "state": "open",
        },
    ),
    ("do_something", {"hits": [{"error": "x", "ts": 1}, {"error": "y", "ts": 2}]}),
    ("do_something", {"events": [{"type": "error", "message": "x"}]}),
    ("do_something", {"error_types": ["a", "b"]}),
    ("do_something", {"exit_code": 0, "stdout": "Traceback (most recent call last)"}),
    ("do_something", {"status": "ok", "errors": ["minor"]}),
    ("do_something", {"code": 200, "error": ""}),
    ("do_something", {"http_code": 200, "body": "<html><title>404</title></html>"}),
    ("do_something", {"prediction": "failure", "probability": 0.9}),
    ("do_something", {"sentiment": "negative", "text": "This product failed me"}),
    ("do_something", {"label": "error", "score": 0.8}),
    ("do_something", [{"id": 1, "status": "failed"}, {"id": 2, "status": "failed"}]),
    (
        "do_something",
        {
            "items": [
                {"id": 1, "status": "error", "name": "a"},
                {"id": 2, "status": "error", "name": "b"},
            ]
        },
    ),
    ("do_something", {"jobs": [{"conclusion": "failure"}], "total_count": 1}),
    ("do_something", {"weather": "storm", "warning": "error in sensor 3"}),
    ("do_something", {"message": "No errors"}),
    ("do_something", {"message": "Success: 0 failed"}),
    (
        "linear_get_issue",
        "Issue ENG-42: Fix 'Error: not found' on login\nStatus: In Progress\nAssignee: bob",
    ),
    ("gmail_list", "Found 3 messages:\n1. Delivery failed\n2. Error in invoice\n3. Hello"),
    ("shopify", {"products": [{"title": "Error Tee", "stock": 0}]}),
    ("weather", {"location": "Rome", "temp": 21, "alerts": None, "error": None}),
    ("finance", {"symbol": "AAPL", "price": 189.2, "errors": []}),
    (
        "fetch",
        "# Help\n\n## Error: ECONNREFUSED\n\nCheck the server.\n\n## Error: EACCES\n\nx\n",
    ),
    ("browser_open", "Opened https://example.com/404\nPage title: 404 Not Found"),
    ("browser_click", "Clicked. Page now shows: 'Login failed'"),
    ("mysql_query", [{"level": "ERROR", "count": 12}, {"level": "WARN", "count": 3}]),
    (
        "es",
        {
            "hits": {
                "total": {"value": 2},
                "hits": [{"_source": {"error": "x"}}, {"_source": {"error": "y"}}],
            },
            "timed_out": False,
        },
    ),
    ("youtube", "Transcript: so the first error people make is to start too big. And they fail."),
    (
        "search",
        "1. How to fix 'Failed to fetch' - https://a.example\n2. What does 500 mean - https://b.example",
    ),
    ("calendar", "Event 'Post-mortem: payment failures' created for 2024-05-01"),
    ("crm", {"success": True, "records": [{"Id": "1", "Status__c": "Failed"}]}),
    (
        "docker_ps",
        "CONTAINER ID   IMAGE   STATUS\nabc   x   Exited (1) 3 days ago\ndef   y   Up 2 hours",
    ),
    (
        "kubectl_get",
        "NAME   READY   STATUS             RESTARTS\nx      0/1     CrashLoopBackOff   12",
    ),
    ("kubectl_apply", "deployment.apps/error-service configured"),
    ("write_file", "Wrote 12 lines to /x/error_handler.py"),
    ("git_diff", "diff --git a/e.py b/e.py\n-raise Error\n+return None"),
    ("git_log", "commit abc\n    Fix crash: TypeError in parser"),
    ("run_tests", "test_a PASSED\ntest_b PASSED\n2 passed"),
    ("ruff", "a.py:3:1: F401 unused import\nFound 1 error."),
    ("bash", "total 8\n-rw-r--r-- 1 a a 0 error.log"),
    ("read_csv", "col1,col2\nerror,1\nfail,2"),
    ("excel", {"sheets": ["Errors", "Summary"]}),
    ("gitlab", {"merged": False, "state": "open", "title": "Revert broken change", "number": 4}),
    ("eth", {"balance": "0", "status": "1", "message": "OK"}),
    ("etherscan", {"status": "0", "message": "No transactions found", "result": []}),
    ("translate", "Translation: Fehler ist menschlich."),
    ("sentiment", "Sentiment: negative (0.92)"),
    ("qa", "The capital of France is Paris."),
    (
        "summarize",
        "I could not agree more with the author's thesis, which runs on and on.",
    ),
    ("qa2", {"answer": "An error is a deviation from accuracy.", "sources": []}),
    ("reminder", "Reminder set: call bank about failed payment"),
    ("spotify", "Playing: 'Failure' by Breaking Benjamin"),
    ("flights", {"flights": [{"id": "LH1", "status": "cancelled"}]}),
    ("flights2", "Flight LH1: cancelled. Next: LH3 at 12:00"),
    ("cancel_order", "Your order #12 has been cancelled."),
    ("delete", {"deleted": True, "id": 3}),
    ("void", "null"),
    ("qa3", "错误代码 404 的含义是“未找到”。"),
    ("w", {"code": 0, "message": "成功", "data": {"失败": 0}}),
    ("w2", "任务 12 已完成，失败 0 个"),
    ("x", "ok"),
)
