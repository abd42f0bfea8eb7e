"""Confusion tables: how the rows of each true class were called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from reportgen.charts import blocks, findings, labels, style, texts
from reportgen.charts.figure import Figure, Width
from reportgen.charts.numbers import Numbers
from reportgen.charts.style import Look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pandera.typing.polars import DataFrame

    from reportgen.results import Results
    from reportgen.tables import Confusion

HEIGHT = {"half": 200, "third": 160}
"""By the width of the chart."""

STEPS = ("#eff4fb", "#c9dcf1", "#8db8e2", "#4a86c5", "#0b4f94")
"""Colours of a row's shares in fifths."""

ROOM = {"half": 90, "third": 62}
"""Width of a class's name on an axis."""

DARK = 0.6
"""Where a cell is dark enough for white text."""


def draw(
    confusion: DataFrame[Confusion], model: str, classes: Sequence[str], width: Width = "half"
) -> alt.LayerChart | None:
    """Truth down, prediction across; colour and percentage are shares of the row."""
    rows = blocks.overall(confusion).filter(pl.col("model") == model)
    if not rows.height:
        return None
    room = ROOM[width]
    names = _told_apart(labels.unique(classes), room)
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
    base = blocks.inline(cells).encode(
        x=alt.X("c1:N", sort=order, title="Predicted", axis=_axis(1.2 * room, labelAngle=0)),
        y=alt.Y("c0:N", sort=order, title="Truth", axis=_axis(room)),
    )
    scale = alt.Scale(type="quantize", domain=[0, 1], range=list(STEPS))
    ink = alt.Color("c5:N", scale=None, legend=None)
    return blocks.layered(
        base.mark_rect(stroke="white", strokeWidth=2).encode(
            fill=alt.Fill("c3:Q", scale=scale, legend=None)
        ),
        base.mark_text(fontSize=15, fontWeight=600, dy=-8).encode(text=alt.Text("c2:N"), color=ink),
        base.mark_text(fontSize=11, dy=10).encode(text=alt.Text("c4:N"), color=ink),
        width=style.WIDTHS[width],
        height=HEIGHT[width],
        autosize=blocks.FIT,
    )


def _told_apart(names: dict[str, str], room: float) -> dict[str, str]:
    """Cut the names in their middles where an axis, which cuts ends, would make them alike."""
    if len({labels.squeeze(name, room, tail=0) for name in names.values()}) == len(names):
        return names
    return dict(zip(names, labels.fitted([*names.values()], [room] * len(names)), strict=True))


def _axis(limit: float, **more: Any) -> alt.Axis:
    return alt.Axis(domain=False, ticks=False, grid=False, labelLimit=limit, **more)


def figures(results: Results) -> list[Figure]:
    """Return a figure per model."""
    classes = (results.data["positive"], results.data["negative"])
    looks = findings.looks(results)
    width, result = style.beside(len(looks)), []
    for place, look in enumerate(looks):
        chart = draw(findings.curve(results, "confusion"), look.model, classes, width)
        if chart is not None:
            result.append(_figure(results, place, look, chart, width))
    return result


def _figure(
    results: Results, place: int, look: Look, chart: alt.LayerChart, width: Width
) -> Figure:
    threshold = findings.model_data(results, look.model)["threshold"]
    numbers = Numbers(results.metrics)
    cells = {cell: numbers.value(cell, look.model) or 0.0 for cell in ("tp", "fp", "fn", "tn")}
    wrong, whole = cells["fn"] + cells["fp"], sum(cells.values())
    finding = (
        f"{texts.count(wrong)} of {texts.count(whole)} wrong: "
        f"{texts.count(cells['fn'])} missed, {texts.count(cells['fp'])} false alarms"
    )
    at = "" if threshold is None else f" at the threshold {texts.compact(threshold)}"
    return Figure(
        id=f"confusion_{place}",
        title=f"{findings.short(look)}: {finding}",
        subtitle=f"What is predicted for the rows of each class{at}? Shades and percentages are "
        "of the row.",
        alt=f"Confusion table of {look.label}{at}. {finding}. "
        f"True positives {texts.count(cells['tp'])}, true negatives {texts.count(cells['tn'])}.",
        chart=blocks.specification(chart),
        table=_table(results, look),
        width=width,
        section="decisions",
    )


def _table(results: Results, look: Look) -> pl.DataFrame:
    names = labels.unique((results.data["positive"], results.data["negative"]))
    rows = blocks.overall(findings.curve(results, "confusion"))
    return rows.filter(pl.col("model") == look.model).select(
        pl.col("truth").replace(names).alias("Truth"),
        pl.col("predicted").replace(names).alias("Predicted"),
        pl.col("count").alias("Rows"),
        pl.col("share").alias("Share of true class"),
    )
