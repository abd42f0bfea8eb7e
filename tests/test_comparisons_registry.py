"""What the registry of tests of significance has of each, and corrections of several."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from fontTools.ttLib import TTFont

from reportgen.comparisons import (
    CORRECTIONS,
    TESTS,
    Pairs,
    Question,
    adjust,
    mcnemar,
)
from reportgen.resources import TEMPLATES
from tests.cases import all_cases


def test_shaffer_without_all_pairs_is_holm():
    records = [
        r
        for i in range(3)
        for r in mcnemar(Pairs(60, 16, 6, 5), Question(("a", f"b{i}"), "accuracy"))[:1]
    ]
    assert adjust(records, "shaffer") == adjust(records, "holm")


@pytest.mark.parametrize("name", [n for n in CORRECTIONS if n != "none"])
def test_a_correction_keeps_the_order_and_raises_no_p_above_1(name):
    p = np.array([0.2, 0.001, 0.04, 0.9, 0.03, 0.03])
    adjusted = np.array(CORRECTIONS[name](p))
    assert ((adjusted >= p) & (adjusted <= 1)).all()
    if name != "bergmann_hommel":  # which is not monotone, by its definition
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-15).all()


OF_ANOTHER_FORM = {
    "binomial": "x",
    "mcnemar_midp": "min(n10, n01)",
    "mcnemar_exact": "min(n10, n01)",
    "sign": "min(w, l)",
    "sign_folds": "min(w, l)",
    "non_inferiority_score": "z",
    "equivalence_score": "z",
    "expected_cost_groups": "t",
    "rao_scott_weighted": "t",
    "bayesian_correlated_t": "t",
}
"""The letters of tests whose formula is in words, or that of another test."""


def test_the_letter_of_a_statistic_is_that_of_its_formula():
    letters = {name: test.symbol for name, test in TESTS.items() if test.symbol}
    unlike = {
        name: letter
        for name, letter in letters.items()
        if not re.search(rf"(?<![A-Za-z]){re.escape(letter)}\s*[=(]", TESTS[name].formula)
    }
    assert unlike == OF_ANOTHER_FORM


def test_every_test_has_all_that_is_printed_of_it():
    assert TESTS["five_by_two_t"].needs.repeats == 5
    assert "overlap" in TESTS["corrected_resampled_t"].allows
    assert "overlap" not in TESTS["paired_t_folds"].allows
    for test in TESTS.values():
        assert test.units
        assert test.label[0].isupper()
        for text in (test.short, test.null_hypothesis, test.formula, test.assumptions):
            assert text, test.name
        assert re.search(r"\(\d{4}\)", test.reference), test.name


def test_a_statistic_is_printed_with_its_symbol():
    """The one that tests without a statistic lack."""
    without = {"sign_flip", "permuted_means", "fisher", "paired_bootstrap", "paired_permutation"}
    without |= {"bayesian_signed_rank", "friedman_sign_flip", "mean_ranks_sign_flip"}
    assert {name for name, test in TESTS.items() if not test.symbol} == without


def test_all_that_is_printed_of_a_test_has_glyphs_in_the_bundled_font():
    """A PDF is refused where a glyph is missing."""
    glyphs = TTFont(TEMPLATES / "fonts" / "ReportSans-Regular.ttf").getBestCmap()
    for test in TESTS.values():
        texts = (test.label, test.short, test.symbol, test.formula, test.null_hypothesis)
        printed = "".join((*texts, test.assumptions, test.reference))
        assert not {c for c in printed if ord(c) not in glyphs and not c.isspace()}, test.name


def test_every_test_has_values_of_another_program_or_a_simulation_of_its_level():
    """Its function, or a form of it, is named where such values are read, or where it is drawn."""
    here = Path(__file__)
    paths = [*here.parent.glob("test_*.py"), *here.parent.glob("whole/test_*.py")]
    texts = [path.read_text(encoding="utf-8") for path in paths if path != here]
    compared = [text for text in texts if "tests.cases import" in text or '"reference"' in text]
    drawn = [path.read_text(encoding="utf-8") for path in here.parent.glob("simulations/*.py")]
    named = set(re.findall(r"\w+", "\n".join((*compared, *drawn))))
    named |= {case["spec"]["test"] for case in all_cases("test of significance")}
    names: dict[object, set[str]] = {}
    for name, test in TESTS.items():
        names.setdefault(test.compute, {test.compute.__name__}).add(name)

    by_parts = {"paired_bootstrap", "friedman_sign_flip", "mean_ranks_sign_flip"}
    """Held to DeLong's test, and drawn by their parts in ``few_data_sets``."""
    assert set().union(*(one for one in names.values() if one.isdisjoint(named))) == by_parts
