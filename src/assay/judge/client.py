"""Asking a model of any provider, through Pydantic AI: the one place that knows a model SDK."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import msgspec

from assay.errors import InvalidJudge, JudgeUnavailable
from assay.extras import require
from assay.judge.exchange import Reply
from assay.judge.model_names import PROVIDERS
from assay.judge.refusals import MOST_TOKENS, misread, told, unavailable

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, AsyncIterator

    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

    from assay.judge.exchange import Question
    from assay.judge.model_names import ModelAddress

_EXTRA = "judge"
# How SDKs break on a reply of the wrong shape.
_MISREAD = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)
# No retries of the SDK's own: whoever limits the questions must see every attempt. These have it
# from their client, which would be copied for every request that says so itself.
_CLIENTS_WITH_RETRIES = frozenset({"openai", "anthropic"})


class SdkModel:
    """One model of one provider. Retries, limits and deadlines are for others to add."""

    def __init__(self, address: ModelAddress) -> None:
        """Take a model's address; a missing key or extra is an error here."""
        require("pydantic_ai", extra=_EXTRA)
        self._address = address
        self._style = PROVIDERS[address.provider].style
        self._forms: dict[bytes, dict[str, Any]] = {}
        profile = _model_at(address).profile
        self.takes_schema = bool(profile.get("supports_json_schema_output", False))

    async def reply(self, question: Question, *, plain: bool) -> Reply:
        """Ask once, `plain` without a schema; raises JudgeUnavailable."""
        ai = require("pydantic_ai", extra=_EXTRA)
        errors = import_module("pydantic_ai.exceptions")
        try:
            async with _line_to(self._address) as model:
                response = await model.request(
                    [ai.ModelRequest.user_text_prompt(question.prompt)],
                    *self._how(model, question, plain=plain),
                )
        except errors.ModelAPIError as exc:
            raise _unavailable(told(self._address, exc), exc) from exc
        except errors.UnexpectedModelBehavior as exc:
            filtered = isinstance(exc, errors.ContentFilterError)
            raise JudgeUnavailable(told(self._address, exc), retryable=not filtered) from exc
        except errors.UserError as exc:
            raise InvalidJudge(f"model: {told(self._address, exc)}") from exc
        except _MISREAD as exc:
            raise misread(self._address, exc) from exc
        return _as_reply(response)

    def _how(self, model: Model, question: Question, *, plain: bool) -> tuple[Any, Any]:
        """The settings and parameters of a request.

        Without a schema it is as bare as can be: some endpoints refuse a temperature too.
        """
        settings: dict[str, Any] = {"max_tokens": MOST_TOKENS}
        if self._style not in _CLIENTS_WITH_RETRIES:
            settings["max_retries"] = 0
        if question.seed is not None:
            settings["seed"] = question.seed + question.run
        elif not plain:
            settings["temperature"] = 0.0
        schema = b"null" if plain else msgspec.json.encode(question.schema)
        if plain or self._style != "openai":
            return settings, _parameters(schema)
        if schema not in self._forms:
            self._forms[schema] = _openai_form(model, schema)
        return settings | self._forms[schema], _parameters(b"null")


class _Line:
    """A model with connections of its own, and how many questions are under way on them."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.under_way = 0
        self.closing: AsyncGenerator[None, None] | None = None


# Connections belong to the loop they were opened in; judges of one model share them.
_LINES: dict[tuple[AbstractEventLoop, ModelAddress, str | None], list[_Line]] = {}
# An HTTP client looks at all its idle connections with every request: many clients with few of
# them each cost less than one with many.
_MOST_ON_A_LINE = 32


@asynccontextmanager
async def _line_to(address: ModelAddress) -> AsyncIterator[Model]:
    """A model at an address, in this loop; its connections are closed when the loop ends."""
    key = (asyncio.get_running_loop(), address, address.key())
    lines = _LINES.setdefault(key, [])
    line = next((line for line in lines if line.under_way < _MOST_ON_A_LINE), None)
    if line is None:
        line = _Line(_model_at(address))
        lines.append(line)
    line.under_way += 1
    try:
        if line.closing is None:
            line.closing = _at_the_end_of_the_loop(key, line.model)
            await anext(line.closing)
        yield line.model
    finally:
        line.under_way -= 1


async def _at_the_end_of_the_loop(key: Any, model: Model) -> AsyncGenerator[None, None]:
    """Closes the connections of a model when it is ended itself: loops end their generators."""
    try:
        yield
    finally:
        _LINES.pop(key, None)
        async with model:  # leaving it closes what it holds
            pass


def _parameters(schema: bytes) -> Any:
    """What is asked for: a reply of that JSON Schema, or with "null" any text."""
    made = import_module("pydantic_ai.models").ModelRequestParameters
    # Decoded anew each time: SDKs take schemas apart in place.
    wanted = msgspec.json.decode(schema)
    if wanted is None:
        return made()
    definition = import_module("pydantic_ai.output").OutputObjectDefinition
    return made(output_mode="native", output_object=definition(wanted, name="marks", strict=True))


def _openai_form(model: Model, schema: bytes) -> dict[str, Any]:
    """The schema as a setting that the SDK sends as it is.

    As a parameter it would be adapted to the model and checked word by word with every request.
    """
    wanted: Any = model.customize_request_parameters(_parameters(schema)).output_object
    form = {"name": wanted.name, "schema": wanted.json_schema, "strict": wanted.strict}
    return {"extra_body": {"response_format": {"type": "json_schema", "json_schema": form}}}


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
    return unavailable(
        problem,
        getattr(exc, "status_code", None),
        codes={
            getattr(exc, "provider_error_code", None),
            getattr(exc, "provider_error_type", None),
        },
        retry_after=getattr(exc, "retry_after", None),
    )


def _model_at(address: ModelAddress) -> Model:
    style = PROVIDERS[address.provider].style
    key = address.key()
    if style == "other":
        return _inferred(address)
    module, provider, model = _CLASSES[style]
    provider_class = getattr(require(f"pydantic_ai.providers.{module}", extra=_EXTRA), provider)
    model_class = getattr(require(f"pydantic_ai.models.{module}", extra=_EXTRA), model)
    found = model_class(
        address.model, provider=provider_class(base_url=address.base_url, api_key=key)
    )
    if style in _CLIENTS_WITH_RETRIES:
        found.client.max_retries = 0
    return cast("Model", found)


# OpenAI's chat protocol is what all compatible servers speak, and it takes a seed.
_CLASSES = {
    "openai": ("openai", "OpenAIProvider", "OpenAIChatModel"),
    "anthropic": ("anthropic", "AnthropicProvider", "AnthropicModel"),
    "google": ("google", "GoogleProvider", "GoogleModel"),
}


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
