"""The charts of several classes, of several labels and of numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl

from reportgen.charts import (
    chart_layers,
    figures,
    multiclass_confusion,
    one_vs_rest,
    slices,
    style,
)
from reportgen.charts.multiclass_confusion import by_confusion
from reportgen.charts.slices import Sliced
from reportgen.tables import Confusion
from tests import charts_results, sections_tasks
from tests import charts_tasks as tasks
from tests.breadth import breadth
from tests.chart_gallery import figure as figure_of
from tests.charts_results import by_id, records


def test_slices_are_drawn_with_the_worst_first_and_as_many_as_fit():
    figure = figure_of("slices-slices_0")
    names = list(dict.fromkeys(r["c1"] for r in records(figure, "c1", "c3")))

    assert names[0] == "site 07 (120)"
    assert 40 <= len(names) <= 50
    assert figure.table.height == 50
    assert "site 07" in figure.title


def test_long_names_of_slices_leave_room_for_their_rows():
    name = "the clinic for the rare diseases of the northern region, ward"
    rows, small = {"0": 12345.0, "1": 0.0, "2": 7.0}, frozenset("12")
    sliced = Sliced("ward", {label: f"{name} {label}" for label in rows}, rows, small, 0)
    cut = slices._fitted(sliced)

    assert cut[0].endswith(" (12,345)")
    assert cut[2].endswith(" (7, small)")
    assert len(set(cut)) == 3


def test_a_small_slice_is_marked_and_not_in_the_title():
    results = sections_tasks.fifty_slices()
    worst = (pl.col("slice") == "site = site 09") & (pl.col("metric") == "error_rate")
    value = pl.when(worst).then(1.0).otherwise("value")
    (figure,) = (
        f
        for f in figures(replace(results, metrics=results.metrics.with_columns(value=value)))
        if f.section == "slices"
    )
    names = list(dict.fromkeys(r["c1"] for r in records(figure, "c1", "c3")))

    assert names[0] == "site 09 (12, small)"
    assert sum("small" in name for name in names) == 1
    assert "site 09" not in figure.title
    assert "Small: fewer than 30 rows" in figure.subtitle


def test_of_many_slices_that_are_mostly_small_the_others_are_drawn():
    """As of single ages, which would take a page."""
    results = sections_tasks.fifty_slices()
    small = ~pl.col("slice").is_in([f"site = site {k:02}" for k in range(1, 6)])
    few = replace(results, slices=results.slices.with_columns(small=small))
    (figure,) = (f for f in figures(few) if f.section == "slices")
    names = dict.fromkeys(r["c1"] for r in records(figure, "c1", "c3"))

    assert sorted(name.split(" (")[0] for name in names) == [f"site {k:02}" for k in range(1, 6)]
    assert "small slices are left out." in figure.subtitle


def test_two_slices_are_left_to_the_table():
    results = sections_tasks.fifty_slices()
    few = replace(
        results,
        metrics=results.metrics.filter(
            pl.col("slice").is_null() | pl.col("slice").is_in(["site = site 01", "site = site 02"])
        ),
    )

    assert not [figure for figure in figures(few) if figure.section == "slices"]


def test_a_cell_has_the_count_of_its_truth_and_call():
    frame = pl.DataFrame({"truth": ["a", "a", "b", "c"], "said": ["a", "b", "b", "a"]})
    figure = by_id(tasks.evaluated(frame, {"m": {"label": "said"}}))["confusion_0"]
    cells = {(r["c0"], r["c1"], r["c2"], r["c4"]) for r in records(figure, "c3", "c4")}

    assert {
        ("a", "a", "1", "50\xa0%"),
        ("a", "b", "1", "50\xa0%"),
        ("b", "b", "1", "100\xa0%"),
    } <= (cells)
    assert ("c", "a", "1", "100\xa0%") in cells
    assert figure.title.startswith("m: 2 of 4 wrong; most often")
    assert "Never predicted: c." in figure.subtitle


def test_many_classes_stand_beside_what_they_are_confused_with():
    """Neighbours in the table: 0 and 1, 2 and 3, …, whatever their place in the spec."""
    size = 16
    place = np.random.default_rng(1).permutation(size)
    pairs = {int(k): int(np.where(place == (place[k] ^ 1))[0][0]) for k in range(size)}
    curve = pl.DataFrame(
        [(str(k), str(p), 0.3) for k, p in pairs.items()],
        schema=["truth", "predicted", "share"],
        orient="row",
    )
    order = by_confusion(curve, [str(k) for k in range(size)])

    assert sorted(order) == sorted(map(str, range(size)))
    assert all(abs(order.index(str(a)) - order.index(str(b))) == 1 for a, b in pairs.items())


def test_classes_that_the_spec_orders_keep_their_order():
    names = [f"grade {k:02}" for k in range(14)]
    given = by_id(tasks.classified(names, classes=names))["confusion_0"]
    free = by_id(tasks.classified(names))["confusion_0"]

    assert "are adjacent" not in given.subtitle
    assert "are adjacent" in free.subtitle


@breadth("size", [3, 19], 1)
def test_any_number_of_classes_stays_on_a_page(size: int):
    figures = by_id(tasks.classified([f"a class of number {k}" for k in range(size)]))
    for name in ("confusion_0", "roc", "per_class"):
        svg = charts_results.svg_of(figures[name].chart)
        assert charts_results.size(svg)[1] < 950
        assert charts_results.size(svg)[0] <= style.FULL + 2
    places = [
        float(match[1])
        for e in charts_results.elements(charts_results.svg_of(figures["confusion_0"].chart))
        if e.tag.endswith("}text") and e.get("text-anchor") == "end"
        for match in [re.search(r"translate\(-[\d.]+,([\d.]+)\)", e.get("transform", ""))]
        if match
    ]
    upright = sorted(set(places))
    assert all(b - a >= 9.5 for a, b in pairwise(upright))


def test_a_hundred_classes_stay_on_a_page():
    names = {f"k{k}": f"a class of number {k}" for k in range(100)}
    keys = list(names)
    rows = [
        (t, p, 8.0 if t == p else 2.0 * (abs(i - j) == 1))
        for i, t in enumerate(keys)
        for j, p in enumerate(keys)
    ]
    table = pl.DataFrame(rows, schema=["truth", "predicted", "count"], orient="row").select(
        pl.lit("m").alias("model"),
        pl.lit(None, pl.String).alias("slice"),
        pl.lit(None, pl.String).alias("class"),
        pl.all(),
        share=pl.col("count") / 12,
    )
    chart = multiclass_confusion.draw(Confusion.validate(table), "m", names)
    assert chart is not None
    svg = charts_results.svg_of(chart_layers.specification(chart))

    assert charts_results.size(svg)[0] <= style.FULL + 2
    assert charts_results.size(svg)[1] < 950
    assert len(svg) < 200_000, "cells without confusions are not drawn"


def test_a_perfect_model_has_no_confusions():
    frame = pl.DataFrame({"truth": ["a", "b", "c"] * 4})
    figure = by_id(tasks.evaluated(frame.with_columns(m="truth"), {"m": {"label": "m"}}))[
        "confusion_0"
    ]

    assert figure.title == "m: 0 of 12 wrong"


def test_no_more_panels_than_fit_and_the_hardest_first():
    figure = by_id(tasks.classified([f"k{k:02}" for k in range(20)]))["roc"]
    areas = figure.table["AUC"].to_list()

    assert len(areas) == 12
    assert areas == sorted(areas)
    assert "the 12 of 20 classes with the lowest mean AUC" in figure.subtitle


def test_a_class_without_rows_and_one_never_called_are_named():
    truth = np.tile([0, 1, 2, 4], 10)
    names = ["a", "b", "c", "gone", "e"]
    figures = by_id(tasks.classified(names, truth, uncalled=1, classes=names))

    assert "Without rows: gone. Never predicted: b." in figures["confusion_0"].subtitle
    assert "No curve: gone." in figures["roc"].subtitle
    notes = {record["c5"] for record in records(figures["per_class"], "c5", "c6")}
    assert notes == {"no rows", "never predicted"}


def test_the_threshold_of_a_label_is_a_point_of_its_curve_and_the_highest_score_need_not_be_one():
    of_labels, of_classes = (
        [by_id(results)[name].subtitle for name in ("roc", "precision_recall")]
        for results in (tasks.labelled(), tasks.classified(["a", "b", "c"], models=2))
    )

    assert all(text.endswith("Marker: each model's operating point.") for text in of_labels)
    assert all(text.endswith("which need not lie on its curve.") for text in of_classes)


def test_every_class_has_a_mark_of_every_model():
    svg = charts_results.svg_of(
        by_id(tasks.classified(["a", "b", "c"], models=2))["per_class"].chart
    )
    for color in style.PALETTE[:2]:
        marks = [e for e in charts_results.elements(svg) if e.get("fill") == color]
        bars = [e for e in charts_results.elements(svg) if e.get("stroke") == color]
        assert len(marks) == 3 * 2 + 1, "classes × metrics, and the legend"
        assert len(bars) == 3 * 2 + 1


def test_long_names_differ_where_they_are_cut():
    names = [
        f"the same long beginning of all classes, number {k}, and the same end" for k in "12345"
    ]
    figures = by_id(tasks.classified(names))
    models = {record["c0"] for record in records(figures["confusion_0"], "c0", "c1", "c3")}

    assert len(models) == 5
    assert all(re.search(r"number \d", name) for name in models)


def test_an_area_in_a_panel_stands_where_no_curve_runs():
    free = [([0.0, 1.0], [0.4, 0.4])]
    low = [([0.0, 1.0], [0.05, 0.05])]
    everywhere = [([0.0, 1.0], [y, y]) for y in (0.05, 0.5, 0.95)]
    places = [
        one_vs_rest._corner(one_vs_rest.OF_PRECISION_RECALL, ["AP 0.500"], 127, lines)
        for lines in (free, low, everywhere)
    ]

    assert places[0] == (0.01, "left")
    assert places[1][0] > 0.5
    assert places[2] is None
