"""The door to SQLite databases: what is opened, what is refused, and what nobody may make us do."""

from __future__ import annotations

import gzip
import sqlite3
import sys
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.databases import write_database

from assay.errors import InvalidRecord
from assay.ingest import sqlite_database
from assay.ingest.documents import Unreadable
from assay.ingest.reading import read_runs
from assay.ingest.recording import FilePlace
from assay.ingest.sqlite_kinds import KINDS

if TYPE_CHECKING:
    from pathlib import Path


def goose(*sessions: str, **more: Any) -> dict[str, Any]:
    """The tables of a Goose database in which each session has one message."""
    told = [{"type": "text", "text": "Hello"}]
    return {
        "sessions": [
            {"id": own, "working_dir": "/w", "created_at": "2026-01-01"} for own in sessions
        ],
        "messages": [
            {
                "id": number,
                "session_id": own,
                "role": "user",
                "content_json": told,
                "created_timestamp": 1_767_225_600,
                **more,
            }
            for number, own in enumerate(sessions, start=1)
        ],
    }


def read(path: Path) -> tuple[list[str | None], list[tuple[str, str]]]:
    """The sessions that were read, and what was not, with its kind."""
    items = list(read_runs(path))
    bad = [(str(item.kind), item.problem) for item in items if isinstance(item, Unreadable)]
    return [item.session_id for item in items if not isinstance(item, Unreadable)], bad


def test_a_database_is_known_by_its_content(tmp_path: Path) -> None:
    for name in ("sessions.db", "named.json", "none"):
        write_database(tmp_path / name, goose("s"))
        assert read(tmp_path / name) == (["s"], [])
    assert read(tmp_path) == (["s", "s", "s"], [])


