"""The columns of page one on prediction intervals: how often they hold the truth, how wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.metric_names import WINKLER_SCORE
from reportgen.records.model import Results
from reportgen.sections import lookup
from reportgen.sections.tables import Cell, Column, valued
from reportgen.tasks import MeasureAverage
from reportgen.text import decimals, numbers

COVERAGE: MeasureAverage = ("interval_coverage", None)
WIDTH: MeasureAverage = ("interval_width", None)


def has_intervals(results: Results) -> bool:
    """Whether a model gives prediction intervals."""
    return any("interval" in model["outputs"] for model in results.data["models"])


def decide(results: Results) -> bool:
    """Whether the intervals decide which model is better: their width then stands for the RMSE."""
    return results.decision.measure == WINKLER_SCORE


def nominal_levels(results: Results) -> dict[str, float | None]:
    """The declared level of each model that gives prediction intervals, in their order."""
    models = results.data["models"]
    return {m["name"]: m["level"] for m in models if "interval" in m["outputs"]}


def heads(results: Results) -> Iterator[Column]:
    """The heads of the columns; none where no model gives intervals.

    Beside means over folds they say that they are of all rows.
    """
    if not has_intervals(results):
        return
    levels = {*nominal_levels(results).values()}
    one = levels.pop() if len(levels) == 1 else None
    nominal = "" if one is None else f", nominal {numbers.level(one)}"
    if len(levels) > 1:
        yield Column("nominal", "Nominal level")
    basis = ", all rows" if results.decision.basis == "mean over folds" else ""
    level = numbers.level(results.confidence)
    yield Column("held", f"In interval{nominal}{basis} ({level} CI)")
    if decide(results):
        yield Column("width", f"Interval width{basis}")


def nominal(results: Results, level: float | None) -> str:
    """A nominal level; of none what the Winkler score takes."""
    if level is not None:
        return numbers.level(level)
    return f"{numbers.level(results.confidence)} (not declared)"


def fill(results: Results, models: Sequence[str], lines: Sequence[dict[str, Cell | str]]) -> None:
    """Add the cells of the columns to the line of each model."""
    if not has_intervals(results):
        return
    every = lookup.numbers(results)
    shares, widths = (
        [every.get((measure, model), lookup.NOTHING) for model in models]
        for measure in (COVERAGE, WIDTH)
    )
    digits = decimals.shared((width.value, None, None) for width in widths)
    levels = nominal_levels(results)
    for line, model, share, width in zip(lines, models, shares, widths, strict=True):
        line["nominal"] = (
            nominal(results, levels[model]) if model in levels else Cell("–", kind="muted")
        )
        line["held"] = valued(share.value, share.low, share.high)
        line["width"] = valued(width.value, digits=digits)
