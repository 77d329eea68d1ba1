"""Prompts that are put to an arena without a browser."""

from __future__ import annotations

from typing import Any

from tests.web.patient_client import CLIENT


def posed(address: str, text: str, **fields: Any) -> str:
    """Put a prompt to a session, or begin one, and wait until it is answered; its address."""
    repeats = int(fields.get("repeat", 1))
    data = {"prompt": text, **fields}
    if address.endswith("/arena"):
        reply = CLIENT.post(address, data=data)
        address, last = f"{address.removesuffix('/arena')}{reply.headers['location']}", repeats
    else:
        wanted = {"Accept": "application/json"}
        reply = CLIENT.post(f"{address}/prompts", data=data, headers=wanted)
        last = reply.json()["prompts"] + repeats - 1
    wait_until_answered(address, last)
    return address


def wait_until_answered(address: str, number: int = 1) -> None:
    """Return when all agents are done with a prompt of a session."""
    done = f'"kind": "done", "prompt": {number}}}'
    while 'class="clock"' not in CLIENT.get(f"{address}/prompts/{number}").text:
        # News that are too many to be told from the start end at once; then it is looked at again.
        with CLIENT.stream("GET", f"{address}/events") as news:
            any(line.endswith(done) for line in news.iter_lines())
