"""What the data take away is neither claimed in the headline nor by a test beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.charts import slices as slice_charts
from reportgen.charts.folds import _title
from reportgen.charts.leaders import _subtitle
from reportgen.charts.series import ModelStyle
from reportgen.concluding.caveats import caveats, takes_away
from reportgen.concluding.leading import contest_of
from reportgen.concluding.untested import passed_over, reason_against
from reportgen.records.model import typed
from reportgen.results import Results, evaluate
from reportgen.sections.gates import gates_table
from reportgen.tables import Gates
from reportgen.tables.comparisons import ComparisonRow
from tests.quick import QUICK

RANDOM = np.random.default_rng(11)
TRUTH = RANDOM.random(240) < 0.5


def scores(signal: float) -> np.ndarray:
    return 1 / (1 + np.exp(-signal * (2 * TRUTH - 1) - RANDOM.normal(size=len(TRUTH))))


FRAME = pl.DataFrame({"y": TRUTH, "a": scores(1.5), "b": scores(0.2)})


def binary(frame: pl.DataFrame, **more: Any) -> Results:
    models = {name: {"score": name} for name in "ab"}
    return evaluate({"truth": "y", "models": models, **QUICK, **more}, frame)


@pytest.mark.parametrize(
    ("frame", "more", "why"),
    [
        (pl.concat([FRAME, FRAME]), {}, "240 of 480 test rows repeat another one"),
        (FRAME.filter("y"), {}, "only one class is present"),
        (
            FRAME.with_columns(rule=pl.col("a") > 0.4),
            {
                "models": {"a": {"score": "a"}, "rule": {"label": "rule"}},
                "threshold": {"maximise": "accuracy"},
            },
            "thresholds were chosen on the evaluation data",
        ),
    ],
)
def test_data_that_take_the_conclusion_away_leave_none_in_the_headline(frame, more, why):
    """The state is inconclusive, so that the headline names no winner and no loser."""
    decision = binary(frame, **more).decision

    assert (decision.state, decision.relation) == ("inconclusive", "no conclusion")
    assert decision.headline == f"No conclusion on which model is better: {why}"


def test_no_test_is_recommended_of_rows_that_are_copies():
    results = binary(pl.concat([FRAME, FRAME]))
    tests = results.comparisons.filter(pl.col("reject").is_not_null())

    assert set(tests["recommendation"]) == {"avoid"}
    assert all("240 of 480 rows, which repeat other rows" in why for why in tests["why"])


@pytest.mark.parametrize(("rows", "severity"), [(10, "moderate"), (24, "severe")])
def test_only_many_copies_take_the_conclusion_away(rows, severity):
    """Fewer than a tenth of 240 rows widen a standard error by less than 5 %."""
    data = {**binary(FRAME).data, "identical_rows": rows}
    listed = caveats(data, None, None, (), None)

    assert [c.severity for c in listed if c.code == "identical_rows"] == [severity]
    assert bool(takes_away(data, "auc")) == (severity == "severe")


def test_a_measure_decides_in_which_the_best_model_is_compared_with_the_baseline():
    """Far errors leave no test of the MSE of both, but one of each against the mean."""
    truth = RANDOM.normal(size=400) * 10
    far = np.where(np.arange(400) % 100 == 0, 15.0, 1.0)
    frame = pl.DataFrame(
        {
            "y": truth,
            "old": truth + far * RANDOM.normal(size=400) * 0.5,
            "new": truth + RANDOM.normal(size=400) * 0.3,
            "mean": np.full(400, truth.mean()),
        }
    )
    models = {name: {"estimate": name} for name in ("old", "new", "mean")}
    spec = {"task": "regression", "truth": "y", "models": models, "baseline": "old", **QUICK}
    results = evaluate(spec, frame)
    with_baseline = (pl.col("metric") == "mean_squared_error") & pl.col("models").list.contains(
        "old"
    )
    advice = pl.when(pl.col("models").list.contains("mean")).then(pl.lit("recommended"))
    tests = results.comparisons.with_columns(
        recommendation=pl.when(with_baseline)
        .then(advice.otherwise(pl.lit("valid")))
        .otherwise("recommendation")
    )
    between = contest_of(results.metrics, tests, results.data, [*models], "old")

    assert between is not None
    assert (between.leader, between.measure) == ("new", "mean_absolute_error")
    texts = [
        caveat.text for caveat in passed_over(replace(results, comparisons=tests), between, "old")
    ]
    assert texts[0].startswith("MAE decides, as no test of MSE is recommended for new and old: ")


def test_absolute_errors_decide_with_the_reason_why_squared_ones_of_the_best_two_do_not():
    """Though these have a test of the best model against the last one, and no baseline."""
    random = np.random.default_rng(4)
    truth = random.normal(50, 10, size=1500)
    size = np.where(np.arange(1500) % 100 == 0, 20.0, 1.0) * random.normal(size=1500)
    frame = pl.DataFrame(
        {
            "y": truth,
            "new": truth + 0.1 * size,
            "old": truth + 0.15 * random.permutation(size),
            "mean": np.full(1500, truth.mean()),
        }
    )
    models = {name: {"estimate": name} for name in ("new", "old", "mean")}
    results = evaluate({"task": "regression", "truth": "y", "models": models, **QUICK}, frame)
    squared = results.comparisons.filter(metric="mean_squared_error", recommendation="recommended")

    assert {"new", "mean"} in [{*pair} for pair in squared["models"]]
    assert (results.decision.measure, results.decision.leader) == ("mean_absolute_error", "new")
    texts = [caveat.text for caveat in results.decision.caveats if caveat.code == "measure"]
    assert texts[0].startswith("MAE decides, as no test of MSE is recommended for new and old: ")
    assert "a few errors outweigh all others" in texts[0]


def test_only_the_measure_is_untested_where_another_has_a_test():
    """Of two models that rank the rows alike, but decide otherwise, the accuracy is compared."""
    frame = FRAME.select("y", "a", b=pl.col("a") / 2)
    results = binary(frame, baseline="a")
    texts = [caveat.text for caveat in results.decision.caveats]

    assert results.decision.measure == "accuracy"
    assert any(text.startswith("Accuracy decides, as no test of AUC is ") for text in texts)

    five = pl.concat([FRAME.filter("y").head(5), FRAME.filter(~pl.col("y"))])
    texts = [caveat.text for caveat in binary(five).decision.caveats]
    assert "No test of AUC is recommended on these data." in texts


def row(pair: str, why: str, **more: Any) -> ComparisonRow:
    return ComparisonRow(comparison="t", label="T", models=tuple(pair), why=why, **more)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([row("ab", "rare", undefined="same"), row("ac", "few"), row("bc", "few")], "few (T)"),
        ([row("ab", "of rows"), row("ab", "of folds", unit="folds")], "of folds (T)"),
        ([row("ab", "bad", recommendation="avoid"), row("ab", "rough")], "rough (T)"),
        ([row("ab", "good", recommendation="recommended")], None),
    ],
)
def test_the_reason_against_tests_is_that_of_most_pairs_and_of_tests_over_folds(rows, reason):
    result = reason_against(rows)

    assert (result and result.why) == reason


def test_many_gates_that_are_open_for_one_reason_are_counted():
    """Of gates of a column with many slices the table shows which they are."""
    results = binary(FRAME, gates=[*(f"a.auc >= 0.{k}" for k in range(1, 6)), "b.auc >= 0.1"])
    rows = [
        {
            **row,
            "state": "inconclusive",
            "why": "wide" if row["gate"].startswith("a") else "unknown",
        }
        for row in results.gates.to_dicts()
    ]
    table = gates_table(replace(results, gates=typed(Gates, rows)))

    assert table is not None
    open_ = [note for note in table.notes if note.startswith("Inconclusive")]
    assert open_ == ["Inconclusive, 5 gates: wide.", "Inconclusive, b.auc >= 0.1: unknown."]


STYLES = [ModelStyle(name, name, "#000000", (), "circle") for name in "ab"]


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        (
            [3.0, 3.0, 3.0],
            [1.0, 3.0, 1.0],
            "a has the highest AUC in 2 of 3 folds and shares it in 1",
        ),
        ([3.0, 3.0], [1.0, 1.0], "a has the highest AUC in each of 2 folds"),
        (
            [3.0, 0.0, 3.0],
            [3.0, None, 3.0],
            "a has the highest AUC in 1 of 3 folds and shares it in 2",
        ),
        (
            [3.0, 0.0, 3.0, 0.0],
            [0.0, 3.0, 0.0, 3.0],
            "a and b each have the highest AUC in 2 of 4 folds",
        ),
        (
            [3.0, 0.0, 1.0],
            [0.0, 3.0, 1.0],
            "a and b each have the highest AUC in 1 of 3 folds and share it in 1",
        ),
        ([3.0, 3.0], [3.0, 3.0], "a and b have the same AUC in each of 2 folds"),
    ],
)
def test_a_fold_that_is_shared_is_not_won(first, second, title):
    values = pl.DataFrame({"a": first, "b": second})

    assert _title(values, ["a", "b"], "AUC", STYLES, "folds", lowest=False) == title


def test_folds_that_are_all_shared_are_won_by_nobody():
    values = pl.DataFrame({"a": [3.0, 1.0, 0.0], "b": [3.0, 0.0, 1.0], "c": [0.0, 1.0, 1.0]})
    third = replace(STYLES[0], model="c", label="c")

    title = _title(values, ["a", "b", "c"], "AUC", [*STYLES, third], "folds", lowest=False)
    assert title == "a, b and c each share the highest AUC in 2 of 3 folds"


def test_a_title_names_no_slice_that_is_small():
    names, means = {"x": "A", "y": "B"}, {"x": 0.2, "y": 0.1}

    alone, _ = slice_charts._ends(["x"], names, means, "")
    assert alone == "A (0.200), the only slice that is not small"
    assert slice_charts._ends(["x", "y"], names, means, "")[0] == "from A (0.200) to B (0.100)"


def test_a_figure_of_one_panel_speaks_of_no_left_one():
    guesses = FRAME.with_columns(a=RANDOM.random(240), b=RANDOM.random(240))
    copies = binary(pl.concat([guesses, guesses]))  # which no test compares
    both = binary(guesses)

    assert _subtitle(copies, copies.decision.models).endswith(" Dashed line: chance.")
    assert _subtitle(both, both.decision.models).endswith(" in the left panel: chance.")
