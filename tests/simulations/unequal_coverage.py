"""Limits of decisions in few unequal groups: ``python -m tests.simulations.unequal_coverage``.

The share of data sets whose 95 % limits hold the true value, of those that have limits: ten groups
of 15 rows on average and of unequal size, correlation 0.3 and 0.6, 20 and 40 % positive. Of
1,000 data sets with the former and 600 with the latter:

- accuracy 0.936 to 0.948, recall 0.930 to 0.950, specificity 0.930 to 0.987
- precision 0.910 to 0.947, F1 0.923 to 0.951, balanced accuracy 0.915 to 0.953
- MCC 0.938 and 0.954, 0.902 and 0.945: 0.90 or more, as reports say of few groups that their limits
  are rough
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

from tests.whole.test_results_groups_coverage import DECIDED, Setting, binary


def held(setting: Setting, runs: int) -> dict[str, float]:
    """The share of each measure."""
    random = np.random.default_rng([30, setting.groups, round(10 * setting.correlation)])
    [truth] = binary([setting.drawn(random, 8_000)])
    samples = binary([setting.drawn(random) for _ in range(runs)])
    shares = {}
    for name in DECIDED:
        rows = [row[name] for row in samples if row[name]["low"] is not None]
        inside = [row["low"] <= truth[name]["value"] <= row["high"] for row in rows]
        shares[name] = float(np.mean(inside))
    return shares


def main(runs: str = "1000") -> None:
    """Print the coverage of each measure by design."""
    for correlation, prevalence in product((0.3, 0.6), (0.2, 0.4)):
        setting = Setting(10, 15, correlation, prevalence=prevalence, unequal=True)
        shares = ", ".join(
            f"{name} {share:.3f}" for name, share in held(setting, int(runs)).items()
        )
        print(f"- {correlation:g}, {prevalence:g} positive: {shares}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
