"""Run every situation and write ``docs/levels.md``: ``python -m tests.simulations [RUNS]``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from pathlib import Path

from reportgen.comparisons import TESTS
from tests.simulations import data_sets, folds, rows
from tests.simulations.situations import ALPHA, SITUATIONS, Rates, measured

TABLE = Path(__file__).parents[2] / "docs" / "levels.md"

MODULES = (rows, folds, data_sets)
"""The situations that are written, in this order."""

_HEAD = f"""# How often the tests reject

Made by `make levels`: share of simulated data sets in which a test rejects at α = {ALPHA:g}.
**Level**: nothing differs, so that more than {ALPHA:g} is too often. **Power**: something
differs, by the same in every test of a situation. A run in which a test has no p counts as one
that does not reject; *defined* is the share with a p. Of tests of many pairs any rejection counts,
after their correction. The standard error of a level of {ALPHA:g} is 0.005 with 2,000 runs, 0.010
with 500. Of a difference to a perfect model, level is the share of intervals that miss the truth.
"""


def table(rates: Iterable[Rates]) -> str:
    """The page: one table per test."""
    lines = [_HEAD]
    ordered = sorted(rates, key=lambda r: list(TESTS).index(r.test))
    for test, own in groupby(ordered, key=lambda r: r.test):
        info = TESTS[test]
        title = info.label.removeprefix("The ")
        lines += [
            f"## {title[:1].upper()}{title[1:]} (`{test}`)\n",
            "| situation | runs | level | power | defined |",
            "|---|---:|---:|---:|---:|",
        ]
        for rate in own:
            level = f"**{rate.level:.3f}**" if rate.level > 0.065 else f"{rate.level:.3f}"
            power = "" if rate.power is None else f"{rate.power:.2f}"
            lines.append(
                f"| {rate.situation} | {rate.runs:,} | {level} | {power} | {rate.defined:.2f} |"
            )
        lines.append("")
    return "\n".join(lines)


def main(runs: int = 2000) -> None:
    """Measure every situation, each in a process of its own, and write the table."""
    with ProcessPoolExecutor(2) as pool:
        found = [
            r for rates in pool.map(measured, SITUATIONS, [runs] * len(SITUATIONS)) for r in rates
        ]
    TABLE.write_text(table(found), encoding="utf-8")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
