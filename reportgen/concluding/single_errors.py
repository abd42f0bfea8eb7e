"""Squared errors that are nearly those of a few rows: what the numbers and their limits rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from reportgen.comparisons.wording import bounded
from reportgen.measuring.no_interval import (
    FEWEST,
    MOST_OF_ONE,
    OF_LARGE_ERRORS,
    OF_SQUARES,
    share_of_one,
)
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of
from reportgen.spec.gates import parse, sides_of
from reportgen.text import numbers
from reportgen.text.words import listed

FEW = 0.02
"""Up to this share of the rows are few."""

FINER = 300
"""From so many rows on shares of them have a decimal."""

UNSEEN = 1000
"""Of fewer rows means of squares may lack errors that carry them: see ``unseen``."""


def outweighing(results: Results) -> Iterator[Caveat]:
    """The models of which one row, or a few, have more than half of the squared errors.

    From the largest errors and the mean of the squares, of rows that count the same. Of several
    rows only those that the report lists are known.
    """
    rows = results.data["rows_evaluated"]
    if not results.task.of_numbers or results.data.get("weighted") or rows < FEWEST:
        return
    of_all = results.metrics.filter(pl.col("slice").is_null(), pl.col("average").is_null())
    by_count: dict[int, dict[str, float]] = {}
    of_one: dict[int | str, dict[str, float]] = {}
    for model in results.data["models"]:
        name = model["name"]
        values = dict(of_all.filter(model=name).select("metric", "value").iter_rows())
        largest, mean = values.get("maximum_error"), values.get("mean_squared_error")
        if largest is None or not mean:
            continue
        share = share_of_one(largest, mean, rows)
        if share > MOST_OF_ONE:
            of_one.setdefault(_largest(results, name), {})[name] = share
        elif few := _few(results, name, mean * rows):
            by_count.setdefault(few[0], {})[name] = few[1]
    for shares in of_one.values():
        text = f"One row has {_of_models(shares)}: MSE and R² rest on it and have no intervals."
        yield Caveat("one_error", "moderate", text, OF_SQUARES, tuple(shares))
    if by_count:
        least, most = min(by_count), max(by_count)
        count = str(most) if least == most else f"{least} to {most}"
        shares = {name: share for some in by_count.values() for name, share in some.items()}
        text = f"{count} rows have {_of_models(shares)}: "
        text += "MSE, R² and their intervals rest on those rows."
        yield Caveat("few_errors", "moderate", text, OF_SQUARES, tuple(shares))


def _of_models(shares: Mapping[str, float]) -> str:
    """How much of the squared errors of which models."""
    least, most = (numbers.percent(end(shares.values()), 0) for end in (min, max))
    shown = most if least == most else f"{least.rstrip(numbers.PERCENT)} to {most}"
    each = "each of " if len(shares) > 1 else ""
    return f"{shown} of the squared errors of {each}{listed([bounded(name) for name in shares])}"


def _largest(results: Results, model: str) -> int | str:
    """The row with the largest error of a model; where it is not known, the model."""
    errors = results.notable_rows.filter(
        pl.col("models").list.contains(model), kind="residual", measure="squared error", rank=1
    )
    rows = errors["row"].drop_nulls().to_list()
    return rows[0] if rows else model


def unseen(results: Results) -> Iterator[Caveat]:
    """Too few rows to show rare, far larger errors, which carry means of squares.

    Errors of 3/n of all rows are missing from 5 % of the samples of n rows. Where 2 % of the
    errors are 15 times as large as the others, the limits of an MSE hold it in 0.45 of the
    samples of 30 rows, 0.79 of 100 and 0.97 of 300; where 1 % are, in 0.85 of 300, where 0.5 %
    are, in 0.92 of 1,000 (``docs/coverage.md``). What the largest
    errors of a sample carry cannot decide instead: where 2 % of the rows have more than half
    of the squares the limits hold it in 0.98 or more, where not in 0.18 of 30 and 0.39 of 100.
    """
    rows = results.data["rows_evaluated"]
    of_means = any(model.get("quantile") is None for model in results.data["models"])
    if not results.task.of_numbers or rows < FEWEST or not of_means:
        return
    limited = results.metrics.filter(
        pl.col("metric").is_in(OF_SQUARES), pl.col("low").is_not_null()
    )
    groups = results.data.get("groups")
    in_groups = groups is not None and groups["largest"] > 1
    examples = evaluation_of(results.data).test_examples or rows
    count, unit = (examples, "rows" if examples == rows else "examples")
    if groups and in_groups:
        count, unit = groups["number"], "groups"
    if count < UNSEEN and limited["slice"].null_count():
        share = numbers.percent(min(3 / count, 1.0), int(count >= FINER))
        text = (
            f"If fewer than {share} of all {unit} have far larger errors, these {count} {unit} may "
            "contain none of them. Intervals of MSE, R² and other measures that they decide, and "
            "gates on them, do not allow for such errors."
        )
        yield Caveat("unseen_errors", "slight", text, OF_LARGE_ERRORS)
        return
    small = results.slices.filter(pl.col("rows") < UNSEEN)["slice"].to_list()
    gated = results.gates.filter(pl.col("slice").is_in(small))["gate"].to_list()
    if any(side.metric in OF_LARGE_ERRORS for gate in gated for side in sides_of(parse(gate))):
        text = (
            f"Slices of fewer than {numbers.count(UNSEEN)} rows may lack rare, far larger errors. "
            "Intervals of MSE, R² and other measures that they decide in such slices, and gates on "
            "them, do not allow for such errors."
        )
        yield Caveat("unseen_errors_of_slices", "slight", text, OF_LARGE_ERRORS)


def _few(results: Results, model: str, total: float) -> tuple[int, float] | None:
    """How few rows have more than half of the squared errors of a model, and their share."""
    errors = results.notable_rows.filter(
        pl.col("models").list.contains(model), kind="residual", measure="squared error"
    )
    squares = errors.sort("rank")["value"].drop_nulls().to_list()
    for count in range(2, 1 + min(len(squares), int(FEW * results.data["rows_evaluated"]))):
        share = sum(squares[:count]) / total
        if share > MOST_OF_ONE:
            return count, share
    return None
