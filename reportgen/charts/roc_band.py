"""ROC curves with their vertical bands and convex hulls: a panel per model."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, lines, panels, style, texts
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.tables import RocBand, RocHull

EXTENT = 26
GAP = 18
MOST = 12
"""Most models with a panel."""

QUOTED_RATE = 0.1
"""The false positive rate that the words speak of."""


def draw(
    band: DataFrame[RocBand], hull: DataFrame[RocHull], model_styles: Sequence[ModelStyle]
) -> alt.ConcatChart | None:
    """The band around the recall at each false positive rate, under the hull of the curve."""
    if not model_styles:
        return None
    count = panels.columns(len(model_styles), 4)
    width = panels.width(count, EXTENT + 16, GAP)
    texts_ = {model_style.model: model_style.label for model_style in model_styles}
    bands, hulls = (
        {record["c0"]: record for record in chart_layers.records(table, columns, texts_)}
        for table, columns in (
            (band, ("false_positive_rate", "recall", "low", "high")),
            (hull, ("false_positive_rate", "recall")),
        )
    )
    panel_layers = []
    for place, model_style in enumerate(model_styles):
        lowest = panels.is_lowest(place, count, len(model_styles))
        x = chart_layers.rate_x("c1", "False-positive rate" if lowest else None)
        title = "Recall" if place % count == 0 else None
        y = chart_layers.rate_y("c2", title, **panels.room(EXTENT, shown=place % count == 0))
        layers = _panel(bands[model_style.label], hulls[model_style.label], model_style, x, y)
        panel_layers.append(panels.headed(layers, model_style.label, width, width))
    return panels.arranged(panel_layers, count, row=style.HEADING + 30, gap=GAP)


def _panel(
    band: chart_layers.Datum,
    hull: chart_layers.Datum,
    model_style: ModelStyle,
    x: alt.X,
    y: alt.Y,
) -> list[alt.Chart]:
    area = (
        chart_layers.inline([band], "c1", "c2", "c3", "c4")
        .mark_area(color=model_style.color, fillOpacity=0.22)
        .encode(x=x, y=alt.Y("c3:Q"), y2=alt.Y2("c4:Q"))
    )
    line = (
        chart_layers.inline([chart_layers.simple(band)], "c1", "c2")
        .mark_line(color=model_style.color, strokeWidth=1.6)
        .encode(x=x, y=y)
    )
    outline = (
        chart_layers.inline([hull], "c1", "c2")
        .mark_line(color=style.INK, strokeWidth=0.9, strokeDash=[3, 2])
        .encode(x=x, y=y)
    )
    return [chart_layers.references([(0, 0), (1, 1)]), area, line, outline]


@report_chart(210, "binary", curve="roc_band", further=("binary",))
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where no curve has a band."""
    model_styles = lines.members(results, "roc_band")[:MOST]
    band = captions.curve(results, "roc_band")
    chart = draw(band, captions.curve(results, "roc_hull"), model_styles)
    if chart is None:
        return []
    level = texts.percent(results.confidence, 0)
    rows = [
        (model_style, lines.at(band, model_style.model, "false_positive_rate", QUOTED_RATE))
        for model_style in model_styles
    ]
    summaries = [
        f"{captions.short(model_style)} {_limits(row)}" for model_style, row in rows if row
    ]
    rate = texts.percent(QUOTED_RATE, 0)
    return [
        Figure(
            id="roc_band",
            title=f"Recall at a false-positive rate of {rate}: {summaries[0]}",
            subtitle=(
                f"How uncertain is the ROC curve? Shaded: pointwise {level} limits of "
                "recall at each false-positive rate. Dashed: the convex hull; its corners are the "
                "optimal thresholds." + captions.independent_rows(results, "Bands")
            ),
            alt=f"ROC curves with vertical bands. Recall at {QUOTED_RATE}: {'; '.join(summaries)}.",
            chart=chart_layers.specification(chart),
            table=lines.table(
                band.filter((pl.col("false_positive_rate") * 100).round() % 5 == 0),
                model_styles,
                false_positive_rate="False-positive rate",
                recall="Recall",
                low="Low",
                high="High",
            ),
            width="half" if len(model_styles) == 1 else "full",
            section="curves",
        )
    ]


def _limits(row: chart_layers.Datum) -> str:
    low, high = (texts.number(row[end]) for end in ("low", "high"))
    return f"{texts.number(row['recall'])} ({low} to {high})"
