"""Which sections a report has, and in which order."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from reportgen import charts
from reportgen.render import pages
from reportgen.render.job import Job
from reportgen.render.page_style import DEFAULT
from reportgen.sections import sections
from tests import sections_results


def names(results: Any, chosen: Any = "default", **more: Any) -> list[str]:
    spec = {**results.spec, "sections": chosen}
    return [part.id for part in sections(replace(results, spec=spec), **more)]


def drawn(results: Any) -> Job:
    return pages.job(results, ["html"], attachments={}, notes={}, page_style=DEFAULT)


def test_a_list_gives_the_sections_in_its_order():
    assert names(sections_results.better(), ["costs", "verdict"]) == ["costs", "verdict"]


def test_what_is_omitted_is_missing_and_the_rest_keeps_its_order():
    left = names(sections_results.better(), {"omit": ["methods", "data"]})

    assert left == [
        name for name in names(sections_results.better()) if name not in {"methods", "data"}
    ]


def test_further_sections_are_shown_where_they_are_added_or_all_is_asked_for():
    results = sections_results.better()
    everything = replace(results, spec={**results.spec, "measures": "all"})
    further = ["curves", "measures"]
    figures = charts.figures(everything)

    assert not set(further) & set(names(results, figures=figures))
    assert [n for n in names(everything, figures=figures) if n in further] == further
    assert "curves" in names(results, {"omit": ["data"], "add": ["curves"]}, figures=figures)
    assert "curves" not in names(everything, {"omit": ["curves"]}, figures=figures)


def test_a_page_draws_the_figures_of_its_sections_and_no_others():
    """They took half of the time of a page with page one alone, and a quarter of its size."""
    results = sections_results.better()
    for chosen in ("default", ["verdict"], ["data"]):
        page = drawn(replace(results, spec={**results.spec, "sections": chosen}))
        placed = set(re.findall(r"<!--chart:(\w+)-->", page.html))

        assert set(page.charts) == set(page.titles) == placed
        assert set(re.findall(r'id="chart-(\w+)"', page.html)) == placed
        assert ("roc" in placed) == (chosen == "default")


def test_a_template_may_place_a_figure_of_any_section():
    template = (
        '{% extends "report.html.j2" %}{% block colophon %}{% import "macros.html.j2" as m %}'
        '{{ m.figure(figures["roc"]) }}{% endblock %}'
    )
    results = sections_results.better()
    chosen = {"sections": ["data"], "theme": {"template": "t"}, "notes": {"t": template}}

    assert "<!--chart:roc-->" in drawn(replace(results, spec={**results.spec, **chosen})).html


def test_one_model_has_no_comparisons():
    assert "comparisons" not in names(sections_results.single())


def test_slices_are_there_only_when_they_are_declared():
    assert "slices" in names(sections_results.rich())
    assert "slices" not in names(sections_results.better())


def test_labels_alone_have_neither_ranking_nor_calibration():
    labels = sections_results.results_of({"rules": {"label": "label"}})
    section_names = names(labels)

    assert "calibration" not in section_names
    assert "decisions" in section_names


def test_a_text_stands_where_the_spec_puts_it():
    chosen = ["verdict", {"markdown": "notes.md", "title": None}, "data"]
    section_names = names(sections_results.single(), chosen, notes={"notes.md": "*hello*"})

    assert section_names == ["verdict", "text_2", "data"]


def test_a_name_of_another_version_is_passed_over():
    assert names(sections_results.single(), ["verdict", "of_the_future"]) == ["verdict"]


def test_without_the_methods_nothing_refers_to_them():
    results = sections_results.single()
    spec = {**results.spec, "sections": {"omit": ["methods"]}}
    shown = {part.id: part for part in sections(replace(results, spec=spec))}

    assert not shown["key_numbers"].has_methods
    assert {part.id: part for part in sections(results)}["key_numbers"].has_methods
