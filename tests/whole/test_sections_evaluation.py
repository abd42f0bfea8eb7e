"""What the report says of folds: the tests that decide, all pairs, generalisation."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import polars as pl

import reportgen
from reportgen.charts import figures
from reportgen.results import Results
from reportgen.sections import ledger, lookup
from reportgen.sections.comparisons import ComparisonsSection
from reportgen.sections.generalisation import GeneralisationSection
from reportgen.splitting import split
from tests.example_results import example_results
from tests.quick import QUICK

THREE = ("good", "heart", "poor")


@cache
def results(
    trained: bool = True, models: tuple[str, ...] = THREE, **comparisons: object
) -> Results:
    """Models over 2 × 5 folds; the second one knows its training rows by heart."""
    random = np.random.default_rng(0)
    truth = random.random(80) < 0.5
    splits = split(pl.DataFrame({"row": range(80)}), "repeated_k_fold", folds=5, repeats=2)
    y = truth[splits["id"].cast(pl.Int64).to_numpy() - 1]
    is_training = (splits["role"] == "train").to_numpy()
    noise = random.normal(size=(4, splits.height))
    frame = splits.drop("draws").with_columns(
        y=pl.Series(y),
        good=pl.Series(2 * y + noise[0]),
        heart=pl.Series(np.where(is_training, y, y + 2 * noise[1])),
        poor=pl.Series(0.2 * y + noise[2]),
        fair=pl.Series(y + noise[3]),
    )
    spec = {
        "data": "frame",
        "truth": "y",
        "threshold": 0.5,
        "models": {name: {"score": name} for name in models},
        "columns": {name: name for name in ("id", "fold", "repeat", "role")},
        **QUICK,
        "comparisons": comparisons,
    }
    return reportgen.evaluate(spec, frame if trained else frame.filter(role="test"))


def test_the_ledger_has_one_test_per_pair_and_measure_and_corrects_over_the_report():
    table = ledger.ledger(results(), lookup.compared(results()))
    assert table is not None
    # The AUCs of heart and poor are at chance, where no test over folds is recommended.
    areas, shares = ["AUC: Corrected t of repeats"] * 2, ["Accuracy: Corrected t of repeats"] * 3
    assert [row.group for row in table.rows] == areas + shares
    assert any("Holm over the 5 tests" in str(note) for note in table.notes)
    assert all(row.cells["detectable"] != "–" for row in table.rows)


def test_a_matrix_has_the_difference_of_a_pair_above_and_its_p_below():
    report = results(models=(*THREE, "fair"))
    (area, _) = ledger.matrices(report, lookup.compared(report))
    pairs = {
        r.models: r
        for r in lookup.compared(report)
        if r.recommendation == "recommended" and r.metric == "auc"
    }
    assert [row.cells["model"] for row in area.rows][::3] == ["good", "heart"]
    assert area.rows[0].cells["m3"].text.startswith("+")
    assert pairs["good", "heart"].estimate > 0
    assert area.rows[3].cells["m0"] == f"{pairs['good', 'heart'].p_adjusted:.3f}"
    assert area.rows[1].cells["m1"].text == "–"


def test_of_three_models_the_ledger_shows_every_pair_and_no_matrix_repeats_it():
    assert ledger.matrices(results(), lookup.compared(results())) == ()


def test_all_tests_stand_in_one_table_the_recommended_first_and_those_to_avoid_last():
    section = ComparisonsSection.from_results(results(), figures(results()))
    assert section is not None
    assert section.tests is not None
    groups = [row.group for row in section.tests.rows]
    for group in dict.fromkeys(g for g in groups if g and g.endswith("AUC")):
        names = [r.cells["test"].text for r in section.tests.rows if r.group == group]
        # The AUCs of heart and poor are at chance, where no test over folds is recommended.
        assert names[0].endswith(" ✓") != ({"heart", "poor"} <= set(re.findall(r"\w+", group)))
        assert names[-1].endswith(" ✗")
    assert any("✗ do not use here" in str(note) for note in section.tests.notes)
    assert "folds" in section.figures


def test_a_test_that_the_spec_chose_is_said_to_be_chosen():
    section = ComparisonsSection.from_results(results(test="paired_t_folds"), ())
    assert section is not None
    assert any("The spec chose the test: Paired t over folds" in text for text in section.sentences)


def test_generalisation_says_who_overfits():
    section = GeneralisationSection.from_results(results(), ())
    assert section is not None
    text = " ".join(section.findings)
    assert "heart overfits: error rate 0" in text
    assert "poor" in text
    assert section.parts is not None
    assert section.estimates is None


def test_generalisation_without_training_rows_shows_the_test_error_alone():
    section = GeneralisationSection.from_results(results(trained=False), ())
    assert section is not None
    assert "gap" not in [column.key for column in section.errors.columns]
    assert any("have no training rows" in str(note) for note in section.errors.notes)
    assert section.findings == ()


def test_test_errors_of_many_measures_fit_the_page_and_recall_is_no_error():
    """Beside each other those of five measures took a landscape page of their own."""
    section = GeneralisationSection.from_results(example_results("breast_cancer"), ())
    assert section is not None
    heads = [column.label for column in section.errors.columns]
    assert heads == ["Model", "Test value", "SD over fits"]
    assert {row.group for row in section.errors.rows} >= {"Error rate", "Recall"}

    few = GeneralisationSection.from_results(example_results("diabetes"), ())
    assert few is not None
    assert [column.spanner for column in few.errors.columns[1:]] == ["MSE", "MSE", "MAE", "MAE"]
    assert few.errors.caption == "Test error over fits"


def test_the_smallest_detectable_difference_has_the_decimals_of_the_differences():
    """Beside "+1.9 (−1.8 to +5.5)" stands 4.9, not 4.887, and without a sign."""
    table = ledger.ledger(example_results("diabetes"), lookup.compared(example_results("diabetes")))
    assert table is not None
    errors = [row.cells for row in table.rows if str(row.group).startswith("MAE")]
    texts = [(cells["difference"].text, cells["detectable"].text) for cells in errors]
    assert texts == [("+0.3", "3.7"), ("+1.9", "4.9"), ("+1.6", "5.2")]
