"""A secret that was found goes wherever else it stands in the text; what may be a word stays."""

from __future__ import annotations

import json
import time

import pytest
from tests.store.test_redaction import MEGABYTES, WRAPPINGS, Wrap, noise, unwrapped

from assay.store import redaction
from assay.store.redaction import redacted
from assay.store.secret_rules import MASK

TOKEN = "abcDEF123456ghijKLMN"


def masked(*texts: str) -> list[str]:
    found, _ = redacted(json.dumps(texts))
    return list(json.loads(found))


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=list(WRAPPINGS))
@pytest.mark.parametrize("told_in", WRAPPINGS.values(), ids=list(WRAPPINGS))
def test_a_secret_goes_where_nothing_tells_it(told_in: Wrap, wrap: Wrap) -> None:
    told = told_in(json.dumps({"access_token": TOKEN}))
    again = wrap(f"{TOKEN}: https://x.io/{TOKEN}?s={TOKEN}, `{TOKEN}` or ({TOKEN}).")
    for text in (f"[{told},{again}]", f"[{again},{told}]"):
        found, count = redacted(text)
        assert TOKEN not in found
        assert count == found.count(MASK) == 6
        assert json.loads(found.replace(MASK, TOKEN)) == json.loads(text)
        assert TOKEN not in json.dumps(unwrapped(json.loads(found)))


@pytest.mark.parametrize(
    ("told", "secret"),
    [
        ("password: Tr0ub4dor&3", "Tr0ub4dor&3"),
        ("password: Pa$$wordly", "Pa$$wordly"),
        ('{"password": "s3cr3tPassw0rd"}', "s3cr3tPassw0rd"),
        ('{"token": "s3cr3tPassw0rd\\n"}', "s3cr3tPassw0rd"),
        ("curl -u bob:topsecret99 https://x.io", "topsecret99"),
        ("postgres://ada:topsecret99@db:5432/shop", "topsecret99"),
        ('{"cookie": "theme=dark; session=9f8e7d6c5b4a39281706"}', "9f8e7d6c5b4a39281706"),
        ("Authorization: Bearer 9f8e7d6c5b4a39281706", "9f8e7d6c5b4a39281706"),
        ("| user | password |\n|---|---|\n| ada | tr0ub4dor9 |", "tr0ub4dor9"),
    ],
)
def test_a_secret_goes_however_it_was_found(told: str, secret: str) -> None:
    assert masked(told, f"with {secret} then")[1] == f"with {MASK} then"


@pytest.mark.parametrize(
    ("told", "again"),
    [
        # A word, a name, a phrase, a number, a short one.
        ('{"password": "swordfish"}', "swordfish steak"),
        ('{"client_secret": "zyx-wvu"}', "zyx-wvu"),
        ('{"passphrase": "correct horse battery staple"}', "a correct horse battery staple"),
        ('{"password": "1234567890"}', "call 1234567890"),
        ("password=hunter2", "hunter2 is a name"),
        # Part of a longer word.
        ('{"password": "hunter22"}', "hunter223, xhunter22 and 9hunter22"),
        # A link's signature, who a cookie is for, and who has a password.
        (f"https://x.io/?sig={TOKEN}", TOKEN),
        ("Cookie: user=alice2024; session=9f8e7d6c5b4a39281706", "alice2024"),
        ("postgres://alice2024:hunter2@db/shop", "alice2024"),
    ],
)
def test_what_may_stand_there_for_another_reason_stays(told: str, again: str) -> None:
    found, kept = masked(told, again)
    assert MASK in found
    assert kept == again


def test_a_secret_with_backslashes_goes_one_level_up_and_down() -> None:
    secret = "ab7\\cd\\Xyz7"
    again = [secret, json.dumps([secret]), json.dumps([json.dumps([secret])])]
    told = json.dumps({"password": secret})
    assert "Xyz7" not in "".join(masked(told, *again))
    assert "Xyz7" not in "".join(masked(json.dumps([told]), *again[1:]))


def test_the_letter_of_an_escape_begins_no_secret() -> None:
    (_, line, folder) = masked('{"password": "n1234567x"}', "a\n1234567x", "c:\\n1234567x")
    assert (line, folder) == ("a\n1234567x", "c:\\n1234567x")


