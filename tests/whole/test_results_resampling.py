"""What is resampled, and how: rows, classes that keep their sizes, whole groups."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.errors import SpecError
from reportgen.metric_names import joined
from reportgen.results import evaluate
from reportgen.spec import from_dict
from tests.breadth import breadth

SCORES = {"a": "s0", "b": "s1", "c": "s2"}
SPECS = {
    "binary": {"truth": "t0", "models": {"m": {"score": "s0"}}},
    "multiclass": {"truth": "of", "models": {"m": {"scores": SCORES}}},
    "multilabel": {
        "truth": {"a": "t0", "b": "t1", "c": "t2"},
        "models": {"m": {"scores": SCORES}},
        "threshold": 0.3,
    },
    "regression": {"truth": "number", "models": {"m": {"estimate": "s0"}}},
}
CORE = {
    "binary": ("accuracy", "auc", "f1", "log_loss"),
    "multiclass": ("accuracy", "mcc", "log_loss", "macro_f1"),
    "multilabel": ("subset_accuracy", "hamming_loss", "macro_f1"),
    "regression": ("mean_absolute_error", "r2"),
}


def rows(size: int = 80) -> pl.DataFrame:
    random = np.random.default_rng(5)
    scores = random.dirichlet([1, 1, 1], size)
    of = np.where(random.random(size) < 0.6, scores.argmax(axis=1), random.integers(0, 3, size))
    return pl.DataFrame(
        {
            "of": np.array(["a", "b", "c"])[of],
            "number": scores[:, 0] + random.normal(0, 0.2, size),
            **{f"t{k}": (of == k).astype(int) for k in range(3)},
            **{f"s{k}": scores[:, k] for k in range(3)},
            "patient": np.arange(size),
            "site": np.where(np.arange(size) % 2, "x", "y"),
        }
    )


def limits(task: str, frame: pl.DataFrame, **given) -> dict[str, dict]:
    metrics = evaluate({"data": "d.csv", **SPECS[task], **given}, frame).metrics
    whole = metrics.filter(pl.all_horizontal(pl.col("slice", "class").is_null())).to_dicts()
    return {joined(row["metric"], row["average"]): row for row in whole}


GROUPS = {"columns": {"group": "patient"}}


@breadth("task", SPECS, 2)
def test_a_group_of_five_like_rows_says_no_more_than_one_of_two(task):
    frame = rows()
    two = limits(task, pl.concat([frame] * 2), **GROUPS)
    five = limits(task, pl.concat([frame] * 5), **GROUPS)
    taken_apart = limits(task, pl.concat([frame] * 5))

    for name in CORE[task]:
        width = five[name]["high"] - five[name]["low"]
        assert width == pytest.approx(two[name]["high"] - two[name]["low"], rel=0.01)
        assert width > 1.8 * (taken_apart[name]["high"] - taken_apart[name]["low"])


@pytest.mark.parametrize("task", SPECS)
def test_every_interval_allows_for_groups_that_of_slices_and_classes_too(task):
    frame = pl.concat([rows(60)] * 3)
    more = {"slices": ["site"], "measures": "all", "bootstrap": {"replicates": 20}}
    metrics = evaluate({"data": "d.csv", **SPECS[task], **GROUPS, **more}, frame).metrics.filter(
        pl.col("interval").is_not_null()
    )
    of_parts = metrics.filter(pl.col("slice").is_not_null() | pl.col("class").is_not_null())

    assert metrics["interval"].str.contains(r"\(groups\)$|optimism$").all()
    assert of_parts["interval"].str.ends_with("(groups)").all()
    assert set(CORE[task]) - {"macro_f1", "mcc"} <= set(metrics.filter(slice="site = x")["metric"])


@breadth("weighted", [False, True], 1)
@pytest.mark.parametrize("task", SPECS)
def test_groups_of_one_row_each_change_no_number(task, weighted):
    """Rows that are groups of their own are independent: every number is that without groups."""
    frame = rows().with_columns(w=pl.col("patient") % 3 + 1.0)
    more = {"slices": ["site"], "measures": "all", "bootstrap": {"replicates": 8}}
    columns = {"weight": "w"} if weighted else {}
    spec = {"data": "d.csv", **SPECS[task], **more}
    plain = evaluate({**spec, "columns": columns}, frame).metrics
    grouped = evaluate({**spec, "columns": {**columns, "group": "patient"}}, frame).metrics

    assert plain["low"].count() > 20
    assert plain.equals(grouped)


def test_the_uncertainty_of_class_sizes_needs_classes_that_do_not_keep_them():
    frame = rows()
    fixed, free = (
        limits("binary", frame, bootstrap={"stratified": stratified})
        for stratified in (True, False)
    )
    assert fixed["reference_entropy"]["low"] is None
    low, high = free["reference_entropy"]["low"], free["reference_entropy"]["high"]
    assert low < free["reference_entropy"]["value"] < high


@breadth(
    ("task", "name"),
    [("binary", "h_measure"), ("multiclass", "top3_accuracy"), ("regression", "huber_loss")],
    1,
)
def test_a_measure_that_the_spec_names_is_resampled(task, name):
    frame = rows().with_columns(s3=pl.lit(0.0))
    if task == "multiclass":
        frame = frame.with_columns(
            of=pl.when(pl.col("patient") < 5).then(pl.lit("d")).otherwise("of")
        )
        scores = {"models": {"m": {"scores": {**SCORES, "d": "s3"}}}}
    else:
        scores = {}
    usual = limits(task, frame, **scores)[name]
    requested = limits(task, frame, measures=[name], **scores)[name]
    among_all = limits(task, frame, measures="all", **scores)[name]

    assert usual["low"] is None
    assert requested["low"] < requested["value"] < requested["high"]
    assert among_all == requested


def test_a_measure_of_counts_is_resampled_of_labels_alone():
    frame = rows().with_columns(said=(pl.col("s0") > 0.4).cast(pl.Int64))
    values = limits("binary", frame, models={"m": {"label": "said"}})

    assert values["lift"]["low"] < values["lift"]["value"] < values["lift"]["high"]


@pytest.mark.parametrize("value", ["yes", 1, "maybe"])
def test_a_flag_is_true_or_false(value):
    with pytest.raises(SpecError, match="true or false"):
        from_dict({**SPECS["binary"], "data": "d.csv", "bootstrap": {"stratified": value}})


def with_intervals(models: int) -> pl.DataFrame:
    ends = {"low": pl.col("s0") - 0.3, "high": pl.col("s0") + 0.2, "e": pl.col("s0")}
    return rows().with_columns(
        **{f"{name}{k}": end for name, end in ends.items() for k in range(models)}
    )


def intervals(*levels: float | None) -> dict[str, dict]:
    return {
        f"m{k}": {"estimate": f"e{k}", "low": f"low{k}", "high": f"high{k}"}
        | ({} if level is None else {"level": level})
        for k, level in enumerate(levels)
    }


def test_an_interval_of_predictions_is_evaluated_at_the_level_of_its_model():
    frame = with_intervals(3)
    models = intervals(0.9, 0.5, None)
    measures = ["winkler_score"]
    spec = {"data": "d.csv", "truth": "number", "models": models, "measures": measures}
    few = {"bootstrap": {"replicates": 100}}
    rows = evaluate(spec | few, frame).metrics.filter(metric="winkler_score").to_dicts()
    truth, low, high = (frame[name].to_numpy() for name in ("number", "low0", "high0"))
    outside = np.maximum(low - truth, 0) + np.maximum(truth - high, 0)

    for row, level in zip(rows, (0.9, 0.5, 0.95), strict=True):
        assert row["value"] == pytest.approx((high - low + 2 / (1 - level) * outside).mean())
        assert row["low"] < row["value"] < row["high"]


def test_winkler_scores_at_different_levels_are_not_compared():
    options = {"comparisons": {"measures": ["winkler_score"]}, "truth": "number"}
    spec = {"data": "d.csv", **options, "models": intervals(0.9, 0.5)}
    tests = evaluate(spec, with_intervals(2)).comparisons.filter(metric="winkler_score")

    assert tests.height
    assert tests["undefined"].str.contains("different nominal levels").all()
