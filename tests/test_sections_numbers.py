"""How numbers are written."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.text import numbers

SMALL = st.floats(1e-12, 1e-2)
SHARE = st.floats(0, 1)


@given(SMALL, st.integers(0, 4))
def test_a_small_positive_number_is_never_printed_as_zero(value, digits):
    assert re.search(r"[1-9]", numbers.number(value, digits))
    assert re.search(r"[1-9]", numbers.percent(value))


@given(st.floats(-1e9, 1e9))
def test_a_minus_is_a_real_one(value):
    for text in (numbers.number(value), numbers.difference(value), numbers.threshold(value)):
        assert "-" not in text


@given(st.floats(-1e15, 1e15))
def test_no_number_is_longer_than_a_cell(value):
    for text in (numbers.number(value), numbers.threshold(value), numbers.estimate(value)):
        assert len(text) <= 16


@given(SHARE, st.sampled_from([0.01, 0.05, 0.1]))
def test_a_printed_p_value_stands_on_its_own_side_of_alpha(p, alpha):
    text = numbers.p_number(p, alpha)
    if text[0].isdigit():
        assert (float(text) < alpha) == (p < alpha)


@given(SHARE, SHARE, SHARE)
def test_value_and_limits_share_their_decimals_and_never_more_than_four(a, b, c):
    low, value, high = sorted((a, b, c))
    texts = numbers.interval(value, low, high).split("–")
    decimals = {len(text.partition(".")[2]) for text in texts}
    assert len(decimals) == 1
    assert max(decimals) <= 4


@pytest.mark.parametrize(
    ("half_width", "expected"),
    [(0.2, 2), (0.05, 3), (0.012, 3), (0.002, 4), (0.0003, 4), (3.0, 1), (80.0, 0)],
)
def test_digits_are_two_of_the_half_width(half_width, expected):
    assert numbers.decimals(500, 500 - half_width, 500 + half_width) == expected


@pytest.mark.parametrize("write", [numbers.number, numbers.percent, numbers.p_number])
def test_what_has_no_value_is_not_available(write):
    assert write(None) == "n/a"


def test_a_difference_has_its_sign():
    assert numbers.difference(0.02, 0.01, 0.03) == "+0.020"
    assert numbers.difference(-0.02, -0.03, -0.01) == "−0.020"


def test_a_limit_below_zero_is_joined_with_a_word():
    assert numbers.interval(0.1, -0.1, 0.3) == "−0.10 to 0.30"


def test_counts_have_separators_and_weights_one_decimal():
    assert numbers.count(1234567) == "1,234,567"
    assert numbers.count(1234.56) == "1,234.6"
