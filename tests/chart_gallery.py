"""The figures of a report of every task: each evaluated, laid out and drawn once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from reportgen.charts import Figure, figures
from reportgen.charts.registry import charts
from reportgen.results import Results
from tests import charts_results, charts_tasks, sections_tasks

FIGURES = {"gain": ("gain", "lift")}
"""The figures of a curve that has more than one of its own name."""

FURTHER = tuple(
    name
    for chart in charts()
    if chart.curve and "binary" in chart.further
    for name in FIGURES.get(chart.curve, (chart.curve,))
)
"""Those that a report has where it has the section of further curves."""

NAMES = (
    "rich-leaders",
    "rich-key_metrics",
    "rich-roc",
    "rich-precision_recall",
    "rich-score_distribution_0",
    "rich-score_distribution_1",
    "rich-score_distribution_2",
    "rich-threshold",
    "rich-threshold_2",
    "rich-confusion_0",
    "rich-confusion_1",
    "rich-confusion_2",
    "rich-confusion_3",
    "rich-calibration",
    "rich-cost_curve",
    "rich-differences",
    *(f"rich-{name}" for name in FURTHER),
    "classes-leaders",
    "classes-key_metrics",
    "classes-roc",
    "classes-precision_recall",
    "classes-per_class",
    "classes-confusion_0",
    "classes-confusion_1",
    "classes-confusion_2",
    "classes-calibration",
    "classes-differences",
    "classes-class_calibration",
    "labels-leaders",
    "labels-key_metrics",
    "labels-roc",
    "labels-precision_recall",
    "labels-per_class",
    "labels-class_calibration",
    "numbers-leaders",
    "numbers-key_metrics",
    "numbers-estimates",
    "numbers-residuals",
    "numbers-residual_quantiles",
    "numbers-error_characteristic",
    "numbers-differences",
    "forecasts-forecasts",
    "slices-slices_0",
)
"""Every kind of figure: report and id."""


def with_curves(results: Results) -> Results:
    """The same results, for a report with its further curves and room for one on page one.

    Its names are so long that a caveat takes the room of the figure.
    """
    decision = replace(results.decision, caveats=())
    spec = {**results.spec, "sections": {"add": ["curves"]}}
    return replace(results, spec=spec, decision=decision)


EACH = (
    *("rich-leaders", "rich-roc", "rich-threshold", "rich-confusion_0", "rich-differences"),
    *("classes-precision_recall", "classes-confusion_0", "labels-per_class"),
    *("numbers-residuals", "slices-slices_0"),
)
"""One of each shape."""

REPORTS: dict[str, Callable[[], Results]] = {
    "rich": lambda: with_curves(charts_results.rich()),
    "classes": lambda: with_curves(charts_tasks.classes()),
    "labels": charts_tasks.labelled,
    "numbers": lambda: charts_tasks.estimated(models=3),
    "forecasts": charts_tasks.forecasts,
    "slices": sections_tasks.fifty_slices,
    "many": lambda: charts_results.scored([f"model_of_{month}_2026" for month in range(1, 11)]),
}


@cache
def figures_of(report: str) -> dict[str, Figure]:
    """All figures of one of the reports, by their id."""
    return {figure.id: figure for figure in figures(REPORTS[report]())}


def figure(name: str) -> Figure:
    """A figure by the names of its report and itself."""
    report, _, identifier = name.partition("-")
    return figures_of(report)[identifier]


DRAWN: dict[str, str] = {}


def drawing(name: str, *, anew: bool = False) -> str:
    """The figure as SVG, drawn once unless anew: then its warnings are seen."""
    if anew or name not in DRAWN:
        DRAWN[name] = charts_results.svg_of(figure(name).chart)
    return DRAWN[name]
