"""Differences between models with their intervals: a row per pair, a panel per metric."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import altair as alt
import polars as pl

from reportgen.charts import captions, chart_layers, labels, style, texts
from reportgen.charts.channels import AxisRoom, Position
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.style import ModelStyle
from reportgen.metric_names import COST, PINBALL_LOSS, WINKLER_SCORE, quantile_of
from reportgen.records.definitions import Definitions
from reportgen.records.model import Results
from reportgen.tables.comparisons import ALL_PAIRS
from reportgen.tasks import PREDICTION

METRICS = (
    COST,
    WINKLER_SCORE,
    "auc",
    "balanced_accuracy",
    "accuracy",
    "mean_squared_error",
    "mean_absolute_error",
)
"""What is drawn, in this order, after the measure that decides and the losses of quantiles."""

MOST = 10
"""Most pairs that are drawn; beyond, only those with the baseline, or the leader."""

WIDEST = 250
"""Most room for the names of the pairs."""

RECOMMENDED = pl.col("recommendation") == "recommended"

FLUSH = 12
"""A number that is so near the end of an axis, in px, stays within it."""

GAP = 26
ROW = 24


def draw(
    comparisons: pl.DataFrame,
    models: Sequence[str],
    definitions: Definitions,
    reference: str | None = None,
    deciding: str | None = None,
) -> alt.HConcatChart | None:
    """Estimate and limits of each pair; filled where the recommended test, adjusted, rejects."""
    shown = _shown(comparisons, reference or models[0], deciding)
    if not shown.height:
        return None
    model_styles = {model_style.model: model_style for model_style in style.model_styles(models)}
    pairs = _named(shown, model_styles)
    decide = set(shown.filter(RECOMMENDED)["metric"])
    metrics = sorted(shown["metric"].unique(maintain_order=True), key=lambda m: m not in decide)
    margin = min(WIDEST, 12 + max(labels.text_width(pair) for pair in pairs.values()))
    width = (style.FULL - margin - 5 - GAP * (len(metrics) - 1)) / len(metrics)
    headings = _headings([_phrases(metric, definitions) for metric in metrics], width)
    panels = [
        _panel(
            shown.filter(pl.col("metric") == metric),
            pairs,
            model_styles,
            definitions,
            margin if place == 0 else 0,
        ).properties(
            width=width,
            height=ROW * len(pairs),
            title=chart_layers.titled(heading, width),
        )
        for place, (metric, heading) in enumerate(zip(metrics, headings, strict=True))
    ]
    return alt.hconcat(*panels, bounds="flush", spacing=GAP)


def _drawn(metrics: Collection[str], deciding: str | None) -> list[str]:
    """The measures that are drawn, in their order.

    >>> _drawn(["accuracy", "macro_f1", "auc", "f1"], "macro_f1")
    ['macro_f1', 'auc', 'accuracy']
    """
    of_quantiles = sorted(m for m in metrics if quantile_of(m) is not None)
    return [m for m in dict.fromkeys([deciding or "", *of_quantiles, *METRICS]) if m in metrics]


def _phrases(metric: str, definitions: Definitions) -> tuple[str, str]:
    """A measure in words, and that of a quantile without the quantile."""
    phrase = definitions.phrase(metric)
    return phrase, phrase if quantile_of(metric) is None else definitions.phrase(PINBALL_LOSS)


def _headings(names: Sequence[tuple[str, str]], width: float) -> list[str]:
    """What each panel shows: the measures alone where there is no room for more in one of them.

    One that is still too long has its shorter name, rather than lose the middle of a word.

    >>> _headings([("pinball loss at the 90th percentile", "pinball loss"), ("AUC", "AUC")], 172)
    ['Pinball loss', 'AUC']
    """
    whole = [f"Difference in {name}" for name, _ in names]
    if all(labels.heading(text, width) == text for text in whole):
        return whole
    alone = [tuple(map(texts.capitalised, both)) for both in names]
    return [long if labels.heading(long, width) == long else short for long, short in alone]


def _shown(comparisons: pl.DataFrame, reference: str, deciding: str | None) -> pl.DataFrame:
    """One row per pair and drawn metric, in their order, that has a test with an interval."""
    drawn = _drawn(comparisons["metric"].unique().to_list(), deciding)
    rows = (
        _of_pairs(comparisons)
        .filter(
            pl.col("metric").is_in(drawn),
            pl.col("recommendation") != "avoid",
            pl.col("shows") == "difference",
        )
        .with_columns(low=_limit("low"), high=_limit("high"))
        .drop_nulls(["estimate", "low", "high"])
        .sort(~RECOMMENDED, maintain_order=True)
        .unique(["metric", "models"], keep="first", maintain_order=True)
        .sort(pl.col("metric").cast(pl.Enum(drawn)), maintain_order=True)
    )
    if rows["models"].n_unique() <= MOST:
        return rows
    return rows.filter(pl.col("models").list.contains(reference))


def _of_pairs(comparisons: pl.DataFrame) -> pl.DataFrame:
    return comparisons.filter(pl.col("slice").is_null(), pl.col("models").list.len() == 2)


def _named(
    shown: pl.DataFrame, model_styles: Mapping[str, ModelStyle]
) -> dict[tuple[str, ...], str]:
    pairs = list(dict.fromkeys(map(tuple, shown["models"].to_list())))
    names = labels.distinct([_pair(pair, model_styles) for pair in pairs])
    return dict(zip(pairs, names, strict=True))


def _pair(pair: Sequence[str], model_styles: Mapping[str, ModelStyle]) -> str:
    first, second = (model_styles[model].label for model in pair)
    room = WIDEST - labels.text_width(" − ") - 12
    if labels.text_width(first + second) > room:
        first, second = (labels.squeeze(name, room / 2) for name in (first, second))
    return f"{first} − {second}"


def _panel(
    rows: pl.DataFrame,
    pairs: Mapping[tuple[Any, ...], str],
    model_styles: Mapping[str, ModelStyle],
    definitions: Definitions,
    margin: float,
) -> alt.LayerChart:
    records = [
        _record(pairs[tuple(row["models"])], row, model_styles, definitions)
        for row in rows.iter_rows(named=True)
    ]
    widest = max(max(abs(record["c2"]), abs(record["c3"])) for record in records) or 0.01
    scale = alt.Scale(domain=[-1.05 * widest, 1.05 * widest], nice=False)
    signed = _format(widest)
    written = f"datum.value ? format(datum.value, '{signed}') : '0'"
    axis = alt.Axis(tickCount=5, labelSeparation=4, labelExpr=written, labelFlush=FLUSH)
    across: Position = {"scale": scale, "axis": axis, "title": None}
    base = chart_layers.inline(records).encode(y=_rows(list(pairs.values()), margin))
    paint = alt.Color("c4:N", scale=None)
    zero = chart_layers.inline([{"c1": 0}]).mark_rule(color=style.INK, strokeWidth=1)
    return chart_layers.layered(
        zero.encode(x=alt.X("c1:Q", **across)),
        base.mark_rule(strokeWidth=2).encode(
            x=alt.X("c2:Q", **across), x2=alt.X2("c3:Q"), color=paint
        ),
        base.mark_point(filled=True, opacity=1, size=55, strokeWidth=1.8).encode(
            x=alt.X("c1:Q", **across),
            stroke=alt.Stroke("c4:N", scale=None),
            fill=alt.Fill("c5:N", scale=None),
            tooltip=chart_layers.tooltips(c0="Pair", c1="Difference", c2="Low", c3="High"),
        ),
    )


def _decimals(widest: float) -> int:
    """Return how many decimals tell five ticks apart on an axis this wide."""
    return max(0, -math.floor(math.log10(2 * widest / 5)))


def _format(widest: float) -> str:
    """Return the format of a signed axis: plain numbers while they are short."""
    if widest >= 1e6 or widest < 1e-6:
        return "+.1~e"
    return f"+{',' if widest >= 1000 else ''}.{_decimals(widest)}f"


def _rows(pairs: Sequence[str], margin: float) -> alt.Y:
    room: AxisRoom = {"minExtent": margin, "maxExtent": margin} if margin else {"maxExtent": 0}
    axis = alt.Axis(
        labels=bool(margin), ticks=False, domain=False, grid=True, labelLimit=margin, **room
    )
    scale = alt.Scale(domain=list(pairs))
    return alt.Y("c0:N", sort=list(pairs), scale=scale, title=None, axis=axis)


def _record(
    pair: str,
    row: Mapping[str, Any],
    model_styles: Mapping[str, ModelStyle],
    definitions: Definitions,
) -> chart_layers.Datum:
    """Return one interval, in the better model's colour and filled where it is significant."""
    significant = row["reject"] and row["recommendation"] == "recommended"
    color = model_styles[_better(row, definitions)].color if significant else style.FAINT
    places = {"c1": row["estimate"], "c2": row["low"], "c3": row["high"]}
    width = row["high"] - row["low"]
    decimals = chart_layers.decimals(width) if definitions.lower_is_better(row["metric"]) else 5
    rounded = {field: round(value, decimals) for field, value in places.items()}
    return rounded | {"c0": pair, "c4": color, "c5": color if significant else "white"}


