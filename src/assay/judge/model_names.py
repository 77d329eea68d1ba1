"""Which model a name stands for, where it is asked, and with which key."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from msgspec import Struct

from assay.errors import InvalidJudge, UnknownName

BASE_URL_VARIABLE = "ASSAY_JUDGE_BASE_URL"
KEY_VARIABLE = "ASSAY_JUDGE_API_KEY"
# Servers of one's own often want no key, but the protocol wants one to be sent.
NO_KEY = "no-key"


class Provider(Struct, frozen=True):
    """One provider: the variables with its keys and address, and how its models are asked.

    `style` names the protocol; "other" leaves it to Pydantic AI, keys included. `host` is where
    the provider itself is, so far as its SDK and not its `url` says so.
    """

    style: str
    keys: tuple[str, ...] = ()
    url_variable: str = ""
    url: str | None = None
    key_needed: bool = True
    host: str = ""


def _compatible(variable: str, url: str) -> Provider:
    """A provider that speaks OpenAI's protocol; one on this machine needs no key."""
    needed = url.startswith("https:")
    keys, url_variable = (f"{variable}_API_KEY",), f"{variable}_BASE_URL"
    return Provider("openai", keys, url_variable, url, key_needed=needed)


PROVIDERS = {
    "openai": Provider("openai", ("OPENAI_API_KEY",), "OPENAI_BASE_URL", host="api.openai.com"),
    "anthropic": Provider(
        "anthropic", ("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL", host="api.anthropic.com"
    ),
    "google": Provider(
        "google",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        "GOOGLE_GEMINI_BASE_URL",
        host="generativelanguage.googleapis.com",
    ),
    "ollama": _compatible("OLLAMA", "http://localhost:11434/v1"),
    "vllm": _compatible("VLLM", "http://localhost:8000/v1"),
    "llamacpp": _compatible("LLAMACPP", "http://localhost:8080/v1"),
    "openrouter": _compatible("OPENROUTER", "https://openrouter.ai/api/v1"),
    "deepseek": _compatible("DEEPSEEK", "https://api.deepseek.com/v1"),
    **{
        name: Provider("other")
        for name in ("azure", "bedrock", "cohere", "google-cloud", "groq", "mistral", "xai")
    },
}
_ALIASES = {
    "gemini": "google",
    "google-gla": "google",
    "llama.cpp": "llamacpp",
    "claude": "anthropic",
}


class ModelAddress(Struct, frozen=True):
    """A model and where it is asked; `base_url` is None for the provider's own address."""

    provider: str
    model: str
    base_url: str | None = None

    @property
    def name(self) -> str:
        """The name for the record: `provider:model`, and the address if it is not the usual."""
        at = f" at {_without_secrets(self.base_url or '')}" if self.is_elsewhere else ""
        return f"{self.provider}:{self.model}{at}"

    @property
    def is_elsewhere(self) -> bool:
        """Whether the model is asked at another address than its provider's usual one."""
        provider = PROVIDERS[self.provider]
        if self.base_url in {None, provider.url}:
            return False
        parts = urlsplit(self.base_url or "")
        return parts.scheme != "https" or parts.hostname != provider.host

    def key(self) -> str | None:
        """The key from the environment; one that is needed and missing is an error naming it.

        A provider's key is for the provider, and for the address that its own variable names. Any
        other address gets what ASSAY_JUDGE_API_KEY says.
        """
        provider = PROVIDERS[self.provider]
        if provider.style == "other":
            return None
        variables = () if self._is_custom else provider.keys
        if self.is_elsewhere:
            variables = (KEY_VARIABLE, *variables)
        found = next((value for name in variables if (value := os.environ.get(name))), None)
        if found is None and provider.key_needed and not self.is_elsewhere:
            raise InvalidJudge(
                f"model: {self.name} needs a key. Set the environment variable "
                f"{' or '.join(provider.keys)}, or name a server of your own by base_url or "
                f"{BASE_URL_VARIABLE}"
            )
        # Never nothing: an SDK would look for the provider's key itself.
        return found or NO_KEY

    @property
    def _is_custom(self) -> bool:
        """Whether neither the provider nor the provider's own variable names this address."""
        named = os.environ.get(PROVIDERS[self.provider].url_variable, "").rstrip("/")
        return self.is_elsewhere and self.base_url != named


def address_of(spec: str, base_url: str | None = None) -> ModelAddress:
    """Read `provider:model` or `provider/model`; with a base URL any other name is a model there.

    The base URL comes from the argument, from ASSAY_JUDGE_BASE_URL, or from the provider's own
    variable.
    """
    spec = spec.strip()
    provider, model = _split(spec)
    url = base_url or (os.environ.get(BASE_URL_VARIABLE) if provider in {None, "openai"} else None)
    if provider is None:
        if not url or not spec:
            raise _unknown(spec)
        provider, model = "openai", spec
    if not model:
        raise InvalidJudge(f"model: {spec!r} names no model. Write {provider}:MODEL")
    known = PROVIDERS[provider]
    found = url or os.environ.get(known.url_variable) or known.url
    return ModelAddress(provider, model, _checked(found) if found else None)


def _split(spec: str) -> tuple[str | None, str]:
    """Provider and model, at the first colon or slash; no provider if none is known before it."""
    at = min((i for i in (spec.find(":"), spec.find("/")) if i != -1), default=-1)
    head = spec[:at].strip().lower() if at != -1 else ""
    provider = _ALIASES.get(head, head)
    return (provider, spec[at + 1 :].strip()) if provider in PROVIDERS else (None, spec)


def _unknown(spec: str) -> Exception:
    head = spec.replace("/", ":").partition(":")[0]
    if head == spec:
        return InvalidJudge(
            f"model: {spec!r} does not say whose model it is. Write provider:model, such as "
            f"openai:{spec or 'MODEL'}, or name a server by base_url or {BASE_URL_VARIABLE}"
        )
    return UnknownName("model provider", head, PROVIDERS)


def _checked(url: str) -> str:
    if not _is_address(url):
        shown = url.rpartition("@")[2]  # before it stands a password
        raise InvalidJudge(f"base_url: expected http://HOST:PORT/… or https://…, got {shown!r}")
    return url.rstrip("/")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets or a port that are none
        return False


def _without_secrets(url: str) -> str:
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"