def test_rows_that_stand_in_the_log_beside_it_are_read(tmp_path: Path) -> None:
    path = write_database(tmp_path / "sessions.db", goose("s", "old"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("DELETE FROM messages WHERE session_id = 'old'")
        connection.commit()
        assert path.with_name("sessions.db-wal").stat().st_size
        before = path.read_bytes()
        assert read(path) == (["s"], [])
        assert path.read_bytes() == before
    # Closed, it has no log any more; to read it leaves nothing behind.
    assert read(path) == (["s"], [])
    assert [file.name for file in tmp_path.iterdir()] == ["sessions.db"]


def test_the_log_lies_beside_the_file_and_not_beside_a_link_to_it(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    path = write_database(tmp_path / "kept" / "sessions.db", goose("s", "old"))
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("DELETE FROM messages WHERE session_id = 'old'")
        connection.commit()
        assert read(link) == (["s"], [])


def test_a_program_that_runs_may_write_while_its_database_is_read(tmp_path: Path) -> None:
    sessions = [f"{number:04}" for number in range(400)]
    path = write_database(tmp_path / "sessions.db", goose(*sessions))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert path.with_name("sessions.db-wal").stat().st_size == 0
        found = read_runs(path)
        read_first = [next(found)]
        connection.execute("DELETE FROM messages")
        connection.commit()
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint")
        # What the program threw away meanwhile may be gone; nothing is taken for damaged.
        assert [item for item in [*read_first, *found] if isinstance(item, Unreadable)] == []


def test_a_packed_database_is_read_in_memory(tmp_path: Path) -> None:
    plain = write_database(tmp_path / "sessions.db", goose("s"), more="PRAGMA journal_mode = WAL")
    data = plain.read_bytes()
    (tmp_path / "b.db.gz").write_bytes(gzip.compress(data))
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("in/sessions.db", data)
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("sessions.db", data)
        archive.writestr("sessions.db-wal", b"newer")
    assert read(tmp_path / "b.db.gz") == (["s"], [])
    assert read(tmp_path / "c.zip") == (["s"], [])
    ((kind, problem),) = read(tmp_path / "d.zip")[1]
    assert kind == "broken"
    assert problem == "has its newest rows in the -wal beside it; unpack both first"
    for journal, told in ((b"\0" * 512, []), (bytes.fromhex("d9d505f920a163d7"), ["broken"])):
        with zipfile.ZipFile(tmp_path / "e.zip", "w") as archive:
            archive.writestr("sessions.db", data)
            archive.writestr("sessions.db-journal", journal)
        assert [kind for kind, _ in read(tmp_path / "e.zip")[1]] == told


def test_an_unknown_database_is_named_with_its_tables(tmp_path: Path) -> None:
    rows = [{"a": 1}]
    path = write_database(tmp_path / "x.db", {"cats": rows, "dogs": rows})
    problem = (
        "is an SQLite database that no reader knows, with the tables cats, dogs; "
        "write what it holds as JSON lines"
    )
    assert read(path) == ([], [("broken", problem)])
    assert read(tmp_path) == ([], [("passed_over", problem)])
    packed = tmp_path / "x.db.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read(packed) == ([], [("broken", problem)])
    many = write_database(tmp_path / "y.db", {f"t{i:02}": rows for i in range(14)})
    assert "t00, t01" in read(many)[1][0][1]
    assert "t11 and 2 more;" in read(many)[1][0][1]
    long = write_database(tmp_path / "z.db", {'"a\n\tb"': rows, "c" * 5_000: rows})
    assert f"the tables a b, {'c' * 99}…;" in read(long)[1][0][1]


def test_a_database_in_which_nobody_said_anything_is_passed_over(tmp_path: Path) -> None:
    tables = goose("s")
    tables["messages"][0]["content_json"] = []
    problem = "is a database of goose in which no session is"
    path = write_database(tmp_path / "sessions.db", tables)
    assert read(path) == ([], [("passed_over", problem)])


def test_what_is_no_database_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(bytes(range(128, 256)))
    ((kind, problem),) = read(path)[1]
    assert kind == "broken"
    assert "neither SQLite nor text" in problem
    assert read(tmp_path)[1][0][0] == "passed_over"
    path.write_text('{"messages": [{"role": "user", "content": "Hello"}]}')
    assert read(path)[1] == []


# How many bytes of a database are left, what they are overwritten with, and what is said of it.
BROKEN = {
    "cut off": (0.5, b"", "is damaged; mend a copy"),
    "a header alone": (0.01, b"", "is damaged"),
    "scribbled over": (1.0, b"\xff" * 9000, "is damaged"),
    "encrypted but for its first bytes": (1.0, b"\x07" * 4080, "is damaged or encrypted"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_database_is_told_with_what_to_do(tmp_path: Path, name: str) -> None:
    left, over, expected = BROKEN[name]
    path = write_database(tmp_path / "sessions.db", goose(*map(str, range(200))))
    data = path.read_bytes()
    begin = 16 if "encrypted" in name else 100
    path.write_bytes((data[:begin] + over + data[begin + len(over) :])[: int(len(data) * left)])
    ((kind, problem),) = read(path)[1]
    assert kind == "broken"
    assert expected in problem


def test_a_name_that_is_no_text_is_damage(tmp_path: Path) -> None:
    renamed = """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = 'CREATE TABEL', name = CAST(x'ff' AS TEXT) WHERE name = 'x'
    """
    path = write_database(tmp_path / "x.db", {"x": [{"a": 1}]}, more=renamed)
    ((kind, problem),) = read(path)[1]
    assert kind == "broken"
    assert "is damaged; mend a copy" in problem


def test_a_column_may_hide_the_number_of_a_row(tmp_path: Path) -> None:
    tables = goose("s", rowid="none")
    assert "no reader knows" in read(write_database(tmp_path / "x.db", tables))[1][0][1]


def test_a_broken_row_costs_itself_alone(tmp_path: Path) -> None:
    tables = goose("a", "b")
    tables["messages"][0]["content_json"] = '[{"type": '
    ids, bad = read(write_database(tmp_path / "sessions.db", tables))
    assert ids == ["b"]
    ((kind, problem),) = bad
    assert kind == "broken"
    assert problem.startswith("message 1: not JSON")


def test_what_json_does_not_know_is_read_all_the_same(tmp_path: Path) -> None:
    told = b'[{"type": "text", "text": "a\xffb"}]'
    more = (
        f"UPDATE messages SET content_json = CAST(x'{told.hex()}' AS TEXT);"
        "ALTER TABLE sessions ADD COLUMN name; ALTER TABLE sessions ADD COLUMN schedule_id;"
        "UPDATE sessions SET name = x'6eff', schedule_id = 9e999"
    )
    (run,) = read_runs(write_database(tmp_path / "sessions.db", goose("s"), more=more))
    assert not isinstance(run, Unreadable)
    assert run.input == "a\ufffdb"
    assert run.extra == {"name": "n\ufffd", "working_dir": "/w"}


def test_a_value_or_a_session_that_is_too_large_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_database(tmp_path / "sessions.db", goose("a", "b"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE messages SET role = ? WHERE id = 1", ("x" * 5000,))
    monkeypatch.setattr(sqlite_database, "LONGEST_DOCUMENT", 3000)
    ids, bad = read(path)
    assert ids == ["b"]
    assert "holds a session of more than" in bad[0][1]
    monkeypatch.undo()
    monkeypatch.setattr(sqlite_database, "_LARGEST_VALUE", 3000)
    ids, bad = read(path)
    assert ids == ["b"]
    assert "holds a value of more than" in bad[0][1]


# What a database may hold that would run when it is looked at.
TRAPS = {
    "a view": "DROP TABLE sessions; CREATE VIEW sessions AS WITH RECURSIVE n(id) AS "
    "(SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'w' working_dir, 0 created_at FROM n",
    "a table made by a module": "DROP TABLE sessions; "
    "CREATE VIRTUAL TABLE sessions USING fts5(id, working_dir, created_at)",
    "a computed column": "ALTER TABLE sessions DROP COLUMN working_dir; ALTER TABLE sessions "
    "ADD COLUMN working_dir AS (hex(zeroblob(100000000)))",
}


@pytest.mark.parametrize("name", TRAPS)
def test_only_what_is_written_in_real_tables_is_read(tmp_path: Path, name: str) -> None:
    path = write_database(tmp_path / "sessions.db", goose("s"), more=TRAPS[name])
    ((_, problem),) = read(path)[1]
    assert "that no reader knows" in problem


@pytest.mark.parametrize("query", ["DELETE FROM sessions", "SELECT load_extension('x')"])
def test_nothing_but_reading_is_allowed(tmp_path: Path, query: str) -> None:
    path = write_database(tmp_path / "sessions.db", goose("s"))

    def ask() -> None:
        with sqlite_database.opened(FilePlace(path)) as database:
            database._connection.execute(query)

    with pytest.raises(InvalidRecord, match="not authorized"):
        ask()
    assert read(path) == (["s"], [])


def test_an_index_over_a_function_is_no_hindrance(tmp_path: Path) -> None:
    more = "CREATE INDEX i ON messages (json_extract(content_json, '$[0].text'))"
    assert read(write_database(tmp_path / "sessions.db", goose("s"), more=more)) == (["s"], [])


def test_a_database_that_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_database(tmp_path / "sessions.db", goose(*map(str, range(300))))
    monkeypatch.setattr(sqlite_database, "_STEPS", 100)
    monkeypatch.setattr(sqlite_database, "_STEPS_AT_LEAST", 1000)
    monkeypatch.setattr(sqlite_database, "_STEPS_PER_BYTE", 0)
    assert "takes far longer to read than its size" in read(path)[1][0][1]


def test_a_database_in_use_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_database(tmp_path / "sessions.db", goose("s"))
    monkeypatch.setattr(sqlite_database, "_WAIT_SECONDS", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert "is in use; close the program" in read(path)[1][0][1]


def test_a_python_without_sqlite_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_database(tmp_path / "sessions.db", goose("s"))
    for module in ("sqlite3", "assay.ingest.sqlite_kinds", "assay.ingest.sqlite_database"):
        monkeypatch.setitem(sys.modules, module, None)
    assert "this Python came without SQLite" in read(path)[1][0][1]


def test_every_kind_names_the_table_of_its_sessions() -> None:
    for kind in KINDS:
        assert kind.sessions in kind.columns
        assert not kind.key or kind.key in kind.columns[kind.sessions]
