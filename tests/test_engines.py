"""Counts of parts: the same numbers as from all rows, or certain bounds of them."""

from __future__ import annotations

import json
import math
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from reportgen import ReportgenError, evaluate
from reportgen.engines import choice, leaf
from reportgen.engines.partial import Partial, merged
from reportgen.engines.plan import Leaf, Plan
from reportgen.errors import DataError
from reportgen.metrics import METRICS
from reportgen.predictions.files import DataFile, digest
from reportgen.results.binned.bounds import OF_DISTINCT, _least_precision
from reportgen.results.binned.forecasts import APPROXIMATE, CONVEX, UNSURE, within
from reportgen.spec import from_dict
from reportgen.sweeping import sweep

TWO = {"a": {"score": "a"}, "b": {"score": "b", "label": "said"}}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "cache"))


def rows(number: int, seed: int = 0, digits: int | None = None) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.random(number) < 0.3
    noise = random.normal(size=number)
    a = 1 / (1 + np.exp(-(noise + truth - 1)))
    b = 1 / (1 + np.exp(-(noise / 2 + random.normal(size=number) + truth - 1)))
    if digits is not None:
        a, b = a.round(digits), b.round(digits)
    return pl.DataFrame(
        {
            "y": np.where(truth, "ill", "well"),
            "a": a,
            "b": b,
            "said": np.where(b > 0.45, "ill", "well"),
            "site": random.integers(0, 3, number).astype(str),
            "role": random.choice(["test", "validation"], number),
            "w": random.choice([0, 0.25, 1.5, 2], number),
        }
    )


def spec(data, engine="streaming", **more):
    return {
        "data": str(data),
        "truth": "y",
        "positive": "ill",
        "models": TWO,
        "engine": engine,
        "bootstrap": {"replicates": 0},
        **more,
    }


def written(frame: pl.DataFrame, path):
    frame.write_parquet(path)
    return path


def numbers(results) -> dict:
    keys = ("metric", "model", "slice", "class", "average")
    return {tuple(row[k] for k in keys): row for row in results.metrics.to_dicts()}


def close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-11, abs_tol=1e-11)


@pytest.mark.parametrize(
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
)
def test_few_distinct_scores_give_the_same_results_as_exact(tmp_path, more):
    data = written(rows(2000, digits=2), tmp_path / "p.parquet")

    more = {"bootstrap": {"replicates": 50}, **more}
    exact = evaluate(spec(data, "exact", **more))
    found = evaluate(spec(data, **more))

    said, wanted = numbers(found), numbers(exact)
    assert said.keys() == wanted.keys()
    for key, row in wanted.items():
        for column in ("value", "low", "high", "threshold"):
            assert close(said[key][column], row[column]), (key, column)
        assert (said[key]["undefined"], said[key]["least"]) == (row["undefined"], None)
    assert found.curves.keys() == exact.curves.keys()
    left_out = ("engine", "checks", "identical_rows")  # rows that are counted are not compared
    assert {k: v for k, v in found.data.items() if k not in left_out} == {
        k: v for k, v in exact.data.items() if k not in left_out
    }
    tests = [r.comparisons.select("comparison", "estimate", "p_value") for r in (found, exact)]
    mcnemar = pl.col("comparison").str.starts_with("mcnemar")
    assert tests[0].filter(mcnemar).equals(tests[1].filter(mcnemar))
    [said], [wanted] = (t.filter(comparison="paired_cost").to_dicts() or [None] for t in tests)
    assert (said is None) == ("costs" not in more)
    assert said is None or said["p_value"] == pytest.approx(wanted["p_value"], rel=1e-9)


