"""Asking a model by its address: with the reply's schema where it is taken, and without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from assay.errors import JudgeUnavailable
from assay.judge.chat_server import ChatServer, is_plain_server

if TYPE_CHECKING:
    from assay.judge.exchange import Ask, Question, Reply
    from assay.judge.model_names import ModelAddress

# What an endpoint says to a request whose schema or settings it does not know.
_REFUSED = frozenset({400, 404, 415, 422, 501})


class Model(Protocol):
    """A model that is asked once at a time."""

    takes_schema: bool

    async def reply(self, question: Question, *, plain: bool) -> Reply:
        """Ask once, `plain` without a schema; raises JudgeUnavailable."""


def model_ask(address: ModelAddress) -> Ask:
    """The way to ask a model; a missing key or extra is an error here, before anything is asked."""
    return ask_with_schema(_model(address))


def ask_with_schema(model: Model) -> Ask:
    """A model as an `Ask`: with the reply's schema until its endpoint shows that it knows none."""
    return _ModelAsk(model).ask


def _model(address: ModelAddress) -> Model:
    if is_plain_server(address):
        return ChatServer(address)
    from assay.judge.client import SdkModel  # noqa: PLC0415 - an extra, loaded when it is used

    return SdkModel(address)


class _ModelAsk:
    """One model, and whether it has refused a schema."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._takes_schema = model.takes_schema

    async def ask(self, question: Question) -> Reply:
        """Ask with the reply's schema; without it where the model or its endpoint refuses one."""
        if question.schema is None or not self._takes_schema:
            return await self._model.reply(question, plain=True)
        try:
            return await self._model.reply(question, plain=False)
        except JudgeUnavailable as exc:
            if exc.status not in _REFUSED or exc.retryable:
                raise
            refusal = exc
        try:
            reply = await self._model.reply(question, plain=True)
        except JudgeUnavailable:
            raise refusal from None  # it was not the schema
        self._takes_schema = False
        return reply
