"""One model of several classes on one set of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.clustered_areas import ClassesByGroup
from reportgen.clusters import Effect
from reportgen.intervals.area_means import (
    MOST_PAIRED,
    AreaSpread,
    SampledRows,
    pair_areas,
    spread_of_areas,
)
from reportgen.measuring.binary_model import thinned_by
from reportgen.measuring.cell_effects import CellTable
from reportgen.measuring.grouped import area_effect
from reportgen.measuring.model_rows import ModelRows
from reportgen.measuring.one_vs_rest import OneVsRest, one_vs_rest_sweeps
from reportgen.measuring.row_shares import share_effect
from reportgen.multiclass import (
    PairAreas,
    class_counts,
    least_cost_classes,
    matrix,
    pairwise_areas,
    score_rows,
)
from reportgen.sweeping import bins, ranking_of
from reportgen.tables import Bins, ClassCounts, Matrix, Sweep


@dataclass(frozen=True)
class MulticlassModel(ModelRows):
    """One model on one set of rows; what needs scores is made when it is asked for."""

    def forget(self) -> None:
        """Let go of what was made of each row, group or cell: it is made again where needed."""
        for name in ("by_group", "groups", "tables", "scored", "one_vs_rest", "matrix"):
            self.__dict__.pop(name, None)

    @property
    def predicted(self) -> pl.Expr:
        """The model's decision: its own label, else the class with the highest score."""
        return pl.col(self.columns.label or str(self.columns.highest))

    @cached_property
    def decisions(self) -> pl.Series:
        """The decision for each of the model's own rows, which several tables read."""
        return self.rows.select(self.predicted).to_series()

    @cached_property
    def matrix(self) -> DataFrame[Matrix]:
        """Truth × prediction."""
        size = len(self.classes)
        table = matrix(
            self.rows, size, truth="truth", prediction=pl.lit(self.decisions), weight=self.weight
        )
        return Matrix.validate(thinned_by(table, self.repeats))

    @cached_property
    def groups(self) -> pl.DataFrame | None:
        """Truth × prediction of each group, where the rows of a group depend on each other."""
        if not self.grouped:
            return None
        weight = pl.col(self.weight).cast(pl.Float64) if self.weight else pl.lit(1.0)
        cells = self.rows.select("group", "truth", predicted=self.decisions, count=weight)
        return (
            cells.group_by("group", "truth", "predicted").agg(pl.col("count").sum()).sort(pl.all())
        )

    @cached_property
    def tables(self) -> list[CellTable]:
        """The cells of each class against the rest by group; nothing of independent rows."""
        if self.by_group is None:
            return []
        truth = self.rows["truth"].to_numpy()
        predicted = self.decisions.to_numpy()
        return [
            CellTable.of(truth == k, predicted == k, self.by_group, self.weights)
            for k in range(len(self.classes))
        ]

    @property
    def effects(self) -> dict[str, Effect]:
        """The effect of the groups on the share of right decisions."""
        if self.by_group is None:
            return {}
        correct = (self.decisions == self.rows["truth"]).to_numpy()
        effect = share_effect(correct, self.by_group, self.weights)
        return {"accuracy": effect, "error_rate": effect}

    @property
    def area_effects(self) -> list[Effect]:
        """The effect on the AUC of each class against the rest; nothing of independent rows."""
        if self.by_group is None:
            return []
        truth = self.rows["truth"].to_numpy()
        return [
            area_effect(
                self.rows[name].to_numpy(), ClassesByGroup(truth == k, self.by_group, self.weights)
            )
            for k, name in enumerate(self.columns.scores)
        ]

    @cached_property
    def area_spread(self) -> AreaSpread | None:
        """How the AUCs of the classes vary together; null without scores, and where rows return."""
        scores = self.columns.scores
        if not scores or self.repeats > 1:
            return None
        rows = SampledRows.among(self.rows.height, len(scores), self.weights, self.by_group)
        truth = self.rows["truth"].to_numpy()[rows.at]
        values = [self.rows[name].cast(pl.Float64).to_numpy()[rows.at] for name in scores]
        few = len(scores) <= MOST_PAIRED
        pairs = pair_areas(values, truth, rows.weights)[1] if few else None
        return spread_of_areas(values, [truth == k for k in range(len(scores))], rows, pairs)

    @cached_property
    def counts(self) -> DataFrame[ClassCounts]:
        """Each class against the rest."""
        return class_counts(self.matrix, self.classes)

    @cached_property
    def scored(self) -> pl.DataFrame | None:
        """How each row's scores met its truth."""
        if not self.columns.scores:
            return None
        return score_rows(
            self.rows,
            self.columns.scores,
            truth="truth",
            weight=self.weight,
            highest=pl.col(str(self.columns.highest)),
        )

    def foreseen(self, loss: str) -> tuple[Floats, Floats]:
        """Mean and variance of a loss in each row, if its scores are the chances of the classes."""
        return foreseen_losses(loss, (self.rows[name] for name in self.columns.scores))

    @cached_property
    def bins(self) -> DataFrame[Bins] | None:
        """The highest score of each row against whether the prediction was correct, in bins."""
        if self.scored is None:
            return None
        weight = "weight" if self.weight else None
        return bins(ranking_of(self.scored, truth="correct", score="highest", weight=weight))

    @cached_property
    def one_vs_rest(self) -> OneVsRest | None:
        """Each class against the rest; nothing without scores."""
        if self.scored is None:
            return None
        own_scores = self.scored["of_truth"]
        return one_vs_rest_sweeps(self.rows, self.columns.scores, own_scores, self.weight)

    @property
    def pair_areas(self) -> PairAreas | None:
        """The AUC of each pair of classes; None where single rows are not known."""
        return pairwise_areas(
            self.rows,
            self.columns.scores,
            truth="truth",
            weight=self.weight,
            beaten=self.one_vs_rest.beaten if self.one_vs_rest else (),
        )

    def least_cost_matrix(
        self, costs: Sequence[Sequence[float]] | None
    ) -> DataFrame[Matrix] | None:
        """Truth × the prediction of least expected cost."""
        scores, size = self.columns.scores, len(self.classes)
        if costs is None or not scores:
            return None
        prediction = least_cost_classes(scores, costs)
        return matrix(self.rows, size, truth="truth", prediction=prediction, weight=self.weight)

    def sweeps(self) -> Sequence[DataFrame[Sweep]]:
        """One sweep per class; nothing without scores."""
        return self.one_vs_rest.sweeps if self.one_vs_rest else []

    @property
    def class_bins(self) -> Sequence[DataFrame[Bins]]:
        """The scores of each class in bins; nothing without scores."""
        return self.one_vs_rest.bins if self.one_vs_rest else []


def foreseen_losses(loss: str, scores: Iterable[pl.Series]) -> tuple[Floats, Floats]:
    """Mean and variance of what each row loses if its scores are the chances of the classes.

    Args:
        loss: ``log_loss``, whose rows lose −ln p of their class, or ``brier_score``, whose rows
            lose 1 − 2p + Σ p².
        scores: the probabilities of each class, one or more columns of as many rows.

    Returns:
        The mean and the variance of each row. Classes of probability 0 add nothing.

    Spiegelhalter (1986), doi:10.1002/sim.4780050506.

    >>> chances = [pl.Series([0.5, 1.0]), pl.Series([0.5, 0.0])]
    >>> foreseen_losses("brier_score", chances)[0].tolist()
    [0.5, 0.0]
    """
    mean = squares = np.zeros(1)
    for column in scores:
        chance = column.cast(pl.Float64).to_numpy()
        lost = -np.log(chance, where=chance > 0, out=np.zeros_like(chance))
        if loss == "brier_score":
            lost = -chance
        mean, squares = mean + chance * lost, squares + chance * lost * lost
    variance = np.maximum(squares - np.square(mean), 0.0)
    return (1 + mean, 4 * variance) if loss == "brier_score" else (mean, variance)
