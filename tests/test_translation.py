"""Reports in Chinese: every segment has a translation, and names stay as they are."""

import re
from dataclasses import replace

import numpy as np
import pytest

import reportgen
from reportgen import render
from reportgen.comparisons.registry import TESTS
from reportgen.render import pages, web
from reportgen.render.page_style import PageStyle
from reportgen.resources import EXAMPLES
from reportgen.results import evaluate
from reportgen.spec import read
from reportgen.translation import markdown_in, translator
from reportgen.translation.markup import translated
from reportgen.translation.names import names_of
from reportgen.translation.phrases import FOLDER, catalogue
from tests.breadth import breadth
from tests.english_words import english_words
from tests.example_results import example_results
from tests.unlike_data import SHAPES

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
    """The segments of an English page that the catalogue lacks, or translates in part."""
    names = names_of(results.to_dict())
    into = translator("zh", names)
    chinese = translated(page, into.text)
    return [*into.missing, *english_words(chinese, names, catalogue("zh").unchanged)]


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


def assert_translated(results):
    """Nothing of the report in English is without a translation."""
    english = job(results)

    into = translator("zh", names_of(results.to_dict()))
    shown = {text for text in labels(english.charts) if not into.is_neutral(text)}
    assert [text for text in shown if into.label(text) == text] == []
    assert untranslated(results, english.html) == []
    assert untranslated(results, english.pdf) == []


def test_english_is_seen_outside_names_brackets_code_and_references():
    page = (
        "<p>forest <b>的</b>精度（accuracy）</p><code>any</code>"
        "<td>Boyd (2013), on limits</td><p>精度 of forest</p><p>the mean</p>"
    )

    assert english_words(page, {"forest"}, ()) == ["the mean: the mean"]


@pytest.mark.parametrize("name", TRANSLATED)
def test_every_text_of_a_report_has_a_translation(name):
    assert_translated(example_results(name))


@breadth(("name", "seed"), [(n, s) for s in range(2) for n in SHAPES], [("values", 0)])
def test_every_text_on_data_unlike_the_examples_has_a_translation(name, seed):
    spec, frame = SHAPES[name](np.random.default_rng([seed, *map(ord, name)]))

    assert_translated(reportgen.evaluate({"name": name, **spec}, frame))


def test_null_hypotheses_are_translated_whatever_tests_stand_together():
    into = translator("zh", set())
    tests = [test for test in TESTS.values() if "{claim}" not in test.null_hypothesis]
    nulls = [test.null_hypothesis.format(measure="recall", margin="0.02") for test in tests]
    each = [f"{test.short}: {null}" for test, null in zip(tests, nulls, strict=True)]

    chinese = into.text("Null hypotheses. " + "; ".join(each) + ".")

    assert not into.missing
    assert chinese.startswith("原假设。")
    assert chinese.endswith("。")
    assert re.search("[a-z]{4,} [a-z]{4,}", chinese) is None


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


def test_the_lowest_recall_of_a_summary_in_markdown_is_translated():
    lines = render.summary(chinese("digits")).splitlines()

    (lowest,) = (line for line in lines if line.startswith("查全率（recall）最低："))
    assert re.match(".*：类别 [89]，模型 .*，全部样本", lowest)


def test_markdown_is_translated_whatever_signs_are_escaped_in_it():
    english = r"“privacy: {show: \[the\_year\]}” in the spec prints their times."
    into = translator("zh", {"the_year"})

    assert (
        markdown_in(english, into) == r"规格文件中的“privacy: {show: \[the\_year\]}”可列出其时间。"
    )
    linked = r"\[a\] of [c](d)"
    assert markdown_in(linked, into) == linked


def test_a_sentence_without_a_translation_stays_english_and_is_listed():
    into = translator("zh", {"forest"})

    assert into.text("forest has turned blue. Dashed: chance.", "p") == (
        "forest has turned blue. 虚线：随机猜测。"
    )
    assert list(into.missing) == ["forest has turned blue."]


def test_the_title_of_a_spec_without_one_is_translated_and_that_of_a_user_is_not():
    def names(title):
        return names_of({"spec": {"title": title, "models": {"forest": {"score": "p"}}}})

    assert names("Evaluation of forest") == names("Model evaluation") == {"forest", "p"}
    assert "My title" in names("My title")
    assert names_of({"spec": {"privacy": {"ids": "shown", "show": ["time"]}}}) == {"time"}
    into = translator("zh", names("Evaluation of forest"))
    assert into.text("Evaluation of forest") == "forest 的评估"
    assert into.text("Comparison of models: accuracy over data sets").startswith("模型比较：")


