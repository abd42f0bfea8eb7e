"""Counts of parts: the same numbers as from all rows, or certain bounds of them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.metrics import METRICS
from reportgen.results.binned.bounds import CROWDED, UNDETERMINED, least_precision
from reportgen.results.binned.forecasts import APPROXIMATE, CONVEX, UNSURE, within
from reportgen.sweeping import sweep
from tests.breadth import breadth
from tests.engine_data import close, numbers, rows, spec, written
from tests.page_text import without_chinese


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "cache"))


@breadth(
    "more",
    [
        {"slices": ["site"]},
        {"threshold": {"maximise": "f1"}, "columns": {"role": "role"}},
        {"costs": {"false_negative": 5, "false_positive": 1}},
        {"intervals": {"proportions": "jeffreys", "ratios": "bootstrap", "auc": "bootstrap"}},
        {"intervals": {"bootstrap": "percentile", "average_precision": "logit"}},
        {"columns": {"weight": "w"}, "slices": ["site"], "bootstrap": {"replicates": 0}},
        {
            "columns": {"weight": "w", "role": "role"},
            "threshold": {"maximise": "f1"},
            "bootstrap": {"replicates": 0},
        },
    ],
    2,
)
def test_few_distinct_scores_give_the_same_results_as_exact(tmp_path, more):
    data = written(rows(2000, digits=2), tmp_path / "p.parquet")

    more = {"bootstrap": {"replicates": 50}, **more}
    exact = evaluate(spec(data, "exact", **more))
    streaming = evaluate(spec(data, **more))

    actual, expected = numbers(streaming), numbers(exact)
    assert actual.keys() == expected.keys()
    for key, row in expected.items():
        for column in ("value", "low", "high", "threshold"):
            assert close(actual[key][column], row[column]), (key, column)
        assert (actual[key]["undefined"], actual[key]["least"]) == (row["undefined"], None)
    assert streaming.curves.keys() == exact.curves.keys()
    # Rows that are counted are not compared, nor slices with what models predict.
    left_out = ("engine", "checks", "identical_rows", "same_outputs")
    left_out += ("slice_levels", "pairs_by_slice")
    reasons = [one["reason"] for one in streaming.skipped if "by slice" in one["what"]]
    assert reasons == (["they need the rows: engine: exact"] if "slices" in more else [])
    assert {k: v for k, v in streaming.data.items() if k not in left_out} == {
        k: v for k, v in exact.data.items() if k not in left_out
    }
    tests = [r.comparisons.select("comparison", "estimate", "p_value") for r in (streaming, exact)]
    mcnemar = pl.col("comparison").str.starts_with("mcnemar")
    weighted = streaming.comparisons.filter(comparison="mcnemar_weighted")
    assert weighted.height == ("weight" in more.get("columns", {}))
    assert weighted["p_value"].null_count() == weighted["undefined"].len()
    counted = mcnemar & (pl.col("comparison") != "mcnemar_weighted")
    assert tests[0].filter(counted).equals(tests[1].filter(counted))
    for name in ("paired_cost", "declared_costs"):
        [actual], [expected] = (t.filter(comparison=name).to_dicts() or [None] for t in tests)
        assert (actual is None) == ("costs" not in more)
        assert actual is None or actual["p_value"] == pytest.approx(expected["p_value"], rel=1e-9)


@pytest.fixture(scope="module", params=[{}, {"columns": {"weight": "w"}}], ids=["", "weighted"])
def both(request, tmp_path_factory):
    """Results of the same rows by the exact engine and by counts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REPORTGEN_CACHE", "")
        data = written(rows(10_000), tmp_path_factory.mktemp("both") / "p.parquet")
        more = {"intervals": {}, **request.param}
        return evaluate(spec(data, "exact", **more)), evaluate(spec(data, **more))


