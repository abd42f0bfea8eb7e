"""Differences of measures between two models on the same rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.comparing import differences as row_differences
from reportgen.comparisons import differences, joint_counts, probability_losses
from reportgen.intervals import PAIRED
from reportgen.metrics import METRICS
from reportgen.resources import EXAMPLES
from reportgen.results import evaluate
from reportgen.spec import read
from tests.breadth import breadth
from tests.example_results import example_results
from tests.page_text import without_chinese
from tests.quick import QUICK
from tests.simulations.differences_in_groups import rates
from tests.simulations.situations import asked

CORE = [m for m in METRICS.values() if m.core and m.on == "counts"]
COSTS = {"false_negative": 5.0, "false_positive": 1.0}


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    random = np.random.default_rng(11)
    truth = random.random(400) < 0.4
    signal = truth + random.normal(0, 0.6, 400)
    a, b = (signal + random.normal(0, noise, 400) for noise in (0.3, 0.8))
    return pl.DataFrame(
        {
            "truth": truth,
            "a": a > 0.5,
            "b": b > 0.5,
            "p": 1 / (1 + np.exp(-4 * (a - 0.5))),
            "q": 1 / (1 + np.exp(-4 * (b - 0.5))),
            "w": random.integers(1, 4, 400).astype(float),
        }
    )


def by_name(table: pl.DataFrame) -> dict[str, dict[str, float]]:
    return {row["metric"]: row for row in table.to_dicts()}


def confusion(truth: np.ndarray, predicted: np.ndarray) -> tuple[int, int, int, int]:
    return (
        int((truth & predicted).sum()),
        int((~truth & predicted).sum()),
        int((truth & ~predicted).sum()),
        int((~truth & ~predicted).sum()),
    )


def f1(truth: np.ndarray, predicted: np.ndarray) -> float:
    tp, fp, fn, _ = confusion(truth, predicted)
    return 2 * tp / (2 * tp + fp + fn)


def mcc(truth: np.ndarray, predicted: np.ndarray) -> float:
    tp, fp, fn, tn = confusion(truth, predicted)
    return (tp * tn - fp * fn) / ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5


@pytest.mark.parametrize(("name", "measure"), [("f1", f1), ("mcc", mcc)])
def test_limits_are_those_of_rows_drawn_anew(rows, name, measure):
    truth, a, b = (rows[c].to_numpy() for c in ("truth", "a", "b"))
    random = np.random.default_rng(5)
    resampled = random.integers(0, len(truth), (4000, len(truth)))
    gaps = [measure(truth[i], a[i]) - measure(truth[i], b[i]) for i in resampled]
    difference = by_name(differences(joint_counts(rows, "a", "b"), [name]))[name]

    assert difference["value"] == pytest.approx(measure(truth, a) - measure(truth, b), abs=1e-12)
    half_width = 1.959964 * float(np.std(gaps, ddof=1))
    assert difference["high"] - difference["value"] == pytest.approx(half_width, rel=0.05)
    assert difference["value"] - difference["low"] == pytest.approx(half_width, rel=0.05)


def test_a_share_of_one_class_is_compared_on_the_rows_of_that_class(rows):
    positive = rows.filter("truth")
    cells = [
        positive.filter(pl.col("a") == x, pl.col("b") == y).height
        for x in (True, False)
        for y in (True, False)
    ]
    by_metric = by_name(
        differences(joint_counts(rows, "a", "b"), ["recall", "false_negative_rate"])
    )

    assert (by_metric["recall"]["low"], by_metric["recall"]["high"]) == PAIRED["midp_paired"](
        *cells
    )
    assert by_metric["false_negative_rate"]["low"] == pytest.approx(-by_metric["recall"]["high"])


def test_swapping_the_models_turns_every_difference_round(rows):
    there = by_name(differences(joint_counts(rows, "a", "b"), CORE, settings=COSTS))
    back = by_name(differences(joint_counts(rows, "b", "a"), CORE, settings=COSTS))

    assert len(there) == len(CORE)
    for name, row in there.items():
        assert (row["value"], row["low"], row["high"]) == pytest.approx(
            (-back[name]["value"], -back[name]["high"], -back[name]["low"]), abs=1e-12
        )


def test_integer_weights_move_the_value_as_repeated_rows_and_widen_the_limits(rows):
    repeated = rows.select(pl.all().repeat_by(pl.col("w").cast(pl.UInt32)).explode())
    weighted = by_name(differences(joint_counts(rows, "a", "b", weight="w"), ["f1"]))["f1"]
    plain = by_name(differences(joint_counts(repeated, "a", "b"), ["f1"]))["f1"]

    assert weighted["value"] == pytest.approx(plain["value"], abs=1e-12)
    assert weighted["high"] - weighted["low"] > plain["high"] - plain["low"]


def test_models_that_never_differ_have_no_limits(rows):
    table = differences(joint_counts(rows, "a", "a"), CORE, settings=COSTS)

    assert table["value"].to_list() == [0.0] * len(CORE)
    assert table["low"].null_count() == len(CORE)


def test_a_measure_without_a_value_says_why(rows):
    never = rows.with_columns(b=pl.lit(value=False))
    by_metric = by_name(differences(joint_counts(never, "a", "b"), ["precision", "recall"]))

    assert by_metric["precision"]["value"] is None
    assert by_metric["precision"]["undefined"] == METRICS["precision"].undefined
    assert by_metric["recall"]["high"] is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["precision", "f1", "mcc", "balanced_accuracy"])
def test_limits_cover_the_true_difference(name):
    """Of 1,000 samples of 300 rows between 93 and 97 of a hundred hold it (exact: 95 ± 1.4)."""
    random = np.random.default_rng(3)
    cells = pl.DataFrame(
        [(t, a, b) for t in (True, False) for a in (True, False) for b in (True, False)],
        schema=["truth", "first", "second"],
        orient="row",
    )
    chances = np.array([0.27, 0.06, 0.04, 0.03, 0.02, 0.05, 0.07, 0.46])

    def joint(rows: np.ndarray) -> pl.DataFrame:
        mass = pl.Series(rows.astype(float))
        return cells.with_columns(rows=mass, squares=mass)

    true = differences(joint(chances * 1e6), [name])["value"][0]
    held = 0
    for resampled in random.multinomial(300, chances, size=1000):
        row = differences(joint(resampled), [name]).row(0, named=True)
        held += row["low"] <= true <= row["high"]
    assert 930 <= held <= 970


def report(rows: pl.DataFrame, **more: object):
    spec = {
        "data": "unused.parquet",
        "truth": "truth",
        "models": {"first": {"score": "p"}, "second": {"score": "q"}},
        "baseline": "second",
        "threshold": 0.5,
        **QUICK,
        **more,
    }
    return evaluate(spec, rows)


def test_a_report_has_the_difference_of_each_main_measure(rows):
    by_metric = by_name(report(rows).differences)

    assert {m.name for m in METRICS.values() if m.core} <= set(by_metric)
    assert {tuple(row["models"]) for row in by_metric.values()} == {("first", "second")}
    for name in ("auc", "recall", "f1", "brier_score", "log_loss", "cost_sensitive_error_rate"):
        assert by_metric[name]["low"] < by_metric[name]["value"] < by_metric[name]["high"]
    assert by_metric["average_precision"]["undefined"]


def test_the_mean_of_many_row_losses_is_compared_by_student_t(rows, monkeypatch):
    monkeypatch.setattr(row_differences, "MOST_ROWS", 399)
    difference = by_name(report(rows).differences)["brier_score"]
    y = rows["truth"].cast(float)
    gaps = ((rows["p"] - y) ** 2 - (rows["q"] - y) ** 2).to_numpy()

    assert difference["value"] == pytest.approx(gaps.mean(), abs=1e-12)
    half = 1.965927 * gaps.std(ddof=1) / len(gaps) ** 0.5  # t of 399 degrees of freedom, 0.975
    assert difference["high"] - difference["value"] == pytest.approx(half, rel=1e-5)


@pytest.mark.parametrize("most", [100, 99])
def test_a_gate_reads_limits_that_allow_for_sure_errors_which_the_rows_lack(monkeypatch, most):
    """A model that is rarely wrong but sure: both have an expected Brier score of 0.01."""
    monkeypatch.setattr(row_differences, "MOST_ROWS", most)
    truth = np.arange(100) % 5 < 2
    frame = pl.DataFrame(
        {"truth": truth, "p": np.where(truth, 0.9, 0.1), "q": np.where(truth, 0.999, 0.001)}
    ).with_columns(p=pl.col("p") + 1e-4 * (pl.int_range(pl.len()) % 7))
    results = report(frame, gates=["first.brier_score - second.brier_score > 0"])
    [row] = results.differences.filter(metric="brier_score").to_dicts()
    test = probability_losses(frame.rename({"p": "a", "q": "b"}), asked("brier_score"))

    assert row["low"] < 0 < row["value"] < row["high"]
    assert (row["low"], row["high"]) == pytest.approx((test.low, test.high))
    assert results.gates["state"].to_list() == ["inconclusive"]


def test_a_gate_on_log_losses_that_have_no_largest_is_open_for_that_reason():
    random = np.random.default_rng(5)
    truth = random.random(300) < 0.4
    p = np.clip(0.3 + 0.4 * truth + random.normal(0, 0.2, 300), 0, 1).round(2)
    p = np.where((p == 0) & truth, 0.01, np.where((p == 1) & ~truth, 0.99, p))
    q = np.clip(0.3 + 0.3 * truth + random.normal(0, 0.2, 300), 0.02, 0.98)
    frame = pl.DataFrame({"truth": truth, "p": p, "q": q})
    results = report(frame, gates=["first.log_loss - second.log_loss < 0.5"])
    [gate] = results.gates.to_dicts()

    assert gate["state"] == "inconclusive"
    assert gate["why"].startswith("some probabilities of first are exactly 0 or 1, where an error")
    assert not without_chinese(results, [f"Inconclusive: {gate['why']}."])


def test_gates_on_weighted_losses_allow_for_sure_errors_and_those_in_time_have_limits_of_blocks():
    truth = np.arange(100) % 5 < 2
    frame = pl.DataFrame(
        {"truth": truth, "p": np.where(truth, 0.9, 0.1), "q": np.where(truth, 0.999, 0.001)}
    ).with_columns(p=pl.col("p") + 1e-4 * (pl.int_range(pl.len()) % 7), w=1 + pl.int_range(100) % 2)
    gates = ["first.brier_score - second.brier_score > 0"]
    weighted = report(frame, gates=gates, columns={"weight": "w"})
    timed = report(frame.with_columns(t=pl.int_range(100)), gates=gates, columns={"time": "t"})

    assert weighted.gates["state"].to_list() == ["inconclusive"]
    [row] = timed.differences.filter(metric="brier_score").to_dicts()
    assert row["interval"] != "score"
    assert row["high"] - row["low"] < 0.01


def test_the_interval_of_the_recommended_test_stands(rows):
    results = report(rows)
    test = results.comparisons.filter(metric="auc", recommendation="recommended").row(0, named=True)
    difference = by_name(results.differences)["auc"]

    assert [difference[k] for k in ("value", "low", "high")] == [
        test[k] for k in ("estimate", "low", "high")
    ]


def test_a_gate_on_a_difference_is_judged_with_its_interval(rows):
    gates = [
        "first.recall - second.recall > -0.2",
        "second.f1 - first.f1 < 0.2",
        "first.average_precision - second.average_precision > -0.5",
        "first.recall - second.recall > 0",
    ]
    results = report(rows, gates=gates)
    gate_rows = results.gates

    assert gate_rows["low"].null_count() == 0
    assert gate_rows["state"].to_list()[:3] == ["pass", "pass", "pass"]
    assert (gate_rows["low"] <= gate_rows["observed"]).all()
    assert (gate_rows["observed"] <= gate_rows["high"]).all()
    assert by_name(results.differences)["average_precision"]["interval"] == "influence t"


@pytest.mark.slow
def test_differences_of_copies_of_rows_in_groups_are_those_of_the_rows(rows):
    """Five copies of a row as a group: its limits, but for n/(n − 1) and the quantile of t."""
    patients = rows.with_columns(patient=pl.int_range(pl.len()))
    copies = pl.concat([patients] * 5)
    alone = by_name(report(rows).differences)
    grouped = by_name(report(copies, columns={"group": "patient"}).differences)
    apart = by_name(report(copies).differences)

    limited = [name for name, row in alone.items() if row["low"] is not None]
    assert {"recall", "f1", "mcc", "auc", "accuracy", "brier_score", "log_loss"} <= set(limited)
    for name in set(limited) - {"expected_total_cost"}:  # its rows are dealt to parts at random
        widths = [design[name]["high"] - design[name]["low"] for design in (alone, grouped, apart)]
        assert grouped[name]["value"] == pytest.approx(alone[name]["value"], abs=1e-12)
        assert widths[1] == pytest.approx(widths[0], rel=0.02), name
        assert widths[2] < 0.5 * widths[0], name


def test_gates_on_differences_read_limits_that_allow_for_groups(rows):
    copies = pl.concat([rows.with_columns(patient=pl.int_range(pl.len()))] * 5)
    gates = [f"first.{name} - second.{name} > 0" for name in ("auc", "accuracy", "f1", "recall")]
    results = report(copies, columns={"group": "patient"}, gates=gates)
    gate_rows = results.gates
    by_metric = by_name(results.differences)
    tests = {row["comparison"]: row for row in results.comparisons.to_dicts()}

    for gate, name in zip(gate_rows.to_dicts(), ("auc", "accuracy", "f1", "recall"), strict=True):
        assert (gate["low"], gate["high"]) == (by_metric[name]["low"], by_metric[name]["high"])
    for name, test in (("auc", "obuchowski"), ("accuracy", "mcnemar_groups")):
        assert by_metric[name]["low"] == tests[test]["low"]
    alone = report(rows, gates=gates).gates
    assert gate_rows["low"].to_list() == pytest.approx(alone["low"].to_list(), abs=0.01)


def test_limits_in_groups_of_which_one_is_large_seldom_leave_out_no_difference():
    """By the squared sums of the groups as they are in 0.30 to 0.37 of the data sets."""
    assert max(rates(15, 0.7, 0.5, 100).values()) <= 0.08


@breadth(
    ("name", "gate"),
    [
        ("digits", "forest.macro_f1 - logistic.macro_f1 > 0"),
        ("diabetes", "forest.mean_absolute_error - ridge.mean_absolute_error > 0"),
        ("digit_properties", "forest.macro_f1 - logistic.macro_f1 > 0"),
    ],
    0,
)
def test_a_gate_of_any_task_has_the_interval_of_its_difference(name, gate):
    declared = read(EXAMPLES / name / "report.yaml")
    plain = example_results(name)
    gated = evaluate(declared.model_copy(update={"gates": (gate,)}))
    row = gated.gates.row(0, named=True)

    assert row["low"] < row["observed"] < row["high"]
    assert gated.decision.headline == plain.decision.headline


def test_an_empty_cell_of_rows_that_one_model_has_right_is_no_certainty():
    """Four rows against none: McNemar's mid-p is 0.0625, and no measure of them leaves out 0."""
    cells = {(0, 0, 0): 900, (0, 1, 1): 100, (0, 1, 0): 4, (1, 1, 1): 8, (1, 0, 0): 2}
    columns = {name: [cell[k] == 1 for cell in cells] for k, name in enumerate(("truth", "a", "b"))}
    rows = pl.DataFrame(columns | {"n": list(cells.values())})
    rows = rows.select(pl.exclude("n").repeat_by("n").explode())
    limits = differences(
        joint_counts(rows, "a", "b"), ["specificity", "cohen_kappa", "informedness"]
    )

    for row in limits.to_dicts():
        assert row["low"] < row["value"] < 0 < row["high"], row
