"""Which figures stand on page one: the models, and one more where there is room for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from reportgen.charts import key_metrics
from reportgen.charts.leaders import SECTION
from reportgen.charts.registry import Figure
from reportgen.records.decision import Decision
from reportgen.records.model import Results

LINE = 13.0
"""Height of a line of text in print, in points."""

TABLE_ROW, GATE_ROW = 12.8, 15.0
"""Height of a row of the tables of models and of gates, in points."""

PAPER = {"a4": 785.0, "letter": 735.0}
"""Where the text of the first page ends."""

FIXED = 246.0
"""Header, facts, margins and contents of the first page, in points."""

SPARE = 4.0
"""Room that a second figure leaves, as heights are estimated."""

PX = 0.75
"""Points per px of a chart."""

TITLE, HEADLINE, SENTENCE, ITEM = 39, 60, 84, 88
"""Characters per line of the title, the headline, its sentence and the items below the tables."""


def placed(results: Results, figures: Sequence[Figure]) -> list[Figure]:
    """The figures, of which page one has so many as there is room for.

    Where the models are compared by mean rank the second one is the diagram of the
    ranks, by means over folds the values of the folds, else the key numbers, which are
    of the same rows as the conclusion: the first of them, where there is no room for all.
    """
    paper = results.declared.output.paper.lower()
    room = PAPER[paper if paper in PAPER else "a4"] - _text(results)
    others: list[Figure] = []
    second = _second(results)
    for figure in figures:
        height = _height(figure)
        if figure.section == SECTION:
            if height > room:
                continue
            room -= height
        others.append(figure)
    for place, figure in enumerate(others):
        fitting = _fitting(results, figure, room) if figure.id == second else None
        if fitting is not None:
            others[place] = replace(fitting, section=SECTION)
    return others


def _fitting(results: Results, figure: Figure, room: float) -> Figure | None:
    """The figure, or one of the first key numbers alone, where there is room for it."""
    excess = _height(figure) + SPARE - room
    if excess <= 0:
        return figure
    return key_metrics.shorter(results, excess / PX) if figure.id == "key_metrics" else None


def _second(results: Results) -> str:
    """The figure that belongs to the conclusion, after that of the models."""
    basis = results.decision.basis
    if basis == "mean over folds":
        return "folds"
    return "critical_difference" if results.task.of_values else "key_metrics"


def _text(results: Results) -> float:
    """The height of all that page one says in words and tables, in points."""
    decision = results.decision
    lines = _lines(decision.headline, HEADLINE) * 1.3 + _lines(decision.sentence, SENTENCE)
    lines += sum(1.6 * _lines(c.text, SENTENCE) for c in decision.severe)
    return (
        FIXED
        + 32 * (_lines(results.title, TITLE) - 1)
        + LINE * (lines + _items(decision))
        + _tables(results)
    )


def _items(decision: Decision) -> float:
    """Lines of what is to be done and read with care."""
    texts = [c.text for c in decision.with_care if c.severity != "severe"]
    texts += [decision.action.text] if decision.action else []
    return sum(_lines(text, ITEM) + 0.4 for text in texts)


def _tables(results: Results) -> float:
    """The table of the models, and that of the gates, each with its notes, two in a line."""
    decision = results.decision
    several = 1 if decision.family and decision.family.size > 1 else 0
    shown = decision.on_page_one
    notes = several + any(m.group for m in shown) + (len(decision.models) > len(shown))
    notes += results.reading.positives_are_rare
    height = 52 + TABLE_ROW * (len(shown) + 1) + (1 + ceil(notes / 2)) * LINE
    gates = results.gates["gate"].to_list()
    if gates:
        reasons = results.gates["why"].drop_nulls().unique().to_list()
        notes = 2 + several + sum(_lines(why, SENTENCE) for why in reasons)
        height += 10 + notes * LINE + GATE_ROW * (1 + sum(_lines(gate, 45) for gate in gates))
    return height


def _height(figure: Figure) -> float:
    """The height of a figure with its words; panels side by side have one height."""
    chart = figure.chart
    panels = chart.get("concat") or chart.get("hconcat") or [chart]
    height = float(panels[0].get("height", 300))
    axis = 0 if "autosize" in chart else 30
    words = LINE * (_lines(figure.title, 90) + _lines(figure.subtitle, 110))
    return PX * (height + axis + 20) + 10 + words


def _lines(text: str, width: int) -> int:
    return ceil(len(text) / width)
