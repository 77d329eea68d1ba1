"""Results as well-known servers and services give them, judged by hand before the rules were run.

The wording is theirs, the names and numbers are made up. A failure tells whose it is, where the
words leave no doubt about that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Category

SERVED_FAILURES: tuple[tuple[str, Any, Category | None], ...] = (
    (
        "read_file",
        ("Error: Access denied - path outside allowed directories: /etc/passwd not in /srv/data"),
        "environment",
    ),
    ("read_file", "ENOENT: no such file or directory, open '/srv/data/x.txt'", "model"),
    ("write_file", "Parent directory does not exist: /srv/data/new", "model"),
    ("edit_file", "Could not find exact match for edit:\nconst a = 1;\n", "model"),
    (
        "git_status",
        ("fatal: not a git repository (or any of the parent directories): .git"),
        "model",
    ),
    (
        "git_checkout",
        (
            "Cmd('git') failed due to: exit code(128)\n  cmdline: git checkout "
            "nope\n  stderr: 'fatal: invalid reference: nope'"
        ),
        "model",
    ),
    ("git_checkout", "error: pathspec 'nope' did not match any file(s) known to git", "model"),
    (
        "git_push",
        (
            "To example.org:x/y.git\n ! [rejected]        main -> main "
            "(non-fast-forward)\nerror: failed to push some refs to "
            "'example.org:x/y.git'"
        ),
        "model",
    ),
    ("git_merge", ("Automatic merge failed; fix conflicts and then commit the result."), "model"),
    ("fetch", "Failed to fetch https://x.example/a - status code 404", "model"),
    (
        "fetch",
        (
            "The sites robots.txt (https://x.example/robots.txt), specifies "
            "that autonomous fetching of this page is not allowed, "
            "<useragent>Bot</useragent>"
        ),
        "environment",
    ),
    ("fetch", "<error>No more content available.</error>", None),
    ("read_query", "Database error: no such column: foo", "model"),
    ("read_query", "Only SELECT queries are allowed for read_query", "model"),
    (
        "browser_navigate",
        (
            "### Result\nError: page.goto: net::ERR_NAME_NOT_RESOLVED at "
            "https://foo.example/\nCall log:\n  - navigating to "
            '"https://foo.example/", waiting until "domcontentloaded"'
        ),
        "environment",
    ),
    (
        "browser_click",
        ("Ref e45 not found in the current page snapshot. Try capturing new snapshot."),
        "model",
    ),
    (
        "browser_click",
        (
            "TimeoutError: locator.click: Timeout 5000ms exceeded.\nCall "
            "log:\n  - waiting for locator('#a')"
        ),
        "server",
    ),
    (
        "browser_click",
        (
            'Tool "browser_click" does not handle the modal state.\n- ["alert" '
            'dialog with message "hi"]: can be handled by the '
            '"browser_handle_dialog" tool'
        ),
        "model",
    ),
    (
        "get_issue",
        (
            "failed to get issue: GET "
            "https://api.github.example/repos/x/y/issues/999: 404 Not Found []"
        ),
        "model",
    ),
    (
        "create_issue",
        {
            "message": "Validation Failed",
            "errors": [{"resource": "Issue", "field": "title", "code": "missing_field"}],
            "documentation_url": "https://docs.example",
        },
        "model",
    ),
    (
        "get_file_contents",
        (
            "path does not point to a file or directory, or the file does not "
            "exist in the repository"
        ),
        "model",
    ),
    ("create_pull_request", "missing required parameter: base", "model"),
    ("slack_post_message", {"ok": False, "error": "channel_not_found"}, "model"),
    ("slack_post_message", "An API error occurred: not_in_channel", None),
    ("slack_post_message", "An API error occurred: missing_scope", "environment"),
    (
        "API-retrieve-a-page",
        {
            "object": "error",
            "status": 404,
            "code": "object_not_found",
            "message": (
                "Could not find page with ID: 1. Make sure the relevant pages and "
                "databases are shared with your integration."
            ),
        },
        "model",
    ),
    (
        "API-patch-page",
        {
            "object": "error",
            "status": 400,
            "code": "validation_error",
            "message": (
                "body failed validation. Fix one: body.properties should be "
                "defined, instead was `undefined`."
            ),
        },
        "model",
    ),
    ("kubectl_get", 'Error from server (NotFound): pods "web-0" not found', "model"),
    (
        "kubectl_get",
        (
            'Error from server (Forbidden): pods is forbidden: User "dev" '
            'cannot list resource "pods" in API group "" in the namespace '
            '"prod"'
        ),
        "environment",
    ),
    (
        "kubectl_get",
        {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "message": 'pods "x" not found',
            "reason": "NotFound",
            "code": 404,
        },
        "model",
    ),
    (
        "kubectl_get",
        (
            "The connection to the server localhost:8080 was refused - did you "
            "specify the right host or port?"
        ),
        "environment",
    ),
    ("kubectl_get", "error: You must be logged in to the server (Unauthorized)", "environment"),
    (
        "kubectl_apply",
        ('error validating "a.yaml": error validating data: unknown field "spec.foo"'),
        "model",
    ),
    (
        "retrieve_customer",
        {
            "error": {
                "code": "resource_missing",
                "doc_url": "https://docs",
                "message": "No such customer: 'cus_x'",
                "param": "customer",
                "type": "invalid_request_error",
            }
        },
        "model",
    ),
    ("create_customer", "Failed to create customer", None),
    (
        "gdrive_read",
        {
            "error": {
                "errors": [
                    {"domain": "global", "reason": "notFound", "message": "File not found: x."}
                ],
                "code": 404,
                "message": "File not found: x.",
            }
        },
        "model",
    ),
    ("gdrive_read", "invalid_grant", "environment"),
    (
        "gdrive_search",
        "Credentials not found. Please run with 'auth' argument first.",
        "environment",
    ),
    ("maps_geo", {"status": "0", "info": "INVALID_USER_KEY", "infocode": "10001"}, "environment"),
    ("map_geocode", {"status": 240, "message": "APP 服务被禁用"}, "environment"),
    ("get-tickets", "Error: Get train data failed. Check your cookie.", None),
    (
        "feishu_doc",
        {
            "code": 99991663,
            "msg": ("Invalid access token for authorization. Please make a test attempt."),
            "error": {"log_id": "2023"},
        },
        "environment",
    ),
    (
        "wx_send",
        {"errcode": 40001, "errmsg": "invalid credential, access_token is invalid or not latest"},
        "environment",
    ),
    ("weather", "参数 city 不能为空", "model"),
    (
        "alipay_query",
        {
            "code": "40004",
            "msg": "Business Failed",
            "sub_code": "ACQ.TRADE_NOT_EXIST",
            "sub_msg": "交易不存在",
        },
        None,
    ),
    (
        "cvm_list",
        {
            "Response": {
                "Error": {
                    "Code": "AuthFailure.SignatureFailure",
                    "Message": "The provided credentials could not be validated.",
                },
                "RequestId": "r",
            }
        },
        "environment",
    ),
    (
        "ecs_list",
        {
            "RequestId": "r",
            "Code": "InvalidAccessKeyId.NotFound",
            "Message": "Specified access key is not found.",
            "HostId": "ecs.example.com",
        },
        "environment",
    ),
    ("bilibili_search", {"code": -412, "message": "request was banned", "ttl": 1}, "environment"),
    ("xhs_search", "登录状态已失效，请重新扫码登录", "environment"),
    ("add_observations", "Entity with name Foo not found", "model"),
    (
        "get_current_time",
        (
            "Error processing mcp-server-time query: Invalid timezone: 'No "
            "time zone found with key Mars/Base'"
        ),
        "model",
    ),
    (
        "brave_web_search",
        'Brave API error: 429 Too Many Requests\n{"type":"ErrorResponse"}',
        "environment",
    ),
    ("puppeteer_click", "Failed to click #x: No element found for selector: #x", "model"),
    (
        "list_buckets",
        ("An error occurred (AccessDenied) when calling the ListBuckets operation: Access Denied"),
        "environment",
    ),
    ("linear_get", "Entity not found: Issue - Could not find referenced Issue.", "model"),
    (
        "jira_get",
        {
            "errorMessages": ["Issue does not exist or you do not have permission to see it."],
            "errors": {},
        },
        None,
    ),
    ("redis_lpush", ("WRONGTYPE Operation against a key holding the wrong kind of value"), "model"),
    (
        "mongo_find",
        ("You need to connect to a MongoDB instance before you can access its data."),
        None,
    ),
    ("docker_stop", "Error response from daemon: No such container: x", "model"),
    ("http_get", "error code: 1015", None),
    (
        "graphql",
        {"data": None, "errors": [{"message": "Field 'x' doesn't exist on type 'Query'"}]},
        "model",
    ),
    ("airtable_get", {"error": "NOT_FOUND"}, "model"),
    (
        "airtable_get",
        {
            "error": {
                "type": "INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND",
                "message": "Invalid permissions, or the requested model was not found.",
            }
        },
        None,
    ),
    ("figma_get", {"status": 403, "err": "Invalid token"}, "environment"),
    (
        "hubspot_get",
        {
            "status": "error",
            "message": "This app hasn't been granted all required scopes",
            "correlationId": "c",
            "category": "MISSING_SCOPES",
        },
        "environment",
    ),
    ("spotify", {"error": {"status": 401, "message": "The access token expired"}}, "environment"),
    ("excel_read", "Worksheet 'Sheet9' does not exist.", "model"),
    ("calendar_create", "The specified time range is empty.", None),
    ("gmail_send", "Recipient address required", "model"),
    ("whatsapp_send", [False, "Not connected to WhatsApp bridge"], None),
    (
        "whatsapp_send",
        {
            "success": False,
            "message": (
                "Request error: HTTPConnectionPool(host='localhost', port=8080): "
                "Max retries exceeded"
            ),
        },
        "environment",
    ),
    (
        "blender_exec",
        ("Error executing code: Communication error with Blender: name 'bpx' is not defined"),
        "model",
    ),
    ("arxiv_dl", {"status": "error", "message": "Paper 9999.99999 not found on arXiv"}, "model"),
    ("yf_quote", "Company ticker XXXX not found.", "model"),
    (
        "yf_quote",
        ("Error: getting stock info for AAPL: Too Many Requests. Rate limited. Try after a while."),
        "environment",
    ),
    (
        "es_search",
        {
            "error": {
                "root_cause": [
                    {"type": "index_not_found_exception", "reason": "no such index [x]"}
                ],
                "type": "index_not_found_exception",
                "reason": "no such index [x]",
            },
            "status": 404,
        },
        "model",
    ),
    (
        "sequentialthinking",
        {"error": "Invalid thought: must be a string", "status": "failed"},
        "model",
    ),
    (
        "gitlab_get_file",
        ('GitLab API error: 404 Not Found\n{"message":"404 File Not Found"}'),
        "model",
    ),
    (
        "gitlab_create_mr",
        {"message": [("Another open merge request already exists for this source branch: !7")]},
        "model",
    ),
    ("az_cli", ("ERROR: (ResourceGroupNotFound) Resource group 'rg' could not be found."), "model"),
    (
        "gcloud_run",
        (
            "ERROR: (gcloud.compute.instances.list) You do not currently have "
            "an active account selected."
        ),
        "environment",
    ),
    (
        "s3_get",
        {"Error": {"Code": "NoSuchBucket", "Message": "The specified bucket does not exist"}},
        "model",
    ),
    ("bigquery", "Syntax error: Unexpected keyword FROM at [1:8]", "model"),
    (
        "bigquery",
        ("Access Denied: Table p:d.t: User does not have permission to query table p:d.t"),
        "environment",
    ),
    (
        "snowflake_query",
        (
            "000904 (42000): SQL compilation error: error line 1 at position "
            "7\ninvalid identifier 'FOO'"
        ),
        "model",
    ),
    ("mysql_query", "Error: Table 'shop.orderz' doesn't exist", "model"),
    (
        "neo4j_read",
        (
            "Neo4j Error: {code: Neo.ClientError.Statement.SyntaxError} "
            "{message: Invalid input 'MTCH'}"
        ),
        "model",
    ),
    (
        "duckdb_query",
        ('Catalog Error: Table with name foo does not exist!\nDid you mean "food"?'),
        "model",
    ),
    ("mongo_agg", "MongoServerError: Unrecognized pipeline stage name: '$grop'", "model"),
    (
        "supabase_sql",
        {
            "error": {
                "name": "HttpException",
                "message": ('Failed to run sql query: ERROR:  42P01: relation "x" does not exist'),
            }
        },
        "model",
    ),
    ("qdrant_find", "Collection memories does not exist", "model"),
    ("clickhouse", "Code: 62. DB::Exception: Syntax error: failed at position 8", "model"),
    (
        "firecrawl_scrape",
        {"success": False, "error": "Request failed with status code 402. Insufficient credits."},
        "environment",
    ),
    ("tavily_search", "Invalid API key", "environment"),
    (
        "exa_search",
        {"requestId": "r", "error": "Invalid API key", "tag": "INVALID_API_KEY"},
        "environment",
    ),
    (
        "chrome_devtools_click",
        "Element uid 7_3 is no longer available. Take a new snapshot.",
        "model",
    ),
    (
        "selenium_find",
        (
            "Message: no such element: Unable to locate element: "
            '{"method":"css selector","selector":"#x"}'
        ),
        "model",
    ),
    (
        "gcal_create",
        {
            "error": {
                "code": 400,
                "message": "Bad Request",
                "errors": [
                    {"reason": "timeRangeEmpty", "message": "The specified time range is empty."}
                ],
            }
        },
        "model",
    ),
    ("gmail_get", "Requested entity was not found.", "model"),
    (
        "gsheets_read",
        {
            "code": 403,
            "message": "The caller does not have permission",
            "status": "PERMISSION_DENIED",
        },
        "environment",
    ),
    ("trello_card", "invalid id", "model"),
    (
        "asana_task",
        {
            "errors": [
                {
                    "message": "task: Not a recognized ID: 12",
                    "help": "For more information on API status codes...",
                }
            ]
        },
        "model",
    ),
    ("clickup", {"err": "Team not authorized", "ECODE": "OAUTH_027"}, "environment"),
    ("todoist", "Task not found", "model"),
    ("zoom_create", {"code": 124, "message": "Invalid access token."}, "environment"),
    ("discord_send", {"message": "Missing Permissions", "code": 50013}, "environment"),
    ("discord_send", "Missing Access", "environment"),
    (
        "telegram_send",
        {
            "ok": False,
            "error_code": 429,
            "description": "Too Many Requests: retry after 5",
            "parameters": {"retry_after": 5},
        },
        "environment",
    ),
    (
        "confluence",
        {
            "statusCode": 404,
            "data": {"authorized": False},
            "message": "No content found with id: 1",
        },
        "model",
    ),
    (
        "paypal",
        {
            "name": "UNPROCESSABLE_ENTITY",
            "details": [
                {"issue": "ORDER_ALREADY_CAPTURED", "description": "Order already captured."}
            ],
            "message": (
                "The requested action could not be performed, semantically "
                "incorrect, or failed business validation."
            ),
            "debug_id": "d",
        },
        "model",
    ),
    (
        "shopify",
        {
            "data": {
                "productCreate": {
                    "product": None,
                    "userErrors": [{"field": ["title"], "message": "Title can't be blank"}],
                }
            }
        },
        "model",
    ),
    (
        "amadeus",
        {
            "errors": [
                {
                    "status": 400,
                    "code": 477,
                    "title": "INVALID FORMAT",
                    "detail": "invalid query parameter format",
                    "source": {"parameter": "departureDate"},
                }
            ]
        },
        "model",
    ),
    (
        "alpha_vantage",
        {
            "Error Message": (
                "Invalid API call. Please retry or visit the documentation for TIME_SERIES_DAILY."
            )
        },
        "model",
    ),
    (
        "coin_price",
        {
            "status": {
                "error_code": 1001,
                "error_message": "This API Key is invalid.",
                "credit_count": 0,
            }
        },
        "environment",
    ),
    ("flight_book", "Sorry, flight HAT001 is sold out.", "model"),
    (
        "baidu_search",
        {"error_code": 110, "error_msg": "Access token invalid or no longer valid"},
        "environment",
    ),
    ("dingtalk", {"errcode": 300001, "errmsg": "token is not exist"}, "environment"),
    ("weibo_hot", {"ok": -100, "url": "https://passport.example/login"}, None),
    ("zhihu", {"error": {"message": "请求参数异常，请升级客户端后重试。", "code": 10003}}, "model"),
    (
        "express_track",
        {
            "message": "查无结果，请隔段时间再查",
            "status": "500",
            "returnCode": "500",
            "result": False,
        },
        None,
    ),
    ("stock_cn", "未获取到数据，请检查股票代码是否正确", "model"),
    ("db_cn", "执行SQL语句时发生错误: 表 users 不存在", "model"),
    ("jd_search", "访问频繁，请稍后重试", "environment"),
    (
        "run_code",
        {"stdout": "", "stderr": "ModuleNotFoundError: No module named 'pandas'", "exit_code": 1},
        None,
    ),
    (
        "e2b_run",
        {
            "results": [],
            "logs": {"stdout": [], "stderr": []},
            "error": {"name": "NameError", "value": "name 'x' is not defined", "traceback": "..."},
        },
        None,
    ),
    (
        "terraform_plan",
        ("\x1b[31m╷\x1b[0m\n\x1b[31m│\x1b[0m Error: Invalid reference\n│ \n│   on main.tf line 3"),
        "model",
    ),
    (
        "helm_install",
        ("Error: INSTALLATION FAILED: cannot re-use a name that is still in use"),
        "model",
    ),
    (
        "npm_install",
        (
            "npm error code E404\nnpm error 404 Not Found - GET "
            "https://registry.example/foo - Not found"
        ),
        "model",
    ),
    (
        "cargo_build",
        (
            "   Compiling x v0.1.0\nerror[E0425]: cannot find value `y` in "
            "this scope\n --> src/main.rs:2:5\n\nerror: could not compile `x` "
            '(bin "x") due to 1 previous error'
        ),
        "model",
    ),
    ("obsidian_read", "Error 40400: File does not exist.", "model"),
    ("applescript", ('execution error: Notes got an error: Can’t get folder "X". (-1728)'), None),
    ("hass_call", {"message": "Service light.turn_onn not found."}, "model"),
    (
        "prometheus",
        {
            "status": "error",
            "errorType": "bad_data",
            "error": ('invalid parameter "query": 1:5: parse error: unexpected end of input'),
        },
        "model",
    ),
    ("datadog", {"errors": ["Forbidden"]}, "environment"),
    ("pagerduty", {"error": {"message": "Not Found", "code": 2100}}, "model"),
    ("wolfram", "Wolfram|Alpha did not understand your input", "model"),
    ("weather", "Unable to fetch forecast data for this location.", "server"),
    (
        "jira_create",
        {"errorMessages": [], "errors": {"project": "valid project is required"}},
        "model",
    ),
    ("vercel_deploy", {"error": {"code": "forbidden", "message": "Not authorized"}}, "environment"),
    (
        "twilio_send",
        {
            "code": 21211,
            "message": "The 'To' number +1 is not a valid phone number.",
            "more_info": "https://x",
            "status": 400,
        },
        "model",
    ),
    (
        "sendgrid",
        {
            "errors": [
                {
                    "message": "The provided authorization grant is invalid, expired, or revoked",
                    "field": None,
                    "help": None,
                }
            ]
        },
        "environment",
    ),
    (
        "mailchimp",
        {
            "type": "https://x/errors",
            "title": "Member Exists",
            "status": 400,
            "detail": "a@b.c is already a list member.",
            "instance": "i",
        },
        "model",
    ),
    (
        "openai_images",
        {
            "error": {
                "message": (
                    "You exceeded your current quota, please check your plan and billing details."
                ),
                "type": "insufficient_quota",
                "param": None,
                "code": "insufficient_quota",
            }
        },
        "environment",
    ),
    (
        "elevenlabs",
        {"detail": {"status": "quota_exceeded", "message": "This request exceeds your quota."}},
        "environment",
    ),
    (
        "fastapi_tool",
        {
            "detail": [
                {"loc": ["body", "name"], "msg": "field required", "type": "value_error.missing"}
            ]
        },
        "model",
    ),
    (
        "django_tool",
        {"email": ["Enter a valid email address."], "name": ["This field is required."]},
        None,
    ),
    ("rails_tool", {"status": 422, "error": "Unprocessable Entity"}, "model"),
    (
        "spring_tool",
        {"timestamp": "t", "status": 500, "error": "Internal Server Error", "path": "/api/x"},
        "server",
    ),
    (
        "dotnet_tool",
        {
            "type": "https://tools.ietf.org/html/rfc7231",
            "title": "One or more validation errors occurred.",
            "status": 400,
            "errors": {"Name": ["The Name field is required."]},
        },
        "model",
    ),
    ("grpc_tool", "rpc error: code = NotFound desc = user 7 not found", "model"),
    (
        "grpc_tool",
        (
            "rpc error: code = Unavailable desc = connection error: desc = "
            '"transport: Error while dialing"'
        ),
        None,
    ),
    (
        "solana",
        {
            "jsonrpc": "2.0",
            "error": {"code": -32602, "message": "Invalid param: WrongSize"},
            "id": 1,
        },
        "model",
    ),
    ("eth_call", "execution reverted: ERC20: transfer amount exceeds balance", "model"),
    (
        "maps_directions",
        {
            "status": "REQUEST_DENIED",
            "error_message": "You must use an API key to authenticate each request.",
            "routes": [],
        },
        "environment",
    ),
    (
        "yelp",
        {
            "error": {
                "code": "LOCATION_NOT_FOUND",
                "description": "Could not execute search, try specifying a more exact location.",
            }
        },
        None,
    ),
    (
        "tmdb",
        {
            "success": False,
            "status_code": 34,
            "status_message": "The resource you requested could not be found.",
        },
        "model",
    ),
    ("wikipedia", "Page 'Asdfgh' does not exist.", "model"),
    (
        "youtube_transcript",
        (
            "Could not retrieve a transcript for the video "
            "https://y.example/watch?v=1! This is most likely caused "
            "by:\n\nSubtitles are disabled for this video"
        ),
        None,
    ),
    ("pdf_read", "File is not a valid PDF", "model"),
    ("pdf_read", "EOF marker not found", None),
    ("image_resize", "cannot identify image file '/tmp/x.png'", "model"),
    ("ffmpeg", "Invalid data found when processing input", None),
    ("latex", "! LaTeX Error: File `foo.sty' not found.", "model"),
    ("ssh_exec", "Permission denied (publickey).", "environment"),
    (
        "docker_build",
        (
            'ERROR: failed to solve: process "/bin/sh -c make" did not '
            "complete successfully: exit code: 2"
        ),
        None,
    ),
    ("kubectl_rollout", "error: timed out waiting for the condition", "server"),
    (
        "argo_sync",
        ("application destination server 'x' is not permitted in project 'default'"),
        "environment",
    ),
    ("circleci", {"message": "Permission denied"}, "environment"),
    (
        "ms_graph",
        {"error": {"code": "itemNotFound", "message": "The resource could not be found."}},
        "model",
    ),
    (
        "salesforce",
        [{"message": "No such column 'Foo' on entity 'Account'", "errorCode": "INVALID_FIELD"}],
        "model",
    ),
    ("zendesk", {"error": "RecordNotFound", "description": "Not found"}, "model"),
    (
        "intercom",
        {
            "type": "error.list",
            "request_id": "r",
            "errors": [{"code": "unauthorized", "message": "Access Token Invalid"}],
        },
        "environment",
    ),
    ("bank_transfer", "Insufficient balance", "model"),
    ("hotel_book", "预订失败：房间已满", "model"),
    ("id_card", {"code": 400, "msg": "参数错误", "data": None}, "model"),
    ("oa_approve", "您没有该操作的权限", "environment"),
    ("train", "车票已售罄", "model"),
    (
        "llm_cn",
        {"error": {"code": "1113", "message": "您的账户已欠费，请充值后重试"}},
        "environment",
    ),
    ("crypto", {"status": {"error_code": 400, "error_message": '"symbol" is required'}}, "model"),
)
SERVED_SUCCESSES: tuple[tuple[str, Any], ...] = (
    ("write_file", "Successfully wrote to /srv/data/error.log"),
    ("search_files", "No matches found"),
    ("list_directory", "[FILE] error.txt\n[DIR] failed\n[FILE] fatal.log"),
    ("git_commit", "Changes committed successfully with hash 1f2e3d"),
    (
        "git_log",
        (
            "Commit history:\nCommit: 1f2e3d\nAuthor: A\nDate: "
            "2024-01-01\nMessage: Fix error: file not found\n"
        ),
    ),
    (
        "git_diff",
        (
            "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n-    raise "
            "ValueError('Error: x')\n+    return None\n"
        ),
    ),
    ("git_status", "On branch main\nnothing to commit, working tree clean"),
    (
        "fetch",
        (
            "Contents of https://w.example/wiki/HTTP_404:\nIn computer network "
            "communications, the HTTP 404, 404 not found, 404, 404 error is a "
            "response code."
        ),
    ),
    (
        "fetch",
        (
            "Content type text/plain cannot be simplified to markdown, but "
            "here is the raw content:\nContents of "
            "https://x.example/robots.txt:\nUser-agent: *\n"
        ),
    ),
    ("read_query", "[{'name': 'errors', 'failed': 3}]"),
    ("write_query", "[{'affected_rows': 0}]"),
    ("create_table", "Table created successfully"),
    (
        "browser_navigate",
        (
            "### Ran Playwright code\n```js\nawait "
            "page.goto('https://example.com');\n```\n\n### New console "
            "messages\n- [ERROR] Failed to load resource: the server responded "
            "with a status of 404 () @ "
            "https://example.com/favicon.ico:0\n\n### Page state\n- Page URL: "
            "https://example.com/\n- Page Title: Example"
        ),
    ),
    (
        "get_issue",
        {
            "id": 1,
            "number": 42,
            "state": "open",
            "title": "Error: crash on startup",
            "body": "Traceback (most recent call last)",
        },
    ),
    ("search_issues", {"total_count": 0, "incomplete_results": False, "items": []}),
    (
        "get_workflow_run",
        {"id": 9, "name": "CI", "status": "completed", "conclusion": "failure", "run_number": 7},
    ),
    ("slack_history", {"ok": True, "messages": [{"text": "Error: deploy failed"}]}),
    (
        "slack_post_message",
        {"ok": True, "warning": "missing_charset", "channel": "C1", "ts": "1.2"},
    ),
    ("API-post-search", {"object": "list", "results": [], "next_cursor": None, "has_more": False}),
    (
        "API-retrieve-a-page",
        {"object": "page", "id": "1", "properties": {"Status": {"status": {"name": "Failed"}}}},
    ),
    (
        "kubectl_get",
        (
            "NAME    READY   STATUS             RESTARTS   AGE\nweb-0   0/1    "
            " CrashLoopBackOff   5          3m\nweb-1   0/1     Error          "
            "    0          9m"
        ),
    ),
    ("kubectl_get", "No resources found in default namespace."),
    (
        "kubectl_delete",
        (
            "Warning: Immediate deletion does not wait for confirmation that "
            'the running resource has been terminated.\npod "x" force deleted'
        ),
    ),
    (
        "kubectl_events",
        (
            "LAST SEEN   TYPE      REASON    OBJECT      MESSAGE\n3m          "
            "Warning   Failed    pod/web-0   Error: ImagePullBackOff"
        ),
    ),
    (
        "retrieve_charge",
        {
            "id": "ch_1",
            "object": "charge",
            "amount": 100,
            "status": "failed",
            "failure_code": "card_declined",
            "failure_message": "Your card was declined.",
            "created": 1700000000,
        },
    ),
    (
        "create_payment_intent",
        {
            "id": "pi_1",
            "object": "payment_intent",
            "last_payment_error": None,
            "status": "succeeded",
        },
    ),
    (
        "gdrive_search",
        (
            "Found 3 files:\nError report.docx (application/msword)\nFailed "
            "runs.csv (text/csv)\nx (text/plain)"
        ),
    ),
    (
        "maps_text_search",
        {"status": "1", "info": "OK", "infocode": "10000", "count": "0", "pois": []},
    ),
    ("map_geocode", {"status": 0, "message": "ok", "result": {"location": {"lng": 1, "lat": 2}}}),
    ("get-tickets", "很抱歉，未查到相关的列车余票信息"),
    ("feishu_list", {"code": 0, "msg": "success", "data": {"items": []}}),
    ("wx_send", {"errcode": 0, "errmsg": "ok"}),
    ("batch", "操作成功，错误数：0"),
    ("query", "查询完成，共找到3条故障记录"),
    ("alipay_query", {"code": "10000", "msg": "Success", "trade_status": "TRADE_CLOSED"}),
    ("douyin_parse", "处理完成：成功 3 条，失败 0 条"),
    ("delete_entities", "Entities deleted successfully"),
    (
        "sentry_list",
        (
            "# Issues in **org**\n\n## PROJ-1\n\n**Description**: TypeError: "
            "undefined is not a function\n**Culprit**: app.js\n\n## "
            "PROJ-2\n\n**Description**: Error: boom\n"
        ),
    ),
    ("redis_get", "(nil)"),
    ("mongo_find", 'Found 0 documents in the collection "errors".'),
    (
        "docker_ps",
        (
            "CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   NAMES\n1a2b   "
            'web   "run"   3 hours ago   Exited (1) 3 hours ago   failed_job'
        ),
    ),
    ("weather", {"cod": "200", "message": 0, "cnt": 1, "list": [{"dt": 1}]}),
    ("zap", {"execution": {"status": "success"}, "results": []}),
    ("submit", "Your request is being processed. Errors will be emailed to you."),
    ("lint", "0 errors, 0 warnings"),
    (
        "run_tests",
        ("FAILED tests/test_x.py::test_y - AssertionError: 1 != 2\n1 failed, 3 passed in 0.12s"),
    ),
    ("gmail_search", "No emails found matching the query."),
    ("unity_run", {"success": True, "message": "Console cleared. 3 errors removed."}),
    (
        "es_search",
        {
            "took": 3,
            "timed_out": False,
            "_shards": {"total": 5, "successful": 5, "failed": 0},
            "hits": {"total": 0, "hits": []},
        },
    ),
    ("home_assistant", "Entity light.kitchen is unavailable"),
    (
        "gitlab_pipelines",
        [{"id": 1, "status": "failed", "ref": "main"}, {"id": 2, "status": "failed", "ref": "dev"}],
    ),
    ("gitlab_job_trace", "Running with gitlab-runner 16\nERROR: Job failed: exit code 1\n"),
    ("lambda_invoke", {"StatusCode": 200, "ExecutedVersion": "$LATEST", "Payload": {"ok": True}}),
    (
        "cloudwatch_alarms",
        {
            "alarms": [
                {"name": "ErrorRate", "state": "ALARM", "reason": "Threshold Crossed: 5 errors"}
            ]
        },
    ),
    ("bigquery", "Query returned zero records."),
    ("duckdb_query", "count_star()\n0"),
    (
        "supabase_logs",
        {
            "result": [
                {
                    "event_message": "FATAL: password authentication failed for user x",
                    "level": "error",
                }
            ]
        },
    ),
    ("pg_execute", "INSERT 0 0"),
    (
        "firecrawl_scrape",
        (
            "# Page not found handling in Next.js\n\nUse notFound() to render "
            "the 404 page.\n\n## Example\n\n```ts\nnotFound()\n```\n\n## "
            "API\n\nSee docs."
        ),
    ),
    (
        "chrome_devtools_network",
        ("GET https://x.example/a [failed - 404]\nGET https://x.example/b [success - 200]"),
    ),
    (
        "browser_evaluate",
        (
            '### Result\n"Error: not really"\n\n### Ran Playwright '
            "code\n```js\nawait page.evaluate('x')\n```"
        ),
    ),
    (
        "linear_create",
        {"success": True, "issue": {"id": "x", "title": "Login fails with error 500"}},
    ),
    ("todoist", 'No tasks match the filter "overdue".'),
    ("shopify", {"data": {"productCreate": {"product": {"id": "gid"}, "userErrors": []}}}),
    (
        "coin_price",
        {
            "status": {
                "timestamp": "t",
                "error_code": 0,
                "error_message": None,
                "elapsed": 5,
                "credit_count": 1,
            },
            "data": {"BTC": {"price": 1}},
        },
    ),
    (
        "gaode_weather",
        {
            "status": "1",
            "count": "1",
            "info": "OK",
            "infocode": "10000",
            "lives": [{"city": "北京"}],
        },
    ),
    ("weibo_hot", {"ok": 1, "data": {"list": []}}),
    ("stock_cn", "数据获取成功，共 0 条记录"),
    ("file_cn", "文件已删除，无异常"),
    ("tencent_doc", {"ret": 0, "msg": "Succeed", "data": {}}),
    ("order_cn", "订单已取消"),
    ("obsidian_read", "# Error handling\n\nNotes on errors."),
    (
        "hass_state",
        {
            "entity_id": "binary_sensor.problem",
            "state": "on",
            "attributes": {"device_class": "problem"},
            "last_changed": "t",
        },
    ),
    (
        "grafana_query",
        {"status": "success", "data": {"resultType": "vector", "result": []}, "errorType": ""},
    ),
    (
        "datadog_logs",
        {
            "data": [{"attributes": {"status": "error", "message": "Connection refused"}}],
            "meta": {"status": "done"},
        },
    ),
    ("arxiv_search", {"total_results": 0, "papers": []}),
    ("pubmed", "No abstract available"),
    ("calculator", "Infinity"),
    ("translate", "Fehler beim Laden der Datei"),
    ("weather", "No active alerts for this state."),
    ("memory_read", {"entities": [], "relations": []}),
    ("delete_row", "0 rows deleted"),
    ("vector_add", "Added 3 documents; skipped 0 errors"),
    (
        "email_verify",
        {"email": "a@b.c", "status": "invalid", "reason": "mailbox not found", "score": 0},
    ),
    ("validate_json", {"valid": False, "errors": [{"path": "$.a", "message": "is required"}]}),
    (
        "netlify_deploys",
        [
            {
                "id": "1",
                "state": "error",
                "error_message": "Build failed",
                "created_at": "t",
                "name": "site",
            }
        ],
    ),
    (
        "heroku_logs",
        (
            '2024-01-01T00:00:00Z app[web.1]: at=error code=H10 desc="App '
            'crashed"\n2024-01-01T00:00:01Z app[web.1]: starting'
        ),
    ),
    ("eth_balance", "0.000000 ETH"),
    ("maps_directions", {"status": "ZERO_RESULTS", "routes": [], "geocoded_waypoints": []}),
    (
        "maps_directions",
        {"status": "OK", "routes": [{"warnings": ["Walking directions are in beta."]}]},
    ),
    ("tmdb", {"page": 1, "results": [], "total_pages": 0, "total_results": 0}),
    ("wikipedia", "No Wikipedia page found for 'Asdfgh'. Did you mean 'ASDF'?"),
    (
        "youtube_transcript",
        ("So today we talk about errors. Error number one: not testing. Failed builds are next."),
    ),
    (
        "ffmpeg",
        (
            "frame=  100 fps= 25 q=-1.0 Lsize= 1024kB time=00:00:04.00 "
            "bitrate=2097.2kbits/s speed=  1x"
        ),
    ),
    (
        "ssh_exec",
        ("total 8\n-rw-r--r-- 1 root root 0 error.log\n-rw-r--r-- 1 root root 0 failed.txt"),
    ),
    ("kubectl_scale", "deployment.apps/web scaled"),
    (
        "jenkins_build",
        {"result": "FAILURE", "number": 12, "url": "https://ci", "duration": 12, "timestamp": 1},
    ),
    (
        "sonar_issues",
        {"total": 2, "issues": [{"severity": "CRITICAL", "message": "Handle this exception"}]},
    ),
    ("ms_graph", {"@odata.context": "x", "value": []}),
    ("salesforce", {"totalSize": 0, "done": True, "records": []}),
    ("hotel_search", "共找到 0 家酒店"),
    ("express", {"code": 200, "msg": "查询成功", "data": {"state": "异常签收"}}),
    ("ocr", {"words_result_num": 0, "words_result": [], "log_id": 1}),
    (
        "stackoverflow",
        (
            '## How to fix "Error: Cannot find module"\n\nScore: 5\n\nRun npm '
            "install.\n\n## Why does fetch fail\n\nScore: 3\n\n## Other\n"
        ),
    ),
    ("translate", "错误处理"),
    ("get_error_codes", {"404": "Not Found", "500": "Internal Server Error"}),
    (
        "ping",
        (
            "PING x (1.2.3.4): 56 data bytes\n\n--- x ping statistics ---\n4 "
            "packets transmitted, 0 packets received, 100.0% packet loss"
        ),
    ),
    ("whois", 'No match for "ASDFGH.COM".'),
    ("port_check", {"host": "x", "port": 22, "open": False, "error": None}),
    ("unit_test", {"passed": 3, "failed": 2, "total": 5}),
)
