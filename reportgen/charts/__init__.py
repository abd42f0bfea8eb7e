"""Charts: typed tables in, figures out.

A chart is one module: ``draw`` takes tables and gives an Altair chart (or
nothing where the data has nothing to draw), ``figures`` adds its words. To add
one, write a module here with ``@report_chart`` on its ``figures``; it is discovered.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reportgen.charts.registry import Figure
from reportgen.records.model import Results

if TYPE_CHECKING:
    from reportgen.charts.registry import Chart

__all__ = ["Figure", "figures"]

RARE_FIRST = {"precision_recall": 15}
"""Positions where positives are rare, by curve: before the ROC curve."""

PAGE_ONE = 0
"""Position of the figure of all models; those of the sections show the featured ones."""


def figures(results: Results) -> list[Figure]:
    """Return every figure that the results support, in the order of the report.

    Curves are of the rows without a slice. What the section of further curves
    holds is drawn only where the report has that section. The same results
    give the same figures.
    """
    from altair.utils import schemapi

    from reportgen.charts import page_one, style
    from reportgen.charts.registry import charts_of
    from reportgen.records import shown_models

    shown, every = shown_models.featured(results), shown_models.reordered(results)
    others = shown_models.others(results)
    further = "curves" in results.declared.shown_sections
    palette = results.declared.theme.palette
    with schemapi.debug_mode(False), style.colored(palette):
        charts = [
            figure
            for chart in _ordered(charts_of(results.task.name, further=further), results)
            if chart.curve is None or chart.curve in results.curves
            for figure in chart.draw(every if chart.position == PAGE_ONE else shown, others)
        ]
    return page_one.placed(results, charts)


def _ordered(charts: Iterable[Chart], results: Results) -> list[Chart]:
    """The charts in the order of the report: of a rare class precision and recall come first."""
    first = RARE_FIRST if results.reading.positives_are_rare else {}
    return sorted(charts, key=lambda chart: first.get(chart.curve or "", chart.position))
