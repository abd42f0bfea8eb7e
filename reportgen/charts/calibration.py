"""Reliability of forecasts: what happened against what was said, a panel per model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from reportgen.charts import blocks, findings, style, texts
from reportgen.charts.figure import Figure
from reportgen.charts.numbers import Numbers
from reportgen.charts.style import Look
from reportgen.tables import Calibration

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

    from reportgen.results import Results

OBSERVED = {"binary": "Observed frequency", "multiclass": "Proportion correct"}
FORECAST = {"binary": "Predicted probability", "multiclass": "Highest probability"}
"""What the axes say: of several classes, the one with the highest score is judged."""

SUBTITLES = {
    "binary": (
        "Do predicted probabilities match observed frequencies? Dashed: perfect calibration. "
        "Bars: confidence intervals. Below: distribution of the predictions."
    ),
    "multiclass": (
        "Is the predicted class correct as often as its probability says? Dashed: perfect "
        "calibration; above it the model is underconfident, below it overconfident. Bars: "
        "confidence intervals. Below: distribution of the highest probability."
    ),
}

MARGIN = 45
"""Room left of the first panel, for its axis."""

EXTENT = 26
GAP = 18
TALLEST = 230
HISTOGRAM = 36


def draw(
    curve: DataFrame[Calibration], looks: Sequence[Look], task: str = "binary"
) -> alt.VConcatChart | alt.ConcatChart | None:
    """Observed frequency against mean forecast per bin, over a histogram of the forecasts."""
    whole = blocks.overall(curve)
    drawn = [look for look in looks if look.model in set(whole["model"])]
    if not drawn:
        return None
    columns = _columns(len(drawn))
    full = style.HALF if len(drawn) == 1 else style.FULL
    width = (full - MARGIN - 5 - GAP * (columns - 1)) / columns
    panels = [
        _panel(
            whole.filter(pl.col("model") == look.model),
            look,
            width,
            task,
            first=place % columns == 0,
        )
        for place, look in enumerate(drawn)
    ]
    rows = [_row(panels[start : start + columns]) for start in range(0, len(panels), columns)]
    return rows[0] if len(rows) == 1 else alt.vconcat(*rows, spacing=16)


def _row(panels: Sequence[tuple[alt.LayerChart, alt.Chart]]) -> alt.ConcatChart:
    """Return the panels side by side, each histogram under its reliability."""
    upper, lower = zip(*panels, strict=True)
    spacing = {"row": 8, "column": GAP}
    return alt.concat(*upper, *lower, columns=len(panels), bounds="flush", spacing=spacing)


def _columns(panels: int) -> int:
    if panels <= 4:
        return panels
    return 3 if panels <= 6 else 4 if panels <= 8 else 5


def _panel(
    bins: pl.DataFrame, look: Look, width: float, task: str, *, first: bool
) -> tuple[alt.LayerChart, alt.Chart]:
    over_labels = 0 if first else -3
    upper = _reliability(bins, look, OBSERVED[task], first=first).properties(
        width=width,
        height=min(width, TALLEST),
        title=blocks.titled(look.label, width, color=look.color, dy=over_labels),
    )
    lower = _histogram(bins, look, FORECAST[task], first=first)
    return upper, lower.properties(width=width, height=HISTOGRAM)


def _reliability(bins: pl.DataFrame, look: Look, name: str, *, first: bool) -> alt.LayerChart:
    rows = bins.select("mean_score", "observed", "observed_low", "observed_high", "count")
    records = [
        dict(zip(("c1", "c2", "c3", "c4", "c5"), row, strict=True))
        for row in rows.with_columns(pl.all().round(5)).iter_rows()
    ]
    bare = {} if first else {"labels": False, "ticks": False}
    x = blocks.rate_x("c1", None, labels=False, ticks=False)
    title = name if first else None
    axis = {**bare, **_extent(first)}
    base = blocks.inline(records).encode(x=x, y=blocks.rate_y("c2", title, **axis))
    spread = base.transform_filter("isValid(datum.c3)")
    return blocks.layered(
        blocks.references([(0, 0), (1, 1)]),
        spread.mark_rule(color=look.color, strokeWidth=1.2).encode(
            y=blocks.rate_y("c3", title, **axis), y2=alt.Y2("c4:Q")
        ),
        base.mark_line(color=look.color, strokeWidth=1.2, strokeDash=look.dash),
        base.mark_point(color=look.color, shape=look.shape, filled=True, opacity=1, size=32).encode(
            tooltip=blocks.tooltips(c1="Mean prediction", c2=name, c5="Rows")
        ),
    )


def _histogram(bins: pl.DataFrame, look: Look, name: str, *, first: bool) -> alt.Chart:
    shares = bins.select("low", "high", share=pl.col("count") / pl.col("count").sum())
    records = [
        {"c1": round(low, 5), "c2": round(high, 5), "c3": round(share, 5), "c4": 0}
        for low, high, share in shares.iter_rows()
    ]
    y = alt.Y(
        "c3:Q",
        title="Rows" if first else None,
        scale=alt.Scale(domain=[0, max(record["c3"] for record in records)], nice=False),
        axis=alt.Axis(values=[], domain=False, grid=False, **_extent(first)),
    )
    chart: alt.Chart = (
        blocks.inline(records)
        .mark_bar(color=look.color, fillOpacity=0.6, stroke="white", strokeWidth=0.6)
        .encode(
            x=blocks.rate_x("c1", name, grid=False),
            x2=alt.X2("c2:Q"),
            y=y,
            y2=alt.Y2("c4:Q"),
        )
    )
    return chart


def _extent(first: bool) -> dict[str, Any]:
    """Fix the room beside the axis, so that panels line up and the width is known."""
    return {"minExtent": EXTENT, "maxExtent": EXTENT} if first else {"maxExtent": 0}


def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where no model gives probabilities."""
    numbers = Numbers(results.metrics)
    looks = [
        look
        for look in findings.looks(results)
        if findings.model_data(results, look.model)["probability"]
    ]
    task = results.data.get("task", "binary")
    whole = findings.curve(results, "calibration")
    curve = Calibration.validate(whole.filter(pl.col("class").is_null()))
    chart = draw(curve, looks, task)
    if chart is None:
        return []
    summaries = [
        f"{look.label}: expected calibration error "
        f"{texts.number(numbers.value('expected_calibration_error', look.model))}, "
        f"Brier score {texts.number(numbers.value('brier_score', look.model))}"
        for look in looks
    ]
    return [
        Figure(
            id="calibration",
            title=findings.best(
                results, "expected_calibration_error", "expected calibration error", lowest=True
            ),
            subtitle=SUBTITLES[task],
            alt=f"{OBSERVED[task]} against {FORECAST[task].lower()}. {'; '.join(summaries)}.",
            chart=blocks.specification(chart),
            table=_table(curve, looks),
            width="half" if len(looks) == 1 else "full",
            section="calibration",
        )
    ]


def _table(curve: pl.DataFrame, looks: Sequence[Look]) -> pl.DataFrame:
    names = {look.model: look.label for look in looks}
    return (
        blocks.overall(curve)
        .filter(pl.col("model").is_in(list(names)))
        .select(
            pl.col("model").replace(names).alias("Model"),
            pl.col("low").alias("From"),
            pl.col("high").alias("To"),
            pl.col("count").alias("Rows"),
            pl.col("mean_score").alias("Mean prediction"),
            pl.col("observed").alias("Observed frequency"),
            pl.col("observed_low").alias("Low"),
            pl.col("observed_high").alias("High"),
        )
    )
