"""What the keys of a result are about: flags, errors, codes, messages, payload, circumstances."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

LONGEST_MESSAGE = 1_000
# Larger numbers are no codes, and Python refuses to print the largest.
LARGEST_CODE = 10**12
_DEEPEST = 20
_DEEPEST_MESSAGE = 5
_MANY = 200

# What a key is about, by its name in snake_case. Programs name their keys in their authors' tongue.
ROLES: dict[str, frozenset[str]] = {
    "bad_flag": frozenset(
        {"is_error", "iserror", "has_error", "has_errors", "is_failure", "is_failed", "failed"}
        | {"timed_out", "timedout", "error_occurred", "errored"}
    ),
    "good_flag": frozenset(
        {"success", "ok", "succeeded", "successful", "successfull", "is_success", "issuccess"}
        | {"is_successful", "is_ok", "sucesso", "éxito", "exito", "erfolg", "succès", "succes"}
        | {"успех", "成功"}
    ),
    "error": frozenset(
        {"error", "err", "error_message", "error_msg", "errmsg", "err_msg", "error_description"}
        | {"exception", "exception_message", "fault", "faultstring", "failure", "failure_reason"}
        | {"error_detail", "error_details", "error_info", "error_text", "错误", "错误信息"}
        | {"failure_description"}
        | {"erro", "mensagem_erro", "mensaje_error", "fehler", "fehlermeldung", "erreur", "errore"}
        | {"message_erreur", "ошибка", "エラー", "エラーメッセージ", "오류"}
    ),
    "errors": frozenset(
        {"errors", "error_messages", "user_errors", "validation_errors", "field_errors"}
        | {"form_errors", "non_field_errors"}
    ),
    "error_code": frozenset({"error_code", "errorcode", "errcode", "err_code", "errno"}),
    "status": frozenset(
        {"status", "result_status", "response_status", "status_text", "stat", "response"}
        | {"call_status", "execution_status", "tool_status", "状态"}
    ),
    "outcome": frozenset({"outcome"}),
    "http": frozenset(
        {"status_code", "statuscode", "http_status", "http_status_code", "http_code", "cod"}
        | {"response_code", "httpstatus"}
    ),
    "code": frozenset(
        {"code", "ret", "retcode", "ret_code", "result_code", "sub_code", "infocode"}
    ),
    "exit": frozenset(
        {"exit_code", "exitcode", "returncode", "return_code", "exit_status", "exitstatus"}
        | {"codigo_saida", "codigo_salida", "code_retour", "code_sortie"}
    ),
    "message": frozenset(
        {"message", "msg", "detail", "details", "reason", "description", "title", "消息", "info"}
        | {"status_message", "error_summary", "cause", "sub_msg", "sub_message"}
        | {"mensagem", "mensaje", "nachricht", "messaggio", "сообщение", "メッセージ", "메시지"}
        | {"motivo", "grund", "raison", "причина", "理由", "原因"}
    ),
    "payload": frozenset(
        {"data", "result", "results", "output", "body", "content", "items", "rows", "records"}
        | {"payload", "value", "values", "hits", "matches", "documents", "structured_content"}
        | {"responses", "outputs", "response", "response_body", "tool_result", "stdout"}
    ),
    "deed": frozenset(
        {"started", "sent", "created", "deleted", "removed", "updated", "saved", "written"}
        | {"added", "applied", "uploaded", "installed", "booked", "published", "submitted"}
        | {"stored", "posted", "performed", "executed", "moved", "scheduled", "cancelled"}
        | {"inserted", "registered", "reserved", "ordered", "charged", "transferred"}
        | {"enviado", "enviada", "criado", "criada", "creado", "creada", "guardado", "salvo"}
        | {
            "eliminado",
            "removido",
            "atualizado",
            "actualizado",
            "gesendet",
            "gespeichert",
            "envoyé",
        }
    ),
    "good_count": frozenset({"succeeded", "success", "successful", "success_count", "ok_count"}),
    "bad_count": frozenset({"failed", "failures", "failure_count", "failed_count", "error_count"}),
}
# Keys of a thing that was looked up. A moment weighs more than a name, which may be an echo.
_IDENTITIES = frozenset({"id", "name", "title", "owner", "author", "number", "uuid", "slug"})
_MOMENTS = frozenset(
    {"created_at", "updated_at", "started_at", "finished_at", "ended_at", "completed_at"}
    | {"created", "updated", "start_time", "end_time", "date", "due_date"}
)
_RECORD_WEIGHT = 3
# Keys that say nothing of the thing asked for: circumstances and echoes of the question.
_CIRCUMSTANCE = frozenset(
    {"timestamp", "time", "path", "documentation_url", "docs", "help", "help_url", "more_info"}
    | {"type", "kind", "version", "api_version", "object", "param", "instance", "jsonrpc", "id"}
    | {
        "request_id",
        "trace_id",
        "correlation_id",
        "host_id",
        "debug_id",
        "log_id",
        "ttl",
        "category",
        "duration",
        "duration_ms",
        "elapsed",
        "took",
    }
    | {"latency_ms", "retry_after", "suggestion", "suggestions", "hint", "hints", "tool"}
    | {"model_state", "remedy", "resolution", "next_steps", "how_to_fix", "retry_after_ms"}
    | {"retry_after_seconds", "elapsed_ms", "elapsed_seconds", "duration_seconds", "attempts"}
    | {"timeout", "timeout_ms", "timeout_seconds", "blocked", "denied", "refused"}
    | {"$id", "type_key", "type_name", "event_id", "inner_exception", "exception_type"}
    | {"transaction_id", "session_id", "operation_id", "activity_id", "invocation_id"}
    | {"error_type", "documentation", "doc_url", "terms_of_use", "support_id"}
    | {"login_url", "auth_url", "authorization_url", "upgrade_url", "docs_url", "support_url"}
    | {"tool_name", "query", "input", "args", "arguments", "parameters", "params", "metadata"}
    | {
        "meta",
        "__type",
        "__typename",
        "method",
        "url",
        "host",
        "service",
        "server",
        "stack",
        "trace",
        "name",
    }
    | {"traceback", "stderr", "domain", "location", "available_tools", "retryable", "retriable"}
)
# Where the words stand, whatever else there is to explain them.
_PLAIN_MESSAGES = ("message", "msg")
_FLAGS = {"bad_flag", "good_flag"}
# As OData and XML made into JSON write it: `odata.error`, `soap:Fault`.
_QUALIFIED_ERROR = re.compile(r"[.:](errors?|faults?)\Z")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Body:
    """A dict, its values sorted by what their keys are about."""

    __slots__ = ("_by_role", "value")

    def __init__(self, value: dict[Any, Any]) -> None:
        """Sort the values; a key may play more than one role."""
        self.value = value
        self._by_role: dict[str, list[Any]] = {}
        for key, item in value.items():
            for role in _roles_of(key) if isinstance(key, str) else ():
                self._by_role.setdefault(role, []).append(item)

    def all(self, *roles: str) -> list[Any]:
        """The values that play any of these roles."""
        return [item for role in roles for item in self._by_role.get(role, ())]

    @property
    def telling(self) -> bool:
        """Whether any key could speak of success or failure."""
        return bool(self._by_role)

    @property
    def is_record(self) -> bool:
        """Whether this describes a thing that was looked up, with an identity of its own."""
        names = {snake(key) for key in self.value if isinstance(key, str)}
        weight = len(names & _IDENTITIES) + 2 * len(names & _MOMENTS)
        return weight >= _RECORD_WEIGHT

    @property
    def has_payload(self) -> bool:
        """Whether an answer came along."""
        return any(is_full(item) for item in self.all("payload"))

    @property
    def only_circumstance(self) -> bool:
        """Whether nothing but words about the call is here, no answer to the question."""
        return all(not is_full(item) or _is_circumstance(key) for key, item in self.value.items())

    @property
    def only_echoes(self) -> bool:
        """Whether nothing but words about the call and the ids it asked for is here."""
        return all(
            not is_full(item) or _is_circumstance(key) or str(key).lower().endswith("id")
            for key, item in self.value.items()
        )

    @property
    def only_payload(self) -> bool:
        """Whether the payload is all there is, circumstances aside."""
        return all(
            not is_full(item) or _is_circumstance(key) or "payload" in _roles_of(key)
            for key, item in self.value.items()
        )

    def message(self) -> str | None:
        """The words in which the body tells of its failure."""
        plain = [self.value.get(key) for key in _PLAIN_MESSAGES] if not self.all("error") else []
        found = (message_in(item) for item in (*plain, *self.all("error", "errors", "message")))
        return next((text for text in found if text), None)


def is_named(item: dict[Any, Any]) -> bool:
    """Whether a dict has an id and a name of its own, as a thing has that was found."""
    return len(_IDENTITIES & {snake(key) for key in item if isinstance(key, str)}) > 1


def odd_rows(items: list[Any]) -> list[dict[Any, Any]]:
    """Those dicts of a list that are no mere rows: they hold no answer, or a flag beside it."""
    odd: list[dict[Any, Any]] = []
    keys: tuple[Any, ...] = ()
    answers: tuple[Any, ...] = ()
    for item in items:
        if not isinstance(item, dict):
            continue
        if (own := tuple(item)) != keys:  # rows mostly have the keys of the one before
            # Those of large ones are not worth remembering.
            look_up = _answer_keys if len(own) <= _MANY else _answer_keys.__wrapped__
            keys, answers = own, look_up(own) or ()
        for key in answers:
            value = item[key]
            # Most are, and rows are many: only what is left is worth a closer look.
            if (value and not isinstance(value, dict)) or is_full(value):
                break
        else:
            odd.append(item)
    return odd


@lru_cache(maxsize=1_024)
def _answer_keys(keys: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Those keys that are no circumstance; None if one of them is a flag.

    The rows of a list mostly have the same keys, so that this is looked up once for all.
    """
    if any(_FLAGS & set(_roles_of(key)) for key in keys if isinstance(key, str)):
        return None
    return tuple(key for key in keys if not _is_circumstance(key))


