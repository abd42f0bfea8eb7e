"""How far two models differ in each main measure, with intervals of paired rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons import differences, joint_counts, mean_difference
from reportgen.metrics import METRICS, Metric
from reportgen.names import parted
from reportgen.resampling import bootstrap_pair
from reportgen.results.case import Case
from reportgen.results.costs import OWN_COSTS
from reportgen.results.judged import NO_SCORES, Judged, call
from reportgen.results.model import typed
from reportgen.spec import Spec
from reportgen.spec.gates import parse
from reportgen.tables import Differences

Record = dict[str, Any]
Pair = tuple[Judged, Judged]

MIRRORED = {"error_rate": "accuracy", "rank_loss": "auc"}
"""Metrics that are 1 minus another: their difference is the other's, turned round."""

REPEATED = "rows are judged more than once; the tests over folds and repeats allow for that"
GROUPED = "rows come in groups; a gate on the difference has it by drawing whole groups"
NO_CLOSED_FORM = "no closed form; a gate on the difference has it by the bootstrap"

Losses = Callable[[str], pl.Expr]

_LOSSES: dict[str, Losses] = {
    "brier_score": lambda score: (pl.col(score) - pl.col("truth").cast(pl.Float64)) ** 2,
    "log_loss": lambda score: (
        -pl.when("truth").then(pl.col(score).log()).otherwise((-pl.col(score)).log1p())
    ),
}
"""Measures that are means over the rows, as a loss of each."""


def of_rows(case: Case, models: Sequence[Judged], costs: Mapping[str, float]) -> list[Record]:
    """A row per pair and main measure: the baseline comes second.

    Measures of decisions have intervals from the joint counts, means over rows
    from the rows, and what else a gate asks for by the paired bootstrap: of
    whole groups, where rows have them.
    """
    made, reason = [], _reason(case)
    for first, second in pairs(models, case.baseline):
        asked = asked_by_gates(case.spec.gates, (first.name, second.name))
        wanted = [m for m in METRICS.values() if m.core or m.name in asked]
        own = None if reason else _Paired(case, (first, second), wanted, costs)
        for metric in wanted:
            row = record(metric.name, (first.name, second.name))
            made.append(row | ({"undefined": reason} if own is None else own.of(metric, asked)))
    return made


def pairs(models: Sequence[Judged], baseline: str | None) -> Iterator[Pair]:
    """Every pair in the order of the tests: differences are from the baseline."""
    yield from combinations(sorted(models, key=lambda model: model.name == baseline), 2)


def record(metric: str, models: Sequence[str]) -> Record:
    """A row without a value."""
    empty = dict.fromkeys(("value", "low", "high", "interval", "undefined"))
    return {"metric": metric, "models": list(models), **empty}


def asked_by_gates(gates: Iterable[str], models: tuple[str, str]) -> set[str]:
    """The measures whose difference between two models is a gate."""
    found = [parse(gate) for gate in gates]
    return {
        gate.left.metric
        for gate in found
        if gate.right is not None
        and gate.left.metric == gate.right.metric
        and {gate.left.model, gate.right.model} == set(models)
    }


def settled(
    found: Sequence[Record], comparisons: pl.DataFrame, measured: Collection[str]
) -> DataFrame[Differences]:
    """The differences as a table; where a test has an interval, the recommended one's stands.

    ``measured`` are the measures of the report: a difference that a test alone
    knows is added for these.
    """
    tested = comparisons.filter(
        pl.col("slice").is_null(),
        pl.col("effect") == "difference",
        pl.col("low").is_not_null(),
        pl.col("high").is_not_null(),
    ).sort(pl.col("standing") != "recommended", maintain_order=True)
    by_test: dict[tuple[str, ...], Record] = {}
    for row in tested.filter(pl.col("models").list.len() == 2).iter_rows(named=True):
        for told in _of_test(row):
            by_test.setdefault((told["metric"], *told["models"]), told)
    own = {(row["metric"], *row["models"]): row for row in found}
    more = {k: row for k, row in by_test.items() if k in own or parted(k[0])[0] in measured}
    return typed(Differences, list((own | more).values()))


