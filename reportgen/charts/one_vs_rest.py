"""ROC and P-R curves of each class against the rest: a panel per class, all models in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, class_names, labels, panels, style, texts
from reportgen.charts.channels import Mark
from reportgen.charts.labels import LinePoints, OccupiedArea
from reportgen.charts.lines import RateCurve
from reportgen.charts.metric_values import ClassNumbers, Numbers
from reportgen.charts.precision_recall import PRECISION_RECALL, bent
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.roc import ROC
from reportgen.charts.series import Series
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.tables import Curve

MOST = 12
"""Most panels; beyond, the classes with the lowest AUC."""

EXTENT = 24
GAP = 16
FINE = 1 / 300
"""How far a drawn line may be from the true one, in parts of a small axis."""

LINE, NARROW = 11.0, 127
"""Height of such words, in px, and the width of a panel on a narrow screen."""

MARGIN, EDGE = 0.03, 0.01
"""Distance of the words from the sides of a panel, and from its foot and head."""

SIZE = 9.5
"""Font size of the areas in a panel."""

MOST_QUOTED = 4
"""Most models whose areas stand in a panel."""


@dataclass(frozen=True, slots=True)
class PanelCurve:
    """A curve of the panels: what it is drawn from, what its area is named, and its question."""

    drawn: RateCurve
    name: str
    question: str
    corners: tuple[tuple[Literal["bottom", "top"], Literal["left", "right"]], ...]
    """Where a panel may have room for words, first choice first: up, across."""

    @property
    def titles(self) -> tuple[str, str]:
        """The titles of the axes."""
        x, y, *_ = self.drawn.columns.values()
        return x, y


OF_ROC = PanelCurve(
    ROC,
    "AUC",
    "How well do scores separate each {word} from the rest? Dashed: chance.",
    (("bottom", "right"), ("top", "left")),
)
OF_PRECISION_RECALL = PanelCurve(
    PRECISION_RECALL,
    "average precision",
    "How does precision for each {word} fall as recall rises?",
    (("bottom", "left"), ("top", "right"), ("bottom", "right"), ("top", "left")),
)


def draw(
    curve: DataFrame[Curve],
    kind: PanelCurve,
    model_styles: Sequence[ModelStyle],
    names: Mapping[str, str],
    numbers: ClassNumbers,
    means: Numbers,
) -> alt.ConcatChart | None:
    """One panel per class of ``names``, in their order."""
    whole = chart_layers.overall(curve)
    curve_classes = set(whole["class"])
    shown = [name for name in names if name in curve_classes]
    members = _members(kind, model_styles, shown, numbers)
    if not shown or not members:
        return None
    series = Series(members, style.FULL, means, kind.drawn.measure, f"macro {kind.drawn.symbol}")
    count = panels.columns(len(shown))
    width = panels.width(count, EXTENT + 16, GAP)
    parts = whole.partition_by("class", as_dict=True)
    heads = class_names.fitted([names[name] for name in shown], 0.92 * width)
    panel_layers = []
    for place, name in enumerate(shown):
        lowest = panels.is_lowest(place, count, len(shown))
        axes = _axes(kind, first=place % count == 0, lowest=lowest)
        layers = _panel(parts[name,], kind, series, name, numbers, axes, width)
        panel_layers.append(panels.headed(layers, heads[place], width, width))
    full = len(shown) % count == 0
    return panels.arranged(panel_layers, count, row=style.HEADING + (4 if full else 30), gap=GAP)


def _members(
    kind: PanelCurve,
    model_styles: Sequence[ModelStyle],
    shown: Sequence[str],
    numbers: ClassNumbers,
) -> list[ModelStyle]:
    return [
        model_style
        for model_style in model_styles
        if any(
            numbers.value(metric, model_style.model, name) is not None
            for name in shown
            for metric in (kind.drawn.measure, kind.drawn.axes[1])
        )
    ]


def _axes(kind: PanelCurve, *, first: bool, lowest: bool) -> tuple[alt.X, alt.Y]:
    scale = alt.Scale(domain=[0, 1], nice=False)
    across, up = panels.rate_axes(EXTENT, first=first, lowest=lowest)
    return (
        alt.X("c1:Q", title=kind.titles[0] if lowest else None, scale=scale, axis=across),
        alt.Y("c2:Q", title=kind.titles[1] if first else None, scale=scale, axis=up),
    )


def _panel(
    rows: pl.DataFrame,
    kind: PanelCurve,
    series: Series,
    name: str,
    numbers: ClassNumbers,
    axes: tuple[alt.X, alt.Y],
    width: float,
) -> list[alt.Chart]:
    lines = chart_layers.records(rows, kind.drawn.axes, series.lines)
    if kind is OF_PRECISION_RECALL:
        lines = [bent(line) for line in lines]
    lines = [chart_layers.simple(line, FINE) for line in lines]
    chart = (
        chart_layers.inline(lines, "c1", "c2")
        .mark_line(strokeWidth=min(1.5, series.stroke))
        .encode(x=axes[0], y=axes[1], color=series.color(), strokeDash=series.dash())
    )
    first, second = kind.titles
    return [
        *([chart_layers.references([(0, 0), (1, 1)])] if kind is OF_ROC else []),
        chart,
        chart_layers.hover(lines, c0="Model", c1=first, c2=second),
        chart_layers.markers(_points(kind, series, name, numbers), series, kind.titles, size=30),
        *_areas(kind, series, name, numbers, width, [(line["c1"], line["c2"]) for line in lines]),
    ]


def _points(
    kind: PanelCurve, series: Series, name: str, numbers: ClassNumbers
) -> list[chart_layers.Datum]:
    """Return where each model works; of many models only those without a curve."""
    crowded = len(series.styles) > style.CROWD
    return [
        {"c1": round(x, 5), "c2": round(y, 5)} | series.marker(model_style)
        for model_style in series.styles
        if (x := numbers.value(kind.drawn.axes[0], model_style.model, name)) is not None
        and (y := numbers.value(kind.drawn.axes[1], model_style.model, name)) is not None
        and not (crowded and numbers.value(kind.drawn.measure, model_style.model, name) is not None)
    ]


def _areas(
    kind: PanelCurve,
    series: Series,
    name: str,
    numbers: ClassNumbers,
    width: float,
    lines: Sequence[LinePoints],
) -> list[alt.Chart]:
    """Return the models' areas as words in a corner where no curve runs; none if all are taken."""
    areas = [
        (model_style, area.point)
        for model_style in series.styles
        if (area := numbers.get(kind.drawn.measure, model_style.model, name)).value is not None
    ]
    if not areas or len(areas) > MOST_QUOTED:
        return []
    written = [f"{kind.drawn.symbol} {areas[0][1]}", *(text for _, text in areas[1:])]
    corner = _corner(kind, written, min(width, NARROW), lines)
    if corner is None:
        return []
    bottom, align = corner
    pitch = LINE / min(width, NARROW)
    records = [
        {
            "c1": MARGIN if align == "left" else 1 - MARGIN,
            "c2": round(bottom + pitch * (len(areas) - 0.5 - i), 5),
            "c3": text,
            "c8": model_style.color,
        }
        for i, ((model_style, _), text) in enumerate(zip(areas, written, strict=True))
    ]
    style_of: Mark = {"align": align, "fontSize": SIZE, "baseline": "middle"}
    chart = (
        chart_layers.inline(records)
        .mark_text(**style_of)
        .encode(
            x=alt.X("c1:Q"),
            y=alt.Y("c2:Q"),
            text=alt.Text("c3:N"),
            color=alt.Color("c8:N", scale=None),
        )
    )
    return [chart]


