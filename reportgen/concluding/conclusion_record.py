"""What an evaluation concludes, before it is put into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.comparisons.wording import measure
from reportgen.concluding import headline_numbers as form
from reportgen.concluding.claim_verdicts import ClaimVerdicts
from reportgen.concluding.leading import Contest, Difference
from reportgen.records.decision import AtChance, Relation
from reportgen.records.rows import DataRecord
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers


@dataclass(frozen=True)
class Conclusion:
    """What the evaluation concludes: how the models stand, and the numbers beside it.

    ``why`` is the reason that there is no conclusion. ``difference`` is that of
    the leader to ``compared_with``, ``overall`` the test of all models at once
    over data sets, ``claims`` those about the only model.
    """

    contest: Contest
    relation: Relation
    leader: str
    baseline: str | None
    compared_with: str | None
    difference: Difference | None
    chance: Sequence[AtChance]
    alpha: float
    confidence: float
    data: DataRecord
    margin: float | None = None
    why: str | None = None
    ruled_out: float | None = None
    units_needed: int | None = None
    units: str | None = None
    overall: ComparisonRow | None = None
    claims: ClaimVerdicts | None = None

    @property
    def what(self) -> str:
        """The measure in a sentence."""
        return measure(self.contest.measure)

    @property
    def digits(self) -> int:
        """The decimals of the models' values, the same for all of them."""
        return form.shared_decimals(self.contest.values.values())

    @property
    def value(self) -> str:
        """The leader's value with its interval."""
        value, level = self.contest.values[self.leader], f"{numbers.level(self.confidence)} CI "
        return form.with_limits(value.value, value.low, value.high, level, self.digits)

    @property
    def deciding(self) -> ComparisonRow | None:
        """The test that the headline rests on; null where it rests on none."""
        if self.difference is None or self.relation in ("no conclusion", "single", "at chance"):
            return None
        if self.relation == "equivalent":
            pair = frozenset((self.leader, str(self.compared_with)))
            return self.contest.within.get(pair)
        return self.difference.row

    def others(self, *standings: str) -> list[str]:
        """The models that stand so to the leader, best first."""
        order = [name for name in self.contest.order if name != self.leader]
        return [n for n in order if self.contest.standing(n, self.leader) in standings]
