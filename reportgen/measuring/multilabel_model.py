"""One model of several labels on one set of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.clustered_areas import ClassesByGroup
from reportgen.clusters import Effect
from reportgen.counting import counts
from reportgen.curves import precision_recall, roc
from reportgen.freed_memory import give_back
from reportgen.intervals.area_means import AreaSpread, SampledRows, spread_of_areas
from reportgen.measuring import class_areas, class_averages
from reportgen.measuring.average_limits import Variance
from reportgen.measuring.cell_effects import CellTable
from reportgen.measuring.curve_tables import SMALL, thinned
from reportgen.measuring.grouped import area_effect
from reportgen.measuring.model_rows import ModelRows
from reportgen.measuring.one_vs_rest import corners
from reportgen.measuring.thresholds import Threshold
from reportgen.multilabel import label_sets
from reportgen.predictions.column_names import truth_column
from reportgen.sweeping import Ranking, bins, ranking_of
from reportgen.tables import Bins, Sweep


@dataclass(frozen=True, slots=True)
class LabelCurves:
    """The bins of a label's scores, and its ROC and P-R curve where it has both truths."""

    bins: DataFrame[Bins]
    roc: pl.DataFrame | None = None
    precision_recall: pl.DataFrame | None = None

    @classmethod
    def of(
        cls,
        ranked: Ranking,
        steps: DataFrame[Sweep],
        model: str,
        binned: DataFrame[Bins] | None = None,
    ) -> LabelCurves:
        """The curves of a model's scores of a label, drawn small."""
        binned = bins(ranked) if binned is None else binned
        if not ranked.both_classes:
            return cls(binned)
        return cls(
            binned,
            thinned(roc(steps, model), "false_positive_rate", "recall", SMALL),
            thinned(precision_recall(steps, model), "recall", "precision", SMALL),
        )


@dataclass(frozen=True)
class MultilabelModel(ModelRows):
    """One model on one set of rows; without ``thresholds`` a label is given from a half up."""

    thresholds: Sequence[Threshold] = ()

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
        truths = [truth_column(k) for k in range(len(self.classes))]
        return label_sets(self.rows, truths, self.predicted, self.columns.scores, self.weight)

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
                ClassesByGroup(self.rows[truth_column(k)].to_numpy(), self.by_group, self.weights),
            )
            for k, score in enumerate(self.columns.scores)
        ]

    @property
    def area_spread(self) -> AreaSpread | None:
        """How the AUCs of the labels vary together; null without scores."""
        scores = self.columns.scores
        if not scores:
            return None
        rows = SampledRows.among(self.rows.height, len(scores), self.weights, self.by_group)
        return spread_of_areas(
            [self.rows[name].cast(pl.Float64).to_numpy()[rows.at] for name in scores],
            [
                self.rows[truth_column(k)].to_numpy()[rows.at].astype(bool)
                for k in range(len(scores))
            ],
            rows,
        )

    @property
    def variance(self) -> Variance:
        """The variance of averages over the labels."""
        truths = self.rows.select(truth_column(k) for k in range(len(self.classes)))
        given = self.rows.select(
            prediction.alias(str(k)) for k, prediction in enumerate(self.predicted)
        )
        weight = self.rows[self.weight].to_numpy() if self.weight else np.ones(self.rows.height)
        return class_averages.of_labels(
            self.number,
            truths.to_numpy().astype(bool),
            given.to_numpy().astype(bool),
            weight,
            self.by_group,
        )

    @property
    def class_bins(self) -> list[DataFrame[Bins]]:
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
        give_back(self.rows)
        given = [self.weight] if self.weight else []
        parts = (
            self.rows.select(truth_column(k), score, *given)
            for k, score in enumerate(self.columns.scores)
        )
        return class_areas.of_rows(parts, self.weight)
