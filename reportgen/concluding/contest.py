"""The models in the deciding measure: their order, their standing and their differences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isclose

from reportgen.comparisons import wording
from reportgen.concluding.model_values import ModelValue
from reportgen.records.basis import Basis
from reportgen.records.decision import Standing
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import decimals

ROUNDING = 1e-12
"""Means of the same numbers in another order differ by less, as shares of one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A model minus another one by the deciding test, with limits that agree with its p."""

    estimate: float | None
    low: float | None
    high: float | None
    row: ComparisonRow
    digits: int


@dataclass(frozen=True)
class Contest:
    """The models in the deciding measure, best first, and the tests between them.

    ``tests`` are the deciding ones by pair of models, in either order;
    ``within`` the tests of the pairs whose equivalence within the margin is established,
    ``not_inferior`` those that establish by model that it is non-inferior to the baseline,
    ``open_margins`` those, no reason against them, that establish neither.
    ``undone`` are the pairs whose test rejects only as long as an undeclared column is left out.
    ``by_rank``: the order is that of mean ranks over data sets. ``common`` is the accuracy
    of always predicting the common class, where the other one is rare and no model is better,
    ``overall`` the recommended test of all models at once over data sets. ``infinite`` are the
    models whose loss is infinite, and which have no value; ``undefined`` has the reason by model.
    """

    measure: str
    basis: Basis
    values: Mapping[str, ModelValue]
    tests: Mapping[frozenset[str], ComparisonRow]
    within: Mapping[frozenset[str], ComparisonRow]
    not_inferior: Mapping[str, ComparisonRow]
    less_is_better: bool
    by_rank: bool = False
    open_margins: Sequence[ComparisonRow] = ()
    common: float | None = None
    overall: ComparisonRow | None = None
    undone: Mapping[frozenset[str], ComparisonRow] = field(default_factory=dict)
    infinite: Sequence[str] = ()
    undefined: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_margin_tests(self) -> bool:
        """Whether a test that nothing speaks against compares models with the declared margin."""
        return bool(self.within or self.open_margins or self.not_inferior)

    @property
    def what(self) -> str:
        """The measure in a sentence."""
        return wording.measure(self.measure)

    @property
    def order(self) -> list[str]:
        """The models with a value, best first: of one mean rank by value, then as declared."""

        def badness(name: str) -> tuple[float, float]:
            value = self.values[name]
            rank = value.mean_rank if self.by_rank else None
            return rank or 0.0, value.value if self.less_is_better else -value.value

        return sorted(self.values, key=badness)

    @cached_property
    def leader(self) -> str:
        """The best model that no test puts behind another; the best one if there is none."""
        order = self.order
        unbeaten = (
            m for m in order if all(self.standing(o, m) != "ahead" for o in order if o != m)
        )
        return next(unbeaten, order[0])

    @property
    def tied(self) -> list[str]:
        """The models that have the leader's value but for rounding, without the leader."""
        leading = self.values[self.leader].value
        alike = (n for n in self.order if isclose(self.values[n].value, leading, rel_tol=ROUNDING))
        return [n for n in alike if n != self.leader]

    @property
    def ranked_first(self) -> list[str]:
        """The models with the leader's mean rank, in their order."""
        rank = self.values[self.leader].mean_rank
        return [name for name in self.order if self.values[name].mean_rank == rank]

    @property
    def extreme(self) -> str:
        """What the best value is in a sentence."""
        return "lowest" if self.less_is_better else "highest"

    def standing(self, model: str, leader: str) -> Standing:
        """How a model stands to the leader."""
        if model == leader:
            return "leader"
        row = self.tests.get(frozenset((model, leader)))
        if row is None:
            return "not compared"
        if row.better is not None:
            return "ahead" if row.better == model else "behind"
        return "equivalent" if frozenset((model, leader)) in self.within else "level"

    def between(self, worse: str, better: str) -> str | None:
        """A model that tests put behind the one and ahead of the other, which none compares.

        Of means the first is then behind the second, as the family of tests holds its level.
        """
        return next(
            (
                name
                for name in self.order
                if self.standing(better, name) == "ahead" and self.standing(worse, name) == "behind"
            ),
            None,
        )

    def others(self, *standings: Standing) -> list[str]:
        """The models that stand so to the leader, best first."""
        leader = self.leader
        return [n for n in self.order if n != leader and self.standing(n, leader) in standings]

    def reference(self, leader: str, baseline: str | None) -> str:
        """The model that page one compares the others with: a tested baseline, else the leader."""
        tested = any(baseline in pair for pair in self.tests)
        return str(baseline) if tested else leader

    def unanswered(self, baseline: str | None) -> frozenset[str] | None:
        """The leader and a declared baseline, where others have a test, but these two have none.

        Who declares a baseline asks how the best model stands to it, and not to another one.
        """
        pair = frozenset((str(baseline), self.leader))
        asked = baseline in self.values and baseline not in (self.leader, *self.tied)
        known = pair in self.tests or pair in self.undone or self.by_rank or not self.tests
        return pair if asked and not known else None

    def rivals(self, leader: str, baseline: str | None) -> list[str]:
        """The models that the leader is level with, in the family of tests that was asked for.

        With a declared baseline that is the pairs with it: the baseline for a
        leader that is another model and compared with it. Without, every model.
        """
        opponents = self.order
        if baseline != leader and frozenset((baseline, leader)) in self.tests:
            opponents = [str(baseline)]
        return [m for m in opponents if self.standing(m, leader) in ("level", "equivalent")]

    def difference(self, model: str, reference: str) -> Difference | None:
        """The model minus the reference, by the deciding test."""
        row = self.tests.get(frozenset((model, reference)))
        if row is None:
            return None
        sign = 1 if row.models[0] == model else -1
        low, high = row.simultaneous_low, row.simultaneous_high
        if row.estimate is None or low is None or high is None:
            estimate = None if row.estimate is None else sign * row.estimate
            return Difference(estimate, None, None, row, self.digits)
        digits = decimals.among_effects(row.estimate, low, high, self.digits)
        ends = sorted((sign * low, sign * high))
        return Difference(sign * row.estimate, ends[0], ends[1], row, digits)

    @cached_property
    def digits(self) -> int:
        """The decimals of the differences between the models, the same for all of them."""
        return decimals_of_tests(self.tests.values())

    @cached_property
    def digits_of_values(self) -> int:
        """The decimals of the models' values, the same for all of them, as in a column."""
        return decimals.shared((v.value, v.low, v.high) for v in self.values.values())

    def as_ordered(self, model: str, other: str) -> Difference | None:
        """The difference of two models in the order of their test, which all pages have."""
        row = self.tests.get(frozenset((model, other)))
        return None if row is None else self.difference(*row.models)


def decimals_of_tests(tests: Iterable[ComparisonRow]) -> int:
    """The decimals that the differences of tests share, by their limits."""
    rows = ((r.estimate, r.simultaneous_low, r.simultaneous_high) for r in tests)
    return decimals.shared_by_effects(row for row in rows if row[0] is not None)
