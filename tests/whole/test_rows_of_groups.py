"""How the rows of groups came about: copies, items of several groups, matched groups."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.errors import DataError
from reportgen.predictions.identical import identical_in_groups
from tests.quick import QUICK
from tests.simulations.matched_pairs import pairs, said_matched

GROUP = {"group": "group"}


def _caveats(frame: pl.DataFrame, **columns: str) -> dict[str, str]:
    models = {"a": {"score": "score"}}
    spec = {"data": "frame", "truth": "truth", "models": models, "columns": columns, **QUICK}
    return {one.code: one.text for one in reportgen.evaluate(spec, frame).decision.caveats}


def _visits(seed: int, groups: int = 40, size: int = 8, digits: int = 15) -> pl.DataFrame:
    """Rows of patients whose scores and truths are alike."""
    random = np.random.default_rng(seed)
    patient = 1.5 * random.normal(size=(groups, 1))
    seen = patient + random.normal(size=(groups, size))
    truth = seen + random.normal(size=(groups, size)) > 0
    return pl.DataFrame(
        {
            "truth": truth.ravel(),
            "score": (1 / (1 + np.exp(-seen))).ravel().round(digits),
            "group": np.arange(groups).repeat(size),
        }
    )


def _canonical(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.rename({"score": "score:0"})


@pytest.mark.parametrize("digits", [1, 2, 3, 15])
def test_rows_of_a_group_that_coincide_by_chance_are_no_copies(digits):
    frames = [_canonical(_visits(seed, digits=digits)) for seed in range(20)]

    assert [identical_in_groups(frame) for frame in frames] == [0] * 20


@pytest.mark.parametrize("size", [2, 8])
def test_groups_of_one_score_and_one_truth_say_nothing(size):
    patients = _canonical(_visits(1, groups=100, size=1))

    assert identical_in_groups(pl.concat([patients] * size)) == 0


def test_scores_of_patients_whose_truths_vary_say_nothing():
    frame = _canonical(_visits(2)).with_columns(pl.col("score:0").first().over("group"))

    assert identical_in_groups(frame) == 0


@pytest.mark.parametrize(("digits", "share"), [(2, 0.5), (2, 1.0), (15, 0.1), (15, 0.5), (15, 1.0)])
def test_copies_within_groups_are_counted_and_page_one_says_so(digits, share):
    frame = _visits(3, digits=digits)
    copies = frame.sample(fraction=share, seed=1)
    both = pl.concat([frame, copies])
    repeats = both.height - both.n_unique()

    assert identical_in_groups(_canonical(both)) == repeats
    text = _caveats(both, group="group")["identical_in_groups"]
    assert text.startswith(f"{repeats} of {both.height} test rows repeat another one of the same")
    assert "identical_in_groups" not in _caveats(frame, group="group")


def _read() -> pl.DataFrame:
    """Forty cases, each read by five readers."""
    random = np.random.default_rng(4)
    truth = np.tile(random.random(40) < 0.4, 5)
    score = 1 / (1 + np.exp(-(truth - 0.5 + random.normal(size=200))))
    cases = np.tile([f"c{k}" for k in range(40)], 5)
    return pl.DataFrame(
        {"truth": truth, "score": score, "case": cases, "reader": np.arange(5).repeat(40)}
    )


def test_items_that_return_in_several_groups_are_said():
    text = _caveats(_read(), group="reader", id="case")["crossed"]

    assert text.startswith("200 of 200 test rows are of items that recur in several groups")
    assert "crossed" not in _caveats(_read(), group="reader")
    ids = _read().with_columns(case=pl.int_range(pl.len()))
    assert "crossed" not in _caveats(ids, group="reader", id="case")


def test_an_id_that_returns_in_its_group_is_refused():
    with pytest.raises(DataError, match="rows repeat an id"):
        _caveats(pl.concat([_read(), _read()]), group="reader", id="case")
    with pytest.raises(DataError, match="rows repeat an id"):
        _caveats(_read(), id="case")
    with pytest.raises(DataError, match="rows of training are listed too, the role column"):
        _caveats(_read(), id="case")


def test_matched_pairs_are_said_and_crossed_items_are_not_taken_for_them():
    frame = pairs(np.random.default_rng(5), 60, 0.5).rename({"pair": "group", "a": "score"})

    assert _caveats(frame, group="group")["matched"].startswith(
        "Each of the 60 groups has 1 positive and 1 negative"
    )
    few = frame.filter(pl.col("group") < 20)
    assert "matched" not in _caveats(few, group="group")
    readers = pl.concat([_read().with_columns(pl.col("reader") + 5 * k) for k in range(7)])
    assert "matched" not in _caveats(readers, group="reader", id="case")
    assert said_matched(4) == 0