@pytest.mark.parametrize("secret", ["1234567e89", "true,1234", "1e22,2e22,3e22", "12.5e-100"])
def test_what_json_has_outside_of_texts_stays(secret: str) -> None:
    text = f'{{"password":"{secret}","n":[{secret}]}}'
    assert redacted(text) == (f'{{"password":"{MASK}","n":[{secret}]}}', 1)


def test_of_secrets_that_hold_each_other_nothing_is_left() -> None:
    told = [
        json.dumps({"password": value}) for value in ("abcd1234", "abcd1234-wxyz9", "q9-abcd1234")
    ]
    assert masked(*told, "abcd1234-wxyz9 q9-abcd1234 q9-abcd1234-wxyz9 abcd1234")[3] == (
        " ".join([MASK] * 4)
    )


def test_a_key_of_json_goes_as_well() -> None:
    assert redacted(f'{{"password":"{TOKEN}","by":{{"{TOKEN}":1}}}}') == (
        f'{{"password":"{MASK}","by":{{"{MASK}":1}}}}',
        2,
    )


def test_masking_twice_changes_nothing_more() -> None:
    text = json.dumps([json.dumps({"api_key": TOKEN}), TOKEN, f"password: {TOKEN}"])
    once, count = redacted(text)
    assert count == 3
    assert redacted(once) == (once, 0)


def test_a_text_without_a_secret_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "repeated_secrets", None)
    text = json.dumps([{"password": "required"}, "the token", "sk-xxxx", "curl -u ada", TOKEN])
    assert redacted(text) == (text, 0)


def test_there_is_an_end_to_how_many_are_looked_for() -> None:
    secrets = [f"{noise(12)}{number}" for number in range(100)]
    found = masked(*(f"password: {secret}" for secret in secrets), *secrets)
    assert found[:100] == [f"password: {MASK}"] * 100
    assert found[100:164] == [MASK] * 64


@pytest.mark.parametrize(
    "body",
    ["a" * 30 + "1", "a", "a1", "aaaaaaa1 ", "\\\\", "password: a&", "a&amp;", "password=a1&b="],
)
@pytest.mark.parametrize("secret", ["a" * 20 + "1" + "a" * 20, "{:x>9}a1"])
def test_hostile_text_takes_no_longer_than_its_length(body: str, secret: str) -> None:
    told = json.dumps([{"password": secret.format(number)} for number in range(64)])
    text = f'[{told},"password: {body * (MEGABYTES * 1_000_000 // len(body))}"]'
    began = time.process_time()
    redacted(text)
    assert time.process_time() - began < 5 * MEGABYTES


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("password: Tr0ub4dor&3 and more", f"password: {MASK} and more"),
        ("PASSWORD=Tr0ub4dor&3", f"PASSWORD={MASK}"),
        ("The password is Tr0ub4dor&3.", f"The password is {MASK}."),
        ("password: Tr0ub4dor&amp;3", f"password: {MASK}"),
        ('{"m": "password: Tr0ub4dor\\u00263"}', f'{{"m": "password: {MASK}"}}'),
        ("password=x1y2&user=y", f"password={MASK}&user=y"),
        ("https://x.io/?password=x1y2&user=y", f"https://x.io/?password={MASK}&user=y"),
        ("https://x.io/?a=b&password=x1y2&debug", f"https://x.io/?a=b&password={MASK}&debug"),
        ("https://x.io/?a=b&amp;password=x1&amp;c", f"https://x.io/?a=b&amp;password={MASK}&amp;c"),
        ("password=x1y2&amp;user=y", f"password={MASK}&amp;user=y"),
        ('{"m": "password=x1\\u0026user=y"}', f'{{"m": "password={MASK}\\u0026user=y"}}'),
        ("password: hunter2&lt;/b&gt;", f"password: {MASK}&lt;/b&gt;"),
        ("PGPASSWORD=hunter2&&psql", f"PGPASSWORD={MASK}&&psql"),
        ("fn login(password: &str)", "fn login(password: &str)"),
    ],
)
def test_an_ampersand_ends_a_password_only_where_pairs_are(text: str, left: str) -> None:
    assert masked(text) == [left]
