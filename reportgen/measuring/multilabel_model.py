"""One model of several labels on one set of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Flags, Floats, Integers
from reportgen.clusters import Effect
from reportgen.counting import counts
from reportgen.curves import precision_recall, roc
from reportgen.measuring import class_areas, class_averages
from reportgen.measuring.curve_tables import SMALL, thinned
from reportgen.measuring.grouped import CellTable, area_effect
from reportgen.measuring.interval_methods import DEFAULT
from reportgen.measuring.model_rows import ModelRows
from reportgen.measuring.one_vs_rest import corners
from reportgen.measuring.thresholds import Threshold
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import truth_column
from reportgen.small_queries import total
from reportgen.spec.intervals import Intervals
from reportgen.sweeping import Ranking, bins, ranking_of
from reportgen.tables import Bins, Sweep

CHUNK = 2**16
"""Numbers held at a time when the labels of the rows are ranked: they fit into a cache."""

RANKED = ("coverage", "precision_of_ranking", "wrong_pairs", "wrong_first")
"""What the ranking of a row's labels gives."""


@dataclass(frozen=True, slots=True)
class LabelCurves:
    """The bins of a label's scores, and its ROC and P-R curve where it has both truths."""

    bins: DataFrame[Bins]
    roc: pl.DataFrame | None = None
    precision_recall: pl.DataFrame | None = None

    @classmethod
    def of(cls, ranked: Ranking, steps: DataFrame[Sweep], model: str) -> LabelCurves:
        """The curves of a model's scores of a label, drawn small."""
        if not ranked.both_classes:
            return cls(bins(ranked))
        return cls(
            bins(ranked),
            thinned(roc(steps, model), "false_positive_rate", "recall", SMALL),
            thinned(precision_recall(steps, model), "recall", "precision", SMALL),
        )


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
            counts(
                self.rows, truth=truth_column(k), predicted={label: prediction}, weight=self.weight
            )
            for k, (label, prediction) in enumerate(zip(self.classes, self.predicted, strict=True))
        ]
        return pl.concat(parts).rename({"model": "class"})

    @cached_property
    def sets(self) -> pl.DataFrame:
        """How each row's set of labels was met: the frame that ``metrics.multilabel`` reads."""
        truths = [pl.col(truth_column(k)) for k in range(len(self.classes))]
        both = [t & c for t, c in zip(truths, self.predicted, strict=True)]
        table = self.rows.select(
            correct=pl.sum_horizontal(*both),
            predicted=pl.sum_horizontal(*self.predicted),
            true=pl.sum_horizontal(*truths),
            labels=pl.lit(len(self.classes)),
            weight=pl.col(self.weight).cast(pl.Float64) if self.weight else pl.lit(1.0),
        )
        exact = (pl.col("correct") == pl.col("predicted")) & (pl.col("correct") == pl.col("true"))
        w = pl.col("weight")
        sums = {"right": (w, exact), "wrong": (w, ~exact)}
        squares = {"right2": (w**2, exact), "wrong2": (w**2, ~exact)}
        added = {n: total(v.filter(c)) for n, (v, c) in {**sums, **squares}.items()}
        if self.columns.scores:
            return table.with_columns(**added).hstack(self._ranked())
        return table.with_columns(**added, **dict.fromkeys(RANKED, pl.lit(None, pl.Float64)))

    def _ranked(self) -> pl.DataFrame:
        size = len(self.classes)
        step = max(1, CHUNK // size)
        truths = self.rows.select(truth_column(k) for k in range(size))
        scores = self.rows.select(self.columns.scores)
        pieces = [
            ranking(t.to_numpy(order="c").astype(bool), s.to_numpy(order="c"))
            for t, s in zip(truths.iter_slices(step), scores.iter_slices(step), strict=True)
        ]
        whole = np.concatenate(pieces) if pieces else np.empty((0, len(RANKED)))
        return pl.DataFrame(whole, schema=dict.fromkeys(RANKED, pl.Float64)).fill_nan(None)

    @cached_property
    def tables(self) -> list[CellTable]:
        """The cells of each label by group; nothing of independent rows."""
        if self.by_group is None:
            return []
        given = self.rows.select(
            prediction.alias(str(k)) for k, prediction in enumerate(self.predicted)
        )
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
        given = self.rows.select(
            prediction.alias(str(k)) for k, prediction in enumerate(self.predicted)
        )
        weight = self.rows[self.weight].to_numpy() if self.weight else np.ones(self.rows.height)
        return class_averages.of_labels(
            truths.to_numpy().astype(bool),
            given.to_numpy().astype(bool),
            weight,
            self.by_group,
            confidence,
        )

    @property
    def bins(self) -> list[DataFrame[Bins]]:
        """The scores of each label in bins; nothing without scores."""
        return [label.bins for label in self.curves()]

    def curves(self) -> list[LabelCurves]:
        """The curves of each label; nothing without scores."""
        if len(self._curves) < len(self.columns.scores):
            for _ in self.sweeps():
                pass
        return list(self._curves.values())

    @cached_property
    def _curves(self) -> dict[int, LabelCurves]:
        """The curves of the labels whose scores were sorted."""
        return {}

    def sweeps(self) -> Iterator[DataFrame[Sweep]]:
        """The sweep of each label at its corners, one after the other; nothing without scores.

        All at once would take more memory than the rows. What its curves are is kept on the way.
        """
        for k, score in enumerate(self.columns.scores):
            ranked = ranking_of(self.rows, truth=truth_column(k), score=score, weight=self.weight)
            steps = corners(ranked)
            self._curves[k] = LabelCurves.of(ranked, steps, self.name)
            yield steps

    def pooled_areas(self) -> dict[str, float | None] | None:
        """The areas of the scores of all labels together; nothing without scores."""
        if not self.columns.scores:
            return None
        given = [self.weight] if self.weight else []
        parts = (
            self.rows.select(truth_column(k), score, *given)
            for k, score in enumerate(self.columns.scores)
        )
        return class_areas.of_rows(parts, self.weight)


def ranking(truth: Flags, score: Floats) -> Floats:
    """Coverage, average precision, ranking loss and one-error of each row, as columns.

    A row without a true label, or with true ones only, is fully ranked: coverage
    0 or the number of labels, precision 1, loss 0. Without a true label there is
    no one-error (NaN).
    """
    rank, true_above, is_true = _in_order(truth, score)
    number = truth.sum(axis=1)
    others = truth.shape[1] - number
    coverage = np.where(is_true, rank, 0).max(axis=0, initial=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        by_row = np.ascontiguousarray(np.where(is_true, true_above / rank, 0.0).T)
        precision = by_row.sum(axis=1) / number
        wrong = np.where(is_true, rank - true_above, 0).sum(axis=0) / (number * others)
    whole = (number == 0) | (others == 0)
    first = (rank[0] - true_above[0]) / rank[0]
    wrong_first = np.where(number > 0, first, np.nan)
    ranked = np.where(whole, 1.0, precision), np.where(whole, 0.0, wrong)
    return np.column_stack([coverage, *ranked, wrong_first])


def _in_order(truth: Flags, score: Floats) -> tuple[Integers, Integers, Flags]:
    """Of each row's labels, highest score first: how many score as high, how many of them are true.

    And whether the label is true. Labels that tie are all as high as each other. Rows are
    columns here, so that sums over the labels run over many rows at once.
    """
    last, is_true = _sorted(truth, score)
    labels = len(is_true)
    place = np.arange(labels)[:, None]
    true_to = is_true.cumsum(axis=0)
    if last.all():
        return np.broadcast_to(place + 1, is_true.shape), true_to, is_true
    end = np.minimum.accumulate(np.where(last, place, labels)[::-1], axis=0)[::-1]
    return end + 1, np.take_along_axis(true_to, end, axis=0), is_true


def _sorted(truth: Flags, score: Floats) -> tuple[Flags, Flags]:
    """Of each row's labels, highest score first: which is the last of those that tie, or is true.

    Scores that are not negative are sorted as integers, their truth in the lowest bit.
    """
    last = np.ones(truth.T.shape, dtype=bool)
    if not (score >= 0).all():
        order = np.argsort(-score, axis=1)
        falling = np.take_along_axis(score, order, axis=1).T
        np.not_equal(falling[1:], falling[:-1], out=last[:-1])
        return last, np.ascontiguousarray(np.take_along_axis(truth, order, axis=1).T)
    keys = score.astype(np.float64).view(np.uint64) << np.uint64(1)  # which has no sign
    keys |= truth
    np.invert(keys, out=keys)
    keys.sort(axis=1)
    keys = np.ascontiguousarray(keys.T)
    np.greater(keys[1:] ^ keys[:-1], 1, out=last[:-1])
    return last, keys & np.uint64(1) == 0
