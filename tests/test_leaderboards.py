"""Leaderboards: a row for each model, and a column of values for each data set."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import yaml

import reportgen
from reportgen import spec as specs
from reportgen.errors import DataError, SpecError
from reportgen.initial_spec import init_spec

SETS = ["MMLU", "HellaSwag", "ARC-C", "TruthfulQA", "GSM8K", "WinoGrande"]
TEAMS = ["alpha", "beta", "gamma"]
VALUES = np.random.default_rng(2).normal(70, 8, (3, 6)).round(1)
BOARD = pl.DataFrame({"Model": TEAMS} | dict(zip(SETS, VALUES.T, strict=True)))
TABLE = pl.DataFrame({"Data set": SETS} | dict(zip(TEAMS, VALUES, strict=True)))
SPEC = {"task": "comparison", "measure": "accuracy_percent"}
ROWS = SPEC | {"columns": {"model": "Model", "datasets": SETS}}


def test_a_leaderboard_and_its_transposed_table_give_the_same_numbers():
    rows = reportgen.evaluate(ROWS, BOARD)
    columns = SPEC | {"columns": {"dataset": "Data set", "models": TEAMS}}
    other = reportgen.evaluate(columns, TABLE)

    assert rows.comparisons.height > 3
    assert rows.comparisons.equals(other.comparisons)
    assert rows.decision == other.decision


@pytest.mark.parametrize(("table", "across"), [(BOARD, "datasets"), (TABLE, "models")])
def test_init_recognises_both_layouts(tmp_path, table, across):
    table.write_csv(tmp_path / "board.csv")
    (tmp_path / "s.yaml").write_text(init_spec(tmp_path / "board.csv"))
    spec = specs.read(tmp_path / "s.yaml")

    assert list(getattr(spec.columns, across)) == (SETS if across == "datasets" else TEAMS)
    assert reportgen.evaluate(spec).decision.headline


def test_a_mean_over_the_data_sets_is_none(tmp_path):
    BOARD.insert_column(1, BOARD.select(SETS).mean_horizontal().alias("Average")).write_csv(
        tmp_path / "b.csv"
    )

    columns = yaml.safe_load(init_spec(tmp_path / "b.csv"))["columns"]
    assert columns == {"model": "Model", "datasets": SETS}


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"datasets": SETS}, "columns does not name model"),
        ({"model": "Model", "datasets": SETS, "value": "MMLU"}, "both datasets and value"),
        ({"model": "Model", "datasets": SETS, "models": TEAMS}, "both datasets and models"),
        ({"model": "Model", "datasets": [*SETS, "MMLU"]}, "a data set and also another data set"),
        ({"model": "Model", "datasets": [*SETS, "Model"]}, "a data set and also model"),
    ],
)
def test_columns_that_contradict_one_another_are_refused(columns, says):
    with pytest.raises(SpecError, match=says):
        reportgen.evaluate(SPEC | {"columns": columns}, BOARD)


def test_a_fault_names_its_column():
    twice = pl.concat([BOARD, BOARD.head(1)])
    with pytest.raises(DataError, match="column 'MMLU', row 4"):
        reportgen.evaluate(ROWS, twice)
