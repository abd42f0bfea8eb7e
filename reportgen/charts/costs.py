"""Cost curves: what each model costs at any prevalence and any ratio of costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, lines, style, texts
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.series import Series
from reportgen.records.model import Results
from reportgen.tables import CostEnvelope, Metrics
from reportgen.text.numbers import number as written

AXES = ("probability_cost", "normalised_cost")
HEIGHT = 240
LABEL_WIDTH = 0.12
"""Width of the label of a trivial classifier, as a share of the axis."""
MOST_LINES = 30
"""So many thresholds of a model have lines of their own."""


def draw(
    envelope: DataFrame[CostEnvelope],
    metrics: DataFrame[Metrics],
    models: Sequence[str],
    probability_cost: float | None = None,
    under: Sequence[alt.Chart] = (),
) -> alt.LayerChart | None:
    """Normalised cost against probability cost, with a rule where the declared costs are.

    The layers of ``under`` lie beneath the curves.
    """
    numbers, model_styles = Numbers(metrics), style.model_styles(models)
    envelope_models = set(chart_layers.overall(envelope)["model"])
    members = [model_style for model_style in model_styles if model_style.model in envelope_models]
    series = Series(members, style.FULL, numbers, "expected_total_cost", "area")
    envelopes = chart_layers.records(envelope, AXES, series.lines)
    if not envelopes:
        return None
    top = _top(max(max(record["c2"]) for record in envelopes))
    layers = [] if len(members) > style.CROWD else [_lines(envelope, series)]
    layers += [*under, *_trivial(top, probability_cost)]
    if probability_cost is not None:
        layers += _rule(probability_cost, top)
    layers.append(_envelopes(envelopes, series, top))
    layers.append(chart_layers.hover(envelopes, c0="Model", c1="P(+)cost", c2="Normalised cost"))
    height = HEIGHT + series.height
    return chart_layers.layered(*layers, width=style.FULL, height=height, autosize=chart_layers.FIT)


def _top(highest: float) -> float:
    """Return where the y axis ends: room over the envelopes, at most the trivial 0.5."""
    room = max(0.05, math.ceil(40 * highest) / 20)
    return 0.5 if room > 0.35 else room


def _envelopes(envelopes: list[chart_layers.Datum], series: Series, top: float) -> alt.Chart:
    y = alt.Y(
        "c2:Q",
        title="Normalised cost",
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(tickCount=5, format=".2f"),
    )
    chart: alt.Chart = (
        chart_layers.inline(envelopes, "c1", "c2")
        .mark_line(strokeWidth=series.stroke + 0.6, clip=True)
        .encode(
            x=chart_layers.rate_x("c1", "P(+)cost, the probability cost of the positive class"),
            y=y,
            color=series.color(),
            strokeDash=series.dash(),
        )
    )
    return chart


def _lines(envelope: pl.DataFrame, series: Series) -> alt.Chart:
    """Return lines of single thresholds that the envelopes are made of, of many some."""
    place, number = pl.int_range(pl.len()), pl.len()
    sampled = (place + 1) * MOST_LINES // number > place * MOST_LINES // number
    points = (
        chart_layers.overall(envelope)
        .drop_nulls(["false_positive_rate", "false_negative_rate"])
        .filter(pl.col("model").is_in(list(series.lines)))
        .filter((pl.col("false_positive_rate") - pl.col("false_negative_rate")).abs() < 1)
        .unique(["model", "false_positive_rate", "false_negative_rate"], maintain_order=True)
        .filter(sampled.over("model"))
    )
    records = [
        {
            "c0": series.lines[model],
            "c1": [0, 1],
            "c2": chart_layers.rounded(pl.Series(ends)),
            "c3": place,
        }
        for place, (model, *ends) in enumerate(
            points.select("model", "false_positive_rate", "false_negative_rate").iter_rows()
        )
    ]
    chart: alt.Chart = (
        chart_layers.inline(records, "c1", "c2")
        .mark_line(strokeWidth=0.7, strokeOpacity=0.25, clip=True)
        .encode(x=alt.X("c1:Q"), y=alt.Y("c2:Q"), detail=alt.Detail("c3:N"), color=series.color())
    )
    return chart


def _trivial(top: float, rule: float | None) -> list[alt.Chart]:
    """Return the two classifiers that look at nothing, each named beside its line."""
    high = min(0.9 * top, 0.3)
    return [
        chart_layers.references([(0, 0), (0.5, 0.5), (1, 0)], dash=(4, 3), color=style.QUIET),
        _named(high, high, "all negative", rule, right=high < LABEL_WIDTH),
        _named(1 - high, high, "all positive", rule, right=high > LABEL_WIDTH),
    ]


def _named(x: float, y: float, text: str, rule: float | None, *, right: bool) -> alt.Chart:
    """Return a name on this side of its line, or on the other one where the rule stands."""
    span = (x, x + LABEL_WIDTH) if right else (x - LABEL_WIDTH, x)
    if rule is not None and span[0] < rule < span[1]:
        right = not right
    side = {"dx": 6, "align": "left"} if right else {"dx": -6, "align": "right"}
    return chart_layers.notes((x, y, text), **side)


def _rule(place: float, top: float) -> list[alt.Chart]:
    rule = chart_layers.inline([{"c1": round(place, 5)}]).mark_rule(
        color=style.INK, strokeWidth=1, strokeDash=[6, 3]
    )
    note = (place, top, f"this prevalence and these costs: {written(place)}")
    align = "left" if place < 0.15 else "right" if place > 0.85 else "center"
    label = chart_layers.notes(note, dy=-8, color=style.INK, align=align)
    return [rule.encode(x=alt.X("c1:Q")), label]


@report_chart(80, "binary", curve="cost_envelope", muted=True)
def figures(results: Results, others: Results | None = None) -> list[Figure]:
    """Return the figure, or none."""
    models, numbers = results.models, Numbers(results.metrics)
    envelope = captions.curve(results, "cost_envelope")
    declared = _declared(results, numbers)
    under = lines.muted(others, "cost_envelope", AXES, c1="P(+)cost", c2="Normalised cost")
    chart = draw(envelope, results.metrics, models, declared, under)
    if chart is None:
        return []
    model_styles = style.model_styles(models)
    summaries = [
        f"{model_style.label}: area under the cost curve {texts.number(value)}"
        for model_style in model_styles
        if (value := numbers.value("expected_total_cost", model_style.model)) is not None
    ]
    stated = results.declared.prevalence
    of = "prevalence and costs of this report" if stated is None else "stated prevalence and costs"
    rule = "" if declared is None else f" Vertical line: the {of} ({written(declared)})."
    return [
        Figure(
            id="cost_curve",
            title=captions.best(
                results, "expected_total_cost", "area under the cost curve", lowest=True
            ),
            subtitle=(
                "What does each model cost at its best threshold, for any prevalence and ratio of "
                "costs? Thin: single thresholds. Dashed: predicting all positive or all "
                f"negative.{lines.muted_note(others)}{rule}"
            ),
            alt=f"Cost curves, normalised cost against probability cost. {'; '.join(summaries)}. "
            "Predicting one class for all rows has an area of 0.25.",
            chart=chart_layers.specification(chart),
            table=lines.table(
                envelope,
                model_styles,
                most=40,
                probability_cost="From probability cost",
                normalised_cost="Normalised cost",
                threshold="Best threshold",
            ),
            width="full",
            section="costs",
        )
    ]


def _declared(results: Results, numbers: Numbers) -> float | None:
    """Return p·c₁ / (p·c₁ + (1 − p)·c₀) of the stated prevalence, else the data's, and the costs.

    >>> round(_at_prevalence(0.98, 0.5, 0.01), 3)
    0.331
    """
    here, stated = results.data.get("prevalence"), results.declared.prevalence
    of_rows = _of_rows(results, numbers)
    if of_rows is None or here is None or stated is None:
        return of_rows
    return _at_prevalence(of_rows, here, stated)


def _at_prevalence(probability_cost: float, here: float, stated: float) -> float:
    """The P(+)cost of one prevalence at another one."""
    positive = probability_cost * stated * (1 - here)
    negative = (1 - probability_cost) * (1 - stated) * here
    return positive / (positive + negative) if positive + negative > 0 else probability_cost


def _of_rows(results: Results, numbers: Numbers) -> float | None:
    for model in results.models:
        if (probability_cost := numbers.value("probability_cost", model)) is not None:
            return probability_cost
    prevalence = results.data.get("prevalence")
    costs = results.declared.costs or {"false_negative": 1.0, "false_positive": 1.0}
    if prevalence is None:
        return None
    false_negative = prevalence * costs["false_negative"]
    whole = false_negative + (1 - prevalence) * costs["false_positive"]
    return false_negative / whole if whole > 0 else None
