"""How numbers are written."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.charts.metric_values import NumberWithLimits
from reportgen.comparisons import adjust, corrected_resampled_t
from reportgen.comparisons.records import Question
from reportgen.sections import tables
from reportgen.text import decimals, numbers
from tests.test_comparisons_more import folds

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
    if decimals.of_value(value, low, high) == decimals.POWERS:
        assert high < decimals.PLAIN_FROM
        return
    texts = numbers.interval(value, low, high).split("–")
    lengths = {len(text.partition(".")[2]) for text in texts}
    assert len(lengths) == 1
    assert max(lengths) <= 4


@pytest.mark.parametrize(
    ("half_width", "expected"),
    [(0.2, 2), (0.05, 3), (0.012, 3), (0.002, 4), (0.0003, 4), (3.0, 1), (80.0, 0)],
)
def test_digits_are_two_of_the_half_width(half_width, expected):
    assert decimals.of_value(500, 500 - half_width, 500 + half_width) == expected


@pytest.mark.parametrize("write", [numbers.number, numbers.percent, numbers.p_number])
def test_what_has_no_value_is_not_available(write):
    assert write(None) == "n/a"


def test_a_difference_has_its_sign():
    assert numbers.difference(0.02, 0.01, 0.03) == "+0.020"
    assert numbers.difference(-0.02, -0.03, -0.01) == "−0.020"


def test_a_limit_below_zero_is_joined_with_a_word():
    assert numbers.interval(0.1, -0.1, 0.3) == "−0.100 to 0.300"


def test_counts_have_separators_and_weights_one_decimal():
    assert numbers.count(1234567) == "1,234,567"
    assert numbers.count(1234.56) == "1,234.6"


@pytest.mark.parametrize(
    ("measure", "a", "b"),
    [
        ("auc", [0.9, 0.91, 0.92, 0.93, 0.9], [0.8, 0.82, 0.81, 0.82, 0.81]),
        ("auc", [0.9, 0.91, 0.92, 0.93, 0.9], [0.9, 0.9, 0.93, 0.92, 0.91]),
        ("mean_squared_error", [3026.0, 2717.0, 3842.0], [3282.0, 2417.0, 3634.0]),
    ],
)
def test_a_sentence_and_a_table_write_one_difference_alike(measure, a, b):
    record = adjust([corrected_resampled_t(folds(a, b), Question(("a", "b"), measure))])[0]
    cell = tables.effect(record.estimate, record.low, record.high)

    assert f"a − b = {cell.text} (95\u00a0% interval {cell.low} to {cell.high}" in record.verdict


@pytest.mark.parametrize(
    "limits", [(0.973, 0.991), (0.39, 0.857), (0.9698, 0.9702), (0.0008, 0.0031), (2700.0, 3377.0)]
)
def test_a_legend_and_a_table_write_one_value_alike(limits):
    low, high = limits
    value = (low + high) / 2
    cell = tables.valued(value, low, high)

    assert str(NumberWithLimits(value, low, high)) == f"{cell.text} ({cell.low} to {cell.high})"


def test_proportions_of_one_column_have_one_number_of_decimals():
    intervals = [(0.67, 0.39, 0.86), (0.984, 0.973, 0.991), (0.144, 0.044, 0.209)]

    assert {decimals.of_value(*row) for row in intervals} == {3}


def test_a_signed_measure_has_no_sign_where_it_rounds_to_0():
    assert numbers.signed(0.03, 1) == numbers.signed(-0.03, 1) == "0.0"
    assert (numbers.signed(0.06, 1), numbers.signed(-0.06, 1)) == ("+0.1", "−0.1")
    assert numbers.signed(-1.03, 1) == "−1.0"


@pytest.mark.parametrize("rows", [40, 80, 240, 400, 777, 2000])
@pytest.mark.parametrize("digits", [1, 2, 3, 4])
def test_a_share_and_its_complement_add_up_to_one_as_they_are_printed(rows, digits):
    """Also where the complement is computed by subtraction, as binary numbers differ from it."""
    for count in range(1, rows):
        share, error = numbers.fixed(count / rows, digits), numbers.fixed(1 - count / rows, digits)
        assert numbers.fixed((rows - count) / rows, digits) == error
        assert Decimal(share) + Decimal(error) == 1
