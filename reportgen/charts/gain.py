"""Cumulative gain and lift: what the rows predicted positive first hold."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, lines, texts
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.tables import Gain

SHARE = "Share of rows predicted positive"
FEWEST = 0.01
"""The lift of a smaller share of the rows is not drawn: that of a single row jumps."""


def draw(
    curve: DataFrame[Gain], model_styles: Sequence[ModelStyle], prevalence: float | None
) -> alt.LayerChart | None:
    """Recall against the share of rows predicted positive; a perfect ranking above."""
    perfect = [] if prevalence is None else [[(0.0, 0.0), (round(prevalence, 5), 1.0), (1.0, 1.0)]]
    rules: tuple[lines.RuleLine, ...] = ([(0, 0), (1, 1)], *perfect)
    chart = lines.LineChart(("share", "recall"), (SHARE, "Share of positives found"), rules=rules)
    return chart.draw(curve, model_styles)


LIFT = lines.LineChart(("share", "lift"), (SHARE, "Lift"), 1.0, ([(0, 1), (1, 1)],))
"""How many times as many positives are among the rows predicted positive as among all."""


@report_chart(240, "binary", curve="gain", further=("binary",))
def figures(results: Results) -> list[Figure]:
    """Return both figures, or none."""
    curve, model_styles = captions.curve(results, "gain"), lines.members(results, "gain")
    numbers = Numbers(results.metrics)
    prevalences = [
        v
        for model_style in model_styles
        if (v := numbers.value("prevalence", model_style.model)) is not None
    ]
    charts = (
        draw(curve, model_styles, prevalences[0] if prevalences else None),
        LIFT.draw(curve.filter(pl.col("share") >= FEWEST), model_styles),
    )
    result = []
    for id_, chart, describe in zip(("gain", "lift"), charts, (_gain, _lift), strict=True):
        if chart is None:
            continue
        title, subtitle, alt_ = describe(results, numbers, model_styles)
        result.append(
            Figure(
                id=id_,
                title=title,
                subtitle=subtitle,
                alt=alt_,
                chart=chart_layers.specification(chart),
                table=lines.table(
                    curve,
                    model_styles,
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


def _gain(
    results: Results, numbers: Numbers, model_styles: Sequence[ModelStyle]
) -> tuple[str, str, str]:
    summaries = [
        f"{one.label} {texts.percent(numbers.value('recall_at_10_percent', one.model))}"
        for one in model_styles
    ]
    return (
        captions.best(
            results,
            "recall_at_10_percent",
            "share of the positives in the top tenth",
            form=texts.percent,
        ),
        "What share of the positives is among the highest-scored rows? Dashed: chance, and a "
        "perfect ranking.",
        f"Cumulative gain. Positives found in the top tenth: {'; '.join(summaries)}.",
    )


def _lift(
    results: Results, numbers: Numbers, model_styles: Sequence[ModelStyle]
) -> tuple[str, str, str]:
    summaries = [
        f"{one.label} {texts.number(numbers.value('lift_at_10_percent', one.model), 2)}"
        for one in model_styles
    ]
    return (
        captions.best(results, "lift_at_10_percent", "lift of the top tenth", form=_two),
        "How much more frequent are positives among the highest-scored rows than overall? Dashed: "
        "chance.",
        f"Lift. Lift of the top tenth: {'; '.join(summaries)}.",
    )


def _two(value: float | None) -> str:
    return texts.number(value, 2)
