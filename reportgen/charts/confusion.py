"""Confusion tables: the predictions of the rows of each true class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, labels, style, texts
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, Width, report_chart
from reportgen.charts.style import ModelStyle
from reportgen.metric_names import CELLS
from reportgen.records.model import Results
from reportgen.tables import Confusion
from reportgen.text.numbers import plural

HEIGHT = {"half": 200, "third": 160}
"""By the width of the chart."""

STEPS = ("#eff4fb", "#c9dcf1", "#8db8e2", "#3a76b6", "#0b4f94")
"""Colours of a row's shares in fifths."""

ROOM = {"half": 90, "third": 62}
"""Width of a class's name on an axis."""

TOOLTIP = {"c0": "Truth", "c1": "Predicted", "c2": "Rows", "c4": "Share of truth"}

DARK = 0.6
"""Where a cell is dark enough for white text."""


def draw(
    confusion: DataFrame[Confusion], model: str, classes: Sequence[str], width: Width = "half"
) -> alt.LayerChart | None:
    """Truth down, prediction across; colour and percentage are shares of the row."""
    rows = chart_layers.overall(confusion).filter(pl.col("model") == model)
    if not rows.height:
        return None
    room = ROOM[width]
    names = _distinct_names(labels.unique(classes), room)
    order = [names[name] for name in classes]
    cells = [
        {
            "c0": names[truth],
            "c1": names[predicted],
            "c2": texts.count(count),
            "c3": round(share or 0, 5),
            "c4": texts.percent(share),
            "c5": "white" if (share or 0) >= DARK else style.INK,
        }
        for truth, predicted, count, share in rows.select(
            "truth", "predicted", "count", "share"
        ).iter_rows()
    ]
    base = chart_layers.inline(cells).encode(
        x=alt.X("c1:N", sort=order, title="Predicted", axis=_axis(1.2 * room, labelAngle=0)),
        y=alt.Y("c0:N", sort=order, title="Truth", axis=_axis(room)),
    )
    scale = alt.Scale(type="quantize", domain=[0, 1], range=list(STEPS))
    ink = alt.Color("c5:N", scale=None, legend=None)
    return chart_layers.layered(
        base.mark_rect(stroke="white", strokeWidth=2).encode(
            fill=alt.Fill("c3:Q", scale=scale, legend=None),
            tooltip=[alt.Tooltip(f"{field}:N", title=title) for field, title in TOOLTIP.items()],
        ),
        base.mark_text(fontSize=15, fontWeight=600, dy=-8).encode(text=alt.Text("c2:N"), color=ink),
        base.mark_text(fontSize=11, dy=10).encode(text=alt.Text("c4:N"), color=ink),
        width=style.WIDTHS[width],
        height=HEIGHT[width],
        autosize=chart_layers.FIT,
    )


def _distinct_names(names: dict[str, str], room: float) -> dict[str, str]:
    """Cut the names in their middles where an axis, which cuts ends, would make them alike."""
    if len({labels.squeeze(name, room, tail=0) for name in names.values()}) == len(names):
        return names
    return dict(zip(names, labels.fitted([*names.values()], [room] * len(names)), strict=True))


def _axis(limit: float, **more: Any) -> alt.Axis:
    return alt.Axis(domain=False, ticks=False, grid=False, labelLimit=limit, **more)


@report_chart(60, "binary", curve="confusion", each=True)
def figures(results: Results) -> list[Figure]:
    """Return a figure per model."""
    classes = (results.data["positive"], results.data["negative"])
    model_styles = captions.model_styles(results)
    width, result = style.beside(len(model_styles)), []
    for place, model_style in enumerate(model_styles):
        chart = draw(captions.curve(results, "confusion"), model_style.model, classes, width)
        if chart is not None:
            result.append(_figure(results, place, model_style, chart, width))
    return result


def _figure(
    results: Results, place: int, model_style: ModelStyle, chart: alt.LayerChart, width: Width
) -> Figure:
    model = captions.model_data(results, model_style.model)
    threshold = None if "label" in model["outputs"] else model["threshold"]
    numbers = Numbers(results.metrics)
    cells = {cell: numbers.value(cell, model_style.model) or 0.0 for cell in CELLS}
    errors, total = cells["fn"] + cells["fp"], sum(cells.values())
    finding = (
        f"{texts.count(errors)} of {texts.count(total)} wrong: "
        f"{texts.count(cells['fn'])} missed, {plural(cells['fp'], 'false alarm')}"
    )
    if results.data.get("weighted") and total:
        wrong, missed, alarms = (
            texts.percent(part / total) for part in (errors, cells["fn"], cells["fp"])
        )
        finding = f"{wrong} of weight wrong: {missed} missed, {alarms} false alarms"
    at = "" if threshold is None else f" at the threshold {texts.threshold(threshold)}"
    weighted = " Counts are sums of weights." if results.data.get("weighted") else ""
    return Figure(
        id=f"confusion_{place}",
        title=f"{captions.short(model_style)}: {finding}",
        subtitle=f"What is predicted for the rows of each class{at}? Shades and percentages are "
        f"of the row.{weighted}",
        alt=f"Confusion table of {model_style.label}{at}. {finding}. "
        f"True positives {texts.count(cells['tp'])}, true negatives {texts.count(cells['tn'])}.",
        chart=chart_layers.specification(chart),
        table=_table(results, model_style),
        width=width,
        section="decisions",
        first=True,
    )


def _table(results: Results, model_style: ModelStyle) -> pl.DataFrame:
    names = labels.unique((results.data["positive"], results.data["negative"]))
    rows = chart_layers.overall(captions.curve(results, "confusion"))
    return rows.filter(pl.col("model") == model_style.model).select(
        pl.col("truth").replace(names).alias("Truth"),
        pl.col("predicted").replace(names).alias("Predicted"),
        pl.col("count").alias("Rows"),
        pl.col("share").alias("Share of true class"),
    )
