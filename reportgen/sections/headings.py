"""Headings under which measures stand in a table, by task."""

from __future__ import annotations

from reportgen.records.model import Results
from reportgen.sections import lookup
from reportgen.sections.averages import plain
from reportgen.sections.lookup import metric_info
from reportgen.tasks import MeasureAverage

GROUPS = {
    "decision": "Decision at the threshold",
    "ranking": "Ranking",
    "agreement": "Agreement of truth and prediction",
    "probability": "Probability",
    "cost": "Cost",
    "error": "Error",
    "count": "Counts",
}
"""Headings of the groups of metrics, in reading order."""

INTERVAL, QUANTILE = "interval", "quantile"
"""The aspects of what rates prediction intervals and quantiles."""

ASPECTS = {
    "size": "Size of the error",
    "relative": "Relative error",
    "fit": "Fit and association",
    INTERVAL: "Prediction interval",
    QUANTILE: "Quantiles",
    "shape": "Losses of other shapes",
}
"""Headings of the measures of regression by their aspect, in reading order."""


def of_aspect(results: Results, aspect: str) -> list[MeasureAverage]:
    """The measures of regression in the results that have this aspect."""
    return plain(m.name for m in results.definitions.metrics if m.aspect == aspect)


def heading(measure: str | MeasureAverage, results: Results) -> str:
    """The heading that a measure stands under."""
    metric = metric_info(measure, results)
    if metric is None:
        return "Other"
    if metric.group == "error":
        return ASPECTS.get(metric.aspect or "", GROUPS["error"])
    return of_group(metric.group, results)


def of_group(group: str, results: Results) -> str:
    """The heading of a whole group of measures."""
    label = GROUPS.get(group, group.capitalize())
    return "Decisions" if group == "decision" and not results.task.two_classes else label


def printed(label: str, results: Results) -> str:
    """A heading as a report prints it: only models with scores decide at a threshold."""
    if label != GROUPS["decision"]:
        return label
    if results.task.graded:
        return "Graded answers"
    return label if has_thresholds(results) else "Decisions"


def has_thresholds(results: Results) -> bool:
    """Whether a model of two classes decides by a threshold: labels of its own come first."""
    models = results.data["models"]
    return results.task.two_classes and not all(map(lookup.gives_labels, models))


def by_heading(measures: list[MeasureAverage], results: Results) -> list[MeasureAverage]:
    """The measures so ordered that those of one heading stand together."""
    if not results.task.of_numbers:
        return measures
    order = [measure for aspect in ASPECTS for measure in of_aspect(results, aspect)]
    return sorted(measures, key=lambda m: order.index(m) if m in order else len(order))
