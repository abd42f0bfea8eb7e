"""Cumulative gain and lift: what the rows called positive first hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from reportgen.charts import blocks, findings, lines, scales, style, texts
from reportgen.charts.figure import Figure
from reportgen.charts.numbers import Numbers
from reportgen.charts.series import Series
from reportgen.charts.style import Look

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

    from reportgen.results import Results
    from reportgen.tables import Gain

SHARE = "Share of rows predicted positive"
FEWEST = 0.01
"""The lift of a smaller share of the rows is not drawn: that of a single row jumps."""


def draw(
    curve: DataFrame[Gain], looks: Sequence[Look], prevalence: float | None
) -> alt.LayerChart | None:
    """Share of the positives found against share of the rows called; a perfect ranking above."""
    series = Series(looks, style.HALF)
    records = blocks.records(curve, ("share", "recall"), series.lines)
    if not records:
        return None
    perfect = [] if prevalence is None else [[(0, 0), (round(prevalence, 5), 1), (1, 1)]]
    x, y = blocks.rate_x("c1", SHARE), blocks.rate_y("c2", "Share of positives found")
    return lines.square(records, series, x, y, blocks.references([(0, 0), (1, 1)], *perfect))


def draw_lift(curve: DataFrame[Gain], looks: Sequence[Look]) -> alt.LayerChart | None:
    """How many times as many positives are among the rows called as among all."""
    series = Series(looks, style.HALF)
    steady = curve.filter(pl.col("share") >= FEWEST)
    records = blocks.records(steady, ("share", "lift"), series.lines)
    if not records:
        return None
    top = 1.05 * max(1.0, *(max(line["c2"]) for line in records))
    x, y = blocks.rate_x("c1", SHARE), scales.y("c2", "Lift", [0, round(top, 5)])
    return lines.square(records, series, x, y, blocks.references([(0, 1), (1, 1)]))


def figures(results: Results) -> list[Figure]:
    """Return both figures, or none."""
    curve, looks = findings.curve(results, "gain"), lines.members(results, "gain")
    numbers = Numbers(results.metrics)
    prevalences = [
        v for look in looks if (v := numbers.value("prevalence", look.model)) is not None
    ]
    charts = (draw(curve, looks, prevalences[0] if prevalences else None), draw_lift(curve, looks))
    result = []
    for id_, chart, describe in zip(("gain", "lift"), charts, (_gain, _lift), strict=True):
        if chart is None:
            continue
        title, subtitle, alt_ = describe(results, numbers, looks)
        result.append(
            Figure(
                id=id_,
                title=title,
                subtitle=subtitle,
                alt=alt_,
                chart=blocks.specification(chart),
                table=lines.table(
                    curve,
                    looks,
                    threshold="Threshold",
                    share="Share of rows",
                    recall="Share of positives",
                    lift="Lift",
                ),
                width="half",
                section="curves",
            )
        )
    return result


def _gain(results: Results, numbers: Numbers, looks: Sequence[Look]) -> tuple[str, str, str]:
    summaries = [
        f"{look.label} {texts.percent(numbers.value('recall_top_tenth', look.model))}"
        for look in looks
    ]
    return (
        findings.best(
            results, "recall_top_tenth", "share of the positives in the top tenth", form=_percent
        ),
        "What share of the positives is among the highest-scored rows? Dashed: chance, and a "
        "perfect ranking.",
        f"Cumulative gain. Positives found in the top tenth: {'; '.join(summaries)}.",
    )


def _lift(results: Results, numbers: Numbers, looks: Sequence[Look]) -> tuple[str, str, str]:
    summaries = [
        f"{look.label} {texts.number(numbers.value('lift_top_tenth', look.model), 2)}"
        for look in looks
    ]
    return (
        findings.best(results, "lift_top_tenth", "lift of the top tenth", form=_two),
        "How much more frequent are positives among the highest-scored rows than overall? Dashed: "
        "chance.",
        f"Lift. Lift of the top tenth: {'; '.join(summaries)}.",
    )


def _percent(value: float | None) -> str:
    return texts.percent(value)


def _two(value: float | None) -> str:
    return texts.number(value, 2)
