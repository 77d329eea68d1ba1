"""Secrets go, everything else stays, and what was JSON stays JSON."""

from __future__ import annotations

import json
import random
import string
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.redaction import MASK, redact_each, redact_json, redact_text

# Written by hand: a text and the secret in it; texts without one; tables, `{}` where secrets were.
EXAMPLES = json.loads(Path(__file__).with_name("examples.json").read_text("utf-8"))
SECRETS: list[tuple[str, str]] = [(text, secret) for text, secret in EXAMPLES["secrets"]]
HARMLESS: list[str] = EXAMPLES["harmless"]
TABLES: list[tuple[str, str]] = [(table, masked) for table, masked in EXAMPLES["tables"]]

Wrap = Callable[[str], str]
WRAPPINGS: dict[str, Wrap] = {
    "in a field": lambda text: json.dumps({"result": text}),
    "in JSON in a field": lambda text: json.dumps({"result": json.dumps({"out": text, "n": 1})}),
    "after another script": lambda text: json.dumps({"a": f"答案是{text}。"}, ensure_ascii=False),
    "on a line of its own": lambda text: json.dumps({"result": f"one\n{text}\ntwo"}),
    "in colour": lambda text: json.dumps({"result": f"\x1b[1;31m{text}\x1b[0m"}),
    "three deep": lambda text: json.dumps([json.dumps([json.dumps([text, "end"]), "end"]), "end"]),
}
TOKEN = "abcDEF123456ghijKLMN"


def unwrapped(value: object) -> object:
    """The value with all JSON inside its texts decoded."""
    if isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            return unwrapped(json.loads(value))
        except ValueError:
            return value
    if isinstance(value, list):
        return [unwrapped(item) for item in value]
    if isinstance(value, dict):
        return {key: unwrapped(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=list(WRAPPINGS))
def test_secrets_are_masked(wrap: Wrap) -> None:
    leaked = []
    for text, secret in SECRETS:
        masked, count = redact_json(wrap(text))
        inner = json.dumps(unwrapped(json.loads(masked)), ensure_ascii=False)
        if count == 0 or MASK not in inner or secret in inner:
            leaked.append(text)
    assert leaked == []


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=list(WRAPPINGS))
def test_what_is_no_secret_stays(wrap: Wrap) -> None:
    assert [text for text in HARMLESS if redact_json(wrap(text)) != (wrap(text), 0)] == []


@pytest.mark.parametrize(("table", "masked"), TABLES)
def test_secrets_in_a_table_are_masked_and_nothing_else(table: str, masked: str) -> None:
    found, count = redact_json(json.dumps({"result": table}))
    expected = masked.replace("{}", MASK)
    text = json.loads(found)["result"]
    assert unwrapped(text) == unwrapped(expected)
    assert count == masked.count("{}")
    assert redact_json(found) == (found, 0)


def test_a_private_key_is_masked_whole() -> None:
    body = "\n".join("a7" + "k3X/" * 15 for _ in range(12))
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    assert redact_json(json.dumps(["before", text, "after"])) == (
        json.dumps(["before", MASK, "after"], separators=(",", ":")),
        1,
    )


def test_a_found_secret_is_masked_wherever_it_stands() -> None:
    told = json.dumps({"access_token": TOKEN})
    again = json.dumps([f"{TOKEN}: https://x.io/{TOKEN}?s={TOKEN}"])
    for text in (f"[{told},{again}]", f"[{again},{told}]", json.dumps([told, again])):
        masked, count = redact_json(text)
        assert (TOKEN in masked, count) == (False, 4)
        json.loads(masked)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ('{"password": "swordfish"}', "swordfish steak"),
        ('{"passphrase": "correct horse battery staple"}', "a correct horse"),
        ('{"password": "hunter22"}', "hunter223, xhunter22 and 9hunter22"),
        (f"https://x.io/?sig={TOKEN}", TOKEN),
    ],
)
def test_what_may_stand_elsewhere_for_another_reason_stays(text: str, again: str) -> None:
    masked, kept = json.loads(redact_json(json.dumps([text, again]))[0])
    assert MASK in masked
    assert kept == again


