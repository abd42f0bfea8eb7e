"""Limits of single measures where rows are in order of time: their coverage, and who has them.

Truth and score of a row depend on those of the row before. Blocks of consecutive time points
then count as groups; of R data sets the share that holds the true value may lie below
what is asked by three standard errors of the simulation itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np
import polars as pl
import pytest
from scipy.signal import lfilter
from scipy.special import expit, ndtr

from reportgen.measuring.time_blocks import time_blocks
from reportgen.results import Results, evaluate
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.breadth import breadth
from tests.report_data import Rows
from tests.report_designs import several
from tests.simulations.limits_in_time import held, sample
from tests.whole.test_results_groups_coverage import DECIDED, FURTHER, OF_SCORES, binary, numbers

LEAST = {100: 0.89, 200: 0.91, 1000: 0.92}
"""What limits cover at least, by time points, up to an autocorrelation of 0.8."""


@dataclass(frozen=True)
class Series:
    """Time points, and the autocorrelation of all that varies."""

    points: int
    depends: float

    def sample(self, random: np.random.Generator, points: int | None = None) -> pl.DataFrame:
        """Rows with a truth, a probability, a number and its estimate, in blocks of time."""
        n, rho = points or self.points, self.depends
        noise = random.normal(size=(3, n + 100)) * sqrt(1 - rho**2)
        latent, error, rest = lfilter([1.0], [1.0, -rho], noise, axis=1)[:, 100:]
        score = 0.8 * latent + 0.6 * error
        return pl.DataFrame(
            {
                "group": time_blocks(pl.Series(np.arange(n))),
                "truth": latent > 0.25,
                "score": ndtr((0.8 * score - 0.25) / 0.6),
                "number": latent + rest,
                "estimate": score,
            }
        )


def coverage(series: Series, runs: int) -> dict[str, float]:
    """Share of the data sets whose limits hold the true value, by measure."""
    random = np.random.default_rng([7, series.points, round(10 * series.depends)])
    whole = series.sample(random, 400_000)
    samples = [series.sample(random) for _ in range(runs)]
    shares = {}
    for measure, names in ((binary, (*DECIDED, *OF_SCORES)), (numbers, FURTHER)):
        [truth], measured = measure([whole]), measure(samples)
        for name in names:
            rows = [row[name] for row in measured if row[name]["low"] is not None]
            assert len(rows) >= 0.98 * runs
            value = truth[name]["value"]
            shares[name] = float(np.mean([r["low"] <= value <= r["high"] for r in rows]))
    return shares


CASES = [(points, depends) for points in LEAST for depends in (0.0, 0.5, 0.8)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("points", "depends", "runs"),
    [
        (200, 0.8, 80),
        *(pytest.param(*case, 1000, marks=pytest.mark.slow) for case in CASES),
    ],
)
def test_limits_in_blocks_of_time_cover(points, depends, runs):
    shares = coverage(Series(points, depends), runs)
    error = 3 * sqrt(0.9 * 0.1 / runs)

    assert all(share >= LEAST[points] - error for share in shares.values()), shares


def _rows() -> pl.DataFrame:
    random = np.random.default_rng(3)
    shared = lfilter([1.0], [1.0, -0.9], random.normal(size=(2, 300)), axis=1)
    truth = shared[0] > 0
    return pl.DataFrame(
        {
            "truth": truth.astype(int),
            "p": expit(truth - 0.5 + shared[1]),
            "day": np.arange(300)[::-1],
            "site": np.where(np.arange(300) % 3 == 0, "u", "v"),
        }
    ).sample(fraction=1.0, shuffle=True, seed=1)


SPEC = {
    "data": "frame",
    "truth": "truth",
    "models": {"a": {"score": "p"}},
    "slices": ["site"],
    "bootstrap": {"replicates": 50},
}


@cache
def evaluated(*, in_time: bool) -> Results:
    return evaluate({**SPEC, "columns": {"time": "day"} if in_time else {}}, _rows())


def test_measures_in_order_of_time_have_the_limits_of_blocks_or_none():
    results, plain = (evaluated(in_time=declared).metrics for declared in (True, False))
    limited = results.drop_nulls("low")

    assert limited["interval"].str.ends_with(" (blocks of time)").all()
    assert {"auc", "accuracy", "brier_score"} <= set(limited["metric"])
    assert set(limited["slice"]) == {None, "site = u", "site = v"}
    resampled = plain.filter(pl.col("interval").str.starts_with("bootstrap"))
    assert resampled.height
    assert resampled.join(limited, on=["metric", "model", "slice"], nulls_equal=True).is_empty()
    columns = ["metric", "slice", "class", "average", "value"]
    assert results.select(columns).equals(plain.select(columns))


TASKS = {
    "binary": {"truth": "truth", "models": {m: {"score": m} for m in "ab"}},
    "multiclass": several("xyz"),
    "multilabel": several("xyz", truth={k: f"is_{k}" for k in "xyz"}),
}


@breadth("task", TASKS, ["binary", "multilabel"])
def test_limits_in_time_are_at_least_those_of_independent_rows(task):
    """Of all rows and of slices, where successive rows are independent."""
    frame = Rows(120, separation=1.0, task=task)(np.random.default_rng(4), 1)
    frame = frame.with_columns(day=pl.int_range(pl.len()))
    spec = TASKS[task] | {"task": task, "slices": ["part"], "bootstrap": {"replicates": 0}}
    series, alone = (
        evaluate({**spec, **more}, frame).metrics.drop_nulls("low")
        for more in ({"columns": {"time": "day"}}, {})
    )
    keys = ["metric", "model", "slice", "class", "average"]
    both = series.join(alone, on=keys, nulls_equal=True, suffix="_alone")

    assert both["slice"].n_unique() == 3
    assert both.height > 100
    assert (both["low"] <= both["low_alone"]).all()
    assert (both["high"] >= both["high_alone"]).all()
    assert ((both["low"] == both["low_alone"]) & (both["low"] < both["value"])).any()


MANY_RUNS = pytest.param(400, marks=pytest.mark.slow)


@pytest.mark.parametrize("runs", [20, MANY_RUNS])
@pytest.mark.parametrize(("shape", "points", "memory"), [((1, 0.4), 30, 0.0), ((5, 0.4), 60, 0.8)])
def test_areas_shares_and_brier_scores_in_time_are_held(shape, points, memory, runs):
    """By blocks alone the AUC of 30 independent rows was in 0.93 of 300 series."""
    shares = held(shape, points, memory, runs, ("auc", "accuracy", "brier_score"))
    error = 3 * sqrt(0.9 * 0.1 / runs)

    assert all(now >= max(0.9 - error, blocks) for now, blocks, _ in shares.values()), shares


def test_errors_that_follow_each_other_widen_the_limits():
    limits = [
        evaluated(in_time=declared)
        .metrics.filter(pl.col("slice").is_null(), metric="accuracy")
        .row(0, named=True)
        for declared in (True, False)
    ]
    widths = [row["high"] - row["low"] for row in limits]

    assert widths[0] > 1.5 * widths[1]


def test_differences_in_order_of_time_have_limits_that_allow_for_it_or_none():
    rows = _rows().with_columns(q=pl.col("p").shift(1, fill_value=0.5))
    models = {"a": {"score": "p"}, "b": {"score": "q"}}
    spec = {**SPEC, "models": models, "columns": {"time": "day"}}
    differences = evaluate(spec, rows).differences
    limited = dict(differences.drop_nulls("low").select("metric", "interval").iter_rows())

    of_errors = ("accuracy", "error_rate", "cost_sensitive_error_rate", "normalised_cost")
    assert {limited.pop(name) for name in of_errors} == {"long-run t"}  # costs of 1 are errors
    of_areas = [name for name in ("auc", "rank_loss", "gini") if name in limited]
    assert "auc" in of_areas
    assert {limited.pop(name) for name in of_areas} == {"long-run t"}
    assert {"recall", "f1", "brier_score"} <= set(limited)
    assert all(name.endswith(" (blocks of time)") for name in limited.values())


def test_differences_of_two_models_are_at_least_as_uncertain_as_those_of_independent_rows():
    """Of few blocks some vary less by chance than rows that do not depend on each other."""
    frame = Rows(60, models="ab")(np.random.default_rng(4), 1).with_columns(time=pl.int_range(60))
    spec = {"truth": "truth", "models": {m: {"score": m} for m in "ab"}, "data": "frame"}
    in_time, alone = (
        evaluate({**spec, "bootstrap": {"replicates": 0}, "columns": columns}, frame).differences
        for columns in ({"time": "time"}, {})
    )
    both = in_time.join(alone, on="metric", suffix="_alone").filter(
        pl.col("interval") == "paired delta (blocks of time)"
    )

    assert both.height >= 5
    assert (both["low"] <= both["low_alone"]).all()
    assert (both["high"] >= both["high_alone"]).all()
    assert (both["low"] < both["low_alone"]).any()


@pytest.mark.parametrize(
    ("points", "rows", "said"), [(59, 5, True), (60, 5, False), (59, 1, False)]
)
def test_few_points_of_several_rows_say_how_often_their_limits_hold(points, rows, said):
    frame = sample(np.random.default_rng(1), points, rows, 0.5, 0.4)
    spec = {"truth": "truth", "models": {"m": {"score": "score"}}, "columns": {"time": "point"}}
    results = evaluate({**spec, "data": "frame", "bootstrap": {"replicates": 0}}, frame)
    (text,) = (c.text for c in results.decision.caveats if c.code == "timed")

    assert ("contained the true value in 86 to 93 % of simulated series" in text) == said
    into = translator("zh", names_of(results.to_dict()))
    into.text(text, "li")
    assert not into.missing
