"""The typed rows of the results are those of the tables."""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

import polars as pl
import pytest

from reportgen.comparisons import Question, table
from reportgen.records.contract import results_schema
from reportgen.records.model import typed
from reportgen.records.rows import rows_of
from reportgen.records.threshold_choice import CertaintyRecord
from reportgen.resampling.threshold_uncertainty import ThresholdUncertainty
from reportgen.tables import Comparisons
from reportgen.tables.checked import Proportion, ResultTable, column_types
from reportgen.tables.comparisons import ComparisonRow
from reportgen.tables.results import MetricRow


class _Row(TypedDict):
    name: str
    kind: Literal["a", "b"]
    p_value: Proportion | None
    parts: Sequence[float]
    small: NotRequired[bool]


class _Table(ResultTable, row=_Row):
    pass


def test_a_table_has_the_columns_of_its_row():
    columns = _Table.to_schema().columns
    checks = {name: [check.name for check in column.checks] for name, column in columns.items()}

    assert {name: column.dtype.type for name, column in columns.items()} == {
        "name": pl.String,
        "kind": pl.String,
        "p_value": pl.Float64,
        "parts": pl.List(pl.Float64),
        "small": pl.Boolean,
    }
    assert [name for name, column in columns.items() if column.nullable] == ["p_value"]
    assert checks["kind"] == ["isin"]
    assert checks["p_value"] == ["greater_than_or_equal_to", "less_than_or_equal_to"]


def test_the_record_of_an_uncertain_threshold_has_its_fields():
    assert CertaintyRecord.__annotations__.keys() == set(ThresholdUncertainty.__slots__)


def test_rows_are_not_read_as_those_of_another_table():
    with pytest.raises(KeyError, match="MetricRow has columns that the table lacks"):
        rows_of(pl.DataFrame({"metric": ["auc"]}), MetricRow)


def test_tests_are_read_as_they_were_written():
    question = Question(("a", "b"), "auc")
    tests = [question.record("delong", p_value=0.5, caveats=("rough",), cross_table=(1.0, 2.0))]
    columns = column_types(Comparisons)

    (row,) = rows_of(table(tests), ComparisonRow)

    assert [getattr(row, name) for name in columns] == [getattr(tests[0], name) for name in columns]
    assert typed(Comparisons, [row]).equals(table(tests))


def test_a_fact_that_older_results_lack_is_not_required():
    data = results_schema()["properties"]["data"]["properties"]
    group = data["undeclared_groups"]["items"]

    assert {"column", "limits"} <= set(group["required"])
    assert "sampled" in group["properties"]
    assert "sampled" not in group["required"]
