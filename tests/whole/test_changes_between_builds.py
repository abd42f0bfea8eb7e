"""The first line of a comparison of builds agrees with its table, and is of what changed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.builds import compare, comparison_pages
from reportgen.builds.change_records import adjust, verdict
from tests.quick import QUICK

SPEC = {
    "name": "nightly",
    "truth": "y",
    "models": {"a": {"score": "a"}, "b": {"score": "b"}},
    "columns": {"id": "id"},
    **QUICK,
}


def table() -> pl.DataFrame:
    random = np.random.default_rng(4)
    signal = random.normal(size=(300, 3))
    truth = signal.sum(1) > 0
    scores = 1 / (1 + np.exp(-signal))
    ids = [f"case {k}" for k in range(300)]
    return pl.DataFrame({"id": ids, "y": truth.astype(int), "a": scores[:, 0], "b": scores[:, 1]})


def build(folder: Path, out: str, name: str, date: str, **spec) -> Path:
    table().write_csv(folder / name)
    return reportgen.build(
        {**SPEC, "data": str(folder / name), **spec},
        out=folder / out,
        formats=["json"],
        date=dt.date.fromisoformat(date),
        allowed_roots=[folder],
    ).path


@pytest.fixture(scope="module")
def builds(tmp_path_factory) -> dict[str, Path]:
    """One file, twice under two names, at another threshold, and in another output folder."""
    folder = tmp_path_factory.mktemp("changes")
    return {
        "first": build(folder, "one", "jan.csv", "2026-01-01"),
        "renamed": build(folder, "one", "feb.csv", "2026-02-01"),
        "lower": build(folder, "one", "jan.csv", "2026-03-01", threshold=0.2),
        "elsewhere": build(folder, "two", "jan.csv", "2026-03-01", threshold=0.2),
    }


def row(model: str, metric: str, p: float | None, state: str) -> dict:
    return {
        "metric": metric,
        "label": metric,
        "model": model,
        "first": 0.8,
        "second": 0.7,
        "difference": -0.1,
        "low": -0.2,
        "high": -0.01,
        "p": p,
        "p_adjusted": None,
        "state": state,
    }


def test_a_change_whose_adjusted_p_is_not_significant_is_not_called_worse():
    rows = [row("a", "auc", 0.03, "worse"), row("b", "auc", 0.9, "worse")]
    adjust(rows, "auc", models=2, alpha=0.05)

    assert [r["p_adjusted"] for r in rows] == [0.06, 1.0]
    assert verdict(rows, "auc")[0] == "open"


def test_the_deciding_measure_does_not_pay_for_the_other_rows_of_the_table():
    others = [row("a", f"m{k}", 0.004, "worse") | {"difference": -k / 100} for k in range(20)]
    rows = [row("a", "auc", 0.004, "worse"), *others]
    adjust(rows, "auc", models=2, alpha=0.05)

    assert rows[0]["p_adjusted"] == 0.008
    assert {r["state"] for r in rows} == {"worse", "inconclusive"}
    assert verdict(rows, "auc")[0] == "worse"


def test_limits_of_one_of_many_measures_show_nothing_without_p():
    rows = [row("a", "auc", 0.9, "unchanged"), row("a", "brier_score", None, "worse")]
    adjust(rows, "auc", models=1, alpha=0.05)
    deciding = [row("a", "brier_score", None, "worse")]
    adjust(deciding, "brier_score", models=1, alpha=0.05)

    assert rows[1]["state"] == "not tested"
    assert deciding[0]["state"] == "worse"


def test_another_threshold_is_not_called_unchanged_because_the_auc_is(builds):
    compared = compare(builds["first"], builds["lower"])

    assert compared.state == "worse"
    assert compared.verdict.startswith("Worse: accuracy of a −0.")
    assert compared.verdict.endswith("; AUC is unchanged.")


def test_the_same_file_in_two_output_folders_has_the_same_rows(builds):
    """Ids are hashed with a key of each folder, which tells nothing of the rows."""
    one, two = (compare(builds["first"], builds[other]) for other in ("lower", "elsewhere"))

    assert two.data["added"] == two.data["removed"] == 0
    assert two.basis == "300 paired rows, in order"
    assert [(r["difference"], r["state"]) for r in one.measures] == [
        (r["difference"], r["state"]) for r in two.measures
    ]


def test_a_file_of_another_name_and_the_same_content_is_not_said_to_be_missing(builds):
    compared = compare(builds["first"], builds["renamed"])

    files = dict(comparison_pages.facts(compared))["Files"]
    assert compared.state == "unchanged"
    assert files.endswith("feb.csv in B, with the same content")


def test_limits_of_several_models_hold_together_and_agree_with_their_p(builds):
    """Of the deciding measure and at the same rows: p below α where 0 is outside the limits."""
    compared = compare(builds["first"], builds["lower"])
    tested = [r for r in compared.measures if r["metric"] == "accuracy" and r["p"] is not None]

    assert len(tested) == 2
    for one in tested:
        assert (min(2 * one["p"], 1) < 0.05) == (one["low"] > 0 or one["high"] < 0)
