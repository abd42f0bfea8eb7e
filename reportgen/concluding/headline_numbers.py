"""How values, differences and limits are written in the sentences of a decision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.comparisons.records import lower_is_better
from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding.contest import Contest, Difference
from reportgen.concluding.model_values import ModelValue
from reportgen.records.decision import AtChance
from reportgen.records.model import Results
from reportgen.records.row_facts import CommonRows
from reportgen.text import decimals, numbers
from reportgen.text.words import listed

MOST_IN_HEADLINE = 3
"""More models than this are counted instead of named."""

CHOSEN_ROWS = (
    "These values do not rank the models either: a model that leaves out the rows that are hard "
    "for it does better on the others than an equally good one."
)


def model_value(value: ModelValue, digits: int) -> str:
    """The value with the decimals of all models."""
    own = decimals.among(value.value, value.low, value.high, digits)
    return numbers.estimated(value.value, value.low, own)


def with_limits(
    value: float, low: float | None, high: float | None, level: str = "", digits: int | None = None
) -> str:
    """The value, and its interval in brackets where there is one."""
    written, ends = estimate_and_limits(value, low, high, digits)
    return f"{written} ({level}{ends})" if ends else written


def estimate_and_limits(
    value: float, low: float | None, high: float | None, digits: int | None = None
) -> tuple[str, str]:
    """A value and, where it has them, its limits: of a value below 0 none is rounded to 0.

    >>> estimate_and_limits(0.49, 0.45, 0.53), estimate_and_limits(-0.012, -0.054, -0.0002)
    (('0.490', '0.450 to 0.530'), ('−0.012', '−0.054 to −0.0002'))
    >>> estimate_and_limits(-0.04, -3.1, 0.8)
    ('0.0', '−3.1 to 0.8')
    """
    if digits is None:
        digits = decimals.of_value(value, low, high)
    digits = decimals.among(value, low, high, digits)
    written = numbers.estimated(value, low, digits)
    if low is None or high is None or low == high:
        return written, ""
    write = limit if value < 0 else numbers.unsigned_limit
    return written, f"{write(low, digits)} to {write(high, digits)}"


def of_value(value: ModelValue, level: str = "", digits: int | None = None) -> str:
    """The value of a model, and its interval in brackets where there is one."""
    return with_limits(value.value, value.low, value.high, level, digits)


def against(first: ModelValue, second: ModelValue) -> str:
    """Two values of a measure and their intervals, with the same number of decimals.

    >>> against(ModelValue(0.8571, 0.833, 0.878), ModelValue(0.5594))
    '0.857 (0.833 to 0.878) against 0.559'
    """
    return " against ".join(in_like_digits(first, second))


def in_like_digits(first: ModelValue, second: ModelValue) -> tuple[str, str]:
    """Each of two values with its interval, with a digit more where the values look the same."""
    digits = decimals.shared((one.value, one.low, one.high) for one in (first, second))
    digits += _look_alike(first, second, digits)
    return of_value(first, "", digits), of_value(second, "", digits)


def look_alike(first: ModelValue, second: ModelValue) -> bool:
    """Whether two values are the same in the digits of their intervals and one more."""
    digits = decimals.shared((one.value, one.low, one.high) for one in (first, second))
    return _look_alike(first, second, digits + 1)


def _look_alike(first: ModelValue, second: ModelValue, digits: int) -> bool:
    return numbers.aligned(first.value, digits) == numbers.aligned(second.value, digits)


def of_guess(row: AtChance, digits: int | None = None) -> tuple[str, str]:
    """The value of a model at chance and the limits that hold the value of guessing.

    Those that tables have; or that hold for all models at once, or of how far it is above it.
    """
    low, high = row.corrected or (row.low, row.high)
    written, ends = estimate_and_limits(row.value, low, high, digits)
    if row.above is not None and row.measure == "accuracy":
        value, low, high = row.above
        digits = decimals.of_value(value, low, high) if digits is None else digits
        difference = signed_limit(value, digits)
        ends = f"{difference}, {signed_limit(low, digits)} to {signed_limit(high, digits)}"
    return written, f"{ends} after correction" if ends and row.simultaneous else ends


def of_own_rows(contest: Contest, *, with_id: bool) -> str:
    """The values of the best models, which put nobody first: each is of rows of its own.

    Or, without an id, of rows that may be those of the other models too, as the headline says.
    """
    of = [(bounded(name), contest.values[name]) for name in contest.order[:MOST_IN_HEADLINE]]
    digits = contest.digits_of_values
    values = [f"{n} {with_limits(v.value, v.low, v.high, '', digits)}" for n, v in of]
    if with_id:
        why = (
            f"Each {contest.what} comes from the model's own rows, so these values do not rank the "
            "models"
        )
        return f"{why}: {listed(values)}."
    return f"No test ranks the models: {contest.what} {listed(values)}."


def of_common_rows(common: CommonRows, deciding: str) -> str:
    """The values of models on the rows that all have, best first: they do not rank them either.

    In the deciding measure, or in the last one where that is of no model there.
    """
    measured = {one["measure"] for one in common["models"]}
    metric = deciding if deciding in measured else common["models"][-1]["measure"]
    of_metric = [one for one in common["models"] if one["measure"] == metric]
    sign = 1 if lower_is_better(metric) else -1
    models = sorted(of_metric, key=lambda one: sign * one["value"])[:MOST_IN_HEADLINE]
    digits = decimals.shared((one["value"], None, None) for one in models)
    values = [
        f"{numbers.estimated(m['value'], None, digits)} ({bounded(m['model'])})" for m in models
    ]
    each = "both" if len(of_metric) == 2 else "all"
    best = "at best " if len(of_metric) > MOST_IN_HEADLINE else ""
    return (
        f"On the {numbers.plural(common['rows'], 'row')} that {each} have, the "
        f"{measure(metric)} is {best}{listed(values)}. {CHOSEN_ROWS}"
    )


def size(difference: Difference) -> tuple[str, str]:
    """The size of a difference, and its limits in brackets, both without a sign."""
    estimate = abs(difference.estimate or 0.0)
    digits = difference.digits
    written = numbers.aligned(estimate, digits)
    if difference.low is None or difference.high is None:
        return written, ""
    near, far = sorted((abs(difference.low), abs(difference.high)))
    if near == 0:
        return written, f" (above 0, up to {limit(far, digits)})"
    return written, f" ({limit(near, digits)} to {limit(far, digits)})"


def between(difference: Difference) -> str:
    """The limits of a difference; one that is 0 lies on the side that the test shows."""
    low, high = float(difference.low or 0.0), float(difference.high or 0.0)
    rejected = bool(difference.row.better)
    digits = difference.digits
    if rejected and low == 0:
        return f"above 0, up to {signed_limit(high, digits)}"
    if rejected and high == 0:
        return f"{signed_limit(low, digits)} to below 0"
    return f"{signed_limit(low, digits)} to {signed_limit(high, digits)}"


def signed_limit(value: float, digits: int) -> str:
    """A limit with its sign, as tables have it; 0 is at the limit of what was measured."""
    return f"{'' if value < 0 else '+'}{limit(value, digits)}"


def limit(value: float, digits: int) -> str:
    """A limit with as many decimals as show that it is not 0, unless these are too many.

    >>> limit(-0.00004, 3), limit(0.00000001, 3)
    ('−0.00004', '0.000')
    """
    short = numbers.fixed(value, digits)
    longer = (numbers.fixed(value, more) for more in range(digits + 1, numbers.MOST_DIGITS + 1))
    return next(filter(_shows, (short, *longer)), short)


def _shows(written: str) -> bool:
    return bool(written.strip("−0.,"))


def signed(difference: Difference) -> str:
    """The difference with its sign."""
    return numbers.signed(difference.estimate, difference.digits)


def far_limit(differences: Iterable[Difference]) -> str:
    """The limit farthest from 0 without its sign, as it is written where it limits a difference."""
    ends = [(abs(float(end or 0.0)), d.digits) for d in differences for end in (d.low, d.high)]
    return limit(*max(ends))


def two_digits_up(count: int) -> int:
    """A number of units with two significant digits, rounded up.

    >>> two_digits_up(18_123_753), two_digits_up(633), two_digits_up(7)
    (19000000, 640, 7)
    """
    scale: int = 10 ** max(len(str(count)) - 2, 0)
    return -(-count // scale) * scale


def plain(value: float | None) -> str:
    """A number as the spec has it; nothing where there is none."""
    return f"{value:g}" if value is not None else ""


def names(models: Sequence[str]) -> list[str]:
    """The models' names, cut to a length that a sentence bears."""
    return [bounded(name) for name in models]


def names_or(models: Sequence[str]) -> str:
    """The names in a list; of many how many there are."""
    if len(models) > MOST_IN_HEADLINE:
        return f"{len(models)} models"
    return listed(names(models))


def of_leader(results: Results, contest: Contest) -> str:
    """The leader's value with its interval; one that is exactly 0 has no decimals."""
    value = contest.values[contest.leader]
    if value.value == 0 and value.low is None:
        return "0"
    level = f"{numbers.level(results.confidence)} CI "
    return with_limits(value.value, value.low, value.high, level, contest.digits_of_values)
