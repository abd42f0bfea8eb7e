"""Each chart shows what its table says, and nothing where there is nothing to show."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.charts import calibration, costs, labels, precision_recall, roc, style
from reportgen.charts.registry import Figure
from reportgen.concluding import section_reading
from reportgen.results import Results
from reportgen.tables import CostEnvelope
from tests import charts_results
from tests.chart_gallery import figures_of
from tests.charts_results import by_id
from tests.example_results import example_results


def marked(figure: Figure, *fields: str) -> list[tuple[Any, ...]]:
    """The records of a figure's data that have these fields and are no arrays."""
    return [
        tuple(record[field] for field in fields)
        for values in figure.chart["datasets"].values()
        for record in values
        if all(field in record and not isinstance(record[field], list) for field in fields)
    ]


def evaluated(truth: list[str], scores: list[float]) -> Results:
    return charts_results.evaluated(
        pl.DataFrame({"truth": truth, "p": scores}), {"m": {"score": "p"}}
    )


@cache
def single() -> dict[str, Figure]:
    """The figures of one model."""
    return by_id(charts_results.single())


@pytest.mark.parametrize("truth", ["yes", "no"])
def test_one_class_alone_draws_no_curve(truth: str):
    figures = by_id(evaluated([truth] * 6, [0.1, 0.4, 0.6, 0.7, 0.8, 0.9]))

    assert not {"roc", "precision_recall", "cost_curve", "threshold"} & figures.keys()
    assert "confusion_0" in figures
    for figure in figures.values():
        assert charts_results.words(charts_results.svg_of(figure.chart))


def test_equal_scores_draw_the_diagonal():
    figures = by_id(evaluated(["yes", "no", "yes", "no"], [0.5] * 4))
    records = [r for v in figures["roc"].chart["datasets"].values() for r in v if "AUC" in str(r)]

    assert "AUC 0.500" in figures["roc"].title
    lines = [record for record in records if isinstance(record.get("c2"), list)]
    assert [(line["c1"], line["c2"]) for line in lines] == [([0, 1], [0, 1])]
    for figure in figures.values():
        assert charts_results.words(charts_results.svg_of(figure.chart))


def test_labels_alone_draw_decisions_only():
    frame = pl.DataFrame({"truth": ["yes", "no"] * 5, "said": ["yes", "yes", "no", "no", "no"] * 2})
    figures = by_id(charts_results.evaluated(frame, {"rules": {"label": "said"}}))

    assert figures.keys() == {"key_metrics", "confusion_0"}


def test_labels_beside_scores_are_a_point_in_the_roc():
    figures = figures_of("rich")

    assert "好瓜" in {row[0] for row in marked(figures["roc"], "c7", "c1", "c2")}
    assert "labels only" in figures["roc"].subtitle
    assert "labels only" not in single()["roc"].subtitle


def test_scores_that_are_no_probabilities_have_no_calibration_and_their_own_thresholds():
    figures = figures_of("rich")

    [name] = labels.unique([charts_results.LONG]).values()
    assert name not in set(figures["calibration"].table["Model"])
    assert set(figures["threshold_2"].table["Model"]) == {name}
    assert labels.clean(charts_results.LONG) not in set(figures["threshold"].table["Model"])


def test_one_model_has_nothing_to_compare():
    assert "differences" not in single()


@pytest.mark.slow
def test_twenty_models_stay_on_a_page():
    figures = by_id(charts_results.scored([f"model number {i}" for i in range(20)], rows=60))

    for name in (
        "key_metrics",
        "roc",
        "precision_recall",
        "threshold",
        "cost_curve",
        "differences",
    ):
        svg = charts_results.svg_of(figures[name].chart)
        assert charts_results.size(svg)[1] < 950
        assert charts_results.size(svg)[0] <= style.FULL + 2
    named = {
        word
        for word in charts_results.words(charts_results.svg_of(figures["roc"].chart))
        if "·" in word
    }
    assert len(named) == section_reading.MOST_MODELS
    assert figures["differences"].title.endswith(" of 5 pairs")  # those with the leader


def test_the_point_that_a_model_works_at_is_its_metrics():
    results = charts_results.single()
    values = dict(results.metrics.select("metric", "value").iter_rows())

    assert marked(single()["roc"], "c7", "c1", "c2") == [
        ("m", round(values["false_positive_rate"], 5), round(values["recall"], 5))
    ]


