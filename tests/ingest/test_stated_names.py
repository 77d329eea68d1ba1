"""What stands beside messages names the run, in every plain form, and in a store as in the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from assay.importing import ImportSettings, import_runs
from assay.ingest.reading import read_runs
from assay.ingest.stated_names import stated_attempt, stated_model, stated_task
from assay.store import Store
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"id": "c", "type": "function", "function": {"name": "t", "arguments": "{}"}}
PLAIN: dict[str, dict[str, Any]] = {
    "openai-chat": {
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c", "content": "ok"},
        ]
    },
    "anthropic-messages": {
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "t"}]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c", "content": "ok"}],
            },
        ]
    },
    "langchain": {
        "messages": [
            {"type": "human", "content": "q"},
            {"type": "ai", "content": "", "tool_calls": [{"name": "t", "args": {}, "id": "c"}]},
            {"type": "tool", "content": "ok", "tool_call_id": "c"},
        ]
    },
    "gemini-api": {
        "contents": [
            {"role": "user", "parts": [{"text": "q"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "t", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "t", "response": {}}}]},
        ]
    },
    "bedrock": {
        "messages": [
            {"role": "user", "content": [{"text": "q"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "t"}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": []}}]},
        ]
    },
    "openai-responses": {
        "input": [{"role": "user", "content": "q"}],
        "output": [{"type": "function_call", "call_id": "c", "name": "t", "arguments": "{}"}],
    },
}
BESIDE = {"task_id": "lamp", "attempt": 2, "model": "m-1"}

Names = tuple[str | None, int | None, str | None]


def names_in(path: Path, format_name: str) -> Names:
    """What the run of a file is named, by its file and by a store of it alike."""
    (run,) = read_runs(path)
    assert isinstance(run, AgentTestCase)
    assert run.source is not None
    assert run.source.format == format_name
    store = path.with_suffix(".assay")
    import_runs([str(path)], ImportSettings(str(store)))
    (kept,) = Store(store).cases()
    (row,) = Store(store).query("SELECT task_id, attempt, model FROM runs")
    assert (kept.task_id, kept.attempt, kept.model) == (run.task_id, run.attempt, run.model)
    assert row == {"task_id": run.task_id, "attempt": run.attempt, "model": run.model}
    return run.task_id, run.attempt, run.model


def written(folder: Path, value: Any) -> Path:
    path = folder / "run.json"
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize("name", PLAIN)
def test_what_stands_beside_messages_names_the_run(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, PLAIN[name] | BESIDE)
    assert names_in(path, name) == ("lamp", 2, "m-1")


@pytest.mark.parametrize("name", PLAIN)
def test_messages_alone_name_nothing(tmp_path: Path, name: str) -> None:
    assert names_in(written(tmp_path, PLAIN[name]), name) == (None, None, None)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize(("key", "value"), [("custom_id", "lamp"), ("instance_id", 7)])
def test_a_task_may_be_called_otherwise(
    tmp_path: Path, name: str, key: str, value: str | int
) -> None:
    assert names_in(written(tmp_path, PLAIN[name] | {key: value}), name)[0] == str(value)


def test_what_a_message_says_of_its_model_goes_before_what_stands_beside(tmp_path: Path) -> None:
    said = {"type": "ai", "content": "a", "response_metadata": {"model_name": "own"}}
    value = {**BESIDE, "messages": [{"type": "human", "content": "q"}, said]}
    assert names_in(written(tmp_path, value), "langchain") == ("lamp", 2, "own")


@pytest.mark.parametrize("odd", [None, "", [], {}, 1.5, True])
def test_what_is_no_name_names_nothing(odd: object) -> None:
    around = dict.fromkeys(BESIDE, odd)
    assert stated_task(around) is None
    assert stated_attempt(around) is None
    assert stated_model(around) is None


def test_the_row_of_a_data_set_names_who_wrote_it() -> None:
    assert stated_model({"generator": "m"}) is None
    assert stated_model({"generator": "m", "license": "mit"}) == "m"
    assert stated_model({"license": "mit"}, {"model": "of the response"}) == "of the response"
