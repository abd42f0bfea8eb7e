"""What counts where positives are rare: the top of the list, predictive values at a prevalence."""

from __future__ import annotations

import json
from itertools import groupby, permutations

import numpy as np
import polars as pl
import pytest

from reportgen.charts import figures
from reportgen.concluding.model_values import on_all_rows
from reportgen.concluding.opposed_list import top_of_the_list
from reportgen.concluding.result_caveats import clear_difference
from reportgen.curves import predictive_values, score_distribution, top_of_list
from reportgen.errors import SpecError
from reportgen.metrics import METRICS
from reportgen.records.model import Results
from reportgen.results import evaluate
from reportgen.sections.discrimination import Discrimination
from reportgen.sections.key_numbers import chosen
from reportgen.sections.models_by_rank import models_table
from reportgen.spec import from_dict
from reportgen.sweeping import sweep
from tests.page_text import page_text
from tests.quick import QUICK


def scored(size: int = 4_000, share: float = 0.02, decimals: int = 3) -> pl.DataFrame:
    random = np.random.default_rng(5)
    truth = random.random(size) < share
    score = np.clip(random.beta(1, 30, size) + 0.1 * truth, 0, 1).round(decimals)
    return pl.DataFrame({"truth": truth, "score": score, "weight": random.random(size)})


def results_of(folder, frame: pl.DataFrame, **more: object) -> Results:
    frame.write_parquet(folder / "rows.parquet")
    spec = {
        "data": "rows.parquet",
        "truth": "truth",
        "positive": "true",
        "models": {"m": {"score": "score"}},
        "threshold": 0.1,
        **QUICK,
        **more,
    }
    return evaluate(from_dict(spec, folder))


def test_ties_count_as_a_random_order_of_them_would_on_average():
    """Every order of the six rows is gone through."""
    truth, score = [True, False, True, False, False, True], [0.9, 0.5, 0.5, 0.5, 0.5, 0.1]
    shares = [1 / 6, 0.5, 4 / 6, 1.0]
    table = top_of_list(sweep(pl.DataFrame({"truth": truth, "score": score})), shares=shares)
    orders = [sorted(p, key=lambda i: -score[i]) for p in permutations(range(6))]
    expected = [
        np.mean([sum(truth[i] for i in order[:count]) for order in orders])
        for count in (1, 3, 4, 6)
    ]

    assert table["rows"].to_list() == pytest.approx([1, 3, 4, 6])
    assert table["recall"].to_list() == pytest.approx([hits / 3 for hits in expected])
    assert table["tied"].to_list() == [0, 4, 4, 0]
    assert table["threshold"].to_list() == [0.9, 0.5, 0.5, 0.1]


@pytest.mark.parametrize("weight", [None, "weight"])
def test_the_top_tenth_is_that_of_the_measures(weight):
    """Those have values of outside programs."""
    frame = scored().select("truth", "score", *([weight] if weight else []))
    steps = sweep(frame, weight=weight)
    tenth = top_of_list(steps).filter(pl.col("share") == 0.1).row(0, named=True)

    for name in ("precision", "recall", "lift"):
        whole = steps.select(METRICS[f"{name}_at_10_percent"].expression()).item()
        assert tenth[name] == pytest.approx(whole, rel=1e-12)


def test_a_share_of_less_than_one_row_is_left_out():
    assert top_of_list(sweep(scored(500)))["share"].to_list() == [0.01, 0.05, 0.1]


def test_without_positives_there_is_precision_alone():
    frame = scored(100).with_columns(truth=pl.lit(value=False))
    row = top_of_list(sweep(frame)).row(0, named=True)
    assert (row["precision"], row["recall"], row["lift"]) == (0, None, None)


def values_of(folder, counts: dict[str, int], prevalence: float) -> dict[str, float | None]:
    """Predictive values of a model with these counts."""
    cells = {"tp": (True, 0.9), "fn": (True, 0.1), "fp": (False, 0.9), "tn": (False, 0.1)}
    rows = [cells[name] for name, count in counts.items() for _ in range(count)]
    frame = pl.DataFrame(rows, schema=["truth", "score"], orient="row")
    results = results_of(folder, frame, threshold=0.5)
    return predictive_values(results.metrics, prevalence).row(0, named=True)


