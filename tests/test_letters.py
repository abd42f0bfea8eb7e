"""Letters: two models share one exactly where the test between them does not reject."""

from __future__ import annotations

from itertools import combinations
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from reportgen.concluding.contest import Contest
from reportgen.concluding.leading import ModelValue
from reportgen.concluding.ranked_models import LEAST, letters
from reportgen.tables.comparisons import ComparisonRow

BASIS = cast("Any", "pooled")


def contest(values: list[float], rejected: set[frozenset[str]]) -> Contest:
    names = [f"m{k}" for k in range(len(values))]
    tests = {
        pair: ComparisonRow(reject=pair in rejected)
        for pair in map(frozenset, combinations(names, 2))
    }
    scores = {name: ModelValue(value) for name, value in zip(names, values, strict=True)}
    return Contest("auc", BASIS, scores, tests, {}, {}, less_is_better=False)


@st.composite
def contests(draw: st.DrawFn) -> Contest:
    count = draw(st.integers(LEAST, 8))
    values = draw(st.lists(st.floats(0, 1), min_size=count, max_size=count))
    pairs = [frozenset(pair) for pair in combinations([f"m{k}" for k in range(count)], 2)]
    return contest(values, set(draw(st.lists(st.sampled_from(pairs), unique=True))))


@given(contests())
def test_models_share_a_letter_where_their_test_does_not_reject(between):
    of = letters(between)

    assert list(of) == between.order
    for pair, row in between.tests.items():
        one, other = (set(of[name]) for name in pair)
        assert bool(one & other) is not row.reject


@given(contests())
def test_no_letter_can_be_left_out(between):
    of = letters(between)
    holders = [{m for m in of if letter in of[m]} for letter in sorted(set("".join(of.values())))]

    assert of[between.order[0]][0] == "a"
    assert not any(one <= other for one in holders for other in holders if one is not other)


def test_few_models_and_models_without_a_test_have_no_letters():
    assert letters(contest([0.9, 0.8, 0.7], set())) == {}
    whole = contest([0.9, 0.8, 0.7, 0.6], set())
    part = dict(list(whole.tests.items())[1:])

    assert set(letters(whole).values()) == {"a"}
    assert letters(Contest("auc", BASIS, whole.values, part, {}, {}, less_is_better=False)) == {}
