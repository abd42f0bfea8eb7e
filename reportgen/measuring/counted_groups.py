"""What dependence within groups does to one model of two classes whose rows are counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.clusters import Effect
from reportgen.intervals import LossVariance
from reportgen.measuring.grouped import AREAS


@dataclass(frozen=True)
class CountedGroups:
    """The effects of groups on measures of scores: on the AUC, on mean losses.

    Others need the rows: what is best over thresholds, and fits of scores.
    """

    area: Effect
    losses: Mapping[str, LossVariance]

    def effects(self, values: Mapping[str, float | None]) -> dict[str, Effect]:
        """The effects on the measures of scores that have ``values``."""
        areas = {name: self.area for name in AREAS if values.get(name) is not None}
        return areas | {name: of_loss.effect for name, of_loss in self.losses.items()}
