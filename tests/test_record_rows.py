"""The typed rows of the results are those of the tables."""

import polars as pl
import pytest

from reportgen import tables
from reportgen.comparisons.records import Comparison, ComparisonFields
from reportgen.predictions.evaluation import ONE_TEST, EvaluationRecord, facts
from reportgen.records import rows
from reportgen.resampling.threshold_uncertainty import ThresholdUncertainty

ROWS = {
    tables.Metrics: rows.MetricRow,
    tables.Comparisons: rows.ComparisonRow,
    tables.Differences: rows.DifferenceRow,
    tables.Dominance: rows.DominanceRow,
    tables.Gaps: rows.Gap,
    tables.Gates: rows.GateRow,
    tables.Generalisation: rows.GeneralisationRow,
    tables.Slices: rows.SliceSizeRow,
}


@pytest.mark.parametrize("table", ROWS, ids=lambda table: table.__name__)
def test_a_row_has_the_columns_of_its_table(table):
    assert list(ROWS[table].__annotations__) == list(table.to_schema().columns)


def test_the_record_of_an_evaluation_has_its_fields_and_what_follows_from_them():
    assert facts(ONE_TEST).keys() == EvaluationRecord.__annotations__.keys()


def test_the_record_of_an_uncertain_threshold_has_its_fields():
    assert rows.CertaintyRecord.__annotations__.keys() == set(ThresholdUncertainty.__slots__)


def test_rows_are_not_read_as_those_of_another_table():
    with pytest.raises(KeyError, match="MetricRow has columns that the table lacks"):
        rows.rows_of(pl.DataFrame({"metric": ["auc"]}), rows.MetricRow)


def test_the_fields_that_a_comparison_is_given_are_its_own():
    of_question = {"comparison", "metric", "models", "null_hypothesis", "alpha"}

    assert ComparisonFields.__annotations__.keys() == set(Comparison.__slots__) - of_question
