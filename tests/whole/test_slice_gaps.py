"""Gaps between slices on page one: significant in the whole report, and large."""

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

import reportgen
from reportgen.concluding.slice_gaps import gaps_that_matter
from reportgen.sections.slices import SlicesSection
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK
from tests.simulations.gaps_on_page_one import named, rows

SPEC = {"truth": "y", "models": {"pd": {"score": "p"}}, "slices": ["sex"], **QUICK}


def loans(weaker=1.0, rows=3_000, seed=4):
    """Scores of two sexes; those of women say less, by a factor."""
    random = np.random.default_rng(seed)
    woman = random.random(rows) < 0.5
    signal = random.normal(size=rows) * 2
    truth = random.random(rows) < expit(signal - 0.5)
    noise = random.normal(size=rows) * 2
    score = expit(np.where(woman, weaker * signal + (1 - weaker) * noise, signal) - 0.5)
    sex = np.where(woman, "female", "male")
    return pl.DataFrame({"y": truth, "p": score, "sex": sex, "half": np.arange(rows) % 2})


def said(results):
    return [c.text for c in results.decision.caveats if c.code == "gap_between_slices"]


def test_page_one_names_the_gap_that_matters_most_and_the_other_measures():
    results = reportgen.evaluate(SPEC, loans(0.2))
    rows = results.gaps.filter(metric="recall").row(0, named=True)

    (text,) = said(results)
    low, high = rows["lowest_value"], rows["highest_value"]
    assert text == (
        f"The recall of pd differs by sex: {low:.3f} (female) to {high:.3f} (male), adjusted "
        "p < 0.001; so do its false-positive rate and AUC."
    )
    into = translator("zh", names_of(results.to_dict()))
    into.text(text, "li")
    assert not into.missing


def groups_of_unlike_shares(flagged=0.0, rows=6_000, seed=4):
    """A tenth of the rows of b and half of those of c are positive; scores say the same of both.

    ``flagged``: the share of the negatives of c that the second model predicts positive.
    """
    random = np.random.default_rng(seed)
    in_c = np.arange(rows) % 2 == 1
    truth = random.random(rows) < np.where(in_c, 0.5, 0.1)
    fair = np.clip(random.normal(np.where(truth, 0.45, 0.2), 0.1), 0, 1)
    other = np.where(in_c & ~truth & (random.random(rows) < flagged), 0.9, fair)
    group = np.where(in_c, "c", "b")
    return pl.DataFrame({"y": truth, "fair": fair, "other": other, "group": group})


def of_groups(**made):
    models = {"fair": {"score": "fair"}, "other": {"score": "other"}}
    return reportgen.evaluate(
        {"truth": "y", "models": models, "slices": ["group"], **QUICK},
        groups_of_unlike_shares(**made),
    )


def test_a_gap_in_the_error_rate_alone_stands_with_the_shares_of_positives():
    results = of_groups()

    assert len(said(results)) == 2
    for text in said(results):
        assert text.startswith("The error rate of ")
        assert "; the share of positives differs too, 10.5\xa0% and 49.8\xa0%." in text
        into = translator("zh", names_of(results.to_dict()))
        into.text(text, "li")
        assert not into.missing


def test_every_model_has_the_gap_within_the_classes_that_matters_most():
    of_other, of_fair = said(of_groups(flagged=0.06))

    assert of_other.startswith("The false-positive rate of other differs by group: 0.00")
    assert "error rate" not in of_other
    assert of_fair.startswith("The error rate of fair differs by group")


def test_many_models_with_gaps_are_counted():
    models = {f"m{i}": {"score": f"m{i}"} for i in range(5)}
    frame = groups_of_unlike_shares().with_columns(pl.col("fair").alias(name) for name in models)
    results = reportgen.evaluate(
        {"truth": "y", "models": models, "slices": ["group"], **QUICK}, frame
    )

    assert len(said(results)) == 4
    assert said(results)[-1] == "2 more models differ between slices."
    into = translator("zh", names_of(results.to_dict()))
    into.text(said(results)[-1], "li")
    assert not into.missing


