"""What another threshold would save: its size, its interval, and what it leaves as it is."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import polars as pl
import pytest

from reportgen.measuring.costed_rows import counted_cells
from reportgen.measuring.threshold_change import (
    CostRows,
    cheapest,
    cost_at_each,
    of_counts,
    threshold_change,
)
from reportgen.resampling.bootstrap_settings import BootstrapSettings
from reportgen.results import evaluate
from reportgen.text import numbers
from tests.breadth import breadth
from tests.engine_data import rows as engine_rows
from tests.engine_data import spec as engine_spec
from tests.engine_data import written
from tests.quick import QUICK


def rows(count: int, seed: int, signal: float = 1.2) -> CostRows:
    """Scores of known strength where a positive that is missed costs ten false alarms."""
    random = np.random.default_rng(seed)
    positive = random.random(count) < 0.3
    score = 1 / (1 + np.exp(1.2 - signal * positive - random.normal(size=count)))
    return CostRows(score, positive, np.where(positive, 10.0, 1.0), np.ones(count))


def test_the_cheapest_threshold_is_the_best_of_all_scores():
    for seed in range(20):
        sample = rows(40, seed)
        totals = {t: sample.cost(t).sum() for t in (*sample.score, np.inf)}
        assert sample.cost(cheapest(sample)).sum() == min(totals.values())


def test_the_cost_at_each_threshold_is_that_of_the_rows():
    sample = rows(60, 3)
    sample = CostRows(sample.score.round(1), sample.positive, sample.costs, np.arange(60.0))
    thresholds = [np.inf, *sorted(set(sample.score.tolist()), reverse=True)]
    expected = [np.average(sample.cost(t), weights=sample.weight) for t in thresholds]

    assert cost_at_each(sample) == pytest.approx(expected, rel=1e-12)


@breadth(("weighted", "validated"), [(False, True), (True, False), (False, False), (True, True)], 2)
def test_a_threshold_of_least_cost_is_that_of_the_costs_of_the_rows(validated, weighted):
    """Large sums have other scores than small ones, so that mean costs choose another threshold."""
    random = np.random.default_rng(8)
    truth, amount = random.random(1200) < 0.3, random.lognormal(2, 1.5, 1200)
    score = (1.5 * truth - 0.6 * np.log(amount) + random.normal(size=1200)).round(2)
    frame = pl.DataFrame({"y": truth, "amount": amount, "m": score}).with_columns(
        role=pl.when(pl.int_range(1200) % 2 == 0)
        .then(pl.lit("test"))
        .otherwise(pl.lit("validation")),
        w=pl.int_range(1200) % 3,
    )
    columns = {"role": "role"} if validated else {}
    columns |= {"weight": "w"} if weighted else {}
    spec = {
        "truth": "y",
        "models": {"m": {"score": "m"}},
        "costs": {"false_negative": {"column": "amount"}, "false_positive": 2},
        "threshold": {"minimise": "cost"},
        "columns": columns,
    }
    results = evaluate(spec, frame)
    (model,), change = results.data["models"], results.decision.action
    used = frame.filter(role="validation") if validated else frame
    costs = pl.when("y").then("amount").otherwise(2.0).alias("c")
    of_rows = used.select("m", "y", costs, w=pl.col("w").cast(float) if weighted else 1.0)
    best = cheapest(CostRows(*(of_rows[name].to_numpy() for name in ("m", "y", "c", "w"))))

    assert model["threshold"] == best == change.current == change.proposed
    assert weighted or model["threshold_choice"]["uncertain"] == "rows have costs of their own"


@pytest.mark.parametrize("highest", [0.9259, 0.92594, 1.0, 0.0, -3.21987, 12.0, 4321.5])
def test_a_threshold_above_all_scores_is_above_them_as_printed(highest: float):
    score = np.array([highest, highest - 1])
    dear = CostRows(score, np.array([False, True]), np.array([50.0, 1.0]), np.ones(2))

    proposed = cheapest(dear)
    printed = float(numbers.threshold(proposed).replace("−", "-").replace(",", ""))

    assert proposed > highest
    assert printed > highest


def test_the_interval_covers_the_saving_on_new_rows_where_choosing_on_the_rows_flatters():
    """150 data sets of 200 rows: 0.92 to 0.98 of the intervals hold the true saving."""
    population = rows(200_000, 99)
    held, biases = [], []
    for seed in range(150):
        sample = rows(200, seed)
        change = threshold_change("m", sample, 0.5, options=BootstrapSettings(seed=seed))
        true = float(population.cost(0.5).mean() - population.cost(change.proposed).mean())
        held.append(change.low <= true <= change.high)
        naive = float(sample.cost(0.5).mean() - sample.cost(change.proposed).mean())
        biases.append((change.saving - true, naive - true))
    assert 0.9 <= np.mean(held) <= 0.99
    fitted, naive = np.mean(biases, axis=0)
    assert abs(fitted) < naive / 2


def test_the_order_of_the_rows_does_not_matter():
    sample = rows(120, 3)
    order = np.random.default_rng(1).permutation(120)
    shuffled = CostRows(
        *(getattr(sample, n)[order] for n in ("score", "positive", "costs", "weight"))
    )

    assert threshold_change("m", sample, 0.5) == threshold_change("m", shuffled, 0.5)


def test_rows_of_one_group_widen_the_interval():
    one = rows(60, 5)
    names = ("score", "positive", "costs", "weight")
    tenfold = CostRows(*(np.repeat(getattr(one, n), 10) for n in names))
    grouped = CostRows(
        *(np.repeat(getattr(one, n), 10) for n in names), np.repeat(np.arange(60), 10)
    )

    alone, together = (threshold_change("m", r, 0.5) for r in (tenfold, grouped))
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_counts_by_score_give_the_saving_of_the_rows_themselves():
    sample = rows(500, 2)
    rounded = np.round(sample.score, 2)
    frame = (
        pl.DataFrame({"s": rounded, "y": sample.positive})
        .group_by("s")
        .agg(p=pl.col("y").sum(), n=(~pl.col("y")).sum())
    )
    counts = (frame["p"].cast(float).to_numpy(), frame["n"].cast(float).to_numpy())
    change = of_counts("m", counted_cells(frame["s"].to_numpy(), counts, (10.0, 1.0)), 0.5)
    whole = CostRows(rounded, sample.positive, sample.costs, sample.weight)

    of_rows = threshold_change("m", whole, 0.5)
    assert change.proposed == of_rows.proposed == cheapest(whole)
    assert change.cost_now == pytest.approx(of_rows.cost_now)
    assert json.loads(json.dumps(asdict(change)))["worthwhile"] is True
    assert change.saving == pytest.approx(of_rows.saving, abs=(of_rows.high - of_rows.low) / 4)
    assert change.high - change.low == pytest.approx(of_rows.high - of_rows.low, rel=0.25)
    assert (change.false_negatives, change.false_positives) == (
        int(((rounded < change.proposed) & sample.positive).sum())
        - int(((rounded < 0.5) & sample.positive).sum()),
        int(((rounded >= change.proposed) & ~sample.positive).sum())
        - int(((rounded >= 0.5) & ~sample.positive).sum()),
    )


def test_a_threshold_is_advised_only_where_costs_are_declared():
    sample = rows(400, 8)
    frame = pl.DataFrame({"y": sample.positive, "p": sample.score})
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, **QUICK}
    declared = {**spec, "costs": {"false_negative": 10, "false_positive": 1}}

    assert evaluate(spec, frame).decision.action is None
    action = evaluate(declared, frame).decision.action
    assert action.worthwhile
    assert action.text.startswith("Lower the threshold of m, from 0.5 to 0.")
    assert action.cost_now - action.cost_then == pytest.approx(action.saving)


def advised(sample: CostRows, **more: object) -> str:
    """The advice of a report on the rows, where a false negative costs ten false positives."""
    frame = pl.DataFrame({"y": sample.positive, "p": sample.score, **more})
    columns = {name: name for name in ("group", "role") if name in more}
    spec = {
        "truth": "y",
        "models": {"m": {"score": "p"}},
        **QUICK,
        "costs": {"false_negative": 10, "false_positive": 1},
        "columns": columns,
    }
    return evaluate(spec, frame).decision.action.text


def test_errors_counted_where_the_threshold_was_chosen_are_named_optimistic():
    sample = rows(400, 8)
    validated = advised(sample, role=["validation", "test"] * 200)

    assert "cross-fitted over 10 parts of the rows" in advised(sample)
    assert "On the rows where the threshold was chosen (optimistic): " in advised(sample)
    assert "threshold chosen on the validation rows). On the test rows: " in validated


@pytest.mark.parametrize("unit", [1e-4, 1, 50])
def test_weighted_errors_are_counted_by_weight_in_any_unit(unit):
    """Cases sampled twenty times as often as controls: the counts add up to the cost saved."""
    sample = rows(400, 8)
    weight = unit * np.where(sample.positive, 0.05, 1.0)
    weighted = CostRows(sample.score, sample.positive, sample.costs, weight)
    change = threshold_change("m", weighted, 0.2)
    saved = weight @ (weighted.cost(0.2) - weighted.cost(change.proposed)) / weight.mean()

    assert change.by_weight
    assert 10 * change.false_negatives + change.false_positives == pytest.approx(-saved)
    assert not threshold_change("m", sample, 0.2).by_weight


def test_rows_in_groups_are_cross_fitted_over_parts_of_the_groups():
    grouped = advised(rows(400, 8), group=[f"g{k // 4}" for k in range(400)])

    assert "cross-fitted over 10 parts of the groups" in grouped


def test_a_threshold_that_predicts_no_positives_costs_what_one_class_costs():
    """Its cost is printed with digits, and beside it that no model is needed for it."""
    random = np.random.default_rng(7)
    positive = np.arange(400) < 20
    uniform = random.random(400)
    score = np.where(positive, 0.3 + 0.5 * uniform, 0.9 * uniform)
    frame = pl.DataFrame({"y": positive, "p": score.round(4)})
    spec = {
        "data": "p.csv",
        "truth": "y",
        "models": {"m": {"score": "p"}},
        "costs": {"false_negative": 1, "false_positive": 50},
    }
    action = evaluate(spec, frame).decision.action

    assert action.proposed > frame["p"].max()
    assert "→ 0.050 (" in action.text
    assert action.text.endswith("Always predicting the cheaper class costs no more: 0.050 per row.")


def test_a_saving_that_the_cheaper_class_alone_has_most_of_is_put_beside_it():
    """At 0.5 the model costs more than predicting everybody positive, which costs little more."""
    random = np.random.default_rng(3)
    truth = random.random(2_000) < 0.6
    score = np.clip(0.42 + 0.14 * truth + random.normal(size=2_000) * 0.15, 0.01, 0.99)
    frame = pl.DataFrame({"y": truth, "p": score})
    spec = {
        "truth": "y",
        "models": {"m": {"score": "p"}},
        "costs": {"false_negative": 2, "false_positive": 1},
    }
    action = evaluate(spec, frame).decision.action

    assert action.cost_now > action.constant_cost > action.cost_then
    more = f"{action.constant_cost - action.cost_then:.3f}"
    alone = f"Always predicting the cheaper class costs {action.constant_cost:.3f} per row"
    assert action.text.endswith(f"{alone}, {more} more than at the new threshold.")


def test_counted_scores_equal_to_the_threshold_are_predicted_positive(tmp_path, monkeypatch):
    """The cell at the threshold belongs to those above it, or the advice would be left out.

    Only what the bootstrap says of the saving differs, as it resamples cells and not rows.
    """
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "cache"))
    data = written(engine_rows(2000, digits=2).select("y", "a"), tmp_path / "p.parquet")
    one = {"models": {"a": {"score": "a"}}, "costs": {"false_negative": 5, "false_positive": 1}}
    engines = ("exact", "streaming")
    exact, streaming = (evaluate(engine_spec(data, name, **one)).decision for name in engines)

    assert (pl.read_parquet(data)["a"] == 0.5).any()
    assert exact.action is not None
    assert streaming.action is not None
    for name in ("current", "proposed", "cost_now", "false_negatives", "false_positives"):
        assert getattr(streaming.action, name) == getattr(exact.action, name), name
