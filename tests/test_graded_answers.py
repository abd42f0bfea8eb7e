"""Answers that were graded right or wrong: accuracy with intervals, paired tests, and slices."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from scipy.stats import binomtest

import reportgen
from reportgen import spec as specs
from reportgen.errors import DataError, SpecError
from reportgen.initial_spec import init_spec
from reportgen.sections.metric_table import MetricTable
from tests.page_text import page_text
from tests.quick import QUICK

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "graded-answers.md"
WIDE, LONG, JUDGED = map(
    yaml.safe_load,
    re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S),
)
WIDE, LONG = WIDE | QUICK, LONG | QUICK
ITEMS = 150
_RNG = np.random.default_rng(5)
_HARD = _RNG.random(ITEMS)
GRADES = pl.DataFrame(
    {
        "question_id": [f"q{k}" for k in range(ITEMS)],
        "category": [("algebra", "history", "law")[k % 3] for k in range(ITEMS)],
        **{
            name: (_HARD + shift + _RNG.normal(0, 0.15, ITEMS) > 0.5).astype(int)
            for name, shift in (("gpt", 0.25), ("llama", 0.2), ("mistral", 0.05))
        },
    }
)
MODELS = ["gpt", "llama", "mistral"]


@pytest.fixture(scope="module")
def report():
    return reportgen.evaluate(WIDE, GRADES)


def test_page_one_has_accuracies_and_the_paired_test_of_accuracy(report):
    """The exact test's p is that of the binomial test of the discordant pairs."""
    accuracies = dict(
        report.metrics.filter(pl.col("slice").is_null(), metric="accuracy")
        .select("model", "value")
        .iter_rows()
    )
    assert accuracies == pytest.approx({name: GRADES[name].mean() for name in MODELS})

    first, other = GRADES["gpt"], GRADES["mistral"]
    b, c = int((first > other).sum()), int((first < other).sum())
    at = binomtest(min(b, c), b + c).pvalue
    tests = report.comparisons.filter(comparison="mcnemar_exact")
    row = next(r for r in tests.iter_rows(named=True) if set(r["models"]) == {"gpt", "mistral"})
    assert row["p_value"] == pytest.approx(at)
    assert abs(row["estimate"]) == pytest.approx((b - c) / ITEMS)

    assert report.decision.leader == max(accuracies, key=accuracies.__getitem__)
    assert "No conclusion" not in report.decision.headline
    assert not [caveat for caveat in report.decision.caveats if caveat.code == "one_class"]


def test_what_has_no_meaning_without_a_truth_is_not_printed(report):
    page = page_text(report)
    for word in ("positive class", "100 % positive", ">Precision", "base rate"):
        assert word not in page, word
    for word in (
        "at the threshold",
        "predicted correctly",
        ">Truth<",
        "DeLong",
        "gives labels",
        ">Output<",
    ):
        assert word not in page, word
    assert set(report.metrics["metric"]) == {"accuracy", "error_rate"}
    assert "answers graded right or wrong" in page
    assert set(report.gaps["metric"]) == {"error_rate"}
    assert not report.slices["small"].any()  # 50 rows, though all are of one class


def long_form(epochs: int) -> pl.DataFrame:
    """The grades one below the other, each answer so many times."""
    long = GRADES.unpivot(index=["question_id", "category"], on=MODELS, variable_name="model")
    score = pl.when(pl.col("value") == 1).then(pl.lit("C")).otherwise(pl.lit("I"))
    long = long.select("category", "model", sample_id="question_id", score=score)
    return pl.concat(long.with_columns(epoch=pl.lit(k)) for k in range(epochs))


def test_long_form_and_words_for_right_give_the_same_tests(report):
    spec = LONG | {"columns": {"id": "sample_id"}}
    long = reportgen.evaluate(spec, long_form(1))
    columns = ("models", "p_value", "estimate")
    first, second = (
        r.comparisons.filter(comparison="mcnemar_exact").select(columns).sort("p_value")
        for r in (report, long)
    )
    assert first["p_value"].to_list() == pytest.approx(second["p_value"].to_list())
    assert long.decision.headline == report.decision.headline