def test_a_significant_gap_that_is_small_is_left_to_its_section():
    results = reportgen.evaluate(SPEC, loans(0.85, rows=40_000))

    assert (results.gaps["p_report"] < 0.05).any()
    assert not said(results)


def test_a_large_gap_that_is_not_significant_in_the_whole_report_is_not_named():
    results = reportgen.evaluate({**SPEC, "slices": ["sex", "half"]}, loans(1.0, rows=150))

    assert (results.gaps["gap"] > 0.1).any()
    assert not said(results)


def test_a_model_that_predicts_one_class_has_the_gaps_of_the_truth():
    often = (pl.col("sex") == "male") & (pl.int_range(pl.len()) % 3 > 0)
    frame = loans().with_columns(p=pl.lit(0.9), y=pl.col("y") | often)
    results = reportgen.evaluate(SPEC, frame)

    gap = results.gaps.filter(metric="error_rate")
    assert gap["p_report"].item() < 0.001
    assert not gaps_that_matter(results)


@pytest.mark.parametrize(("factor", "named"), [(1.1, 0), (2.0, 1)])
def test_errors_of_estimates_are_named_where_they_are_a_quarter_larger(factor, named):
    random = np.random.default_rng(3)
    rows = 20_000
    north = np.arange(rows) % 2 == 0
    error = random.normal(size=rows) * np.where(north, factor, 1.0)
    truth = random.normal(50, 5, rows)
    frame = pl.DataFrame({"y": truth, "m": truth + error, "area": np.where(north, "N", "S")})
    results = reportgen.evaluate(
        {"truth": "y", "models": {"m": {"estimate": "m"}}, "slices": ["area"], **QUICK}, frame
    )

    assert (results.gaps["p_report"].drop_nulls() < 0.05).any()
    assert len(said(results)) == named


def test_page_one_names_a_gap_of_slices_that_differ_and_none_of_slices_that_do_not():
    """One report of each; the shares of many are those of the simulation."""
    random = np.random.default_rng(2)
    alike, unlike = (named(rows(random, 400, 2, "equal", worse)) for worse in (0.0, 1.0))

    assert alike == set()
    assert unlike == {"significant", "gap_between_slices"}


def clinics(number=40, reversed_=17, rows=50):
    """Clinics that are alike, but for one in which the scores say the reverse."""
    random = np.random.default_rng(14)
    clinic = np.repeat(np.arange(number), rows)
    truth = random.random(len(clinic)) < 0.4
    sign = np.where(clinic == reversed_, -0.4, 1.6)
    score = expit(sign * np.where(truth, 1.0, -1.0) - 0.4 + random.normal(0, 1.3, len(clinic)))
    return pl.DataFrame({"y": truth, "p": score, "clinic": [f"clinic {k:02d}" for k in clinic]})


def test_page_one_names_the_one_slice_of_many_that_differs_and_the_value_of_the_others():
    results = reportgen.evaluate({**SPEC, "slices": ["clinic"]}, clinics())
    rows = {row["metric"]: row for row in results.gaps.to_dicts()}

    (text,) = said(results)
    assert text.startswith("The ")
    assert " differs by clinic, most in clinic 17: " in text
    assert " in the other 39 slices, adjusted p < 0.001; so do" in text
    area = rows["auc"]
    assert f"AUC ({area['slice_value']:.3f} against {area['others_value']:.3f})" in text
    assert area["slice_value"] < 0.5
    assert area["others_value"] > 0.9
    into = translator("zh", names_of(results.to_dict()))
    into.text(text, "li")
    assert not into.missing
    part = SlicesSection.from_results(results, [])
    (line,) = [row for row in part.gaps[0].rows if str(row.cells["measure"]) == "AUC"]
    (f1,) = [row for row in part.gaps[0].rows if str(row.cells["measure"]) == "F1"]
    assert {str(f1.cells[key]) for key in ("slice", "slice_value", "others")} == {"–"}
    assert str(line.cells["slice"]) == "clinic 17"
    assert str(line.cells["slice_value"]) == f"{area['slice_value']:.3f}"
    assert str(line.cells["others"]) == f"{area['others_value']:.3f}"