def _corner(
    kind: PanelCurve, texts_of: Sequence[str], width: float, lines: Sequence[LinePoints]
) -> tuple[float, Literal["left", "right"]] | None:
    """The first corner that the curves leave free: its lower edge, and the alignment there."""
    across = MARGIN + max(labels.text_width(text, SIZE) for text in texts_of) / width
    high = LINE * len(texts_of) / width
    bottoms = {"bottom": EDGE, "top": 1 - EDGE - high}
    boxes = [
        (
            0.0 if side == "left" else 1 - across,
            bottoms[up],
            across if side == "left" else 1.0,
            bottoms[up] + high,
        )
        for up, side in kind.corners
    ]
    index = OccupiedArea(lines).place(boxes)
    return None if index is None else (bottoms[kind.corners[index][0]], kind.corners[index][1])


@report_chart(20, "multiclass", "multilabel", curve="roc")
def figures(results: Results) -> list[Figure]:
    """Return the figures of both kinds, of the same classes, where there are scores."""
    models = results.models
    metrics = [
        m for kind in (OF_ROC, OF_PRECISION_RECALL) for m in (kind.drawn.measure, *kind.drawn.axes)
    ]
    numbers = ClassNumbers(results.metrics, metrics)
    listed, names = class_names.of(results), class_names.names(results)
    areas = {name: numbers.mean("auc", models, name) for name in listed}
    with_auc = [name for name in listed if areas[name] is not None]
    if len(with_auc) > MOST:
        with_auc = sorted(with_auc, key=lambda name: areas[name] or 0.0)[:MOST]
    shown = {name: names[name] for name in with_auc}
    return [
        figure
        for kind in (OF_ROC, OF_PRECISION_RECALL)
        for figure in _figure(results, kind, shown, numbers)
    ]