def test_precision_between_two_points_follows_the_counts():
    """20 positives; (5 tp, 5 fp) and (10 tp, 30 fp): the example of Davis & Goadrich (2006)."""
    bent = precision_recall.bent({"c0": "m", "c1": [0.25, 0.5], "c2": [0.5, 0.25]})
    precision = np.interp([0.3, 0.35, 0.4, 0.45], bent["c1"], bent["c2"])

    assert precision == pytest.approx([0.375, 0.318, 0.286, 0.265], abs=0.002)
    assert bent["c1"][0] == 0
    assert bent["c2"][0] == 0.5


@pytest.mark.parametrize(("positives", "kind"), [(3, "log"), (300, None)])
def test_precision_has_a_logarithmic_axis_where_no_average_precision_reaches_five_percent(
    positives, kind
):
    random = np.random.default_rng(2)
    truth = np.where(np.arange(3000) < positives, "yes", "no")
    score = np.where(truth == "yes", 0.6, random.random(3000))
    frame = pl.DataFrame({"truth": truth, "p": score})
    results = charts_results.evaluated(frame, {"m": {"score": "p"}})
    chart = by_id(results)["precision_recall"].chart

    scales = [layer["encoding"]["y"].get("scale", {}) for layer in chart["layer"]]
    assert {scale.get("type") for scale in scales if "domain" in scale} == {kind}
    lines = [row["c2"] for rows in chart["datasets"].values() for row in rows if "c2" in row]
    precision = [y for line in lines for y in (line if isinstance(line, list) else [line])]
    assert kind is None or min(precision) > 0
    assert charts_results.svg_of(chart)


def test_cost_lines_join_the_two_rates_of_a_threshold():
    envelope = CostEnvelope.validate(
        pl.DataFrame(
            {
                "model": "m",
                "slice": pl.Series([None] * 3, dtype=pl.String),
                "class": pl.Series([None] * 3, dtype=pl.String),
                "probability_cost": [0.0, 0.25, 1.0],
                "normalised_cost": [0.0, 0.175, 0.0],
                "threshold": [None, 0.5, None],
                "false_positive_rate": [0.0, 0.1, None],
                "false_negative_rate": [1.0, 0.4, None],
            }
        )
    )
    chart = costs.draw(envelope, charts_results.single().metrics.clear(), ["m"], 0.3)
    assert chart is not None
    records = [record for values in chart.to_dict()["datasets"].values() for record in values]
    marks = [record["c2"] for record in records if {"c0", "c3"} <= record.keys()]

    assert marks == [[0.1, 0.4]], "and not the one that calls nothing positive"


def test_of_many_thresholds_some_have_lines_from_one_end_to_the_other():
    grid = [k / 200 for k in range(1, 200)]
    envelope = CostEnvelope.validate(
        pl.DataFrame(
            {
                "model": ["m"] * 199,
                "slice": pl.Series([None] * 199, dtype=pl.String),
                "class": pl.Series([None] * 199, dtype=pl.String),
                "probability_cost": grid,
                "normalised_cost": [a * (1 - a) for a in grid],
                "threshold": grid[::-1],
                "false_positive_rate": grid,
                "false_negative_rate": [(1 - a) ** 2 for a in grid],
            }
        )
    )
    chart = costs.draw(envelope, charts_results.single().metrics.clear(), ["m"], 0.3)
    assert chart is not None
    records = [record for values in chart.to_dict()["datasets"].values() for record in values]
    marks = sorted(record["c2"][0] for record in records if {"c0", "c3"} <= record.keys())

    assert len(marks) == costs.MOST_LINES
    assert marks[0] < 0.05
    assert marks[-1] > 0.95


@pytest.mark.parametrize(
    ("costs_", "place"),
    [
        ({"false_negative": 10, "false_positive": 1}, 0.869565),
        ({"false_negative": 1, "false_positive": 1}, 0.4),
    ],
)
def test_the_rule_is_where_prevalence_and_costs_are(costs_: dict[str, float], place: float):
    """p·c / (p·c + (1 − p)·c'), with prevalence 0.4."""
    frame = pl.DataFrame(
        {"truth": ["yes", "yes", "no", "no", "no"] * 4, "p": [0.9, 0.4, 0.6, 0.3, 0.1] * 4}
    )
    figures = by_id(charts_results.evaluated(frame, {"m": {"score": "p"}}, costs=costs_))

    assert (round(place, 5),) in marked(figures["cost_curve"], "c1")


