"""Models fold by fold: who is ahead in which fold, and by how much it varies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from reportgen.charts import captions, chart_layers, style, texts
from reportgen.charts.channels import Position
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.series import Series
from reportgen.records import basis
from reportgen.records.model import Results
from reportgen.tasks import TASKS
from reportgen.text.words import singular

FEWEST, MOST = 3, 120
"""Folds of which a drawing tells something."""

MODELS = 6
HEIGHT = 190
NEAR = 0.04
"""Symbols this close, as a part of the axis, hide each other."""

MARK, MOST_SPREAD = 9, 0.8
"""How far apart they then stand: pixels, and all of them together at most this part of a fold."""

FOLD = ("dataset", "repeat", "fold")

KEYS = tuple(f"c{place}" for place in range(MODELS))
"""The column of each model: its own name could be that of another column."""


def draw(values: pl.DataFrame, series: Series, title: str, part: str = "fold") -> alt.LayerChart:
    """A line from the lowest to the highest model in each fold, a symbol per model.

    ``values`` has one row per fold, in the order of drawing, and a column per
    model (``KEYS``). ``part`` is the word for a fold, such as data set.
    """
    names = KEYS[: len(series.styles)]
    places = range(1, values.height + 1)
    span = float(
        values.select(pl.max_horizontal(names).max() - pl.min_horizontal(names).min()).item()
    )
    digits = chart_layers.decimals(span)
    aside = _aside(values.select(names), span)
    points = [
        {"c0": series.lines[model_style.model]}
        | {"c1": [place + moved for place, moved in zip(places, aside[name], strict=True)]}
        | {"c2": [None if v is None else round(v, digits) for v in values[name]]}
        for name, model_style in zip(names, series.styles, strict=True)
    ]
    ends = values.select(low=pl.min_horizontal(names), high=pl.max_horizontal(names)).rows()
    bars = [
        {"c1": place, "c2": round(low, digits), "c3": round(high, digits)}
        for place, (low, high) in zip(places, ends, strict=True)
        if low is not None
    ]
    across: Position = {
        "scale": alt.Scale(domain=[0.5, values.height + 0.5], nice=False),
        "axis": alt.Axis(labels=False, ticks=False, grid=False),
        "title": f"{texts.capitalised(part)}, in the order of the first model's values",
    }
    up: Position = {"scale": alt.Scale(zero=False), "title": title}
    rules = chart_layers.inline(bars).mark_rule(color=style.ISO, strokeWidth=1.5)
    marks = chart_layers.inline(points, "c1", "c2").mark_point(
        filled=True, opacity=1, size=series.size if values.height <= 30 else 22
    )
    return chart_layers.layered(
        rules.encode(x=alt.X("c1:Q", **across), y=alt.Y("c2:Q", **up), y2=alt.Y2("c3:Q")),
        marks.encode(
            x=alt.X("c1:Q", **across),
            y=alt.Y("c2:Q", **up),
            color=series.color(symbolType="circle", symbolSize=70),
            shape=series.shape(),
            tooltip=chart_layers.tooltips(c0="Model", c2=title),
        ),
        width=style.FULL,
        height=HEIGHT + series.height,
        autosize=chart_layers.FIT,
    )


def _aside(values: pl.DataFrame, span: float) -> pl.DataFrame:
    """How far each symbol stands from the middle of its fold, so that none hides another."""
    step = min(MARK * values.height / style.FULL, MOST_SPREAD / values.width)
    rows = []
    for fold in values.iter_rows(named=True):
        defined = sorted((value, name) for name, value in fold.items() if value is not None)
        near: list[list[str]] = []
        before = None
        for value, name in defined:
            if before is not None and value - before <= NEAR * span:
                near[-1].append(name)
            else:
                near.append([name])
            before = value
        places = {
            name: (place - (len(beside) - 1) / 2) * step
            for beside in near
            for place, name in enumerate(sorted(beside))
        }
        rows.append([round(places.get(name, 0.0), 3) for name in values.columns])
    return pl.DataFrame(rows, schema=dict.fromkeys(values.columns, pl.Float64), orient="row")


@report_chart(100, *TASKS)
def figures(results: Results) -> list[Figure]:
    """The deciding measure in the folds, else the first that two models have."""
    test_folds = results.folds.filter(role="test")
    having = _having(test_folds)
    measures = (results.decision.measure, "auc", *having)
    metric = next((m for m in measures if m and len(having.get(m, ())) > 1), None)
    if metric is None:
        return []
    model_styles = [
        model_style
        for model_style in captions.model_styles(results)
        if model_style.model in having[metric]
    ][:MODELS]
    names = KEYS[: len(model_styles)]
    keys = dict(zip([model_style.model for model_style in model_styles], names, strict=True))
    values = (
        test_folds.filter(pl.col("model").is_in(list(keys)), metric=metric)
        .with_columns(pl.col("model").replace_strict(keys))
        .pivot("model", on_columns=names, index=list(FOLD), values="value", maintain_order=True)
        .sort(names[0], nulls_last=True, maintain_order=True)
    )
    if not FEWEST <= values.height <= MOST:
        return []
    label = results.definitions.phrase(metric)
    lowest = results.definitions.lower_is_better(metric)
    parts = basis.parts(results.data)
    part = singular(parts)
    series = Series(model_styles, style.FULL)
    return [
        Figure(
            id="folds",
            title=_title(values, names, label, model_styles, parts, lowest=lowest),
            subtitle=f"How do the models perform in each {part}? Lines join the models of a "
            f"{part}; tests over {parts} use these differences.",
            alt=f"{label} of {texts.listed([m.label for m in model_styles])} in each of "
            f"{values.height} {parts}.",
            chart=chart_layers.specification(draw(values, series, texts.capitalised(label), part)),
            table=_table(values, model_styles),
            width="full",
            section="comparisons",
            named=tuple(model_style.label for model_style in model_styles),
        )
    ]


def _having(folds: pl.DataFrame) -> dict[str, set[str]]:
    """The models with a value in some fold, by measure, where not each fold is a single row."""
    defined = folds.filter(pl.col("value").is_not_null(), pl.col("rows") > 1)
    pairs = defined.select("metric", "model").unique(maintain_order=True).rows()
    having: dict[str, set[str]] = {}
    for metric, model in pairs:
        having.setdefault(metric, set()).add(model)
    return having


def _title(
    values: pl.DataFrame,
    names: Sequence[str],
    label: str,
    model_styles: Sequence[Any],
    parts: str,
    *,
    lowest: bool,
) -> str:
    """State how often each model is the best one of its fold."""
    best = (pl.min_horizontal if lowest else pl.max_horizontal)(names)
    end = "lowest" if lowest else "highest"
    wins = values.select((pl.col(name) == best).fill_null(value=False) for name in names)
    won, alone = wins.sum().row(0), wins.filter(pl.sum_horizontal(names) == 1).sum().row(0)
    every = f"{values.height} {parts}"
    if min(won) == values.height:
        who = captions.several([captions.short(one) for one in model_styles])
        return f"{who} have the same {label} in each of {every}"
    most = max(zip(won, alone, strict=True))
    count, sole = most
    leading = [one for *of, one in zip(won, alone, model_styles, strict=True) if tuple(of) == most]
    who = captions.several([captions.short(one) for one in leading])
    several = len(leading) > 1
    if not sole:
        shares = "each share" if several else "shares"
        return f"{who} {shares} the {end} {label} in {count} of {every}"
    has, shares = ("each have", "share") if several else ("has", "shares")
    how_many = "each" if sole == values.height else sole
    shared = f" and {shares} it in {count - sole}" if count > sole else ""
    return f"{who} {has} the {end} {label} in {how_many} of {every}{shared}"


def _table(values: pl.DataFrame, model_styles: Sequence[Any]) -> pl.DataFrame:
    named = [key for key in FOLD if values[key].null_count() < values.height]
    heads = {"dataset": "Data set", "repeat": "Repeat", "fold": "Fold"}
    return values.select(
        *(pl.col(key).alias(heads[key]) for key in named),
        *(
            pl.col(name).alias(
                f"{model_style.label} (model)"
                if model_style.label in heads.values()
                else model_style.label
            )
            for name, model_style in zip(KEYS, model_styles, strict=False)
        ),
    ).head(200)