def test_every_number_is_exact_or_within_its_bounds_or_named_as_approximate(both):
    exact, streaming = map(numbers, both)

    bounded = {key: row for key, row in streaming.items() if row["least"] is not None}
    assert {"auc", "average_precision", "pr_auc", "ks_statistic", "expected_total_cost"} <= {
        metric for metric, *_ in bounded
    }
    for key, row in bounded.items():
        assert row["least"] - 1e-12 <= exact[key]["value"] <= row["most"] + 1e-12, key
        assert row["least"] <= row["value"] <= row["most"], key
    for key in streaming.keys() - bounded.keys():
        if key[0] in APPROXIMATE:
            assert streaming[key]["value"] == pytest.approx(exact[key]["value"], rel=5e-3)
        elif key[0] in UNDETERMINED:
            assert streaming[key]["value"] is None
            assert streaming[key]["undefined"] == UNDETERMINED[key[0]]
        else:
            assert close(streaming[key]["value"], exact[key]["value"]), key
    [detail] = [c["detail"] for c in both[1].data["checks"] if c["name"] == "approximate measures"]
    assert all(METRICS[name].label in detail for name in APPROXIMATE)


@breadth("weighted", [False, True], [True])
@breadth("end", ["near 0", "near 1", "at both"], 1)
def test_bounds_hold_where_sums_of_scores_are_rounded(tmp_path, end, weighted):
    random = np.random.default_rng(7)
    tiny = 10.0 ** (-25 * random.random(1000))
    crowded = random.beta(0.05, 0.05, 1000)
    scores = {"near 0": tiny, "near 1": 1 - tiny**0.6, "at both": crowded}[end]
    frame = rows(1000).with_columns(a=pl.Series(scores).clip(1e-30, 1 - 1e-15))
    data = written(frame.with_columns(pl.col("w") + 0.1), tmp_path / "p.parquet")
    more = {"models": {"a": {"score": "a"}}, "columns": {"weight": "w"} if weighted else {}}

    exact, streaming = (numbers(evaluate(spec(data, e, **more))) for e in ("exact", "streaming"))

    for key, row in exact.items():
        if streaming[key]["least"] is not None:
            slack = 1e-9 * max(1, abs(row["value"]))
            assert (
                streaming[key]["least"] - slack <= row["value"] <= streaming[key]["most"] + slack
            ), key
        elif key[0] not in (*APPROXIMATE, *UNDETERMINED):
            assert close(streaming[key]["value"], row["value"]), key


def test_a_number_that_some_order_within_the_cells_leaves_undefined_is_not_told():
    row = {"value": 0.4, "low": None, "high": None, "undefined": None}

    assert within(row, 0.3, 0.5) == {**row, "least": 0.3, "most": 0.5}
    assert within(row, 0.3, None) == {**row, "value": None, "undefined": UNSURE}
    assert within({**row, "value": None}, None, 0.5)["undefined"] == UNSURE


def test_proper_scores_are_known_to_a_millionth(both):
    for key, row in numbers(both[1]).items():
        if key[0] in CONVEX:
            assert row["most"] - row["least"] < 1e-6, key


@breadth(
    ("scores", "positives"),
    [
        ([0.0, 1e-30, 1e-25, 0.3, 0.9], [0, 3]),
        ([1e-300, 1e-30, 0.4, 1 - 2**-53, 1.0], [0, 4]),
        ([0.2, 0.2000001, 0.2000002, 0.7], [2, 3]),
        ([0.2, 0.2000001, 0.2000002, 0.7], [0, 3]),
        ([-3.0, 0.5, 0.5000001, 1e9], [1, 3]),
        ([0.0, 0.5, 0.5, 1.0], [1, 3]),
    ],
    2,
)
def test_what_extreme_scores_leave_undefined_is_undefined_in_cells_too(tmp_path, scores, positives):
    truth = ["ill" if k in positives else "well" for k in range(len(scores))]
    frame = pl.DataFrame({"y": truth, "a": scores}, schema_overrides={"a": pl.Float64})
    data = written(pl.concat([frame] * 5), tmp_path / "p.parquet")
    models = {"a": {"score": "a"}}

    exact, streaming = (
        numbers(evaluate(spec(data, engine, models=models))) for engine in ("exact", "streaming")
    )

    for key, row in exact.items():
        if key[0] not in UNDETERMINED and METRICS[key[0]].on != "masses":  # they take whole cells
            assert (streaming[key]["value"] is None) == (row["value"] is None), key
        if streaming[key]["least"] is not None:
            least, most = streaming[key]["least"], streaming[key]["most"]
            assert least - 1e-12 <= row["value"] <= most + 1e-12, key


