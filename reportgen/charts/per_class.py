"""Recall and precision of each class with their intervals, the lowest recall first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from reportgen.charts import (
    captions,
    chart_layers,
    class_names,
    dot_intervals,
    labels,
    panels,
    style,
    texts,
)
from reportgen.charts.channels import Position
from reportgen.charts.metric_values import ClassNumbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.series import Series
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.records.rows import class_sizes
from reportgen.text.numbers import plural

METRICS = {"recall": "Recall", "precision": "Precision"}
NOTHING = {"recall": "no rows", "precision": "never predicted"}
"""The text where the metric has no value."""

TALLEST = 400
"""Height that the rows may take together."""

PITCH = 8
BESIDE = 64
"""Room of the words for a missing value; those of several models stand side by side."""

GAP = 22


def draw(
    numbers: ClassNumbers, model_styles: Sequence[ModelStyle], names: Mapping[str, str]
) -> alt.ConcatChart | None:
    """A row per class of ``names`` and a panel per metric, a symbol per model."""
    series = Series(model_styles, style.FULL)
    cut = class_names.fitted(list(names.values()), dot_intervals.WIDEST - 12)
    printed_names = dict(zip(names, cut, strict=True))
    records = {metric: _records(numbers, metric, series, printed_names) for metric in METRICS}
    ends = [r["c3"] for metric_records in records.values() for r in metric_records if "c3" in r]
    if not ends:
        return None
    margin = 12 + max(labels.text_width(name) for name in cut)
    width = (style.FULL - margin - 8 - GAP) / 2
    domain = [int(min(ends) * 10) / 10, 1]
    parts = [
        panels.headed(
            dot_intervals.panel(
                metric_records, series, cut, _across(domain), margin if place == 0 else 0
            ),
            METRICS[metric],
            width,
            len(cut) * row_height(len(model_styles)),
        )
        for place, (metric, metric_records) in enumerate(records.items())
    ]
    return panels.arranged(parts, 2, row=0, gap=GAP)


def _across(domain: Sequence[float]) -> Position:
    return {
        "scale": alt.Scale(domain=list(domain), nice=False),
        "axis": alt.Axis(tickCount=4, format=".1f" if domain[1] - domain[0] > 0.4 else ".2f"),
        "title": None,
    }


def row_height(models: int) -> int:
    """Return the height of a class's row."""
    return max(16, PITCH * models + 8)


def _records(
    numbers: ClassNumbers, metric: str, series: Series, printed_names: Mapping[str, str]
) -> list[chart_layers.Datum]:
    records: list[chart_layers.Datum] = []
    for name, text in printed_names.items():
        missing: list[chart_layers.Datum] = []
        for model_style in series.styles:
            at = {"c0": series.lines[model_style.model], "c1": text}
            estimate = numbers.get(metric, model_style.model, name)
            if estimate.value is None:
                missing.append(
                    at
                    | {
                        "c5": NOTHING[metric],
                        "c6": 3 + BESIDE * len(missing),
                        "c8": model_style.color,
                    }
                )
                continue
            low = estimate.value if estimate.low is None else estimate.low
            high = estimate.value if estimate.high is None else estimate.high
            values = {"c2": estimate.value, "c3": low, "c4": high}
            records.append(at | {field: round(value, 5) for field, value in values.items()})
        records += _text_once(missing, series, text)
    return records


def _text_once(
    missing: Sequence[chart_layers.Datum], series: Series, at: str
) -> Sequence[chart_layers.Datum]:
    """Return the words for missing values: one for all models where none has a value."""
    lines = list(series.lines.values())
    if len(missing) < len(lines):
        return missing
    middle = lines[(len(lines) - 1) // 2]
    return [{"c0": middle, "c1": at, "c5": missing[0]["c5"], "c6": 3, "c8": style.QUIET}]


@report_chart(30, "multiclass", "multilabel")
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where no class has a recall or a precision."""
    model_styles, listed = captions.model_styles(results), class_names.of(results)
    models = [model_style.model for model_style in model_styles]
    numbers = ClassNumbers(results.metrics, list(METRICS))
    means = {name: numbers.mean("recall", models, name) for name in listed}
    order = sorted(listed, key=lambda name: (means[name] is None, means[name]))
    shown_classes = order[: max(3, TALLEST // row_height(len(model_styles)))]
    sizes, full_names = class_names.sizes(results), class_names.names(results)
    names = {name: f"{full_names[name]} ({texts.count(sizes[name])})" for name in shown_classes}
    chart = draw(numbers, model_styles, names)
    if chart is None:
        return []
    summaries = [
        f"{full_names[name]}: recall {_range(numbers, 'recall', models, name)}, "
        f"precision {_range(numbers, 'precision', models, name)}"
        for name in shown_classes[:5]
    ]
    return [
        Figure(
            id="per_class",
            title=_title(results, numbers, model_styles, shown_classes[0]),
            subtitle=_subtitle(results, len(shown_classes)),
            alt=f"Recall and precision of each {class_names.word(results)} with intervals, lowest "
            f"recall first. {'; '.join(summaries)}.",
            chart=chart_layers.specification(chart),
            table=_table(results, numbers, model_styles, order),
            width="full",
            section="decisions",
        )
    ]


def _range(numbers: ClassNumbers, metric: str, models: Sequence[str], name: str) -> str:
    values = [v for m in models if (v := numbers.value(metric, m, name)) is not None]
    if not values:
        return "n/a"
    ends = sorted({texts.number(min(values)), texts.number(max(values))})
    return " to ".join(ends)


def _title(
    results: Results, numbers: ClassNumbers, model_styles: Sequence[ModelStyle], lowest: str
) -> str:
    name = class_names.short(results)[lowest]
    rows = class_sizes(results.data).get(lowest)
    if rows is not None and rows < results.reading.few_rows:
        name = f"{name} ({plural(rows, 'row')})"
    recalls = [
        (v, k) for k in model_styles if (v := numbers.value("recall", k.model, lowest)) is not None
    ]
    if not recalls:
        return "No class has a recall"
    (low, weak), (high, strong) = min(recalls, key=_first), max(recalls, key=_first)
    if len(recalls) == 1:
        return f"Lowest recall: {name}, {texts.number(low)}"
    if texts.number(low) == texts.number(high):
        return f"Lowest recall on average over the models: {name}, {texts.number(low)}"
    return (
        f"Lowest recall on average over the models: {name}, from {texts.number(low)} "
        f"({captions.short(weak)}) to {texts.number(high)} ({captions.short(strong)})"
    )


def _first(pair: tuple[float, ModelStyle]) -> float:
    return pair[0]


def _subtitle(results: Results, count: int) -> str:
    word, size = class_names.word(results), len(class_names.of(results))
    many = class_names.word(results, 2)
    text = (
        f"What share of each {word} is recognised, and what share of its predictions is correct? "
        "Bars: confidence intervals. In brackets: rows."
    )
    if count < size:
        text += f" Shown: the {count} of {size} {many} with the lowest recall (mean of the models)."
    return text


def _table(
    results: Results,
    numbers: ClassNumbers,
    model_styles: Sequence[ModelStyle],
    order: Sequence[str],
) -> pl.DataFrame:
    names, sizes = class_names.names(results), class_names.sizes(results)
    rows = [
        (
            names[name],
            sizes[name],
            model_style.label,
            numbers.value("recall", model_style.model, name),
            numbers.value("precision", model_style.model, name),
        )
        for name in order
        for model_style in model_styles
    ]
    columns = [texts.capitalised(class_names.word(results)), "Rows", "Model", "Recall", "Precision"]
    return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
