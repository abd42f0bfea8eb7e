"""Two classes: what the results hold."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from typing import Any

import polars as pl

from reportgen.comparisons import area_covariance
from reportgen.comparisons.grouped_samples import Estimate, mean_in_groups
from reportgen.metrics import METRICS
from reportgen.predictions import ModelColumns
from reportgen.results import differences
from reportgen.results.calls import Calls
from reportgen.results.case import Case, Found, own
from reportgen.results.compare import Terms, compared, dominances, of_rows, several
from reportgen.results.costs import OWN_COSTS, cost_rows, mean_costs, with_own_costs
from reportgen.results.decision import ThresholdChange
from reportgen.results.drawn import Drawing, curves
from reportgen.results.exchanged import Binary, exchanged
from reportgen.results.gaps import CALIBRATED, SHOWN
from reportgen.results.grouped import GroupedRows
from reportgen.results.judged import NO_SCORES, Judged, call, judge, measured, ranking
from reportgen.results.losses import Losses
from reportgen.results.resampled import of_scores
from reportgen.results.threshold_change import CostRows, threshold_change
from reportgen.results.thresholds import Threshold, choose
from reportgen.results.unpaired import Sample, unpaired
from reportgen.spec import Choice, Spec
from reportgen.spec.measures import of_families
from reportgen.spec.models import Resampling
from reportgen.sweeping import sweep

Record = dict[str, Any]
Part = tuple[Judged, pl.DataFrame]
"""A model on some rows, and the rows."""

COMPARED = {name for name, _ in (*SHOWN["binary"], CALIBRATED)}
"""What is compared between slices."""

IN_SLICES = COMPARED | {m.name for m in METRICS.values() if m.core or m.group == "count"}
"""The measures of a slice."""


def found(case: Case) -> Found:
    """Everything that two classes have: sweeps, curves, costs, tests, dominance."""
    spec, predictions = case.spec, case.predictions
    costs = mean_costs(case.rows, spec, case.weight)
    models = [judged(case, columns, costs) for columns in predictions.models]
    numbers = _with_limits(case, models, costs)

    def of_slice(part: pl.DataFrame, label: str) -> list[Part]:
        parts = [(model, own(part, model.columns)) for model in models]
        return [_in_slice(case, m, rows, label) for m, rows in parts if rows.height]

    parts, unsliced = case.sliced(of_slice)
    in_slices = [row for rows in _numbers(case, parts, costs, IN_SLICES) for row in rows]
    labels = (predictions.positive, predictions.negative)
    weighted = case.weight is not None
    terms = with_told(case.terms, models, spec, costs)
    names = [m.name for m in models]
    calls = None if weighted else _calls(case, models)
    return Found(
        metrics=[*numbers, *in_slices],
        curves=curves(models, drawing(spec, labels, costs, case.drawable, weighted=weighted)),
        comparisons=[
            *several(case.rows, _right(models, terms.baseline), terms),
            *compared(models, terms, of_rows(case.rows, case.weight, calls, terms.groups)),
            *unpaired([_sample(case, model) for model in models], terms),
            *exchanged(case, terms, names, Binary(case, terms, models, costs)),
        ],
        differences=differences.of_rows(case, models, costs, calls),
        dominance=dominances(models, _redrawn(case), spec.bootstrap.seed),
        models=[model_record(m, _disagreements(case.rows, m)) for m in models],
        truth=truth_record(labels, int(case.rows["truth"].sum()), case.rows.height),
        skipped=[*not_shown(models), *_without_bands(case, models), *unsliced],
        losses=_losses(models),
        area_effects={m.name: m.grouped.area for m in models if m.grouped is not None},
        threshold_changes=_threshold_changes(case, models, costs),
    )


def _threshold_changes(
    case: Case, models: Sequence[Judged], costs: dict[str, float]
) -> list[ThresholdChange]:
    """What the threshold of least cost would save, where costs are declared."""
    if case.spec.costs is None or case.predictions.unpaired is not None:
        return []
    validation = case.predictions.frame
    roles = set(validation["role"]) if "role" in validation.columns else set()
    changes = []
    for model in models:
        score, threshold = model.columns.score, model.threshold
        if score is None or threshold is None or model.columns.label is not None:
            continue

        def costed(rows: pl.DataFrame, score: str = score) -> CostRows:
            return cost_rows(rows, score, costs, case.weight, case.unit)

        chosen_on = validation.filter(role="validation") if "validation" in roles else None
        change = threshold_change(
            model.name,
            costed(case.own_rows(model.columns)),
            threshold.value,
            validation=None if chosen_on is None else costed(own(chosen_on, model.columns)),
            confidence=case.spec.confidence,
            seed=case.spec.bootstrap.seed,
        )
        changes += [change] if change is not None else []
    return changes


def _calls(case: Case, models: Sequence[Judged]) -> Calls:
    """What each model decides about all rows."""
    return Calls.of(case.rows, {m.name: call(m.columns, m.threshold) for m in models})


def _redrawn(case: Case) -> pl.DataFrame | None:
    """The rows to resample, alone or by group; none where they cannot be, for both models."""
    able = case.weight is None and case.repeats == 1 and case.terms.unpaired is None
    return case.rows if able and case.spec.bootstrap.replicates > 0 else None


def _right(models: Sequence[Judged], baseline: str | None) -> dict[str, pl.Expr]:
    """Whether each model is right about a row, the baseline last."""
    ordered = sorted(models, key=lambda model: model.name == baseline)
    return {m.name: call(m.columns, m.threshold) == pl.col("truth") for m in ordered}


def _sample(case: Case, model: Judged) -> Sample:
    """The model on rows of its own, for tests of models that are not paired."""
    if case.predictions.unpaired is None:
        return Sample(model.name, 0)
    rows, score = case.own_rows(model.columns), model.columns.score
    groups, in_groups, area = case.groups_of(rows), {}, None
    correct = rows.select(call(model.columns, model.threshold) == pl.col("truth")).to_series()
    if groups is not None:
        in_groups["accuracy"] = mean_in_groups(correct.to_numpy(), groups)
    if score is not None:
        estimates = area_covariance(rows, [score], groups=groups)
        area = float(estimates.areas[0]), float(estimates.covariance[0, 0])
        if estimates.sums is not None:
            in_groups["auc"] = Estimate(*area, estimates.sums[:, 0])
    right = int(correct.sum())
    return Sample(model.name, rows.height, right, area, ids=case.ids(rows), in_groups=in_groups)


def _losses(models: Sequence[Judged]) -> Losses:
    """A wrong decision loses 1."""
    calls = {m.name: call(m.columns, m.threshold) for m in models}
    return Losses(
        "accuracy",
        "error_rate",
        "zero_one",
        of={name: predicted != pl.col("truth") for name, predicted in calls.items()},
        said=calls,
        scores={m.name: m.columns.score for m in models if m.columns.score is not None},
        probable=frozenset(m.name for m in models if m.probability),
    )


def drawing(
    spec: Spec,
    labels: tuple[str, str],
    costs: dict[str, float],
    bootstrap: Resampling | None,
    *,
    weighted: bool,
) -> Drawing:
    """What the curves are made under; named measures of counts are drawn too."""
    named = () if isinstance(spec.measures, str) else spec.measures
    return Drawing(
        labels,
        spec.confidence,
        costs,
        weighted=weighted,
        bootstrap=bootstrap,
        measures=[name for name in named if name in METRICS and METRICS[name].on == "counts"],
    )


def with_told(terms: Terms, models: Sequence[Judged], spec: Spec, costs: dict[str, float]) -> Terms:
    """The terms of the tests; decisions by a threshold chosen on the same rows are told."""
    declared = None if spec.costs is None else costs
    chosen_here = any(m.threshold is not None and m.threshold.role == "same rows" for m in models)
    caveats = ("thresholds were chosen on the evaluation data",) if chosen_here else ()
    return replace(terms, of_decisions=caveats, costs=declared)


def judged(case: Case, columns: ModelColumns, costs: dict[str, float]) -> Judged:
    """A model with its threshold, on all rows."""
    rows, weight, rule = case.own_rows(columns), case.weight, case.spec.threshold
    if columns.score is None:
        return judge(rows, columns, None, weight=weight, repeats=case.repeats)
    grouped = GroupedRows.of(rows, columns.score, weight) if "group" in rows.columns else None
    steps = ranking(rows, columns.score, weight, grouped)
    if isinstance(rule, Choice):
        basis, role = steps.table(), "same rows"
        frame = case.predictions.frame
        if "role" in frame.columns and (frame["role"] == "validation").any():
            validation = frame.filter(role="validation")
            basis, role = sweep(validation, score=columns.score, weight=weight), "validation"
        threshold = choose(
            basis,
            case.spec,
            rule,
            role,
            costs,
            of=repr(columns.name),
            bootstrap=case.drawable,
            undrawable=case.undrawable,
        )
    else:
        threshold = Threshold(float(rule), "fixed in the spec")
    return judge(
        rows,
        columns,
        threshold,
        weight=weight,
        steps=steps,
        repeats=case.repeats,
        grouped=grouped,
    )


def _in_slice(case: Case, model: Judged, rows: pl.DataFrame, label: str) -> Part:
    slice_model = judge(
        rows,
        model.columns,
        model.threshold,
        weight=case.weight,
        slice=label,
        repeats=case.repeats,
    )
    return slice_model, rows


def _with_limits(case: Case, models: Sequence[Judged], costs: dict[str, float]) -> list[Record]:
    """The measures on all rows; what has no closed interval is resampled."""
    parts = [(model, case.own_rows(model.columns)) for model in models]
    by_model = _numbers(case, parts, costs, asked(case.spec))
    if case.repeats == 1 or "group" in case.rows.columns:
        by_model = of_scores(by_model, parts, case.spec, case.weight, costs)
    return [row for numbers in by_model for row in numbers]


def _numbers(
    case: Case,
    parts: Sequence[Part],
    costs: dict[str, float],
    only: Collection[str] = METRICS.keys(),
) -> list[list[Record]]:
    """The measures of each part; where rows have costs of their own, those of cost are summed."""
    by_model = measured(
        [model for model, _ in parts], case.spec.confidence, costs, only, case.spec.intervals
    )
    if not OWN_COSTS & set(case.rows.columns):
        return by_model
    return [
        with_own_costs(numbers, model, rows, costs, case.weight, case.spec.confidence)
        for numbers, (model, rows) in zip(by_model, parts, strict=True)
    ]


def asked(spec: Spec) -> list[str]:
    """The measures of all rows: every registered one, and those of families that the spec names."""
    return [*METRICS, *of_families(spec)]


def truth_record(labels: tuple[str, str], positives: int, rows: int) -> Record:
    """The labels, positive first, and how many rows have them."""
    return {
        "positive": labels[0],
        "negative": labels[1],
        "positives": positives,
        "negatives": rows - positives,
        "prevalence": positives / rows,
    }


def _disagreements(rows: pl.DataFrame, model: Judged) -> int | None:
    columns, threshold = model.columns, model.threshold
    if columns.score is None or columns.label is None or threshold is None:
        return None
    differs = (pl.col(columns.score) >= threshold.value) != call(columns, threshold)
    return int(rows.select(differs.sum()).item())


def model_record(model: Judged, disagreements: int | None) -> Record:
    """What a model gives and how it decides; where it gives both, how often they disagree."""
    columns, threshold = model.columns, model.threshold
    kinds = [kind for kind in ("score", "label") if getattr(columns, kind) is not None]
    return {
        "name": model.name,
        "kind": " and ".join(kinds),
        "probability": model.probability,
        "threshold": threshold.value if threshold else None,
        "threshold_rule": threshold.rule if threshold else "labels supplied by the model",
        "threshold_role": threshold.role if threshold else None,
        "threshold_choice": asdict(threshold.choice) if threshold and threshold.choice else None,
        "disagreements": disagreements,
    }


def _without_bands(case: Case, models: Sequence[Judged]) -> list[Record]:
    """Why ROC curves have no bands where rows come in groups."""
    ranked = any(m.grouped is not None and m.ranked is not None for m in models)
    if not (ranked and case.spec.bootstrap.replicates):
        return []
    reason = "rows of a group are dependent, and bands resample single rows"
    return [{"what": "bands of ROC curves", "model": None, "reason": reason}]


def not_shown(models: Sequence[Judged]) -> list[Record]:
    """What a model has nothing to show in, and why."""
    records = []
    for model in models:
        if model.ranked is None:
            what = "ranking, calibration and cost curves"
            records.append({"what": what, "model": model.name, "reason": NO_SCORES})
            continue
        if not model.both_classes:
            what, reason = "ROC, P-R and cost curves", "only one class is present"
            records.append({"what": what, "model": model.name, "reason": reason})
        if not model.probability:
            reason = "the scores are not probabilities"
            records.append({"what": "calibration", "model": model.name, "reason": reason})
    return records
