"""What the sections say."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import polars as pl
import pytest

from reportgen.comparisons.registry import TESTS
from reportgen.measuring.slices import is_small
from reportgen.metrics import METRICS, REGISTRY
from reportgen.results import Results, evaluate, typed
from reportgen.results.definitions.interval_texts import INTERVALS
from reportgen.results.definitions.registered import interval_info
from reportgen.sections import (
    bounds,
    declared,
    key_numbers,
    lookup,
    metric_table,
    sections,
)
from reportgen.sections.averages import plain
from reportgen.sections.comparisons import ComparisonsSection
from reportgen.sections.key_numbers import KeyNumbers
from reportgen.sections.methods import Methods
from reportgen.sections.slices import SlicesSection
from reportgen.sections.tables import Cell, Table
from reportgen.tables import Metrics
from tests import sections_results
from tests.breadth import breadth
from tests.example_results import example_results
from tests.section_tables import EVERY, column, rendered, row, text


def test_the_best_is_marked_where_a_test_shows_it():
    (table,) = KeyNumbers.from_results(sections_results.better(), []).tables

    assert row(table, "AUC")["value1"].kind == "best"
    assert row(table, "AUC")["value0"].kind is None
    (low,) = metric_table.tables(
        sections_results.better(), [("rank_loss", None)], id="low", caption="Low is good"
    )
    assert row(low, "Rank loss")["value1"].kind == "best"


def test_a_measure_without_a_test_has_no_best():
    (table,) = KeyNumbers.from_results(sections_results.better(), []).tables

    assert row(table, "F1")["value1"].kind is None


def test_nothing_is_marked_where_no_test_shows_it():
    (table,) = KeyNumbers.from_results(sections_results.close(), []).tables
    kinds = {cell.kind for r in table.rows for cell in r.cells.values() if isinstance(cell, Cell)}

    assert "best" not in kinds
    assert any("No value is in bold" in str(note) for note in table.notes)


def test_a_second_best_is_not_marked():
    """Better than one other model is not enough: it must be better than all."""
    spec = {name: {"score": name} for name in ("weak", "strong", "near")}
    (table,) = KeyNumbers.from_results(sections_results.results_of(spec), []).tables

    assert {row(table, "AUC")[f"value{i}"].kind for i in range(3)} == {None}


def test_an_undefined_number_leads_to_its_reason():
    (table,) = KeyNumbers.from_results(sections_results.rich(), []).tables
    cell = row(table, "Precision")["value3"]
    notes = {note.mark: note.text for note in table.notes if not isinstance(note, str)}

    assert cell.text == "n/a"
    assert notes[cell.note] == "No predicted positives."


def test_a_group_without_any_value_is_left_out_and_says_why():
    (table,) = KeyNumbers.from_results(
        sections_results.results_of({"rules": {"label": "label"}}), []
    ).tables

    assert {r.group for r in table.rows} == {"Decisions"}
    assert "Ranking measures are left out: the model gives labels, not scores." in table.notes
    assert not any("cost" in str(note).lower() for note in table.notes)


def test_costs_of_1_each_are_the_error_rate_and_are_left_out():
    (table,) = KeyNumbers.from_results(sections_results.better(), []).tables
    cost = [text(r.cells["measure"]) for r in table.rows if r.group == "Cost"]

    assert cost == ["Area under the cost curve"]


def test_each_interval_names_its_method():
    (table,) = KeyNumbers.from_results(sections_results.better(), []).tables
    notes = {note.mark: note.text for note in table.notes if not isinstance(note, str)}

    assert notes[row(table, "AUC")["measure"].note] == "Interval: Score with DeLong's variance."
    assert notes[row(table, "Recall")["measure"].note] == "Interval: Modified Wilson."
    assert notes[row(table, "F1")["measure"].note] == "Interval: Score, F-measure."
    assert notes[row(table, "MCC")["measure"].note] == "Interval: Square-and-add."


def test_one_row_has_one_number_of_decimals():
    (table,) = KeyNumbers.from_results(sections_results.better(), []).tables
    for r in table.rows:
        values = [text(r.cells[key]) for key in ("value0", "value1")]
        assert len({len(value.partition(".")[2]) for value in values if value != "n/a"}) <= 1


def test_labels_alone_have_no_note_on_scores():
    frame = pl.DataFrame({"y": [0, 1] * 20, "said": [0, 1, 1, 1] * 10})
    spec = {"truth": "y", "models": {"rules": {"label": "said"}}, "bootstrap": {"replicates": 0}}
    notes = key_numbers.conventions(evaluate(spec, frame))

    assert not any("score" in note for note in notes)


def test_every_interval_method_has_a_name_and_a_source():
    every = [*(results() for results in EVERY), example_results("breast_cancer")]
    used = {m for results in every for m in results.metrics["interval"].drop_nulls()}
    used |= {m for results in every for m in results.comparisons["interval"].drop_nulls()}

    assert used
    assert all(interval_info(name) for name in used)


def test_many_models_are_cut_into_tables_of_like_width():
    every = replace(
        sections_results.many(8), spec={**sections_results.many(8).spec, "measures": "all"}
    )
    tables = metric_table.tables(every, plain(["auc", "recall"]), id="all", caption="All")

    assert [len(table.columns) for table in tables] == [5, 5]
    assert [table.caption[-14:] for table in tables] == [f" (part {i} of 2)" for i in (1, 2)]
    assert len({table.id for table in tables}) == 2
    assert [
        len(t.columns) for t in KeyNumbers.from_results(sections_results.many(8), []).tables
    ] == [4, 4]


def test_the_measures_of_the_spec_are_shown_in_reading_order():
    """Each heading stands once, and precision and recall before what is read less."""
    results = sections_results.results_of(
        {"strong": {"score": "strong"}},
        measures=["ks_statistic", "auc", "informedness", "f2", "recall", "precision"],
    )
    (table,) = KeyNumbers.from_results(results, []).tables

    assert column(table, "measure") == [
        *("Precision", "Recall", "F2", "Informedness", "AUC", "KS statistic"),
    ]


def test_the_recommended_test_of_a_pair_comes_first_and_is_marked():
    tests = ComparisonsSection.from_results(sections_results.rich(), []).tests
    seen: set[str | None] = set()
    for r in tests.rows:
        if r.group not in seen and any(o.emphasis for o in tests.rows if o.group == r.group):
            assert r.emphasis
            assert text(r.cells["test"]).endswith(" ✓")
        seen.add(r.group)
    assert any(r.emphasis for r in tests.rows)


def test_an_undefined_test_has_its_reason_below_the_table():
    tests = ComparisonsSection.from_results(sections_results.twins(), []).tests

    assert set(column(tests, "p")) == {"n/a"}
    assert {note.text for note in tests.notes if not isinstance(note, str)} == {
        "Both models are correct on the same rows.",
        "The difference has no variance, as both models rank the rows identically.",
        "The difference has no variance: it is the same on every row of a class.",
    }


def test_level_and_the_area_of_cost_curves_are_explained():
    tests = ComparisonsSection.from_results(sections_results.close(), []).tests

    assert set(column(tests, "result")) == {"level"}
    for text_of_note in (
        "is not evidence of equality",
        "may differ from the difference of the areas shown",
    ):
        assert any(text_of_note in str(note) for note in tests.notes)


def test_a_small_slice_is_flagged_and_a_large_one_is_not():
    table = SlicesSection.from_results(sections_results.rich(), []).tables[0]
    flagged = {text(r.cells["slice"]) for r in table.rows if r.cells["slice"].note}

    assert flagged == {"tiny"}


@pytest.mark.parametrize(
    ("rows", "positives", "small"),
    [(29, 14, True), (30, 15, False), (200, 9, True), (200, 191, True), (200, 10, False)],
)
def test_a_slice_is_small_below_thirty_rows_or_ten_of_a_class(rows, positives, small):
    assert is_small(rows, positives) is small


def test_declared_slices_keep_their_order_and_their_combinations():
    captions = [
        table.caption for table in SlicesSection.from_results(sections_results.rich(), []).tables
    ]

    assert captions == ["Measures by site", "Measures by site × sex"]


def test_the_appendix_has_every_measure_of_the_results():
    parts = {part.id: part for part in sections(sections_results.everything())}
    shown = [name for table in parts["measures"].tables for name in column(table, "measure")]
    results = sections_results.rich()
    expected = {metric_table.head(metric, results) for metric in results.metrics["metric"]}

    assert set(shown) == expected
    assert set(Counter(shown).values()) == {1}  # four models in a table


def test_with_all_measures_each_has_its_formula_and_source():
    methods = Methods.from_results(sections_results.everything(), [])
    named = set(column(methods.formulas, "measure"))
    results = sections_results.rich()
    metrics = set(results.metrics["metric"])
    counts = {m for m in metrics if METRICS[m].group == "count"}

    assert named == {lookup.label(metric, results) for metric in metrics - counts}
    assert all(column(methods.formulas, "formula"))
    assert all(column(methods.formulas, "source"))


def test_a_report_without_tests_has_no_conventions_of_tests():
    matters = column(Methods.from_results(sections_results.single(), []).conventions, "Matter")

    assert "McNemar" not in matters
    assert "Undefined" in matters


def test_what_was_left_out_says_why():
    parts = {part.id: part for part in sections(sections_results.rich())}

    assert "rules and never give labels" in parts["discrimination"].left_out[0]
    of_both = "Ranking, calibration and cost curves of rules and never: the models give labels"
    assert any(of_both in line for line in parts["provenance"].left_out)


@pytest.mark.parametrize("results", EVERY)
def test_labels_reach_the_page_as_text(results):
    page = rendered(results())

    assert "<script>alert" not in page
    assert "<b>of</b>" not in page


def test_a_hostile_name_is_shown_whole():
    assert "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in rendered(
        sections_results.rich()
    )


@pytest.mark.parametrize("results", EVERY)
def test_no_cell_shows_python(results):
    page = re.sub(r"<[^>]+>", " ", rendered(results()))

    assert not re.search(r"\b(None|nan|NaN|inf|True|False)\b(?!-)|\b(Cell|Row|Note)\(", page)
    assert not re.search(r"\d\.\d{6}", page.split("References")[0])


@breadth("results", EVERY, 2)
def test_every_section_can_be_made_from_the_json_alone(results):
    again = Results.from_json(results().to_json())

    assert sections(again) == sections(results())


@pytest.mark.parametrize("name", declared())
def test_a_section_says_when_it_applies(name):
    """None, or the section itself: never a half-filled one."""
    part = declared()[name].from_results(sections_results.single(), [])

    assert part is None or part.id == name


def test_an_id_of_a_table_is_used_once():
    ids = [
        value.id
        for part in sections(sections_results.rich())
        for field in vars(part).values()
        for value in (field if isinstance(field, tuple) else (field,))
        if isinstance(value, Table)
    ]

    assert len(ids) == len(set(ids))


def test_the_spec_is_printed_line_by_line():
    results = sections_results.single()
    spec = {**results.spec, "text": "title: x\nmodels:\n  a: {score: \x07b}\n"}
    parts = {part.id: part for part in sections(replace(results, spec=spec))}

    assert parts["provenance"].spec == "title: x\nmodels:\n  a: {score: □b}"
    assert json.loads(json.dumps(spec)) == spec


def test_a_metric_of_another_version_is_shown_under_its_own_name():
    results = sections_results.single()
    strange = results.metrics.head(1).with_columns(metric=pl.lit("of_the_future"))
    spec = {**results.spec, "measures": "all"}
    metrics = pl.concat([results.metrics, strange])
    parts = {part.id: part for part in sections(replace(results, metrics=metrics, spec=spec))}

    assert column(parts["measures"].tables[-1], "measure") == ["Of the future"]


def test_bounds_are_rounded_outwards_and_the_main_table_says_how_near_it_is_known():
    results = sections_results.single()
    limits = {"auc": (0.8121234567, 0.8122000001), "brier_score": (0.1000000001, 0.1000000002)}
    rows = [
        row | {"value": sum(ends) / 2, "least": ends[0], "most": ends[1]} if ends else row
        for row in results.metrics.to_dicts()
        for ends in [limits.get(row["metric"]) if row["slice"] is None else None]
    ]
    counted = replace(results, metrics=typed(Metrics, rows))
    (table,) = bounds.tables(counted)

    ends = [column(table, head) for head in ("Value", "At least", "At most", "Known within")]

    assert sorted(zip(column(table, "Measure"), *ends, strict=True)) == [
        ("AUC", "0.812162", "0.812123", "0.812201", "0.000077"),
        ("Brier score", "0.100000", "0.100000", "0.100001", "< 0.000001"),
    ]
    assert any("known within 0.000077 or less" in note for note in bounds.notes(counted))
    assert bounds.notes(results) == bounds.tables(results) == ()


def test_a_source_is_written_one_way():
    sources = [method.source for method in INTERVALS.values()]
    sources += [test.reference for test in TESTS.values()]
    sources += [metric.reference for task in REGISTRY.values() for metric in task.values()]
    written = {part.replace("*", "") for source in sources for part in source.split("; ")}
    by_doi = Counter(doi[0] for part in written if (doi := re.search(r"doi:\S+", part)))

    assert [doi for doi, count in by_doi.items() if count > 1] == []


def test_print_has_the_methods_of_the_tests_that_it_prints():
    results = example_results("breast_cancer")
    methods = Methods.from_results(results, [])
    few = replace(results, comparisons=results.comparisons.head(3))

    assert column(methods.printed.tests, "Test") == [
        "Corrected resampled t",
        "Observed/expected (mid-p)",
    ]
    assert len(column(methods.whole.tests, "Test")) > 10
    assert set(methods.printed.references) < set(methods.whole.references)
    assert "Signed ranks" in column(methods.whole.intervals, "Interval")
    assert "Signed ranks" not in column(methods.printed.intervals, "Interval")
    assert methods.printed.tests.notes
    assert not methods.whole.tests.notes
    short = Methods.from_results(few, [])
    assert short.printed == short.whole
