"""Asking a model of any provider: Pydantic AI over httpx, the one place that knows a model SDK."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import msgspec

from assay.errors import InvalidJudge, JudgeUnavailable
from assay.extras import require
from assay.judge.model_names import NO_KEY, PROVIDERS
from assay.judge.questions import Reply

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, AsyncIterator

    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

    from assay.judge.model_names import ModelAddress
    from assay.judge.questions import Ask, Question

_EXTRA = "judge"
# Thinking counts as output: with less, a model that thinks is cut off before its first mark.
_MOST_TOKENS = 8_192
_LONGEST_PROBLEM = 500
# What an endpoint says to a request whose schema or settings it does not know.
_REFUSED = frozenset({400, 404, 415, 422, 501})
_TRANSIENT = frozenset({408, 409, 425, 429})
_SERVER_FAULT = 500
_NEVER_AGAIN = frozenset({"insufficient_quota", "billing_error", "context_length_exceeded"})
# How SDKs break on a reply of the wrong shape.
_MISREAD = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)
_CLASSES = {
    "openai": ("openai", "OpenAIProvider", "OpenAIChatModel"),
    "anthropic": ("anthropic", "AnthropicProvider", "AnthropicModel"),
    "google": ("google", "GoogleProvider", "GoogleModel"),
}
# No retries of the SDK's own: whoever limits the questions must see every attempt.
_CLIENTS_WITH_RETRIES = frozenset({"openai", "anthropic"})


def model_ask(address: ModelAddress) -> Ask:
    """The way to ask a model; a missing key or extra is an error here, before anything is asked."""
    return _AskedModel(address).ask


class _AskedModel:
    """One model, and whether it has refused a schema."""

    def __init__(self, address: ModelAddress) -> None:
        require("pydantic_ai", extra=_EXTRA)
        self._address = address
        profile = _model_at(address).profile
        self._takes_schema = bool(profile.get("supports_json_schema_output", False))

    async def ask(self, question: Question) -> Reply:
        """Ask with the reply's schema; without it where the model or its endpoint refuses one."""
        if question.schema is None or not self._takes_schema:
            return await self._reply(question, plain=True)
        try:
            return await self._reply(question, plain=False)
        except JudgeUnavailable as exc:
            if exc.status not in _REFUSED or exc.retryable:
                raise
            refusal = exc
        try:
            reply = await self._reply(question, plain=True)
        except JudgeUnavailable:
            raise refusal from None  # it was not the schema
        self._takes_schema = False
        return reply

    async def _reply(self, question: Question, *, plain: bool) -> Reply:
        ai = require("pydantic_ai", extra=_EXTRA)
        errors = import_module("pydantic_ai.exceptions")
        messages = [ai.ModelRequest.user_text_prompt(question.prompt)]
        try:
            async with _open_model(self._address) as model:
                settings = self._settings(question, plain=plain)
                response = await model.request(messages, settings, _parameters(question, plain))
        except errors.ModelAPIError as exc:
            raise _unavailable(self._message(exc), exc) from exc
        except errors.UnexpectedModelBehavior as exc:
            filtered = isinstance(exc, errors.ContentFilterError)
            raise JudgeUnavailable(self._message(exc), retryable=not filtered) from exc
        except errors.UserError as exc:
            raise InvalidJudge(f"model: {self._message(exc)}") from exc
        except _MISREAD as exc:
            problem = f"a reply in no known form: {type(exc).__name__}: {exc}"
            raise JudgeUnavailable(self._message(problem), retryable=True) from exc
        return _as_reply(response)

    def _settings(self, question: Question, *, plain: bool) -> Any:
        """As few as can be without a schema: some endpoints refuse a temperature too."""
        settings: dict[str, Any] = {"max_tokens": _MOST_TOKENS}
        if PROVIDERS[self._address.provider].style not in _CLIENTS_WITH_RETRIES:
            settings["max_retries"] = 0
        if question.seed is not None:
            settings["seed"] = question.seed + question.run
        elif not plain:
            settings["temperature"] = 0.0
        return settings

    def _message(self, problem: object) -> str:
        """What went wrong with which model, short and without its key: some echo it."""
        key, text = self._address.key(), str(problem)
        if key and key != NO_KEY:
            text = text.replace(key, "[key]")
        return f"{self._address.name}: {text}"[:_LONGEST_PROBLEM]


