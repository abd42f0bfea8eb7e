"""Murphy diagram: which forecasts are better for every decision that could rest on them."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, lines, texts
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.tables import Murphy

TIED = 1e-12
"""Scores that differ by less are equal but for the rounding of sums."""


CHART = lines.LineChart(
    ("threshold", "score"), ("Decision threshold", "Mean elementary score"), 1e-4
)


@report_chart(260, "binary", curve="murphy", further=("binary",))
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where no model gives probabilities."""
    curve, model_styles = captions.curve(results, "murphy"), lines.members(results, "murphy")
    chart = CHART.draw(curve, model_styles)
    if chart is None:
        return []
    numbers = Numbers(results.metrics)
    summaries = [
        f"{model_style.label} {numbers.get('brier_score', model_style.model).point}"
        for model_style in model_styles
    ]
    return [
        Figure(
            id="murphy",
            title=_title(curve, model_styles),
            subtitle=(
                "Is one model better for every decision threshold? Lower is better. The area "
                "under a curve is half the Brier score; a curve that is nowhere above another is "
                "at least as good by every proper score."
            ),
            alt=f"Murphy diagram. Brier scores: {'; '.join(summaries)}.",
            chart=chart_layers.specification(chart),
            table=lines.table(curve, model_styles, threshold="Threshold", score="Elementary score"),
            width="half",
            section="curves",
        )
    ]


def _title(curve: DataFrame[Murphy], model_styles: Sequence[ModelStyle]) -> str:
    """State whether one model is at least as good at every threshold, else how often each leads."""
    if len(model_styles) == 1:
        worst = chart_layers.overall(curve).sort("score", descending=True).row(0, named=True)
        name = captions.short(model_styles[0])
        return (
            f"{name}: decisions at threshold {texts.number(worst['threshold'], 2)} are the hardest"
        )
    best = pl.col("score") <= pl.col("score").min().over("threshold") + TIED
    scores = chart_layers.overall(curve).with_columns(best=best)
    shares = scores.group_by("model").agg(pl.col("best").mean())
    leads = dict(shares.iter_rows())
    leader = max(model_styles, key=lambda model_style: leads[model_style.model])
    share = leads[leader.model]
    if share == 1:
        return f"{captions.short(leader)} is at least as good at every threshold"
    return (
        f"No model is best at every threshold; {captions.short(leader)} is best at "
        f"{texts.percent(share, 0)} of them"
    )
