"""What the sections say of several classes, several labels and numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from reportgen.results import Results
from reportgen.sections import lookup, metric_table, sections, summary
from reportgen.sections.tables import Cell, Table
from tests import sections_results as binary
from tests import sections_tasks
from tests.test_sections_content import rendered

EVERY = {
    "multiclass": sections_tasks.multiclass,
    "many classes": sections_tasks.many_classes,
    "multilabel": sections_tasks.multilabel,
    "regression": sections_tasks.regression,
    "slices": sections_tasks.fifty_slices,
}


def parts(results: Results) -> dict[str, Any]:
    return {part.id: part for part in sections(results)}


def text(cell: Cell | str) -> str:
    return cell if isinstance(cell, str) else cell.text


def column(table: Table, key: str) -> list[str]:
    return [text(row.cells[key]) for row in table.rows if key in row.cells]


def rows(table: Table, key: str, *values: str) -> dict[str, list[str]]:
    """Texts of the columns ``values`` by that of the column ``key``."""
    return {text(r.cells[key]): [text(r.cells[v]) for v in values] for r in table.rows}


@pytest.mark.parametrize("results", EVERY.values(), ids=EVERY)
def test_the_page_shows_no_python(results):
    page = re.sub(r"<[^>]+>", " ", rendered(results()))

    assert not re.search(r"\b(None|nan|NaN|True(?! value)|False)\b(?!-)|\b(Cell|Row|Note)\(", page)


@pytest.mark.parametrize("results", EVERY.values(), ids=EVERY)
def test_the_summary_opens_with_the_verdict(results):
    text = summary.text(results())

    assert text.splitlines()[1].startswith("## ")
    assert len(text) <= summary.LONGEST


@pytest.mark.parametrize(
    ("results", "present", "absent"),
    [
        (
            sections_tasks.multiclass,
            {"discrimination", "decisions", "calibration"},
            {"errors", "costs"},
        ),
        (
            sections_tasks.multilabel,
            {"discrimination", "decisions", "calibration"},
            {"errors", "costs"},
        ),
        (
            sections_tasks.regression,
            {"errors", "comparisons"},
            {"discrimination", "decisions", "calibration", "costs"},
        ),
        (sections_tasks.fifty_slices, {"slices", "costs"}, {"errors"}),
    ],
)
def test_each_task_has_its_sections(results, present, absent):
    section_ids = set(parts(results()))

    assert present <= section_ids
    assert not absent & section_ids


def test_both_macro_f1_are_shown_and_named():
    (table,) = parts(sections_tasks.multiclass())["key_numbers"].averages
    first = [row for row in table.rows if row.group == table.rows[0].group]
    cells = {text(row.cells["measure"]): text(row.cells["macro"]) for row in first}

    assert cells.keys() >= {
        "F1 (macro: mean over the classes)",
        "F1 of macro-P and macro-R",
    }
    assert len({*cells.values()}) > 1


def test_an_average_over_a_class_without_a_value_says_why():
    (table,) = parts(sections_tasks.multiclass())["key_numbers"].averages
    second = [row for row in table.rows if row.group != table.rows[0].group]
    precision = second[0].cells["macro"]
    notes = {note.mark: note.text for note in table.notes if not isinstance(note, str)}

    assert precision.text == "n/a"
    assert notes[precision.note] == "A class or label has no value."


def test_each_class_has_its_measures_by_model():
    (table,) = parts(sections_tasks.multiclass())["decisions"].tables

    assert [row.group for row in table.rows] == ["soft"] * 3 + ["hard"] * 3
    assert column(table, "class") == ["low", "mid", "high"] * 2
    assert table.rows[0].cells["recall"].low is not None


def test_of_many_classes_the_lowest_recalls_are_shown():
    (table,) = parts(sections_tasks.many_classes())["decisions"].tables
    recalls = [float(value) for value in column(table, "recall")]

    assert len(recalls) == 12
    assert recalls == sorted(recalls)
    assert any("The 12 of 40 with the lowest recall" in str(note) for note in table.notes)


def test_confusions_are_off_the_diagonal_and_the_largest_come_first():
    (table,) = parts(sections_tasks.multiclass())["decisions"].confusions
    pairs = [pair.split(" → ") for pair in column(table, "pair0")]
    counts = [int(value) for value in column(table, "rows0")]

    assert all(truth != call for truth, call in pairs)
    assert counts == sorted(counts, reverse=True)
    assert column(table, "pair1") == ["high → mid"]


def test_declared_costs_of_classes_are_a_table_of_truth_by_prediction():
    costs = parts(sections_tasks.multiclass(costs=True))["costs"]

    predictions = ("prediction0", "prediction1", "prediction2")
    assert rows(costs.tables[0], "truth", *predictions)["high"] == ["5", "2", "0"]
    assert "Cost-sensitive error rate, least-cost predictions" in column(costs.tables[1], "measure")


def test_the_averages_of_the_area_are_named():
    (table,) = parts(sections_tasks.multiclass())["discrimination"].tables
    main = parts(sections_tasks.multiclass())["key_numbers"].tables[0]
    named = set(column(table, "measure") + column(main, "measure"))

    assert named >= {
        "AUC, one-vs-rest, macro",
        "AUC, one-vs-rest, weighted by rows",
        "AUC, one-vs-rest, micro",
        "AUC, pairs of classes, macro (Hand & Till)",
        "AUC, pairs of classes, weighted by rows",
    }


def test_the_area_of_each_class_is_shown_for_models_with_scores():
    (table,) = parts(sections_tasks.multiclass())["discrimination"].classes

    assert [c.label for c in table.columns] == ["Class", "Rows", "soft"]
    assert column(table, "class") == ["low", "mid", "high"] * 2


def test_labels_of_sets_are_measured_one_by_one():
    (table,) = parts(sections_tasks.multilabel())["decisions"].tables

    assert table.columns[0].label == "Label"
    assert column(table, "class") == ["a", "b"] * 2
    main = column(parts(sections_tasks.multilabel())["key_numbers"].tables[0], "measure")
    assert {"Subset accuracy", "Coverage error", "F1, micro"} <= set(main)


def test_errors_say_how_often_the_intervals_hold_the_truth():
    errors = parts(sections_tasks.regression())["errors"]

    share = r"near: [\d.]+\s% of the true values \(9\d\s% interval [\d.]+\s% to [\d.]+\s%\) lie in"
    assert re.match(share, errors.sentences[0])
    assert len(errors.sentences) == 1


def test_errors_tell_the_unit_and_that_lower_is_better():
    (table,) = parts(sections_tasks.regression())["key_numbers"].tables

    assert any("unit of the truth" in str(note) for note in table.notes)
    assert any("Lower is better" in str(note) for note in table.notes)


def test_the_lower_error_is_the_better_one():
    (table,) = parts(sections_tasks.regression())["key_numbers"].tables
    marked = {text(r.cells["measure"]): r.cells["value1"].kind for r in table.rows}

    assert marked["MAE"] == "best"
    assert marked["MSE"] is marked["RMSE"] is marked["R²"] is None  # 150 rows are too few
    headline = parts(sections_tasks.regression())["verdict"].headline
    assert headline.startswith("near beats far: MAE ")


def test_tests_that_could_not_be_made_are_told_in_a_sentence():
    """Of weighted rows Wilcoxon's test has no value: its row stays, and says why."""
    tests = parts(sections_tasks.regression(weighted=True))["comparisons"].tests

    assert column(tests, "p")[2:] == ["n/a"]
    assert any("weight" in str(note) for note in tests.notes)