@pytest.fixture(scope="module", params=[{}, {"columns": {"weight": "w"}}], ids=["", "weighted"])
def both(request, tmp_path_factory):
    """Results of the same rows by the exact engine and by counts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REPORTGEN_CACHE", "")
        data = written(rows(10_000), tmp_path_factory.mktemp("both") / "p.parquet")
        return evaluate(spec(data, "exact", **request.param)), evaluate(spec(data, **request.param))


def test_every_number_is_exact_or_within_its_bounds_or_named_as_approximate(both):
    exact, found = map(numbers, both)

    bounded = {key: row for key, row in found.items() if row["least"] is not None}
    assert {"auc", "average_precision", "pr_auc", "ks_statistic", "expected_total_cost"} <= {
        metric for metric, *_ in bounded
    }
    for key, row in bounded.items():
        assert row["least"] - 1e-12 <= exact[key]["value"] <= row["most"] + 1e-12, key
        assert row["least"] <= row["value"] <= row["most"], key
    for key in found.keys() - bounded.keys():
        if key[0] in APPROXIMATE:
            assert found[key]["value"] == pytest.approx(exact[key]["value"], rel=5e-3)
        elif key[0] in OF_DISTINCT:
            assert "distinct forecasts are not known" in found[key]["undefined"]
        else:
            assert close(found[key]["value"], exact[key]["value"]), key
    [told] = [c["detail"] for c in both[1].data["checks"] if c["name"] == "approximate measures"]
    assert all(METRICS[name].label in told for name in APPROXIMATE)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("end", ["near 0", "near 1", "at both"])
def test_bounds_hold_where_sums_of_scores_are_rounded(tmp_path, end, weighted):
    random = np.random.default_rng(7)
    tiny = 10.0 ** (-25 * random.random(1000))
    crowded = random.beta(0.05, 0.05, 1000)
    scores = {"near 0": tiny, "near 1": 1 - tiny**0.6, "at both": crowded}[end]
    frame = rows(1000).with_columns(a=pl.Series(scores).clip(1e-30, 1 - 1e-15))
    data = written(frame.with_columns(pl.col("w") + 0.1), tmp_path / "p.parquet")
    more = {"models": {"a": {"score": "a"}}, "columns": {"weight": "w"} if weighted else {}}

    exact, found = (numbers(evaluate(spec(data, e, **more))) for e in ("exact", "streaming"))

    for key, row in exact.items():
        if found[key]["least"] is not None:
            slack = 1e-9 * max(1, abs(row["value"]))
            assert found[key]["least"] - slack <= row["value"] <= found[key]["most"] + slack, key
        elif key[0] not in (*APPROXIMATE, *OF_DISTINCT):
            assert close(found[key]["value"], row["value"]), key


def test_a_number_that_some_order_within_the_cells_leaves_undefined_is_not_told():
    row = {"value": 0.4, "low": None, "high": None, "undefined": None}

    assert within(row, 0.3, 0.5) == {**row, "least": 0.3, "most": 0.5}
    assert within(row, 0.3, None) == {**row, "value": None, "undefined": UNSURE}
    assert within({**row, "value": None}, None, 0.5)["undefined"] == UNSURE


def test_proper_scores_are_known_to_a_millionth(both):
    for key, row in numbers(both[1]).items():
        if key[0] in CONVEX:
            assert row["most"] - row["least"] < 1e-6, key


@pytest.mark.parametrize(
    ("scores", "positives"),
    [
        ([0.0, 1e-30, 1e-25, 0.3, 0.9], [0, 3]),
        ([1e-300, 1e-30, 0.4, 1 - 2**-53, 1.0], [0, 4]),
        ([0.2, 0.2000001, 0.2000002, 0.7], [2, 3]),
        ([0.2, 0.2000001, 0.2000002, 0.7], [0, 3]),
        ([-3.0, 0.5, 0.5000001, 1e9], [1, 3]),
        ([0.0, 0.5, 0.5, 1.0], [1, 3]),
    ],
)
def test_what_extreme_scores_leave_undefined_is_undefined_in_cells_too(tmp_path, scores, positives):
    truth = ["ill" if k in positives else "well" for k in range(len(scores))]
    frame = pl.DataFrame({"y": truth, "a": scores}, schema_overrides={"a": pl.Float64})
    data = written(pl.concat([frame] * 5), tmp_path / "p.parquet")
    models = {"a": {"score": "a"}}

    exact, found = (
        numbers(evaluate(spec(data, engine, models=models))) for engine in ("exact", "streaming")
    )

    for key, row in exact.items():
        if key[0] not in OF_DISTINCT and METRICS[key[0]].on != "masses":  # they take whole cells
            assert (found[key]["value"] is None) == (row["value"] is None), key
        if found[key]["least"] is not None:
            least, most = found[key]["least"], found[key]["most"]
            assert least - 1e-12 <= row["value"] <= most + 1e-12, key


@pytest.mark.parametrize("both", [{}], indirect=True)
def test_tests_of_areas_are_never_surer_than_those_of_all_rows(both):
    for wanted, said, width, counted in areas_tested(both):
        assert said == pytest.approx(wanted, abs=2e-4)
        assert 0.9999 * width <= counted <= 1.05 * width


@pytest.mark.parametrize("both", [{"columns": {"weight": "w"}}], indirect=True)
def test_tests_of_weighted_areas_are_nearly_those_of_all_rows(both):
    for wanted, said, width, counted in areas_tested(both):
        assert said == pytest.approx(wanted, abs=2e-4)
        assert counted == pytest.approx(width, rel=2e-3)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """Results of a model that is the better one, which its crowded scores do not show in cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REPORTGEN_CACHE", "")
        frame = rows(3000).with_columns(a=0.5 + 1e-5 * (pl.col("y") == "ill") + 1e-5 * pl.col("a"))
        data = written(frame, tmp_path_factory.mktemp("crowded") / "p.parquet")
        more = {"comparisons": {"margin": 0.05}, "threshold": 0.3}
        return evaluate(spec(data, "exact", **more)), evaluate(spec(data, **more))


