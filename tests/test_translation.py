"""Reports in Chinese: every segment has a translation, and names stay as they are."""

import re
from dataclasses import replace

import pytest

from reportgen import render
from reportgen.render import PageStyle, pages
from reportgen.translation import translator
from reportgen.translation.markup import translated
from reportgen.translation.names import names_of
from reportgen.translation.phrases import FOLDER, catalogue
from tests.example_results import example_results

PLACE = re.compile(r"\{\w+\}")
TRANSLATED = [
    "breast_cancer",
    "learners",
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("watermelon", "digits", "digit_properties", "diabetes")
    ),
]


def chinese(name):
    results = example_results(name)
    return replace(results, spec={**results.spec, "language": "zh"})


def job(results):
    return pages.job(results, ["html", "pdf"], attachments={}, notes={}, page_style=PageStyle())


def untranslated(results, page):
    """The segments of an English page that the catalogue lacks."""
    into = translator("zh", names_of(results.to_dict()))
    translated(page, into.text)
    return list(into.missing)


def labels(part, key=""):
    """The titles, texts and categories of a chart."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield from labels(value, name)
    elif isinstance(part, list):
        for value in part:
            yield from labels(value, key)
    elif isinstance(part, str) and key in {"title", "text", "subtitle", "domain", "sort"}:
        yield part


@pytest.mark.parametrize("name", TRANSLATED)
def test_every_text_of_a_report_has_a_translation(name):
    results = example_results(name)
    english = job(results)

    into = translator("zh", names_of(results.to_dict()))
    shown = {text for text in labels(english.charts) if not into.is_neutral(text)}
    assert [text for text in shown if into.label(text) == text] == []
    assert shown
    assert untranslated(results, english.html) == []
    assert untranslated(results, english.pdf) == []


def test_a_summary_in_markdown_is_translated_cell_by_cell_and_keeps_its_form():
    english, summary = (render.summary(of("breast_cancer")) for of in (example_results, chinese))

    assert "| 错误率（error rate）<sup>a</sup> |" in summary
    assert [line[:2] for line in english.split("\n") if line.startswith(("|", "#", "<"))] == [
        line[:2] for line in summary.split("\n") if line.startswith(("|", "#", "<"))
    ]
    assert english.count("|") == summary.count("|")
    assert re.findall(r"\d\.\d+", english.split("| ---")[1]) == re.findall(
        r"\d\.\d+", summary.split("| ---")[1]
    )


def test_a_sentence_without_a_translation_stays_english_and_is_listed():
    into = translator("zh", {"forest"})

    assert into.text("forest has turned blue. Dashed: chance.", "p") == (
        "forest has turned blue. 虚线：随机猜测。"
    )
    assert list(into.missing) == ["forest has turned blue."]


def test_names_stay_whatever_the_catalogue_says_of_their_words():
    into = translator("zh", {"accuracy", "Recall of all"})

    assert into.text("accuracy is behind Recall of all.") == "accuracy 逊于 Recall of all。"


def test_the_english_of_a_term_stands_at_its_first_use_only():
    into = translator("zh", {"a", "b"})

    assert into.text("Recall", "td") == "查全率（recall）"
    assert into.text("Recall", "td") == "查全率"


def test_sentences_keep_their_numbers_and_elements():
    into = translator("zh", {"forest"})
    page = "<p><b>forest</b> has the highest AUC, 0.985; 95\N{NO-BREAK SPACE}% CI</p>"

    changed = translated(page, into.text)

    assert (
        changed == "<p><b>forest</b> 的 AUC 最高，为 0.985；95% 置信区间（confidence interval）</p>"
    )


def test_a_chinese_page_says_so_and_an_english_one_is_as_it_was():
    results = example_results("breast_cancer")

    assert '<html lang="zh-CN">' in job(chinese("breast_cancer")).html
    assert '<html lang="en">' in job(results).html
    assert "模型" not in job(results).html


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.toml")), ids=lambda file: file.stem)
def test_a_translation_has_the_places_of_its_source(file):
    texts = catalogue(file.stem)

    for group in texts.patterns.values():
        for pattern in group:
            source, target = (PLACE.findall(text) for text in (pattern.source, pattern.target))
            assert set(source) == set(target), pattern.source
            assert len(source) == len(set(source)), pattern.source


def test_parts_between_semicolons_and_lists_are_translated_by_themselves():
    into = translator("zh", {"forest", "ridge", "bayes"})

    text = "Intervals: Delta method for precision, recall and F1; Modified Wilson for AUC."
    assert into.text(text) == "区间：查准率、查全率和 F1 用 Delta 法；AUC 用修正 Wilson。"
    assert into.text("forest, ridge and bayes are behind forest.") == (
        "forest、ridge 和 bayes 均逊于 forest。"
    )
    assert not into.missing


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("forest is ahead of ridge in AUC", "forest 的 AUC 优于 ridge"),
        ("forest beats ridge by 0.1 recall", "forest 的查全率比 ridge 高 0.1"),
        ("forest beats ridge: MSE 0.1 lower", "forest 优于 ridge：MSE 低 0.1"),
        (
            "forest and ridge are equivalent in AUC within ±0.01",
            "forest 和 ridge 的 AUC 在 ±0.01 以内等价",
        ),
        (
            "3 of 40 test rows were also trained on: the results are optimistic.",
            "40 个测试样本中有 3 个曾用于训练：结果偏于乐观。",
        ),
        (
            "FAIL: 1 of 4 gates failed, 1 is inconclusive",
            "未通过：4 项验收条件中有 1 项未通过、1 项尚无定论",
        ),
        (
            "INCONCLUSIVE: all 3 gates passed, but the data allow no conclusion",
            "尚无定论：3 项验收条件全部通过，但数据不足以得出结论",
        ),
        (
            "ridge is significantly worse than always predicting the mean (R² −0.1, −0.2 to −0.05)",
            "ridge 显著劣于一律预测均值（R² 为 −0.1，−0.2 至 −0.05）",
        ),
        ("3 estimates lie outside the panels", "有 3 个估计值在图外"),
        ("True value", "真实值"),
        ("400 rows · 54 ridge (13.5 %) · 60 groups", "400 个样本 · ridge 54 个（13.5%）· 60 组"),
    ],
)
def test_what_page_one_says_of_other_data_keeps_its_sense(english, chinese):
    into = translator("zh", {"forest", "ridge"})

    assert into.text(english) == chinese
    assert not into.missing
