"""What a failed body says beside its message, however it is nested."""

from __future__ import annotations

from typing import Any

import pytest

from assay.evidence.failure_words import bodies_of, numbers_in, words_beside


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("just text", ""),
        (None, ""),
        ({"error": {"code": "NO_BERTH", "message": "none"}}, "NO_BERTH\nnone"),
        ({"error": "odd", "errorCode": "BERTH_TAKEN"}, "BERTH_TAKEN\nodd"),
        ({"errors": [{"message": "no", "extensions": {"code": "THROTTLED"}}]}, "THROTTLED\nno"),
        ({"error": {"type": "overloaded_error", "message": "later"}}, "later\noverloaded_error"),
        ([{"message": "gone", "errorCode": "NOT_FOUND"}], "NOT_FOUND\ngone"),
        ({"error": "x" * 500}, ""),
    ],
)
def test_words(result: Any, words: str) -> None:
    assert words_beside(result) == words


@pytest.mark.parametrize(
    ("result", "numbers"),
    [
        ({"status": 404}, [404]),
        ({"status": "404", "message": "gone"}, [404]),
        ({"error": {"code": -32602, "message": "no"}}, [-32602]),
        ({"message": "no", "details": {"httpStatus": 401}}, [401]),
        ({"status": True, "code": "A1", "error": "no"}, []),
        ({"code": 10**30}, [10**30]),
    ],
)
def test_numbers(result: Any, numbers: list[int]) -> None:
    assert numbers_in(result) == numbers


def test_the_innermost_body_comes_first_and_not_too_many_are_read() -> None:
    nested: dict[str, Any] = {}
    for depth in range(100):
        nested = {"error": nested, "depth": depth}
    bodies = bodies_of(nested)
    assert len(bodies) == 12
    assert [body["depth"] for body in bodies[-2:]] == [98, 99]
