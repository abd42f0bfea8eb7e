"""Murphy diagram: which forecasts are better for every decision that could rest on them."""

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
    from reportgen.tables import Murphy

TIED = 1e-12
"""Scores that differ by less are equal but for the rounding of sums."""


def draw(curve: DataFrame[Murphy], looks: Sequence[Look]) -> alt.LayerChart | None:
    """Mean elementary score against the threshold of the decision."""
    series = Series(looks, style.HALF)
    records = blocks.records(curve, ("threshold", "score"), series.lines)
    if not records:
        return None
    top = 1.05 * max(1e-4, *(max(line["c2"]) for line in records))
    x = blocks.rate_x("c1", "Decision threshold")
    y = scales.y("c2", "Mean elementary score", [0, round(top, 5)])
    return lines.square(records, series, x, y)


def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where no model gives probabilities."""
    curve, looks = findings.curve(results, "murphy"), lines.members(results, "murphy")
    chart = draw(curve, looks)
    if chart is None:
        return []
    numbers = Numbers(results.metrics)
    summaries = [
        f"{look.label} {texts.number(numbers.value('brier_score', look.model))}" for look in looks
    ]
    return [
        Figure(
            id="murphy",
            title=_title(curve, looks),
            subtitle=(
                "Is one model better for every decision threshold? Lower is better. The area "
                "under a curve is half the Brier score; a curve that is nowhere above another is "
                "at least as good by every proper score."
            ),
            alt=f"Murphy diagram. Brier scores: {'; '.join(summaries)}.",
            chart=blocks.specification(chart),
            table=lines.table(curve, looks, threshold="Threshold", score="Elementary score"),
            width="half",
            section="curves",
        )
    ]


def _title(curve: DataFrame[Murphy], looks: Sequence[Look]) -> str:
    """State whether one model is at least as good at every threshold, else how often each leads."""
    if len(looks) == 1:
        worst = blocks.overall(curve).sort("score", descending=True).row(0, named=True)
        name = findings.short(looks[0])
        return (
            f"{name}: decisions at threshold {texts.number(worst['threshold'], 2)} are the hardest"
        )
    best = pl.col("score") <= pl.col("score").min().over("threshold") + TIED
    scores = blocks.overall(curve).with_columns(best=best)
    shares = scores.group_by("model").agg(pl.col("best").mean())
    leads = dict(shares.iter_rows())
    leader = max(looks, key=lambda look: leads[look.model])
    share = leads[leader.model]
    if share == 1:
        return f"{findings.short(leader)} is at least as good at every threshold"
    return (
        f"No model is best at every threshold; {findings.short(leader)} is at "
        f"{texts.percent(share, 0)} of them"
    )
