"""Gaps between the slices of one slicing, with a test where the measure is a share of counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import comb

import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import stdtr

from reportgen.comparing.gap_influences import ERRORS, TESTED
from reportgen.comparing.slice_against_others import AgainstOthers, of_shares
from reportgen.comparing.slice_contrasts import SliceContrasts
from reportgen.comparisons import CORRECTIONS, LEAST_P, pooled_z
from reportgen.comparisons.unpaired import PooledZ
from reportgen.measuring.shares_by_row import GroupedShares
from reportgen.measuring.slices import FEW_OF_A_CLASS, FEW_ROWS
from reportgen.metric_names import CORRECT_ROWS, EQUALISED_ODDS
from reportgen.metrics import CLASS_OF_CELLS, cells_of_share
from reportgen.records.model import typed
from reportgen.tables import Gaps, Metrics, Slices
from reportgen.tables.comparisons import Gap
from reportgen.tasks import TASKS
from reportgen.tasks.binary import GRADED
from reportgen.tasks.record import MeasureAverage
from reportgen.text.reasons import NO_TEST

FAIRNESS: set[MeasureAverage] = {("false_positive_rate", None), ("detection_prevalence", None)}
"""Measures whose gaps are about fairness: compared where the slices are of one column."""

CALIBRATED: MeasureAverage = ("observed_expected", None)
"""Calibration by group; about fairness too, where the models give probabilities."""

ALIKE = "the proportion is 0 or 1"
FEW_GROUPS = "a slice has fewer than two groups, or the share does not vary between groups"
STILL = "a slice has too few rows or groups, or the measure does not vary in it"
ONE_UNTESTED = "one of its two gaps is not tested"

GapValues = Mapping[tuple[MeasureAverage, str], float]
"""Values by measure and model."""


def gaps(
    metrics: DataFrame[Metrics],
    slices: DataFrame[Slices],
    task: str,
    models: Sequence[str],
    untested: str | None = None,
    shares: GroupedShares | None = None,
    contrasts: SliceContrasts | None = None,
    *,
    graded: bool = False,
) -> DataFrame[Gaps]:
    """The gaps of each slicing between the slices that are not small, by model and measure.

    A share of the rows of one class needs enough rows of that class alone (``_Sizes``).

    Measures that are shares of counts are tested, unless ``untested`` says why
    not (rows are weighted, or evaluated more than once): the pooled z-test of the
    two slices with the lowest and the highest value, two-sided, its p-value
    times the number of pairs of slices that the two were picked from
    (Bonferroni). Of more than two slices each is also tested against the others in shares and AUC
    (``slice_against_others``), its p-value times the number of slices, and p is twice the smaller
    one of both: one slice of many is seen by the second, slices that rise or lie in two halves by
    the first. Then corrected after Holm over the gaps of a slicing. Null
    hypothesis: the share is the same in all slices; rows are independent. The
    p-value of equalised odds is the smaller of its two, times two. A gap that
    fewer than two slices have a value for is left out. Where rows come in groups
    (``shares``) the rows of both slices are taken as so many less as the design
    effect of their difference says (groups may have rows in both), and the
    normal distribution as that of t. Gaps in AUC and in errors of estimates are tested
    by ``contrasts``, where there are any. Of ``graded`` answers there are those in the error rate.
    Agresti (2013), *Categorical Data Analysis*, 3.2; Hardt, Price & Srebro
    (2016), arXiv:1610.02413; Rao & Scott (1992), doi:10.2307/2532311.
    """
    numbers = _numbers(metrics)
    result: list[Gap] = []
    for key, rows in slices.group_by("slicing", maintain_order=True):
        slicing = tuple(key[0])
        sizes = _Sizes.of(rows, grouped=shares is not None)
        values = {label: numbers[label] for label in rows["slice"] if label in numbers}
        slicing_gaps = _Slicing(slicing, values, sizes, untested, shares, contrasts).gaps(
            models, list(GRADED.slice_measures) if graded else _measures(task, slicing)
        )
        result += _corrected(slicing_gaps)
    return typed(Gaps, [asdict(gap) for gap in result])


def _numbers(metrics: pl.DataFrame) -> dict[str, dict[tuple[MeasureAverage, str], float]]:
    """The values of each slice, without those of single classes."""
    rows = metrics.filter(
        pl.col("slice").is_not_null(), pl.col("class").is_null(), pl.col("value").is_not_null()
    )
    by_slice: dict[str, dict[tuple[MeasureAverage, str], float]] = {}
    columns = rows.select("slice", "metric", "average", "model", "value")
    for label, metric, average, model, value in columns.iter_rows():
        by_slice.setdefault(label, {})[(metric, average), model] = value
    return by_slice


def _measures(task: str, slicing: Sequence[str]) -> list[MeasureAverage]:
    if TASKS[task].has_fairness(slicing):
        return [*TASKS[task].slice_measures, (EQUALISED_ODDS, None), CALIBRATED]
    return [measure for measure in TASKS[task].slice_measures if measure not in FAIRNESS]


def corrected(table: pl.DataFrame) -> DataFrame[Gaps]:
    """The gaps with ``p_adjusted`` after Holm over those of their slicing alone."""
    rows = table.with_row_index("place").filter(pl.col("p_value").is_not_null())
    adjusted = pl.Series([None] * table.height, dtype=pl.Float64)
    for part in rows.partition_by("slicing", maintain_order=True):
        values = CORRECTIONS["holm"](part["p_value"].to_list())
        adjusted = adjusted.scatter(part["place"], values)
    return Gaps.validate(table.with_columns(adjusted.alias("p_adjusted")))


def _corrected(slicing_gaps: Sequence[Gap]) -> list[Gap]:
    corrected = iter(
        CORRECTIONS["holm"]([g.p_value for g in slicing_gaps if g.p_value is not None])
    )
    return [
        g if g.p_value is None else replace(g, p_adjusted=next(corrected)) for g in slicing_gaps
    ]


@dataclass(frozen=True)
class GapTest:
    """What a test says of a gap, or why there is none."""

    p_value: float | None = None
    rough: bool = False
    untested: str | None = None


@dataclass(frozen=True)
class _Sizes:
    """Which slices are too small for a measure: ``small`` ones for all but ``enough`` for some.

    ``enough`` has the slices with enough positives, or negatives, for shares of these alone: those
    of all rows say of others no more than what class they are of.
    """

    small: tuple[str, ...]
    enough: Mapping[bool | None, frozenset[str]]

    @classmethod
    def of(cls, rows: pl.DataFrame, *, grouped: bool) -> _Sizes:
        """Of the slices of one slicing; rows in groups may be few groups of either class."""
        small = tuple(rows.filter("small")["slice"])
        if not small or grouped or rows["positives"].null_count():
            return cls(small, {})
        negatives = pl.col("rows") - pl.col("positives")
        enough: dict[bool | None, pl.Expr] = {
            True: pl.col("positives") >= FEW_OF_A_CLASS,
            False: negatives >= FEW_OF_A_CLASS,
        }
        large = rows.filter(pl.col("rows") >= FEW_ROWS)
        of_side = {side: frozenset(large.filter(of)["slice"]) for side, of in enough.items()}
        return cls(small, of_side)

    def left_out(self, metric: str) -> tuple[str, ...]:
        """The slices that are too small for a measure."""
        cells = cells_of_share(metric)
        if cells is None or cells.whole not in CLASS_OF_CELLS:
            return self.small
        enough = self.enough.get(CLASS_OF_CELLS[cells.whole], frozenset())
        return tuple(label for label in self.small if label not in enough)


@dataclass(frozen=True)
class _Slicing:
    """The values of the slices, and which of them are too small."""

    columns: tuple[str, ...]
    numbers: Mapping[str, GapValues]
    sizes: _Sizes
    untested: str | None
    shares: GroupedShares | None = None
    contrasts: SliceContrasts | None = None

    def gaps(self, models: Sequence[str], measures: Sequence[MeasureAverage]) -> list[Gap]:
        return [gap for model in models for gap in self._of_model(model, measures)]

    def _of_model(self, model: str, measures: Sequence[MeasureAverage]) -> Iterator[Gap]:
        by_metric: dict[str, Gap] = {}
        for measure in measures:
            gap = _odds(by_metric) if measure[0] == EQUALISED_ODDS else self._gap(model, measure)
            if gap is not None:
                by_metric[gap.metric] = gap
                yield gap

    def _gap(self, model: str, measure: MeasureAverage) -> Gap | None:
        key = measure, model
        small = self.sizes.left_out(measure[0])
        valued = {
            label: values[key]
            for label, values in self.numbers.items()
            if key in values and label not in small
        }
        if len(valued) < 2:
            return None
        ends = min(valued, key=lambda k: valued[k]), max(valued, key=lambda k: valued[k])
        low, high = (valued[end] for end in ends)
        numbers = low, high, high - low, len(valued)
        gap = Gap(self.columns, model, *measure, *ends, *numbers, left_out=small)
        plain = gap.average is None and _is_share(gap.metric)
        contrasted = gap.average is None and gap.metric in TESTED and self.contrasts is not None
        if self.untested or not (plain or contrasted):
            return replace(gap, untested=self.untested if plain or contrasted else NO_TEST)
        test = self._of_ends(gap, plain=plain)
        tested = replace(gap, p_value=test.p_value, rough=test.rough, untested=test.untested)
        if len(valued) == 2 or gap.metric in ERRORS:
            return tested
        return _surer(tested, self._against_others(gap, list(valued), plain=plain), valued)

    def _against_others(
        self, gap: Gap, labels: Sequence[str], *, plain: bool
    ) -> Sequence[AgainstOthers]:
        if self.contrasts is not None and not plain:
            return self.contrasts.areas_against_others(gap.model, self.columns, labels)
        counts = {name: _counts(self.numbers[name], gap.model, gap.metric) for name in labels}
        designs = None
        if self.shares is not None:
            shares = self.shares.of_slices(self.columns, labels)
            designs = shares.designs(gap.model, gap.metric, self.columns, labels)
        return list(of_shares(counts, designs))

    def _of_ends(self, gap: Gap, *, plain: bool) -> GapTest:
        if self.contrasts is not None and not plain:
            return self._contrasted(gap, self.contrasts)
        sides = [
            _counts(self.numbers[end], gap.model, gap.metric) for end in (gap.lowest, gap.highest)
        ]
        successes, rows = zip(*sides, strict=True)
        tested = pooled_z(successes, rows)
        if tested is None:
            return GapTest(untested=ALIKE)
        if self.shares is not None and tested.z:
            tested = self._in_groups(gap, self.shares, successes, rows)
        if tested is None:
            return GapTest(untested=FEW_GROUPS)
        return GapTest(_of_pairs(tested.p_value, gap), tested.rough)

    def _contrasted(self, gap: Gap, contrasts: SliceContrasts) -> GapTest:
        ends = gap.lowest, gap.highest
        p_value = contrasts.of_slices(gap.model, gap.metric, self.columns, ends)
        return GapTest(untested=STILL) if p_value is None else GapTest(_of_pairs(p_value, gap))

    def _in_groups(
        self,
        gap: Gap,
        shares: GroupedShares,
        successes: tuple[float, float],
        rows: tuple[float, float],
    ) -> PooledZ | None:
        ends = gap.lowest, gap.highest
        shares = shares.of_slices(self.columns, ends)
        parts = shares.slice(self.columns, ends[0]), shares.slice(self.columns, ends[1])
        design_effect = shares.design(gap.model, gap.metric, parts)
        if design_effect is None:
            return None
        d, freedom = design_effect
        tested = pooled_z((successes[0] / d, successes[1] / d), (rows[0] / d, rows[1] / d))
        if tested is None:
            return None
        p_value = 2 * float(stdtr(freedom, -abs(tested.z)))
        return replace(tested, p_value=p_value)


def _surer(gap: Gap, tests: Sequence[AgainstOthers], values: Mapping[str, float]) -> Gap:
    """The gap with p over both families of tests, and the slice that it is of."""
    first = min(tests, key=lambda one: one.p_value, default=None)
    of_ends = None if gap.p_value is None else min(1.0, 2 * gap.p_value)
    if first is None:
        return replace(gap, p_value=of_ends)
    of_slice = min(1.0, 2 * max(LEAST_P, first.p_value) * gap.slices)
    if of_ends is not None and of_ends <= of_slice:
        return replace(gap, p_value=of_ends)
    return replace(
        gap,
        slice=first.slice,
        slice_value=values[first.slice],
        others_value=first.others,
        p_value=of_slice,
        rough=False,
        untested=None,
    )


def _of_pairs(p_value: float, gap: Gap) -> float:
    """Corrected for the pairs of slices that the two were picked from."""
    return min(1.0, max(LEAST_P, p_value) * comb(round(gap.slices), 2))


def _odds(by_metric: Mapping[str, Gap]) -> Gap | None:
    parts = [by_metric[name] for name in ("recall", "false_positive_rate") if name in by_metric]
    if len(parts) < 2:
        return None
    larger = max(parts, key=lambda gap: gap.gap)
    values = [gap.p_value for gap in parts if gap.p_value is not None]
    tested = len(values) == 2
    reasons = [gap.untested for gap in parts if gap.untested]
    return replace(
        larger,
        metric=EQUALISED_ODDS,
        p_value=min(1.0, 2 * min(values)) if tested else None,
        rough=any(gap.rough for gap in parts),
        untested=None if tested else reasons[0] if len(reasons) == 2 else ONE_UNTESTED,
    )


def _is_share(metric: str) -> bool:
    return metric in CORRECT_ROWS or cells_of_share(metric) is not None


def _counts(values: GapValues, model: str, metric: str) -> tuple[float, float]:
    """Rows of the counted kind, and all of them."""
    cells = cells_of_share(metric)
    if cells is None or metric in CORRECT_ROWS:
        whole = values.get((("n", None), model), 0.0)
        return round(values[(metric, None), model] * whole), whole
    successes, whole = (
        sum(values.get(((name, None), model), 0.0) for name in names) for names in cells
    )
    return successes, whole
