"""Did a call fail, whose fault was it, and which kind of failure?

The names below are all there is to import; each is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "BLAMES": "kinds",
    "Blamed": "blame",
    "CIRCUMSTANCES": "kinds",
    "Judgement": "settling",
    "KINDS": "kinds",
    "Run": "blame",
    "USUAL_BLAME": "kinds",
    "blame_of": "settling",
    "blames_of": "settling",
    "judge_call": "settling",
    "settle": "settling",
}

if TYPE_CHECKING:
    from assay.outcome.blame import Blamed as Blamed
    from assay.outcome.blame import Run as Run
    from assay.outcome.kinds import BLAMES as BLAMES
    from assay.outcome.kinds import CIRCUMSTANCES as CIRCUMSTANCES
    from assay.outcome.kinds import KINDS as KINDS
    from assay.outcome.kinds import USUAL_BLAME as USUAL_BLAME
    from assay.outcome.settling import Judgement as Judgement
    from assay.outcome.settling import blame_of as blame_of
    from assay.outcome.settling import blames_of as blames_of
    from assay.outcome.settling import judge_call as judge_call
    from assay.outcome.settling import settle as settle

__all__ = sorted(_HOMES)  # noqa: PLE0605 - one list of names, not two


if not TYPE_CHECKING:  # or a type checker would believe any name

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'assay.outcome' has no attribute {name!r}")
        value = getattr(import_module(f"assay.outcome.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
