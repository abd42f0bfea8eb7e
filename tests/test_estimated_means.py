"""Page one does not rank estimates of a mean by a loss that estimates of the median minimise."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest

from reportgen.comparing.favoured_median import LEAST, favoured_medians
from reportgen.comparisons.paired_losses import ABSOLUTE, SQUARED
from reportgen.concluding.contest import Contest
from reportgen.concluding.estimated_means import of_means
from reportgen.concluding.model_values import on_all_rows
from reportgen.measuring.median_gains import gain_of_median
from reportgen.results import Results, evaluate
from reportgen.sections import summary
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import FEW, QUICK
from tests.test_translation import assert_translated
from tests.untranslated import untranslated


def texts(results: Results) -> dict[str, str]:
    return {c.code: c.text for c in results.decision.caveats}


def value(results: Results, name: str, model: str) -> float:
    rows = results.metrics.filter(pl.col("slice").is_null(), metric=name, model=model)
    return float(rows["value"].item())


@cache
def claims() -> Results:
    """Lognormal claims: estimates of their mean, and of their median."""
    random = np.random.default_rng(5)
    centre = random.normal(7, 0.7, size=700)
    frame = pl.DataFrame(
        {
            "y": np.exp(centre + 1.4 * random.normal(size=700)),
            "mean": np.exp(centre + 0.98),
            "median": np.exp(centre),
        }
    )
    models = {name: {"estimate": name} for name in ("mean", "median")}
    return evaluate({"truth": "y", "models": models, **QUICK}, frame)


def test_a_median_does_not_win_over_a_mean_by_absolute_errors():
    results = claims()
    of_absolute = results.comparisons.filter(metric="mean_absolute_error", comparison="paired_t")

    assert results.decision.measure == "mean_squared_error"
    assert of_absolute["better"].to_list() == ["median"]
    assert of_absolute["recommendation"].to_list() == ["valid"]
    assert "favour estimates of the median" in of_absolute["why"][0]
    least = "MAE does not decide, though median has the lowest MAE and mean the lowest MSE. "
    assert texts(results)["favoured_median"].startswith(f"{least}MAE favours estimates of the ")


@pytest.mark.parametrize(("measure", "is_said"), [(SQUARED, True), (ABSOLUTE, False)])
def test_mae_is_not_said_not_to_decide_where_it_does(measure, is_said):
    results = claims()
    values = on_all_rows(results.metrics, measure)
    contest = Contest(measure, "pooled rows", values, {}, {}, {}, less_is_better=True)
    codes = {caveat.code for caveat in of_means(results, contest)}

    assert ("favoured_median" in codes) == is_said


def test_no_order_stands_beside_an_open_headline_with_limits_of_a_test_that_decides_nothing():
    results = claims()

    assert results.decision.relation in ("at chance", "no conclusion")
    assert "mean_or_median" not in texts(results)


@cache
def skewed() -> Results:
    """Truths whose squared errors a test can compare: their median is below their mean."""
    random = np.random.default_rng(5)
    mean = np.exp(random.normal(0, 0.3, size=3000))
    truth = mean * random.gamma(2.0, 0.5, size=3000)
    frame = pl.DataFrame({"y": truth, "mean": mean, "median": 0.839 * mean})
    models = {name: {"estimate": name} for name in ("mean", "median")}
    return evaluate({"truth": "y", "models": models, **QUICK}, frame)


def test_page_one_says_that_squared_and_absolute_errors_disagree_and_that_a_total_is_far_off():
    results = claims()
    text = texts(results)

    both = "MSE and MAE put different models first: median − mean is +"
    assert texts(skewed())["mean_or_median"].startswith(both)
    assert both in summary.text(skewed()).replace("\\", "")
    short = value(results, "mean_error", "median")
    share = round(100 * short / results.data["distribution"]["mean"])
    assert text["total"].startswith(
        f"median under-predicts the total by {share}\N{NO-BREAK SPACE}%"
    )
    assert "mean under-predicts" not in str(text)
    page = summary.text(results).replace("\\", "")
    assert "under-predicts the total by" in page


def test_these_sentences_have_chinese():
    into = translator("zh", names_of(claims().to_dict()))
    of = texts(skewed()) | texts(claims())
    for code in ("favoured_median", "mean_or_median", "total"):
        into.text(of[code])

    assert not into.missing


def test_a_model_that_predicts_the_most_frequent_count_does_not_lead():
    """Nine in ten counts are 0, which has the least MAE of all constants."""
    random = np.random.default_rng(3)
    rate = np.exp(random.normal(-2.6, 0.7, size=600))
    frame = pl.DataFrame({"y": random.poisson(rate), "rate": rate, "zero": np.zeros(600)})
    models = {name: {"estimate": name} for name in ("rate", "zero")}
    results = evaluate({"truth": "y", "models": models, "task": "regression", **QUICK}, frame)
    errors = [value(results, "mean_absolute_error", name) for name in ("zero", "rate")]

    assert errors[0] < errors[1]
    assert results.decision.leader == "rate"
    assert not results.comparisons.filter(
        metric="mean_absolute_error", recommendation="recommended"
    ).height


@pytest.mark.parametrize(
    ("truth", "favours"),
    [("normal", False), ("uniform", False), ("exponential", True), ("standard_cauchy", False)],
)
def test_the_median_is_favoured_where_the_truths_are_skewed(truth, favours):
    """Of symmetric truths mean and median are one, however heavy their tails; here both are 0."""
    random = np.random.default_rng(1)
    y = getattr(random, truth)(size=1000)
    if truth != "exponential":
        y = np.concatenate([y, -y])
    frame = pl.DataFrame({"y": y, "a": y + random.normal(size=len(y))})
    results = evaluate({"truth": "y", "models": {"a": {"estimate": "a"}}, **QUICK}, frame)
    constants = [np.abs(y - middle).mean() for middle in (np.median(y), y.mean())]
    favoured = favoured_medians(results.metrics, {}).largest()

    assert (favoured is not None) is favours
    assert favours == (1 - constants[0] / constants[1] >= LEAST)
    if favoured is not None:
        assert favoured.share == pytest.approx(1 - constants[0] / constants[1])


def relative_errors(times, *, ordered=False):
    """Errors relative to lognormal truths; those of one model are so many times as large."""
    random = np.random.default_rng(1)
    truth = 10 * np.exp(0.8 * random.normal(size=400))
    off = 0.1 * random.normal(size=(2, 400)) * [[1.0], [times]]
    columns = {"t": range(400)} if ordered else {}
    a, b = truth * (1 + off)
    return pl.DataFrame({**columns, "y": truth, "a": a, "b": b})


@pytest.mark.parametrize("times", [4.0, 1.3])
def test_absolute_errors_decide_of_skewed_truths_where_no_median_explains_the_difference(times):
    """In 11 of 12 reports a model with ten times the errors was not behind the other one."""
    models = {name: {"estimate": name} for name in "ab"}
    results = evaluate({"truth": "y", "models": models}, relative_errors(times))
    [test] = results.comparisons.filter(
        metric="mean_absolute_error", comparison="paired_t"
    ).to_dicts()

    assert favoured_medians(results.metrics, {}).largest() is not None
    assert test["why"] is None
    assert (results.decision.relation, results.decision.leader) == ("ahead", "a")


@pytest.mark.parametrize("ordered", [False, True])
def test_a_gate_on_absolute_errors_asks_about_these_alone(ordered):
    models = {name: {"estimate": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": {"time": "t"} if ordered else {}}
    gate = "a.mean_absolute_error - b.mean_absolute_error < 0"
    results = evaluate({**spec, "gates": [gate]}, relative_errors(1.3, ordered=ordered))

    assert results.gates["state"].to_list() == ["pass"]


def test_skewed_errors_favour_the_median_though_the_truths_are_symmetric():
    """Truths of a normal level and lognormal noise: the median "beat" the mean in 39 of 40."""
    random = np.random.default_rng(4)
    level, noise = 20 * random.normal(size=400), random.lognormal(0, 1.0, 400)
    frame = pl.DataFrame({"y": level + noise, "a": level + 1.0, "b": level + np.exp(0.5)})
    models = {name: {"estimate": name} for name in "ab"}
    results = evaluate({"truth": "y", "models": models, **FEW}, frame)
    assert favoured_medians(results.metrics, {}).largest() is None
    favoured = favoured_medians(results.metrics, results.data).of("ab")
    [test] = results.comparisons.filter(
        metric="mean_absolute_error", comparison="paired_t"
    ).to_dicts()

    assert favoured is not None
    assert favoured.share > 0.05
    assert (test["recommendation"], test["doubt"]) == ("valid", "measure")
    assert results.decision.measure != "mean_absolute_error"
    assert_translated(results)


def test_heavy_symmetric_errors_gain_nothing_by_the_median():
    random = np.random.default_rng(4)
    truth, errors = 100 * random.normal(size=600), random.standard_t(1.2, (2, 600))
    assert gain_of_median(truth, truth + errors[0], truth + errors[1]) == 0.0


@pytest.mark.parametrize("favoured", [True, False])
def test_who_estimates_the_median_gains_nothing_by_it_and_who_estimates_the_mean_does(favoured):
    """The share that the median would gain is that of the model with the larger errors.

    The worse median knows one factor of the level alone.
    """
    random = np.random.default_rng(7)
    known, hidden = np.exp(random.normal(0, [[0.8], [0.3]], (2, 2000)))
    level = known * hidden
    truth = level * np.exp(0.6 * random.normal(size=2000))
    median, mean = level, level * np.exp(0.18)
    if favoured:
        share = gain_of_median(truth, mean, median) / np.abs(truth - mean).mean()
        gained = 1 - np.abs(truth - median).mean() / np.abs(truth - mean).mean()
        assert share == pytest.approx(gained, rel=0.35)
    else:
        assert gain_of_median(truth, known, mean) < 0.005


def test_absolute_errors_that_do_not_differ_are_no_win_of_a_median():
    """Errors are skewed a little, so that a median would gain less than 5 %."""
    random = np.random.default_rng(5)
    truth = 3 * random.normal(size=200)
    errors = {m: random.gamma(3, size=200) - 3 for m in "ab"}
    frame = pl.DataFrame({"y": truth, **{m: truth - error for m, error in errors.items()}})
    models = {m: {"estimate": m} for m in "ab"}
    decision = evaluate({"truth": "y", "models": models, **QUICK}, frame).decision

    assert (decision.measure, decision.relation) == ("mean_absolute_error", "level")
    assert not any(c.code == "favoured_median" for c in decision.caveats)


def test_a_third_model_with_skewed_errors_speaks_against_no_test_of_two_others():
    random = np.random.default_rng(8)
    truth = 3 * random.lognormal(0, 0.8, 400)
    frame = pl.DataFrame(
        {
            "y": truth,
            "a": truth + random.normal(size=400),
            "b": truth + 1.4 * random.normal(size=400),
            "c": np.full(400, truth.mean()),
        }
    )
    models = {name: {"estimate": name} for name in "abc"}
    results = evaluate({"truth": "y", "models": models, **FEW}, frame)
    why = {
        frozenset(row["models"]): row["why"]
        for row in results.comparisons.filter(
            metric="mean_absolute_error", comparison="paired_t"
        ).to_dicts()
    }

    assert why[frozenset("ab")] is None
    assert favoured_medians(results.metrics, results.data).of("ac").model == "c"


def test_counted_rows_say_why_absolute_errors_of_the_best_two_do_not_decide(tmp_path):
    """Errors of like rows, which are not counted, would show that the median gains nothing."""
    random = np.random.default_rng(4)
    truth = np.exp(random.normal(size=3000))
    size = np.where(np.arange(3000) % 100 == 0, 20.0, 1.0) * random.normal(size=3000)
    estimates = {"new": truth + 0.1 * size, "old": truth + 0.13 * random.permutation(size)}
    frame = pl.DataFrame({"y": truth, **estimates, "mean": np.full(3000, truth.mean())})
    frame.write_parquet(tmp_path / "rows.parquet")
    spec = {"truth": "y", "task": "regression", "data": str(tmp_path / "rows.parquet"), **QUICK}
    spec |= {"models": {name: {"estimate": name} for name in ("new", "old", "mean")}}
    exact, counted = (evaluate({**spec, "engine": engine}) for engine in ("exact", "streaming"))

    assert exact.decision.measure == "mean_absolute_error"
    assert "favoured_median" not in texts(exact)
    assert counted.decision.measure == "mean_squared_error"
    said = texts(counted)["favoured_median"]
    assert said.startswith("MAE does not decide. MAE favours estimates of the median: in these ")
    assert said.endswith(" With engine: exact the errors of each model show whether it does.")
    assert not untranslated(counted)
    asked = evaluate({**spec, "engine": "streaming", "baseline": "mean"})
    assert "favoured_median" not in texts(asked)


def test_totals_that_are_far_off_are_one_sentence_and_none_of_a_wrong_sign():
    random = np.random.default_rng(9)
    truth = random.gamma(4.0, 2.0, 400)
    noise = random.normal(size=(5, 400))
    far = {f"m{k}": (0.55 + 0.02 * k) * truth + noise[k] for k in range(3)}
    columns = {"y": truth, "high": 1.5 * truth + noise[3], "minus": -truth + noise[4], **far}
    models = {name: {"estimate": name} for name in columns if name != "y"}
    results = evaluate({"truth": "y", "models": models, **QUICK}, pl.DataFrame(columns))

    over, under = (c for c in results.decision.caveats if c.code == "total")
    assert under.text.startswith("m0, m1 and m2 under-predict the total by 4")
    assert under.models == ("m0", "m1", "m2")
    assert over.text.startswith("high over-predicts the total by 5")
    into = translator("zh", names_of(results.to_dict()))
    for caveat in results.decision.caveats:
        into.text(caveat.text)
    assert not into.missing