# Connections belong to the loop they were opened in; judges of one model share them.
_OPEN: dict[tuple[AbstractEventLoop, ModelAddress, str | None], _OpenModel] = {}


class _OpenModel:
    """A model with connections of its own, which are closed when the loop ends."""

    def __init__(self, address: ModelAddress) -> None:
        self.model = _model_at(address)
        self.closing: AsyncGenerator[None, None] | None = None


@asynccontextmanager
async def _open_model(address: ModelAddress) -> AsyncIterator[Model]:
    key = (asyncio.get_running_loop(), address, address.key())
    found = _OPEN.get(key)
    if found is None:
        found = _OPEN[key] = _OpenModel(address)
        found.closing = _at_the_end_of_the_loop(key, found.model)
        await anext(found.closing)
    yield found.model


async def _at_the_end_of_the_loop(key: Any, model: Model) -> AsyncGenerator[None, None]:
    """Closes the connections when it is ended itself: loops end their generators."""
    try:
        yield
    finally:
        _OPEN.pop(key, None)
        async with model:  # leaving it closes what it holds
            pass


def _parameters(question: Question, plain: bool) -> Any:  # noqa: FBT001 - one of two forms
    """What is asked for: a reply of the question's JSON Schema, or any text."""
    parameters = import_module("pydantic_ai.models").ModelRequestParameters
    if plain:
        return parameters()
    definition = import_module("pydantic_ai.output").OutputObjectDefinition
    # A copy: SDKs take schemas apart in place.
    schema = msgspec.json.decode(msgspec.json.encode(question.schema))
    wanted = definition(schema, name="marks", strict=True)
    return parameters(output_mode="native", output_object=wanted)


def _as_reply(response: ModelResponse) -> Reply:
    usage = response.usage
    known = bool(usage.input_tokens or usage.output_tokens)
    return Reply(
        response.text or "",
        response.model_name,
        usage.input_tokens if known else None,
        usage.output_tokens if known else None,
        finish_reason=response.finish_reason,
    )


def _unavailable(problem: str, exc: Any) -> JudgeUnavailable:
    """The error for a refusal; without a status there was nobody to refuse."""
    status = getattr(exc, "status_code", None)
    codes = {getattr(exc, f"provider_error_{name}", None) for name in ("code", "type")}
    transient = status is None or status in _TRANSIENT or status >= _SERVER_FAULT
    return JudgeUnavailable(
        problem,
        retryable=transient and _NEVER_AGAIN.isdisjoint(codes),
        retry_after=getattr(exc, "retry_after", None),
        status=status,
    )


def _model_at(address: ModelAddress) -> Model:
    style = PROVIDERS[address.provider].style
    key = address.key()
    if style == "other":
        return _inferred(address)
    module, provider, model = _CLASSES[style]
    provider_class = getattr(require(f"pydantic_ai.providers.{module}", extra=_EXTRA), provider)
    model_class = getattr(require(f"pydantic_ai.models.{module}", extra=_EXTRA), model)
    reached = provider_class(base_url=address.base_url, api_key=key)
    found = model_class(address.model, provider=reached)
    if style in _CLIENTS_WITH_RETRIES:
        found.client.max_retries = 0
    return cast("Model", found)


def _inferred(address: ModelAddress) -> Model:
    if address.base_url is not None:
        raise InvalidJudge(
            f"base_url: {address.provider} takes no address here; set it as its SDK has it, or "
            "leave the provider out for an OpenAI-compatible server"
        )
    errors = import_module("pydantic_ai.exceptions")
    try:
        found: Model = import_module("pydantic_ai.models").infer_model(
            f"{address.provider}:{address.model}"
        )
    except (errors.UserError, ImportError) as exc:
        raise InvalidJudge(f"model: cannot reach {address.name}. {exc}") from exc
    return found
