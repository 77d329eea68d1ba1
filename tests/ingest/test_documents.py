"""Bytes to JSON documents: whole files, lines, broken lists, and what cannot be read."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InvalidRecord
from assay.ingest import documents
from assay.ingest.documents import Document, Unreadable, decode_json, documents_in
from assay.ingest.list_items import ItemScanner


def read(text: bytes, name: str = "runs.json") -> list[Document | Unreadable]:
    return list(documents_in(io.BytesIO(text), name, mend=False))


def seen(text: bytes, name: str = "runs.json") -> list[tuple[int | None, Any]]:
    """Position and value; the word BAD for what was not read."""
    return [
        (item.position, item.value if isinstance(item, Document) else "BAD")
        for item in read(text, name)
    ]


def problems(text: bytes, name: str = "runs.json") -> list[str]:
    return [str(item) for item in read(text, name) if isinstance(item, Unreadable)]


# name of the file, its bytes, what is read
LAYOUTS = {
    "one compact object": ("a.json", b'{"a": 1}', [(None, {"a": 1})]),
    "one object laid out for people": ("a.json", b'{\n  "a": 1\n}\n', [(None, {"a": 1})]),
    "a list": ("a.json", b"[1, 2]", [(None, [1, 2])]),
    "a number": ("a.json", b"7\n", [(None, 7)]),
    "lines by name": ("a.jsonl", b"1\n2\n", [(1, 1), (2, 2)]),
    "lines by another name": ("a.ndjson", b"1\n2", [(1, 1), (2, 2)]),
    "lines by nature": ("a.json", b'{"a": 1}\n{"a": 2}\n', [(1, {"a": 1}), (2, {"a": 2})]),
    "lines from a pipe": ("<stdin>", b'{"a": 1}\n{"a": 2}', [(1, {"a": 1}), (2, {"a": 2})]),
    "CRLF lines": ("a.jsonl", b"1\r\n2\r\n", [(1, 1), (2, 2)]),
    "a byte order mark": ("a.jsonl", b"\xef\xbb\xbf1\n2\n", [(1, 1), (2, 2)]),
    "files with marks put together": ("a.jsonl", b"1\n\xef\xbb\xbf2\n", [(1, 1), (2, 2)]),
    "empty lines between": ("a.jsonl", b"1\n\n  \n2\n", [(1, 1), (4, 2)]),
    "empty lines before": ("a.jsonl", b"\n\n1\n2\n", [(3, 1), (4, 2)]),
    "a document in spite of its name": ("a.jsonl", b'[\n{"a": 1},\n2\n]', [(None, [{"a": 1}, 2])]),
    "a line separator in text": ("a.jsonl", '"\u2028"\n2'.encode(), [(1, "\u2028"), (2, 2)]),
    "a broken line": ("a.jsonl", b"1\n{\n3\n", [(1, 1), (2, "BAD"), (3, 3)]),
    "a broken first line": ("a.jsonl", b"{,\n2\n", [(1, "BAD"), (2, 2)]),
    "a broken first line by nature": ("a.json", b'oops\n{"a": 2}\n', [(1, "BAD"), (2, {"a": 2})]),
    "empty lines, then a broken one": (
        "-",
        b'\n{"a": oops}\n{"a": 2}\n',
        [(2, "BAD"), (3, {"a": 2})],
    ),
    "a broken document laid out for people": ("a.json", b'{\n  "a": {}\n', [(None, "BAD")]),
    "nothing": ("a.json", b"", [(None, "BAD")]),
    "only white space": ("a.jsonl", b" \n\t\n\n", [(None, "BAD")]),
    "only a byte order mark": ("a.jsonl", b"\xef\xbb\xbf", [(None, "BAD")]),
    "UTF-16": ("a.jsonl", '{"a": 1}\n{"a": 2}\n'.encode("utf-16"), [(None, "BAD")]),
    "gzip": ("a.jsonl", b"\x1f\x8b\x08\x00\n\n", [(None, "BAD")]),
    "Parquet": ("a.parquet", b"PAR1\x15\x04\n\n", [(None, "BAD")]),
    "SQLite": ("a.db", b"SQLite format 3\x00\n\n", [(None, "BAD")]),
    "zip": ("a.json", b"PK\x03\x04\n\n", [(None, "BAD")]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(layout: str) -> None:
    name, text, expected = LAYOUTS[layout]
    assert seen(text, name) == expected


# A list that is broken somewhere: what is saved, and what is said of the rest.
BROKEN_LISTS = {
    b"[1, NaN, 3]": [(1, 1), (2, "BAD"), (3, 3)],
    b'[1, {"a": "\\ud800"}, 3]': [(1, 1), (2, "BAD"), (3, 3)],
    b'[1, "\xff", 3]': [(1, 1), (2, "BAD"), (3, 3)],
    b'[1, {"a": 1,}, 3]': [(1, 1), (2, "BAD"), (3, 3)],
    b"[1, {'a': [2, 3]}, 3]": [(1, 1), (2, "BAD"), (3, 3)],
    b"[1, 2 // two\n, 3]": [(1, 1), (2, "BAD"), (3, 3)],
    b'[1, {"a" 2}, "],[,\\"]"]': [(1, 1), (2, "BAD"), (3, '],[,"]')],
    b"[1, " + b"[" * 50_000 + b"]" * 50_000 + b", 3]": [(1, 1), (2, "BAD"), (3, 3)],
    b"[1,, 3]": [(1, 1), (2, "BAD"), (3, 3)],
    b"[1, 2,]": [(1, 1), (2, 2), (3, "BAD")],
    b"[1, 2": [(1, 1), (2, 2), (2, "BAD")],
    b'[1, {"a": "cut he': [(1, 1), (2, "BAD")],
    b"[1, 2, ": [(1, 1), (2, 2), (3, "BAD")],
    b"[1, 2] and more": [(1, 1), (2, 2), (3, "BAD")],
    b"[] and more": [(2, "BAD")],
    b'[1, {"a": "open}, {"b": 1}, 4]': [(1, 1), (2, "BAD")],
}


@pytest.mark.parametrize("text", BROKEN_LISTS, ids=lambda text: repr(text[:24]))
def test_a_broken_list_gives_what_it_can(text: bytes) -> None:
    assert seen(text) == BROKEN_LISTS[text]


def test_a_list_that_breaks_off_says_so() -> None:
    assert problems(b"[1, 2") == ["runs.json:2: the list breaks off after this item"]
    assert problems(b'[1, {"a": 2')[0].startswith(
        "runs.json:2: the list breaks off in this item: not JSON: "
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            b"buy rope",
            "not JSON: Expecting value: line 1 column 1 (char 0); what is read: assay formats",
        ),
        (
            b"\x89PNG\r\n\x1a\n\0\0\xe9",
            "not JSON, and no text at all; what is read: assay formats",
        ),
        (b'{"a": 1', "not JSON: Expecting ',' delimiter: line 1 column 8 (char 7)"),
    ],
)
def test_a_file_of_something_else_says_what_is_read(text: bytes, expected: str) -> None:
    assert problems(text) == [f"runs.json: {expected}"]


def test_a_line_is_told_once() -> None:
    text = b'{"a": 1}\n{"a": 1, "b"\n{"a": NaN}\n'
    assert problems(text)[0] == "runs.json:2: not JSON: Expecting ':' delimiter: column 13"
    # The second number is a line of the item.
    assert problems(b'[1, {"a":\n}, 3]') == [
        "runs.json:2: not JSON: Expecting value: line 2 column 1 (char 6)"
    ]


# What a document may hold that JSON may not, and the sentence about it.
REASONS = {
    b'{"a": [1, {"b": NaN}]}': "a[1].b: nan is not a JSON number",
    b'{"a": -Infinity}': "a: -inf is not a JSON number",
    b'{"a": 1e999}': "a: inf is not a JSON number",
    b'{"a": "x\\ud83dy"}': "a: text with a lone surrogate at character 1",
    b'{"a": "\xe9"}': "not UTF-8 at byte 7; save it as UTF-8",
    b'{"a": "\xed\xa0\x80"}': "not UTF-8 at byte 7; save it as UTF-8",
    b"\xff": "not UTF-8 at byte 0",
    b'{"a": ' + b"9" * 5000 + b"}": "a number of 5000 digits (9999999999…)",
    b'{"a": 1': "Expecting ',' delimiter: line 1 column 8",
    b"{'a': 1}": "Expecting property name enclosed in double quotes",
    b'{"a": 1} {"b": 2}': "Extra data",
    b'{"a": "\x00"}': "Invalid control character",
    b"[" * 100_000 + b"]" * 100_000: "nested too deeply",
    b'{"a": 01}': "Expecting ',' delimiter",
    b"": "Expecting value",
}


@pytest.mark.parametrize("text", REASONS, ids=lambda text: repr(text[:24]))
def test_the_error_says_what_is_wrong(text: bytes) -> None:
    with pytest.raises(InvalidRecord) as caught:
        decode_json(text)
    assert REASONS[text] in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_large_document_is_refused_without_a_second_look() -> None:
    text = b'{"a": "' + b"x" * 5_000_000 + b'", "b": NaN}'
    with pytest.raises(InvalidRecord, match=r"not JSON: .*byte 5000015"):
        decode_json(text)


@pytest.mark.parametrize("digits", [20, 400, 4000])
def test_a_long_number_that_can_be_read_is_read(digits: int) -> None:
    assert decode_json(b"-" + b"9" * digits) == 1 - 10**digits


def test_a_line_that_is_too_long_is_skipped_and_the_next_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(documents, "LONGEST_DOCUMENT", 1 << 20)
    long = json.dumps("x" * (3 << 20)).encode()
    items = read(b"1\n" + long + b"\n3\n", "a.jsonl")
    assert [item.position for item in items] == [1, 2, 3]
    assert str(items[1]) == (
        "a.jsonl:2: a line of more than 1 MB; split it into one run per line (JSONL)"
    )


def test_a_document_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LONGEST_DOCUMENT", 1 << 20)
    text = b'["' + b"x\n" * (1 << 20) + b'"]'
    assert problems(text) == [
        "runs.json: a document of more than 1 MB; split it into one run per line (JSONL)"
    ]


class Raw(io.RawIOBase):
    """An unbuffered stream, as a pipe may be."""

    def __init__(self, text: bytes) -> None:
        self._file = io.BytesIO(text)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._file.readinto(buffer)


def test_an_unbuffered_stream_is_read_too() -> None:
    found = list(documents_in(Raw(b"1\n2\n"), "a.jsonl"))  # type: ignore[arg-type]
    assert [item.position for item in found] == [1, 2]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.lists(values, min_size=1, max_size=5))
def test_what_json_writes_is_read_back(items: list[Any]) -> None:
    lines = "\n".join(map(json.dumps, items)).encode()
    assert seen(lines, "a.jsonl") == [(i, value) for i, value in enumerate(items, start=1)]
    assert seen(json.dumps(items, indent=1).encode()) == [(None, items)]


@given(st.lists(values, min_size=1, max_size=4), st.data())
def test_a_list_cut_anywhere_keeps_the_items_before_the_cut(
    items: list[Any], data: st.DataObject
) -> None:
    text = json.dumps(items).encode()
    cut = data.draw(st.integers(1, len(text) - 1))
    saved = [value for _, value in seen(text[:cut]) if value != "BAD"]
    whole = [len(json.dumps(items[: n + 1])) - 1 for n in range(len(items))]
    # A number that is cut is a shorter number: that one item may differ.
    expected = [item for item, end in zip(items, whole, strict=True) if end < cut]
    assert saved[: len(expected)] == expected
    assert len(saved) <= len(expected) + 1
    assert problems(text[:cut])


@given(st.binary(max_size=60), st.sampled_from(["a.json", "a.jsonl", "<stdin>"]))
def test_no_bytes_raise(text: bytes, name: str) -> None:
    found = read(text, name)
    assert found
    assert all(len(str(item)) < 300 for item in found if isinstance(item, Unreadable))


@given(st.text(alphabet='[]{},":1 \\n\nau', max_size=40))
def test_nothing_that_looks_like_json_raises(text: str) -> None:
    assert all(isinstance(item, Document | Unreadable) for item in read(text.encode()))


def test_a_whole_document_with_a_missing_number_is_mended_and_says_so() -> None:
    (found,) = documents_in(io.BytesIO(b'[{"score": NaN}, 2]'), "log.json")
    assert isinstance(found, Document)
    assert found.value == [{"score": None}, 2]
    assert "nan is not a JSON number" in found.mended
    (line, bad) = documents_in(io.BytesIO(b'{"a": Infinity}\n{"a": NaN,}\n'), "runs.jsonl")
    assert isinstance(line, Document)
    assert line.value == {"a": None}
    assert isinstance(bad, Unreadable)


def test_objects_one_after_another_over_several_lines() -> None:
    text = b'{\n  "a": "}{"\n}\n{\n  "a": 2\n}\n'
    assert seen(text) == [(1, {"a": "}{"}), (2, {"a": 2})]
    cut = text + b'{\n "a"'
    assert seen(cut)[2] == (3, "BAD")
    assert "breaks off" in problems(cut)[0]


@pytest.fixture
def _lists_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_LONGEST_LIST", 4)
    monkeypatch.setattr(documents, "_PIECE", 8)


# A list that is too long to hold: its text, and what is read of it
LONG_LISTS: dict[str, tuple[bytes, list[Any]]] = {
    "on one line": (b'[{"a": "]}"}, [2], 3, "x,\\"y"]', [{"a": "]}"}, [2], 3, 'x,"y']),
    "laid out for people": (b'\n[\n  {"a": 1},\n  {"a": 2}\n]\n', [{"a": 1}, {"a": 2}]),
    "one broken item": (b'[{"a": 1}, {"a": }, {"a": 3}]', [{"a": 1}, "BAD", {"a": 3}]),
    "breaks off": (b'[{"a": 1}, {"a": 2', [{"a": 1}, "BAD"]),
    "breaks off in a string": (b'[{"a": 1}, "long and lon', [{"a": 1}, "BAD"]),
    "breaks off after a comma": (b'[{"a": 1}, ', [{"a": 1}, "BAD"]),
    "a comma at the end": (b"[11111, 22222,]", [11111, 22222, "BAD"]),
    "nothing": (b"[             ]", []),
}


@pytest.mark.usefixtures("_lists_are_long")
@pytest.mark.parametrize("name", ["runs.json", "runs.jsonl"])
@pytest.mark.parametrize("layout", LONG_LISTS)
def test_a_long_list_is_read_item_by_item(layout: str, name: str) -> None:
    text, expected = LONG_LISTS[layout]
    assert seen(text, name) == list(enumerate(expected, start=1))


@pytest.mark.usefixtures("_lists_are_long")
def test_an_item_that_is_too_long_ends_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LONGEST_DOCUMENT", 64)
    (first, second) = read(b'[{"a": 1}, "' + b"x" * 200 + b'", 3]')
    assert isinstance(first, Document)
    assert isinstance(second, Unreadable)
    assert "item of more than" in second.problem
    assert second.position == 2


@pytest.mark.usefixtures("_lists_are_long")
@pytest.mark.parametrize(
    "text",
    [b'{"a": "' + b"x" * 50 + b'"}', b'{\n "a": "' + b"x" * 50 + b'"\n}\n'],
    ids=["one line", "laid out"],
)
def test_a_document_longer_than_a_list_may_be(text: bytes) -> None:
    assert seen(text) == [(None, {"a": "x" * 50})]


@pytest.mark.usefixtures("_lists_are_long")
def test_lines_longer_than_a_list_may_be() -> None:
    line = b'{"a": "' + b"x" * 50 + b'"}'
    assert seen(line + b"\n" + line) == [(1, {"a": "x" * 50}), (2, {"a": "x" * 50})]


@given(st.lists(values, min_size=1, max_size=5), st.integers(1, 7), st.sampled_from([None, 2]))
def test_a_list_in_pieces_has_the_items_of_the_whole(
    items: list[Any], size: int, indent: int | None
) -> None:
    text = json.dumps(items, indent=indent).encode()[1:]
    scanner = ItemScanner()
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    found = [item for piece in pieces for item in scanner.feed(piece)]
    assert [json.loads(item) for item in found] == items
    assert scanner.ended


def test_lines_that_are_lists() -> None:
    assert seen(b"[1]\n[2, 3]\n", "a.log") == [(1, [1]), (2, [2, 3])]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rb"cut \ud83d", "cut \ufffd"),
        (rb"\ude00\ud83d\ude00", "\ufffd\U0001f600"),
        (rb"\ud83d\ud83d\ude00\uD83D!", "\ufffd\U0001f600\ufffd!"),
        (rb"\\ud83d \ud83d\n", "\\ud83d \ufffd\n"),
    ],
)
def test_half_a_character_is_mended(written: bytes, read: str) -> None:
    text = b'{"a": "' + written + b'"}\n'
    first, second = documents_in(io.BytesIO(text * 2), "runs.jsonl")
    assert isinstance(first, Document)
    assert isinstance(second, Document)
    assert first.value == second.value == {"a": read}
    assert "text with a lone surrogate" in first.mended
    assert [i.position for i in (first, second)] == [1, 2]
