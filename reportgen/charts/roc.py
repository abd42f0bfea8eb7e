"""ROC curves of all models, with the point that each one works at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt

from reportgen.charts import captions, chart_layers, lines, style
from reportgen.charts.lines import muted, muted_note, strokes
from reportgen.charts.numbers import Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.series import Series

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

    from reportgen.results import Results
    from reportgen.tables import Metrics, Roc

AXES = ("false_positive_rate", "recall")


def draw(
    curve: DataFrame[Roc],
    metrics: DataFrame[Metrics],
    models: Sequence[str],
    under: Sequence[alt.Chart] = (),
) -> alt.LayerChart | None:
    """Recall against false-positive rate; nothing where no model saw both classes.

    The layers of ``under`` lie beneath the curves.
    """
    numbers, model_styles = Numbers(metrics), style.model_styles(models)
    members = [
        model_style
        for model_style in model_styles
        if numbers.value("recall", model_style.model) is not None
        and numbers.value("false_positive_rate", model_style.model) is not None
    ]
    series = Series(members, style.HALF, numbers, "auc", "AUC")
    lines = [
        chart_layers.simple(line)
        for line in chart_layers.records(curve, (*AXES, "threshold"), series.lines)
    ]
    if not lines:
        return None
    x = chart_layers.rate_x("c1", "False-positive rate")
    y = chart_layers.rate_y("c2", "Recall")
    return chart_layers.square(
        series,
        chart_layers.references([(0, 0), (1, 1)]),
        *under,
        strokes(lines, series, x, y),
        chart_layers.hover(
            lines, c0="Model", c1="False-positive rate", c2="Recall", c3="Threshold"
        ),
        chart_layers.operating_points(numbers, AXES, series, ("False-positive rate", "Recall")),
    )


@report_chart(20, "binary", curve="roc", muted=True)
def figures(results: Results, others: Results | None = None) -> list[Figure]:
    """Return the figure, or none."""
    models = captions.models(results)
    under = muted(others, "roc", AXES, c1="False-positive rate", c2="Recall")
    chart = draw(captions.curve(results, "roc"), results.metrics, models, under)
    if chart is None:
        return []
    numbers, model_styles = Numbers(results.metrics), style.model_styles(models)
    areas = [
        f"{model_style.label}: AUC {numbers.get('auc', model_style.model)}"
        for model_style in model_styles
        if numbers.value("auc", model_style.model) is not None
    ]
    return [
        Figure(
            id="roc",
            title=captions.best(results, "auc", "AUC"),
            subtitle=(
                "How well does each model rank positives above negatives? Marker: each model's "
                "operating point. Dashed: chance."
                + muted_note(others)
                + captions.labels_only(results)
            ),
            alt=f"ROC curves, recall against false-positive rate. {'; '.join(areas)}.",
            chart=chart_layers.specification(chart),
            table=lines.table(
                captions.curve(results, "roc"),
                model_styles,
                most=40,
                threshold="Threshold",
                false_positive_rate="False-positive rate",
                recall="Recall",
            ),
            width="half",
            section="discrimination",
        )
    ]