def test_names_stay_whatever_the_catalogue_says_of_their_words():
    into = translator("zh", {"accuracy", "Recall of all"})

    assert (
        into.text("accuracy is significantly behind Recall of all.")
        == "accuracy 显著逊于 Recall of all。"
    )


@pytest.mark.parametrize("shown", ["logit (l2, scaled), and bagged", "logit (…bagged"])
def test_a_name_with_commas_brackets_and_and_is_one_name_also_where_it_is_cut(shown):
    into = translator("zh", {"logit (l2, scaled), and bagged", "tree", "forest", "oak"})

    text = into.text(f"forest is significantly ahead of tree, {shown} and oak.")

    assert text == f"forest 显著优于 tree、{shown} 和 oak。"


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


@pytest.mark.slow
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


BRACKETED = re.compile(
    r"<(?:td|th|p|li|dd|dt|figcaption)\b[^>]*>(.*?)</(?:td|th|p|li|dd)>", re.DOTALL
)
NARROW = re.compile(r"[\u3400-\u9fff，。；：、] ?\([^(),]*\)(?!\()|\)[\u3400-\u9fff]|\d \(\d")


def test_no_bracket_round_words_or_numbers_is_narrow_beside_chinese():
    """GB/T 15834: wide brackets in running text; formulas keep theirs."""
    page, summary = job(chinese("breast_cancer")).html, render.summary(chinese("breast_cancer"))

    cells = [re.sub("<[^>]*>", "", cell) for cell in BRACKETED.findall(page)]
    assert [text for text in cells if NARROW.search(text) and "doi" not in text] == []
    assert [line for line in summary.split("\n") if NARROW.search(line)] == []
    assert "malignant（212）和 benign（357）" in "".join(cells)
    assert any("χ² = (|b − c| − 1)² / (b + c)，自由度为 1" in text for text in cells)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("forest (212) and ridge (357)", "forest（212）和 ridge（357）"),
        ("0.985 (0.973 to 0.997)", "0.985（0.973 至 0.997）"),
        ("t(9) = 1.52 (2.26)", "t(9) = 1.52（2.26）"),
        ("a (of b) (0.3)", "a (of b)（0.3）"),
        ("Nadeau & Bengio (2003)", "Nadeau & Bengio (2003)"),
        ("t = (TP − FP) / (TP + FP)", "t = (TP − FP) / (TP + FP)"),
        ("∫ (1 − FPR) dTPR", "∫ (1 − FPR) dTPR"),
        ("(TP + FP) / n", "(TP + FP) / n"),
    ],
)
def test_brackets_are_wide_but_in_names_formulas_and_references(english, chinese):
    assert translator("zh", {"forest", "ridge", "a (of b)"}).text(english, "td") == chinese


def test_a_list_is_not_split_inside_a_name_of_the_catalogue():
    into = translator("zh", set())

    assert into.text("BCa bootstrap, Wald and Kappa, linear weights") == (
        "自助法（BCa）、Wald 和 κ 系数（线性权重）"
    )
    assert into.text("Equivalence (TOST) and Equivalence (score)") == (
        "等价检验（TOST）和等价检验（得分法）"
    )


