"""Error-reject curve: the error rate that is left when the least certain rows are set aside."""

from __future__ import annotations

from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, lines, texts
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.tables import ErrorReject

QUOTED_SHARE = 0.1
"""The share of rejected rows that the words speak of."""


CHART = lines.LineChart(
    ("rejected", "error_rate"), ("Share of rows rejected", "Error rate of remaining rows"), 0.01
)


@report_chart(230, "binary", curve="error_reject", further=("binary",))
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where no model decides by its score."""
    curve, model_styles = (
        captions.curve(results, "error_reject"),
        lines.members(results, "error_reject"),
    )
    chart = CHART.draw(curve, model_styles)
    if chart is None:
        return []
    error_rates = {
        captions.short(model_style): _summary(curve, model_style) for model_style in model_styles
    }
    best = min(error_rates, key=lambda name: error_rates[name][1])
    all_, remaining_error, share = error_rates[best]
    return [
        Figure(
            id="error_reject",
            title=(
                f"Without the least certain {texts.percent(share)} of the rows, the error rate of "
                f"{best} is {texts.percent(remaining_error)} instead of {texts.percent(all_)}"
            ),
            subtitle=(
                "What is the error rate when the rows with scores nearest the threshold are "
                "referred to a person?"
            ),
            alt="Error rate against share of rows rejected. "
            + "; ".join(
                f"{name} {texts.percent(remaining_error)}"
                for name, (_, remaining_error, _) in error_rates.items()
            )
            + f" with about {texts.percent(QUOTED_SHARE, 0)} rejected.",
            chart=chart_layers.specification(chart),
            table=lines.table(
                curve,
                model_styles,
                distance="Distance from the threshold",
                rejected="Share rejected",
                error_rate="Error rate",
            ),
            width="half",
            section="curves",
        )
    ]


def _summary(curve: DataFrame[ErrorReject], model_style: ModelStyle) -> tuple[float, float, float]:
    """Return the error rate of all rows, that with about a tenth rejected, and the true share."""
    first = lines.at(curve, model_style.model, "rejected", 0) or {}
    point = lines.at(curve, model_style.model, "rejected", QUOTED_SHARE) or first
    return first["error_rate"], point["error_rate"], point["rejected"]
