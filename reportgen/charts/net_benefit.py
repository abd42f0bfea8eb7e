"""Decision curve: what acting on the forecasts is worth, at each probability that calls for it."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, lines, scales, style, texts
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.series import Series
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.tables import NetBenefit


def draw(
    curve: DataFrame[NetBenefit], model_styles: Sequence[ModelStyle], threshold: float | None = None
) -> alt.LayerChart | None:
    """Net benefit of each model, of acting always and of acting never; a rule at ``threshold``."""
    series = Series(model_styles, style.HALF)
    records = chart_layers.records(curve, ("threshold", "net_benefit"), series.lines)
    if not records:
        return None
    first = chart_layers.overall(curve).filter(pl.col("model") == model_styles[0].model)
    always = list(
        zip(*(chart_layers.rounded(first[c]) for c in ("threshold", "treat_all")), strict=True)
    )
    top = max(*(max(line["c2"]) for line in records), always[0][1], 0.01)
    ends = [round(-0.25 * top, 5), round(1.05 * top, 5)]
    under = [chart_layers.references(always, dash=(5, 3), color=style.QUIET)]
    under.append(chart_layers.references([(0, 0), (1, 0)], dash=(2, 2), color=style.QUIET))
    if threshold is not None:
        place = round(threshold, 5)
        under.append(chart_layers.references([(place, ends[0]), (place, ends[1])], color=style.INK))
    x = chart_layers.rate_x("c1", "Threshold probability")
    return lines.square(records, series, x, scales.y("c2", "Net benefit", ends), *under)


@report_chart(250, "binary", curve="net_benefit", further=("binary",))
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where no model gives probabilities."""
    curve, model_styles = (
        captions.curve(results, "net_benefit"),
        lines.members(results, "net_benefit"),
    )
    threshold = _of_costs(results)
    chart = draw(curve, model_styles, threshold)
    if chart is None:
        return []
    ranges = [
        (captions.short(model_style), _worth(curve, model_style.model))
        for model_style in model_styles
    ]
    summaries = [f"{name} {_range(worth)}" for name, worth in ranges]
    best, widest = max(ranges, key=lambda pair: len(pair[1]))
    rule = (
        ""
        if threshold is None
        else f" Vertical line: the declared costs, {texts.number(threshold, 2)}."
    )
    return [
        Figure(
            id="net_benefit",
            title=f"{best} is better than treating all or none {_range(widest)}"
            if widest
            else "No model is better than treating all or none",
            subtitle=(
                "Net benefit of acting on the predictions, in true positives per row, when false "
                "positives are weighted by the odds of the threshold. Dashed: treat all; dotted: "
                "treat none." + rule
            ),
            alt=f"Decision curves. Above treat all and treat none: {'; '.join(summaries)}.",
            chart=chart_layers.specification(chart),
            table=lines.table(
                curve,
                model_styles,
                threshold="Probability",
                net_benefit="Net benefit",
                treat_all="Treat all",
            ),
            width="half",
            section="curves",
        )
    ]


def _of_costs(results: Results) -> float | None:
    """Return the probability from which acting pays at the declared costs, where they are."""
    costs = results.declared.costs
    false_negative, false_positive = (
        costs.get(kind) for kind in ("false_negative", "false_positive")
    )
    if not isinstance(false_negative, int | float) or not isinstance(false_positive, int | float):
        return None
    return false_positive / (false_negative + false_positive)


def _worth(curve: pl.DataFrame, model: str) -> list[float]:
    """Return the probabilities at which the model beats acting always and never."""
    points = chart_layers.overall(curve).filter(pl.col("model") == model)
    better = pl.col("net_benefit") > pl.max_horizontal("treat_all", "treat_none")
    return points.filter(better)["threshold"].to_list()


def _range(worth: Sequence[float]) -> str:
    if not worth:
        return "nowhere"
    ends = f"from {texts.number(min(worth), 2)} to {texts.number(max(worth), 2)}"
    whole = len(worth) >= round(100 * (max(worth) - min(worth))) + 1
    return ends if whole else f"in parts {ends}"