def is_full(item: Any, depth: int = 0) -> bool:
    """Whether a value holds anything: null, "", [] and a dict of nothing but such do not."""
    if isinstance(item, dict) and depth < _DEEPEST:
        return any(is_full(inner, depth + 1) for inner in list(item.values())[:_MANY])
    if isinstance(item, str | list):
        return len(item) > 0
    return item is not None and item is not False


def message_in(item: Any, depth: int = 0) -> str | None:
    """The words inside an error value, however it is nested."""
    if isinstance(item, str):
        return item.strip()[:LONGEST_MESSAGE] or None
    if depth >= _DEEPEST_MESSAGE or not item or isinstance(item, bool):
        return None
    if isinstance(item, list):
        return message_in(item[0], depth + 1)
    if isinstance(item, dict):
        body = Body(item)
        names = [item.get(key) for key in ("code", "Code", "type", "name", "value")]
        for inner in (*body.all("message", "error"), *names):
            if text := message_in(inner, depth + 1):
                return text
        return None
    return str(item) if isinstance(item, int) and abs(item) < LARGEST_CODE else None


@lru_cache(maxsize=8_192)
def snake(key: str) -> str:
    """The name of a key, however its author writes it: `FailureCode` is `failure_code`."""
    name = _CAMEL.sub("_", key[:80]).replace("-", "_").replace(" ", "_").lower()
    found = _QUALIFIED_ERROR.search(name)
    return found[1] if found else name


@lru_cache(maxsize=8_192)
def _roles_of(key: str) -> tuple[str, ...]:
    name = snake(key)
    return tuple(role for role, names in ROLES.items() if name in names)


@lru_cache(maxsize=8_192)
def _is_circumstance(key: Any) -> bool:
    if not isinstance(key, str):
        return False
    return snake(key) in _CIRCUMSTANCE or bool(set(_roles_of(key)) - {"payload"})
