"""The words that tools use for the same few things: roles, calls, results, states.

Tables only; what makes an object a message, a call or a result of them stands in `shapes`.
"""

from __future__ import annotations

ROLE_KEYS = (
    *("role", "from", "author", "sender", "speaker", "who", "source", "message_type"),
    *("messageType", "type", "part_kind", "kind", "info"),
)
ROLES = {
    **dict.fromkeys(("user", "human", "customer", "caller", "user-prompt", "user_input"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "agent", "bot", "gpt", "llm"), "assistant"),
    **dict.fromkeys(("response", "textmessage", "chatbot", "model_output"), "assistant"),
    **dict.fromkeys(("toolcallrequestevent", "toolcallsummary"), "assistant"),
    **dict.fromkeys(("final", "final_answer", "final_response"), "assistant"),
    **dict.fromkeys(("system", "developer", "system-prompt"), "system"),
    **dict.fromkeys(
        (
            *("tool", "function", "observation", "environment", "toolresult", "tool_result"),
            *("functionexecutionresult", "tool_return", "toolcallexecutionevent"),
            *("function-response", "function_response", "tool-response", "tool_response", "api"),
            *("tool_execution_result", "fn"),
        ),
        "tool",
    ),
}
# Only what a model said has these beside its words.
ENDING_KEYS = frozenset({"finish_reason", "stop_reason", "finishReason"})
# How a role is named where it is an object.
ROLE_NAME_KEYS = ("role", "value", "label")
CONTENT_KEYS = (
    *("content", "text", "value", "message", "parts", "body", "items", "contents", "blocks"),
    *("utterance", "msg", "said", "gave"),
)
NAME_KEYS = (
    *("name", "tool_name", "toolName", "tool", "function_name", "functionName", "function"),
    *("action", "api_name", "fn"),
)
ARGUMENT_KEYS = (
    *("arguments", "args", "parameters", "params", "input", "tool_input", "toolInput"),
    *("kwargs", "action_input", "input_parameters", "tool_kwargs", "param_dict"),
    *("toolArgs", "tool_arguments", "inputParams", "input_params", "inputParameters"),
    *("toolArguments", "tool_params", "tool_parameters"),
)
# Words of much else, which hold what was sent only where a tool is named as one.
LOOSE_ARGUMENT_KEYS = ("request", "in", "inputs", "tool_request", "with")
# The same where the result stands beside it: logs that have none count what is told elsewhere.
ANSWERED_ARGUMENT_KEYS = ("tool_args",)
TOOL_NAME_KEYS = ("tool_name", "toolName", "tool", "function_name", "functionName", "fn")
RESULT_KEYS = (
    *("result", "output", "response", "observation", "tool_output", "toolOutput", "tool_result"),
    *("toolResult", "tool_response", "toolResponse", "return_value", "tool_return", "returned"),
    *("return", "ret", "content", "errorText", "outputs", "out", "gave", "responseData"),
)
# Keys of much else, which hold a result only where it says which call it belongs to.
LOOSE_RESULT_KEYS = ("value", "data", "payload", "stdout")
# Objects in which a result names the call that it belongs to.
ORIGIN_KEYS = ("origin", "call", "additional_kwargs")
# Where a message keeps a call beside its content.
LONE_CALL_KEYS = (
    *("function_call", "functionCall", "tool_call", "toolCall", "toolInvocation"),
    *("tool_invocation", "api_call", "apiCall", "fn"),
)
# What such a call may name its tool by, which elsewhere names much else.
METHOD_KEY = "method"
CALL_ID_KEYS = (
    *("tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "call_id", "callId", "callID"),
    "tool_id",
)
# What is an id of a call only beside a result that is called so: others name a turn by it.
LOOSE_CALL_ID_KEYS = ("invocation_id", "invocationId")
OWN_ID_KEYS = (*CALL_ID_KEYS, "id", "uuid", *LOOSE_CALL_ID_KEYS)
STATUSES = {
    **dict.fromkeys(("success", "succeeded", "ok", "completed", "done", "output-available"), True),
    **dict.fromkeys(("error", "failed", "failure", "errored", "cancelled", "timeout"), False),
    **dict.fromkeys(("output-error", "output-denied", "error-text", "error-json"), False),
    **dict.fromkeys(("retry-prompt", "retried", "denied", "tool-error"), False),
}
# States of a call whose result is yet to come.
UNDER_WAY = ("in_progress", "inProgress", "pending", "running", "started")
EXIT_CODE_KEYS = ("exit_code", "exitCode", "returncode", "return_code")
# Where a call or a result names its state; what is none of the states says nothing.
STATUS_KEYS = ("status", "state", "outcome", "part_kind", "type")
ERROR_KEYS = ("error", "error_message", "errorMessage", "errorText", "exception", "err")
# Flags that only a call or a result has here, and whether a set flag means success.
FLAGS = (("ok", True), ("succeeded", True), ("is_success", True), ("failed", False))
# What was seen after the calls of a step, beside them.
OBSERVATION_KEYS = (
    *("observations", "observation", "next_observation", "tool_response", "tool_result"),
    *("tool_output", "toolResult", "toolOutput", "return"),
)
# Where a step keeps the one call that it made.
STEP_CALL_KEYS = ("action", "call")
# What kinds of events are called that bring a result.
KIND_KEYS = ("type", "kind", "event", "ev")
ANSWERING = ("result", "return", "response", "output", "end", "finish", "done", "complete")
# Where a call keeps those that were made inside it.
INNER_CALL_KEYS = (
    *(
        "children",
        "steps",
        "sub_calls",
        "subcalls",
        "sub_steps",
        "substeps",
        "nested",
        "nested_calls",
    ),
    *("inner_calls", "inner_tool_calls", "tool_calls", "calls"),
)
# Who speaks where a message is nothing but a call.
CALL_SPEAKERS = frozenset({"function_call", "tool_call", "function-call", "tool-call"})
CALL_METHOD = "tools/call"
# Stands between what the model said in one step and in the next.
NEXT_STEP = "\0next step"
SCHEMA_KEYS = ("input_schema", "inputSchema", "parameters", "json_schema")
