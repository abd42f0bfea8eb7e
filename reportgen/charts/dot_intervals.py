"""Dots with their intervals: a row per class or slice, and in it a line per model."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from reportgen.charts import chart_layers, panels
from reportgen.charts.channels import Position, Rows
from reportgen.charts.chart_layers import Datum
from reportgen.charts.series import Series

WIDEST = 170
"""Most room for the names of the rows."""


def panel(
    records: Sequence[Datum],
    series: Series,
    rows: Sequence[str],
    across: Position,
    margin: float,
) -> list[alt.Chart]:
    """Return the layers of a panel: a row per name of ``rows``, and in it a symbol per model.

    A record has the model's line of legend c0, the row c1, value c2, low c3 and
    high c4; or words c5 for a missing value, their place c6 and colour c8.
    ``across`` is the horizontal axis, ``margin`` the room for the names, or 0.
    """
    place = _rows(rows, series, margin)
    base = chart_layers.inline([r for r in records if "c2" in r]).encode(
        **place, color=series.color(symbolSize=50)
    )
    layers = [
        base.mark_rule(strokeWidth=1.4).encode(x=alt.X("c3:Q", **across), x2=alt.X2("c4:Q")),
        base.mark_point(filled=True, opacity=1, size=35).encode(
            x=alt.X("c2:Q", **across),
            shape=series.shape(),
            tooltip=chart_layers.tooltips(c0="Model", c2="Value", c3="Low", c4="High"),
        ),
    ]
    missing = [r for r in records if "c5" in r]
    if missing:
        layers.append(_words(missing, place))
    return layers


def _words(missing: Sequence[Datum], place: Rows) -> alt.Chart:
    chart: alt.Chart = (
        chart_layers.inline(missing)
        .mark_text(align="left", fontSize=9.5)
        .encode(
            **place,
            x=alt.X("c6:Q", scale=None),
            text=alt.Text("c5:N"),
            color=alt.Color("c8:N", scale=None),
        )
    )
    return chart


def _rows(rows: Sequence[str], series: Series, margin: float) -> Rows:
    """Return a row per name, and in it a line per model."""
    band = panels.names_axis("c1:N", rows, margin, WIDEST, touching=True)
    offset = alt.YOffset(
        "c0:N",
        sort=list(series.lines.values()),
        scale=alt.Scale(domain=list(series.lines.values()), paddingOuter=0.6),
    )
    return {"y": band, "yOffset": offset}
