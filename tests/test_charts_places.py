"""Words in charts stand where no line runs."""

from __future__ import annotations

import numpy as np

from reportgen.charts import figures
from reportgen.charts.labels import OccupiedArea
from tests import charts_results
from tests.breadth import breadth

ACROSS = ([0, 1], [0.5, 0.5])
HIGH, LOW = (0.1, 0.6, 0.3, 0.7), (0.1, 0.1, 0.3, 0.2)
ON_IT = (0.1, 0.45, 0.3, 0.55)


def test_words_are_placed_beside_a_line_however_few_its_points():
    assert OccupiedArea([ACROSS]).place([ON_IT, HIGH]) == 1
    assert (
        OccupiedArea([([0, 1], [0, 1])]).place([(0.4, 0.45, 0.42, 0.47), (0.4, 0.39, 0.41, 0.41)])
        == 0
    )


def test_words_do_not_stand_on_others():
    taken = OccupiedArea([ACROSS])

    assert taken.place([HIGH]) == 0
    assert taken.place([HIGH, LOW]) == 1
    assert taken.place([HIGH, LOW]) is None


def test_words_stand_on_quiet_lines_only_where_there_is_no_other_place():
    assert OccupiedArea([], [ACROSS]).place([ON_IT, LOW]) == 1
    assert OccupiedArea([], [ACROSS]).place([ON_IT]) == 0
    assert OccupiedArea([ACROSS]).place([ON_IT]) is None


def test_words_stay_inside():
    assert OccupiedArea([]).place([(0.9, 0.1, 1.1, 0.2), (-0.1, 0.1, 0.1, 0.2), HIGH]) == 2


@breadth("models", [1, 3, 8], [3])
def test_no_word_of_a_precision_recall_chart_stands_on_a_curve(models: int):
    results = charts_results.scored([f"m{place}" for place in range(models)])
    chart = next(f for f in figures(results) if f.id == "precision_recall").chart
    records = [record for values in chart["datasets"].values() for record in values]
    words = [(r["c1"], r["c2"]) for r in records if "c3" in r and isinstance(r["c3"], str)]
    curves = [r for r in records if isinstance(r.get("c2"), list)]
    lines = [r for r in curves if str(r["c0"]).startswith("m")]

    assert len(words) >= 2
    assert lines
    for line in lines:
        x = np.linspace(0, 1, 2001)
        y = np.interp(x, line["c1"], line["c2"])
        for left, middle in words:
            under = (x > left) & (x < left + 0.1)
            assert not ((y[under] > middle - 0.015) & (y[under] < middle + 0.015)).any()