@pytest.mark.parametrize("test", ["delong", "expected_cost", "equivalence", "non_inferiority"])
def test_no_model_is_called_better_where_the_bounds_leave_it_open(crowded, test):
    [wanted], [said] = (
        r.comparisons.filter(
            pl.col("metric").is_in(["auc", "expected_total_cost"]), comparison=test
        )
        .select("estimate", "p_value", "reject", "better", "caveats")
        .to_dicts()
        for r in crowded
    )

    assert wanted["estimate"] * said["estimate"] < 0
    assert said["p_value"] > 0.99
    assert (said["reject"], said["better"]) == (False, None)
    assert any("p is the greatest that this leaves" in caveat for caveat in said["caveats"])


def test_tests_of_areas_that_are_exact_say_that_their_standard_error_is_of_cells(tmp_path):
    apart = pl.when(pl.col("y") == "ill").then(0.5).otherwise(0.0) + pl.col("b") / 2
    frame = rows(3000).with_columns(pl.col("a").round(2), b=apart)

    found = evaluate(spec(written(frame, tmp_path / "p.parquet")))

    assert numbers(found)["auc", "b", None, None, None]["least"] is None
    told = found.comparisons.filter(comparison="delong")["caveats"].to_list()
    assert told == [["scores were counted in cells: its standard error is theirs"]]


def areas_tested(both) -> list[tuple[float, float, float, float]]:
    """Of each test of areas the two differences and the widths of their intervals."""
    found = []
    for name in ("delong", "expected_cost"):
        [wanted], [said] = (r.comparisons.filter(comparison=name).to_dicts() for r in both)
        widths = (row["high"] - row["low"] for row in (wanted, said))
        found.append((wanted["estimate"], said["estimate"], *widths))
    return found


@pytest.mark.parametrize("order", list(permutations([1, 1, 0, 0]))[::5])
def test_average_precision_has_no_order_below_its_least_value(order):
    truth = np.array(order, dtype=bool)
    frame = pl.DataFrame({"truth": truth, "score": np.arange(4)[::-1] / 8 + 0.5})
    worst = sweep(frame.with_columns(score=pl.when("truth").then(0.5).otherwise(0.9)))
    value = sweep(frame).select(METRICS["average_precision"].build()).item()

    assert _least_precision(worst, pl.Series([False] * (worst.height - 1))) <= value + 1e-15


