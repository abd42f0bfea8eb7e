"""What stands below each table of measures that has them: signs, and levels of intervals."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from reportgen.metric_names import WINKLER_SCORE
from reportgen.records.model import Results
from reportgen.sections import interval_columns, lookup
from reportgen.tasks import MeasureAverage
from reportgen.text.words import listed

BIAS = "Bias: truth \N{MINUS SIGN} estimate, positive where estimates are too low."


def notes(results: Results, shown: Collection[MeasureAverage]) -> Iterator[str]:
    """The notes of the measures that a table shows."""
    if ("mean_error", None) in shown:
        yield BIAS
    of_intervals = interval_columns.COVERAGE, interval_columns.WIDTH, (WINKLER_SCORE, None)
    levels = interval_columns.nominal_levels(results)
    if len(set(levels.values())) < 2 or not {*shown} & {*of_intervals}:
        return
    printed = lookup.printed(results)
    each = [
        f"{printed[name]} {interval_columns.nominal(results, level)}"
        for name, level in levels.items()
        if name in printed
    ]
    yield f"Nominal levels of the prediction intervals: {listed(each)}."
    if (WINKLER_SCORE, None) in shown:
        yield "Winkler scores of intervals of different levels do not rank the models."
