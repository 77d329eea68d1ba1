"""How sure what was found in a file nobody knows makes us that it is an agent's run."""

from __future__ import annotations


class Evidence:
    """What was found in a run, and how sure that makes us."""

    def __init__(self) -> None:
        """Begin with nothing found."""
        self.said: dict[str, int] = {}
        self.rows = 0
        self.calls = 0
        self.call_ids = 0
        self.named_results = 0
        self.own_results = 0
        self.next_results = 0

    def signs(self) -> list[tuple[float, str]]:
        """Each sign that this is a run of an agent, with its weight."""
        spoken = sum(self.said.values())
        both = {"user", "assistant"} <= self.said.keys()
        found = (
            (0.3, both and spoken, "{} message{s}, of a user and a model"),
            (0.1, not both and spoken, "{} message{s}, of one side only"),
            (0.2, self.calls and not both and self.rows, "{} question{s} with an answer beside it"),
            (0.3, self.calls, "{} call{s} with a tool's name and arguments"),
            (0.1, self.call_ids, "{} of them with the id of a call"),
            (0.3, self.named_results, "{} result{s} that name{v} {own} call"),
            (0.2, self.own_results, "{} result{s} that stand{v} in {own} call"),
            (0.1, self.next_results, "{} result{s} that follow{v} a call"),
        )
        return [(weight, _in_number(count, words)) for weight, count, words in found if count]

    def confidence(self) -> float:
        """How sure the signs make us, from 0 to 0.9."""
        return round(min(sum(weight for weight, _ in self.signs()), 0.9), 2)


def _in_number(count: int, words: str) -> str:
    """Words about so many things: noun, verb and owner in the singular for one alone."""
    is_one = count == 1
    return words.format(
        count, s="" if is_one else "s", v="s" if is_one else "", own="its" if is_one else "their"
    )
