"""What looks like a secret is masked once more before a report leaves the house."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from assay.redaction import redact_json, redact_text
from assay.render.pages.environment import environment
from assay.render.pages.figures import NOTHING
from assay.render.pages.visible_text import visible
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from jinja2 import Environment


class Mask:
    """Masks texts, and remembers them: a report shows the same names over and over."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._seen: dict[str, str] = {}

    def text(self, text: str) -> str:
        """The text without what looks like a secret."""
        found = self._seen.get(text)
        if found is None:
            found = self._seen[text] = redact_text(text)
        return found

    def case(self, case: AgentTestCase) -> AgentTestCase:
        """The case without what looks like a secret, however deep it lies."""
        masked, count = redact_json(case.to_json())
        if not count:
            return case
        found = AgentTestCase.from_json(masked)
        found.source = case.source
        return found

    def templates(self) -> Environment:
        """The templates of all pages, every text in them masked where it is written."""

        def finish(value: object) -> object:
            if value is None:
                return NOTHING
            return value if isinstance(value, Markup) else self.text(visible(value))

        return environment().overlay(finalize=finish)
