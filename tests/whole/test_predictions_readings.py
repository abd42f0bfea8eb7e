"""Repeats of the same rows that no fold tells apart are readings, not separately fitted models."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.predictions.repeated_readings import readings

COLUMNS = {"id": "case", "repeat": "reader"}


def read(cases: int = 60, readers: int = 3) -> pl.DataFrame:
    """The scores of two aids by case and reader; all cases are read by each."""
    random = np.random.default_rng(5)
    truth = np.arange(cases) % 2
    hard = random.normal(size=cases)
    rows = [
        {"case": case, "reader": f"r{reader}", "site": case % 20, "y": int(truth[case])}
        | {name: truth[case] * d + hard[case] + random.normal() for name, d in AIDS.items()}
        for case in range(cases)
        for reader in range(readers)
    ]
    return pl.DataFrame(rows)


AIDS = {"aided": 2.5, "unaided": 1.0}


def evaluated(frame: pl.DataFrame, columns: dict[str, str]):
    models = {name: {"score": name} for name in AIDS}
    return evaluate({"truth": "y", "models": models, "columns": columns}, frame)


def test_readings_of_the_same_rows_by_a_model_are_a_group_and_a_test_over_rows_decides():
    results = evaluated(read(), COLUMNS)
    by_group = evaluated(read(), {"group": "case"})

    assert results.decision.headline == by_group.decision.headline
    assert results.decision.test == "obuchowski"
    assert results.data["groups"]["number"] == 60
    assert not any(caveat.code == "pooled_fits" for caveat in results.decision.caveats)
    assert any(check["name"] == "readings" for check in results.data["checks"])


def test_a_declared_group_stays_and_rows_that_a_reader_lacks_change_nothing():
    results = evaluated(read().filter(pl.int_range(180) % 11 != 5), COLUMNS)
    of_sites = evaluated(read(), {**COLUMNS, "group": "site"})

    assert results.data["groups"]["number"] == 60
    assert of_sites.data["groups"]["number"] == 20
    crossed = evaluated(read(), {**COLUMNS, "group": "reader"})
    assert crossed.data["groups"]["crossed"] == 180


@pytest.mark.parametrize("further", [{"fold": ["f"] * 4}, {"role": ["test"] * 4}])
def test_a_fold_or_a_role_beside_the_repeat_says_that_models_were_fitted_again(further):
    frame = pl.DataFrame({"id": ["a", "b"] * 2, "repeat": ["1", "1", "2", "2"], **further})

    assert readings(frame) == (frame, [])


def test_repeats_that_each_test_other_rows_stay_hold_out_splits():
    random = np.random.default_rng(1)
    drawn = [random.choice(60, 30, replace=False) for _ in range(2)]
    frame = pl.DataFrame({"id": np.concatenate(drawn), "repeat": np.repeat(["1", "2"], 30)})

    assert readings(frame)[0].equals(frame)


def test_repeats_without_ids_are_said_to_lack_them_not_to_be_fits():
    decision = evaluated(read(), {"repeat": "reader"}).decision

    assert decision.headline.endswith("without ids it is unknown which rows the repeats share")
    assert "Name the id" in " ".join(caveat.text for caveat in decision.caveats)
    assert not any("separately fitted models whose" in caveat.text for caveat in decision.caveats)