def test_the_truth_that_is_a_number_is_described():
    facts = {fact.name: fact.value for fact in parts(sections_tasks.regression())["data"].facts}

    assert re.match(r"mean \d+, standard deviation [\d.]+; from ", facts["Distribution"])
    assert "Positive class" not in facts


def test_the_methods_explain_just_what_is_shown():
    methods = parts(sections_tasks.regression())["methods"]

    assert methods.formulas is None  # only with all measures
    assert "Prediction intervals" in column(methods.conventions, "Matter")
    assert "Cost curve" not in column(methods.conventions, "Matter")
    assert "Why" not in [head.key for head in methods.conventions.columns]


def test_the_key_table_starts_with_decisions_and_ends_ranks_with_their_extremes():
    table = parts(binary.close())["key_numbers"].tables[0]
    measures = column(table, "measure")

    for first in ("Precision", "Recall"):
        for later in ("Break-even point", "KS statistic", "Informedness"):
            assert measures.index(first) < measures.index(later)


def test_the_top_three_of_three_classes_are_no_measure():
    results = sections_tasks.multiclass()
    (classes, page) = len(results.data["classes"]), rendered(results)

    assert classes == 3
    assert "Top-3 accuracy" not in re.sub(r"<[^>]+>", " ", page)


def test_percentage_errors_are_printed_in_percent():
    """The results keep shares, so that gates read them as before."""
    results = sections_tasks.regression()
    key, average = "mean_absolute_percentage_error", None  # of far, the first model
    share = lookup.numbers(results)[(key, average), "far"].value
    (table,) = metric_table.tables(results, [(key, average)], id="t", caption="c")

    assert text(table.rows[0].cells["measure"]) == "MAPE (%)"
    assert float(text(table.rows[0].cells["value0"])) == pytest.approx(100 * share, rel=0.02)
