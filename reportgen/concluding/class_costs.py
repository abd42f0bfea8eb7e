"""Costs of several classes: against always predicting the class of least cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from reportgen.array_types import Floats
from reportgen.comparisons.wording import MOST_NAMES, bounded
from reportgen.concluding.headline_numbers import of_value
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.metric_names import COST
from reportgen.records.decision import OF_CONSTANT, Caveat, Severity
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of, has_narrow_limits
from reportgen.text import numbers


@dataclass(frozen=True, slots=True)
class AgainstConstant:
    """By how much a model costs more per row than the cheapest constant prediction.

    ``class_`` is the place of its class, ``constant`` its cost. Limits are null where rows are not
    independent.
    """

    class_: int
    constant: float
    value: float
    low: float | None = None
    high: float | None = None


def against_constant(
    counts: Floats, costs: Floats, confidence: float, family: int = 1
) -> AgainstConstant:
    """The model with these counts (truth × prediction) against the cheapest constant prediction.

    Student's limits of the mean of paired differences, of which a row has one by its truth and its
    prediction. The constant is chosen by these rows: the lower limit holds for each class, both for
    each of a ``family`` of models (Bonferroni).

    >>> counts, costs = np.array([[30.0, 20.0], [10.0, 40.0]]), np.array([[0.0, 3.0], [1.0, 0.0]])
    >>> one = against_constant(counts, costs, 0.95)
    >>> one.class_, one.constant, round(one.value, 2)
    (0, 0.5, 0.2)
    """
    rows = counts.sum()
    of_constants = counts.sum(axis=1) @ costs / rows
    best = int(np.argmin(of_constants))
    differences = costs - costs[:, [best]]
    mean = float((counts * differences).sum() / rows)
    error = float(((counts * (differences - mean) ** 2).sum() / (rows - 1) / rows) ** 0.5)
    tail = (1 - confidence) / 2 / family
    low, high = (
        mean + float(stdtrit(rows - 1, level)) * error for level in (tail / len(costs), 1 - tail)
    )
    return AgainstConstant(best, float(of_constants[best]), mean, low, high)


def of_class_costs(results: Results) -> Iterator[Caveat]:
    """The models that cost more than a constant prediction, or not significantly less.

    Where cost decides and that is all of them, no model is worth its gates.
    """
    declared = results.declared.costs
    if not declared or not results.task.several_classes or "confusion" not in results.curves:
        return
    values = on_all_rows(results.metrics, COST)
    against = {name: _of_model(results, name, declared, len(values)) for name in values}
    no_less = {
        name: one
        for name, one in against.items()
        if one is not None and (one.high is None or one.high >= 0) and _is_no_less(one)
    }
    of_all = results.decision.measure == COST and len(no_less) == len(values)
    severity: Severity = "severe" if of_all else "moderate"
    for name, one in list(no_less.items())[:MOST_NAMES]:
        yield Caveat(OF_CONSTANT, severity, _in_words(results, name, values, one))


def cheaper_constant(results: Results, name: str) -> tuple[str, float] | None:
    """The class that costs significantly less, always predicted, than a model; null if none."""
    declared = results.declared.costs
    if not declared or "confusion" not in results.curves:
        return None
    one = _of_model(results, name, declared, len(on_all_rows(results.metrics, COST)))
    if one is None or one.low is None or one.low <= 0:
        return None
    return str(results.data["classes"][one.class_]["class"]), one.constant


def _is_no_less(one: AgainstConstant) -> bool:
    return one.low is not None or one.value >= 0


def _of_model(
    results: Results, name: str, declared: Mapping[str, Any], family: int
) -> AgainstConstant | None:
    data = results.data
    classes = [one["class"] for one in data["classes"]]
    costs = np.array([[declared.get(i, {}).get(j, 0.0) for j in classes] for i in classes], float)
    rows = results.curves["confusion"].filter(model=name)
    rows = rows.filter(rows["slice"].is_null(), rows["class"].is_null())
    counts = np.zeros(costs.shape)
    place = {label: k for k, label in enumerate(classes)}
    for truth, predicted, count in rows.select("truth", "predicted", "count").iter_rows():
        if truth not in place or predicted not in place:
            return None
        counts[place[truth], place[predicted]] += count
    if counts.sum() < 2:
        return None
    one = against_constant(counts, costs, results.confidence, family)
    units = evaluation_of(data).independent_units
    alone = units in (None, data["rows_evaluated"])
    independent = alone and not data.get("weighted") and not data.get("timed")
    independent = independent and not has_narrow_limits(data)
    return one if independent else AgainstConstant(one.class_, one.constant, one.value)


def _in_words(
    results: Results, name: str, values: Mapping[str, ModelValue], one: AgainstConstant
) -> str:
    level = f"{numbers.level(results.confidence)} CI "
    label = bounded(str(results.data["classes"][one.class_]["class"]))
    how = "no less than"
    limits = ""
    if one.low is not None and one.high is not None:
        how = "significantly more than"
        if one.low <= 0:
            how = f"not significantly {'more' if one.value > 0 else 'less'} than"
        ends = numbers.difference_limits(one.value, one.low, one.high)
        size = numbers.difference(one.value, one.low, one.high)
        limits = f", a difference of {size} (simultaneous {level}{ends})"
    text = (
        f"{bounded(name)} costs {of_value(values[name], level)} per row, {how} always predicting "
        f"{label}, {numbers.estimate(one.constant)}{limits}."
    )
    least = on_all_rows(results.metrics, "least_cost_error_rate").get(name)
    probable = any(m["name"] == name and m["probability"] for m in results.data["models"])
    if least is not None and probable:
        text += f" Least-cost predictions from its scores cost {numbers.estimate(least.value)}."
    return text