def _of_test(test: Record) -> Iterator[Record]:
    """What a test says of its measure, and of the one that it fixes."""
    names, signs = [test["metric"]], [1]
    for mirror, metric in MIRRORED.items():
        if metric == test["metric"]:
            names, signs = [*names, mirror], [*signs, -1]
    for name, sign in zip(names, signs, strict=True):
        low, high = sorted((sign * test["low"], sign * test["high"]))
        yield record(name, test["models"]) | {
            "value": sign * test["estimate"],
            "low": low,
            "high": high,
            "interval": test["interval"],
        }


def _reason(case: Case) -> str | None:
    """Why rows cannot be paired one by one."""
    if case.terms.unpaired:
        return case.terms.unpaired
    if case.repeats > 1:
        return REPEATED
    return None


class _Paired:
    """Two models on the same rows."""

    def __init__(
        self, case: Case, pair: Pair, wanted: Sequence[Metric], costs: Mapping[str, float]
    ) -> None:
        self._case, self._pair, self._costs = case, pair, costs
        self._calls = [call(model.columns, model.threshold) for model in pair]
        self._grouped = "group" in case.rows.columns
        counts = joint_counts(case.rows, *self._calls, weight=case.weight)
        self._of_counts = of_counts(counts, wanted, case.spec, costs)

    def of(self, metric: Metric, asked: set[str]) -> Record:
        """Value and limits, or why there are none."""
        if metric.group == "cost" and OWN_COSTS & set(self._case.rows.columns):
            return {"undefined": "rows have costs of their own"}
        if self._grouped:
            return self._resampled(metric) if metric.name in asked else {"undefined": GROUPED}
        if metric.name in self._of_counts:
            return self._of_counts[metric.name]
        if any(model.columns.score is None for model in self._pair):
            return {"undefined": NO_SCORES}
        if metric.name in _LOSSES and self._case.weight is None:
            return self._of_losses(metric)
        return self._resampled(metric) if metric.name in asked else {"undefined": NO_CLOSED_FORM}

    def _of_losses(self, metric: Metric) -> Record:
        if not all(model.probability for model in self._pair):
            return {"undefined": metric.undefined}
        loss = _LOSSES[metric.name]
        both = [loss(str(model.columns.score)) for model in self._pair]
        rows = self._case.rows.select(first=both[0], second=both[1]).drop_nulls()
        if rows.is_empty() or not rows.select(pl.all_horizontal(pl.all().is_finite().all())).item():
            return {"undefined": metric.undefined}
        found = mean_difference(rows)
        if found.reason:
            return {"value": found.value}
        told = found.test(self._case.spec.confidence)
        return {"value": told["estimate"]} | {key: told[key] for key in ("low", "high", "interval")}

    def _resampled(self, metric: Metric) -> Record:
        spec = self._case.spec
        (first, second), score = self._calls, [m.columns.score for m in self._pair]
        scores = None if None in score else (str(score[0]), str(score[1]))
        if metric.on != "counts" and scores is None:
            return {"undefined": NO_SCORES}
        found = bootstrap_pair(
            self._case.rows,
            [metric],
            scores=scores,
            predicted=(first, second),
            weight=self._case.weight,
            group="group" if self._grouped else None,
            replicates=spec.bootstrap.replicates,
            seed=spec.bootstrap.seed,
            confidence=spec.confidence,
            settings=dict(self._costs),
        ).row(0, named=True)
        undefined = None if found["value"] is not None else metric.undefined
        return {key: found[key] for key in ("value", "low", "high", "interval")} | {
            "undefined": undefined
        }


def of_counts(
    joint: pl.DataFrame, metrics: Iterable[Metric], spec: Spec, costs: Mapping[str, float]
) -> dict[str, Record]:
    """Differences of those of the measures that are of decisions, by name."""
    found = differences(
        joint,
        metrics,
        confidence=spec.confidence,
        shares=spec.intervals.differences,
        settings=dict(costs),
    )
    return {row.pop("metric"): row for row in found.to_dicts()}
