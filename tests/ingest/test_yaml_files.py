"""YAML from anywhere: read as JSON, and nothing in it can take long or fill memory."""

from __future__ import annotations

import gzip
import json
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.ingest.documents import Unreadable
from assay.ingest.reading import read_runs
from assay.ingest.recording import FilePlace
from assay.ingest.yaml_files import SETTINGS, YamlPlace, begins_as_yaml
from assay.ingest.yaml_values import UnusableYaml, yaml_values
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

ALIASES = [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 8)}]" for i in range(1, 12)]
MERGES = [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 8)}]}}" for i in range(1, 12)]
CHAIN = [f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 3000)]
LONG = "x" * 1_000_000
BOMBS = {
    "lists": ["a0: &a0 [x]", *ALIASES],
    "merges": ["a0: &a0 {b: x}", *MERGES],
    "chain": ["a0: &a0 [x]", *CHAIN],
    "text": [f"a: &a {LONG}", f"b: [{', '.join(['*a'] * 1000)}]"],
}
# Settings as programs keep them, of which none is a run.
STRAY = {
    "two_manifests": "kind: Service\n---\nkind: Deployment",
    "own_tags": "Bucket: !Ref Name\nPort: !GetAtt [a, b]",
    "python_tags": "index: !!python/name:os.system\nnow: !!python/object/apply:os.getcwd []",
    "template": "name: {{ .Values.name }}\n{{- if .Values.on }}\nfoo: 1\n{{- end }}",
    "tabs": "a:\n\tb: 1",
    "empty": "",
    "comments": "# nothing yet\n",
    "word": "hello",
    "workflow": "on: [push]\njobs: {test: {steps: [{run: make}]}}",
    "odd_values": "a: !!int ''\nb: !!bool x\nc: !!timestamp x\nd: !!float ''\ne: 2001-13-45",
    "bytes": "a: !!binary '=='",
    "own_alias": "a: &a {<<: *a}",
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: -2.5\nc: ~\nd: true\ne:", {"a": 1, "b": -2.5, "c": None, "d": True, "e": None}),
        ("a: '1'\nb: !!str 2\nc: \"true\"", {"a": "1", "b": "2", "c": "true"}),
        ("a: 007\nb: 12:30:15\nc: 2026-01-02", {"a": "007", "b": "12:30:15", "c": "2026-01-02"}),
        ("a: 1.5e3\nb: .nan\nc: 1e999", {"a": 1500.0, "b": ".nan", "c": "1e999"}),
        ("200: ok\non: push", {"200": "ok", "on": "push"}),
        ("a: &a [1]\nb: *a", {"a": [1], "b": [1]}),
        ("&k a: 1\nb: *k", {"a": 1, "b": "a"}),
        ("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}", {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 3}}),
        ("<<: [{x: 1}, {x: 2, z: 3}]", {"x": 1, "z": 3}),
        ("<<: word", {"<<": "word"}),
        ("a: !!binary aGk=\nb: !binary |\n  aGk=", {"a": "hi", "b": "hi"}),
        ("a: !!binary /w==", {"a": {"base64": "/w=="}}),
        ("a: !Ref b\nc: !!set {d}", {"a": "b", "c": {"d": None}}),
        ("a: |\n  one\n  two\nb: >\n  one\n  two\n", {"a": "one\ntwo\n", "b": "one two\n"}),
    ],
)
def test_yaml_says_what_json_can(text: str, value: Any) -> None:
    assert yaml_values(text.encode()) == [value]


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=20,
)


@given(PLAIN.filter(lambda value: value is not None))
def test_what_was_dumped_is_read_again(value: Any) -> None:
    text = yaml.safe_dump(value, allow_unicode=True)
    assume(yaml.safe_load(text) == value)  # it breaks lines of its own at U+0085
    assert yaml_values(text.encode()) == [value]


def test_every_document_of_a_text_is_one() -> None:
    assert yaml_values(b"a: 1\n---\n---\n[b]\n...\n---\nc: 2") == [{"a": 1}, ["b"], {"c": 2}]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 5000, "nested too deeply"),
        ("a: &a [*a]", "its alias 'a' stands for nothing, or for itself"),
        ("a: 1\n---\n&b b: 2\n---\nc: *b", "its alias 'b'"),
        ("? [a, b]\n: c", "one of its keys is no text"),
        ("a: &a {b: c}\n*a : d", "one of its keys is no text"),
        ("a: !!binary x", "not base64"),
        ("a: [", "did not find expected node content"),
        ("a: \x01", "control characters are not allowed"),
    ],
)
def test_yaml_that_cannot_be_used_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "tape.yaml").write_text(text)
    (found,) = read_runs(tmp_path / "tape.yaml")
    assert isinstance(found, Unreadable)
    assert found.kind == "broken"
    assert problem in found.problem


