"""Sessions of an arena whose answers have the scores that a test says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.arena.history import place_in_session
from assay.arena.keeping import Keeper, Scored
from assay.arena.session import Cell, Prompt, Session
from assay.execution import MCPExecutionData
from assay.metrics.chatbot.evaluator import CATEGORIES
from assay.score import Score
from assay.store import Store
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def score_of(**values: float | None) -> Score:
    parts = tuple(
        Score(category, None, parts=tuple(Score(name, values.get(name)) for name in metrics))
        for category, metrics in CATEGORIES.items()
    )
    known = [value for value in values.values() if value is not None]
    return Score("chatbot", sum(known) / len(known) if known else None, parts=parts)


def session_of(*prompts: Mapping[str, float | None], began: float = 100.0) -> Session:
    """A session whose answers have these accuracies, by letter."""
    session = Session("f" * 32, began, is_live=False)
    for number, values in enumerate(prompts, start=1):
        prompt = Prompt(number, f"prompt {number}", "BA", began, {}, number)
        for letter, value in values.items():
            cell = Cell(letter, f"agent-{letter}", "scripted-good")
            case = AgentTestCase(
                prompt.text,
                "an answer",
                execution_data=MCPExecutionData([]),
                framework=cell.label,
                model=cell.model,
                started_at=began + number,
                ended_at=began + number + 0.25,
            )
            place_in_session(case, session, prompt, letter)
            cell.finish(case, score_of(accuracy=value))
            prompt.cells[letter] = cell
        session.prompts.append(prompt)
    return session


def kept(tmp_path: Path, session: Session) -> Store:
    """A store that has every scored answer of a session."""
    store = Store.create(tmp_path / "store")
    with Keeper(store, "chatbot") as keeper:
        keeper.add(
            Scored(cell.case, cell.score)
            for prompt in session.prompts
            for cell in prompt.cells.values()
            if cell.case is not None and cell.score is not None
        )
    return store
