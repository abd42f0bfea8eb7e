"""The words around the charts: what a legend says and what a title may claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pandera.typing.polars import DataFrame

from reportgen.charts import style
from reportgen.charts.labels import middle_cut
from reportgen.charts.metric_values import Numbers, NumberWithLimits, differs
from reportgen.charts.style import ModelStyle
from reportgen.records.decision import MEASURES_OF_ROWS
from reportgen.records.model import Results
from reportgen.records.rows import ModelRecord, evaluation_of
from reportgen.text.numbers import prevalence
from reportgen.text.words import listed

IN_TITLE = 40
"""Most characters of a name in a title."""


def curve(results: Results, name: str) -> DataFrame[Any]:
    """Return a curve's table; the name stands for its type."""
    return results.curves[name]


def model_data(results: Results, model: str) -> ModelRecord:
    """Return what the data section knows about a model: outputs, threshold, probability."""
    return next(entry for entry in results.data["models"] if entry["name"] == model)


def labels_only(results: Results) -> str:
    """Return the remark that a subtitle needs where a model gives no scores."""
    if any(list(model["outputs"]) == ["label"] for model in results.data["models"]):
        return " Symbol without a curve: a model that supplies labels only."
    return ""


def independent_rows(results: Results, drawn: str) -> str:
    """Return the remark on what is ``drawn`` from single rows where rows depend on each other."""
    groups: Mapping[str, Any] = results.data.get("groups") or {}
    evaluation = evaluation_of(results.data)
    returning = (evaluation.repeats or 1) > 1 and evaluation.rows_return is not False
    reasons = {
        "groups": groups.get("largest", 1) > 1,
        "the order in time": bool(results.data.get("timed")),
        "repeats": returning,
    }
    named = [reason for reason, holds in reasons.items() if holds]
    if not named:
        return ""
    return f" {drawn} treat rows as independent and do not allow for {' and '.join(named)}."


def short(model_style: ModelStyle) -> str:
    """Return the model's label at a length that fits a title, cut in the middle."""
    return middle_cut(model_style.label, IN_TITLE)


MOST_TIED = 3
"""More models than this with the same best value are counted instead of named."""


def best(
    results: Results,
    metric: str,
    name: str,
    *,
    lowest: bool = False,
    numbers: Numbers | None = None,
    tested: str | None = None,
    form: Callable[[float | None], str] | None = None,
) -> str:
    """State which model is best by a metric, and whether the test against the next one rejects.

    Of several fits the numbers are those of all rows pooled, which rank nobody: the
    models are compared by their means over folds.

    ``numbers`` are those of an average over classes, which has no test;
    ``tested`` names the metric of the test where it is another one, ``form`` writes a number.
    """
    name += _share_of_rows(results, metric)
    lookup = numbers or Numbers(results.metrics)
    looks_by_model = {model_style.model: model_style for model_style in model_styles(results)}
    order = lookup.best_first(metric, looks_by_model, lowest=lowest)
    if not order:
        return f"{name} is undefined for every model"
    leader, value = short(looks_by_model[order[0]]), lookup.get(metric, order[0]).text(form)
    if len(order) == 1:
        return f"{leader}: {'pooled ' * pooled(results)}{name} {value}"
    if pooled(results):
        ends = (order[0], order[-1]) if lowest else (order[-1], order[0])
        low, high = (
            f"{_point(lookup.get(metric, m), form)} ({short(looks_by_model[m])})" for m in ends
        )
        points = {_point(lookup.get(metric, m), form) for m in order}
        if len(points) == 1:
            who = "both models" if len(order) == 2 else f"all {len(order)} models"
            return f"Pooled {name}: {points.pop()} for {who}"
        return f"Pooled {name}: {low} to {high}"
    extreme = f"{'Lowest' if lowest else 'Highest'} {name}"
    equal = [m for m in order if lookup.value(metric, m) == lookup.value(metric, order[0])]
    if len(equal) > 1:
        who = several([short(looks_by_model[m]) for m in equal])
        return f"{extreme}: {who}, {_point(lookup.get(metric, order[0]), form)}"
    verdict, other = None, _compared_with(results, tested or metric, order)
    if numbers is None:
        verdict = differs(results.comparisons, tested or metric, [order[0], other])
    return f"{extreme}: {leader}, {value}{_against(short(looks_by_model[other]), verdict)}"


def _compared_with(results: Results, metric: str, order: Sequence[str]) -> str:
    """The model that the first one stands beside: that of the headline, else the second one."""
    decision = results.decision
    of_headline = (decision.measure, decision.leader) == (metric, order[0])
    other = decision.compared_with if of_headline else None
    return other if other in order[1:] and other is not None else order[1]


def _share_of_rows(results: Results, metric: str) -> str:
    """That a measure has the share of positives of the rows, where the spec states another one."""
    caveats = (c for c in results.decision.caveats if c.code == MEASURES_OF_ROWS)
    if not any(metric in caveat.measures for caveat in caveats):
        return ""
    return f" at {prevalence(results.data.get('prevalence'))} positive"


def several(names: Sequence[str]) -> str:
    """The models by name, or how many they are.

    >>> several(["a", "b"]), several(["a", "b", "c", "d"])
    ('a and b', '4 models')
    """
    return listed(names) if len(names) <= MOST_TIED else f"{len(names)} models"


def _against(next_: str, verdict: bool | None) -> str:
    """How the best model stands to the next one; nothing where no test says."""
    if verdict is None:
        return ""
    if verdict:
        return f"; the difference from {next_} is significant"
    return f"; no significant difference from {next_}"


def _point(estimate: NumberWithLimits, form: Callable[[float | None], str] | None) -> str:
    return form(estimate.value) if form else estimate.point


def pooled(results: Results) -> bool:
    """Return whether the rows of several fits are pooled, whose means are other numbers."""
    return bool(evaluation_of(results.data).pooled_fits)


def model_styles(results: Results) -> list[ModelStyle]:
    """Return the styles of all models of the results."""
    return style.model_styles(results.models)
