"""A model that gets worse in time is named, whatever its rank; parts of the time split nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

import reportgen
from reportgen.concluding.result_caveats import OF_HEADLINE, grown_worse
from reportgen.sections.shift import ShiftSection
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK

ROWS = 240


def _results(slices: list[str]) -> reportgen.Results:
    random = np.random.default_rng(1)
    truth, late = random.normal(size=ROWS), np.arange(ROWS) >= ROWS // 2
    frame = pl.DataFrame(
        {
            "y": truth,
            "hour": np.arange(ROWS),
            "half": np.where(late, "second", "first"),
            "kind": random.choice(["x", "z"], ROWS),
            "a": truth + random.normal(size=ROWS),
            "b": truth + random.normal(size=ROWS) * 1.1,
            "c": truth + random.normal(size=ROWS) * np.where(late, 4, 1),
        }
    )
    models = {name: {"estimate": name} for name in "abc"}
    spec = {"task": "regression", "truth": "y", "models": models, "slices": slices, **QUICK}
    return reportgen.evaluate(spec | {"columns": {"time": "hour"}}, frame)


def test_the_model_that_got_worse_is_on_page_one_and_first_in_its_section():
    results = _results(["kind"])
    [text] = [c.text for c in results.decision.caveats if c.code == "worse_in_time"]
    section = ShiftSection.from_results(results, [])

    assert text.startswith("c got worse over time: MSE ")
    assert section is not None
    assert any("MSE of c changed by +" in one for one in section.findings)


def test_a_change_is_not_split_over_slices_that_are_parts_of_the_time():
    by = {change.by for change in _results(["half", "kind"]).shift.changes}

    assert by == {"kind"}


def _worsening(names: str) -> list[str]:
    """The models that page one says got worse, where the errors of the first one grew a little."""
    random = np.random.default_rng(1)
    truth, late = random.normal(size=ROWS), np.arange(ROWS) >= ROWS // 2
    noise = {m: random.normal(size=ROWS) * np.where(late & (m == "a"), 1.28, 1) for m in "abcdef"}
    frame = {"y": truth, "hour": np.arange(ROWS)} | {m: truth + noise[m] for m in names}
    models = {name: {"estimate": name} for name in names}
    spec = {"task": "regression", "truth": "y", "models": models, "columns": {"time": "hour"}}
    caveats = reportgen.evaluate({**spec, **QUICK}, frame).decision.caveats
    return [caveat.text[:1] for caveat in caveats if caveat.code == "worse_in_time"]


def test_among_many_models_one_that_changes_a_little_is_not_said_to_get_worse():
    """Of twelve that do not change one of them was named in 0.13 of the data sets."""
    assert _worsening("a") == ["a"]
    assert _worsening("abcdef") == []


def test_the_headline_names_what_got_worse_of_the_models_that_it_compares():
    """Not of a third one, which page one has further down."""
    random = np.random.default_rng(1)
    rows = 800
    truth, late = random.random(rows) < 0.5, np.arange(rows) >= rows // 2
    signal = 1.5 * truth
    frame = pl.DataFrame(
        {
            "y": truth,
            "day": np.arange(rows),
            "old": signal + random.normal(size=rows),
            "new": np.where(late, 0.5, 2.2) * signal + random.normal(size=rows),
        }
    )
    models = {name: {"score": name} for name in ("old", "new")}
    spec = {"truth": "y", "models": models, "columns": {"time": "day"}, **QUICK}
    results = reportgen.evaluate(spec, frame)
    into = translator("zh", names_of(results.to_dict()))
    into.text(results.decision.headline, "p")

    assert results.decision.headline.endswith("; new got worse over time")
    assert not into.missing
    assert "got worse over time" not in _results(["kind"]).decision.headline


def test_a_weak_change_in_time_stays_out_of_the_headline_and_in_the_caveats():
    """Each of many reports has one by chance: its p is below 0.05, not below 0.005."""
    results = _results(["kind"])
    shift = results.shift
    [change] = [one for one in shift.changes if one.model == "c"][:1]
    weak = replace(change, change=1.0, change_low=0.1, change_high=1.9, trend_p_value=None)
    with_weak = replace(results, shift=replace(shift, changes=(weak,)))

    assert [one.model for one in grown_worse(with_weak)] == ["c"]
    assert grown_worse(with_weak, OF_HEADLINE) == []