def test_parts_in_any_order_add_up_to_the_same_counts(tmp_path):
    frame = rows(900).with_columns(w=pl.col("w") / 3 + 0.1)
    weighted = spec("x", slices=["site"], columns={"weight": "w", "fold": "role"})
    plan = Plan(from_dict(weighted), (0.5, 0.5))
    parts = []
    for number, first in enumerate((0, 300, 600)):
        path = written(frame.slice(first, 300), tmp_path / f"{number}.parquet")
        parts.append(leaf.count(Leaf(DataFile(path.name, path, "parquet"), ""), plan))
    path = written(frame, tmp_path / "all.parquet")
    whole = leaf.count(Leaf(DataFile("all", path, "parquet"), ""), plan)

    one, other = merged(parts), merged([merged(parts[1:]), parts[0]])
    assert one.facts == other.facts
    for name, table in whole.tables.items():
        assert one.tables[name].equals(table), name
        assert other.tables[name].equals(table), name


def test_a_second_run_only_adds_up_and_a_changed_file_is_counted_alone(tmp_path):
    for number in range(3):
        written(rows(200, seed=number), tmp_path / f"{number}.parquet")
    pattern = spec(tmp_path / "*.parquet")

    told = []
    first, second = evaluate(pattern), evaluate(pattern, say=told.append)
    assert told[0] == "3 of 3 parts of the data are counted already"
    written(rows(250, seed=9), tmp_path / "1.parquet")
    third = evaluate(pattern)

    assert [r.data["engine"]["counted"] for r in (first, second, third)] == [3, 0, 1]
    assert first.metrics.equals(second.metrics)
    assert third.data["rows"] == 650


def test_a_file_is_cut_into_leaves_that_give_the_same_numbers(tmp_path, monkeypatch):
    data = written(rows(1000), tmp_path / "p.parquet")
    whole = evaluate(spec(data, slices=["site"]))
    monkeypatch.setattr("reportgen.engines.plan.LEAF_ROWS", 300)
    monkeypatch.setattr(leaf, "BATCH", 100)

    found = evaluate(spec(data, slices=["site"]))

    assert found.data["engine"]["leaves"] == 4
    assert found.metrics.equals(whole.metrics)


@pytest.mark.parametrize("ending", ["csv", "ndjson", "ipc"])
def test_every_format_can_be_counted(tmp_path, ending):
    frame = rows(300)
    plan = Plan(from_dict(spec("x", slices=["site"])), (0.5, 0.5))
    paths = {"parquet": tmp_path / "p.parquet", ending: tmp_path / f"p.{ending}"}
    for kind, path in paths.items():
        getattr(frame, f"write_{kind}")(path)

    one, other = (leaf.count(Leaf(DataFile("p", p, kind), ""), plan) for kind, p in paths.items())

    assert one.facts == other.facts
    assert all(other.tables[name].equals(table) for name, table in one.tables.items())


def test_damaged_counts_are_counted_again(tmp_path):
    data = written(rows(200), tmp_path / "p.parquet")
    first = evaluate(spec(data))
    [kept] = (tmp_path / "cache").rglob("*.counts")
    kept.write_bytes(kept.read_bytes()[:-40])

    again = evaluate(spec(data))

    assert again.data["engine"]["counted"] == 1
    assert again.metrics.equals(first.metrics)
    assert Partial.from_bytes(kept.read_bytes()).facts["rows"] == 200


def test_a_fault_names_its_file_column_and_row(tmp_path, monkeypatch):
    monkeypatch.setattr(leaf, "BATCH", 100)
    written(rows(200), tmp_path / "0.parquet")
    frame = rows(200).with_columns(
        a=pl.when(pl.int_range(pl.len()) == 149).then(None).otherwise("a")
    )
    written(frame, tmp_path / "1.parquet")
    (tmp_path / "2.parquet").write_bytes(b"PAR1 no more")

    with pytest.raises(DataError) as caught:
        evaluate(spec(tmp_path / "[01].parquet"))
    with pytest.raises(DataError, match=r"2\.parquet"):
        evaluate(spec(tmp_path / "2.parquet"))

    [problem] = caught.value.problems
    assert problem.place.endswith("1.parquet, column 'a', row 150")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (pl.lit("maybe").alias("said"), "unknown-label"),
        (pl.Series("y", ["ill", "well", "so", "so"] * 50), "many-labels"),
    ],
)
def test_labels_that_cannot_be_told_apart_are_refused(tmp_path, change, code):
    data = written(rows(200).with_columns(change), tmp_path / "p.parquet")

    with pytest.raises(ReportgenError) as caught:
        evaluate(spec(data))

    assert caught.value.problems[0].code == code


