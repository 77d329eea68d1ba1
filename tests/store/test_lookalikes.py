"""A run is kept once, also where its secrets were masked by the rules of another version."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.runs import fill, run

from assay.redaction import MASK
from assay.store import Store
from assay.store.lookalikes import MASKING, reads_as, rules

if TYPE_CHECKING:
    from pathlib import Path

    from assay import AgentTestCase

MAILS = [run(i, extra={"log": f"to ada{i}@example.com, from bob@example.com"}) for i in range(3)]


def noted(note: str) -> AgentTestCase:
    return run(1, extra={"note": note})


def of_another_version(folder: Path) -> Store:
    """A store whose batches do not say how they were masked."""
    for file in folder.glob(f"batches/*/{MASKING}"):
        file.unlink()
    return Store(folder)


@pytest.mark.parametrize("first", [False, True])
def test_runs_are_the_same_runs_with_mail_addresses_and_without(
    tmp_path: Path, *, first: bool
) -> None:
    store = Store.create(tmp_path / "store")
    assert fill(store, MAILS, emails=first) == (3, 0)
    assert fill(store, MAILS, emails=not first) == (0, 3)
    assert fill(store, [*MAILS, run(9)], emails=not first) == (1, 3)
    assert store.count() == 4


@pytest.mark.parametrize(
    ("before", "now", "added"),
    [
        ("sorted by ?key=[redacted]", "sorted by ?key=department", 0),
        ("[redacted] and [redacted]", "one and another", 0),
        ("[redacted]", "", 0),
        ("sorted by ?key=[redacted]", "sorted by ?key=department, twice", 0),
        ("sorted by ?key=[redacted] once", "sorted by ?key=department twice", 1),
        ("sorted by department", "sorted by office", 1),
    ],
)
def test_a_run_that_another_version_masked_is_there_already(
    tmp_path: Path, before: str, now: str, added: int
) -> None:
    fill(Store.create(tmp_path / "store"), [noted(before)])
    store = of_another_version(tmp_path / "store")
    assert fill(store, [noted(now)]) == (added, 1 - added)
    assert fill(store, [noted(now)]) == (0, 1)


def test_a_run_is_there_already_whose_secrets_were_masked_at_their_names_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "abcDEF123456ghijKLMN"
    told = run(1, extra={"access_token": secret, "again": f"with {secret}, {secret}"})
    with monkeypatch.context() as before:
        before.setattr("assay.redaction._Redactor.elsewhere", lambda _, text: text)
        fill(Store.create(tmp_path / "store"), [told])
    store = of_another_version(tmp_path / "store")
    (kept,) = store.cases()
    assert kept.extra == {"access_token": MASK, "again": f"with {secret}, {secret}"}
    assert fill(store, [told]) == (0, 1)
    assert fill(store, [told, run(2)]) == (1, 1)
    assert fill(store, [told, run(2)]) == (0, 2)


def test_a_run_of_our_own_rules_is_what_its_key_says(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    assert fill(store, [noted("by [redacted]"), noted("by department")]) == (2, 0)
    assert fill(store, [noted("by office")]) == (1, 0)


def test_a_stored_run_that_cannot_be_read_back_is_like_none(tmp_path: Path) -> None:
    odd = noted("a")
    odd.context = [5]  # type: ignore[list-item]
    fill(Store.create(tmp_path / "store"), [odd], trusted=True)
    store = of_another_version(tmp_path / "store")
    assert fill(store, [noted("b"), run(9)]) == (2, 0)


def test_nothing_that_is_known_already_counts_as_masked(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, MAILS)
    with store.writer(emails=True) as writer:
        writer.add_all(MAILS)
    assert (writer.added, writer.known_already, writer.redactions) == (0, 3, 0)


@pytest.mark.parametrize(("emails", "is_told"), [(False, True), (True, False)])
def test_a_compacted_batch_says_how_it_was_masked_if_it_was_in_one_way(
    tmp_path: Path, *, emails: bool, is_told: bool
) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, MAILS)
    fill(store, [run(9)], emails=emails)
    store.compact()
    (batch,) = (tmp_path / "store" / "batches").iterdir()
    assert (batch / MASKING).exists() is is_told
    assert store.doctor() == []
    assert fill(store, MAILS, emails=True) == (0, 3)


def test_what_rules_are_known_by_tells_them_apart() -> None:
    assert rules(emails=False) == rules(emails=False) != rules(emails=True)


words = st.text(alphabet='ab"\\ [\n', max_size=8)


@given(st.lists(words, min_size=1, max_size=5), st.lists(words, min_size=4, max_size=4))
def test_a_text_reads_as_what_it_was_masked_to(parts: list[str], secrets: list[str]) -> None:
    def written(inside: list[str]) -> str:
        pairs = zip(parts, [*inside[: len(parts) - 1], ""], strict=True)
        return json.dumps({"x": "".join(part + secret for part, secret in pairs), "y": 1})

    # A secret that holds the next part may be ended too soon; then the run is kept twice.
    if not any(part and part in secret for secret in secrets for part in parts[1:]):
        assert reads_as(written(secrets), written([MASK] * 4))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ('{"a":1234,"b":"t"}', '{"a":"[redacted]","b":"[redacted]"}'),
        ('{"a":1234}', '{"a":"[redacted]"}'),
        ('{"a":"s"}', '{"a":"[redacted]"}'),
        ('{"a":""}', '{"a":"[redacted]"}'),
        (r'{"a":"{\"pin\":1234}"}', r'{"a":"{\"pin\":\"[redacted]\"}"}'),
        (r'{"a":"{\"pin\":\"s\"}"}', r'{"a":"{\"pin\":\"[redacted]\"}"}'),
    ],
)
def test_a_mask_stands_for_a_text_or_a_number(text: str, masked: str) -> None:
    assert reads_as(text, masked)


def test_many_masks_in_one_text_take_no_longer_than_the_text_is() -> None:
    count = 100_000
    assert reads_as(json.dumps("s and " * count), json.dumps(f"{MASK} and " * count))
    assert not reads_as(json.dumps("s and " * count), json.dumps(f"{MASK} or " * count))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ('{"a":1234,"b":5}', '{"a":"[redacted]"}'),
        ('{"a":true}', '{"a":"[redacted]"}'),
        ('{"a":["s"]}', '{"a":"[redacted]"}'),
        (r'{"a":"s {\"pin\":true}"}', r'{"a":"[redacted] {\"pin\":\"[redacted]\"}"}'),
        ('{"a":"s","b":"t","z":1}', '{"a":"[redacted]","z":1}'),
        ('{"a":"s"}', '{"a":"[redacted]","z":1}'),
        ('{"a":"s","z":1}', '{"a":"[redacted]"}'),
        ('{"a":"s"} ', '{"a":"s"}'),
        ("{}", '{"a":"[redacted]"}'),
    ],
)
def test_a_mask_stands_for_a_part_of_one_text_only(text: str, masked: str) -> None:
    assert not reads_as(text, masked)
