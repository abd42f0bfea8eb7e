"""The word of a comparison for its rows, in every text of the pages."""

import re
from dataclasses import replace
from html import unescape

import polars as pl
import pytest

from reportgen import render
from reportgen import spec as specs
from reportgen.cli.reports import in_language
from reportgen.errors import ReportgenError
from reportgen.initial_spec import init_spec
from reportgen.render import pages
from reportgen.render.page_style import PageStyle
from reportgen.spec import read
from reportgen.translation.unit_words import ENGLISH_CATALOGUE, UnitWords
from tests.example_results import example_results


def job(results):
    return pages.job(results, ["html", "pdf"], attachments={}, notes={}, page_style=PageStyle())


def named(unit, **more):
    results = example_results("learners")
    return replace(results, spec={**results.spec, "unit": unit, **more})


def texts(results):
    made = job(results)
    return [made.html, made.pdf, render.summary(results)]


def without_source(text):
    """The text before the provenance, which holds the spec, without the hash of the results."""
    return unescape(re.sub(r"[0-9a-f]{12,}", "", text.partition('id="provenance"')[0]))


def test_no_text_of_a_page_says_data_set():
    plain, items = (list(map(without_source, texts(r))) for r in (named(None), named(["item"])))

    assert all("data set" in text.lower() for text in plain)
    for text in items:
        rest = text.replace("over multiple data sets", "").replace("over Multiple Data Sets", "")
        assert "data set" not in rest.lower()
        assert "14 items" in text


def test_the_same_word_changes_nothing():
    plain, same = (list(map(without_source, texts(named(u)))) for u in (None, ["data set"]))

    assert plain == same


def test_chinese_pages_have_the_word_too():
    results = named(["题目"], language="zh")

    for text in map(without_source, texts(results)):
        assert "14 个题目" in text
        assert "数据集" not in text


def test_a_plural_may_be_told_and_names_and_references_stay():
    words = UnitWords(ENGLISH_CATALOGUE, frozenset({"my data set"}), words=("child", "children"))

    assert words.text("Data sets: a data set of my data set") == "Children: a child of my data set"
    vowel = UnitWords(ENGLISH_CATALOGUE, frozenset(), words=("item", "items"))
    assert vowel.text("A data set") == "An item"
    cited = "Demšar (2006), Comparisons over multiple data sets"
    assert words.text(cited) == cited
    assert words.text("in 13 % of the simulated data sets") == "in 13 % of the simulated data sets"


def test_messages_of_a_build_have_the_word():
    assert in_language(named(["item"]))("over 14 data sets") == "over 14 items"


@pytest.mark.parametrize(
    ("unit", "columns", "code"),
    [
        ("item", {"fold": "f", "model": "m", "value": "v"}, "conflict"),
        (["a", "b", "c"], {"dataset": "d", "model": "m", "value": "v"}, "too-many"),
    ],
)
def test_a_word_that_says_nothing_is_refused_with_its_place(unit, columns, code):
    keys = {"task": "comparison", "data": "s.csv", "columns": columns, "unit": unit}

    with pytest.raises(ReportgenError) as fault:
        specs.from_dict(keys | {"better": "higher"})

    assert [(p.code, "unit" in p.place) for p in fault.value.problems] == [(code, True)]


def test_init_takes_the_word_from_the_name_of_the_column(tmp_path):
    pl.DataFrame(
        {"question": ["q1", "q2", "q3"], "bert": [0.5, 0.25, 0.75], "gpt": [0.6, 0.35, 0.7]}
    ).write_csv(tmp_path / "auc.csv")

    text = init_spec(tmp_path / "auc.csv")

    assert "unit: question" in text
    (tmp_path / "report.yaml").write_text(text)
    assert read(tmp_path / "report.yaml").unit == ("question",)
