"""Who enters: agents by name, each with the model it asks."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.agents.catalogue import adapter_named
from assay.agents.protocol import NO_KEY, Adapter, ModelEndpoint
from assay.agents.scripted import PREFIX, is_scripted
from assay.errors import InvalidSettings
from assay.json_values import without_surrogates
from assay.redaction import MASK, redact_text

if TYPE_CHECKING:
    from collections.abc import Sequence

BASE_URL_VARIABLE = "OPENAI_BASE_URL"
KEY_VARIABLE = "OPENAI_API_KEY"
SCRIPTED = f"{PREFIX}good"
# What lets one in, by the name it has in the query of an address.
_KEY = re.compile(
    r"([?&][\w.-]{0,40}(?:key|token|auth|appid|pass|password|pwd|pw|secret|sig|signature|code)=)"
    r"[^&#\s\"']{1,400}",
    re.IGNORECASE,
)


class Entrant(Struct, frozen=True):
    """An agent under the name it is shown by, which holds nothing that lets one in there."""

    label: str
    adapter: Adapter
    model: ModelEndpoint

    @property
    def sure_model(self) -> str | None:
        """The model it asks; None where it may ask another than the one it is given."""
        return None if self.adapter.may_ask_others else self.model.name

    @property
    def is_scripted(self) -> bool:
        """Whether a script plays its model: nothing it says is a model's."""
        return is_scripted(self.sure_model or "")

    @property
    def may_ask_script(self) -> bool:
        """Whether a script is the model that it can ask, or leave alone."""
        return self.adapter.may_ask_others and is_scripted(self.model.name)

    def is_named(self, label: str, model: str) -> bool:
        """Whether runs that are kept under these names are its own."""
        return label == self.label and self.sure_model in {None, model}


def entrants(
    names: Sequence[str], *, model: str | None, base_url: str | None, scripted_url: str
) -> list[Entrant]:
    """Read `adk`, or `adk=gpt-5-mini` for a model of its own; without one all ask the same.

    A model whose name begins with "scripted-" is asked at the bundled server, any other at
    `base_url` or OPENAI_BASE_URL.
    """
    found: list[Entrant] = []
    for name in names:
        agent, own = _taken_apart(name)
        chosen = own or model or SCRIPTED
        endpoint = _endpoint(chosen, base_url, scripted_url)
        # The name of a command may hold bytes that are no text.
        label = redact_text(_without_keys(without_surrogates(name)))
        found.append(Entrant(label, adapter_named(agent), endpoint))
    labels = [entrant.label for entrant in found]
    if len(set(labels)) < len(labels):
        raise InvalidSettings(f"agents: {', '.join(labels)}: each may enter once")
    if not found:
        raise InvalidSettings("agents: expected at least one, like adk,agent-framework")
    return found


def _without_keys(name: str) -> str:
    """The name without the values that let one in at an address, which may be short words."""
    return _KEY.sub(rf"\1{MASK}", name)


def _taken_apart(name: str) -> tuple[str, str]:
    """Agent and model; a command, or an address with a question, may hold the sign itself."""
    if name.startswith("command:") or "?" in name:
        return name, ""
    agent, _, own = name.partition("=")
    return agent, own


def _endpoint(model: str, base_url: str | None, scripted_url: str) -> ModelEndpoint:
    if is_scripted(model):
        return ModelEndpoint(scripted_url, model)
    address = base_url or os.environ.get(BASE_URL_VARIABLE)
    key = os.environ.get(KEY_VARIABLE, NO_KEY)
    if address is None and key == NO_KEY:
        raise InvalidSettings(
            f"the model {model!r} needs an endpoint: set {KEY_VARIABLE}, or name one with "
            f"--base-url or {BASE_URL_VARIABLE}"
        )
    return ModelEndpoint(address or "https://api.openai.com/v1", model, key)