@pytest.mark.parametrize("together", [True, False])
def test_labels_of_several_classes_are_sent_to_the_exact_engine(tmp_path, together):
    for number, labels in enumerate((["a", "b", "c"],) if together else (["a", "b"], ["c", "b"])):
        frame = pl.DataFrame({"y": labels, "said": labels})
        written(frame, tmp_path / f"{number}.parquet")

    with pytest.raises(DataError, match="3 labels in the truth") as caught:
        evaluate(spec(tmp_path / "*.parquet", positive=None, models={"m": {"label": "said"}}))

    assert "engine: exact" in caught.value.problems[0].help


def test_an_unknown_label_is_found_where_it_is(tmp_path):
    for number in range(3):
        written(rows(200, seed=number), tmp_path / f"{number}.parquet")
    strange = pl.when(pl.int_range(pl.len()) == 42).then(pl.lit("so")).otherwise("said")
    written(rows(200).with_columns(said=strange), tmp_path / "1.parquet")

    with pytest.raises(DataError, match="unknown label: 'so'") as caught:
        evaluate(spec(tmp_path / "*.parquet"))

    assert caught.value.problems[0].place.endswith("1.parquet, column 'said', row 43")


FITS = [
    {"fold": "site"},
    {"dataset": "site"},
    {"role": "role"},
    {"role": "trained"},
    {"fold": "site", "role": "trained"},
    {"fold": "site", "id": "id"},
    {"fold": "site", "role": "trained", "id": "id"},
    {"fold": "site", "role": "trained", "weight": "w"},
]


@pytest.mark.parametrize("columns", FITS, ids=lambda c: "_".join(f"{k}_{v}" for k, v in c.items()))
def test_the_parts_of_an_evaluation_are_those_of_rows(tmp_path, columns):
    frame = (
        rows(900, digits=2)
        .with_row_index("id")
        .with_columns(
            trained=pl.Series(["test", "train", "train", "validation"] * 225), rule="said"
        )
    )
    data = written(frame, tmp_path / "p.parquet")
    models = {**TWO, "c": {"label": "rule"}}
    more = {"columns": columns, "models": models, "comparisons": {"margin": 0.1}}

    exact, found = (evaluate(spec(data, engine, **more)) for engine in ("exact", "streaming"))

    assert found.data["evaluation"] == exact.data["evaluation"]
    assert found.data["folds"] == exact.data["folds"]
    assert (found.generalisation.height > 0) == (columns != {"role": "role"})
    assert_frame_equal(found.folds, exact.folds, rel_tol=1e-11)
    means = [r.metrics.filter(average="folds") for r in (found, exact)]
    assert_frame_equal(*means, rel_tol=1e-9)
    assert_frame_equal(found.generalisation, exact.generalisation, rel_tol=1e-9)
    asked = ["comparison", "models", "metric", "standing", "undefined"]
    assert found.comparisons.select(asked).equals(exact.comparisons.select(asked))


def test_weighted_rows_are_not_drawn_from_counts_and_it_is_said(tmp_path):
    data = written(rows(400), tmp_path / "p.parquet")

    found = evaluate(spec(data, columns={"weight": "w"}, bootstrap={"replicates": 50}))

    assert [s["reason"] for s in found.skipped if "resampling" in s["what"]] == [
        "rows are weighted, and counts do not tell them apart"
    ]


def test_groups_are_left_to_the_exact_engine(tmp_path):
    data = written(rows(400, digits=1), tmp_path / "p.parquet")

    with pytest.raises(ReportgenError, match="dependence of the rows of a group"):
        evaluate(spec(data, columns={"group": "site"}, bootstrap={"replicates": 0}))


def test_means_over_folds_are_as_far_off_as_the_area_of_any_fold(tmp_path):
    data = written(rows(3000), tmp_path / "p.parquet")

    exact, found = (
        numbers(evaluate(spec(data, engine, columns={"fold": "site"})))
        for engine in ("exact", "streaming")
    )

    for model in TWO:
        key = ("auc", model, None, None, "folds")
        assert found[key]["least"] <= exact[key]["value"] <= found[key]["most"]