@pytest.mark.parametrize("lines", BOMBS.values(), ids=BOMBS)
def test_aliases_do_not_fill_memory(lines: list[str]) -> None:
    with pytest.raises(UnusableYaml, match="its aliases stand for too much"):
        yaml_values("\n".join(lines).encode())


def test_aliases_that_nest_too_deeply_are_refused(tmp_path: Path) -> None:
    deeper = [f"a{i}: &a{i} {'[' * 200}*a{i - 1}{']' * 200}" for i in range(1, 100)]
    padded = ["# " + "x" * 4_000_000, "a0: &a0 [x]", *deeper]
    (tmp_path / "deep.yaml").write_text("\n".join(padded))
    with pytest.raises(OSError, match="nested too deeply"):
        YamlPlace(FilePlace(tmp_path / "deep.yaml")).open()


@pytest.mark.parametrize(
    "text", [b"a: 1" + b":1" * 200_000, b"a: " + b"9" * 200_000, b"a: 0x" + b"f" * 200_000]
)
def test_no_number_takes_long(text: bytes) -> None:
    start = process_time()
    assert yaml_values(text) == [{"a": text[3:].decode()}]
    assert process_time() - start < 5


def test_more_values_than_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.ingest.yaml_values._MOST_VALUES", 1_000)
    assert yaml_values(b"[" + b"1," * 999 + b"]") == [[1] * 999]
    with pytest.raises(UnusableYaml, match="more than 1,000 values; write it as JSON"):
        yaml_values(b"[" + b"1," * 1_000 + b"]")


@pytest.mark.parametrize("text", STRAY.values(), ids=STRAY)
def test_yaml_without_a_run_is_passed_over_in_a_folder(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.yaml").write_text(text)
    (found,) = read_runs(tmp_path)
    assert isinstance(found, Unreadable)
    assert found.kind == "passed_over"


@pytest.mark.parametrize("name", ["tape.yaml", "tape.YAML.gz"])
def test_a_broken_cassette_is_told_of_also_in_a_folder(tmp_path: Path, name: str) -> None:
    text = b"interactions:\n- request: {body: [\n"
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    (found,) = read_runs(tmp_path)
    assert isinstance(found, Unreadable)
    assert (found.kind, found.path) == ("broken", str(tmp_path / name))
    assert "not usable YAML" in found.problem


def test_several_documents_are_lines_of_json(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text("a: 1\n---\nb: [x]\n")
    with YamlPlace(FilePlace(tmp_path / "two.yaml")).open() as file:
        assert [json.loads(line) for line in file] == [{"a": 1}, {"b": ["x"]}]


@pytest.mark.parametrize("together", SETTINGS)
def test_settings_are_told_by_their_keys_and_not_read(tmp_path: Path, together: Any) -> None:
    bomb = "\n".join(BOMBS["lists"])
    text = "".join(f"{key}: a\n" for key in together) + bomb
    (tmp_path / "set.yaml").write_text(text)
    (found,) = read_runs(tmp_path)
    assert isinstance(found, Unreadable)
    assert (found.kind, "not usable" in found.problem) == ("passed_over", False)


def test_a_tape_that_speaks_of_settings_is_read(tmp_path: Path) -> None:
    sent = {"model": "m", "messages": [{"role": "user", "content": "apiVersion: 1\nkind: a"}]}
    came = {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]}
    exchange = {"request": {"body": json.dumps(sent)}, "response": {"body": json.dumps(came)}}
    tape = {"apiVersion": 1, "interactions": [exchange], "kind": "tape"}
    (tmp_path / "tape.yaml").write_text(yaml.safe_dump(tape))
    (run,) = read_runs(tmp_path)
    assert isinstance(run, AgentTestCase)
    assert run.actual_output == "Yes."


@pytest.mark.parametrize(
    "text", [b"---\na: 1", b"version: 1\ninteractions:\n- a", b"messages:\n- b"]
)
def test_yaml_without_a_name_is_known_by_its_beginning(text: bytes) -> None:
    assert begins_as_yaml(text)


@pytest.mark.parametrize("text", [b"", b"data: {}\n\n", b"INFO: messages: {}", b'0:"a"\n', b"[1]"])
def test_other_texts_without_a_name_are_no_yaml(text: bytes) -> None:
    assert not begins_as_yaml(text)
