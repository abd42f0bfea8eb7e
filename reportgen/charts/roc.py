"""ROC curves of all models, with their operating points."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers
from reportgen.charts.lines import RateCurve, muted_note
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.records.model import Results
from reportgen.tables import Metrics, Roc

ROC = RateCurve(
    "roc",
    {"false_positive_rate": "False-positive rate", "recall": "Recall", "threshold": "Threshold"},
    measure="auc",
    symbol="AUC",
    phrase="AUC",
    needed=("recall", "false_positive_rate"),
)


def draw(
    curve: DataFrame[Roc],
    metrics: DataFrame[Metrics],
    models: Sequence[str],
    under: Sequence[alt.Chart] = (),
) -> alt.LayerChart | None:
    """Recall against false-positive rate; nothing where no model saw both classes.

    The layers of ``under`` lie beneath the curves.
    """
    numbers = Numbers(metrics)
    series = ROC.series(numbers, models)
    lines = [chart_layers.simple(line) for line in ROC.records(curve, series)]
    chance = chart_layers.references([(0, 0), (1, 1)])
    return ROC.draw(lines, series, numbers, [chance, *under]) if lines else None


@report_chart(20, "binary", curve="roc", muted=True)
def figures(results: Results, others: Results | None = None) -> list[Figure]:
    """Return the figure, or none."""
    models = results.models
    chart = draw(captions.curve(results, "roc"), results.metrics, models, ROC.muted(others))
    if chart is None:
        return []
    return [
        ROC.figure(
            results,
            chart,
            "How well does each model rank positives above negatives? Marker: each model's "
            f"operating point. Dashed: chance.{muted_note(others)}",
            "ROC curves, recall against false-positive rate.",
            lambda numbers, model: f"AUC {numbers.get('auc', model)}",
        )
    ]
