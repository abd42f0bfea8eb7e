"""Simulate the coverage of every headline interval, print it, and write docs/coverage.md."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby, product
from pathlib import Path

import numpy as np

from tests.coverage.designs import (
    AREAS,
    PREVALENCES,
    RATES,
    SHAPES,
    SIZES,
    Forecasts,
    Scores,
    class_sizes,
)
from tests.coverage.measured import (
    Coverage,
    of_area,
    of_counts,
    of_difference,
    of_forecasts,
    plain,
)
from tests.coverage.optima import of_optima

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"

HEAD = """# Coverage

Written by `make coverage`. How often 95 % limits hold the true value, over samples whose true value
is known: {samples:,} samples for AUCs (half as many of 1,000 rows), all tables of 30 rows and
{samples:,} of more for measures of decisions, {fourth:,} for differences of AUCs, {few} (400
replicates) for probabilities and what is resampled.
"At least" and "at most" are the lowest and the highest coverage over the qualities; "too high" is
the largest share of lower limits above the truth, which is what a gate reads. Limits that do not
exist are counted apart: the last column is the smallest share of samples that have them.
"Fewest" is the (mean) number of rows of the smaller class. The design is the shape of the scores,
the two true AUCs, or the prevalence; steepness 1 is a calibrated model, above it one that is too
sure.

The KS statistic and the expected total cost, which are best over all thresholds, have limits from
thresholds tried on other rows, {optima} samples of each design (a third of 1,000 rows).

What covers less than it says: the positive likelihood ratio at a specificity of 0.99 and few
negatives, as it has a value only in samples with a false positive; Wilson's interval of a share of
0.99 of few rows; an AUC whose positives vary far more than the negatives, or of exponential scores,
with fewer than ten positives.
"""


OF_OPTIMA = (
    (3, 27),
    (5, 5),
    (10, 20),
    (15, 15),
    (10, 90),
    (30, 70),
    (50, 50),
    (100, 900),
    (500, 500),
)
"""Sizes of the classes."""


def measured(samples: int) -> Iterator[Coverage]:
    """Every interval over every design."""
    random = np.random.default_rng(1)
    for shape, area, sizes in product(SHAPES, AREAS, list(class_sizes())):
        number = samples if sum(sizes) < 1000 else samples // 2
        yield of_area(Scores(shape, area, *sizes), number, random)
    for areas, sizes, shared in product(
        ((0.7, 0.7), (0.9, 0.8), (0.95, 0.95), (0.99, 0.9), (0.999, 0.9)),
        ((3, 27), (10, 20), (10, 90), (50, 50), (100, 900)),
        (0.0, 0.5, 0.9, 0.99),
    ):
        yield of_difference(areas, sizes, shared, samples // 4, random)
    for rows, prevalence, rates in product(SIZES, PREVALENCES, RATES):
        yield from of_counts(rows, prevalence, rates, samples)
    for sizes, shape, area in product(
        OF_OPTIMA, (*SHAPES, "two labels"), (0.5, 0.6, 0.7, 0.9, 0.95)
    ):
        number = samples * 3 // (20 if sum(sizes) < 1000 else 60)
        yield from of_optima(Scores(shape, area, *sizes), number, np.random.default_rng(4))
    for rows, prevalence, (area, steepness) in product(SIZES, (0.1, 0.5), ((0.9, 1.0), (0.8, 2.5))):
        yield from of_forecasts(Forecasts(rows, prevalence, area, steepness), samples // 40, 3)


def lines(found: Iterable[Coverage]) -> Iterator[str]:
    """A table of each measure: a line for each size and design, over its qualities."""
    ordered = sorted(found, key=lambda c: c.what)
    for what, of_measure in groupby(ordered, key=lambda c: c.what):
        yield f"\n## {what.replace('_', ' ')}\n"
        yield "| design | rows | fewest | at least | at most | too high | exists |"
        yield "|---|---:|---:|---:|---:|---:|---:|"
        key = lambda c: (c.design, c.rows, c.fewest)  # noqa: E731
        for (design, rows, fewest), group in groupby(sorted(of_measure, key=key), key=key):
            each = [c for c in group if c.exists > 0]
            held = [c.covered for c in each]
            yield (
                f"| {design} | {rows:,} | {fewest:.0f} | {min(held):.3f} | {max(held):.3f} "
                f"| {max(c.too_high for c in each):.3f} | {min(c.exists for c in each):.2f} |"
            )


def before(samples: int) -> Iterator[str]:
    """DeLong's interval on the plain scale beside the default, in three designs."""
    yield "\n## DeLong's interval on the plain scale, for comparison\n"
    yield "| AUC | rows | positives | DeLong, plain | default |"
    yield "|---:|---:|---:|---:|---:|"
    for area, rows in product((0.95, 0.99), SIZES):
        design = Scores(SHAPES[0], area, rows // 10, rows - rows // 10)
        of_plain = plain(design, samples, np.random.default_rng(2))
        default = of_area(design, samples, np.random.default_rng(2)).covered
        yield f"| {area} | {rows:,} | {rows // 10} | {of_plain:.3f} | {default:.3f} |"


def main() -> None:
    """Print the tables and write the page."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    head = HEAD.format(
        samples=samples, fourth=samples // 4, few=samples // 40, optima=samples * 3 // 20
    )
    text = "\n".join([head, *lines(measured(samples)), *before(samples), ""])
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
