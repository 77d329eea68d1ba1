"""Secrets that stand in a row, under a column or beside a list that names them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.test_redaction import MEGABYTES, is_framed_alike, unwrapped

from assay.store.named_secrets import named_secrets
from assay.store.redaction import redacted
from assay.store.secret_names import name_search
from assay.store.secret_rules import MASK

# a table, and what it says when its secrets are gone
TABLES: dict[str, tuple[str, str]] = {
    "CSV": (
        "name,password,role\nada,hunter2,admin\nbob,letmein,guest\n",
        "name,password,role\nada,{},admin\nbob,{},guest\n",
    ),
    "CSV that a command printed": (
        "$ cat users.csv\nid,password\n1,swordfish",
        "$ cat users.csv\nid,password\n1,{}",
    ),
    "CSV in quotes": (
        '"name","password"\n"ada, countess","sword, fish"\n"bob","open sesame"',
        '"name","password"\n"ada, countess","{}"\n"bob","{}"',
    ),
    "CSV of Windows": (
        "name,password\r\nada,swordfish\r\nbob,opensesame\r\n",
        "name,password\r\nada,{}\r\nbob,{}\r\n",
    ),
    "CSV with an odd row": (
        "name,password\nada,swordfish\nbob,of,no,place\ncarol,opensesame",
        "name,password\nada,{}\nbob,of,no,place\ncarol,{}",
    ),
    "CSV with numbered lines": (
        "     1\tname,password\n     2\tada,swordfish\n",
        "     1\tname,password\n     2\tada,{}\n",
    ),
    "CSV with lines numbered by arrows": (
        "     1→name,password\n     2→ada,swordfish\n",
        "     1→name,password\n     2→ada,{}\n",
    ),
    "CSV of semicolons": ("user;API key\nada;swordfish", "user;API key\nada;{}"),
    "CSV of tabs": ("user\tclient_secret\nada\tswordfish", "user\tclient_secret\nada\t{}"),
    "CSV of pipes": ("user|password\nada|swordfish", "user|password\nada|{}"),
    "CSV of tokens": (
        "service,token\nmaps,9f8e7d6c5b4a\nchat,expired",
        "service,token\nmaps,{}\nchat,expired",
    ),
    "CSV of numbers": ("id,password\n1,12345678", "id,password\n1,{}"),
    "CSV of attributes": ("id,password\n1,prod.token", "id,password\n1,{}"),
    "Markdown": (
        "| user | Password |\n|:-----|---------:|\n| ada | hunter2 |\n| bob | `letmein` |\n\nend",
        "| user | Password |\n|:-----|---------:|\n| ada | {} |\n| bob | `{}` |\n\nend",
    ),
    "Markdown in bold type": (
        "**user** | **password**\n--- | ---\nada | swordfish",
        "**user** | **password**\n--- | ---\nada | {}",
    ),
    "psql": (
        " name | password  \n------+-----------\n ada  | sword fish\n bob  | letmein\n(2 rows)\n",
        " name | password  \n------+-----------\n ada  | {}\n bob  | {}\n(2 rows)\n",
    ),
    "psql, one column": (
        " password  \n-----------\n swordfish\n letmein\n(2 rows)\n",
        " password  \n-----------\n {}\n {}\n(2 rows)\n",
    ),
    "MySQL": (
        "+-----+------+\n| id  | password  |\n+-----+------+\n| ada | letmein |\n+-----+------+\n",
        "+-----+------+\n| id  | password  |\n+-----+------+\n| ada | {} |\n+-----+------+\n",
    ),
    "columns as wide as dashes": (
        "name  password   role\n----  ---------  -----\nada   swordfish  admin\n",
        "name  password   role\n----  ---------  -----\nada   {}  admin\n",
    ),
    "pandas": (
        "  user   password\n0  ada  swordfish\n1  bob    letmein\n",
        "  user   password\n0  ada  {}\n1  bob    {}\n",
    ),
    "INSERT": (
        "INSERT INTO users (name, password) VALUES ('ada','hunter2'), ('bob', 'letmein');",
        "INSERT INTO users (name, password) VALUES ('ada','{}'), ('bob', '{}');",
    ),
    "INSERT on many lines": (
        "replace into a(id, `password`, b)\nvalues\n (1, 'hunter2', 'it''s me'),\n (2, 'xyz1', 0)",
        "replace into a(id, `password`, b)\nvalues\n (1, '{}', 'it''s me'),\n (2, '{}', 0)",
    ),
    "INSERT of a hash": (
        "INSERT INTO users (name, password) VALUES ('ada', crypt('swordfish', gen_salt('bf')))",
        "INSERT INTO users (name, password) VALUES ('ada', crypt('{}', gen_salt('bf')))",
    ),
    "INSERT into names in quotes": (
        'INSERT INTO "users" ("name", "api_key") VALUES (\'ada\', \'swordfish\')',
        'INSERT INTO "users" ("name", "api_key") VALUES (\'ada\', \'{}\')',
    ),
    "COPY": (
        "COPY users (name, password) FROM stdin;\nada\tswordfish\nbob\tletmein\n\\.\n",
        "COPY users (name, password) FROM stdin;\nada\t{}\nbob\t{}\n\\.\n",
    ),
    "JSON with columns": (
        '{"columns": ["name", "password"], "rows": [["ada", "hunter2"], ["bob", "open sesame"]]}',
        '{"columns": ["name", "password"], "rows": [["ada", "{}"], ["bob", "{}"]]}',
    ),
    "JSON of pandas": (
        '{"columns":["id","password"],"index":[0,1],"data":[["ada","letmein"],["bob",12345678]]}',
        '{"columns":["id","password"],"index":[0,1],"data":[["ada","{}"],["bob","{}"]]}',
    ),
    "JSON of a sheet": (
        '{"values": [["name", "password"], ["ada", "swordfish"]]}',
        '{"values": [["name", "password"], ["ada", "{}"]]}',
    ),
    "JSON on many lines": (
        json.dumps({"columns": ["id", "password"], "rows": [["ada", "swordfish"]]}, indent=2),
        json.dumps({"columns": ["id", "password"], "rows": [["ada", "{}"]]}, indent=2),
    ),
    "rows as Python shows them": (
        "{'columns': ['name', 'password'], 'rows': [('ada', 'swordfish')]}",
        "{'columns': ['name', 'password'], 'rows': [('ada', '{}')]}",
    ),
}

STAYS: tuple[str, ...] = (
    "model,prompt_tokens,token_count\ngpt-4o,1200,15500\n",
    "user,password_changed_at,last_login\nada,2024-01-02,2024-05-01\n",
    "id,has_password,is_admin\n1,true,false\n2,0,1\n",
    "user,password,status\nada,set,active\nbob,********,locked\ncarol,,gone\n",
    "user,password,role\n<user>,<password>,admin\n",
    "year,passwords\n2023,12000\n2024,13500\n",
    "token,count\nhello,1200\nworld,98765\n",
    "token,address\nDAI,0x6b175474e89094c44da98b954eedeac495271d0f\n",
    "service,token,api_key\nmaps,valid,missing\n",
    "name,secret\nweb,web-tls\napi,true\n",
    # Rows that speak of columns are no head of a table.
    "name,type\nuser,string\npassword,string\nemail,string\n",
    "name, password = credentials()\nhost, port = address()\n",
    "connect(\n    user, password,\n    host, port\n)",
    "for user,password in pairs:\n    check(user,password)\n",
    "The fields are name, email, password\nand nothing else, really.\n",
    "[\n  'user',\n  'password',\n  'email'\n]",
    "src/auth.py:12:    password,\nsrc/auth.py:13:    token,\n",
    "| Method | Password |\n|---|---|\n| Basic | required |\n| Key | ✓ |\n| None | 3 chars |\n",
    "| Name | Type | Description |\n|---|---|---|\n| password | string | The password |\n",
    "| Token | Price |\n|---|---|\n| UNI-V3 | $7.10 |\n",
    "| Browser | Access key |\n|---|---|\n| Firefox | Alt+Shift+K |\n",
    " user | has_password\n------+--------------\n ada  | t\n(1 row)\n",
    " column_name | data_type\n-------------+-----------\n password    | text\n token | uuid\n",
    "Password\n--------\nhashed\n\nToken\n=====\nrandom\n",
    "   token  count\n0    the   1200\n1     of    900\n",
    "Sorry, wrong password\n0 attempts left\n",
    "   user  password_length\n0   ada               12\n",
    "CREATE TABLE users (id int, password text, token uuid);\n",
    "INSERT INTO users (name, password) VALUES (?, ?), ($1, $2), (%s, :password)",
    "INSERT INTO users (name, password) SELECT name, password FROM others",
    "INSERT INTO users (name, password) VALUES ('ada', '********'), ('bob', NULL)",
    "INSERT INTO labels (name, label) VALUES ('password', 'Kennwort')",
    "check(name, password) values ('ada', 'swordfish')",
    "COPY users (name, password_changed_at) FROM stdin;\nada\t2024-01-01\n",
    '{"columns": ["name", "token_count"], "rows": [["ada", 12345]]}',
    '{"columns": ["name", "password"], "rows": [["ada", "***"], ["bob", null], ["eve", true]]}',
    '{"columns": ["column_name", "type"], "rows": [["password", "text"]]}',
    '{"required": ["name", "password"], "properties": {"name": {}, "password": {}}}',
    '[["name", "password"], ["login", "kennwort"]]',
)

Wrap = Callable[[str], str]
WRAPPINGS: dict[str, Wrap] = {
    "in a field": lambda text: json.dumps({"result": text}),
    "in JSON in a field": lambda text: json.dumps({"a": json.dumps({"b": 1, "out": text, "n": 1})}),
    "below a line": lambda text: json.dumps([{"type": "text", "text": f"Found:\n{text}"}]),
    "below a line, in JSON": lambda text: json.dumps(
        [json.dumps([f"x, y\n\n{text}\n\nDone, all."])]
    ),
    "three deep": lambda text: json.dumps([json.dumps([json.dumps([text, "end"]), "end"]), "end"]),
}


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=list(WRAPPINGS))
@pytest.mark.parametrize("kind", TABLES)
def test_secrets_in_a_table_go_and_nothing_else_does(kind: str, wrap: Wrap) -> None:
    table, masked = TABLES[kind]
    found, count = redacted(wrap(table))
    assert json.loads(found) == json.loads(wrap(masked.replace("{}", MASK)))
    assert count == masked.count("{}")
    assert redacted(found) == (found, 0)


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=list(WRAPPINGS))
@pytest.mark.parametrize("text", STAYS)
def test_what_is_no_secret_stays_in_its_table(text: str, wrap: Wrap) -> None:
    assert redacted(wrap(text)) == (wrap(text), 0)


@pytest.mark.parametrize(
    ("table", "masked"),
    [
        ("│ name │ password │\n├──────┼──────────┤\n│ ada  │ swordfish │\n└──────┴──────────┘", 1),
        ("│ name    │ password │\n│ varchar │ varchar  │\n├───┼───┤\n│ ada  │ swordfish │\n", 1),
        ("┃ name ┃ password ┃\n┡━━━━━━╇━━━━━━━━━━┩\n│ ada  │ swordfish │\n", 1),
    ],
)
def test_secrets_in_a_table_of_drawn_lines_go(table: str, masked: int) -> None:
    found, count = redacted(json.dumps(table, ensure_ascii=False))
    assert (count, "swordfish" in found) == (masked, False)


pieces = st.sampled_from(
    [*(table for table, _ in TABLES.values()), *STAYS, "\n", ",", "|", '"', "'", "password", "ada"]
)
texts = st.lists(st.one_of(pieces, st.text(alphabet=",|\n\t\"'\\ -x[]()0", max_size=8)), max_size=5)
values = st.recursive(
    texts.map("".join),
    lambda inner: st.lists(inner, max_size=3) | inner.map(json.dumps),
    max_leaves=4,
)


@given(values)
def test_json_with_tables_stays_json_and_so_does_json_inside_it(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    found, count = redacted(text)
    assert is_framed_alike(unwrapped(json.loads(text)), unwrapped(json.loads(found)))
    assert (found == text) == (count == 0)


@given(values)
def test_the_quick_look_overlooks_no_table(value: object) -> None:
    text = json.dumps(value)
    if not name_search()(text.lower()):
        assert list(named_secrets(text, text.lower())) == []


HOSTILE = {
    "heads": r"a,password\n",
    "heads and rows": r"a,password\nb,c\n",
    "columns": "password,",
    "pipes": "| password ",
    "rules": r"| password |\n|" + "-" * 5_000,
    "data frames": r"password\n0 ",
    "odd rows": r"a,password\nb,c,d\n",
    "long rows": r"a,password\n" + "x" * 15_000 + ",",
    "quotes": r"\"a\",\"password\"\n\"x\",\"",
    "lines of several depths": r"a,password\\nb,c\nd,e\\\\n",
    "backslashes": "password," + "\\" * 2_000,
    "blanks": "password" + " " * 300 + r"\n" + " " * 300,
    "statements": "insert into a (password) values (",
    "statements with open quotes": "insert into a (b,password) values ('",
    "rows of a statement": "insert into a (b, password) values ('x', 'yyyy'), ",
    "copies": r"copy a (b, password) from stdin;\nx\ty\n",
    "lists": r"[\"a\",\"password\"],\"rows\":[[",
    "lists beside lists": r"[\"password\"],\"index\":[1,2,",
    "sheets": r"\"values\":[[\"a\",\"password\"],[\"x\",\"yyyy\"],",
}


@pytest.mark.parametrize("pattern", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_table_takes_no_longer_than_its_length(pattern: str) -> None:
    body = pattern * (MEGABYTES * 1_000_000 // len(pattern))
    began = time.process_time()
    _, count = redacted(f'["{body}", "password: hunter2"]')
    assert time.process_time() - began < 10 * MEGABYTES
    assert count >= 1
