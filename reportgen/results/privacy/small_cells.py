"""Results without small counts, and without what tells them.

The rule, which ``docs/privacy.md`` gives in full: a number is published only where
no group of rows that it counts has between one and the smallest count of
members, and where such a group does not follow from what else is published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import cast

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparing.gaps import corrected
from reportgen.comparing.ledger import with_ledger
from reportgen.errors import EmptyError
from reportgen.intervals import share_regions
from reportgen.intervals.method_names import MethodName
from reportgen.metric_names import CELLS, MEAN_OVER_FOLDS, OF_TESTS
from reportgen.metrics import REGISTRY, cells_of_share, mirrors
from reportgen.metrics.facts import Disclosure
from reportgen.records.data_summary import DataSummary
from reportgen.records.model import Results, typed
from reportgen.records.rows import DataRecord, Record, SliceRecord
from reportgen.records.withheld_parts import REASON, records, withheld_parts
from reportgen.results.privacy.cells import Cells, Least, least, of_results, withheld
from reportgen.results.privacy.data_facts import own_rows, without_small_counts
from reportgen.results.privacy.score_levels import ScoreLevels, SliceColumns, Telling, telling
from reportgen.spec import Spec
from reportgen.tables import (
    Comparisons,
    Confusion,
    Curve,
    Differences,
    Dominance,
    FoldMetrics,
    Gaps,
    Generalisation,
    Metrics,
    Slices,
)


def _disclosing(task: str, what: Disclosure) -> frozenset[str]:
    return frozenset(name for name, m in REGISTRY[task].items() if m.discloses == what)


OVER_ROWS = _disclosing("binary", "sums")
"""Measures over all rows, or pairs of rows, of a class: no decision can be read off them."""

OF_CLASSES = _disclosing("binary", "class sizes")
"""Measures that follow from the sizes of the classes."""

ERRORS = frozenset({"accuracy", *mirrors("accuracy")})
"""Shares of the rows: the sum of many cells where there are several classes."""

OF_SINGLE_ROWS = _disclosing("regression", "single rows")
"""Measures of a number that one row decides, that count rows, or add up those beyond a limit."""

_CLASSES = (("tp", "fn"), ("fp", "tn"))


def _cells_of_class(metric: str) -> tuple[str, ...]:
    """The cells of the class whose rows alone a measure follows from; none of other measures.

    >>> _cells_of_class("specificity"), _cells_of_class("fn"), _cells_of_class("precision")
    (('fp', 'tn'), ('tp', 'fn'), ())
    """
    share = cells_of_share(metric)
    named = {metric} if share is None else {*share.whole}
    return next((cells for cells in _CLASSES if named <= {*cells}), ())


_OVER_ROWS_OF_TESTS = frozenset({"rows", "samples"})
_OVER_TESTS = frozenset({MEAN_OVER_FOLDS, *OF_TESTS})

_KEY = ("privacy", "small_cells")

_DECIDED = ("counts", "classes", "matrix")


def without_small_cells(
    results: Results,
    spec: Spec,
    counted: Callable[[], Cells] | None,
    levels: Callable[[], ScoreLevels] | None,
) -> Results:
    """Return the results without counts below ``privacy.small_cells`` and what they follow from.

    ``counted`` counts the rows behind the numbers, where these are sums of weights, ``levels`` the
    values that the scores or errors of each model take.

    Raises:
        EmptyError: a class has fewer rows, so that nothing may be published.
    """
    smallest = spec.privacy.small_cells
    if smallest is None:
        return results
    limit = least(results, smallest)
    _check_classes(results, limit, spec)
    cells = of_results(results) if counted is None else counted()
    open_ = [name for name, counts in cells.whole.items() if limit.allows(counts)]
    gone = withheld(results, cells, open_, limit)
    sums = telling(results, limit, None if levels is None else levels())
    slicings = {row["slice"]: tuple(row["slicing"]) for row in _rows(results.slices)}
    part = _Part(results, limit, cells, frozenset(open_), frozenset(gone), sums, slicings)
    comparisons, gaps, *_ = with_ledger(part.comparisons(), part.gaps())
    published = replace(
        results,
        metrics=part.metrics(),
        curves=part.curves(),
        comparisons=comparisons,
        differences=part.differences(),
        dominance=typed(Dominance, []),
        folds=typed(FoldMetrics, []),
        generalisation=typed(Generalisation, []),
        slices=Slices.validate(results.slices.filter(~pl.col("slice").is_in(gone))),
        gaps=gaps,
        data=part.data(),
        data_summary=part.data_summary(),
        shift=None,
    )
    left_out = records(withheld_parts(results, published), smallest)
    return replace(published, skipped=[*results.skipped, *left_out])


def _check_classes(results: Results, limit: Least, spec: Spec) -> None:
    data, of_an_example = results.data, limit.count // (spec.privacy.small_cells or 1)
    few = f"fewer than {limit.count:,} rows"
    if of_an_example > 1:
        few += f" ({spec.privacy.small_cells} examples of up to {of_an_example:,} rows each)"
    listed = data.get("classes") or ()
    sizes = [data.get("positives"), data.get("negatives"), *(c.get("rows") for c in listed)]
    if results.task.several_labels:
        sizes += [data["rows_evaluated"] - c["rows"] for c in listed]
    sizes_shown = [data["rows_evaluated"], *(size for size in sizes if size is not None)]
    if not limit.allows(sizes_shown):
        which = "there are" if results.task.of_numbers else "a class has"
        message = f"{which} {few}, which small_cells withholds"
        hint = "evaluate more rows, or leave out privacy.small_cells"
        raise EmptyError(spec.problem(_KEY, "small-cells", message, hint))
    if not limit.allows(own_rows(results)):
        message = f"models have classes of, or differ in, {few}, which small_cells withholds"
        hint = "give every model the same rows, or leave out privacy.small_cells"
        raise EmptyError(spec.problem(_KEY, "small-cells", message, hint))


@dataclass(frozen=True, slots=True)
class _Part:
    """The tables of results as they may be published.

    ``cells`` are the counts of rows, ``open_`` the models whose confusion table has no
    small one, ``gone`` the slices that stay unpublished, ``telling`` the models and slicings
    where sums over rows tell counts, ``slicings`` the slicing of each slice.
    """

    results: Results
    limit: Least
    cells: Cells
    open_: frozenset[str]
    gone: frozenset[str]
    telling: Telling
    slicings: Mapping[str | None, SliceColumns]

    def metrics(self) -> DataFrame[Metrics]:
        """Every number of a slice that is left; a withheld one is null, with the reason."""
        table = self.results.metrics.filter(
            ~pl.col("slice").is_in(self.gone).fill_null(value=False)
        )
        keys = table.select("metric", "model", "average", "slice").iter_rows()
        shown = pl.Series([self._is_shown(*key) for key in keys], dtype=pl.Boolean)
        of_all = pl.col("class").is_null() | pl.col("model").is_in(self.open_)
        shown = table.select(shown & (of_all | ~pl.col("metric").is_in(ERRORS))).to_series()
        numbers = ("value", "low", "high", "interval", "least", "most")
        regions = [
            name
            for name in table["interval"].drop_nulls().unique()
            if MethodName.read(name).method == share_regions.NAME
        ]
        # Last digits tell the cells that a region of shares, or resampled classes, were found from.
        of_cells = pl.col("interval").is_in(regions).fill_null(value=False)
        of_cells = of_cells | pl.col("metric").is_in(OF_CLASSES)
        limited = pl.lit(shown) & (~of_cells | pl.col("model").is_in(self.open_))
        limits = ("low", "high", "interval")
        nulled = [
            pl.when(limited if name in limits else shown).then(pl.col(name)).alias(name)
            for name in numbers
        ]
        why = pl.when(shown).then("undefined").otherwise(pl.lit(REASON)).alias("undefined")
        without = pl.when(shown).then(
            pl.when(limited | pl.col("low").is_null()).then("no_interval").otherwise(pl.lit(REASON))
        )
        return Metrics.validate(table.with_columns(*nulled, why, no_interval=without))

    def _is_shown(self, metric: str, model: str, average: str | None, part: str | None) -> bool:
        """Whether a number is published: its measure is, or follows from one class over all rows.

        The cells of one class say nothing of those of the other, whose size is known anyway.
        """
        if self._is_open(metric, model, average, self.slicings.get(part)):
            return True
        cells = _cells_of_class(metric)
        if not cells or part is not None or average is not None:
            return False
        table = dict(zip(CELLS, self.cells.table(None, model), strict=True))
        return self.limit.allows(table[cell] for cell in cells)

    def _is_open(
        self,
        metric: str,
        model: str,
        average: str | None = None,
        slicing: SliceColumns | None = None,
    ) -> bool:
        if average in _OVER_TESTS and not self._is_open_by_part(metric):
            return False
        if metric in OF_CLASSES:
            return True
        if self.results.task.of_numbers:
            return metric not in OF_SINGLE_ROWS and not self.telling.of(model, slicing)
        if metric in OVER_ROWS:
            return not self.telling.of(model, slicing)
        if metric in ERRORS:
            return model in self.open_ or self._many_errors(model)
        infos = [registry[metric] for registry in REGISTRY.values() if metric in registry]
        decided = any(getattr(one, "on", "") in _DECIDED for one in infos)
        return decided and model in self.open_

    def _is_open_by_part(self, metric: str) -> bool:
        """Whether means over folds or data sets may be published: over rows, of large parts."""
        return self._is_over_rows(metric) and self._large_parts()

    def _large_parts(self) -> bool:
        """Whether no fold or data set has few test rows."""
        return self.limit.allows(self.results.folds.filter(role="test")["rows"])

    def _many_errors(self, model: str) -> bool:
        """Whether errors of several classes may be summed: over a table that is withheld."""
        rows, errors = self.results.data["rows_evaluated"], self.cells.errors.get(model)
        return errors is not None and self.limit.allows([errors, rows - errors])

    def curves(self) -> Mapping[str, DataFrame[Curve]]:
        """The confusion tables of the models that have no small count; no curve by rows."""
        table = self.results.curves.get("confusion")
        if table is None:
            return {}
        whole = pl.col("slice").is_null() & pl.col("model").is_in(self.open_)
        return {"confusion": cast("DataFrame[Curve]", Confusion.validate(table.filter(whole)))}

    def comparisons(self) -> DataFrame[Comparisons]:
        """Tests of measures over rows; of decisions those whose joint counts are not small.

        A test that was corrected together with a withheld one tells of it, and is withheld too.
        """
        table, rows = self.results.comparisons, _rows(self.results.comparisons)
        families = [(row["comparison"], row["metric"], row["slice"]) for row in rows]
        publishable = [self._is_publishable(row) for row in rows]
        broken = {family for family, shown in zip(families, publishable, strict=True) if not shown}
        return Comparisons.validate(table.filter([family not in broken for family in families]))

    def _is_publishable(self, row: Record) -> bool:
        if row["slice"] in self.gone:
            return False
        if row["unit"] not in _OVER_ROWS_OF_TESTS and not self._is_open_by_part(row["metric"]):
            return False
        models, joint = row["models"], row["cross_table"]
        if row["metric"] in OVER_ROWS or self.results.task.of_numbers:
            ranked = row["comparison"] == "wilcoxon" and self._few_better(row["statistic"])
            return not ranked and all(self._is_open(row["metric"], model) for model in models)
        if not all(self._is_open(row["metric"], model) for model in models):
            return False
        if len(models) == 1:
            return True
        weighted = self.results.data["weighted"]  # then the joint counts are sums of weights
        return not weighted and bool(len(joint)) and self.limit.allows(joint)

    def _few_better(self, ranks: float | None) -> bool:
        """Whether a sum of ranks may be that of few rows, on which one model is the better one."""
        few = self.limit.count - 1
        return ranks is not None and ranks <= few * (few + 1) / 2

    def differences(self) -> DataFrame[Differences]:
        """Differences in measures over rows; those of decisions have limits that tell counts.

        Where folds are small there are none, as whether they are over folds tells of these.
        """
        table = self.results.differences if self._large_parts() else typed(Differences, [])
        shown = [
            self._is_over_rows(row["metric"])
            and all(self._is_open(row["metric"], model) for model in row["models"])
            for row in _rows(table)
        ]
        return Differences.validate(table.filter(shown))

    def _is_over_rows(self, metric: str) -> bool:
        return metric in OVER_ROWS or self.results.task.of_numbers

    def gaps(self) -> DataFrame[Gaps]:
        """Gaps of slicings that are whole, in published numbers, corrected by themselves."""
        table = self.results.gaps
        whole = self.results.slices.group_by("slicing").agg(pl.col("slice"))
        broken = [s for s, names in whole.iter_rows() if self.gone & set(names)]
        shown = [
            row["slicing"] not in broken
            and self._is_open(row["metric"], row["model"], slicing=tuple(row["slicing"]))
            for row in _rows(table)
        ]
        return corrected(table.filter(shown))

    def data(self) -> DataRecord:
        """The facts of the data without small counts."""
        data = without_small_counts(self.results.data, self.limit)
        data["slices"] = [self._sizes(one) for one in data.get("slices") or ()]
        if groups := data.get("groups"):
            publishable = [
                one for one in groups["measures"] if self._is_open(one["metric"], one["model"])
            ]
            data["groups"] = {**groups, "measures": publishable}
        return data

    def data_summary(self) -> DataSummary | None:
        """What the data are like: no quantile, which is the score of a row, and no small count."""
        summary = self.results.data_summary
        if summary is None:
            return None
        rows = self.results.data["rows"] or 0
        missing = (
            m
            for m in summary.missing
            if self.limit.allows([m.rows, rows - m.rows]) and not (m.role == "slice" and self.gone)
        )
        rates = (one for one in summary.base_rates if one.slice not in self.gone)
        return DataSummary(tuple(missing), tuple(rates), ())

    def _sizes(self, slicing: SliceRecord) -> SliceRecord:
        """The values of a column whose slices are published."""
        name = slicing["name"]
        left = {
            row["values"][0]
            for row in _rows(self.results.slices)
            if row["slicing"] == [name] and row["slice"] not in self.gone
        }
        return {**slicing, "values": [v for v in slicing["values"] if str(v["value"]) in left]}


def _rows(table: pl.DataFrame) -> list[Record]:
    return table.to_dicts()
