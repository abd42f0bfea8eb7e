"""What the sections of decisions and costs say."""

from __future__ import annotations

import pytest

from reportgen.charts import confusion, scores
from reportgen.sections.costs import CostsSection
from reportgen.sections.decisions import Decisions
from tests import sections_results
from tests.section_tables import column, text


def test_confusion_counts_add_up_to_the_rows():
    table = Decisions.from_results(sections_results.rich(), []).tables[0]
    for r in table.rows:
        assert sum(int(text(r.cells[key])) for key in ("tp", "fn", "fp", "tn")) == 300


@pytest.mark.parametrize(
    ("models", "subject"),
    [
        (["strong"], "The threshold of strong was chosen"),
        (["strong", "weak"], "The thresholds of strong and weak were chosen"),
    ],
)
def test_thresholds_chosen_on_the_evaluated_rows_are_warned_of_once(models, subject):
    results = sections_results.results_of(
        {m: {"score": m} for m in models}, threshold={"maximise": "f1"}
    )
    (warning,) = Decisions.from_results(results, []).warnings

    assert warning.startswith(f"{subject} on the evaluation data")
    assert "optimistic" in warning


def test_a_threshold_chosen_on_validation_rows_is_not_warned_of():
    results = sections_results.results_of(
        {"strong": {"score": "strong"}}, threshold={"maximise": "f1"}, columns={"role": "role"}
    )
    decisions = Decisions.from_results(results, [])

    assert decisions.warnings == ()
    assert "on the validation rows" in decisions.rules[0]


def test_labels_that_disagree_with_the_score_are_counted():
    results = sections_results.results_of({"both": {"score": "weak", "label": "label"}})
    (disagreeing,) = [model["disagreements"] for model in results.data["models"]]
    (warning,) = Decisions.from_results(results, []).warnings

    assert disagreeing > 1
    assert warning.startswith(f"{disagreeing} supplied labels of both disagree")


def test_costs_that_are_not_declared_are_said_to_be_one():
    assert CostsSection.from_results(sections_results.better(), []).declared.startswith(
        "No costs are declared"
    )


def test_declared_costs_are_told():
    costs = {"false_negative": 10, "false_positive": 1}
    results = sections_results.results_of({"strong": {"score": "strong"}}, costs=costs)

    assert CostsSection.from_results(results, []).declared == (
        "A false negative costs 10, a false positive 1; a correct decision costs nothing."
    )


def test_the_cost_regions_cover_the_axis_without_a_gap():
    cheapest = CostsSection.from_results(sections_results.close(), []).cheapest
    starts, ends = column(cheapest, "low"), column(cheapest, "high")

    assert (starts[0], ends[-1]) == ("0.000", "1.000")
    assert starts[1:] == ends[:-1]


@pytest.mark.parametrize(
    ("models", "section"), [(["strong"], "decisions"), (["strong", "weak"], "discrimination")]
)
def test_the_scores_of_a_single_model_stand_beside_its_confusion_counts(models, section):
    results = sections_results.results_of({m: {"score": m} for m in models})

    figures = scores.figures(results)
    assert {figure.section for figure in figures} == {section}

    beside = Decisions.from_results(results, [*figures, *confusion.figures(results)]).figures
    assert len(beside) == 2