def test_predictive_values_are_those_of_the_textbook(tmp_path):
    """Sensitivity and specificity of 90 % at 1 in 100: of 108 in 1,000 called, 9 are positive."""
    counts = {"tp": 90, "fn": 10, "fp": 100, "tn": 900}
    row = values_of(tmp_path, counts, 0.01)

    assert row["positive"] == pytest.approx(9 / 108)
    assert row["negative"] == pytest.approx(891 / 892)
    assert row["positive_low"] < row["positive"] < row["positive_high"]
    assert row["negative_low"] < row["negative"] < row["negative_high"]


def test_a_positive_predictive_value_of_1_has_a_lower_limit(tmp_path):
    """No false positive in 20 negatives: up to 0.13 may be, and recall as low as 0.55."""
    row = values_of(tmp_path, {"tp": 8, "fn": 2, "tn": 20}, 0.02)

    assert row["positive"] == row["positive_high"] == 1
    assert 0.05 < row["positive_low"] < 0.2


def test_a_negative_predictive_value_of_0_has_an_upper_limit(tmp_path):
    row = values_of(tmp_path, {"tp": 8, "fn": 2, "fp": 20}, 0.5)

    assert row["negative"] == row["negative_low"] == 0
    assert 0 < row["negative_high"] < 1
    assert row["positive_low"] < row["positive"] < row["positive_high"]


def test_at_the_prevalence_of_the_rows_they_are_precision_and_its_like(tmp_path):
    counts = {"tp": 9, "fn": 3, "fp": 5, "tn": 83}
    row = values_of(tmp_path, counts, 0.12)

    assert row["positive"] == pytest.approx(9 / 14)
    assert row["negative"] == pytest.approx(83 / 86)


def test_nothing_predicted_positive_has_no_predictive_value(tmp_path):
    row = values_of(tmp_path, {"fn": 3, "tn": 20}, 0.1)
    assert row["positive"] is None
    assert row["negative"] == pytest.approx(0.9)


def test_rare_positives_have_a_table_of_the_top_and_others_none(tmp_path):
    for share, shown in ((0.02, True), (0.3, False)):
        results = results_of(tmp_path, scored(share=share))
        section = Discrimination.from_results(results, [])
        assert section is not None
        assert ("top_of_list" in {table.id for table in section.top}) is shown


@pytest.mark.slow
def test_a_stated_prevalence_is_in_the_page_and_in_the_results(tmp_path):
    results = results_of(tmp_path, scored(), prevalence=0.0005, sections=["decisions"])
    page = page_text(results)

    assert "Predictive values where 0.05\u00a0% of the rows are positive" in page
    again = Results.from_json(results.to_json())
    assert again.curves["predictive_values"].equals(results.curves["predictive_values"])


def test_a_prevalence_is_of_two_classes(tmp_path):
    spec = {
        "data": "rows.parquet",
        "truth": "y",
        "models": {"m": {"estimate": "e"}},
        "prevalence": 0.1,
    }
    with pytest.raises(SpecError, match="prevalence is for two classes"):
        from_dict(spec, tmp_path)


@pytest.mark.parametrize("crowded", [True, False])
def test_bins_follow_scores_that_are_crowded_near_0(crowded):
    random = np.random.default_rng(8)
    score = random.beta(1, 200 if crowded else 3, 5_000)
    score[:3] = 0.0
    frame = pl.DataFrame({"truth": random.random(5_000) < 0.1, "score": score})
    bins = score_distribution(sweep(frame)).filter(truth="negative")
    low, high, count = (bins[name].to_numpy() for name in ("low", "high", "count"))
    negative = frame.filter(~pl.col("truth"))["score"].to_numpy()
    ends = list(zip(low, high, strict=True))

    if crowded:
        assert high / low == pytest.approx(high[0] / low[0])
        assert count[0] < 0.1 * count.sum()
    else:
        assert high - low == pytest.approx(1 / 40)
    assert high[-1] == 1
    assert count.sum() == len(negative)
    assert count[0] == (negative < high[0]).sum()
    assert list(count[1:-1]) == [((negative >= a) & (negative < b)).sum() for a, b in ends[1:-1]]


