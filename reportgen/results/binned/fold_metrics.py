"""The parts of an evaluation from their counts: folds, data sets, training beside test rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.engines.partial import FITS
from reportgen.engines.plan import Plan
from reportgen.measuring.fold_metrics import in_order
from reportgen.measuring.generalisation import errors
from reportgen.metrics import METRICS
from reportgen.predictions.evaluation import ONE_TEST, Evaluation
from reportgen.predictions.recognition import of_sizes, with_groups
from reportgen.records.model import typed
from reportgen.records.rows import DataRecord
from reportgen.results.binned.counts import EvaluationCounts
from reportgen.results.binned.part_counts import PartCounts
from reportgen.results.binned.sweeps import sweeps
from reportgen.tables import FoldMetrics, Generalisation


class Folds:
    """The parts of an evaluation; ``distinct`` says that no id returns."""

    def __init__(self, counted: PartCounts, plan: Plan, *, distinct: bool) -> None:
        self._parts, self._columns, self._distinct = counted, plan.fits, distinct

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
        return self.evaluation.resampled or trained

    def table(
        self, values: Mapping[tuple[str, str], Sequence[float | None]]
    ) -> DataFrame[FoldMetrics]:
        """Measures by their names and models, which have a value for every part."""
        if not self.several:
            return typed(FoldMetrics, [])
        columns = {f"m{k}": v for k, v in enumerate(values.values())}
        parts = self._sizes.select(*self._columns, pl.col("rows").cast(pl.Float64))
        measured = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Float64))
        return in_order(pl.concat([parts, measured], how="horizontal"), list(values))


class FoldCounts(Folds):
    """The parts of an evaluation of two classes."""

    def __init__(self, counted: EvaluationCounts, plan: Plan, *, distinct: bool) -> None:
        super().__init__(counted, plan, distinct=distinct)
        self._counted = counted

    @cached_property
    def _evaluated(self) -> tuple[DataFrame[FoldMetrics], dict[str, float]]:
        """The measures of every part, and how far off any area of a model may be."""
        if not self.several:
            return self.table({}), {}
        names = self.names
        values: dict[tuple[str, str], list[float | None]] = {}
        widest: dict[str, float] = {}
        for model in self._counted.models:
            counts = [self._counted.counts(model, FITS, part) for part in names]
            values["accuracy", model.name] = [_accuracy(table) for table in counts]
        for place, model in enumerate(self._counted.models):
            if model.score is not None and not self._counted.weighted:
                areas = [_area(self._counted.cells_of(place, FITS, part)) for part in names]
                values["auc", model.name] = [area for area, _ in areas]
                widest[model.name] = max(half_width for _, half_width in areas)
        return self.table(values), widest

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
                "tp", "fp", "fn", "tn", model=pl.lit(model.name), part=pl.lit(part)
            )
            for model in self._counted.models
            for part in names
        ]
        return (
            pl.concat(tables)
            .join(tests, on="part", maintain_order="left")
            .group_by("model", "test", maintain_order=True)
            .agg(pl.col("tp", "fp", "fn", "tn").sum())
        )

    @property
    def metrics(self) -> DataFrame[FoldMetrics]:
        """Accuracy, and AUC of scores of unweighted rows, of every model in every part."""
        return self._evaluated[0]

    @property
    def half_widths(self) -> dict[str, float]:
        """How far from its exact value the AUC of a part may be at most, of each model."""
        return self._evaluated[1]

    def generalisation(self, truth: DataRecord) -> DataFrame[Generalisation]:
        """Training beside test error; ``truth`` has the number of rows of each class."""
        spec = self._counted.spec
        rows = truth["positives"], truth["negatives"]
        trivial = {"error_rate": 1 - max(rows) / sum(rows), "rank_loss": 0.5}
        records = errors(
            self.metrics,
            self.evaluation,
            trivial,
            spec.confidence,
            task="binary",
            weighted=self._counted.weighted,
        )
        return typed(Generalisation, list(records))


def _accuracy(counts: pl.DataFrame) -> float | None:
    tp, fp, fn, tn = counts.select("tp", "fp", "fn", "tn").row(0)
    whole = tp + fp + fn + tn
    return float(1 - (fp + fn) / whole) if whole > 0 else None


def _area(cells: pl.DataFrame) -> tuple[float | None, float]:
    """AUC, null with one class only, and how far it may be from that of the scores."""
    cell_sweeps = sweeps(cells)
    at, best, worst = (
        s.select(METRICS["auc"].build()).item()
        for s in (cell_sweeps.at, cell_sweeps.best, cell_sweeps.worst)
    )
    return (None, 0.0) if at is None else (at, max(best - at, at - worst))
