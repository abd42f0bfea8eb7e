"""What ``init`` takes from values alone, where names of columns and labels say little."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.errors import DataError
from reportgen.initial_spec import init_spec
from tests.test_spec_init_guesses import start

ROWS = 400
_RNG = np.random.default_rng(3)
HAPPENED = np.arange(ROWS) % 3 == 0


def labelled(positive: str, negative: str) -> list[str]:
    return [positive if t else negative for t in HAPPENED]


def similar(distance: float = 1.5):
    """Numbers on both sides of 0 that are higher where it happened."""
    return (distance * HAPPENED + _RNG.normal(0, 1, ROWS)).round(3)


def used_scores(spec) -> list[str]:
    return [model["score"] for model in spec["models"].values()]


@pytest.mark.parametrize(
    ("positive", "negative"),
    [("target", "nontarget"), ("case", "control"), ("responder", "non-responder")],
)
def test_numbers_of_any_scale_are_scores_of_two_labels(tmp_path, positive, negative):
    """Though they follow one another, as a truth and its estimates do."""
    base = similar()
    table = {
        "key": labelled(positive, negative),
        "first_cosine": base,
        "second_cosine": (base + _RNG.normal(0, 0.5, ROWS)).round(3),
        "amount": _RNG.gamma(2, 30, ROWS).round(2),
    }
    for options in ({}, {"truth": "key"}):
        spec, _, guesses = start(tmp_path, table, **options)

        assert (spec["truth"], spec["positive"]) == ("key", positive)
        assert used_scores(spec) == ["first_cosine", "second_cosine"]
        assert any("by their values alone" in guess for guess in guesses)


def test_a_percentage_is_a_score_by_its_values(tmp_path):
    percent = np.clip(10 * (3 + 2 * similar()).round(), 0, 100).astype(int)
    percent[0], percent[1] = 0, 100
    spec, text, _ = start(tmp_path, {"rain": labelled("yes", "no"), "pop_nws": percent})

    assert used_scores(spec) == ["pop_nws"]
    assert "threshold: 50" in text


def test_estimates_with_names_of_models_go_before_a_flag_that_they_separate(tmp_path):
    sales = 50 + 10 * similar()
    table = {"promoted": labelled("yes", "no"), "sales": sales, "lstm": sales + similar(0)}
    assert start(tmp_path, table)[0]["truth"] == "sales"


def test_numbers_that_run_the_other_way_or_by_chance_are_no_scores(tmp_path):
    table = {
        "status": labelled("case", "control"),
        "crp": similar(),
        "albumin": -similar(),
        "noise": _RNG.normal(0, 1, ROWS),
        "month": (HAPPENED * 3 + np.arange(ROWS) % 9 + 1).astype(int),
    }
    assert used_scores(start(tmp_path, table)[0]) == ["crp"]

    with pytest.raises(DataError, match="no score or label column"):
        start(tmp_path, {name: table[name] for name in ("status", "noise")})
    with pytest.raises(DataError, match="no score or label column"):  # as groups of a customer
        start(tmp_path, {"sex": labelled("m", "f"), "a": table["crp"], "b": similar()})


def test_a_truth_with_gaps_is_named_beside_one_that_no_name_backs(tmp_path):
    """Loans whose end is not known yet, beside a yes or no that the scores do not separate."""
    known = [None if k % 9 == 0 else end for k, end in enumerate(labelled("bad", "good"))]
    table = {
        "override": ["Y" if k % 4 == 1 else "N" for k in range(ROWS)],
        "score_a": similar(),
        "performance_12m": known,
    }
    spec, text, guesses = start(tmp_path, table)

    gaps = known.count(None)
    assert spec["truth"] == "override"
    assert f"It may be 'performance_12m', without a value in {gaps} rows" in text
    assert (
        f"the truth may be 'performance_12m', which the scores separate better, but {gaps}"
        in (guesses[0])
    )
    _, _, named = start(tmp_path, table | {"override": labelled("Y", "N")})
    assert not any("performance" in guess for guess in named)


def test_a_score_that_the_truth_may_be_made_from_is_named(tmp_path):
    low = np.clip(_RNG.random(ROWS) / 2, 0, 0.49)
    table = {
        "toxic": HAPPENED.astype(int),
        "cut": (low + 0.5 * HAPPENED).round(3),
        "annotator_mean": (low + np.where(np.arange(ROWS) % 20, 0.5, 0.2) * HAPPENED).round(3),
        "ours": (low + 0.2 * HAPPENED).round(3),
    }
    _, text, guesses = start(tmp_path, table)
    named = [guess for guess in guesses if "if the truth was made from it" in guess]

    assert [guess.split()[0] for guess in named] == ["'cut'", "'annotator_mean'"]
    assert "# 'cut' has an AUC of 1.000: if the truth was made from it" in text


def test_a_model_with_a_fault_is_left_out_in_words_and_no_subgroup(tmp_path):
    """One that gives no label in some rows, or abstains."""
    digits = [k % 5 for k in range(ROWS)]
    given = [d if k % 7 else (d + 1) % 5 for k, d in enumerate(digits)]
    table = {"digit": digits, "ocr": given}
    for word, why in ((None, "missing or infinite"), ("abstain", "labels that the truth lacks")):
        faulty = [word if k % 8 == 0 else str(label) for k, label in enumerate(given)]
        spec, text, guesses = start(tmp_path, table | {"trocr": faulty})

        assert list(spec["models"]) == ["ocr"]
        assert guesses[0].startswith(f"left out: 'trocr' ({why}")
        assert f"# L{guesses[0][1:]}" in text
        assert text.count("trocr") == 1


def test_pairs_are_groups_and_iso_weeks_and_quarters_are_times(tmp_path):
    truth = {"y": HAPPENED.astype(int), "risk": similar()}
    pairs = start(tmp_path, truth | {"pair": np.arange(ROWS) // 2})[0]
    assert pairs["columns"]["group"] == "pair"
    for form in ("2025-W{:02}", "2025W{:02}", "20{:02}-Q3"):
        dates = [form.format(10 + k // 8) for k in range(ROWS)]
        assert start(tmp_path, truth | {"period": dates})[0]["columns"] == {"time": "period"}


def test_whole_numbers_beside_models_of_them_are_a_truth(tmp_path):
    rate = _RNG.gamma(2, 3, ROWS)
    units, before = _RNG.poisson(rate), _RNG.poisson(rate)
    table = {"shop": np.arange(ROWS) % 7, "units_sold": units, "poisson": rate.round(3)}
    spec, _, guesses = start(tmp_path, table | {"last_year": before})

    assert (spec["task"], spec["truth"]) == ("regression", "units_sold")
    assert "poisson" in spec["models"]
    assert "last_year" in (spec["models"] if "left out" not in guesses[-1] else guesses[-1])


def test_a_column_of_lists_is_left_out_in_words(tmp_path):
    frame = pl.DataFrame({"label": HAPPENED.astype(int), "prediction": HAPPENED.astype(int)})
    frame = frame.with_columns(logits=pl.Series([[0.1, k / ROWS] for k in range(ROWS)]))
    frame.write_ndjson(tmp_path / "d.jsonl")
    guesses: list[str] = []
    text = init_spec(tmp_path / "d.jsonl", on_guess=guesses.append)

    assert guesses[0].startswith("left out: 'logits' (several values in a cell")
    assert "# Left out: 'logits'" in text


def test_labels_in_several_spellings_are_refused_with_what_to_do(tmp_path):
    """Though the scores follow one another, as a truth and its estimate do."""
    yes, no = ("Yes ", "yes"), ("No", "no")
    spelt = [(yes if t else no)[k % 2] for k, t in enumerate(HAPPENED)]
    base = similar()
    table = {"Outcome": spelt, "score_a": base, "score_b": base + similar(0) / 4}
    hint = "'No', 'no'; 'Yes ', 'yes' differ only by case or spaces at the ends: write them alike"

    with pytest.raises(DataError, match=hint):
        start(tmp_path, table)
    with pytest.raises(DataError, match=hint):
        start(tmp_path, table, truth="Outcome")
    spec = {"truth": "Outcome", "positive": "yes", "models": {"a": {"score": "score_a"}}}
    with pytest.raises(DataError, match=hint):
        reportgen.evaluate(spec, pl.DataFrame(table))


@pytest.mark.parametrize("number", [5, 30])
def test_of_many_classes_the_most_frequent_are_written_first(tmp_path, number):
    """Few are in the order of the alphabet, where one that is predicted only is written too."""
    truth = [f"s{min(k % 40, number - 1):02}" for k in range(ROWS)]
    said = ["other" if k % 50 == 0 else name for k, name in enumerate(truth)]
    classes = start(tmp_path, {"species": truth, "net": said})[0]["classes"]

    last = f"s{number - 1:02}"
    assert classes[-1] == "other"
    assert classes[0] == (last if number > 20 else "s00")
    assert sorted(classes[:-1]) == sorted(set(truth))


def test_of_few_rows_a_number_that_chance_explains_is_no_score(tmp_path):
    """AUC 0.71 of 12 rows of each label, 1.7 standard errors from chance."""
    marker = [0.5 * k - 4 for k in range(24)]
    controls = (0, 1, 2, 3, 4, 9, 10, 11, 14, 15, 16, 23)
    status = ["control" if k in controls else "case" for k in range(24)]
    with pytest.raises(DataError, match="no score or label column"):
        start(tmp_path, {"status": status, "marker": marker})
