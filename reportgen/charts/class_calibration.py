"""Calibration of each class's own score: a panel per class, all models in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, class_names, panels, style, texts
from reportgen.charts.metric_values import ClassNumbers, Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.series import Series
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.tables import Calibration

ERROR = "expected_calibration_error"
MOST = 12
"""Most panels; beyond, the classes with the greatest calibration error."""

EXTENT = 24
GAP = 16


def draw(
    curve: DataFrame[Calibration],
    model_styles: Sequence[ModelStyle],
    names: Mapping[str, str],
    means: Numbers,
    word: str,
) -> alt.ConcatChart | None:
    """Observed frequency against mean forecast per bin, one panel per class of ``names``."""
    whole = chart_layers.overall(curve).filter(pl.col("class").is_in(list(names)))
    models = set(whole["model"])
    members = [model_style for model_style in model_styles if model_style.model in models]
    if not members:
        return None
    series = Series(members, style.FULL, means, ERROR, f"{word}-wise ECE")
    count = panels.columns(len(names))
    width = panels.width(count, EXTENT + 16, GAP)
    parts = whole.partition_by("class", as_dict=True)
    heads = class_names.fitted(list(names.values()), 0.92 * width)
    panel_layers = []
    for place, name in enumerate(names):
        lowest = panels.is_lowest(place, count, len(names))
        axes = _axes(first=place % count == 0, lowest=lowest)
        layers = _panel(parts[name,], series, *axes)
        panel_layers.append(panels.headed(layers, heads[place], width, width))
    return panels.arranged(panel_layers, count, row=style.HEADING + 30, gap=GAP)


def _axes(*, first: bool, lowest: bool) -> tuple[alt.X, alt.Y]:
    scale = alt.Scale(domain=[0, 1], nice=False)
    across, up = panels.rate_axes(EXTENT, first=first, lowest=lowest)
    return (
        alt.X("c1:Q", title="Probability" if lowest else None, scale=scale, axis=across),
        alt.Y("c2:Q", title="Observed frequency" if first else None, scale=scale, axis=up),
    )


def _panel(rows: pl.DataFrame, series: Series, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    lines = chart_layers.inline(
        chart_layers.records(rows, ("mean_score", "observed"), series.lines), "c1", "c2"
    ).encode(x=x, y=y, color=series.color(), strokeDash=series.dash())
    return [
        chart_layers.references([(0, 0), (1, 1)]),
        lines.mark_line(strokeWidth=1.3, point=alt.OverlayMarkDef(size=12, filled=True)),
    ]


@report_chart(110, "multiclass", "multilabel", curve="calibration", further=("multiclass",))
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where no model gives probabilities."""
    curve, model_styles = captions.curve(results, "calibration"), captions.model_styles(results)
    models, names = [model_style.model for model_style in model_styles], class_names.names(results)
    numbers, means = ClassNumbers(results.metrics, [ERROR]), Numbers(results.metrics, "macro")
    present = set(chart_layers.overall(curve)["class"].drop_nulls())
    errors = {n: mean for n in names if n in present and (mean := numbers.mean(ERROR, models, n))}
    worst = sorted(errors, key=lambda name: -errors[name])[:MOST]
    shown = {name: names[name] for name in names if name in worst}
    word, all_classes = class_names.word(results), class_names.of(results)
    chart = draw(curve, model_styles, shown, means, word) if shown else None
    if chart is None:
        return []
    summaries = [
        f"{model_style.label} {means.get(ERROR, model_style.model).point}"
        for model_style in model_styles
        if means.value(ERROR, model_style.model) is not None
    ]
    first = class_names.short(results)[worst[0]]
    what = f"{word}-wise calibration error"
    title = captions.best(results, ERROR, what, lowest=True, numbers=means)
    few = (
        f" Shown: the {MOST} of {len(all_classes)} with the greatest error."
        if len(all_classes) > MOST
        else ""
    )
    return [
        Figure(
            id="class_calibration",
            title=f"{title}; greatest for {word} {first}",
            subtitle=(
                f"Do the predicted probabilities of each {word} match observed frequencies? "
                f"Dashed: perfect calibration.{few}"
            ),
            alt=f"Observed frequency against predicted probability, one panel per {word}. "
            f"{texts.capitalised(what)}s: {'; '.join(summaries)}.",
            chart=chart_layers.specification(chart),
            table=_table(curve, model_styles, shown),
            width="full" if len(shown) > 1 else "half",
            section="calibration" if results.task.several_labels else "curves",
        )
    ]


def _table(
    curve: pl.DataFrame, model_styles: Sequence[ModelStyle], shown: Mapping[str, str]
) -> pl.DataFrame:
    models = {model_style.model: model_style.label for model_style in model_styles}
    return (
        chart_layers.overall(curve)
        .filter(pl.col("class").is_in(list(shown)))
        .select(
            pl.col("class").replace(shown).alias("Class"),
            pl.col("model").replace(models).alias("Model"),
            pl.col("mean_score").alias("Mean prediction"),
            pl.col("observed").alias("Observed frequency"),
            pl.col("count").alias("Rows"),
        )
    )
