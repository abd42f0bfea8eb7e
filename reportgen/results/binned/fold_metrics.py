"""The parts of an evaluation from their counts: folds, data sets, training beside test rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.engines.partial import FITS
from reportgen.engines.plan import Plan
from reportgen.measuring.costs import fixed_costs
from reportgen.measuring.fold_metrics import in_order
from reportgen.metric_names import CELLS, COST
from reportgen.metrics import METRICS
from reportgen.predictions.evaluation_scheme import ONE_TEST, Evaluation
from reportgen.predictions.recognition import of_sizes, with_groups
from reportgen.records.model import typed
from reportgen.results.binned.bounds import MOST_OPEN
from reportgen.results.binned.counts import EvaluationCounts
from reportgen.results.binned.part_counts import PartCounts
from reportgen.results.binned.sweeps import sweeps
from reportgen.tables import FoldMetrics

ValuesOfParts = Mapping[tuple[str, str], Sequence[float | None]]
"""The value of every part by measure and model."""


def shares_of_parts(
    counted: PartCounts, cells: pl.DataFrame, is_error: pl.Expr, measure: str, parts: Sequence[str]
) -> ValuesOfParts:
    """The share of correct decisions of every model in every part; ``cells`` count decisions."""
    of_errors = means_of_parts(counted, cells, is_error.cast(pl.Float64), measure, parts)
    return {
        key: [None if error is None else 1 - error for error in errors]
        for key, errors in of_errors.items()
    }


def means_of_parts(
    counted: PartCounts, cells: pl.DataFrame, loss: pl.Expr, measure: str, parts: Sequence[str]
) -> ValuesOfParts:
    """The mean loss of the decisions of every model in every part; ``cells`` count decisions."""
    whole = (
        cells.with_columns(lost=loss * pl.col("count"))
        .group_by("model", "part", maintain_order=True)
        .agg(pl.col("lost", "count").sum())
    )
    means = {(m, p): lost / n for m, p, lost, n in whole.iter_rows() if n > 0}
    return {
        (measure, model.name): [means.get((k, part)) for part in parts]
        for k, model in enumerate(counted.models)
    }


class Folds:
    """The parts of an evaluation; ``distinct`` says that no id returns.

    ``of_parts`` evaluates parts that are named.
    """

    def __init__(
        self,
        counted: PartCounts,
        plan: Plan,
        of_parts: Callable[[Sequence[str]], ValuesOfParts],
        *,
        distinct: bool,
    ) -> None:
        self._parts, self._columns, self._distinct = counted, plan.fits, distinct
        self._of_parts = of_parts

    @cached_property
    def _sizes(self) -> pl.DataFrame:
        """One row per part: its name, its columns, ``rows``."""
        decisions = self._parts.decisions.filter(scope=FITS)
        sizes = decisions.group_by("part").agg(pl.col("rows").sum()).sort("part")
        values = [json.loads(part) for part in sizes["part"]]
        return sizes.with_columns(
            pl.Series(name, [value[place] for value in values], dtype=pl.String)
            for place, name in enumerate(self._columns)
        )

    @cached_property
    def evaluation(self) -> Evaluation:
        """How the models were tested, as far as counts tell, and the groups that rows are from."""
        rows = self._parts.facts["rows"]
        test_examples = rows if self._distinct else None
        evaluation = replace(
            ONE_TEST, examples=rows, test=float(rows), test_rows=rows, test_examples=test_examples
        )
        if self._columns:
            evaluation = of_sizes(self._sizes, distinct=self._distinct)
        groups = self._parts.groups
        if groups is None:
            return evaluation
        parts = groups.parts(self._columns) if self._columns else None
        return with_groups(evaluation, groups.lines_of().groups.number, parts)

    @property
    def folds(self) -> int | None:
        """How many folds are evaluated; null without folds."""
        if "fold" not in self._columns:
            return None
        return self._tested["fold"].n_unique()

    @property
    def _tested(self) -> pl.DataFrame:
        sizes = self._sizes
        return sizes.filter(role="test") if "role" in self._columns else sizes

    @property
    def names(self) -> list[str]:
        """The parts as counts name them."""
        return self._sizes["part"].to_list()

    @property
    def several(self) -> bool:
        """Whether there is more than one test, or training rows beside it."""
        trained = "role" in self._columns and "train" in self._sizes["role"]
        return self.evaluation.pooled_fits or trained

    @cached_property
    def metrics(self) -> DataFrame[FoldMetrics]:
        """The measures of every part by model."""
        if not self.several:
            return typed(FoldMetrics, [])
        values = self._of_parts(self.names)
        columns = {f"m{k}": v for k, v in enumerate(values.values())}
        parts = self._sizes.select(*self._columns, pl.col("rows").cast(pl.Float64))
        measured = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Float64))
        return in_order(pl.concat([parts, measured], how="horizontal"), list(values))

    @cached_property
    def half_widths(self) -> Mapping[str, float]:
        """How far from its exact value the AUC of a part may be at most, of each model."""
        return {}

    @property
    def counts(self) -> pl.DataFrame | None:
        """The confusion table of every model in every test; null without a positive class."""
        return None


class FoldCounts(Folds):
    """The parts of an evaluation of two classes."""

    def __init__(self, counted: EvaluationCounts, plan: Plan, *, distinct: bool) -> None:
        super().__init__(counted, plan, self._measured, distinct=distinct)
        self._counted = counted

    def _measured(self, parts: Sequence[str]) -> ValuesOfParts:
        """Accuracy, AUC of scores of unweighted rows, and cost where costs are declared."""
        spec, models = self._counted.spec, self._counted.models
        counts = {m.name: [self._counted.counts(m, FITS, part) for part in parts] for m in models}
        accuracies = {("accuracy", name): [*map(_accuracy, of)] for name, of in counts.items()}
        areas = {("auc", name): [area for area, _ in of] for name, of in self._areas.items()}
        if spec.costs is None:
            return {**accuracies, **areas}
        cost = METRICS[COST].build(**fixed_costs(spec))
        costs = {(COST, m): [one.select(cost).item() for one in of] for m, of in counts.items()}
        return {**accuracies, **areas, **costs}

    @cached_property
    def _areas(self) -> dict[str, list[tuple[float | None, float]]]:
        """The AUC of every part by model, and how far off it may be."""
        return {
            model.name: [_area(self._counted.cells_of(k, FITS, part)) for part in self.names]
            for k, model in enumerate(self._counted.models)
            if model.score is not None and not self._counted.weighted
        }

    @cached_property
    def half_widths(self) -> Mapping[str, float]:
        """How far from its exact value the AUC of a part may be at most, of each model."""
        areas = self._areas if self.several else {}
        return {name: max(off for _, off in of) for name, of in areas.items()}

    @property
    def counts(self) -> pl.DataFrame:
        """The confusion table of every model in every test; of several data sets each is one."""
        parts = self._tested
        names = parts["part"].to_list()
        tests = pl.DataFrame({"part": names, "test": names})
        if self.evaluation.scheme == "data_sets":
            tests = parts.select("part", test="dataset")
        tables = [
            self._counted.counts(model, FITS, part).select(
                *CELLS, model=pl.lit(model.name), part=pl.lit(part)
            )
            for model in self._counted.models
            for part in names
        ]
        return (
            pl.concat(tables)
            .join(tests, on="part", maintain_order="left")
            .group_by("model", "test", maintain_order=True)
            .agg(pl.col(CELLS).sum())
        )


def _accuracy(counts: pl.DataFrame) -> float | None:
    tp, fp, fn, tn = counts.select(CELLS).row(0)
    whole = tp + fp + fn + tn
    return float(1 - (fp + fn) / whole) if whole > 0 else None


def _area(cells: pl.DataFrame) -> tuple[float | None, float]:
    """AUC, null with one class only, and how far it may be from that of the scores.

    Null, too, where cells leave more of it open than chance does in so few rows.
    """
    cell_sweeps = sweeps(cells)
    at, best, worst = (
        s.select(METRICS["auc"].build()).item()
        for s in (cell_sweeps.at, cell_sweeps.best, cell_sweeps.worst)
    )
    if at is None:
        return None, 0.0
    off = max(best - at, at - worst)
    chance = float(cells["rows"].sum()) ** -0.5
    return (None, 0.0) if off > max(MOST_OPEN, chance) else (at, off)
