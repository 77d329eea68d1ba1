"""Atoms: the parts of a text that can be checked."""

from __future__ import annotations

import itertools
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.atoms import LONGEST_TEXT, atoms_in

ANSWER = (
    'Order SO-58213 ("Nora lamp", see https://shop.example.com/o/58213.) was sent to '
    "maren.holt@example.com on 24 March 2026 at 2:30 pm; it cost €1,064.90 (12.6 % less), "
    "as `orders.csv` and /srv/app/config.yaml say."
)


def kinds_and_texts(text: str) -> list[tuple[str, str]]:
    return [(atom.kind, atom.text) for atom in atoms_in(text, names=False)]


def test_every_kind_in_one_sentence() -> None:
    assert sorted(kinds_and_texts(ANSWER)) == [
        ("code", "orders.csv"),
        ("date", "24 March 2026"),
        ("email", "maren.holt@example.com"),
        ("id", "SO-58213"),
        ("number", "1,064.90"),
        ("path", "/srv/app/config.yaml"),
        ("percentage", "12.6"),
        ("quoted", "Nora lamp"),
        ("time", "2:30 pm"),
        ("url", "https://shop.example.com/o/58213"),
    ]


def test_atoms_stand_where_they_say() -> None:
    for atom in atoms_in(ANSWER):
        assert ANSWER[atom.start : atom.end] == atom.text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("会议：3月20日 14:00，G7335 二等座 73 元", ["3月20日", "14:00", "G7335", "73"]),
        ("降水概率７０％", ["70"]),
        ("见《渠道合作评审会》和「牡丹厅」", ["渠道合作评审会", "牡丹厅"]),
        ("1. first\n2) second\n- 3 apples", ["3"]),
        ("Q3 of B2B", []),
        ("LMP-NORA-BR is sold out", ["LMP-NORA-BR"]),
        ("4BMN53 and OI5L9G", ["4BMN53", "OI5L9G"]),
        ("a well-known state-of-the-art idea", []),
        ("it's Anna's, isn't it", []),
        ("km/h and/or TCP/IP", []),
        ("```\nSELECT 42 FROM secrets\n``` gives 17", ["17"]),
        ("see config/staging.yaml", ["config/staging.yaml"]),
        ("the status 'paid'", ["paid"]),
    ],
)
def test_what_counts_and_what_does_not(text: str, found: list[str]) -> None:
    assert [atom.text for atom in atoms_in(text, names=False)] == found


def test_numbers_know_their_units() -> None:
    (atom,) = atoms_in("about 74 分钟", names=False)
    assert atom.quantity is not None
    assert (atom.quantity.size, atom.quantity.decimals, atom.quantity.unit) == (74, 0, "分钟")


def test_dates_and_times_know_their_values() -> None:
    date, time = atoms_in("3/4/2026 at 9 am", names=False)
    assert date.days == ((2026, 3, 4), (2026, 4, 3))
    assert time.minute == 540


@settings(deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_read_and_no_part_is_told_twice(text: str) -> None:
    atoms = sorted(atoms_in(text, names=False), key=lambda atom: atom.start)
    assert all(one.end <= other.start for one, other in itertools.pairwise(atoms))


@pytest.mark.parametrize(
    "piece",
    [
        *("a-", "1,111", "Aa ", "a/", "'", '"', "`", "a.", "@", "a@", "http://", "1.", "12:", "\n"),
        *("#", "**", "2026-", "jan ", "A-A", "0a", "年", "3月", "王", "（", "\u0000", "/a.py", "+"),
        "+" + "1" * 32 + "x ",
    ],
)
def test_hostile_texts_take_bounded_time(piece: str) -> None:
    text = (piece * LONGEST_TEXT)[: LONGEST_TEXT - 1] + "x1-"
    started = process_time()
    atoms_in(text)
    assert process_time() - started < 10


def test_what_is_paid_for_each_is_no_path() -> None:
    assert not any(atom.kind == "path" for atom in atoms_in("It costs 0.31 €/kWh, 5 %/year."))