def test_parts_between_semicolons_and_lists_are_translated_by_themselves():
    into = translator("zh", {"forest", "ridge", "bayes"})

    text = "Intervals: Delta method for precision, recall and F1; Modified Wilson for AUC."
    assert into.text(text) == "区间：查准率、查全率和 F1 用 Delta 法；AUC 用修正 Wilson。"
    assert into.text("forest, ridge and bayes are significantly behind forest.") == (
        "forest、ridge 和 bayes 均显著逊于 forest。"
    )
    assert not into.missing


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("forest is significantly ahead of ridge in AUC", "forest 的 AUC 显著优于 ridge"),
        ("forest beats ridge: recall 0.1 higher", "forest 优于 ridge：查全率高 0.1"),
        ("forest beats ridge: MSE 0.1 lower", "forest 优于 ridge：MSE 低 0.1"),
        (
            "forest leads with accuracy 0.91; ridge is 0.05 lower (above 0, up to 0.105)",
            "forest 领先，精度为 0.91；ridge 低 0.05（大于 0，至多 0.105）",
        ),
        (
            "forest has higher accuracy than ridge: ridge − forest = −0.05 "
            "(95 % interval −0.1 to below 0; McNemar's mid-p test: p = 0.04).",
            "forest 的精度显著高于 ridge：ridge − forest = −0.05"
            "（95% 置信区间下限为 −0.1，上限小于 0；McNemar mid-p 检验，p = 0.04）。",
        ),
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
        (
            "The AUC of ridge is 0.905 (95 % interval 0.862 to 0.949), in line with the claimed "
            "minimum 0.8; no test of it is recommended: the corrected one-sample t-test rejected "
            "up to 21 % of true claims of an AUC near 1 in simulations.",
            "ridge 的 AUC 为 0.905（95% 区间为 0.862 至 0.949），符合所声明的下限 0.8；"
            "没有推荐的检验：模拟中，对接近 1 的 AUC，"
            "校正的单样本 t 检验拒绝了至多 21% 的正确声明。",
        ),
        ("3 estimates lie outside the panels", "有 3 个估计值在图外"),
        ("True value", "真实值"),
        (
            "gate inconclusive: ridge (observed 0.024, interval −0.035 to 0.082, "
            "the value meets the limit, but part of its interval does not)",
            "验收条件尚无定论：ridge（观测值 0.024，区间 −0.035 至 0.082，估计值满足界限，"
            "但区间有一部分不满足）",
        ),
        ("Modified Wilson, by block", "修正 Wilson（按时间块）"),
        ("Recall, mean over the labels", "查全率（各标记均值）"),
        (
            "Hotelling (accuracies): all models have the same AUC, accuracy or MAE in the "
            "population",
            "Hotelling 检验（精度）：所有模型在总体上的 AUC、精度或 MAE 相等",
        ),
        (
            "The error rate of ridge is above the claimed 0.2: 0.235 "
            "(95 % interval 0.194 to 0.280; binomial test: p = 0.048).",
            "ridge 的错误率高于所声明的 0.2：观测值 0.235（95% 区间为 0.194 至 0.280；"
            "二项检验：p = 0.048）。",
        ),
        (
            "Curves (ROC curve; Murphy diagram): withheld, as it would reveal small counts "
            "(privacy.small_cells: 5).",
            "曲线（ROC 曲线；Murphy 图）：未予列出，以免透露较小的计数（privacy.small_cells：5）。",
        ),
        (
            "ridge leads with MSE 7.19 × 10⁹; forest is 8.10 × 10⁸ higher",
            "ridge 领先，MSE 为 7.19 × 10⁹；forest 高 8.10 × 10⁸",
        ),
        ("forest 0.002–0.334; ridge near 0.002", "forest 0.002–0.334；ridge 约在 0.002 处"),
        (
            "Slice ridge: 20,000 values; at most 200 are reported",
            "子组 ridge：共 20,000 个取值，至多报告 200 个",
        ),
        ("forest − model (95 % CI)", "forest − 模型（95% 区间）"),
        ("significantly ahead of 4 models", "显著优于 4 个模型"),
        ("400 rows · 54 ridge (13.5 %) · 60 groups", "400 个样本 · “ridge” 54 个（13.5%）· 60 组"),
    ],
)
def test_what_page_one_says_of_other_data_keeps_its_sense(english, chinese):
    into = translator("zh", {"forest", "ridge"})

    assert into.text(english) == chinese
    assert not into.missing


@pytest.mark.slow
@pytest.mark.parametrize("name", ["breast_cancer", "digits", "digit_properties", "diabetes"])
def test_every_measure_and_section_has_a_translation(name):
    """Also what a report has only where the spec asks for it."""
    further = ["measures=all", "sections={add: [curves, measures]}"]
    results = evaluate(read(EXAMPLES / name / "report.yaml", further))
    english = job(results)

    assert untranslated(results, english.html) == []
    assert untranslated(results, english.pdf) == []


def test_a_footnote_mark_stays_with_the_chinese_that_it_is_of():
    cell = translated('<td>Recall<sup class="mark">a</sup></td>', translator("zh", set()).text)

    assert cell == ('<td>查全率（recall<span class="kept">）<sup class="mark">a</sup></span></td>')


def test_every_text_of_a_script_stands_in_the_scripts():
    """One that was changed there would stay in English."""
    sources = "".join(web.scripts()[1:])

    assert [text for text in catalogue("zh").script if text not in sources] == []
