"""Every pair of models in further measures: permutation, bootstrap, and whole ROC curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Unpack

import numpy as np
import polars as pl
from scipy.sparse import coo_array

from reportgen.clusters import Groups
from reportgen.comparing.differences import REPEATED, measures_of_gates
from reportgen.comparing.values_of_counts import cells_of_labels, of_label_counts, of_table
from reportgen.comparisons import (
    BinaryPair,
    Comparison,
    CountedPair,
    Draws,
    ModelPair,
    Question,
    RowwisePair,
    paired_bootstrap,
    paired_permutation,
)
from reportgen.comparisons.probability_losses import (
    MEASURES,
    NAME,
    chance_loss,
    losses_of_classes,
    of_row_losses,
)
from reportgen.comparisons.rank_exchanges import BY_RANKS
from reportgen.comparisons.weighted import WEIGHTED_T, weighted_losses
from reportgen.measuring.compared_by_fold import in_test_parts
from reportgen.measuring.context import EvaluationContext, TestSettings
from reportgen.metric_names import CORRECT_ROWS, MEAN_ERRORS, joined, parted
from reportgen.metrics import METRICS, REGISTRY, Metric
from reportgen.metrics.class_means import macro, weighted
from reportgen.metrics.settings import CostMatrix, MetricArguments
from reportgen.predictions.column_names import truth_column
from reportgen.predictions.compared_outputs import compared_outputs
from reportgen.predictions.evaluation_scheme import FIT
from reportgen.rank_orders import mean_ranks
from reportgen.sample_design import SampleDesign
from reportgen.spec.measures import further_measures
from reportgen.text.reasons import WEIGHTED

MakeTests = Callable[[str, Question], list[Comparison]]

MEANS = {"macro": macro, "weighted": weighted}
"""The means over the classes."""

TESTED = {*CORRECT_ROWS, "error_rate", *MEAN_ERRORS}
"""Measures of tasks other than two classes that have tests of their own."""

OF_ROWS = ("paired_permutation", "paired_bootstrap", NAME)
"""The tests of rows of a measure that the spec names."""

NOT_DRAWN = "there is no test of this measure"


def permutation_tests(
    context: EvaluationContext,
    settings: TestSettings,
    models: Sequence[str],
    make: MakeTests,
    of_examples: MakeTests | None = None,
) -> list[Comparison]:
    """The tests of every pair in the measures that the spec names, not yet adjusted.

    A gate names the measure whose difference it limits, too, unless that has an
    interval without these tests.
    The permutation test is the recommended one of its measure: it needs no
    large samples. Where the spec asks for no replicates only tests in closed form are made.
    Undefined where rows return in test parts over which models are compared, unless the spec
    chooses one of these tests; ``of_examples`` makes what takes each example for one row.
    """
    models_of = compared_outputs(context.predictions.models) if context.task.of_numbers else {}
    named = [*further_measures(context.spec), *models_of]
    ordered = sorted(models, key=lambda name: name == settings.baseline)
    limited = {pair: _limited(context, pair) for pair in combinations(ordered, 2)}
    records = []
    for metric in dict.fromkeys([*named, *(name for names in limited.values() for name in names)]):
        for pair, names in limited.items():
            if metric not in named and metric not in names:
                continue
            if not set(pair) <= set(models_of.get(metric, pair)):
                continue
            question = settings.question(pair, metric)
            if reason := settings.unpaired or _repeated(context, metric):
                records += undefined(question, reason)
                if of_examples is not None and not settings.unpaired:
                    records += of_examples(metric, question)
                continue
            records += make(metric, question)
    return records


def _repeated(context: EvaluationContext, metric: str) -> str | None:
    """Why rows that return are not exchanged: the tests over their parts are the ones to read."""
    is_exchanged = parted(metric)[0] not in ("roc", "auc")
    if context.repeats == 1 or not is_exchanged or context.spec.comparisons.test in OF_ROWS:
        return None
    keys = [key for key in FIT if key in context.rows.columns]
    return REPEATED if in_test_parts(context, keys) else None


def _limited(context: EvaluationContext, pair: tuple[str, str]) -> list[str]:
    """The measures whose difference a gate limits, and that only these tests compare.

    Of two classes what probabilities lose over folds, where a fold may lack sure errors.
    """
    of_gates = measures_of_gates(context.spec.gates, pair)
    if context.task.two_classes:
        pooled = context.predictions.evaluation.pooled_fits
        return sorted(of_gates & set(MEASURES)) if pooled else []
    return sorted(of_gates - TESTED)


def undefined(question: Question, reason: str) -> list[Comparison]:
    """Both tests without a value."""
    return question.undefined(reason, "paired_permutation", "paired_bootstrap")


def of_pair(context: EvaluationContext, question: Question, pair: ModelPair) -> list[Comparison]:
    """Both tests of a pair; undefined where rows are weighted, but for pairs that weigh them.

    None without replicates.
    """
    draws = context.spec.bootstrap
    if not draws.replicates:
        return []
    permutation, bootstrap = undefined(question, WEIGHTED)
    if context.weight is None:
        exchanges = Draws(draws.replicates, draws.seed, goes_on=True)
        permutation = paired_permutation(pair, question, draws=exchanges)
    if context.weight is None or isinstance(pair, BinaryPair):
        bootstrap = paired_bootstrap(pair, question, replicates=draws.replicates, seed=draws.seed)
    return [permutation, bootstrap]


def rowwise(
    context: EvaluationContext,
    question: Question,
    frames: Sequence[pl.DataFrame],
    metric: Metric,
    **settings: Unpack[MetricArguments],
) -> list[Comparison]:
    """Both tests of a measure of rows; ``frames`` are those of the two models."""
    first, second = frames
    of_mean = metric.mean and metric.name not in MEASURES  # these have a test of their own
    if context.weight is not None and of_mean and first.height == context.rows.height:
        return [_of_weighted_rows(context, question, frames, metric, **settings)]
    group = None
    if context.groups is not None:
        group, first = "group", first.with_columns(group=context.rows["group"])
    expression = metric.expression(**settings)
    exchanged, most = BY_RANKS.get(metric.name, (None, None))
    if most is not None and first.height > most:
        exchanged = None
    of_row = partial(_of_each_row, metric, **settings) if metric.mean else None
    pair = RowwisePair(first, second, expression, metric.bounds, group, exchanged, of_row)
    records = of_pair(context, question, pair)
    heavy = metric.heavy_tailed_mean or metric.tails_of
    if not heavy or not records or records[0].undefined:
        return records
    mean = REGISTRY[metric.task][heavy]
    losses = [_of_each_row(mean, frame) for frame in frames]
    kurtosis = (losses[0] - losses[1]).kurtosis(fisher=False)
    variation = () if metric.tails_of is None else tuple(map(_variation, losses))
    return [r.with_fields(kurtosis=kurtosis, group_variation=variation) for r in records]


def _of_weighted_rows(
    context: EvaluationContext,
    question: Question,
    frames: Sequence[pl.DataFrame],
    metric: Metric,
    **settings: Unpack[MetricArguments],
) -> Comparison:
    """The t-test of a mean over weighted rows; of errors with what it shows of their tails."""
    added = [_of_each_row(metric, frame, **settings).cast(pl.Float64) for frame in frames]
    if any(column.null_count() for column in added):
        return question.record(WEIGHTED_T, undefined=metric.undefined)
    first, second = (column.to_numpy() for column in added)
    weights = context.rows[str(context.weight)].cast(pl.Float64).to_numpy()
    test = weighted_losses((first, second), SampleDesign(weights, groups=context.groups), question)
    kurtosis = test.kurtosis if metric.heavy_tailed_mean or metric.tails_of else None
    variation = test.group_variation if metric.tails_of else ()
    return test.with_fields(kurtosis=kurtosis, group_variation=variation)


def _variation(losses: pl.Series) -> float:
    """The coefficient of variation of what the rows lose."""
    values = losses.cast(pl.Float64).to_numpy()
    mean = float(values.mean())
    return float(values.std()) / mean if mean > 0 else 0.0


def with_distances(
    records: list[Comparison], rows: pl.DataFrame, decisions: Sequence[pl.Expr], metric: Metric
) -> list[Comparison]:
    """The tests with the kurtosis of differences in distance, where errors count with theirs."""
    if not metric.by_distance or records[0].undefined:
        return records
    truth = pl.col("truth").cast(pl.Float64)
    first, second = (
        (truth - one.cast(pl.Float64)).abs() ** metric.by_distance for one in decisions
    )
    kurtosis, farthest = rows.select(
        (first - second).kurtosis(fisher=False), farthest=pl.max_horizontal(first, second).max()
    ).row(0)
    if farthest is None or farthest <= 1:  # every error counts alike
        return records
    return [record.with_fields(kurtosis=kurtosis) for record in records]


def _of_each_row(
    mean: Metric, frame: pl.DataFrame, **settings: Unpack[MetricArguments]
) -> pl.Series:
    """What each row adds to a mean."""
    rows = frame.with_row_index("row").group_by("row", maintain_order=True)
    return rows.agg(value=mean.expression_of_groups(**settings))["value"]


def of_class_losses(
    context: EvaluationContext, question: Question, scored: Sequence[pl.DataFrame], metric: Metric
) -> list[Comparison]:
    """The test of what probabilities of several classes lose; nothing of other measures."""
    if metric.name not in MEASURES:
        return []
    if any(frame.select(metric.expression()).item() is None for frame in scored):
        return question.undefined(metric.undefined, NAME)
    first, second = (losses_of_classes(frame, metric.name) for frame in scored)
    weights = None if context.weight is None else scored[0]["weight"].to_numpy()
    chance, design = chance_loss(scored[0], metric.name), SampleDesign(weights, context.groups)
    return [of_row_losses(first, second, question, design, chance=chance)]


def averaged(name: str) -> Metric | None:
    """A measure of two classes as its mean over several, if it is one of counts."""
    metric, average = parted(name)
    definition, mean = METRICS.get(metric), MEANS.get(average or "macro")
    if definition is None or definition.on != "counts" or mean is None:
        return None

    def build() -> pl.Expr:
        return mean(METRICS[metric].build())

    return replace(definition, name=joined(metric, average or "macro"), build=build, on="classes")


def of_cells(  # one argument per thing that decisions and their values need
    rows: pl.DataFrame,
    size: int,
    decisions: Sequence[pl.Expr],
    metric: Metric,
    costs: CostMatrix | None,
    groups: Groups | None = None,
) -> CountedPair:
    """Two decisions between ``size`` classes: each kind of row adds one to a cell."""
    table = rows.select("truth", **{f"c{k}": c.cast(pl.Int64) for k, c in enumerate(decisions)})
    kinds = table if groups is not None else table.group_by(pl.all()).len("rows").sort(pl.all())
    at = [(kinds["truth"].cast(pl.Int64) * size + kinds[f"c{k}"]).to_numpy() for k in (0, 1)]
    occupied, place = np.unique(np.concatenate(at), return_inverse=True)

    value = of_table(metric, size, occupied, {"costs": costs})
    sides = np.split(place, 2)
    if groups is not None:
        columns = [side[:, None] for side in sides]
        return CountedPair.in_groups(columns, len(occupied), groups, value)
    shape, ones, each = (
        (kinds.height, len(occupied)),
        np.ones(kinds.height),
        np.arange(kinds.height),
    )
    first, second = (coo_array((ones, (each, where)), shape).tocsr() for where in sides)
    return CountedPair(first, second, kinds["rows"].cast(pl.Int64).to_numpy(), value)


def of_labels(
    rows: pl.DataFrame,
    size: int,
    decisions: Sequence[Sequence[pl.Expr]],
    metric: Metric,
    groups: Groups | None = None,
) -> CountedPair:
    """Two decisions on ``size`` labels: each kind of row adds to the counts of every label."""
    columns = [pl.col(truth_column(k)) for k in range(size)]
    columns += [c.alias(f"c{side}:{k}") for side in (0, 1) for k, c in enumerate(decisions[side])]
    table = rows.select(columns).to_numpy().astype(bool)
    value = of_label_counts(metric, size)
    if groups is not None:
        truth, *predicted = np.split(table, 3, axis=1)
        cells = [cells_of_labels(truth.astype(int), c.astype(int)) for c in predicted]
        return CountedPair.in_groups(cells, 4 * size, groups, value)
    kinds, count = np.unique(table, axis=0, return_counts=True)
    truth, *predicted = np.split(kinds, 3, axis=1)
    first, second = (
        np.stack([truth & c, ~truth & c, truth & ~c, ~truth & ~c], axis=2)
        .reshape(len(kinds), -1)
        .astype(np.float64)
        for c in predicted
    )
    return CountedPair(first, second, count.astype(np.int64), value)


def metric_of(task: str, name: str) -> Metric | None:
    """The measure of a task, else that of two classes as a mean over several."""
    return REGISTRY[task].get(name) or averaged(name)


def on_one_scale(frame: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Estimates on a scale that both models have, where the measure of them does not depend on it.

    Those of another scale would be outliers among the estimates that they are exchanged with.

    >>> frame = pl.DataFrame({"estimate": [10.0, 30.0, 20.0]})
    >>> on_one_scale(frame, "pearson_r")["estimate"].round(9).to_list()
    [-1.0, 1.0, 0.0]
    """
    given = frame["estimate"].cast(pl.Float64)
    scales = {"spearman_rho": mean_ranks, "kendall_tau": mean_ranks, "pearson_r": _standardised}
    if metric not in scales or given.n_unique() < 2:
        return frame
    return frame.with_columns(scales[metric](given))


def _standardised(values: pl.Series) -> pl.Series:
    scaled = values / values.abs().max()  # squares of the values themselves may overflow
    return (scaled - scaled.mean()) / scaled.std()