@pytest.mark.parametrize("both", [{}], indirect=True)
def test_tests_of_areas_are_never_surer_than_those_of_all_rows(both):
    for expected, actual, width, counted in areas_tested(both):
        assert actual == pytest.approx(expected, abs=2e-4)
        assert 0.9999 * width <= counted <= 1.05 * width


@pytest.mark.parametrize("margin", [None, 0.1])
def test_tests_of_areas_of_few_groups_keep_their_degrees_of_freedom(tmp_path, margin):
    frame = rows(400).with_columns(g=pl.int_range(pl.len()) % 8)
    data = written(frame, tmp_path / "p.parquet")
    more = {"columns": {"group": "g"}, "bootstrap": {"replicates": 0}}
    more |= {"baseline": "b", "comparisons": {"margin": margin}}

    exact, streaming = (
        {
            row["comparison"]: row
            for row in evaluate(spec(data, engine, **more)).comparisons.to_dicts()
        }
        for engine in ("exact", "streaming")
    )

    test = "obuchowski" if margin is None else "equivalence_score"
    assert exact[test]["df"] < 8
    assert any("p is the greatest" in caveat for caveat in streaming[test]["caveats"])
    assert 0.99 < streaming[test]["p_value"] / exact[test]["p_value"] < 1.3


@pytest.mark.parametrize("both", [{"columns": {"weight": "w"}}], indirect=True)
def test_tests_of_weighted_areas_are_nearly_those_of_all_rows(both):
    for expected, actual, width, counted in areas_tested(both):
        assert actual == pytest.approx(expected, abs=2e-4)
        assert counted == pytest.approx(width, rel=2e-3)


