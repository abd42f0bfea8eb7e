"""Detection error tradeoff: both error rates on axes of normal deviates."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import ndtri

from reportgen.charts import captions, chart_layers, lines, style
from reportgen.charts.channels import Scaled
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.series import Series
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.tables import Det, Metrics

TICKS = (0.0001, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
DEVIATES = ("false_positive_deviate", "false_negative_deviate")
HIGHEST = 0.6
"""Where the axes end, unless a model errs more often than this at equal rates."""


def draw(
    curve: DataFrame[Det], metrics: DataFrame[Metrics], model_styles: Sequence[ModelStyle]
) -> alt.LayerChart | None:
    """Misses against false alarms; the diagonal is where both are as frequent."""
    series = Series(model_styles, style.HALF, Numbers(metrics), "equal_error_rate", "EER")
    records = chart_layers.records(curve, DEVIATES, series.lines)
    if not records:
        return None
    low, high = _ends(
        records, [Numbers(metrics).value("equal_error_rate", k.model) for k in model_styles]
    )
    x = alt.X("c1:Q", title="False-positive rate", **_scaled(low, high))
    y = alt.Y("c2:Q", title="False-negative rate", **_scaled(low, high))
    return lines.square(records, series, x, y, chart_layers.references([(low, low), (high, high)]))


def _ends(
    records: Sequence[chart_layers.Datum], equal: Sequence[float | None]
) -> tuple[float, float]:
    """Return the deviates at which the axes begin and end."""
    smallest = min(min(line[field]) for line in records for field in ("c1", "c2"))
    rates = [rate for rate in equal if rate is not None]
    highest = HIGHEST if max(rates, default=1.0) < 0.75 * HIGHEST else TICKS[-1]
    low = max(min(smallest, float(ndtri(0.01))), float(ndtri(TICKS[0])))
    return round(low, 5), round(float(ndtri(highest)), 5)


def _scaled(low: float, high: float) -> Scaled:
    ticks = [place for place in map(float, ndtri(TICKS)) if low <= place <= high]
    label_expr = "replace(format(cumulativeNormal(datum.value), '.2~%'), '%', '\u00a0%')"
    return {
        "scale": alt.Scale(domain=[low, high], nice=False, zero=False),
        "axis": alt.Axis(values=[round(tick, 5) for tick in ticks], labelExpr=label_expr),
    }


@report_chart(220, "binary", curve="det", further=("binary",))
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where the rates are never between 0 and 1."""
    curve, model_styles = captions.curve(results, "det"), lines.members(results, "det")
    chart = draw(curve, results.metrics, model_styles)
    if chart is None:
        return []
    numbers = Numbers(results.metrics)
    summaries = [
        f"{model_style.label} {numbers.get('equal_error_rate', model_style.model)}"
        for model_style in model_styles
    ]
    return [
        Figure(
            id="det",
            title=captions.best(results, "equal_error_rate", "equal error rate", lowest=True),
            subtitle=(
                "How many positives are missed at each rate of false alarms? Normal-deviate axes: "
                "scores that are normal in each class give a straight line. Dashed: equal rates."
            ),
            alt=f"Detection error tradeoff. Equal error rates: {'; '.join(summaries)}.",
            chart=chart_layers.specification(chart),
            table=lines.table(
                curve.filter(pl.all_horizontal(pl.col(DEVIATES).is_not_null())),
                model_styles,
                threshold="Threshold",
                false_positive_rate="False-positive rate",
                false_negative_rate="False-negative rate",
            ),
            width="half",
            section="curves",
        )
    ]