def _better(row: Mapping[str, Any], definitions: Definitions) -> str:
    first = (row["estimate"] > 0) != definitions.lower_is_better(row["metric"])
    model: str = row["models"][0 if first else 1]
    return model


@report_chart(90, *PREDICTION)
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where there is nothing to compare."""
    models, definitions = results.models, results.definitions
    reference = results.decision.reference or models[0]
    little = results.reading.say_little
    comparisons = results.comparisons.filter(~pl.col("metric").is_in(little))
    deciding = results.decision.measure
    chart = draw(comparisons, models, definitions, reference, deciding)
    if chart is None:
        return []
    shown = _shown(comparisons, reference, deciding)
    every = _of_pairs(results.whole.comparisons if results.whole else comparisons)
    part = shown["models"].n_unique() < every["models"].n_unique()
    model_styles = {
        model_style.model: model_style for model_style in captions.model_styles(results)
    }
    between = f" between {captions.short(model_styles[reference])} and others" if part else ""
    value_text = partial(_value_text, definitions)
    summaries = [
        f"{_pair(pair, model_styles)}: {definitions.phrase(metric)} {value_text(metric, estimate)} "
        f"({value_text(metric, low)} to {value_text(metric, high)})"
        for pair, metric, estimate, low, high in shown.select(
            "models", "metric", "estimate", "low", "high"
        ).iter_rows()
    ]
    return [
        Figure(
            id="differences",
            title=_title(_of_conclusions(shown, results), model_styles, definitions, between),
            subtitle=(
                f"First model minus second. {_limits(shown)}{_not_recommended(shown)}"
                + _left_out(results, comparisons, shown, model_styles[reference])
            ),
            alt=f"Differences between pairs of models. {'; '.join(summaries[:12])}.",
            chart=chart_layers.specification(chart),
            table=_table(shown, model_styles, definitions),
            width="full",
            section="comparisons",
        )
    ]


def _left_out(
    results: Results, comparisons: pl.DataFrame, shown: pl.DataFrame, reference: ModelStyle
) -> str:
    """Say which pairs are drawn where they are not all."""
    pairs = _of_pairs(comparisons)["models"].n_unique()
    if pairs <= MOST or shown["models"].n_unique() == pairs:
        return ""
    where = "the table" if results.whole is None else "results.json"
    return f" Only pairs with {captions.short(reference)} are shown; {where} has all."


def _of_conclusions(shown: pl.DataFrame, results: Results) -> pl.DataFrame:
    """The tests of measures in which the data allow a conclusion."""
    measures = [m for m in shown["metric"].unique() if results.reading.against(m) is None]
    return shown.filter(pl.col("metric").is_in(measures))


def _title(
    shown: pl.DataFrame,
    model_styles: Mapping[str, ModelStyle],
    definitions: Definitions,
    between: str = "",
) -> str:
    """State what the recommended tests show: of a pair who is ahead, of more how many differ.

    ``between`` says whose differences are drawn, where those of other pairs are not.
    """
    tests, phrase = shown.filter(RECOMMENDED).drop_nulls("reject"), definitions.phrase
    if shown["models"].n_unique() > 1:
        counts = tests.group_by("metric", maintain_order=True).agg(
            pl.col("reject").sum(), n=pl.len()
        )
        every = dict(shown.group_by("metric").len().iter_rows())
        parts = [
            f"{phrase(metric)} in {_counted(rejected, pairs, every[metric])}"
            for metric, rejected, pairs in counts.rows()
            if rejected
        ]
        alike = [
            phrase(m) + (f" ({n} of {every[m]} pairs tested)" if n < every[m] else "")
            for m, rejected, n in counts.rows()
            if not rejected
        ]
        none = texts.listed(alike, "or")
        if not parts:
            return f"No significant difference{between} in {none}" if none else "Differences"
        return f"Significant differences: {texts.listed(parts)}" + (
            f"; none in {none}" * bool(none)
        )
    rows = tests.to_dicts()
    ahead: dict[str, list[str]] = {}
    for row in rows:
        if row["reject"]:
            ahead.setdefault(_better(row, definitions), []).append(_lead(row, definitions))
    parts = [
        f"{captions.short(model_styles[model])} significantly ahead in {texts.listed(leads)}"
        for model, leads in ahead.items()
    ]
    if alike := [phrase(row["metric"]) for row in rows if not row["reject"]]:
        none = f"no significant difference in {texts.listed(alike, 'or')}"
        parts.append(none if parts else texts.capitalised(none))
    return "; ".join(parts) or "Difference between the models"


def _limits(shown: pl.DataFrame) -> str:
    """Say what the limits hold for, and what is filled: of one comparison there is no family."""
    families = shown.drop_nulls("family").filter(pl.col("family_size") > 1)["family"].unique()
    if families.is_empty():
        return "Bars: limits of the test. Filled: significant."
    with_baseline = next((name for name in families if name != ALL_PAIRS), None)
    over = (
        f", over the {with_baseline} or, for other pairs, over all pairs"
        if with_baseline is not None and ALL_PAIRS in families
        else ""
    )
    return f"Bars: simultaneous limits{over}. Filled: significant after correction."


def _counted(rejected: int, tested: int, pairs: int) -> str:
    """Return in how many of the pairs that a recommended test decides the models differ.

    >>> _counted(2, 3, 3), _counted(1, 2, 3), _counted(1, 1, 3)
    ('2 of 3 pairs', '1 of 2 pairs that are tested', 'the one pair that is tested')
    """
    if tested == 1:
        return "the one pair that is tested"
    return f"{rejected} of {tested} pairs{'' if tested == pairs else ' that are tested'}"


def _not_recommended(shown: pl.DataFrame) -> str:
    """Say what an open grey mark is where some tests decide nothing."""
    if shown.filter(~RECOMMENDED).is_empty():
        return ""
    return " Open: not significant, or no test of the pair is recommended."


def _lead(row: Mapping[str, Any], definitions: Definitions) -> str:
    by = _value_text(definitions, row["metric"], abs(row["estimate"]))
    return f"{definitions.phrase(row['metric'])} by {by}"


def _limit(end: str) -> pl.Expr:
    """The simultaneous limit; that of one pair alone where there are no others."""
    alone = pl.col("reject").is_null() | (pl.col("family_size").fill_null(1) <= 1)
    return pl.coalesce(f"simultaneous_{end}", pl.when(alone).then(end))


def _value_text(definitions: Definitions, metric: str, value: float) -> str:
    return texts.amount(value) if definitions.lower_is_better(metric) else texts.number(value)


def _table(
    shown: pl.DataFrame, model_styles: Mapping[str, ModelStyle], definitions: Definitions
) -> pl.DataFrame:
    """What is drawn: the measure and the test of each difference, and what the test counts."""
    return shown.select(
        pl.Series("Pair", [_pair(pair, model_styles) for pair in shown["models"].to_list()]),
        pl.Series("Measure", [definitions.phrase(name) for name in shown["metric"]]),
        pl.col("short").alias("Test"),
        pl.col("unit").alias("Over"),
        pl.col("estimate").alias("Difference"),
        pl.col("low").alias("Low"),
        pl.col("high").alias("High"),
        pl.col("p_adjusted").alias("Adjusted p"),
    )
