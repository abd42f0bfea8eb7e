"""Tests that the shared cases lack, against values of STAC, baycomp, statsmodels, SciPy and R."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.comparisons import (
    Draws,
    Question,
    aligned_ranks,
    bayesian_signed_rank,
    conover,
    equivalence,
    venkatraman,
)
from reportgen.comparisons.paired import mean_difference
from reportgen.results import Results
from reportgen.tables import BlockScores

REFERENCE = Path(__file__).parents[1] / "reference"
VALUES: dict[str, Any] = json.loads((REFERENCE / "comparisons.json").read_text(encoding="utf-8"))
TABLE = pl.read_csv(REFERENCE / "data" / "garcia_herrera_2008.csv")


def question(*models: str) -> Question:
    return Question(models, "accuracy")


def blocks(wide: pl.DataFrame) -> pl.DataFrame:
    long = wide.with_row_index("block").unpivot(
        index="block", variable_name="model", value_name="value"
    )
    return BlockScores.validate(long.with_columns(pl.col("block").cast(pl.String)))


def pairs(case: dict[str, Any]) -> pl.DataFrame:
    return TABLE.select(first=case["a"], second=case["b"])


@pytest.mark.parametrize("case", VALUES["aligned_ranks"], ids=lambda c: str(len(c["values"])))
def test_aligned_ranks_are_those_of_stac(case):
    models = [f"m{i}" for i in range(len(case["values"][0]))]
    wide = pl.DataFrame(case["values"], schema=models, orient="row")
    record = aligned_ranks(blocks(wide), question(*models))
    assert record.statistic == pytest.approx(case["statistic"])
    assert record.p_value == pytest.approx(case["p"])


@pytest.mark.parametrize("case", VALUES["bayesian_signed_rank"], ids=lambda c: c["b"])
def test_posterior_signed_ranks_are_those_of_baycomp(case):
    record = bayesian_signed_rank(pairs(case), question(case["a"], case["b"]), rope=case["rope"])
    # Two simulations, of 20,000 and of 100,000 draws: four standard errors of the larger one.
    for share, expected in zip(record.probabilities, case["probabilities"], strict=True):
        error = 4 * np.sqrt(max(expected * (1 - expected), 1e-4) / 20_000)
        assert share == pytest.approx(expected, abs=error)


@pytest.mark.parametrize("case", VALUES["tost"], ids=lambda c: c["b"])
def test_equivalence_is_that_of_statsmodels(case):
    mean = mean_difference(pairs(case))
    both, one = equivalence(mean, question(case["a"], case["b"]), case["margin"])
    assert both.p_value == pytest.approx(case["p"])
    assert one.p_value == pytest.approx(case["p_above"])


def test_conovers_pairs_are_those_of_scikit_posthocs():
    models = [name for name in TABLE.columns if name != "dataset"]
    records = conover(blocks(TABLE.select(models)), question(*models))
    p = {" − ".join(record.models): record.p_value for record in records}
    assert p == {name: pytest.approx(value) for name, value in VALUES["conover"].items()}


@pytest.mark.parametrize("case", VALUES["venkatraman"], ids=lambda c: f"{c['a']}-{c['b']}")
def test_whole_curves_differ_as_in_proc(case):
    ranks = pl.read_csv(REFERENCE / "data" / "bc_ranks.csv").cast({"truth": pl.Boolean})
    models = (case["a"], case["b"])
    record = venkatraman(ranks, Question(models, "ROC curve"), draws=Draws(1999))
    assert record.statistic == case["E"]
    # Both p-values are of permutations: four standard errors of 1,999 and of 4,000 draws.
    error = 4 * np.sqrt(case["p"] * (1 - case["p"]) * (1 / 1999 + 1 / 4000))
    assert record.p_value == pytest.approx(case["p"], abs=error)


MODELS: dict[str, dict[str, dict[str, str]]] = {
    "binary": {m: {"score": m} for m in "ab"},
    "multiclass": {m: {"label": m} for m in "ab"},
    "regression": {m: {"estimate": m} for m in "ab"},
}


LONG = ("median_absolute_error", "brier_score")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(c, marks=pytest.mark.slow) if c["metric"] in LONG else c
        for c in VALUES["exchanged"]
    ],
    ids=lambda c: c["metric"],
)
def test_exchanged_outputs_give_the_p_of_all_exchanges_in_scipy(case):
    """SciPy counts all 2¹¹ exchanges; here 9,999 are drawn."""
    frame = pl.DataFrame({name: case[name] for name in ("truth", "a", "b")})
    if case["task"] == "multiclass":
        frame = frame.cast(pl.String)
    spec = {
        "data": "frame",
        "task": case["task"],
        "truth": "truth",
        "models": MODELS[case["task"]],
        "baseline": "b",
        "comparisons": {"measures": [case["metric"]]},
        "bootstrap": {"replicates": 9999},
    }
    rows = reportgen.evaluate(spec, frame).comparisons.filter(
        comparison="paired_permutation", metric=case["metric"]
    )
    row = rows.row(0, named=True)
    assert row["estimate"] == pytest.approx(case["estimate"], abs=1e-9)
    error = 4 * np.sqrt(case["p"] * (1 - case["p"]) / 9999)
    assert row["p_value"] == pytest.approx(case["p"], abs=error + 1e-4)


def generalised(frame: pl.DataFrame) -> dict[str, float]:
    spec = {
        "data": "frame",
        "truth": "truth",
        "task": "multiclass",
        "models": {"tree": {"label": "said"}},
        "columns": {"id": "id", "repeat": "repeat", "role": "role"},
    }
    results: Results = reportgen.evaluate(spec, frame.cast(pl.String))
    return dict(results.generalisation.select("quantity", "value").iter_rows())


def test_the_632_estimates_of_many_repeats_are_those_of_ipred():
    estimates = generalised(pl.read_csv(REFERENCE / "data" / "bootstrap_632.csv"))
    for name, expected in VALUES["bootstrap_632"].items():
        assert estimates[name] == pytest.approx(expected)


def test_the_632_estimates_of_one_split_are_those_of_mlxtend():
    """One fit, evaluated on all rows, stands for the empirical error, as mlxtend has it."""
    case = VALUES["one_split"]
    rows = pl.DataFrame({"id": range(150), "truth": case["truth"], "said": case["said"]})
    tested = rows.filter(pl.col("id").is_in(case["out_rows"])).with_columns(
        repeat=pl.lit(1), role=pl.lit("test")
    )
    again = tested.head(10).with_columns(repeat=pl.lit(2))
    apparent = rows.with_columns(repeat=pl.lit(3), role=pl.lit("train"))
    estimates = generalised(pl.concat([tested, again, apparent]))
    assert estimates["out_of_bag"] == pytest.approx(case["out"])
    for name in ("point632", "point632_plus"):
        assert estimates[name] == pytest.approx(case[name])
