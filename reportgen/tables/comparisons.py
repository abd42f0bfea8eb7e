"""The rows and tables of what compares models and slices: tests, differences, dominance, gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypedDict, get_args

from reportgen.tables.checked import AtLeastOne, AtLeastTwo, NotNegative, Proportion, ResultTable
from reportgen.text.reasons import NO_PROPORTION

Shows = Literal["difference", "equivalence", "non_inferiority", "probability"]
"""What a rejection shows; a test that gives probabilities rejects nothing."""

MARGINS: Final[tuple[Shows, ...]] = ("equivalence", "non_inferiority")
"""What tests show that are about a margin."""

Unit = Literal["rows", "folds", "repeats", "data sets", "samples"]
"""What is counted as one observation; ``samples`` are two sets of rows of their own."""

Recommendation = Literal["recommended", "valid", "avoid"]
RECOMMENDATION_ORDER = {name: place for place, name in enumerate(get_args(Recommendation))}

RANKS = "difference in mean rank"
"""The effect of tests on ranks; less is better, as rank 1 is the best."""

MEDIAN = "median difference"
PSEUDOMEDIAN = "median difference (Hodges–Lehmann)"
"""The effects of tests on signs and on signed ranks."""

ALL_PAIRS: Final = "all pairs"
"""The family of every pair of a set of models."""

RefutingSide = Literal["above", "below"]
"""Where a one-sided test looks for the value."""

DominanceCurve = Literal["roc", "precision_recall", "cost"]
CurveRelation = Literal["contains", "is contained", "crosses", "coincides"]


Doubt = Literal["level", "measure", "units"]
"""Why a test is not recommended: its level, what its measure says, or that too few units differ."""


@dataclass(frozen=True, kw_only=True)  # without slots: a record is copied several times
class ComparisonRow:
    """A test of significance: a row of ``Comparisons``, which says what each is."""

    comparison: str = ""
    label: str = ""
    short: str = ""
    symbol: str = ""
    shows: Shows = "difference"
    metric: str = ""
    models: tuple[str, ...] = ()
    slice: str | None = None
    unit: Unit = "rows"
    recommendation: Recommendation = "valid"
    why: str | None = None
    doubt: Doubt | None = None
    null_hypothesis: str = ""
    statistic: float | None = None
    df: float | None = None
    df_denominator: float | None = None
    critical_statistic: float | None = None
    p_value: Proportion | None = None
    p_adjusted: Proportion | None = None
    p_report: Proportion | None = None
    reachable: Proportion | None = None
    correction: str | None = None
    family: str | None = None
    family_size: AtLeastOne | None = None
    effect: str = "difference"
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    interval: str | None = None
    simultaneous_low: float | None = None
    simultaneous_high: float | None = None
    against: float | None = None
    side: RefutingSide | None = None
    critical: float | None = None
    detectable: float | None = None
    effective_groups: float | None = None
    kurtosis: float | None = None
    group_variation: tuple[float, ...] = ()
    probabilities: tuple[float, ...] = ()
    cross_table: tuple[float, ...] = ()
    alpha: float = 0.05
    reject: bool | None = None
    better: str | None = None
    undefined: str | None = None
    verdict: str = ""
    evidence: str | None = None
    assumptions: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    few_units: tuple[str, ...] = ()
    p_note: str | None = None

    @property
    def is_of_margin(self) -> bool:
        """Whether it is about a margin: of equivalence, or of non-inferiority."""
        return self.shows in MARGINS

    def without_test(
        self, value: float | None, low: float | None, high: float | None
    ) -> ComparisonRow:
        """The claim with another value, about which only limits say something."""
        return replace(
            self,
            estimate=value,
            low=low,
            high=high,
            p_value=None,
            p_adjusted=None,
            critical=None,
            reject=None,
            undefined=NO_PROPORTION,
        )


class Comparisons(ResultTable, row=ComparisonRow):
    """One row per test: statistic, p-values, effect with interval, and a sentence.

    ``estimate`` is what ``effect`` says, for a pair first model minus second.
    ``label`` is the test's name in a sentence, ``short`` in a cell, ``symbol`` that
    of its statistic, ``shows`` what a rejection shows, ``unit`` what was taken as
    one observation.
    ``p_adjusted`` is corrected for the ``family_size`` tests of its ``family``;
    ``reject`` is decided on it, and ``simultaneous_low`` and ``simultaneous_high``
    are limits that hold together at 1 − α over that family (Bonferroni; ``low`` and ``high`` are
    those of this test alone); to agree with ``reject`` one may be held at 0, and then they hold
    together with it at 1 − 2α. ``recommendation`` is
    "recommended", "valid" or "avoid", and ``why`` the reason, which of a test that is not
    recommended speaks against its level, and so its limits, against what its measure says of the
    models, or against naming one where few units differ (``doubt``). ``against`` is the claimed
    value, the margin or half the region of practical equivalence; ``critical`` the least
    effect that rejects; ``detectable`` the true difference that would have been
    detected four times in five.
    ``effective_groups``, ``kurtosis`` and ``group_variation`` are what the reasons for a
    recommendation rest on: how many groups of one size the groups are worth, how much the
    furthest differences of losses outweigh the others (3 if they are normal), and by model the
    coefficient of variation of the mean loss of a group, or of the loss of a row.
    ``probabilities`` are a posterior's: first better, practically the same,
    second better. ``critical_statistic`` is the value at which the statistic
    rejects at α, before any correction. ``p_report`` is p adjusted after Holm over
    every test of the report that decides: claims and gaps between slices too.
    ``reachable`` is the smallest p that data of this size could have given, of the
    tests that know it.
    ``cross_table`` are the rows that both models, only the first, only the second
    and neither predict correctly, of the tests that count these.
    ``side`` is the side of the claim on which a one-sided test looks for the value.
    ``evidence`` is what the verdict rests on: the effect with its limits, and the test;
    of several models the test. ``few_units`` is what it says of too few units for its
    approximation, ``p_note`` where p comes from, or why it has no digits, where that leaves the
    decision as it is; ``caveats`` are all others.
    """


def is_decided(row: ComparisonRow) -> bool:
    """Whether the test decides: here, and in the table of all tests."""
    return row.recommendation == "recommended" and row.reject is not None


def test_remarks(row: ComparisonRow) -> tuple[str, ...]:
    """All that a test says of itself."""
    of_p = () if row.p_note is None else (row.p_note,)
    return (*row.few_units, *row.caveats, *of_p)


class DifferenceRow(TypedDict, total=False):
    """How far two models differ in a measure: a row of ``Differences``."""

    metric: str
    models: Sequence[str]
    value: float | None
    low: float | None
    high: float | None
    interval: str | None
    undefined: str | None
    basis: str


class Differences(ResultTable, row=DifferenceRow):
    """How far two models differ in a main measure: first minus second of ``models``.

    ``interval`` names its method: that of the recommended test where the
    measure has one, else of paired rows. Where there is no value ``undefined``
    says why, as where a value has no limits that hold; else one without limits is of models that
    hardly differ. ``basis``
    is what value and limits are computed from: pooled rows, groups of them, the
    mean over folds, or data sets.
    """


class DominanceRow(TypedDict):
    """Whether one curve lies nowhere below another: a row of ``Dominance``."""

    curve: DominanceCurve
    models: Sequence[str]
    slice: str | None
    relation: CurveRelation
    crossings: Sequence[float]
    region_low: Sequence[float]
    region_high: Sequence[float]
    region_better: Sequence[str | None]
    stability: Proportion | None
    replicates: float | None
    verdict: str


class Dominance(ResultTable, row=DominanceRow):
    """Whether one curve lies nowhere below another: one row per pair and kind of curve.

    ``relation`` is "contains" (the first model's curve contains the second's),
    "is contained", "crosses" or "coincides". Regions are in the curve's own
    x (false-positive rate, recall, probability cost), each with its winner
    (null: tied). ``stability`` is the share of bootstrap samples in which the
    relation comes out the same, of so many ``replicates``; null where none were drawn.
    """


@dataclass(frozen=True, slots=True)
class Gap:
    """Where slices differ most in one measure: a row of ``Gaps``."""

    slicing: Sequence[str]
    model: str
    metric: str
    average: str | None
    lowest: str
    highest: str
    lowest_value: float
    highest_value: float
    gap: NotNegative
    slices: AtLeastTwo
    slice: str | None = None
    slice_value: float | None = None
    others_value: float | None = None
    p_value: Proportion | None = None
    p_adjusted: Proportion | None = None
    p_report: Proportion | None = None
    rough: bool = False
    untested: str | None = None
    left_out: Sequence[str] = ()


class Gaps(ResultTable, row=Gap):
    """Where slices differ most: one row per slicing, model and measure.

    ``gap`` is the highest minus the lowest value of the ``slices`` that are not
    small and have one. ``p_value`` is that of the test of these two slices,
    corrected for the pairs that they were picked from. In shares and AUC each of more
    than two slices is also tested against the others together, corrected for their
    number, and ``p_value`` is twice the smaller one. Where that is of a slice, ``slice``
    names it, ``slice_value`` is its value and ``others_value`` that of the others: of all
    their rows, of AUCs their mean. ``p_adjusted`` is corrected for all gaps of the slicing
    as well, ``p_report`` for every test of the report that decides. Where there is none,
    ``untested`` says why.
    ``rough``: fewer than 5 rows of a kind are expected in a slice. ``left_out``
    are the small slices.
    """
