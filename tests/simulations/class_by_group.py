"""Areas where the group of a row gives its class: ``python -m tests.simulations.class_by_group``.

The recommended test of two AUCs of 0.76 in groups of 15 rows; scores of positives of the second
model may spread twice as widely. The lowest and highest share of data sets in which it rejects
over prevalences (10, 20, 50 %), correlations within groups (0.15, 0.6) and spreads (1, 2): with Pan
and Wall's degrees of freedom alone, and with those of a report, which are at most two less than
twice the number of groups of the rarer class. 1,000 data sets each:

- 10 groups: 0.032 to 0.069 → 0.008 to 0.039
- 20 groups: 0.041 to 0.092 → 0.015 to 0.047
- 40 groups: 0.038 to 0.098 → 0.037 to 0.053
- 80 groups: 0.045 to 0.071 → 0.045 to 0.070
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
from scipy.special import stdtr

from reportgen.clusters import degrees_of_freedom
from reportgen.comparisons import area_covariance, delong_pair
from reportgen.comparisons.delong import delong_rare_class_pair, has_rare_class
from tests.report_data import Rows
from tests.simulations.groups import drawn_rows
from tests.simulations.situations import ALPHA, asked

GROUPS = (10, 20, 40, 80)
PREVALENCES, CORRELATIONS, SPREADS = (0.1, 0.2, 0.5), (0.15, 0.6), (1.0, 2.0)


def rejections(rows: Rows, runs: int) -> tuple[float, float]:
    """The share of data sets that are rejected, with either degrees of freedom."""
    counts = np.zeros(2)
    for run in range(runs):
        frame, groups = drawn_rows(np.random.default_rng([run, rows.units]), rows)
        areas = area_covariance(frame, ("a", "b"), groups=groups)
        of_pair = delong_rare_class_pair if has_rare_class(areas) else delong_pair
        test = of_pair(areas, (0, 1), asked("auc"))
        if test.p_value is None or test.statistic is None or areas.sums is None:
            continue
        alone = degrees_of_freedom(areas.sums[:, 0] - areas.sums[:, 1])
        p_values = 2 * float(stdtr(alone, -abs(test.statistic))), test.p_value
        counts += np.array(p_values) < ALPHA
    return tuple(counts / runs)


def main(runs: str = "1000") -> None:
    """Print the lowest and the highest share by number of groups."""
    for groups in GROUPS:
        shares = [
            rejections(
                Rows(groups, 15, within, prevalence=prevalence, spread=spread, by_unit=True),
                int(runs),
            )
            for prevalence, within, spread in product(PREVALENCES, CORRELATIONS, SPREADS)
        ]
        alone, bounded = zip(*shares, strict=True)
        print(
            f"- {groups} groups: {min(alone):.3f} to {max(alone):.3f} → {min(bounded):.3f} to "
            f"{max(bounded):.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
