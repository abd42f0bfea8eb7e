"""Key numbers with their intervals: a row per metric, a symbol per model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, style
from reportgen.charts.channels import ColoredRows, Position
from reportgen.charts.dot_intervals import WIDEST
from reportgen.charts.metric_values import Numbers, NumberWithLimits
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.series import Series
from reportgen.records.definitions import Definitions
from reportgen.records.model import Results
from reportgen.tables import Metrics
from reportgen.tasks import CLASSIFICATION, MeasureAverage, TaskInfo
from reportgen.text.words import in_sentence

PITCH = 10
TIGHT = 7
"""Distance between the models of a row, and the same where they are many."""

FEW, FEWEST = 4, 3
"""Rows that are kept where many models share each of them, and where page one has little room."""


def draw(
    metrics: DataFrame[Metrics],
    models: Sequence[str],
    definitions: Definitions,
    task: TaskInfo,
    *,
    measures: Sequence[MeasureAverage] | None = None,
    most: int | None = None,
) -> alt.LayerChart | None:
    """Estimates with intervals; of binary models only metrics that have one.

    ``measures`` are those of the task unless they are given; of more than ``most`` the first.
    """
    model_styles = style.model_styles(models)
    series = Series(model_styles, style.FULL)
    named = _named(measures or task.chart_measures, definitions, task)
    records = _first(_records(metrics, series, task, named), most)
    if not records:
        return None
    rows = list(dict.fromkeys(record["c1"] for record in records))
    crowded = len(model_styles) > style.CROWD
    across: Position = {
        "scale": alt.Scale(domain=[_start(records, task), 1], nice=False),
        "axis": alt.Axis(tickCount=6, format=".2f"),
        "title": None,
    }
    channels = _channels(rows, series, crowded=crowded)
    base = chart_layers.inline(records).encode(**channels)
    with_interval = [record for record in records if "c3" in record]
    spread = (
        base
        if len(with_interval) == len(records)
        else chart_layers.inline(with_interval).encode(**channels)
    )
    return chart_layers.layered(
        spread.mark_rule(strokeWidth=1.6).encode(x=alt.X("c3:Q", **across), x2=alt.X2("c4:Q")),
        base.mark_point(filled=True, opacity=1, size=series.size).encode(
            x=alt.X("c2:Q", **across),
            shape=series.shape(),
            tooltip=chart_layers.tooltips(c0="Model", c2="Value", c3="Low", c4="High"),
        ),
        width=style.FULL,
        height=len(rows) * _pitch(len(model_styles)) + 26 + series.height,
        autosize=chart_layers.FIT,
    )


def _pitch(models: int) -> int:
    """The height of a row, in px."""
    return max(34, (TIGHT if models > style.CROWD else PITCH) * models + 10)


def _first(records: list[chart_layers.Datum], most: int | None) -> list[chart_layers.Datum]:
    """The records of so many measures, in order."""
    shown = list(dict.fromkeys(record["c1"] for record in records))[:most]
    return [record for record in records if record["c1"] in shown]


def _channels(rows: Sequence[str], series: Series, *, crowded: bool) -> ColoredRows:
    """Return a row per metric, and in it a line and a colour per model."""
    band = alt.Y(
        "c1:N",
        sort=list(rows),
        title=None,
        scale=alt.Scale(paddingInner=0.12 if crowded else 0.25, paddingOuter=0.1),
        axis=alt.Axis(grid=False, ticks=False, domain=False, labelLimit=WIDEST),
    )
    offset = alt.YOffset(
        "c0:N", sort=list(series.lines.values()), scale=alt.Scale(paddingOuter=0.3)
    )
    return {"y": band, "yOffset": offset, "color": series.color(symbolSize=50)}


def _start(records: Sequence[chart_layers.Datum], task: TaskInfo) -> float:
    """Return where the axis begins: at a round number below all that is drawn."""
    lowest = min(float(record["c3"] if "c3" in record else record["c2"]) for record in records)
    if task.two_classes:
        return max(0.0, int(lowest * 20) / 20)
    return math.floor(lowest * 10 - 0.2) / 10


def _records(
    metrics: DataFrame[Metrics],
    series: Series,
    task: TaskInfo,
    measures: Mapping[MeasureAverage, str],
) -> list[chart_layers.Datum]:
    few = len(series.styles) > style.CROWD
    shown = list(measures)[: FEW if few else None]
    numbers = {average: Numbers(metrics, average) for average in {a for _, a in shown}}
    records: list[chart_layers.Datum] = []
    for metric, average in shown:
        of_metric = [
            {"c0": series.lines[model_style.model], "c1": measures[metric, average]}
            | _places(estimate)
            for model_style in series.styles
            if (estimate := numbers[average].get(metric, model_style.model)).value is not None
        ]
        if not task.two_classes or any("c3" in record for record in of_metric):
            records += of_metric
    return records


def _places(estimate: NumberWithLimits) -> dict[str, float]:
    fields = {"c2": estimate.value, "c3": estimate.low, "c4": estimate.high}
    return {field: round(value, 5) for field, value in fields.items() if value is not None}


def _named(
    measures: Sequence[MeasureAverage], definitions: Definitions, task: TaskInfo
) -> Mapping[MeasureAverage, str]:
    """The printed name of each measure, or of its average over the classes."""
    return {
        (metric, average): f"{average.capitalize() + ' ' if average else ''}"
        f"{definitions.label(metric, task.name)}"
        for metric, average in measures
    }


def _charted(results: Results) -> Sequence[MeasureAverage]:
    """The measures in order: of a rare class, of ordered ones, of others."""
    task = results.task
    if results.reading.positives_are_rare:
        return task.rare_chart_measures
    if not results.declared.ordered:
        return task.chart_measures
    of_order = [
        one for one in task.leading_of_order if not results.definitions.lower_is_better(one[0])
    ]
    return (*of_order, *task.chart_measures)


@report_chart(10, *CLASSIFICATION)
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where no key number has an interval.

    Of graded answers page one draws the only measure beside the differences between models.
    """
    if results.task.graded and len(results.models) > 1:
        return []
    return of_first(results, None)