def test_answers_that_are_repeated_count_once():
    """Four equal answers to each item say no more than one: p and limits are those of items."""
    repeated = reportgen.evaluate(LONG, long_form(4))
    assert repeated.data["groups"]["number"] == ITEMS

    once = GRADES["gpt"].to_numpy() - GRADES["mistral"].to_numpy()
    error = once.std(ddof=1) / ITEMS**0.5
    rows = repeated.comparisons.filter(comparison="mcnemar_groups").iter_rows(named=True)
    row = next(r for r in rows if set(r["models"]) == {"gpt", "mistral"})
    assert abs(row["statistic"]) == pytest.approx(once.mean() / error, rel=0.05)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"prevalence": 0.5}, "every graded answer should be right"),
        ({"truth": "category"}, "truth has no effect where labels are graded"),
        ({"models": {"gpt": {"score": "gpt"}}}, "graded answers are labels alone"),
        ({"graded": False}, "'truth' is missing"),
        ({"engine": "streaming"}, "answers that are graded have no truth"),
    ],
)
def test_a_spec_that_contradicts_itself_is_refused(change, says, tmp_path):
    GRADES.write_csv(tmp_path / "answers.csv")
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(WIDE | {"gates": []} | change))
    with pytest.raises(SpecError, match=re.escape(says)):
        reportgen.evaluate(specs.read(tmp_path / "s.yaml"))


def test_a_label_for_right_is_named_where_none_says_so():
    words = GRADES.with_columns(pl.col(MODELS).cast(pl.String).replace({"0": "no way", "1": "ok"}))
    with pytest.raises(SpecError, match="which label is for right answers"):
        reportgen.evaluate(WIDE, words)

    report = reportgen.evaluate(WIDE | {"positive": "ok"}, words)
    assert report.decision.leader == "gpt"


def test_zeros_and_ones_are_no_values_of_a_measure():
    with pytest.raises(DataError, match="every value is 0 or 1") as refused:
        reportgen.evaluate(JUDGED, GRADES)
    assert "graded: true" in str(refused.value)

    judged = GRADES.with_columns(pl.col(MODELS) * 0.5)
    assert reportgen.evaluate(JUDGED, judged).decision.leader == "gpt"


def test_labels_of_one_class_are_compared_in_accuracy():
    """With a constant truth of one's own the conclusion is there, and says what is missing."""
    table = GRADES.with_columns(answer=1)
    spec = {k: v for k, v in WIDE.items() if k not in ("graded", "gates")} | {"truth": "answer"}
    report = reportgen.evaluate(spec | {"positive": "1"}, table)

    assert report.decision.leader == "gpt"
    assert "one_class" in [caveat.code for caveat in report.decision.caveats]


def started(folder, table) -> tuple[dict[str, object], list[str]]:
    table.write_csv(folder / "answers.csv")
    guesses: list[str] = []
    return yaml.safe_load(init_spec(folder / "answers.csv", on_guess=guesses.append)), guesses


def test_init_writes_the_specs_of_the_page(tmp_path):
    spec, guesses = started(tmp_path, GRADES)
    assert {k: spec[k] for k in ("graded", "models", "columns")} == {
        k: WIDE[k] for k in ("graded", "models", "columns")
    }
    assert (
        "taken for graded answers; if one of them is the truth, name it by --truth COLUMN"
        in guesses[0]
    )

    spec, guesses = started(tmp_path, long_form(2))
    assert {k: spec.get(k) for k in ("graded", "positive", "models", "columns")} == {
        k: LONG[k] for k in ("graded", "positive", "models", "columns")
    }
    assert guesses == ["not used: 'category' (name under slices: to show subgroups)"]


def test_the_page_is_in_chinese_too():
    page = page_text(reportgen.evaluate(WIDE | {"language": "zh"}, GRADES))
    assert "150 个样本 · 答案按对错评分" in page
    assert "graded right" not in page


