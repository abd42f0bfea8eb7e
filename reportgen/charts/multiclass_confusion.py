"""Confusion of several classes: correct predictions in blue, errors in orange, one per model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, class_names, labels, style, texts
from reportgen.charts.registry import Figure, VegaLite, report_chart
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.tables import Confusion

SMALL = 6
"""Most classes of a table of half width, with percentages in its cells."""

COUNTED = 18
"""Most classes of a table with counts in its cells."""

LARGE, TWO_ON_A_PAGE = 8, 250.0
"""Of more than ``LARGE`` classes two tables are on a page, the height of each being about this."""

THREE_ON_A_PAGE, MOST_OF_THREE = 185.0, 12
"""The height of each of three tables on one page, and the most classes that they have."""

LISTED = 12
"""Most classes that keep the order of the spec; more are ordered by their confusions."""

PITCH = 11.0
"""Least distance between two labels of an axis."""

CORRECT_LIMITS = (0.2, 0.4, 0.6, 0.8)
ERROR_LIMITS = (0.01, 0.05, 0.1, 0.25)
"""Where the colours of correct and of incorrect predictions change, in shares of the row."""

CORRECT = ("#dfeaf8", "#b5d1ee", "#7fb0df", "#3a76b6", "#0b4f94")
ERRORS = ("#f4f5f7", "#fee3c8", "#fdb571", "#ee7a1c", "#b0430a")
DARK = {CORRECT[3], CORRECT[4], ERRORS[4]}
"""Colours that take white text: its contrast with them is at least 4.5 : 1."""


def draw(
    confusion: DataFrame[Confusion],
    model: str,
    names: Mapping[str, str],
    whole: int | None = None,
    tables: int = 1,
) -> alt.LayerChart | None:
    """Truth down, prediction across, in the order of ``names``; colours are shares of the row.

    ``whole`` is the width, if it is not that of the page; so many ``tables`` stand together.
    """
    rows = chart_layers.overall(confusion).filter(
        (pl.col("model") == model) & pl.col("share").is_not_null()
    )
    if not rows.height:
        return None
    size = len(names)
    frame = _Frame(list(names.values()), whole, tables)
    if size > COUNTED:
        is_error = pl.col("truth") != pl.col("predicted")
        rows = rows.filter(~is_error | (pl.col("share") >= ERROR_LIMITS[0]))
    cells = [
        _cell((frame.drawn[names[truth]], frame.drawn[names[predicted]]), count, share)
        for truth, predicted, count, share in rows.select(
            "truth", "predicted", "count", "share"
        ).iter_rows()
    ]
    layers = [_squares(cells, frame, correct=True), _squares(cells, frame, correct=False)]
    counted = [c for c in cells if c["c2"] != "0" or c["c0"] == c["c1"]]
    widest = max((labels.text_width(cell["c2"], 10.5) for cell in counted), default=0)
    if frame.small or (size <= COUNTED and widest < frame.pitch):
        layers += _texts(counted, frame)
    chart: alt.LayerChart = chart_layers.layered(
        *layers,
        width=frame.whole,
        height=frame.height,
        autosize=chart_layers.FIT,
        **({} if size <= COUNTED else {"view": alt.ViewBackground(fill=ERRORS[0])}),
    ).resolve_scale(fill="independent")
    return chart


class _Frame:
    """The axes of one table: the names as they are cut, and the room that they take."""

    def __init__(self, names: Sequence[str], whole: int | None, tables: int) -> None:
        size = len(names)
        self.small = size <= SMALL
        self.whole = whole or (style.HALF if self.small else style.FULL)
        narrow = self.whole == style.HALF
        cut = class_names.fitted(names, 72 if narrow else 105)
        self.order = cut
        self.drawn = dict(zip(names, cut, strict=True))
        widest = max(labels.text_width(name) for name in cut)
        plot = self.whole - widest - 32
        self.pitch = plot / size
        self.angle = 0 if widest < self.pitch - 3 else -45 if self.pitch > 24 else -90
        under = 12 if self.angle == 0 else widest * (0.75 if self.angle == -45 else 1)
        three = tables == 3 and size <= MOST_OF_THREE
        tall = THREE_ON_A_PAGE if three else TWO_ON_A_PAGE
        counted = tall / size if size > LARGE else 32.0
        shaded = min(self.pitch, max(PITCH, counted))
        cell = 38.0 if self.small else counted if size <= COUNTED else shaded
        self.cell = max(self.pitch, PITCH) if narrow and not self.small else cell
        legends = 0 if self.small else 68 if narrow else 32
        self.height = round(self.cell * size + under + 34 + legends)

    def x(self) -> alt.X:
        """Predictions, with as many labels as have room."""
        labelled = self._labelled(self.pitch)
        axis = _axis(labelled, labelAngle=self.angle, labelLimit=150)
        return alt.X("c1:N", scale=self._scale(), title="Predicted", axis=axis)

    def y(self) -> alt.Y:
        """Truths, with as many labels as have room."""
        return alt.Y(
            "c0:N",
            scale=self._scale(),
            title="Truth",
            axis=_axis(self._labelled(self.cell), labelLimit=150),
        )

    def _labelled(self, pitch: float) -> list[str]:
        return self.order[:: math.ceil(PITCH / pitch)]

    def _scale(self) -> alt.Scale:
        return alt.Scale(domain=self.order, padding=0)


def _axis(values: list[str], **more: Any) -> alt.Axis:
    return alt.Axis(
        domain=False, ticks=False, grid=False, values=values, labelOverlap=False, **more
    )


def _cell(pair: tuple[str, str], count: float, share: float) -> chart_layers.Datum:
    """Return the cell of a truth and a prediction, by their drawn names."""
    correct = pair[0] == pair[1]
    step = sum(share >= limit for limit in (CORRECT_LIMITS if correct else ERROR_LIMITS))
    color = (CORRECT if correct else ERRORS)[step]
    return {
        "c0": pair[0],
        "c1": pair[1],
        "c2": texts.count(count),
        "c3": _steps(CORRECT_LIMITS if correct else ERROR_LIMITS)[step],
        "c4": texts.percent(share, 0 if share >= 0.1 else 1),
        "c5": "white" if color in DARK else style.INK,
    }


def _steps(limits: Sequence[float]) -> list[str]:
    ends = [f"{100 * limit:.0f}" for limit in limits]
    between = [f"{low}–{high}" for low, high in pairwise(ends)]
    return [f"<\N{NO-BREAK SPACE}{ends[0]}", *between, f"≥\N{NO-BREAK SPACE}{ends[-1]}"]


def _squares(cells: Sequence[chart_layers.Datum], frame: _Frame, *, correct: bool) -> alt.Chart:
    squares = [
        {field: cell[field] for field in ("c0", "c1", "c2", "c3", "c4")}
        for cell in cells
        if (cell["c0"] == cell["c1"]) == correct
    ]
    limits, colors = (CORRECT_LIMITS, CORRECT) if correct else (ERROR_LIMITS, ERRORS)
    scale = alt.Scale(domain=_steps(limits), range=list(colors))
    legend = alt.Legend(
        title="Correct, % of row" if correct else "Wrong, % of row",
        symbolType="square",
        symbolSize=110,
        symbolStrokeWidth=0,
        direction="horizontal",
        columns=5,
        columnPadding=8,
    )
    wide = min(frame.cell, frame.pitch) > 20
    chart: alt.Chart = (
        chart_layers.inline(squares)
        .mark_rect(stroke="white", strokeWidth=1.5 if wide else 0.4)
        .encode(
            x=frame.x(),
            y=frame.y(),
            fill=alt.Fill("c3:N", scale=scale, legend=None if frame.small else legend),
            tooltip=[
                alt.Tooltip("c0:N", title="Truth"),
                alt.Tooltip("c1:N", title="Predicted"),
                alt.Tooltip("c2:N", title="Rows"),
                alt.Tooltip("c4:N", title="Share of true class"),
            ],
        )
    )
    return chart


def _texts(cells: Sequence[chart_layers.Datum], frame: _Frame) -> list[alt.Chart]:
    records = [{field: cell[field] for field in ("c0", "c1", "c2", "c4", "c5")} for cell in cells]
    paint = alt.Color("c5:N", scale=None)
    base = chart_layers.inline(records).encode(x=frame.x(), y=frame.y(), color=paint)
    if not frame.small:
        return [base.mark_text(fontSize=10.5).encode(text=alt.Text("c2:N"))]
    return [
        base.mark_text(fontSize=12, fontWeight=600, dy=-6).encode(text=alt.Text("c2:N")),
        base.mark_text(fontSize=9.5, dy=8).encode(text=alt.Text("c4:N")),
    ]


@report_chart(60, "multiclass", "multilabel", curve="confusion", each=True)
def figures(results: Results) -> list[Figure]:
    """Return a figure per model, all with the classes in one order."""
    curve = captions.curve(results, "confusion")
    full_names = class_names.names(results)
    order = _order(results, chart_layers.overall(curve))
    names = {name: full_names[name] for name in order}
    result, model_styles = [], captions.model_styles(results)
    for place, model_style in enumerate(model_styles):
        chart = draw(curve, model_style.model, names, tables=len(model_styles))
        if chart is not None:
            narrow = (
                None if len(names) <= SMALL else draw(curve, model_style.model, names, style.HALF)
            )
            result.append(_figure(results, place, model_style, names, chart, narrow))
    return result


def _order(results: Results, curve: pl.DataFrame) -> list[str]:
    """Return the classes as the spec orders them, or many by their confusions."""
    listed = class_names.of(results)
    declared = results.declared
    if len(listed) <= LISTED or declared.classes or declared.ordered:
        return listed
    return by_confusion(curve, listed)


def _figure(
    results: Results,
    place: int,
    model_style: ModelStyle,
    names: Mapping[str, str],
    chart: alt.LayerChart,
    narrow: alt.LayerChart | None,
) -> Figure:
    rows = chart_layers.overall(captions.curve(results, "confusion")).filter(
        (pl.col("model") == model_style.model) & (pl.col("count") > 0)
    )
    confused = rows.filter(pl.col("truth") != pl.col("predicted")).sort(
        "count", "share", descending=True, maintain_order=True
    )
    errors, whole = float(confused["count"].sum()), float(rows["count"].sum())
    finding = f"{texts.count(errors)} of {texts.count(whole)} wrong"
    weighted = bool(results.data.get("weighted") and whole)
    if weighted:
        finding = f"{texts.percent(errors / whole)} of weight wrong"
    short = class_names.short(results)
    mistakes = [
        (
            f"{short[truth]} predicted as {short[predicted]}",
            texts.percent(count / whole) if weighted else texts.count(count),
        )
        for truth, predicted, count in confused.head(5)
        .select("truth", "predicted", "count")
        .iter_rows()
    ]
    most = "; most often {} ({})".format(*mistakes[0]) if mistakes else ""
    listed = "; ".join(f"{pair}: {number}" for pair, number in mistakes)
    return Figure(
        id=f"confusion_{place}",
        title=f"{captions.short(model_style)}: {finding}{most}",
        subtitle=_subtitle(results, rows, names),
        alt=f"Confusion table of {model_style.label}, {len(names)} classes. {finding}. "
        f"{f'Most frequent confusions: {listed}.' if mistakes else ''}".rstrip(),
        chart=chart_layers.specification(chart),
        table=_table(
            pl.concat([confused, rows.filter(pl.col("truth") == pl.col("predicted"))]), names
        ),
        width="half" if len(names) <= SMALL else "full",
        section="decisions",
        first=True,
        narrow=None if narrow is None else _stacked(chart_layers.specification(narrow)),
    )


def _stacked(chart: VegaLite) -> VegaLite:
    """Return the chart with one legend under the other."""
    legend = chart["config"]["legend"] | {"layout": {"bottom": {"direction": "vertical"}}}
    return chart | {"config": chart["config"] | {"legend": legend}}


def _subtitle(results: Results, rows: pl.DataFrame, names: Mapping[str, str]) -> str:
    """Say what the cells show, how they are ordered, and which rows and columns are empty."""
    size = len(names)
    shades = "Colours and percentages" if size <= SMALL else "Colours"
    sentences = [f"Which classes are confused? {shades} are of the row."]
    if list(names) != class_names.of(results):
        sentences.append("Classes that are often confused are adjacent.")
    if size > COUNTED:
        sentences.append("Cells below 1\N{NO-BREAK SPACE}% are blank.")
    short = class_names.short(results)
    unseen = [short[key] for key in names if key not in set(rows["truth"])]
    unpredicted = [short[key] for key in names if key not in set(rows["predicted"])]
    if unseen:
        sentences.append(f"Without rows: {class_names.some(unseen)}.")
    if unpredicted:
        sentences.append(f"Never predicted: {class_names.some(unpredicted)}.")
    return " ".join(sentences)


def _table(rows: pl.DataFrame, names: Mapping[str, str]) -> pl.DataFrame:
    return rows.select(
        pl.col("truth").replace(names).alias("Truth"),
        pl.col("predicted").replace(names).alias("Predicted"),
        pl.col("count").alias("Rows"),
        pl.col("share").alias("Share of true class"),
    )


def by_confusion(confusion: pl.DataFrame, classes: Sequence[str]) -> list[str]:
    """Return the classes in the order of a tree of their confusions.

    Two classes are as near as their rows are predicted as each other, in shares of
    the row, over all models. Average linkage, its leaves turned so that
    neighbours are as near as the tree allows: Bar-Joseph et al. (2001),
    doi:10.1093/bioinformatics/17.suppl_1.S22. The first class of ``classes``
    stands in the first half.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    distance = 1 - _nearness(confusion, classes)
    np.fill_diagonal(distance, 0.0)
    condensed = squareform(distance, checks=False)
    tree = optimal_leaf_ordering(linkage(condensed, "average"), condensed)
    order = [int(k) for k in leaves_list(tree)]
    if order.index(0) > (len(order) - 1) / 2:
        order.reverse()
    return [classes[k] for k in order]


def _nearness(confusion: pl.DataFrame, classes: Sequence[str]) -> np.ndarray:
    """Return the mutual shares of each pair of classes, scaled to at most 1."""
    place = {name: k for k, name in enumerate(classes)}
    shares = np.zeros((len(classes), len(classes)))
    off_diagonal = confusion.drop_nulls("share").filter(pl.col("truth") != pl.col("predicted"))
    for truth, predicted, share in off_diagonal.select("truth", "predicted", "share").iter_rows():
        shares[place[truth], place[predicted]] += share
    mutual = shares + shares.T
    return np.asarray(mutual / (mutual.max() or 1.0))
