"""Results without small counts, and without what tells them.

The rule, which ``docs/privacy.md`` gives in full: a number is published only where
no group of rows that it counts has between one and the smallest count of
members, and where such a group does not follow from what else is published.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.errors import EmptyError, Problem
from reportgen.metrics import REGISTRY
from reportgen.results.model import Record, Results, typed
from reportgen.results.privacy.cells import Least, least, of_model
from reportgen.results.privacy.slicings import withheld
from reportgen.results.privacy.withheld_parts import REASON, records, withheld_parts
from reportgen.results.records import DataRecord, SliceRecord
from reportgen.spec import Spec
from reportgen.tables import (
    Comparisons,
    Confusion,
    Differences,
    Dominance,
    FoldMetrics,
    Gaps,
    Generalisation,
    Metrics,
    Slices,
)

OVER_ROWS = frozenset(
    {
        *("auc", "rank_loss", "gini", "average_precision", "pr_auc"),
        *("brier_score", "brier_skill", "brier_uncertainty", "log_loss", "d2_log_loss"),
        *("spherical_score", "observed_expected", "spiegelhalter_z"),
        *("calibration_slope", "calibration_intercept", "calibration_in_the_large"),
    }
)
"""Measures over all rows, or pairs of rows, of a class: no decision can be read off them."""

OF_CLASSES = frozenset({"n", "prevalence", "no_information_rate"})
"""Measures that follow from the sizes of the classes."""

ERRORS = frozenset({"accuracy", "error_rate"})
"""Shares of the rows: the sum of many cells where there are several classes."""

OF_SINGLE_ROWS = frozenset({"maximum_error", "interval_coverage"})
"""Measures of a number that one row decides, or that count rows."""

FEW_SCORES = 50
"""A model with fewer distinct scores gives decisions: sums over its scores tell counts."""

_DECIDED = ("counts", "classes", "matrix")


def without_small_cells(results: Results, spec: Spec) -> Results:
    """Return the results without counts below ``privacy.small_cells`` and what they follow from.

    Raises:
        EmptyError: a class has fewer rows, so that nothing may be published.
    """
    smallest = spec.privacy.small_cells
    if smallest is None:
        return results
    limit = least(results, smallest)
    _check_classes(results, limit)
    names = [model["name"] for model in results.data["models"]]
    open_ = [name for name in names if limit.allows(of_model(results, name))]
    gone = withheld(results, open_, limit)
    part = _Part(results, limit, frozenset(open_), _many_errors(results, limit), frozenset(gone))
    published = replace(
        results,
        metrics=part.metrics(),
        curves=part.curves(),
        comparisons=part.comparisons(),
        differences=part.differences(),
        dominance=typed(Dominance, []),
        folds=typed(FoldMetrics, []),
        generalisation=typed(Generalisation, []),
        slices=Slices.validate(results.slices.filter(~pl.col("slice").is_in(gone))),
        gaps=part.gaps(),
        data=part.data(),
    )
    left_out = records(withheld_parts(results, published), smallest)
    return replace(published, skipped=[*results.skipped, *left_out])


def _many_errors(results: Results, limit: Least) -> frozenset[str]:
    """Models of several classes whose errors may be summed: a sum over a table that stays here."""
    if results.data["task"] != "multiclass":
        return frozenset()
    rows = results.data["rows_evaluated"]
    of_all = (pl.col("metric") == "error_rate") & pl.all_horizontal(
        pl.col(name).is_null() for name in ("slice", "class", "average")
    )
    rates = results.metrics.filter(of_all, pl.col("value").is_not_null())
    errors = {model: round(rate * rows) for model, rate in rates.select("model", "value").rows()}
    return frozenset(model for model, n in errors.items() if limit.allows([n, rows - n]))


def _check_classes(results: Results, limit: Least) -> None:
    data = results.data
    listed = data.get("classes") or ()
    sizes = [data.get("positives"), data.get("negatives"), *(c.get("rows") for c in listed)]
    if data["task"] == "multilabel":
        sizes += [data["rows_evaluated"] - c["rows"] for c in listed]
    known = [data["rows_evaluated"], *(size for size in sizes if size is not None)]
    if not limit.allows(known):
        message = f"a class has 1 to {limit.count - 1} rows, which small_cells withholds"
        hint = "evaluate more rows, or leave out privacy.small_cells"
        raise EmptyError(Problem("small-cells", message, hint=hint))


@dataclass(frozen=True, slots=True)
class _Part:
    """The tables of results as they may be published.

    ``open_`` are the models whose confusion table has no small count,
    ``many_errors`` those that have many errors and many correct rows, ``gone`` the
    slices that stay unpublished.
    """

    results: Results
    limit: Least
    open_: frozenset[str]
    many_errors: frozenset[str]
    gone: frozenset[str]

    def metrics(self) -> DataFrame[Metrics]:
        """Every number of a slice that is left; a withheld one is null, with the reason."""
        table = self.results.metrics.filter(
            ~pl.col("slice").is_in(self.gone).fill_null(value=False)
        )
        keys = table.select("metric", "model", "average").iter_rows()
        shown = pl.Series([self._is_open(*key) for key in keys], dtype=pl.Boolean)
        of_all = pl.col("class").is_null() | pl.col("model").is_in(self.open_)
        shown = table.select(shown & (of_all | ~pl.col("metric").is_in(ERRORS))).to_series()
        numbers = ("value", "low", "high", "interval", "least", "most")
        nulled = [pl.when(shown).then(pl.col(name)).alias(name) for name in numbers]
        why = pl.when(shown).then("undefined").otherwise(pl.lit(REASON)).alias("undefined")
        return Metrics.validate(table.with_columns(*nulled, why))

    def _is_open(self, metric: str, model: str, average: str | None = None) -> bool:
        """Whether a measure of a model may be published."""
        if self.results.data["task"] == "regression":
            return metric not in OF_SINGLE_ROWS
        if metric in OF_CLASSES:
            return average != "folds"
        if metric in OVER_ROWS:
            return model not in self._coarse()
        if metric in ERRORS:
            return model in self.open_ or model in self.many_errors
        known = [registry[metric] for registry in REGISTRY.values() if metric in registry]
        decided = any(getattr(one, "on", "") in _DECIDED for one in known)
        return decided and average != "folds" and model in self.open_

    def _coarse(self) -> Collection[str]:
        """The models whose scores take few values."""
        roc = self.results.curves.get("roc")
        names = [model["name"] for model in self.results.data["models"]]
        if roc is None or self.results.data["task"] != "binary":
            return names if self.results.data["task"] == "binary" else ()
        points = dict(roc.group_by("model").len().iter_rows())
        return [name for name in names if points.get(name, 0) < FEW_SCORES]

    def curves(self) -> dict[str, Any]:
        """The confusion tables of the models that have no small count; no curve by rows."""
        table = self.results.curves.get("confusion")
        if table is None:
            return {}
        whole = pl.col("slice").is_null() & pl.col("model").is_in(self.open_)
        return {"confusion": Confusion.validate(table.filter(whole))}

    def comparisons(self) -> DataFrame[Comparisons]:
        """Tests of measures over rows; of decisions those whose joint counts are not small."""
        table = self.results.comparisons
        return Comparisons.validate(table.filter([self._is_told(r) for r in _rows(table)]))

    def _is_told(self, row: Record) -> bool:
        if row["slice"] in self.gone:
            return False
        models, joint = row["models"], row["cross_table"]
        if row["metric"] in OVER_ROWS or self.results.data["task"] == "regression":
            return all(self._is_open(row["metric"], model) for model in models)
        if not all(self._is_open(row["metric"], model) for model in models):
            return False
        return len(models) == 1 or (bool(len(joint)) and self.limit.allows(joint))

    def differences(self) -> DataFrame[Differences]:
        """Differences in measures over rows; those of decisions have limits that tell counts."""
        table = self.results.differences
        shown = [
            self._is_over_rows(row["metric"])
            and all(self._is_open(row["metric"], model) for model in row["models"])
            for row in _rows(table)
        ]
        return Differences.validate(table.filter(shown))

    def _is_over_rows(self, metric: str) -> bool:
        return metric in OVER_ROWS or self.results.data["task"] == "regression"

    def gaps(self) -> DataFrame[Gaps]:
        """Gaps of slicings that are whole, in numbers that are published."""
        table = self.results.gaps
        whole = self.results.slices.group_by("slicing").agg(pl.col("slice"))
        broken = [s for s, names in whole.iter_rows() if self.gone & set(names)]
        shown = [
            row["slicing"] not in broken and self._is_open(row["metric"], row["model"])
            for row in _rows(table)
        ]
        return Gaps.validate(table.filter(shown))

    def data(self) -> DataRecord:
        """The facts of the data without small counts."""
        data = self.results.data.copy()
        roles, again = data.get("roles"), data.get("identical_rows")
        if roles and not self.limit.allows(roles.values()):
            data["roles"] = None
        if again and not self.limit.allows([again]):
            data["identical_rows"] = None
            data["checks"] = [c for c in data["checks"] if c["name"] != "identical rows"]
        data["slices"] = [self._sizes(one) for one in data.get("slices") or ()]
        if groups := data.get("groups"):
            told = [one for one in groups["measures"] if self._is_open(one["metric"], one["model"])]
            data["groups"] = {**groups, "measures": told}
        data["models"] = [{**one, "disagreements": None} for one in data["models"]]
        return data

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
