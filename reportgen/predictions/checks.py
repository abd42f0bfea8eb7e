"""The declaration of predictions, compiled into one pass of aggregates.

Pandera collects once per check; a million rows would be read many times. Here
its nullability and checks become expressions that are counted together, and
rows are looked up only for the columns where a count is not zero. What the bits
of a column tell at once, as they mostly do, is not counted at all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from reportgen.errors import Problem
from reportgen.predictions.column_names import role
from reportgen.predictions.input_tables import BinaryPredictions, PredictionRows
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.source import Source, counted, row_problems
from reportgen.spec.nearest import listing
from reportgen.tables.checked import broken_by, declared_columns


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """A declared check of one column: what breaks it, as an expression and in words."""

    column: str
    code: str
    fails: pl.Expr
    one: str
    many: str
    hint: str
    holds: Callable[[FloatScan], bool] = lambda _: False
    """Whether no value breaks it, as far as that is known of a column of numbers without nulls."""

    def words(self, number: int) -> str:
        """What is wrong in so many rows."""
        return counted(number, self.one, self.many)


def rules(
    columns: Sequence[str], table: type[PredictionRows] = BinaryPredictions
) -> list[ColumnRule]:
    """Return a table's declared rules of columns by their canonical names."""
    result = []
    for name in columns:
        declared = _column(name, table)
        if declared is None:
            continue
        if not declared.nullable:
            result.append(_not_null(name, two_classes=table is BinaryPredictions))
        infinite = [c for c in declared.checks if _bound(c) in (math.inf, -math.inf)]
        if infinite:
            result.append(_finite(name))
        others = [_rule(name, check) for check in declared.checks if check not in infinite]
        if infinite:  # each fault is reported once
            finite = pl.col(name).is_finite()
            others = [replace(rule, fails=rule.fails & finite) for rule in others]
        result += others
    return result


def _column(name: str, table: type[PredictionRows]) -> Any:
    if name == "model":
        name = "id"  # of a row in long form: text that is never missing
    declared = declared_columns(table)
    patterns = (c for p, c in declared.items() if c.regex and re.match(p, name))
    return declared.get(name) or next(patterns, None)


def _bound(check: Any) -> Any:
    return next((v for v in check.statistics.values() if isinstance(v, float)), None)


OF_HARD_ROWS = "removing the rows for all models would favour one that leaves out hard ones"


def _not_null(name: str, *, two_classes: bool) -> ColumnRule:
    what = "an observation" if role(name) == "truth" else "a prediction"
    hint = f"remove the rows; a made-up value would count as {what}"
    if two_classes and role(name) in ("score", "label"):
        form = "the long form, a row per example and model, and leave out what is missing"
        hint = f"write {form}; {OF_HARD_ROWS}"
    fails = pl.col(name).is_null()
    return ColumnRule(name, "null", fails, "value is missing", "values are missing", hint)


def _finite(name: str) -> ColumnRule:
    """Infinity of either sign, though one may be beyond the bounds of the column as well."""
    fails = pl.col(name).is_finite().not_()
    one, many = "value is NaN or infinite", "values are NaN or infinite"
    hint = "remove the rows, or correct the values"
    if role(name) in ("score", "label"):
        hint = f"correct the values: {OF_HARD_ROWS}"
    return ColumnRule(name, "not-finite", fails, one, many, hint, lambda scan: scan.finite)


def _rule(name: str, check: Any) -> ColumnRule:
    fails = broken_by(check, name)
    if check.name == "isin":
        allowed = listing(check.statistics["allowed_values"])
        one, many = f"value is not one of {allowed}", f"values are not one of {allowed}"
        return ColumnRule(name, "unknown-value", fails, one, many, f"write one of {allowed}")
    if check.name == "zero_or_within":
        span = "{min_value:g} to {max_value:g}".format_map(check.statistics)
        one, many = f"value is neither 0 nor from {span}", f"values are neither 0 nor from {span}"
        return ColumnRule(name, "out-of-range", fails, one, many, "scale them, so that 1 is usual")
    limit = f"{next(iter(check.statistics.values())):g}"
    word, least = ("below", "least") if check.name.startswith("greater") else ("above", "most")
    one, many = f"value is {word} {limit}", f"values are {word} {limit}"
    hint = f"correct them to be at {least} {limit}"
    from_zero = check.name == "greater_than_or_equal_to" and limit == "0"
    return ColumnRule(
        name, "out-of-range", fails, one, many, hint, lambda scan: from_zero and scan.unsigned
    )


def problems(
    frame: pl.DataFrame,
    columns: Sequence[RequiredColumn],
    source: Source,
    table: type[PredictionRows] = BinaryPredictions,
) -> tuple[list[Problem], list[str]]:
    """Return what breaks the declaration, and the columns that hold a negative zero.

    One pass over the frame; the rows at fault are looked up only where a count
    is not zero.
    """
    named = {field.name: field.column for field in columns}
    scans = {name: scan_floats(frame[name]) for name in frame.columns if name in named}
    broken = [
        rule
        for rule in rules(list(scans), table)
        if frame[rule.column].null_count() or not _holds(rule, scans[rule.column])
    ]
    scores = [
        name
        for name, scan in scans.items()
        if role(name) == "score"
        and frame[name].dtype == pl.Float64
        and (scan is None or scan.minus_zero)
    ]
    if not broken and not scores:
        return [], []
    counts = frame.select(
        *(rule.fails.sum().alias(str(i)) for i, rule in enumerate(broken)),
        *(
            ((pl.col(n) == 0) & (pl.col(n).reinterpret(dtype=pl.UInt64) != 0)).any().alias(f"-{n}")
            for n in scores
        ),
    ).row(0, named=True)
    result: list[Problem] = []
    for index, rule in enumerate(broken):
        if counts[str(index)]:
            result += row_problems(
                rule.code,
                rule.words,
                rule.hint,
                column=named[rule.column],
                wrong=frame.select(rule.fails.fill_null(value=False)).to_series(),
                source=source,
                values=frame[rule.column],
            )
    return result, [n for n in scores if counts[f"-{n}"]]


def _holds(rule: ColumnRule, scan: FloatScan | None) -> bool:
    """Whether no value of a column without nulls can break a rule."""
    return rule.code == "null" or (scan is not None and rule.holds(scan))


BLOCK = 2**16
"""So many values at a time stay in the processor's cache."""

_SIGN = 1 << 63
_INFINITE = 0x7FF << 52


@dataclass(frozen=True, slots=True)
class FloatScan:
    """Whether all are finite, whether none has a sign, and whether one is -0.0."""

    finite: bool
    unsigned: bool
    minus_zero: bool


def scan_floats(values: pl.Series) -> FloatScan | None:
    """What is known of a Float64 column; nothing of others, or where values are missing.

    As integers the bits of floats are in their order, those with a sign above
    all others and the other way round, infinity and then NaN at the ends.
    """
    if values.dtype != pl.Float64 or values.null_count():
        return None
    unsigned, positive, first = 0, 0, 1
    for chunk in values.get_chunks():
        bits = chunk.to_numpy().view(np.uint64)
        for start in range(0, len(bits), BLOCK):
            part = bits[start : start + BLOCK]
            highest = int(part.max())
            unsigned = max(unsigned, highest)
            if highest >= _SIGN:
                signed = part.view(np.int64)
                positive, first = max(positive, int(signed.max())), min(first, int(signed.min()))
            else:
                positive = max(positive, highest)
    return FloatScan(
        finite=positive < _INFINITE and unsigned < _SIGN + _INFINITE,
        unsigned=unsigned < _INFINITE,
        minus_zero=first == -_SIGN,
    )
