"""Variances where one group is large: ``python -m tests.simulations.large_groups``.

The t-test of the accuracies of two models that differ in nothing, groups of 15 rows on average, one
with a share of all rows; correlations within groups of 0.15 and 0.6. The share of data sets in
which it rejects by the squares of the sums of groups as they are (CR1), over 1 − h (CR2) and over
(1 − h)² (CR3), h being the share of the rows in a group: CR3 is what reports have. The lowest and
the highest; then the power of each at correlation 0.6. 2,000 data sets each:

- 8 groups, equal sizes, one of 30%: 0.052 to 0.053 (0.68) → 0.050 to 0.051 (0.63) → 0.044 to
  0.048 (0.60)
- 12 groups, equal sizes, one of 30%: 0.059 to 0.062 (0.71) → 0.051 to 0.058 (0.67) → 0.046 to
  0.054 (0.61)
- 20 groups, equal sizes, one of 30%: 0.062 to 0.075 (0.72) → 0.052 to 0.065 (0.67) → 0.043 to
  0.055 (0.60)
- 40 groups, equal sizes, one of 30%: 0.064 to 0.074 (0.64) → 0.051 to 0.066 (0.59) → 0.040 to
  0.057 (0.52)
- 20 groups, geometric sizes, one of 20%: 0.056 to 0.068 (0.63) → 0.046 to 0.059 (0.58) → 0.043 to
  0.052 (0.53)
- 20 groups, geometric sizes: 0.056 to 0.059 (0.60) → 0.051 to 0.052 (0.57) → 0.046 to 0.046
  (0.54)
- 20 groups, equal sizes: 0.051 to 0.057 (0.80) → 0.051 to 0.057 (0.80) → 0.051 to 0.057 (0.80)
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import stdtr

from reportgen.clusters import Groups, degrees_of_freedom
from reportgen.comparisons import mcnemar_groups
from reportgen.leverage import jackknife_sums
from tests.report_data import Rows
from tests.simulations.groups import correct, drawn_rows
from tests.simulations.situations import ALPHA, asked

DESIGNS = (
    (8, False, 0.3),
    (12, False, 0.3),
    (20, False, 0.3),
    (40, False, 0.3),
    (20, True, 0.2),
    (20, True, 0.0),
    (20, False, 0.0),
)
"""Groups, whether sizes are geometric, and the share of the first group."""
CORRELATIONS = (0.15, 0.6)


def p_values(differ: np.ndarray, groups: Groups) -> list[float]:
    """By CR1, CR2 and CR3, each with Pan and Wall's degrees of freedom."""
    mean, shares = float(differ.mean()), groups.sizes / groups.rows
    sums, left = groups.sums(differ - mean) / groups.rows, (groups.number - 1) / groups.number
    result = []
    for of_groups in (
        sums / left,
        jackknife_sums(sums, 1 - np.sqrt(1 - shares)) / np.sqrt(left),
        jackknife_sums(sums, shares),
    ):
        error = float(np.sqrt(left * np.square(of_groups).sum()))
        df = degrees_of_freedom(of_groups)
        result.append(2 * float(stdtr(df, -abs(mean) / error)) if error > 0 else 1.0)
    return result


def rejections(rows: Rows, runs: int) -> np.ndarray:
    """The share of data sets that each variance rejects; the last one is the test of reports."""
    counts = np.zeros(3)
    for run in range(runs):
        frame, groups = drawn_rows(np.random.default_rng([run, rows.units]), rows)
        both = correct(frame, "a"), correct(frame, "b")
        values = p_values(both[0].astype(float) - both[1], groups)
        test = mcnemar_groups(both, groups, asked("accuracy"))
        if test.p_value is not None and abs(test.p_value - values[-1]) > 1e-6:
            raise ValueError(f"the test of reports has p = {test.p_value}, not {values[-1]}")
        counts += np.array(values) < ALPHA
    return counts / runs


def main(runs: str = "2000") -> None:
    """Print the lowest and the highest share by design, and the power."""
    for number, unequal, largest in DESIGNS:
        levels = [
            rejections(Rows(number, 15, w, unequal=unequal, largest=largest), int(runs))
            for w in CORRELATIONS
        ]
        differing = Rows(number, 15, 0.6, unequal=unequal, largest=largest, second=6 / number**0.5)
        power = rejections(differing, int(runs) // 4)
        sizes = f"{'geometric' if unequal else 'equal'} sizes"
        name = f"{number} groups, {sizes}{f', one of {largest:.0%}' if largest else ''}"
        ends = zip(np.min(levels, axis=0), np.max(levels, axis=0), power, strict=True)
        texts = (f"{least:.3f} to {most:.3f} ({of:.2f})" for least, most, of in ends)
        print(f"- {name}: {' → '.join(texts)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