def test_page_one_and_gates_have_the_limits_that_hold_what_cells_leave_open(tmp_path):
    near = 0.5 + 0.01 * pl.col("a") + 0.005 * (pl.col("y") == "ill")
    data = written(rows(3000).with_columns(a=near), tmp_path / "p.parquet")
    exact, counted = (
        evaluate(spec(data, engine, gates=["a.auc - b.auc > 0", "a.auc > 0.5"]))
        for engine in ("exact", "streaming")
    )

    of_a = [numbers(r)["auc", "a", None, None, None] for r in (exact, counted)]
    assert of_a[1]["low"] < of_a[0]["low"] - 0.0005
    assert of_a[1]["high"] > of_a[0]["high"] + 0.0005
    limits = [
        r.comparisons.filter(comparison="delong").select("low", "high").row(0)
        for r in (exact, counted)
    ]
    assert limits[1][0] < limits[0][0] - 0.001
    assert limits[1][1] > limits[0][1] + 0.001
    gates = counted.gates.select("low", "high").rows()
    assert sorted(gates) == sorted([limits[1], (of_a[1]["low"], of_a[1]["high"])])


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """Results of a model that is the better one, which its crowded scores do not show in cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REPORTGEN_CACHE", "")
        frame = rows(3000).with_columns(a=0.5 + 1e-5 * (pl.col("y") == "ill") + 1e-5 * pl.col("a"))
        data = written(frame, tmp_path_factory.mktemp("crowded") / "p.parquet")
        more = {"comparisons": {"margin": 0.05}, "threshold": 0.3, "baseline": "b"}
        return evaluate(spec(data, "exact", **more)), evaluate(spec(data, **more))


@pytest.mark.parametrize(
    "test", ["delong", "expected_cost", "equivalence_score", "non_inferiority_score"]
)
def test_no_area_is_compared_whose_cells_hide_how_scores_rank_the_rows(crowded, test):
    [expected], [actual] = (
        r.comparisons.filter(
            pl.col("metric").is_in(["auc", "expected_total_cost"]), comparison=test
        )
        .select("estimate", "p_value", "reject", "better", "undefined")
        .to_dicts()
        for r in crowded
    )

    assert expected["p_value"] is not None
    assert actual.pop("undefined") == CROWDED
    assert set(actual.values()) == {None}


def test_an_area_that_its_cells_hide_has_no_value_and_no_model_leads(crowded):
    exact, counted = (r.metrics.filter(metric="auc").sort("model") for r in crowded)

    assert exact["value"][0] > 0.99
    assert counted.select("value", "low", "least").row(0) == (None, None, None)
    assert counted["undefined"].to_list() == [CROWDED, None]
    assert crowded[0].decision.headline.startswith("a beats b")
    assert crowded[1].decision.leader != "b" or crowded[1].decision.relation != "ahead"
    assert not without_chinese(crowded[1], [CROWDED])


def test_tests_of_areas_that_are_exact_say_that_their_standard_error_is_of_cells(tmp_path):
    apart = pl.when(pl.col("y") == "ill").then(0.5).otherwise(0.0) + pl.col("b") / 2
    frame = rows(3000).with_columns(pl.col("a").round(2), b=apart)

    results = evaluate(spec(written(frame, tmp_path / "p.parquet")))

    assert numbers(results)["auc", "b", None, None, None]["least"] is None
    caveats = results.comparisons.filter(comparison="delong")["caveats"].to_list()
    assert caveats == [
        ["scores were counted in cells, and the standard error is computed from them"]
    ]


@pytest.mark.parametrize(("digits", "tellers"), [(3, 1), (1, 0)])
def test_the_larger_cells_of_a_pair_have_their_standard_error_too(tmp_path, digits, tellers):
    """Of scores of three digits some share a cell of a pair, of one digit none."""
    data = written(rows(1000, digits=digits), tmp_path / "p.parquet")

    exact, counted = (evaluate(spec(data, engine)) for engine in ("exact", "streaming"))

    [expected], [actual] = (
        r.comparisons.filter(comparison="delong").to_dicts() for r in (exact, counted)
    )
    of_cells = "scores were counted in cells, and the standard error is computed from them"
    assert [of_cells] * tellers == [c for c in actual["caveats"] if c == of_cells]
    assert actual["estimate"] == pytest.approx(expected["estimate"], rel=1e-9)
    assert actual["p_value"] == pytest.approx(expected["p_value"], rel=0.02 if tellers else 1e-9)


def areas_tested(both) -> list[tuple[float, float, float, float]]:
    """Of each test of areas the two differences and the widths of their intervals.

    What the cells leave open of either area is not counted: limits are as much farther away.
    """
    result, counted = [], both[1].metrics
    for name, measure in (("delong", "auc"), ("expected_cost", "expected_total_cost")):
        known = counted.filter(metric=measure).select("value", "least", "most").rows()
        off = sum(max(most - value, value - least) for value, least, most in known)
        [expected], [actual] = (r.comparisons.filter(comparison=name).to_dicts() for r in both)
        assert off > 0
        widths = expected["high"] - expected["low"], actual["high"] - actual["low"] - 2 * off
        result.append((expected["estimate"], actual["estimate"], *widths))
    return result


@pytest.mark.parametrize("order", list(permutations([1, 1, 0, 0]))[::5])
def test_average_precision_has_no_order_below_its_least_value(order):
    truth = np.array(order, dtype=bool)
    frame = pl.DataFrame({"truth": truth, "score": np.arange(4)[::-1] / 8 + 0.5})
    worst = sweep(frame.with_columns(score=pl.when("truth").then(0.5).otherwise(0.9)))
    value = sweep(frame).select(METRICS["average_precision"].build()).item()

    assert least_precision(worst, pl.Series([False] * (worst.height - 1))) <= value + 1e-15