def shorter(results: Results, by: float) -> Figure | None:
    """The figure without its last measures, so many px shorter; None where few were left."""
    models = results.models
    series = Series(style.model_styles(models), style.FULL)
    named = _named(_charted(results), results.definitions, results.task)
    records = _records(results.metrics, series, results.task, named)
    rows = len({record["c1"] for record in records}) - math.ceil(by / _pitch(len(models)))
    return next(iter(of_first(results, rows)), None) if rows >= FEWEST else None


def of_first(results: Results, most: int | None) -> list[Figure]:
    """The figure of the first measures."""
    models, task, measures = results.models, results.task, _charted(results)
    chart = draw(results.metrics, models, results.definitions, task, measures=measures, most=most)
    if chart is None:
        return []
    numbers, model_styles = Numbers(results.metrics), style.model_styles(models)
    series = Series(model_styles, style.FULL)
    named = _named(measures, results.definitions, task)
    records = _first(_records(results.metrics, series, task, named), most)
    main = _titled(results, numbers, models)
    label = results.definitions.label(main, task.name)
    summaries = [
        f"{model_style.label}: {label} {numbers.get(main, model_style.model)}"
        for model_style in model_styles
    ]
    bars = "Bars: confidence intervals."
    if any("c3" not in record for record in records):
        bars = "Bars: confidence intervals, where available."
    return [
        Figure(
            id="key_metrics",
            title=captions.best(results, main, in_sentence(label)),
            subtitle=f"How good is each model, and how precise are the estimates? {bars}",
            alt=f"Key numbers{_with(records)}. {'; '.join(summaries)}.",
            chart=chart_layers.specification(chart),
            table=pl.DataFrame(
                [[r["c1"], r["c0"], *(r.get(c) for c in ("c2", "c3", "c4"))] for r in records],
                schema=["Measure", "Model", "Value", "Low", "High"],
                orient="row",
                infer_schema_length=None,
            ),
            width="full",
            section="key_numbers",
        )
    ]


def _titled(results: Results, numbers: Numbers, models: Sequence[str]) -> str:
    """The measure of the title: that of the decision where it is drawn, else the first drawn."""
    drawn = [measure for measure, average in _charted(results) if average is None]
    if results.reading.a_class_is_rare:
        drawn.insert(0, "average_precision")
    elif results.decision.measure in drawn:
        drawn.insert(0, results.decision.measure)
    return next((m for m in drawn if numbers.best_first(m, models)), drawn[0])


def _with(records: Sequence[chart_layers.Datum]) -> str:
    return " with intervals" if any("c3" in record for record in records) else ""
