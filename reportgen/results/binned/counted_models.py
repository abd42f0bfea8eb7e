"""Binary models from counts: their sweeps, their measures, and the effects of groups."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from reportgen.engines.partial import ALL
from reportgen.intervals.method_names import Allowance
from reportgen.measuring.binary_model import BinaryModel, evaluate_metrics
from reportgen.measuring.bootstrap_intervals import bootstrap_settings, filled, resampled_measures
from reportgen.measuring.cell_effects import NOTHING
from reportgen.measuring.grouped import CountedGroups
from reportgen.measuring.metric_set import MetricSet
from reportgen.measuring.ranking_limits import limits_of_ranking, with_limits_of_ranking
from reportgen.measuring.region_limits import limits_of_regions, regional
from reportgen.measuring.thresholds import Threshold
from reportgen.metrics import METRICS
from reportgen.metrics.settings import ErrorCosts
from reportgen.predictions import ModelColumns
from reportgen.resampling import bootstrap_counts, bootstrap_sweep
from reportgen.results.binned.bounds import bounded
from reportgen.results.binned.counts import EvaluationCounts
from reportgen.results.binned.forecasts import forecasts
from reportgen.results.binned.group_counts import Placed, ScopeAndPart
from reportgen.results.binned.sweeps import Sweeps, sweeps
from reportgen.spec import Spec
from reportgen.spec.option_groups import Resampling
from reportgen.sweeping import as_ranking, bins
from reportgen.tables.results import MetricRow


@dataclass(frozen=True)
class BinnedModel:
    """A model evaluated on some rows, with its sweeps where it has scores.

    ``placed`` are the places of its scores by group, where they were counted.
    """

    binary_model: BinaryModel
    sweeps: Sweeps | None
    placed: Placed | None = None

    @property
    def scored(self) -> Sweeps:
        """The sweeps of a model with scores."""
        if self.sweeps is None:
            raise ValueError(f"model {self.binary_model.name!r} has no scores")
        return self.sweeps


def binned_model(
    counted: EvaluationCounts,
    index: int,
    threshold: Threshold | None,
    scope: int = ALL,
    part: str = "[]",
) -> BinnedModel:
    """A model at its threshold, on all rows or on a part of a scope."""
    columns: ModelColumns = counted.models[index]
    cell_sweeps = (
        sweeps(counted.cells_of(index, scope, part)) if columns.score is not None else None
    )
    placed = None
    if cell_sweeps is not None and counted.dependent is not None:
        placed = counted.dependent.placed(index, cell_sweeps, (scope, part))
    binary_model = BinaryModel(
        columns,
        None,
        threshold,
        counted.counts(columns, scope, part),
        None if cell_sweeps is None else as_ranking(cell_sweeps.at),
        None if cell_sweeps is None else bins(cell_sweeps.middle),
        grouped=_effects_of_groups(counted, index, cell_sweeps, (scope, part), placed),
        by_group=counted.decided_in_groups(columns, scope, part),
    )
    return BinnedModel(binary_model, cell_sweeps, placed)


def numbers_of(
    model: BinnedModel,
    spec: Spec,
    costs: ErrorCosts,
    only: Collection[str] = METRICS.keys(),
) -> list[MetricRow]:
    """The measures of a model with their certified bounds; of all rows, resampled ones too."""

    def measure(binary_model: BinaryModel, names: Collection[str]) -> dict[str, MetricRow]:
        rows = evaluate_metrics([binary_model], spec, costs, names)[0]
        return {str(row["metric"]): row for row in rows}

    binary_model = model.binary_model
    numbers = list(measure(binary_model, only).values())
    resampled = (
        binary_model.slice is None and spec.bootstrap.replicates and resampling_of(spec) is not None
    )
    decided = resampled_measures("binary", spec, "counts")
    of_regions = regional(decided, spec)
    if binary_model.slice is None:
        (limits,) = limits_of_regions([binary_model], of_regions, spec, costs)
        numbers = filled(numbers, limits, _allowance(binary_model, spec))
    if resampled:
        decided, options = [m for m in decided if m not in of_regions], bootstrap_settings(spec)
        (limits,) = bootstrap_counts(binary_model.counts, decided, settings=costs, options=options)
        numbers = filled(numbers, limits)
    if model.sweeps is None:
        return numbers
    mixed = model.sweeps.merged  # otherwise the cells are the scores
    by_metric = forecasts(binary_model, model.sweeps, measure, only) if mixed else {}
    numbers = [by_metric.get(str(row["metric"]), row) for row in numbers]
    if binary_model.slice is None and binary_model.grouped is None:
        of_ranking = with_limits_of_ranking(resampled_measures("binary", spec, "sweep"))
        limits = limits_of_ranking(binary_model.ranking, MetricSet(of_ranking, spec.confidence))
        numbers = filled(numbers, limits, "effective size" if spec.columns.weight else None)
    if resampled:
        numbers = _resampled(numbers, model.sweeps, spec)
    return bounded(numbers, binary_model, model.sweeps, measure) if mixed else numbers


def _allowance(model: BinaryModel, spec: Spec) -> Allowance | None:
    if model.grouped is not None:
        return "groups"
    return "effective size" if spec.columns.weight else None


def _resampled(numbers: list[MetricRow], cell_sweeps: Sweeps, spec: Spec) -> list[MetricRow]:
    """The core measures of scores without a closed interval, drawn from the counts."""
    requested = resampled_measures("binary", spec, "sweep", "hull", "bins")
    requested = [m for m in requested if m not in with_limits_of_ranking(requested)]
    of_forecasts = [m for m in requested if METRICS[m.name].group == "probability"]
    of_order = [m for m in requested if m not in of_forecasts]
    for sweep, measures in ((cell_sweeps.at, of_order), (cell_sweeps.near(), of_forecasts)):
        limits = bootstrap_sweep(sweep, measures, options=bootstrap_settings(spec))
        numbers = filled(numbers, limits)
    return numbers


def no_bootstrap_reason(spec: Spec) -> str | None:
    """Why rows cannot be resampled from counts: cells mix weights, and groups."""
    if spec.columns.weight is not None:
        return "rows are weighted"
    return None if spec.columns.group is None else "rows come in groups"


def resampling_of(spec: Spec) -> Resampling | None:
    """How rows are resampled; null where they cannot be."""
    return spec.bootstrap if no_bootstrap_reason(spec) is None else None


def _effects_of_groups(
    counted: EvaluationCounts,
    index: int,
    cell_sweeps: Sweeps | None,
    place: ScopeAndPart,
    placed: Placed | None,
) -> CountedGroups | None:
    """The effects of groups on the measures of the scores of a model."""
    groups = counted.dependent
    if groups is None:
        return None
    area = NOTHING if placed is None else placed.effect
    if cell_sweeps is None:
        return CountedGroups(area, {})
    return CountedGroups(area, groups.losses(index, place, cell_sweeps))
