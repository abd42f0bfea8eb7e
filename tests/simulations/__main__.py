"""Run every situation and write ``docs/levels.md``: ``python -m tests.simulations``.

Its arguments are the number of runs and names of modules. With names, such as ``groups``, the
situations of these alone are run, and the other rows of the page stay as they are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from pathlib import Path

from reportgen.comparisons import TESTS
from tests.simulations import (
    advised,
    areas_in_time,
    claims_in_time,
    costs,
    data_sets,
    fold_measures,
    folds,
    groups,
    groups_in_time,
    growing_folds,
    models_in_time,
    probabilities,
    rare_class,
    rows,
    slices,
    unlike,
    weights,
)
from tests.simulations.situations import SITUATIONS, Rates, measured

TABLE = Path(__file__).parents[2] / "docs" / "levels.md"
SUMMARY = Path(__file__).with_name("summary.md")
"""What stands above the tables: how to read them, and the simulations that are no table."""

MODULES = (
    rows,
    unlike,
    rare_class,
    costs,
    groups,
    weights,
    claims_in_time,
    areas_in_time,
    groups_in_time,
    slices,
    folds,
    growing_folds,
    models_in_time,
    probabilities,
    fold_measures,
    advised,
    data_sets,
)
"""The situations that are written, in this order."""


def _title(test: str) -> str:
    """The name of a test; those of gaps between slices are none of models."""
    if test in TESTS:
        return TESTS[test].label.removeprefix("The ")
    return f"test of a gap between slices in {test.removeprefix('gap:').replace('_', ' ')}"


_ROW = re.compile(r"\| (.+?) \| ([\d,]+) \| \**([\d.]+)\** \| ([\d.]*) \| ([\d.]+) \|")


def rates_of(page: str) -> list[Rates]:
    """The rows of a page that ``table`` wrote."""
    result, test = [], ""
    for line in page.splitlines():
        if line.startswith("## "):
            test = line.rpartition("(`")[2].removesuffix("`)")
        elif row := _ROW.fullmatch(line):
            name, runs, level, power, defined = row.groups()
            numbers = int(runs.replace(",", "")), float(level), float(defined)
            result.append(Rates(test, name, *numbers, float(power) if power else None))
    return result


def table(rates: Iterable[Rates]) -> str:
    """The page: one table per test."""
    lines = [SUMMARY.read_text(encoding="utf-8")]
    of_module = {module.__name__: k for k, module in enumerate(MODULES)}
    places = {
        name: (of_module[one.draw.__module__], k)
        for k, (name, one) in enumerate(SITUATIONS.items())
    }
    tests = {name: k for k, name in enumerate((*TESTS, *(f"gap:{m}" for m in slices.MEASURES)))}
    ordered = sorted(rates, key=lambda r: (tests[r.test], places[r.situation]))
    for test, test_rates in groupby(ordered, key=lambda r: r.test):
        title = _title(test)
        lines += [
            f"## {title[:1].upper()}{title[1:]} (`{test}`)\n",
            "| situation | runs | level | power | defined |",
            "|---|---:|---:|---:|---:|",
        ]
        for rate in test_rates:
            level = f"**{rate.level:.3f}**" if rate.level > 0.065 else f"{rate.level:.3f}"
            power = "" if rate.power is None else f"{rate.power:.2f}"
            lines.append(
                f"| {rate.situation} | {rate.runs:,} | {level} | {power} | {rate.defined:.2f} |"
            )
        lines.append("")
    return "\n".join(lines)


def main(runs: str = "2000", *modules: str) -> None:
    """Measure the situations, each in a process of its own, and write the table."""
    names = [
        name
        for name, all_rates in SITUATIONS.items()
        if not modules or all_rates.draw.__module__.rpartition(".")[2] in modules
    ]
    with ProcessPoolExecutor(2) as pool:
        new = [r for rates in pool.map(measured, names, [int(runs)] * len(names)) for r in rates]
    old = [r for r in rates_of(TABLE.read_text(encoding="utf-8")) if r.situation in SITUATIONS]
    kept = [r for r in old if r.situation not in names]
    TABLE.write_text(table([*kept, *new]), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
