"""Did the run change what it should, and nothing else?"""

from __future__ import annotations

from assay.metrics.effects.metric import EffectMatch

__all__ = ["EffectMatch"]
