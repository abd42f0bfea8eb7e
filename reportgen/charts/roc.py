"""ROC curves of all models, with the point that each one works at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from reportgen.charts import blocks, findings, style
from reportgen.charts.figure import Figure
from reportgen.charts.numbers import Numbers
from reportgen.charts.series import Series

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

    from reportgen.results import Results
    from reportgen.tables import Metrics, Roc

AXES = ("false_positive_rate", "recall")


def draw(
    curve: DataFrame[Roc], metrics: DataFrame[Metrics], models: Sequence[str]
) -> alt.LayerChart | None:
    """Recall against false-positive rate; nothing where no model saw both classes."""
    numbers, looks = Numbers(metrics), style.looks(models)
    members = [
        look
        for look in looks
        if numbers.value("recall", look.model) is not None
        and numbers.value("false_positive_rate", look.model) is not None
    ]
    series = Series(members, style.HALF, numbers, "auc", "AUC")
    lines = [
        blocks.simple(line) for line in blocks.records(curve, (*AXES, "threshold"), series.lines)
    ]
    if not lines:
        return None
    x = blocks.rate_x("c1", "False-positive rate")
    y = blocks.rate_y("c2", "Recall")
    drawn = (
        blocks.inline(lines, "c1", "c2")
        .mark_line(strokeWidth=series.stroke)
        .encode(x=x, y=y, color=series.color(), strokeDash=series.dash())
    )
    return blocks.square(
        series,
        blocks.references([(0, 0), (1, 1)]),
        drawn,
        blocks.hover(lines, c0="Model", c1="False-positive rate", c2="Recall", c3="Threshold"),
        blocks.operating_points(numbers, AXES, series, ("False-positive rate", "Recall")),
    )


def figures(results: Results) -> list[Figure]:
    """Return the figure, or none."""
    models = findings.models(results)
    chart = draw(findings.curve(results, "roc"), results.metrics, models)
    if chart is None:
        return []
    numbers, looks = Numbers(results.metrics), style.looks(models)
    areas = [
        f"{look.label}: AUC {numbers.get('auc', look.model)}"
        for look in looks
        if numbers.value("auc", look.model) is not None
    ]
    return [
        Figure(
            id="roc",
            title=findings.best(results, "auc", "AUC"),
            subtitle=(
                "How well does each model rank positives above negatives? Marker: each model's "
                "operating point. Dashed: chance." + findings.labels_only(results)
            ),
            alt=f"ROC curves, recall against false-positive rate. {'; '.join(areas)}.",
            chart=blocks.specification(chart),
            table=_table(findings.curve(results, "roc"), looks),
            width="half",
            section="discrimination",
        )
    ]


def _table(curve: pl.DataFrame, looks: Sequence[style.Look]) -> pl.DataFrame:
    names = {look.model: look.label for look in looks}
    return blocks.thinned(blocks.overall(curve)).select(
        pl.col("model").replace(names).alias("Model"),
        pl.col("threshold").alias("Threshold"),
        pl.col("false_positive_rate").alias("False-positive rate"),
        pl.col("recall").alias("Recall"),
    )