def test_tests_over_areas_of_folds_say_how_far_off_these_may_be(tmp_path):
    frame = rows(3000).with_columns(pl.col("a").round(2), c=1 - pl.col("a").round(1))
    data = written(frame, tmp_path / "p.parquet")
    third = {**TWO, "c": {"score": "c"}}

    found = evaluate(spec(data, models=third, columns={"fold": "site"}))

    of_areas = found.comparisons.filter(metric="auc").to_dicts()
    assert {"delong", "paired_t_folds", "corrected_resampled_t"} <= {
        t["comparison"] for t in of_areas
    }
    for test in of_areas:
        told = [caveat for caveat in test["caveats"] if "counted in cells" in caveat]
        assert len(told) == ("b" in test["models"]), test["comparison"]


def test_the_mean_area_of_folds_has_no_bound_above_1_and_none_where_it_is_exact(tmp_path):
    frame = rows(3000).with_columns(a=pl.col("a").round(2))
    row, ill = pl.int_range(pl.len()), (pl.col("y") == "ill").cast(pl.Float64)
    near = frame.with_columns(b=pl.when(row < 30).then(0.5 + row * 1e-9).otherwise(ill))
    data = written(near, tmp_path / "p.parquet")

    found = numbers(evaluate(spec(data, columns={"fold": "site"})))

    assert found["auc", "a", None, None, "folds"]["least"] is None
    assert found["auc", "b", None, None, "folds"]["most"] == 1.0


def test_too_many_parts_of_an_evaluation_are_refused(tmp_path, monkeypatch):
    for module in ("tallies", "plan"):
        monkeypatch.setattr(f"reportgen.engines.{module}.MOST_FITS", 2)
    data = written(rows(100), tmp_path / "p.parquet")

    with pytest.raises(DataError, match="more than 500 parts by fold"):
        evaluate(spec(data, columns={"fold": "site"}))


@pytest.mark.parametrize(
    ("weight", "told"),
    [(1e-9, "from 9.54e-07 to 65,536"), (1e6, "from 9.54e-07 to 65,536"), (0, "all weights are 0")],
)
def test_weights_that_cannot_be_added_up_are_refused(tmp_path, weight, told):
    data = written(rows(100).with_columns(w=pl.lit(weight, pl.Float64)), tmp_path / "p.parquet")

    with pytest.raises(DataError, match=told) as caught:
        evaluate(spec(data, columns={"weight": "w"}))

    assert ("column 'w', rows 1, 2" in caught.value.problems[0].place) == (weight != 0)


def test_what_needs_the_rows_is_left_to_the_exact_engine(tmp_path):
    data = written(rows(100), tmp_path / "p.parquet")

    with pytest.raises(ReportgenError, match="only the exact engine"):
        evaluate(spec(data, columns={"repeat": "site"}))


def test_auto_counts_what_cannot_be_sorted_in_memory_and_says_so(tmp_path, monkeypatch):
    data = written(rows(300), tmp_path / "p.parquet")

    assert evaluate(spec(data, "auto")).data["engine"]["name"] == "exact"

    monkeypatch.setattr(choice, "SHARE", 0.0)
    made = evaluate(spec(data, "auto")).data["engine"]
    assert made["name"] == "streaming"
    assert "GB of memory" in made["why"]


def test_ids_in_order_are_known_to_occur_once(tmp_path):
    frame = rows(100).with_row_index("id")
    data = written(frame, tmp_path / "p.parquet")
    mixed = written(frame.reverse(), tmp_path / "q.parquet")

    def told(path):
        checks = evaluate(spec(path, columns={"id": "id"})).data["checks"]
        return next(c["detail"] for c in checks if c["name"] == "ids")

    assert told(data) == "no example twice"
    assert "not looked for" in told(mixed)


def test_the_counts_hold_no_rows(tmp_path):
    data = written(rows(3000), tmp_path / "p.parquet")
    file = DataFile("p", data, "parquet")

    found = leaf.count(Leaf(file, digest(data)), Plan(from_dict(spec("x")), (0.5, 0.5)))

    assert json.loads(json.dumps(found.facts)) == found.facts
    assert found.tables["decisions"].height <= 2 * 4 * 2
