"""One model of several labels on one set of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.clusters import Effect
from reportgen.counting import counts
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import truth_column
from reportgen.results import class_areas, class_averages
from reportgen.results.grouped import CellTable, area_effect
from reportgen.results.interval_methods import DEFAULT
from reportgen.results.model_rows import ModelRows
from reportgen.results.thresholds import Threshold
from reportgen.small_queries import total
from reportgen.spec.intervals import Intervals
from reportgen.sweeping import bins, sweep
from reportgen.tables import Bins, Sweep

Floats = npt.NDArray[np.float64]

CHUNK = 20_000_000
"""Numbers held at a time when the rankings of the rows are compared."""

RANKED = ("coverage", "precision_of_ranking", "wrong_pairs", "wrong_first")
"""What the ranking of a row's labels gives."""


@dataclass(frozen=True)
class MultilabelModel(ModelRows):
    """One model on one set of rows; without ``thresholds`` a label is given from a half up."""

    columns: ModelColumns
    rows: pl.DataFrame
    classes: Sequence[str]
    thresholds: Sequence[Threshold] = ()
    weight: str | None = None
    slice: str | None = None
    methods: Intervals = DEFAULT
    grouped: bool = False

    @property
    def name(self) -> str:
        """The model's name."""
        return self.columns.name

    @property
    def predicted(self) -> list[pl.Expr]:
        """Whether each label is given: as supplied, else score ≥ threshold."""
        if self.columns.labels:
            return [pl.col(name) for name in self.columns.labels]
        limits = [t.value for t in self.thresholds] or [0.5] * len(self.columns.scores)
        pairs = zip(self.columns.scores, limits, strict=True)
        return [pl.col(name) >= limit for name, limit in pairs]

    @property
    def correct(self) -> pl.Expr:
        """Whether all labels of a row are right."""
        truths = (pl.col(truth_column(k)) for k in range(len(self.classes)))
        return pl.all_horizontal(*(t == c for t, c in zip(truths, self.predicted, strict=True)))

    @cached_property
    def counts(self) -> pl.DataFrame:
        """The counts of each label, one row per label."""
        parts = [
            counts(self.rows, truth=truth_column(k), predicted={label: call}, weight=self.weight)
            for k, (label, call) in enumerate(zip(self.classes, self.predicted, strict=True))
        ]
        return pl.concat(parts).rename({"model": "class"})

    @cached_property
    def sets(self) -> pl.DataFrame:
        """How each row's set of labels was met: the frame that ``metrics.multilabel`` reads."""
        truths = [pl.col(truth_column(k)) for k in range(len(self.classes))]
        both = [t & c for t, c in zip(truths, self.predicted, strict=True)]
        table = self.rows.select(
            hits=pl.sum_horizontal(*both),
            given=pl.sum_horizontal(*self.predicted),
            true=pl.sum_horizontal(*truths),
            labels=pl.lit(len(self.classes)),
            weight=pl.col(self.weight).cast(pl.Float64) if self.weight else pl.lit(1.0),
        )
        right = (pl.col("hits") == pl.col("given")) & (pl.col("hits") == pl.col("true"))
        w = pl.col("weight")
        sums = {"right": (w, right), "wrong": (w, ~right)}
        squares = {"right2": (w**2, right), "wrong2": (w**2, ~right)}
        added = {n: total(v.filter(c)) for n, (v, c) in {**sums, **squares}.items()}
        if self.columns.scores:
            return table.with_columns(**added).hstack(self._ranked())
        return table.with_columns(**added, **dict.fromkeys(RANKED, pl.lit(None, pl.Float64)))

    def _ranked(self) -> pl.DataFrame:
        size = len(self.classes)
        truth = self.rows.select(truth_column(k) for k in range(size)).to_numpy().astype(bool)
        score = self.rows.select(self.columns.scores).to_numpy()
        step = max(1, CHUNK // size**2)
        pieces = [
            ranking(truth[i : i + step], score[i : i + step]) for i in range(0, len(truth), step)
        ]
        whole = np.concatenate(pieces) if pieces else np.empty((0, len(RANKED)))
        return pl.DataFrame(whole, schema=dict.fromkeys(RANKED, pl.Float64)).fill_nan(None)

    @cached_property
    def tables(self) -> list[CellTable]:
        """The cells of each label by group; nothing of independent rows."""
        if self.by_group is None:
            return []
        given = self.rows.select(call.alias(str(k)) for k, call in enumerate(self.predicted))
        return [
            CellTable.of(
                self.rows[truth_column(k)].to_numpy(),
                column.to_numpy(),
                self.by_group,
                self.weights,
            )
            for k, column in enumerate(given.iter_columns())
        ]

    @property
    def area_effects(self) -> list[Effect]:
        """The effect of the groups on the AUC of each label; nothing of independent rows."""
        if self.by_group is None:
            return []
        return [
            area_effect(
                self.rows[score].cast(pl.Float64).to_numpy(),
                self.rows[truth_column(k)].to_numpy(),
                self.by_group,
                self.weights,
            )
            for k, score in enumerate(self.columns.scores)
        ]

    def variance(self, confidence: float) -> class_averages.Variance:
        """The variance of averages over the labels."""
        truths = self.rows.select(truth_column(k) for k in range(len(self.classes)))
        given = self.rows.select(call.alias(str(k)) for k, call in enumerate(self.predicted))
        weight = self.rows[self.weight].to_numpy() if self.weight else np.ones(self.rows.height)
        return class_averages.of_labels(
            truths.to_numpy().astype(bool),
            given.to_numpy().astype(bool),
            weight,
            self.by_group,
            confidence,
        )

    @cached_property
    def bins(self) -> list[DataFrame[Bins]]:
        """The scores of each label in bins; nothing without scores."""
        return [bins(steps) for steps in self.sweeps]

    @cached_property
    def sweeps(self) -> list[DataFrame[Sweep]]:
        """One sweep per label; nothing without scores."""
        return [
            sweep(self.rows, truth=truth_column(k), score=score, weight=self.weight)
            for k, score in enumerate(self.columns.scores)
        ]

    @property
    def pooled(self) -> DataFrame[Sweep] | None:
        """The sweep of the scores of all labels together; nothing without scores."""
        if not self.columns.scores:
            return None
        given = [self.weight] if self.weight else []
        parts = (
            self.rows.select(truth_column(k), score, *given)
            for k, score in enumerate(self.columns.scores)
        )
        return sweep(class_areas.pooled(parts, self.weight), weight=self.weight and "weight")


def ranking(truth: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Coverage, average precision, ranking loss and one-error of each row, as columns.

    A row without a true label, or with true ones only, is fully ranked: coverage
    0 or the number of labels, precision 1, loss 0. Without a true label there is
    no one-error (NaN).
    """
    as_high = score[:, :, None] <= score[:, None, :]  # [row, label, other]: other is as high
    rank = as_high.sum(axis=2)
    true_above = (as_high & truth[:, None, :]).sum(axis=2)
    number = truth.sum(axis=1)
    others = truth.shape[1] - number
    coverage = np.where(truth, rank, 0).max(axis=1, initial=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(truth, true_above / rank, 0.0).sum(axis=1) / number
        wrong = np.where(truth, rank - true_above, 0).sum(axis=1) / (number * others)
    whole = (number == 0) | (others == 0)
    first = score == score.max(axis=1, keepdims=True, initial=-np.inf)
    wrong_first = np.where(number > 0, (first & ~truth).sum(axis=1) / first.sum(axis=1), np.nan)
    ranked = np.where(whole, 1.0, precision), np.where(whole, 0.0, wrong)
    return np.column_stack([coverage, *ranked, wrong_first])