def test_confusion_shows_count_and_share_of_the_row():
    figures = by_id(evaluated(["yes", "yes", "yes", "no"], [0.9, 0.8, 0.1, 0.7]))
    cells = marked(figures["confusion_0"], "c0", "c1", "c2", "c4")

    assert set(cells) == {
        ("yes", "yes", "2", "66.7\xa0%"),
        ("yes", "no", "1", "33.3\xa0%"),
        ("no", "yes", "1", "100.0\xa0%"),
        ("no", "no", "0", "0.0\xa0%"),
    }
    assert figures["confusion_0"].title == "m: 2 of 4 wrong: 1 missed, 1 false alarm"


def test_a_title_claims_a_difference_only_where_the_test_rejects():
    draw = np.random.default_rng(1)
    truth = draw.random(400) < 0.5
    frame = pl.DataFrame(
        {
            "truth": np.where(truth, "yes", "no"),
            "good": 0.3 * truth + 0.7 * draw.random(400),
            "bad": draw.random(400),
        }
    ).with_columns(like=(100 * pl.col("good")).floor() / 100)
    same = {"g": {"score": "good"}, "l": {"score": "like"}}
    alike = by_id(charts_results.evaluated(frame, same))["roc"].title
    apart = by_id(charts_results.evaluated(frame, {"g": {"score": "good"}, "b": {"score": "bad"}}))[
        "roc"
    ].title

    assert "no significant difference" in alike
    assert apart.startswith("Highest AUC: g")
    assert "the difference from b is significant" in apart


def test_intervals_of_weighted_bins_may_be_missing():
    curve = (
        charts_results.single()
        .curves["calibration"]
        .with_columns(observed_low=pl.lit(None, pl.Float64), observed_high=pl.lit(None, pl.Float64))
    )
    chart = calibration.draw(curve, style.model_styles(["m"]))

    assert chart is not None
    assert "Observed frequency" in charts_results.words(charts_results.svg_of(chart.to_dict()))


def test_a_chart_without_rows_is_no_chart():
    results = charts_results.single()

    assert roc.draw(results.curves["roc"].clear(), results.metrics, ["m"]) is None
    assert (
        calibration.draw(results.curves["calibration"].clear(), style.model_styles(["m"])) is None
    )
    assert costs.draw(results.curves["cost_envelope"].clear(), results.metrics, ["m"]) is None


def test_rows_of_a_slice_are_not_drawn():
    results = charts_results.single()
    table = results.curves["roc"].with_columns(slice=pl.lit("site = a"))

    assert roc.draw(table, results.metrics, ["m"]) is None


def test_lines_are_drawn_with_the_points_that_show():
    draw = np.random.default_rng(2)
    truth = draw.random(4000) < 0.3
    frame = pl.DataFrame(
        {"truth": np.where(truth, "yes", "no"), "p": (truth + 3 * draw.random(4000)) / 4}
    )
    figures = by_id(charts_results.evaluated(frame, {"m": {"score": "p"}}))

    for name in ("roc", "precision_recall", "threshold"):
        lines = [
            r
            for v in figures[name].chart["datasets"].values()
            for r in v
            if isinstance(r.get("c1"), list)
        ]
        assert max(len(line["c1"]) for line in lines) < 600


def test_key_numbers_show_a_value_without_limits_beside_others_that_have_them():
    """A model whose scores are all equal has an AUC of 0.5, which its figure's title names."""
    truth = ["yes", "no"] * 20
    scores = [0.1 + 0.02 * k for k in range(40)]
    frame = pl.DataFrame({"truth": truth, "p": scores, "q": [0.4] * 40})
    figure = by_id(charts_results.evaluated(frame, {m: {"score": m} for m in "pq"}))["key_metrics"]

    of_auc = figure.table.filter(Measure="AUC")

    assert of_auc["Model"].to_list() == ["p", "q"]
    assert of_auc["Value"][1] == 0.5
    assert marked(figure, "c1", "c2").count(("AUC", 0.5)) == 1


def test_the_measure_that_decides_is_drawn_first():
    """The differences in MSE decide in the example, and those in MAE stand beside them."""
    figure = by_id(example_results("diabetes"))["differences"]

    titles = [str(panel["title"]) for panel in figure.chart["hconcat"]]
    assert ["MSE" in titles[0], "MAE" in titles[1]] == [True, True]
