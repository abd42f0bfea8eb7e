"""What page one says of values far from all others that several rows share."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.records.decision import Caveat
from reportgen.records.row_facts import IsolatedValue
from reportgen.records.rows import DataRecord
from reportgen.text import numbers


def missing_codes(data: DataRecord) -> Iterator[Caveat]:
    """Values that may stand for missing ones; those that usually do take the conclusion away."""
    estimates = data.get("task") == "regression"
    for one in data.get("isolated_values", ()):
        value, low, high = (numbers.threshold(one[end]) for end in ("value", "low", "high"))
        what = "true value" if one["model"] is None else "estimate" if estimates else "score"
        of = "" if one["model"] is None else f" of {bounded(one['model'])}"
        text = (
            f"In {numbers.plural(one['rows'], 'row')} the {what}{of} is {value}; in all others it "
            f"is between {low} and {high}. If {value} stands for a missing value, results that "
            "include these rows are meaningless."
        )
        yield Caveat("missing_codes", "severe" if _is_code(one) else "moderate", text)


def beside_conclusion(data: DataRecord) -> str:
    """What the headline adds where a value usually stands for a missing one; or empty."""
    first = next(filter(_is_code, data.get("isolated_values", ())), None)
    if first is None:
        return ""
    value = numbers.threshold(first["value"])
    if first["model"] is None:
        of = numbers.plural(first["rows"], "true value")
    else:
        noun = "estimate" if data.get("task") == "regression" else "score"
        of = f"{numbers.plural(first['rows'], noun)} of {bounded(first['model'])}"
    return f"; {of} may be codes of missing values ({value})"


def _is_code(one: IsolatedValue) -> bool:
    """Whether the value is one that usually stands for a missing one: −1, or nines alone."""
    size = abs(one["value"])
    nines = size.is_integer() and set(str(int(size))) == {"9"}
    return nines or one["value"] == -1