def _figure(
    results: Results, kind: PanelCurve, names: Mapping[str, str], numbers: ClassNumbers
) -> list[Figure]:
    model_styles = captions.model_styles(results)
    curve, means = captions.curve(results, kind.drawn.key), Numbers(results.metrics, "macro")
    chart = draw(curve, kind, model_styles, names, numbers, means)
    if chart is None:
        return []
    area = kind.drawn.measure
    summaries = [
        f"{model_style.label}: macro {kind.name} {means.get(area, model_style.model).point}"
        for model_style in model_styles
        if any(numbers.value(area, model_style.model, name) is not None for name in names)
    ]
    weakest = _weakest(kind, model_styles, class_names.short(results), numbers)
    return [
        Figure(
            id=kind.drawn.key,
            title=_title(results, kind, means, weakest),
            subtitle=_subtitle(results, kind, names),
            alt=f"{kind.titles[1]} against {kind.titles[0].lower()}, one panel per "
            f"{class_names.word(results)}. {'; '.join(summaries)}. Lowest: {weakest}.",
            chart=chart_layers.specification(chart),
            table=_table(kind, model_styles, names, numbers),
            width="full" if len(names) > 1 else "half",
            section="discrimination",
        )
    ]


def _weakest(
    kind: PanelCurve,
    model_styles: Sequence[ModelStyle],
    short: Mapping[str, str],
    numbers: ClassNumbers,
) -> str:
    """Name the class with the lowest mean area, and the models with the least and most there."""
    models = [model_style.model for model_style in model_styles]
    means = {name: numbers.mean(kind.drawn.measure, models, name) for name in short}
    defined = {name: mean for name, mean in means.items() if mean is not None}
    lowest = min(defined, key=lambda name: defined[name])
    valued = [
        (area.value, area.point, captions.short(model_style))
        for model_style in model_styles
        if (area := numbers.get(kind.drawn.measure, model_style.model, lowest)).value is not None
    ]
    (_, low, weak), (_, high, strong) = min(valued), max(valued)
    if low == high:
        return f"{short[lowest]}, {low}"
    return f"{short[lowest]}, from {low} ({weak}) to {high} ({strong})"


def _title(results: Results, kind: PanelCurve, means: Numbers, weakest: str) -> str:
    models = [model_style.model for model_style in captions.model_styles(results)]
    if not means.best_first(kind.drawn.measure, models):
        return f"Lowest {kind.name}: {weakest}"
    best = captions.best(results, kind.drawn.measure, f"macro {kind.name}", numbers=means)
    return f"{best}; lowest {class_names.word(results)}: {weakest}"


def _by_scores_alone(results: Results) -> bool:
    """Whether all models decide by a threshold of their scores, at a point of the curve."""
    return all("labels" not in model["outputs"] for model in results.data["models"])


def _subtitle(results: Results, kind: PanelCurve, names: Mapping[str, str]) -> str:
    word, all_names = class_names.word(results), class_names.of(results)
    mark = "Marker: each model's predictions, which need not lie on its curve."
    if results.task.several_labels and _by_scores_alone(results):
        mark = "Marker: each model's operating point."
    sentences = [kind.question.format(word=word), mark]
    if len(results.models) > style.CROWD:
        sentences[1] = "Marker: models that supply labels only."
    if len(names) == MOST < len(all_names):
        sentences.append(
            f"Shown: the {MOST} of {len(all_names)} {class_names.word(results, 2)} with the lowest "
            "mean "
            "AUC over the models, lowest first."
        )
    else:
        short = class_names.short(results)
        missing = [short[name] for name in all_names if name not in names]
        if missing:
            sentences.append(f"No curve: {class_names.some(missing)}.")
    return " ".join(sentences)


def _table(
    kind: PanelCurve,
    model_styles: Sequence[ModelStyle],
    names: Mapping[str, str],
    numbers: ClassNumbers,
) -> pl.DataFrame:
    rows = [
        (names[name], model_style.label, estimate.value, estimate.low, estimate.high)
        for name in names
        for model_style in model_styles
        if (estimate := numbers.get(kind.drawn.measure, model_style.model, name)).value is not None
    ]
    columns = ["Class", "Model", texts.capitalised(kind.name), "Low", "High"]
    return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
