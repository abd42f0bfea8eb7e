"""Whole numbers under any name: codes of units, whose truths differ anyhow, or a feature."""

import numpy as np
import polars as pl
import pytest

from reportgen.clusters import Groups
from reportgen.measuring.undeclared_effects import is_rough, ranked
from reportgen.predictions.undeclared import may_be_codes, may_be_units

LEVEL = 0.001


def ages(random, rows):
    return np.clip(random.normal(45, 15, rows).round(), 18, 90).astype(int)


def rising(random, rows):
    """More positives with age, which many state in steps of five."""
    age = ages(random, rows)
    age = np.where(random.random(rows) < 0.4, 5 * (age // 5), age)
    return age, random.random(rows) < 1 / (1 + np.exp((45 - age) / 8))


def curved(random, rows):
    age = ages(random, rows)
    return age, ((age - 45) / 15) ** 2 * 3 + random.standard_t(3, rows)


def rare(random, rows):
    """Rare positives, mostly of the few old."""
    age = ages(random, rows)
    return age, random.random(rows) < 0.01 * np.exp((age - 45) / 15)


def spread(random, rows):
    age = ages(random, rows)
    return age, random.normal(size=rows) * np.exp((age - 45) / 10)


def counted(random, rows):
    count = random.poisson(40, rows)
    return count, random.poisson(np.exp(count / 20)).astype(float)


def heaped(random, rows):
    """Half of the rows at one value, whose positives are more than those of the next ones."""
    hours = np.clip(random.normal(40, 12, rows).round(), 1, 99).astype(int)
    hours = np.where(random.random(rows) < 0.5, 40, hours)
    return hours, random.random(rows) < 0.2 + 0.005 * (hours - 40) + 0.05 * (hours == 40)


def mostly_nought(random, rows):
    """Rare events that a few have often, and a truth that rises with them."""
    rate = random.gamma(0.3, 3.0, rows)
    return random.poisson(rate), random.poisson(2 * rate).astype(float)


def units(random, rows, number=60, correlation=0.1):
    """Units that have no order, of which each has a mean of its own."""
    of_unit = random.normal(size=number) * np.sqrt(correlation / (1 - correlation))
    code = random.integers(0, number, rows)
    return code, of_unit[code] + random.normal(size=rows)


def named(draw, rows, times=100):
    random, count = np.random.default_rng(11), 0
    for _ in range(times):
        code, truth = draw(random, rows)
        count += is_rough(ranked(truth.astype(float)), Groups.of(pl.Series(code)), LEVEL)
    return count


@pytest.mark.parametrize("rows", [300, 3_000])
@pytest.mark.parametrize("draw", [rising, curved, rare, spread, counted, heaped, mostly_nought])
def test_a_feature_is_no_code(draw, rows):
    assert named(draw, rows) <= 2


@pytest.mark.parametrize("draw", [curved, counted])
def test_a_feature_is_none_where_many_rows_show_every_step(draw):
    assert named(draw, 50_000, times=10) == 0


def test_units_that_share_a_tenth_of_their_variance_are_codes():
    assert named(units, 1_200) >= 90


def test_a_constant_truth_says_nothing():
    assert not is_rough(np.ones(60), Groups.of(pl.Series(np.arange(60) // 3)), LEVEL)


def test_whole_numbers_that_return_may_be_codes_as_numbers_and_as_text():
    numbers = pl.Series("fi", [*range(40)] * 2)

    assert may_be_codes(numbers)
    assert may_be_codes(numbers.cast(pl.String))
    assert not may_be_codes(numbers / 2)
    assert not may_be_codes(numbers.alias("year") + 1960)
    assert not may_be_codes(numbers.head(40))
    assert not may_be_codes(numbers % 10)


def test_numbers_of_units_of_which_one_is_missing_are_floats():
    assert may_be_units(pl.Series("patient_id", [1.0, 2.0, None]))
    assert may_be_units(pl.Series("patient_id", ["1.0", "2.0", None]))
    assert not may_be_units(pl.Series("patient_id", [1.5, 2.0, None]))
    assert not may_be_units(pl.Series("age", [1.0, 2.0, None]))
