"""The replies that are kept: found again, whole, and by nobody's mistake twice."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judge.cache import SUFFIX, ReplyCache, default_folder, question_key
from assay.judge.questions import Question, Reply

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = Question("Judge this.", {"type": "object"}, seed=1, run=2, judge="openai:gpt-5")
REPLY = Reply({"grounding": 7}, "gpt-5", 100, 20, 0.001, "stop")
CHANGES: dict[str, object] = {
    "prompt": "Judge that.",
    "schema": None,
    "seed": 2,
    "run": 3,
    "judge": "openai:gpt-4",
}


def numbered(number: int) -> Question:
    return Question(f"Judge case {number}.")


@pytest.mark.parametrize("field", Question.__struct_fields__)
def test_every_field_makes_another_question(field: str) -> None:
    other = msgspec.structs.replace(QUESTION, **{field: CHANGES[field]})
    assert question_key(other) != question_key(QUESTION)


def test_a_schema_is_the_same_in_any_order() -> None:
    one = Question("q", {"a": 1, "b": 2})
    other = Question("q", {"b": 2, "a": 1})
    assert question_key(one) == question_key(other)


def test_a_reply_is_found_again_by_another(tmp_path: Path) -> None:
    first = ReplyCache(tmp_path / "cache")
    assert first.recall(QUESTION) is None
    first.keep(QUESTION, REPLY)
    first.close()
    second = ReplyCache(tmp_path / "cache")
    assert second.recall(QUESTION) == REPLY
    assert second.recall(numbered(1)) is None
    assert (first.kept, second.recalled) == (1, 1)


def test_the_last_reply_wins(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache.keep(QUESTION, Reply("old"))
    cache.keep(QUESTION, REPLY)
    assert ReplyCache(tmp_path).recall(QUESTION) == REPLY


def test_nothing_is_made_before_the_first_reply(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "cache")
    cache.recall(QUESTION)
    assert cache.size().replies == 0
    assert not (tmp_path / "cache").exists()


def test_only_the_user_may_read(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "cache")
    cache.keep(QUESTION, REPLY)
    (file,) = (tmp_path / "cache").iterdir()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_writers_at_once_have_a_file_each_and_later_ones_go_on_with_it(tmp_path: Path) -> None:
    caches = [ReplyCache(tmp_path) for _ in range(3)]
    for number, cache in enumerate(caches):
        cache.keep(numbered(number), REPLY)
    assert ReplyCache(tmp_path).size().files == 3
    for cache in caches:
        cache.close()
    later = ReplyCache(tmp_path)
    later.keep(numbered(3), REPLY)
    assert (later.size().files, later.size().replies) == (3, 4)


def test_one_cache_serves_many_threads(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: cache.keep(numbered(i), Reply(i)), range(500)))
    fresh = ReplyCache(tmp_path)
    found = [fresh.recall(numbered(i)) for i in range(500)]
    assert found == [Reply(i) for i in range(500)]


@given(cut=st.integers(min_value=1, max_value=70))
def test_a_line_that_was_cut_off_costs_that_line(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    cache = ReplyCache(folder)
    cache.keep(numbered(0), REPLY)
    cache.keep(numbered(1), REPLY)
    cache.close()
    (file,) = folder.glob(f"*{SUFFIX}")
    os.truncate(file, file.stat().st_size - cut)
    after = ReplyCache(folder)
    assert (after.recall(numbered(0)), after.recall(numbered(1))) == (REPLY, None)
    after.keep(numbered(2), REPLY)
    again = ReplyCache(folder)
    found = [again.recall(numbered(i)) for i in range(3)]
    lost = REPLY if cut == 1 else None  # the end of the line was all that was missing
    assert found == [REPLY, lost, REPLY]


@pytest.mark.parametrize(
    "rubbish", [b"", b"\n\n", b"short\n", b"\x00" * 100 + b"\n", b"x" * 32 + b" not json\n"]
)
def test_rubbish_in_a_file_hides_nothing(tmp_path: Path, rubbish: bytes) -> None:
    cache = ReplyCache(tmp_path)
    cache.keep(numbered(0), REPLY)
    cache.close()
    (file,) = tmp_path.glob(f"*{SUFFIX}")
    file.write_bytes(rubbish + file.read_bytes() + rubbish)
    assert ReplyCache(tmp_path).recall(numbered(0)) == REPLY


WRITER = """
import sys
from pathlib import Path
from assay.judge.cache import ReplyCache
from assay.judge.questions import Question, Reply

cache = ReplyCache(Path(sys.argv[1]))
number = 0
while True:
    cache.keep(Question(f"Judge case {number}."), Reply("x" * 2000, input_tokens=number))
    print(number, flush=True)
    number += 1
"""


def test_killed_writers_lose_at_most_what_they_were_writing(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, tmp_path], stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    told = []
    for writer in writers:
        assert writer.stdout
        last = ""
        while last != "200\n":
            last = writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        told.append([200, *map(int, writer.stdout.read().splitlines())][-1])
        writer.wait()
        writer.stdout.close()
    cache = ReplyCache(tmp_path)
    for number in range(max(told) + 1):
        reply = cache.recall(numbered(number))
        assert reply is not None
        assert (reply.content, reply.input_tokens) == ("x" * 2000, number)


def test_clearing_leaves_nothing(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache.keep(QUESTION, REPLY)
    assert cache.clear().replies == 1
    assert list(tmp_path.iterdir()) == []
    assert cache.recall(QUESTION) is None
    cache.keep(QUESTION, REPLY)
    assert ReplyCache(tmp_path).recall(QUESTION) == REPLY


def test_a_cache_that_cannot_be_written_costs_no_reply(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = ReplyCache(tmp_path / "file" / "cache")
    cache.keep(QUESTION, REPLY)
    assert (cache.kept, cache.recall(QUESTION)) == (0, None)


def test_half_a_line_on_a_full_disk_costs_that_reply_alone(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache.keep(QUESTION, REPLY)
    (file,) = tmp_path.iterdir()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 40, limits[1]))
    try:
        cache.keep(numbered(1), REPLY)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    cache.keep(numbered(2), REPLY)
    assert cache.kept == 2
    found = [ReplyCache(tmp_path).recall(each) for each in (QUESTION, numbered(1), numbered(2))]
    assert found == [REPLY, None, REPLY]


FOLDERS = {"/var/cache/me": "/var/cache/me/assay/judge", "relative": None, "": None}


@pytest.mark.parametrize("given_folder", FOLDERS)
def test_the_default_place(given_folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", given_folder)
    monkeypatch.setenv("HOME", "/home/me")
    expected = FOLDERS[given_folder] or "/home/me/.cache/assay/judge"
    assert str(default_folder()) == expected