@pytest.mark.parametrize(("power", "scale"), [(2, "log"), (0.2, None)])
def test_the_axis_of_crowded_scores_is_logarithmic_and_says_so(tmp_path, power, scale):
    frame = scored().with_columns(pl.col("score") ** power)
    [figure] = [
        one for one in figures(results_of(tmp_path, frame)) if one.id == "score_distribution_0"
    ]
    [axis] = [
        layer["encoding"]["x"]
        for layer in figure.chart["layer"]
        if layer["encoding"].get("x", {}).get("title")
    ]

    assert axis["scale"].get("type") == scale
    assert ("log" in axis["title"]) is bool(scale)
    assert ("all lower scores" in figure.subtitle) is bool(scale)


@pytest.mark.parametrize("crowded", [True, False])
def test_a_reliability_diagram_has_bins_and_axes_that_follow_crowded_forecasts(tmp_path, crowded):
    """Bins of equal width hold nearly all rows in the first one, and show nothing."""
    frame = scored().with_columns(pl.col("score") ** (2 if crowded else 0.2))
    results = results_of(tmp_path, frame)
    bins = results.curves["calibration"]
    [figure] = [one for one in figures(results) if one.id == "calibration"]
    drawing = json.dumps(figure.chart)

    assert bins["count"].sum() == frame.height
    for low, high, count in bins.select("low", "high", "count").iter_rows():
        within = pl.col("score").is_between(low, high, closed="both" if high == 1 else "left")
        assert frame.filter(within).height == count
    assert (bins["count"].max() < 0.5 * frame.height) or not crowded
    assert ('"log"' in drawing) is crowded
    assert ("Log scales" in figure.subtitle) is crowded


def test_the_threshold_has_the_axis_of_crowded_scores(tmp_path):
    results = results_of(tmp_path, scored().with_columns(pl.col("score") ** 2))
    [figure] = [one for one in figures(results) if one.id == "threshold"]
    axes = [panel["encoding"]["x"] for panel in figure.chart["concat"]]
    assert {axis["scale"]["type"] for axis in axes} == {"log"}
    assert axes[-1]["title"] == "Threshold, log scale"


def test_of_rare_positives_the_ranking_is_read_first(tmp_path):
    frame = scored().with_columns(other=pl.col("score").shuffle(seed=1))
    models = {"m": {"score": "score"}, "n": {"score": "other"}}
    for share, rare in ((1.0, True), (0.02, False)):
        keep = pl.col("truth") | (pl.int_range(pl.len()) < share * pl.len())
        results = results_of(tmp_path, frame.filter(keep), models=models)
        names = [name for name, _ in chosen(results)]
        order = [one.id for one in figures(results) if one.id in ("roc", "precision_recall")]
        heads = [column.key for column in models_table(results).columns]

        assert (names[0] == "average_precision") is rare
        assert (names.index("accuracy") > names.index("recall")) is rare
        assert (order == ["precision_recall", "roc"]) is rare
        assert (heads[1] == "precision") is rare
        groups = [METRICS[name].group for name in names]
        assert len([g for g, _ in groupby(groups)]) == len(set(groups))


def test_the_best_of_five_other_lists_is_better_by_limits_that_hold_for_all_of_them():
    """Limits of one difference are above 0; those of the best of five are not."""
    random = np.random.default_rng(3)
    truth = random.random(1500) < 0.04
    scores = {"a": random.normal(size=1500) + 1.2 * truth}
    for name in "bcdef":
        ordinary = random.normal(size=1500) + 1.2 * truth
        scores[name] = ordinary + 1.6 * (truth & (random.random(1500) < 0.18))
    models = {name: {"score": name} for name in scores}
    spec = {"truth": "y", "models": models, **QUICK}
    results = evaluate(spec, pl.DataFrame({"y": truth.astype(int), **scores}))
    values = on_all_rows(results.metrics, "average_precision")
    best = max(values, key=lambda name: values[name].value)

    assert clear_difference(results, "average_precision", best, "a") is not None
    assert top_of_the_list(results, "a") is None
