"""Which model a name stands for, where it is asked, and with which key."""

from __future__ import annotations

import pytest

from assay.errors import AssayError, InvalidJudge, UnknownName
from assay.judge.choosing import as_judge
from assay.judge.model_names import (
    BASE_URL_VARIABLE,
    KEY_VARIABLE,
    NO_KEY,
    PROVIDERS,
    ModelAddress,
    address_of,
)

LOCAL = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {BASE_URL_VARIABLE, KEY_VARIABLE}
    for provider in PROVIDERS.values():
        known |= {*provider.keys, provider.url_variable}
    for name in known - {""}:
        monkeypatch.delenv(name, raising=False)


NAMES = {
    "openai:gpt-4o": ModelAddress("openai", "gpt-4o"),
    "openai/gpt-4o": ModelAddress("openai", "gpt-4o"),
    " OpenAI:gpt-4o ": ModelAddress("openai", "gpt-4o"),
    "anthropic:claude-haiku-4-5": ModelAddress("anthropic", "claude-haiku-4-5"),
    "google/gemini-2.5-pro": ModelAddress("google", "gemini-2.5-pro"),
    "gemini:gemini-2.5-pro": ModelAddress("google", "gemini-2.5-pro"),
    "ollama:llama3.2:3b": ModelAddress("ollama", "llama3.2:3b", "http://localhost:11434/v1"),
    "ollama/llama3.2:3b": ModelAddress("ollama", "llama3.2:3b", "http://localhost:11434/v1"),
    "vllm:Qwen/Qwen3-8B": ModelAddress("vllm", "Qwen/Qwen3-8B", "http://localhost:8000/v1"),
    "llama.cpp:x": ModelAddress("llamacpp", "x", "http://localhost:8080/v1"),
    "openrouter/meta/llama": ModelAddress(
        "openrouter", "meta/llama", "https://openrouter.ai/api/v1"
    ),
    "groq:x": ModelAddress("groq", "x"),
}


@pytest.mark.parametrize("spec", NAMES)
def test_a_model_is_named_with_colon_or_slash(spec: str) -> None:
    assert address_of(spec) == NAMES[spec]


@pytest.mark.parametrize("spec", ["my-model", "Qwen/Qwen3-8B", "llama3.2:3b"])
def test_with_a_base_url_any_name_is_a_model_there(spec: str) -> None:
    address = address_of(spec, f"{LOCAL}/")
    assert address == ModelAddress("openai", spec, LOCAL)
    assert address.name == f"openai:{spec} at {LOCAL}"


@pytest.mark.parametrize(
    ("variables", "spec", "argument", "url"),
    [
        ({BASE_URL_VARIABLE: "http://a/v1"}, "openai:m", None, "http://a/v1"),
        ({BASE_URL_VARIABLE: "http://a/v1"}, "m", None, "http://a/v1"),
        ({BASE_URL_VARIABLE: "http://a/v1"}, "m", "http://b/v1", "http://b/v1"),
        ({BASE_URL_VARIABLE: "http://a/v1"}, "anthropic:m", None, None),
        ({"OPENAI_BASE_URL": "http://a/v1"}, "openai:m", None, "http://a/v1"),
        ({"OPENAI_BASE_URL": "http://a/v1"}, "openai:m", "http://b/v1", "http://b/v1"),
        ({"OLLAMA_BASE_URL": "http://a/v1"}, "ollama:m", None, "http://a/v1"),
        ({"OPENAI_BASE_URL": "http://a/v1"}, "google:m", None, None),
    ],
)
def test_where_a_model_is_asked(
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    spec: str,
    argument: str | None,
    url: str | None,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert address_of(spec, argument).base_url == url


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        ("gpt-4o", InvalidJudge, "Write provider:model, such as openai:gpt-4o, or name a server"),
        ("", InvalidJudge, "Write provider:model, such as openai:MODEL"),
        ("opnai:gpt-4o", UnknownName, "Did you mean 'openai'?"),
        ("openai:", InvalidJudge, "names no model. Write openai:MODEL"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused(
    spec: str, kind: type[AssayError], message: str
) -> None:
    with pytest.raises(kind) as raised:
        as_judge(spec)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        *("localhost:8080", "ftp://x", "http://", "file:///etc/passwd"),
        *("http://host:port/v1", "http://host:99999", "http://[::1/v1"),
    ],
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidJudge, match="base_url: expected http"):
        address_of("m", url)