@pytest.mark.parametrize("number", ["1234567e89", "12.5e-100"])
def test_numbers_of_json_stay(number: str) -> None:
    text = f'{{"password":"{number}","n":[{number}]}}'
    assert json.loads(redact_json(text)[0]) == {"password": MASK, "n": [float(number)]}


def test_plain_text_and_several_texts_are_masked_alike() -> None:
    assert redact_text("user=ada password=hunter2, host=db") == f"user=ada password={MASK}, host=db"
    assert redact_text("nothing to see") == "nothing to see"
    texts = [b'{"password":"hunter2"}', b'{"query":"the key figures"}', b""]
    assert redact_each(texts) == [(f'{{"password":"{MASK}"}}'.encode(), 1), (texts[1], 0), (b"", 0)]


def test_mail_addresses_are_masked_only_on_request() -> None:
    text = '{"to":"Ada <ada.l+news@mail.example.co.uk>, bob@x and @carol"}'
    assert redact_json(text) == (text, 0)
    assert redact_json(text, emails=True) == (f'{{"to":"Ada <{MASK}>, bob@x and @carol"}}', 1)


def test_redacting_twice_changes_nothing_more() -> None:
    once, _ = redact_json(json.dumps([text for text, _ in SECRETS]))
    assert redact_json(once) == (once, 0)


json_texts = st.text(alphabet="{}[]\":,=\\' \nnpasword: tken0123Akey-_x.@/é", max_size=120)
seeds = st.sampled_from([text for text, _ in SECRETS] + HARMLESS + [table for table, _ in TABLES])
leaves = st.one_of(st.none(), st.integers(), json_texts, seeds, json_texts.map(json.dumps))
names = st.sampled_from(["password", "api_key", "token", "authorization", "text", "value"])
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(names, inner, max_size=4)
        | inner.map(json.dumps)
    ),
    max_leaves=12,
)


def same_shape(before: object, after: object) -> bool:
    """Whether lists and keys are the same wherever nothing was masked."""
    if isinstance(after, str) and MASK in after:
        return True
    if isinstance(before, list):
        return isinstance(after, list) and all(
            same_shape(*pair) for pair in zip(before, after, strict=True)
        )
    if isinstance(before, dict):
        assert isinstance(after, dict)
        return before.keys() == after.keys() and all(
            same_shape(before[key], after[key]) for key in before
        )
    return before == after


@given(values)
def test_json_stays_json_and_so_does_json_inside_it(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    masked, count = redact_json(text, emails=True)
    assert same_shape(unwrapped(json.loads(text)), unwrapped(json.loads(masked)))
    assert (masked == text) == (count == 0)


HOSTILE = [
    *("\\" * 2000, '\\"password\\":\\"', "password=", "token==========", "-eyJ", "a@a.", "://a:"),
    *("eyJaaaaaaaaaa.eyJ", "-----BEGIN RSA PRIVATE KEY-----\\n", "sk-", "a", "curl -u a:b "),
    *(
        "Bearer " + "a" * 37,
        "password" + " " * 200,
        "?key=aaaa&token=",
        'api_key: \\"aaaa ',
        "mysql",
    ),
    *(
        " -uuuuuu",
        "password: a|a|a|a|a ",
        "create user identified by a ",
        "auth('a', 'b')",
        "echo ",
    ),
    *(r"a,password\nb,c\n", "| password ", "insert into a (b, password) values (", '{"a', "[["),
    *('["password"],"rows":[[', "hooks.slack.com/services/", "password value= ", "docker login "),
]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_hostile_text_takes_no_longer_than_its_length(pattern: str) -> None:
    secret = "ghp_a7" + "".join(random.Random(1).choices(string.ascii_letters, k=34))
    text = json.dumps(
        [f"with {secret} ", pattern * (1_000_000 // len(pattern)), "password: hunter2"]
    )
    began = time.process_time()
    masked, count = redact_json(text, emails=True)
    # What grows with the square would take hours.
    assert time.process_time() - began < 10
    assert count >= 1
    assert secret not in masked
