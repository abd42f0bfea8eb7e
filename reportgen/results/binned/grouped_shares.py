"""What tests of rows in groups are made from, where the rows are counted by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from reportgen.array_types import Flags
from reportgen.clustered_areas import ClassesByGroup
from reportgen.clusters import intraclass_correlation, mean_effect
from reportgen.comparing.compare import PairData
from reportgen.comparisons import AreaCovariance
from reportgen.measuring.binary_model import BinaryModel
from reportgen.measuring.context import Losses, TaskResults
from reportgen.measuring.dependence import group_measure
from reportgen.measuring.shares_by_row import GroupedShares
from reportgen.predictions import ModelColumns
from reportgen.records.groups import GroupMeasure
from reportgen.results.binned.counts import EvaluationCounts
from reportgen.results.binned.group_counts import Lines, Placed, area_covariance
from reportgen.results.binned.part_counts import PartCounts
from reportgen.sample_design import SampleDesign

NO_PLACES = "it needs the ranks of each group's scores, which take a second pass over the rows"
NO_FOLDS = "it assigns whole groups to folds, but scores are not counted by group"
"""Why AUCs and areas under the cost curve of rows in groups are not compared."""


@dataclass(frozen=True)
class CountedShares(GroupedShares):
    """Shares of counted rows; those of each slicing have lines of their own."""

    whole: PartCounts | None = None

    def of_slices(self, slicing: tuple[str, ...], labels: Sequence[str]) -> GroupedShares:
        """The lines of some slices, with their values."""
        if self.whole is None or self.whole.dependent is None:
            return self
        scope = self.whole.spec.slicings.index(slicing)
        lines = self.whole.dependent.lines_of_slices((scope, slicing), labels)
        return replace(self, rows=_rows(lines), groups=lines.groups)


def _rows(lines: Lines) -> pl.DataFrame:
    return lines.frame.rename({"positive": "truth"}, strict=False)


def shares_of(
    counted: PartCounts, errors: Mapping[str, pl.Expr], measure: str = "accuracy"
) -> GroupedShares | None:
    """What shares of rows in groups are tested by; nothing where rows are independent.

    ``errors`` say whether a line of rows is wrong, by model.
    """
    lines = counted.lines_of()
    if lines is None:
        return None
    losses = Losses(measure, "error_rate", "zero_one", of=errors)
    return CountedShares(_rows(lines), losses, lines.groups, whole=counted)


def errors_of(counted: EvaluationCounts) -> dict[str, pl.Expr]:
    """Whether each model is wrong about a row."""
    return {m.name: _decision(m) != pl.col("truth") for m in counted.models}


def _decision(model: ModelColumns) -> pl.Expr:
    return pl.col(str(model.label or model.score))


def measures_of_decisions(
    counted: PartCounts, errors: Mapping[str, pl.Expr], measure: str
) -> list[GroupMeasure]:
    """What groups do to the share of correct decisions of each model."""
    lines = counted.lines_of()
    if lines is None:
        return []
    frame, groups, records = _rows(lines), lines.groups, []
    for model, is_error in errors.items():
        lost = frame.select(is_error.cast(pl.Float64)).to_series().to_numpy()
        correlation = intraclass_correlation(lost, groups)
        if (mean := mean_effect(lost, groups)) is not None:
            size = counted.effective_size
            records.append(group_measure(model, measure, size, mean[1], correlation))
    return records


def measures_of_groups(counted: EvaluationCounts, what: TaskResults) -> list[GroupMeasure]:
    """What groups do to the accuracy and to the AUC of each model."""
    size, records = counted.effective_size, []
    for name, is_error in errors_of(counted).items():
        records += measures_of_decisions(counted, {name: is_error}, "accuracy")
        if name in what.area_effects:
            records.append(group_measure(name, "auc", size, what.area_effects[name]))
    return records


def evidence_in_groups(
    counted: EvaluationCounts, placed: Mapping[str, Placed], plain: PairData
) -> PairData:
    """The evidence of rows in groups: decisions by group, areas by the places of each group."""
    lines = counted.lines_of()
    if lines is None:
        return plain

    def correct(model: BinaryModel) -> Flags:
        right = _decision(model.columns) == pl.col("positive")
        flags: Flags = lines.frame.select(right).to_series().to_numpy()
        return flags

    def areas(models: Sequence[BinaryModel]) -> AreaCovariance:
        return area_covariance([placed[m.name] for m in models])

    def decided(models: Sequence[BinaryModel]) -> AreaCovariance:
        return decided_areas(lines, [str(m.columns.label or m.columns.score) for m in models])

    scored = {m.name for m in counted.models if m.score is not None}
    missing = {"expected_total_cost": NO_FOLDS}
    if scored - placed.keys():
        missing["auc"] = NO_PLACES
    design = replace(plain.design, groups=lines.groups)
    return replace(
        plain, correct=correct, areas=areas, decided=decided, design=design, missing=missing
    )


def evidence_by_weight(lines: pl.DataFrame | None, plain: PairData) -> PairData:
    """The evidence of weighted rows: decisions by weight, where they are counted so."""
    if lines is None:
        return plain

    def correct(model: BinaryModel) -> Flags:
        right = _decision(model.columns) == pl.col("positive")
        flags: Flags = lines.select(right).to_series().to_numpy()
        return flags

    counts = lines["rows"].cast(pl.Float64).to_numpy()
    return replace(
        plain, correct=correct, design=SampleDesign(lines["value"].to_numpy(), counts=counts)
    )


def decided_areas(lines: Lines, decisions: Sequence[str]) -> AreaCovariance:
    """The areas of decisions of rows in groups, which are balanced accuracies."""
    positive, groups = lines.frame["positive"].to_numpy(), lines.groups
    decided = lines.frame.select(pl.col(decisions).cast(pl.Float64)).to_numpy()
    rates, deviations = [], np.zeros_like(decided)
    for side, sign in ((positive, 1.0), (~positive, -1.0)):
        of_class = groups.among(side)
        rate = np.array([of_class.mean(d) for d in decided[side].T])
        deviations[side] = sign * (decided[side] - rate) / 2
        rates.append(rate)
    areas = (1 + rates[0] - rates[1]) / 2
    return AreaCovariance.in_groups(areas, deviations, ClassesByGroup(positive, groups))