def test_a_refusal_does_not_say_the_password() -> None:
    with pytest.raises(InvalidJudge, match="got 'host/v1'"):
        address_of("m", "me:secret@host/v1")


def test_no_password_of_an_address_gets_into_the_record() -> None:
    address = address_of("m", "https://me:secret@host:1/v1?key=secret")
    assert address.name == "openai:m at https://host:1/v1"


NEED_A_KEY = [name for name, provider in PROVIDERS.items() if provider.keys and provider.key_needed]


@pytest.mark.parametrize("name", NEED_A_KEY)
def test_a_missing_key_is_an_error_that_names_the_variable(name: str) -> None:
    with pytest.raises(InvalidJudge) as raised:
        as_judge(f"{name}:m")
    assert f"model: {name}:m needs a key. Set the environment variable" in str(raised.value)
    assert " or ".join(PROVIDERS[name].keys) in str(raised.value)


@pytest.mark.parametrize("name", [n for n, p in PROVIDERS.items() if p.keys])
def test_the_key_comes_from_the_providers_variable(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for variable in PROVIDERS[name].keys:
        monkeypatch.setenv(variable, f"key of {variable}")
    assert address_of(f"{name}:m").key() == f"key of {PROVIDERS[name].keys[0]}"


def test_a_server_of_ones_own_needs_no_key_but_may_have_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert address_of("m", LOCAL).key() == NO_KEY
    assert address_of("ollama:m").key() == NO_KEY
    monkeypatch.setenv("OPENAI_API_KEY", "general")
    monkeypatch.setenv(KEY_VARIABLE, "own")
    assert address_of("m", LOCAL).key() == "own"
    assert address_of("openai:m").key() == "general"


@pytest.mark.parametrize("name", [n for n, p in PROVIDERS.items() if p.keys])
def test_a_providers_key_is_not_sent_to_strangers(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for variable in PROVIDERS[name].keys:
        monkeypatch.setenv(variable, "secret")
    assert address_of(f"{name}:m", "https://stranger.example/v1").key() == NO_KEY
    monkeypatch.setenv(BASE_URL_VARIABLE, "https://stranger.example/v1")
    assert address_of("openai:m").key() == NO_KEY


@pytest.mark.parametrize("name", [n for n, p in PROVIDERS.items() if p.keys])
def test_the_address_of_a_providers_variable_gets_the_providers_key(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    provider = PROVIDERS[name]
    monkeypatch.setenv(provider.keys[0], "paired")
    monkeypatch.setenv(provider.url_variable, "https://gateway.example/v1/")
    assert address_of(f"{name}:m").key() == "paired"
    assert address_of(f"{name}:m", "https://gateway.example/v1").key() == "paired"


OWN_ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
    "openrouter": "https://openrouter.ai/api/v1",
    "deepseek": "https://api.deepseek.com/v1",
}


@pytest.mark.parametrize("name", OWN_ADDRESSES)
def test_a_providers_own_address_may_be_spelt_out(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(PROVIDERS[name].keys[0], "general")
    monkeypatch.setenv(KEY_VARIABLE, "own")
    address = address_of(f"{name}:m", OWN_ADDRESSES[name])
    assert (address.key(), address.name) == ("general", f"{name}:m")
    unsafe = address_of(f"{name}:m", OWN_ADDRESSES[name].replace("https", "http"))
    assert unsafe.key() == "own"
