"""Whether more or less of a measure is better, of tables of values."""

from __future__ import annotations

import polars as pl
import pytest

import reportgen
from reportgen.errors import SpecError
from reportgen.initial_spec import init_spec
from reportgen.spec.direction import direction
from tests.page_text import without_chinese

COLUMNS = {"dataset": "d", "models": ["larger", "smaller"]}
VALUES = pl.DataFrame(
    {
        "d": [f"d{k}" for k in range(12)],
        "larger": [5.1 + k % 5 for k in range(12)],
        "smaller": [4.9 + k % 5 - k / 90 for k in range(12)],
    }
)


def evaluated(**more: str) -> reportgen.Results:
    return reportgen.evaluate({"task": "comparison", "columns": COLUMNS, **more}, VALUES)


def directions_guessed(results: reportgen.Results) -> list[str]:
    return [check["detail"] for check in results.data["checks"] if check["name"] == "direction"]


@pytest.mark.parametrize("measure", ["rmse", "RMSE", "Mean squared error", "mae", "LogLoss"])
def test_less_of_an_error_is_better_by_any_name_that_the_catalogue_knows(measure):
    results = evaluated(measure=measure)

    assert results.decision.leader == "smaller"
    assert directions_guessed(results) == []


@pytest.mark.parametrize("measure", ["loss", "perplexity", "WER", "latency_ms", "test error"])
def test_a_word_of_losses_is_taken_for_less_is_better_with_a_warning(measure):
    results = evaluated(measure=measure)

    assert results.decision.leader == "smaller"
    assert "lower values are taken to be better, by its name" in directions_guessed(results)[0]


@pytest.mark.parametrize("measure", ["AUC", "accuracy_percent", "score", "grade", "macro_f1"])
def test_known_measures_of_quality_need_no_direction(measure):
    known = direction(measure)

    assert known is not None
    assert (known.better, known.guessed) == ("higher", False)


@pytest.mark.parametrize("measure", ["throughput", "accuracy_loss", "mean_error", "value"])
def test_a_name_that_does_not_say_what_is_better_is_refused_where_it_stands(measure):
    with pytest.raises(SpecError, match="does not say which values are better") as caught:
        evaluated(measure=measure)

    assert "better: lower" in caught.value.problems[0].hint


def test_a_stated_direction_goes_before_the_name():
    results = evaluated(measure="rmse", better="higher")

    assert results.decision.leader == "larger"


def test_a_table_without_a_measure_states_what_is_better():
    with pytest.raises(SpecError, match="neither measure nor better"):
        evaluated()

    assert evaluated(better="lower").decision.leader == "smaller"


@pytest.mark.parametrize(
    ("column", "line"),
    [
        ("rmse", "better: lower  # by the measure's name: change it where more is better"),
        ("auc", "better: higher  # as the catalogue has it"),
        ("result", "better: higher  # a guess: change it where less is better"),
    ],
)
def test_init_states_which_values_are_better(tmp_path, column, line):
    long = VALUES.unpivot(index="d", variable_name="model", value_name=column)
    long.with_columns(pl.col(column) / 10).rename({"d": "dataset"}).write_csv(tmp_path / "s.csv")

    assert line in init_spec(tmp_path / "s.csv").splitlines()


def test_a_direction_against_that_of_a_known_measure_is_said_on_page_one():
    """It puts the model with the larger errors first, which may be a mistake."""
    text = "Lower values of 'rmse' are better by the catalogue, but the spec says higher."
    texts = [
        {caveat.text for caveat in evaluated(measure=measure, better=better).decision.caveats}
        for measure, better in (("rmse", "higher"), ("rmse", "lower"), ("latency_ms", "higher"))
    ]

    assert [text in of_spec for of_spec in texts] == [True, False, False]
    assert not without_chinese(evaluated(measure="rmse", better="higher"), [text])
