"""Write diebold_mariano.json: the test of two regressions of ``examples/diabetes``, by others.

And the autocorrelations of the errors of the first at the same lags, by statsmodels.

With a horizon: the package dieboldmariano (autocovariances, Harvey's correction). Without one: the
mean of the differences by statsmodels' least squares with Newey and West's covariance (Bartlett
weights, ⌊n^⅓⌋ lags), its statistic under t of n − 1 degrees of freedom.

    uv run --no-project --with dieboldmariano --with statsmodels --with polars
        python tests/reference/make_diebold_mariano.py
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars as pl
import statsmodels.api as sm
from dieboldmariano import dm_test
from scipy import stats
from statsmodels.tsa.stattools import acf

FOLDER = Path(__file__).parent
DATA = FOLDER.parents[1] / "examples" / "diabetes" / "predictions.csv"
HORIZONS = (1, 3, 8)


def main() -> None:
    """Write the file."""
    rows = pl.read_csv(DATA)
    truth, first, second = (rows[c].to_list() for c in ("progression", "ridge", "forest"))
    tests = []
    for horizon in HORIZONS:
        statistic, peer_p = dm_test(truth, first, second, h=horizon, harvey_correction=True)
        # Its own incomplete beta function is good to about 1e-9 only.
        p = float(2 * stats.t.sf(abs(statistic), len(truth) - 1))
        assert abs(p / peer_p - 1) < 1e-8
        tests.append({"horizon": horizon, "statistic": statistic, "p_value": p})
    y = np.array(truth)
    gaps = (y - np.array(first)) ** 2 - (y - np.array(second)) ** 2
    lags = int(len(gaps) ** (1 / 3))
    fit = sm.OLS(gaps, np.ones(len(gaps))).fit(
        cov_type="HAC", cov_kwds={"maxlags": lags, "use_correction": False}
    )
    statistic = float(fit.tvalues[0])
    p = float(2 * stats.t.sf(abs(statistic), len(gaps) - 1))
    tests.append({"horizon": None, "statistic": statistic, "p_value": p})
    programs = {name: version(name) for name in ("dieboldmariano", "statsmodels", "numpy")}
    at_lags = acf(y - np.array(first), nlags=max(HORIZONS), fft=False)
    document = {
        "programs": programs,
        "data": "examples/diabetes/predictions.csv",
        "tests": tests,
        "autocorrelations": [{"lag": lag, "value": float(at_lags[lag])} for lag in HORIZONS],
    }
    path = FOLDER / "diebold_mariano.json"
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