JUDGES = pl.DataFrame({"item": range(150)}).with_columns(
    (GRADES[model] == 1).replace_strict({True: "pass", False: "fail"}).alias(name)
    for model, name in zip(MODELS, ("first", "second", "third"), strict=False)
)


@pytest.mark.parametrize(
    "name",
    ["human", "annotator", "expert", "labels", "gold", "label", "reference", "actual", "truth"],
)
def test_a_column_named_for_people_or_the_truth_is_no_model(name, tmp_path):
    spec, guesses = started(tmp_path, JUDGES.rename({"second": name}))

    assert spec["truth"] == name
    assert "graded" not in spec
    assert name not in spec["models"]
    assert "first" in spec["models"]
    if name in ("human", "annotator", "expert", "labels"):
        assert guesses[0].startswith(f"the truth is a guess: {name!r}; it may be 'first'")


def test_of_two_columns_named_for_people_either_may_be_the_truth(tmp_path):
    _, guesses = started(tmp_path, JUDGES.rename({"first": "human_1", "second": "human_2"}))

    assert any("the truth is a guess" in one and "human_2" in one for one in guesses)


def test_people_whose_answers_are_right_or_wrong_are_a_guess(tmp_path):
    right = JUDGES.with_columns(
        pl.col("first", "second").replace({"pass": "correct", "fail": "incorrect"})
    ).select("item", "first", human="second")

    spec, guesses = started(tmp_path, right)

    assert spec["graded"] is True
    assert "'first', 'human' are taken for graded answers" in guesses[0]


SHARES = (0.3 * (GRADES["gpt"] == 1) + 0.7 * pl.Series(_RNG.random(ITEMS))).round(3)


@pytest.mark.parametrize("labels", [("0", "1"), ("false", "true"), ("False", "True")])
@pytest.mark.parametrize("name", ["is_fraud", "is_spam", "is_default", "passed", "resolved"])
def test_what_happened_is_the_truth_of_scores_beside_it(name, labels, tmp_path):
    """Is, as in is_correct, says of no column that it was graded."""
    happened = GRADES["gpt"].replace_strict({0: labels[0], 1: labels[1]})
    table = pl.DataFrame({"id": range(ITEMS), name: happened, "model_a": SHARES})
    spec, guesses = started(tmp_path, table)

    assert "graded" not in spec
    assert (spec["truth"], guesses) == (name, [])
    assert spec["models"] == {"model_a": {"score": "model_a"}}


def test_grades_beside_numbers_that_are_left_out_are_a_guess(tmp_path):
    spec, guesses = started(
        tmp_path, pl.DataFrame({"is_correct": GRADES["gpt"], "model_a": SHARES})
    )

    assert spec["models"] == {"model": {"label": "is_correct"}}
    assert "'is_correct' is taken for graded answers; if it is" in guesses[0]


def test_of_two_measures_of_the_same_answers_one_is_written(tmp_path):
    """As a harness writes them, in long form and without a column of models."""
    long = long_form(1).select("sample_id", "model", exact_match=pl.col("score") == "C")
    long = long.with_columns(acc="exact_match")
    for table in (long, long.filter(pl.col("model") == "gpt").drop("model")):
        spec, guesses = started(tmp_path, table)

        assert spec["graded"] is True
        assert "exact_match" in str(spec["models"])
        assert "truth" not in spec
        assert guesses == ["left out: 'acc' (another measure of the same answers)"]


def test_accuracy_and_its_error_rate_are_bold_alike():
    """No answer is graded as negative: that is no rare class, of which neither is a finding."""
    random = np.random.default_rng(2)
    frame = pl.DataFrame({"good": random.random(300) < 0.8, "poor": random.random(300) < 0.5})
    spec = {"graded": True, "models": {name: {"label": name} for name in frame.columns}}
    measured = MetricTable.of(reportgen.evaluate(spec, frame.cast(pl.Int64)))

    assert measured.best(("accuracy", None)) == measured.best(("error_rate", None)) == "good"
