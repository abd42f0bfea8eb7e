"""The models of page one: values on the basis of the conclusion, and differences to one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from math import sqrt
from string import ascii_lowercase

import polars as pl

from reportgen.concluding.contest import Contest, Difference
from reportgen.concluding.costs_in_use import costs_per_row
from reportgen.concluding.leading import OVER_PARTS
from reportgen.concluding.model_values import on_all_rows
from reportgen.records.decision import RankedModel, Relation
from reportgen.records.model import Results


def ranked_models(
    results: Results, contest: Contest, leader: str, baseline: str | None, relation: Relation
) -> tuple[RankedModel, ...]:
    """Every model, best first; those without a value last."""
    reference = contest.reference(leader, baseline)
    names = results.models
    ordered = [*contest.order, *(name for name in names if name not in contest.values)]
    average = None if contest.basis in ("pooled rows", "groups") else OVER_PARTS
    groups = letters(contest) if baseline is None and relation != "no conclusion" else {}
    return tuple(
        _model(results, contest, name, reference, leader, average, groups, relation)
        for name in ordered
    )


def _model(
    results: Results,
    contest: Contest,
    name: str,
    reference: str,
    leader: str,
    average: str | None,
    groups: Mapping[str, str],
    relation: Relation,
) -> RankedModel:
    value = contest.values.get(name)
    compared = relation != "no conclusion"
    difference = contest.as_ordered(name, reference) if compared and name != reference else None
    costs = costs_per_row(results, average) if results.declared.costs else {}
    cost = costs.get(name)
    ranked = RankedModel(
        model=name,
        value=None if value is None else value.value,
        low=None if value is None else value.low,
        high=None if value is None else value.high,
        standing=contest.standing(name, leader)
        if compared and value is not None
        else "not compared",
        mean_rank=None if value is None else value.mean_rank,
        group=groups.get(name),
        unit_value=_in_unit(results, contest, name, average),
        cost=None if cost is None else cost.value,
        cost_low=None if cost is None else cost.low,
        cost_high=None if cost is None else cost.high,
    )
    return with_difference(ranked, difference)


def with_difference(model: RankedModel, difference: Difference | None) -> RankedModel:
    """The model with its difference to another one by the deciding test, if there is one."""
    if difference is None:
        return model
    return replace(
        model,
        difference=difference.estimate,
        difference_low=difference.low,
        difference_high=difference.high,
        p=difference.row.p_value,
        p_adjusted=difference.row.p_adjusted,
        significant=difference.row.reject,
    )


def _in_unit(results: Results, contest: Contest, name: str, average: str | None) -> float | None:
    """Root mean squared error; over folds the root of the mean that the model is ranked by."""
    if any(model.get("quantile") is not None for model in results.data["models"]):
        return None  # which squared errors do not rate
    if contest.measure == "root_mean_squared_error":
        return None  # which is the value itself
    if average is None:
        return _of_model(results.metrics, "root_mean_squared_error", name)
    value = contest.values.get(name)
    return sqrt(value.value) if value and contest.measure == "mean_squared_error" else None


def _of_model(
    metrics: pl.DataFrame, metric: str, model: str, average: str | None = None
) -> float | None:
    value = on_all_rows(metrics, metric, average).get(model)
    return None if value is None else value.value


LEAST = 4
"""Of fewer models a sentence says it."""


def letters(contest: Contest) -> dict[str, str]:
    """The compact letter display of all pairs, best model first; empty unless all were tested.

    Two models share a letter where their test does not reject. Insert and absorb:
    each significant pair splits the columns that hold both, and a column within
    another one is dropped. Piepho (2004), doi:10.1198/1061860043515.
    """
    order = contest.order
    pairs = [frozenset(pair) for pair in combinations(order, 2)]
    if len(order) < LEAST or any(pair not in contest.tests for pair in pairs):
        return {}
    columns = [frozenset(order)]
    for pair in pairs:
        if contest.tests[pair].reject:
            columns = _absorbed(
                part
                for column in columns
                for part in ([column - {m} for m in pair] if pair <= column else [column])
            )
    if len(columns) > len(ascii_lowercase):
        return {}
    ranked = sorted(columns, key=lambda column: sorted(order.index(m) for m in column))
    named = dict(zip(ascii_lowercase, ranked, strict=False))
    return {m: "".join(letter for letter, column in named.items() if m in column) for m in order}


def _absorbed(columns: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """The columns that no other one holds."""
    unique = list(dict.fromkeys(columns))
    return [c for c in unique if not any(c < other for other in unique)]
