"""Headings under which measures stand in a table, by task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.metric_names import PINBALL_LOSS
from reportgen.metrics.registry import REGISTRY, ErrorAspect
from reportgen.sections import lookup
from reportgen.sections.averages import measure_of, plain
from reportgen.sections.lookup import metric_info
from reportgen.tasks import TASKS, MeasureAverage

if TYPE_CHECKING:
    from reportgen.results import Results

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

QUANTILES = "Quantiles"

ASPECTS: dict[ErrorAspect, str] = {
    "size": "Size of the error",
    "relative": "Relative error",
    "fit": "Fit and association",
    "interval": "Prediction interval",
    "quantile": QUANTILES,
    "shape": "Losses of other shapes",
}
OF_ERRORS: dict[str, tuple[str, ...]] = {
    heading: tuple(m.name for m in REGISTRY["regression"].values() if m.aspect == aspect)
    for aspect, heading in ASPECTS.items()
}
"""Headings of the measures of regression, in reading order."""

_HEADING = {name: heading for heading, names in OF_ERRORS.items() for name in names}


def heading(measure: str | MeasureAverage, kind: str = "binary") -> str:
    """The heading that a measure stands under.

    >>> heading("auc"), heading("r2", "regression"), heading("accuracy", "multiclass")
    ('Ranking', 'Fit and association', 'Decisions')
    """
    metric = metric_info(measure, kind)
    if metric is None:
        return "Other"
    if metric.group == "error":
        name = measure_of(measure)[0]
        return QUANTILES if name.startswith(PINBALL_LOSS) else _HEADING.get(name, GROUPS["error"])
    return of_group(metric.group, kind)


def of_group(group: str, kind: str = "binary") -> str:
    """The heading of a whole group of measures."""
    label = GROUPS.get(group, group.capitalize())
    return "Decisions" if group == "decision" and not TASKS[kind].two_classes else label


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


def by_heading(measures: list[MeasureAverage], kind: str) -> list[MeasureAverage]:
    """The measures so ordered that those of one heading stand together."""
    if not TASKS[kind].of_numbers:
        return measures
    order = plain(_HEADING)
    return sorted(measures, key=lambda m: order.index(m) if m in order else len(order))
