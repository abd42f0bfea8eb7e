"""Which test is recommended for which evaluation, and what the spec can choose instead."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import reportgen
from reportgen.cli.reports import build
from reportgen.errors import SpecError
from reportgen.results import Results
from reportgen.splitting import split
from tests.breadth import breadth
from tests.page_text import without_chinese
from tests.quick import QUICK

COLUMNS = ("id", "repeat", "fold", "role")


@cache
def predictions(kind: str, rows: int = 60, **options: object) -> pl.DataFrame:
    """Two models with noise of their own in every fit."""
    random = np.random.default_rng(1)
    truth = random.random(rows) < 0.5
    splits = split(pl.DataFrame({"row": range(rows)}), kind, **options).drop("draws")
    y = truth[splits["id"].cast(pl.Int64).to_numpy() - 1]
    noise = random.normal(size=(2, splits.height)) / 2
    return splits.with_columns(y=pl.Series(y), a=y + noise[0], b=0.8 * y + noise[1])


def evaluated(kind: str, columns: tuple[str, ...] = COLUMNS, **options: object) -> Results:
    comparisons, baseline = options.pop("comparisons", {}), options.pop("baseline", None)
    gates = options.pop("gates", [])
    frame = predictions(kind, **options)
    spec = {
        "data": "frame",
        "truth": "y",
        "threshold": 0.5,
        "models": {"a": {"score": "a"}, "b": {"score": "b"}},
        "columns": {name: name for name in columns},
        "comparisons": comparisons,
        **QUICK,
        **({"baseline": baseline} if baseline else {}),
        "gates": gates,
    }
    rows = frame if "role" in columns else frame.filter(role="test")
    return reportgen.evaluate(spec, rows)


def recommendation(results: Results, metric: str = "accuracy") -> dict[str, str]:
    rows = results.comparisons.filter(pl.col("metric") == metric)
    return dict(rows.select("comparison", "recommendation").iter_rows())


@breadth(
    ("kind", "options", "recommended"),
    [
        ("hold_out", {"test": 0.5}, "mcnemar_midp"),
        ("k_fold", {"folds": 5}, "corrected_resampled_t"),
        ("repeated_k_fold", {"folds": 5, "repeats": 2}, "corrected_t_repeats"),
        ("five_by_two", {}, "corrected_t_repeats"),
        ("repeated_hold_out", {"repeats": 6}, "corrected_t_repeats"),
        ("bootstrap", {"repeats": 6}, "corrected_t_repeats"),
    ],
    4,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_test_is_recommended_for_each_evaluation_and_measure(kind, options, recommended):
    recommendations = recommendation(evaluated(kind, **options))
    assert [name for name, how in recommendations.items() if how == "recommended"] == [recommended]


def test_tests_that_take_folds_as_independent_are_to_be_avoided_where_training_sets_overlap():
    results = evaluated("repeated_k_fold", folds=5, repeats=2)
    avoided = results.comparisons.filter(pl.col("recommendation") == "avoid")
    assert {"paired_t_folds", "wilcoxon_folds"} <= set(avoided["comparison"])
    naive = avoided.filter(pl.col("comparison") == "paired_t_folds")["why"][0]
    assert naive.startswith(
        "the test treats folds as independent, but the training sets overlap (78"
    )


def test_rows_that_return_in_every_repeat_are_one_group_to_the_tests_over_rows():
    """They speak of these fits, so that they are valid beside the recommended test over folds."""
    comparisons = evaluated("repeated_k_fold", folds=5, repeats=2).comparisons
    names = set(comparisons["comparison"])

    assert {"mcnemar_groups", "obuchowski"} <= names
    assert not names & {"mcnemar_midp", "delong"}
    for row in comparisons.filter(
        pl.col("comparison").is_in(["mcnemar_groups", "obuchowski"])
    ).to_dicts():
        assert row["recommendation"] == "valid"
        assert "applies to these fits only" in row["why"]


def test_the_corrected_test_reads_the_sizes_of_the_parts():
    """The statistic by hand: mean over s·√(1/n + test rows over training rows)."""
    results = evaluated("repeated_hold_out", repeats=6)
    values = results.folds.filter(metric="accuracy", role="test")
    a, b = (values.filter(model=name)["value"].to_numpy() for name in "ab")
    difference = a - b
    expected = difference.mean() / (difference.std(ddof=1) * np.sqrt(1 / 6 + 15 / 45))
    test = results.comparisons.filter(
        pl.col("comparison") == "corrected_resampled_t", pl.col("metric") == "accuracy"
    )
    assert test["statistic"][0] * (1 if test["models"][0][0] == "a" else -1) == pytest.approx(
        expected
    )


def test_without_training_rows_a_repeated_hold_out_has_no_corrected_test():
    results = evaluated("repeated_hold_out", ("id", "repeat"), repeats=6)
    tests = results.comparisons.filter(pl.col("comparison") == "corrected_resampled_t")
    assert set(tests["undefined"]) == {"the sizes of the training sets are unknown"}
    assert results.decision.relation == "no conclusion"


def test_the_spec_chooses_a_test_and_the_results_say_so():
    results = evaluated("k_fold", folds=5, comparisons={"test": "mcnemar_midp"})
    rows = {
        row["comparison"]: row
        for row in results.comparisons.to_dicts()
        if row["metric"] == "accuracy"
    }
    assert rows["mcnemar_midp"]["recommendation"] == "recommended"
    assert rows["mcnemar_midp"]["why"].startswith(
        "chosen in the spec; advised against: the test treats the fits of all folds as one model"
    )
    assert rows["corrected_resampled_t"]["recommendation"] == "valid"
    assert "the spec chose another test" in rows["corrected_resampled_t"]["why"]
    assert recommendation(results, "auc")["corrected_resampled_t"] == "recommended"
    [text] = [one.text for one in results.decision.caveats if one.code == "chosen_test"]
    assert text == (
        "The spec chose McNemar's mid-p test, which does not compare the models in AUC; "
        "the corrected resampled t-test decides."
    )
    assert not without_chinese(results, [text])


def test_a_gate_is_open_for_what_speaks_against_the_test_that_the_spec_chooses():
    """Not for that against the one that it replaces."""
    given = {"comparisons": {"test": "delong"}, "gates": ["a.auc - b.auc > -0.5"]}
    results = evaluated("k_fold", folds=5, **given)
    [gate] = results.gates.to_dicts()
    [text] = [one.text for one in results.decision.caveats if one.code == "chosen_test"]

    assert text.startswith("The test was chosen in the spec; advised against: ")
    assert gate["state"] == "inconclusive"
    assert "advised against: " in gate["why"]
    assert "the spec chose another test" not in gate["why"]
    assert not without_chinese(results, [text, gate["why"]])


def test_a_test_that_is_advised_against_can_be_chosen_and_keeps_the_reason():
    results = evaluated("k_fold", folds=5, comparisons={"test": "paired_t_folds"})
    row = results.comparisons.filter(pl.col("comparison") == "paired_t_folds").row(0, named=True)
    assert row["recommendation"] == "recommended"
    assert "chosen in the spec; advised against: the test treats folds as independent" in row["why"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mcnemar_exakt", "did you mean 'mcnemar_exact'"),
        ("five_by_two_f", "cannot decide on these data"),
    ],
)
def test_a_test_that_was_not_made_is_refused(name, message):
    with pytest.raises(SpecError, match=message):
        evaluated("k_fold", folds=5, comparisons={"test": name})


def test_fold_values_survive_the_results_file():
    results = evaluated("repeated_k_fold", folds=5, repeats=2)
    again = Results.from_json(results.to_json())
    assert again.folds.equals(results.folds)
    values = results.folds.filter(metric="accuracy", role="test", model="a")
    assert values.height == 10
    pooled = results.metrics.filter(metric="accuracy", model="a")["value"][0]
    assert (values["value"] * values["rows"]).sum() / values["rows"].sum() == pytest.approx(pooled)


def test_the_smallest_detectable_difference_is_that_of_the_interval():
    """Of t with 9 degrees of freedom: 2.262 and 0.883 standard errors (any table of t)."""
    results = evaluated("repeated_k_fold", folds=5, repeats=2)
    row = results.comparisons.filter(pl.col("recommendation") == "recommended").row(0, named=True)
    error = (row["high"] - row["low"]) / 2 / 2.262
    assert row["detectable"] == pytest.approx((2.262 + 0.883) * error, rel=1e-3)


def test_several_data_sets_are_compared_data_set_by_data_set():
    parts = [
        predictions("k_fold", folds=3).with_columns(
            dataset=pl.lit(f"set {n}"), a=pl.col("a") + 0.01 * n
        )
        for n in range(7)
    ]
    spec = {
        "data": "frame",
        "truth": "y",
        "threshold": 0.5,
        "models": {"a": {"score": "a"}, "b": {"score": "b"}},
        "columns": {"id": "id", "dataset": "dataset", "fold": "fold", "role": "role"},
        **QUICK,
    }
    results = reportgen.evaluate({**spec, "comparisons": {"margin": 0.9}}, pl.concat(parts))
    assert results.data["evaluation"]["scheme"] == "data_sets"
    recommendations = recommendation(results)
    assert recommendations["wilcoxon"] == "recommended"
    assert recommendations["mcnemar"] == "avoid"
    assert {"sign_flip", "bayesian_signed_rank", "equivalence"} <= recommendations.keys()
    paired = results.comparisons.filter(comparison="paired_t_folds", metric="accuracy")
    assert paired["caveats"].to_list() == [[]]  # no training sets overlap


def third(frame: pl.DataFrame) -> pl.DataFrame:
    """A third model that is little better than chance."""
    noise = np.random.default_rng(2).normal(size=frame.height)
    return frame.with_columns(c=0.1 * pl.col("y") + pl.Series(noise))


def of_three(frame: pl.DataFrame, **more: object) -> Results:
    spec = {
        "data": "frame",
        "truth": "y",
        "threshold": 0.5,
        "models": {name: {"score": name} for name in "abc"},
        **QUICK,
    }
    return reportgen.evaluate(spec | more, frame)


def test_several_models_on_one_test_set_are_first_asked_about_together():
    results = of_three(third(predictions("hold_out", test=0.5).filter(role="test")))
    first = results.comparisons.row(0, named=True)
    assert (first["comparison"], first["models"], first["recommendation"]) == (
        "cochran_groups",
        ["b", "c", "a"],
        "recommended",
    )


def test_several_models_on_several_data_sets_are_ranked():
    frame = third(predictions("k_fold", folds=3))
    orders = ("abc", "bac", "acb", "abc", "bca", "abc")
    parts = [
        frame.rename(dict(zip("abc", order, strict=True)))
        .select(frame.columns)
        .with_columns(dataset=pl.lit(place))
        for place, order in enumerate(orders)
    ]
    columns = {"id": "id", "dataset": "dataset", "fold": "fold", "role": "role"}
    recommendations = recommendation(of_three(pl.concat(parts), columns=columns))
    assert recommendations["friedman_sign_flip"] == "recommended"
    assert {
        "iman_davenport",
        "friedman",
        "quade",
        "aligned_ranks",
        "nemenyi",
        "conover",
    } <= recommendations.keys()


def test_a_margin_adds_tests_of_equivalence_and_of_non_inferiority():
    of_pair = {"test": 0.5, "comparisons": {"margin": 0.9}}
    rows = evaluated("hold_out", baseline="b", **of_pair).comparisons
    by_test = {(r["metric"], r["comparison"]): r for r in rows.to_dicts()}
    assert by_test["accuracy", "equivalence_score"]["reject"]
    verdict = by_test["auc", "equivalence_score"]["verdict"]
    assert "equivalent in AUC within a margin of 0.9" in verdict
    assert by_test["auc", "non_inferiority_score"]["against"] == 0.9
    without = evaluated("hold_out", **of_pair).comparisons["shows"].unique()
    assert "equivalence" in without
    assert "non_inferiority" not in without
    folds = evaluated("k_fold", folds=5, comparisons={"margin": 0.9}).comparisons
    assert "equivalence_score" not in set(folds["comparison"])
    of_margin = folds.filter(pl.col("comparison") == "equivalence")
    assert of_margin["interval"].unique().to_list() == ["corrected t"]


def test_the_region_of_practical_equivalence_is_that_of_the_spec():
    for given, used in ((None, 0.01), (0.2, 0.2)):
        choices = {} if given is None else {"rope": given}
        rows = evaluated("k_fold", folds=5, comparisons=choices).comparisons
        test = rows.filter(pl.col("comparison") == "bayesian_correlated_t")
        assert set(test["against"]) == {used}
        assert [sum(p) for p in test["probabilities"]] == pytest.approx([1.0] * test.height)


def test_the_same_pair_has_the_same_verdict_everywhere(tmp_path):
    """Through Python, the command line, the results file and the summary."""
    predictions("repeated_k_fold", folds=5, repeats=2).write_parquet(tmp_path / "p.parquet")
    columns = ", ".join(f"{name}: {name}" for name in COLUMNS)
    (tmp_path / "report.yaml").write_text(
        "data: p.parquet\ntruth: y\nmodels: {a: {score: a}, b: {score: b}}\n"
        f"columns: {{{columns}}}\nbootstrap: {{replicates: 0}}\nintervals: {{ratios: delta}}\n"
    )
    python = reportgen.evaluate(tmp_path / "report.yaml")
    arguments = [str(tmp_path / "report.yaml"), "--format", "json", "--format", "markdown"]
    CliRunner().invoke(build, [*arguments, "-q"], catch_exceptions=False)
    latest = tmp_path / "reports" / "report" / "latest"
    written = json.loads((latest / "results.json").read_text())
    assert written["decision"]["sentence"] == python.decision.sentence
    assert [r["verdict"] for r in written["comparisons"]] == python.comparisons["verdict"].to_list()
    assert python.decision.headline in (latest / "summary.md").read_text()


def test_estimates_of_a_number_are_compared_with_a_margin_in_the_unit_of_their_error():
    random = np.random.default_rng(4)
    y = random.normal(size=60)
    frame = pl.DataFrame({"y": y, "a": y + random.normal(size=60), "b": y + random.normal(size=60)})
    spec = {
        "data": "frame",
        "task": "regression",
        "truth": "y",
        "threshold": 0.5,
        "models": {"a": {"estimate": "a"}, "b": {"estimate": "b"}},
        **QUICK,
        "comparisons": {"margin": 5},
    }
    rows = reportgen.evaluate(spec, frame).comparisons
    test = rows.filter(pl.col("comparison") == "equivalence").row(0, named=True)
    assert test["reject"]
    first, second = (frame[name].to_numpy() for name in test["models"])
    assert test["estimate"] == pytest.approx(np.mean((y - first) ** 2 - (y - second) ** 2))


def test_page_one_says_that_models_are_equivalent_where_the_margin_shows_it():
    random = np.random.default_rng(3)
    truth = random.random(2000) < 0.4
    score = 2 * truth - 1 + random.normal(size=2000)
    near = score + 0.05 * random.normal(size=2000)
    frame = pl.DataFrame({"y": truth, "a": score, "b": near})
    spec = {"data": "frame", "truth": "y", "models": {m: {"score": m} for m in "ab"}}
    full_spec = {**spec, "comparisons": {"margin": 0.05}, **QUICK}
    decision = reportgen.evaluate(full_spec, frame).decision
    assert decision.relation == "equivalent"
    assert decision.headline.endswith("are equivalent in AUC within ±0.05")


def test_page_one_says_that_models_of_the_same_labels_are_one():
    frame = pl.DataFrame({"y": [0, 1, 0, 1], "a": [0, 1, 1, 1], "b": [0, 1, 1, 1]})
    frame = pl.concat([frame] * 20)  # of labels alone, which say nothing of copies
    spec = {"data": "frame", "truth": "y", "models": {m: {"label": m} for m in "ab"}}
    decision = reportgen.evaluate(spec, frame).decision
    assert decision.headline == (
        "a and b give the same outputs for every row (accuracy 0.750, 0.645 to 0.832)"
    )


def of_groups(sizes: list[int], weights: list[float] | None = None) -> Results:
    """Two models on rows in groups of these sizes, whose rows weigh so much."""
    random, code = np.random.default_rng(5), np.repeat(np.arange(len(sizes)), sizes)
    truth = random.random(len(code)) < 0.4
    frame = pl.DataFrame({"truth": truth.astype(int), "group": code}).with_columns(
        **{m: pl.Series(random.normal(truth * 1.0)) for m in "ab"}
    )
    columns = {"group": "group"}
    if weights is not None:
        frame = frame.with_columns(weight=np.array(weights)[code])
        columns |= {"weight": "weight"}
    models = {m: {"score": m} for m in "ab"}
    spec = {"data": "f", "truth": "truth", "models": models, "columns": columns, "threshold": 0.5}
    return reportgen.evaluate({**spec, "bootstrap": {"replicates": 0}}, frame)


def test_one_large_group_among_many_leaves_the_tests_of_clustered_rows_recommended():
    """The variance that leaves out each group in turn allows for its size."""
    results = of_groups([120] + [15] * 19)

    assert recommendation(results)["mcnemar_groups"] == "recommended"
    assert recommendation(results, "auc")["obuchowski"] == "recommended"


def test_of_weighted_rows_groups_are_worth_as_many_of_equal_weight():
    """Twelve groups of one size, of which one weighs as much as all others, are worth four."""
    weights = [11.0] + [1.0] * 11
    alone, weighted = of_groups([15] * 12), of_groups([15] * 12, weights)
    whys = weighted.comparisons.filter(comparison="mcnemar_weighted")["why"].to_list()

    assert recommendation(alone, "auc")["obuchowski"] == "recommended"
    assert recommendation(weighted, "auc")["obuchowski"] == "valid"
    assert whys[0].startswith("the 12 groups are worth 3.7 of equal weight")
