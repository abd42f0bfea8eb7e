"""What a page prints of metrics and tests comes from the results, not from the registries."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

from reportgen.charts import figures
from reportgen.results import Results
from reportgen.sections import lookup, sections
from reportgen.sections.summary import text
from reportgen.tasks import TASKS
from tests import sections_results
from tests.example_results import example_results


@cache
def as_written() -> str:
    """Results with all measures, as they are kept."""
    return sections_results.everything().to_json()


def changed(kind: str, name: str, **facts: object) -> Results:
    """The same results, read again with other facts of a metric or test."""
    document = json.loads(as_written())
    [record] = [one for one in document["definitions"][kind] if one["name"] == name]
    record |= facts
    return Results.from_json(json.dumps(document))


def printed(results: Results) -> str:
    """All that sections and the summary print."""
    return f"{sections(results, figures(results), {})}{text(results)}"


def test_a_page_prints_the_formula_and_source_of_a_metric_in_the_results():
    page = printed(changed("metrics", "auc", formula="area by hand", reference="Somebody (1999)"))

    assert "area by hand" in page
    assert "Somebody (1999)" in page
    assert "area by hand" not in printed(Results.from_json(as_written()))


def test_tables_and_figures_print_the_name_of_a_metric_in_the_results():
    results = changed("metrics", "auc", label="Ranking quality")
    key_numbers = next(one for one in figures(results) if one.id == "key_metrics")

    assert lookup.phrase("auc", results) == "ranking quality"
    assert "Ranking quality" in key_numbers.alt
    assert "Ranking quality" in text(results)


def test_tables_print_the_unit_of_a_metric_in_the_results():
    assert "Log loss (bits per row)" in printed(changed("metrics", "log_loss", unit="bits per row"))


def test_a_page_prints_the_words_of_the_task_in_the_results():
    document = json.loads(as_written())
    document["definitions"]["task"]["decisions"] = "Decisions made by hand"
    page = printed(Results.from_json(json.dumps(document)))
    del document["definitions"]["task"]

    assert "Decisions made by hand" in page
    assert Results.from_json(json.dumps(document)).task == TASKS["binary"]


def test_a_page_prints_the_formula_of_a_test_in_the_results():
    page = printed(changed("tests", "delong", formula="z by hand"))

    assert "z by hand." in page


def test_a_page_prints_how_the_intervals_of_the_results_are_computed():
    page = printed(changed("intervals", "delong score", label="By hand", how="With a ruler."))

    assert "With a ruler." in page
    assert "By hand" in page


def test_a_measure_whose_direction_is_turned_in_the_results_is_drawn_the_other_way():
    drawn = {
        better: next(
            one.chart
            for one in figures(changed("metrics", "auc", better=better))
            if one.id == "differences"
        )
        for better in ("higher", "lower")
    }

    assert drawn["higher"] != drawn["lower"]


def test_a_measure_that_counts_every_class_as_correct_is_not_printed():
    results = example_results("digits")  # of ten classes

    def shown(top: int) -> bool:
        metrics = (
            replace(metric, top=top) if metric.name == "top2_accuracy" else metric
            for metric in results.definitions.metrics
        )
        definitions = replace(results.definitions, metrics=tuple(metrics))
        ranking = lookup.metrics(replace(results, definitions=definitions), ["ranking"])
        return ("top2_accuracy", None) in ranking

    assert [shown(top) for top in (2, 9, 10)] == [True, True, False]


def test_only_what_the_results_hold_is_defined_and_formulas_only_where_they_are_printed():
    results = sections_results.rich()
    defined = {metric.name for metric in results.definitions.metrics}
    tests = {test.name for test in results.definitions.tests}

    assert defined == {*results.metrics["metric"]}
    assert tests == {*results.comparisons["comparison"], "events_against_expected"}  # of slices
    assert not any(metric.formula for metric in results.definitions.metrics)
    assert any(metric.formula for metric in sections_results.everything().definitions.metrics)


def test_definitions_survive_being_written_and_read():
    results = sections_results.rich()

    assert Results.from_json(results.to_json()).definitions == results.definitions
