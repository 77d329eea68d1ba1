"""What tokens cost: your own price file first, then the public table that comes with the models.

A model that neither knows has no price. That is None, never 0.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import InvalidJudge

VARIABLE = "ASSAY_PRICES"
_PUBLIC = "genai-prices"
_MILLION = 1_000_000
# A model is named with its address where that is not its provider's own.
_ELSEWHERE = " at "
# Our word for a provider to the public table's, where they differ.
_PROVIDERS = {"google-gla": "google", "google-vertex": "google", "gemini": "google"}


class Price(Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars for a million tokens."""

    input: float
    output: float


class PriceFile(Struct, frozen=True, forbid_unknown_fields=True):
    """Prices as a user writes them down: when they were true, and for which models."""

    as_of: str
    models: dict[str, Price]


class Prices:
    """Looks up what a reply cost; `source` says whose prices those are, and of when."""

    def __init__(self, own: PriceFile | None = None) -> None:
        """Take prices of the user's own, which win over the public ones."""
        self._own = own

    @classmethod
    def from_environment(cls) -> Prices:
        """The prices of the file that ASSAY_PRICES names, or the public ones alone."""
        named = os.environ.get(VARIABLE)
        return cls(read_price_file(Path(named)) if named else None)

    @property
    def source(self) -> str:
        """Where prices come from, in the order in which they are looked up."""
        own = f"own prices of {self._own.as_of}" if self._own else None
        public = f"{_PUBLIC} {version(_PUBLIC)}" if _public_table() else None
        return ", then ".join(filter(None, (own, public))) or "no prices"

    def cost(self, model: str, input_tokens: int | None, output_tokens: int | None) -> float | None:
        """US dollars for so many tokens of `provider:model`; None if either is unknown."""
        if input_tokens is None or output_tokens is None:
            return None
        name, elsewhere, _ = model.partition(_ELSEWHERE)
        provider, _, bare = name.partition(":")
        known = self._own.models if self._own else {}
        own = next((known[spelled] for spelled in (model, name, bare) if spelled in known), None)
        if own is not None:
            return (own.input * input_tokens + own.output * output_tokens) / _MILLION
        # A local model is not what it is named after; without a provider the table guesses one.
        table = None if elsewhere or not bare else _public_table()
        if table is None:
            return None
        usage = table.Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        try:
            provider = _PROVIDERS.get(provider, provider)
            return float(table.calc_price(usage, bare, provider_id=provider).total_price)
        except (LookupError, ValueError):
            return None

    def knows(self, model: str) -> bool:
        """Whether this model has a price."""
        return self.cost(model, 1, 1) is not None


def read_price_file(path: Path) -> PriceFile:
    """Read prices; InvalidJudge says what is wrong with the file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=PriceFile)
    except OSError as exc:
        raise InvalidJudge(f"prices: {path} cannot be read: {exc.strerror}") from exc
    except msgspec.DecodeError as exc:
        raise InvalidJudge(
            f'prices: {path}: {exc}. Expected {{"as_of": "2026-01-31", "models": '
            '{"openai:gpt-5-mini": {"input": 0.25, "output": 2.0}}}, in dollars a million tokens'
        ) from exc


@cache
def _public_table() -> Any:
    """The table, loaded when the first price is asked for; None where it is not installed."""
    try:
        version(_PUBLIC)
        return import_module("genai_prices")
    except (ImportError, PackageNotFoundError):
        return None
