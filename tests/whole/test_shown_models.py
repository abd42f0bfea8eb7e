"""Reports of many models: sections show the best and the baseline, tables of ranks all."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.charts import Figure, figures, style
from reportgen.charts.captions import model_styles
from reportgen.concluding import section_reading
from reportgen.records import shown_models
from reportgen.render import pages
from reportgen.render.page_style import PageStyle
from reportgen.results import Results
from reportgen.sections import sections
from reportgen.sections.slices import SlicesSection
from tests.quick import QUICK


@cache
def many(count: int, **more: Any) -> Results:
    """Models of which each is a little worse than the one before; the last but one is weakest."""
    random = np.random.default_rng(5)
    truth = random.random(400) < 0.4
    signals = np.linspace(2.0, 0.5, count)
    scores = {f"m{k}": truth * s + random.normal(size=400) for k, s in enumerate(signals)}
    models = {name: {"score": name} for name in scores}
    spec = {"truth": "y", "models": models, **QUICK, **more}
    rows = {"y": truth, **scores, "half": np.arange(400) % 2}
    return reportgen.evaluate(spec, pl.DataFrame(rows))


def nine() -> Results:
    return many(9, baseline="m8", slices=("half",))


@cache
def figures_of_nine() -> list[Figure]:
    return figures(nine())


def test_sections_show_the_best_models_and_the_baseline():
    results = nine()
    shown = shown_models.names(results)
    best = [model.model for model in results.decision.models[:5]]
    parts = {part.id: part for part in sections(results, figures_of_nine())}

    assert sorted(shown) == sorted([*best, "m8"])
    assert parts["key_numbers"].leaderboard is None
    columns = {c.label for table in parts["key_numbers"].tables for c in table.columns[1:]}
    assert columns == set(shown)
    assert "the 5 best models and the baseline; results.json has all 9" in parts["key_numbers"].note
    assert parts["comparisons"].tests is None


@pytest.mark.parametrize("page_one", [True, False])
def test_a_leaderboard_has_the_models_that_page_one_leaves_out(page_one):
    shown = ["verdict"] * page_one + ["key_numbers"]
    results = many(13, baseline="m12")
    results = replace(results, spec={**results.spec, "sections": shown})
    by_id = {part.id: part for part in sections(results)}

    tables = [by_id["verdict"].models] if page_one else []
    tables.append(by_id["key_numbers"].leaderboard)
    names = [[row.cells["model"].split(" ")[0] for row in table.rows] for table in tables]
    assert [len(part) for part in names] == ([11, 2] if page_one else [13])
    assert {name for part in names for name in part} == {m.model for m in results.decision.models}
    assert tables[-1].caption.startswith("Further models by" if page_one else "Models by")
    assert not any("more model" in note for note in tables[-1].notes)


def test_tables_by_slice_show_the_two_best_models_and_the_baseline():
    results = nine()
    part = SlicesSection.from_results(shown_models.featured(results), [])
    best = [model.model for model in results.decision.models[:2]]

    shown = {c.label for table in part.tables for c in table.columns if c.key.startswith("model")}
    assert shown == {*best, "m8"}
    assert part.introduction.endswith("results.json has all 9 models.")


def test_no_two_featured_models_share_a_colour_and_page_one_has_the_same_ones():
    results = nine()
    shown = {s.model: s for s in model_styles(shown_models.featured(results))}
    every = {s.model: s for s in model_styles(shown_models.reordered(results))}

    assert len({style.color for style in shown.values()}) == len(shown) == 6
    assert {name: every[name] for name in shown} == shown


@pytest.mark.slow
def test_a_spec_that_wants_every_measure_shows_every_model():
    assert len(shown_models.names(many(9, measures="all"))) == 9
    assert shown_models.featured(many(6)) is many(6)
    assert shown_models.note(many(6)) == ""


def test_the_other_models_are_grey_lines_with_their_names_and_no_colour():
    by_id = {figure.id: figure for figure in figures_of_nine()}
    others = {f"m{k}" for k in range(9)} - set(shown_models.names(nine()))
    for name in ("roc", "precision_recall", "cost_curve"):
        figure = by_id[name]
        [quiet] = [
            layer
            for layer in figure.chart["layer"]
            if layer["mark"].get("color") == style.FAINT
            and "detail" in layer["encoding"]
            and "strokeOpacity" in layer["mark"]
        ]
        lines = figure.chart["datasets"][quiet["data"]["name"]]
        assert {line["c0"] for line in lines} == others
        assert "Grey: the 3 other models." in figure.subtitle
    assert all("Grey" not in figure.subtitle for figure in figures(many(6)))


def test_figures_of_one_model_each_are_of_the_models_in_slices():
    results = nine()
    few = shown_models.names(results)[: section_reading.MOST_IN_SLICES]
    by_models = figures_of_nine()

    for name in ("confusion", "score_distribution", "threshold"):
        assert sum(figure.id.startswith(name) for figure in by_models) == len(few)
    note = next(part for part in sections(results) if part.id == "key_numbers").note
    assert note.endswith(f"show {few[0]}, {few[1]} and {few[2]}.")


def test_print_names_the_tables_of_the_other_models_and_has_their_numbers():
    job = pages.job(
        nine(),
        ["html", "pdf"],
        attachments={},
        notes={},
        page_style=PageStyle(),
    )
    captions = [re.findall(r'"number">(Table \d+)</span>', page) for page in (job.html, job.pdf)]
    left = re.findall(r'<p class="elsewhere" id="table-(\w+)"', job.pdf)

    assert captions[0] == captions[1]
    assert left == ["key_numbers_2", "slice_half_1"]
    assert "elsewhere" not in job.html.partition("<body")[2]
    assert all(f'id="table-{name}"' in job.html for name in left)


def test_models_with_one_output_and_rule_are_facts_and_those_that_differ_a_table():
    results = nine()
    *models, last = results.data["models"]
    others = {**results.data, "models": [*models, {**last, "threshold": 1.0}]}
    alike, parted = (
        next(part for part in sections(one) if part.id == "data")
        for one in (results, replace(results, data=others))
    )

    facts = {fact.name: fact.value for fact in alike.facts}
    assert facts["Models"] == "m0, m1, m2, m3, m4, m5, m6, m7 and m8"
    assert (facts["Output"], facts["Decision rule"]) == ("score (not a probability)", "score ≥ 0.5")
    assert alike.models is None
    assert "Models" not in {fact.name for fact in parted.facts}
    assert [row.cells["Model"] for row in parted.models.rows] == [
        "m0, m1, m2, m3, m4, m5, m6 and m7",
        "m8",
    ]
