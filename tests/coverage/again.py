"""Whether docs/coverage.md still holds: ``python -m tests.coverage.again 20``.

Simulates one in 20 of the jobs of the page again, with its number of samples, and prints each
coverage that is not between the lowest and the highest of its line, by more than chance. All of
``make coverage`` takes hours; ``… again 20 3`` starts with the fourth job, and a third number
stops after so many seconds.
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.coverage.__main__ import PAGE
from tests.coverage.jobs import jobs, name_of
from tests.coverage.measured import Coverage

SAMPLES = 4000
"""Of the page."""

OF_FEWER = {"of_estimates": 100, "of_class_tables": 100, "of_first_ranks": 200, "of_bands": 133}
OF_ALL = ("of_area", "of_counts", "of_f_measures", "of_predictive_values")
"""Jobs of other numbers of samples than a tenth; some of theirs have half as many."""

ERRORS = 3.3
"""So many standard errors of the difference of two simulations are chance."""


class Line(NamedTuple):
    """What a line of the page says of a design."""

    least: float
    most: float
    too_high: float
    too_low: float
    exists: float


Key = tuple[str, str, str, str]


def lines_of(page: str) -> dict[Key, Line]:
    """The lines of the tables that have limits, by title, design, rows and fewest."""
    lines = {}
    for part in page.split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        for line in body.split("\n"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) == 8 and cells[3].replace(".", "").isdigit():
                numbers = [float(cell) if cell[-1].isdigit() else 1.0 for cell in cells[3:]]
                lines[title, cells[0], cells[1], cells[2]] = Line(*numbers)
    return lines


def chance(coverage: float, samples: int) -> float:
    """How far two simulations of so many samples may differ, with the rounding of the page."""
    share = min(max(coverage, 0.02), 0.98)
    return ERRORS * math.sqrt(2 * share * (1 - share) / samples) + 0.0005


def outside(one: Coverage, page: Mapping[Key, Line], samples: int) -> str | None:
    """What the page does not say of a coverage; null where it does."""
    if not one.exists > 0:
        return None
    key = (one.what.replace("_", " "), one.design, f"{one.rows:,}", f"{one.fewest:.0f}")
    line = page.get(key)
    if line is None:
        return f"{key} is not on the page"
    low, high = line.least - chance(line.least, samples), line.most + chance(line.most, samples)
    if low <= one.covered <= high:
        return None
    return f"{key}, quality {one.quality:g}: {one.covered:.3f}, on the page {line}"


def again(every: int, first: int, seconds: float) -> Iterator[str]:
    """The values that differ, and at the end how many of which jobs were simulated."""
    page, start = lines_of(PAGE.read_text(encoding="utf-8")), time.monotonic()
    counts, values = Counter[str](), 0
    for job in list(jobs(SAMPLES))[first::every]:
        if time.monotonic() - start > seconds:
            break
        samples = SAMPLES // 2 if name_of(job) in OF_ALL else OF_FEWER.get(name_of(job), 400)
        for one in job():
            values += 1
            if (said := outside(one, page, samples)) is not None:
                yield said
        counts[name_of(job)] += 1
    yield f"{values} values of {sum(counts.values())} jobs: {dict(counts)}"


if __name__ == "__main__":
    EVERY, FIRST, SECONDS = [*map(int, sys.argv[1:]), *(20, 0, 10**6)[len(sys.argv) - 1 :]]
    for text in again(EVERY, FIRST, SECONDS):
        print(text, flush=True)
