"""Write panel.json: the mean of a panel of differences, its standard errors by statsmodels.

The differences of two models' losses on 6 groups at 40 points of time. Driscoll and Kraay's error
is that of least squares with the covariance "hac-groupsum" (sums by point of time, Bartlett
weights, ⌊n^⅓⌋ lags), which is Diebold and Mariano's of the mean difference by point.

    uv run --no-project --with statsmodels python tests/reference/make_panel.py
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import statsmodels.api as sm

FOLDER = Path(__file__).parent
GROUPS, POINTS = 6, 40


def main() -> None:
    """Write the file."""
    random = np.random.default_rng(20)
    shocks = np.convolve(random.normal(size=POINTS + 2), [1, 0.6, 0.3], mode="valid")
    values = random.normal(size=(POINTS, GROUPS)) + shocks[:, None] + 0.3
    values = np.round(values, 6)
    point = np.repeat(np.arange(POINTS), GROUPS)
    options = {"time": point, "maxlags": int(POINTS ** (1 / 3)), "use_correction": False}
    fit = sm.OLS(values.ravel(), np.ones(values.size)).fit(
        cov_type="hac-groupsum", cov_kwds={**options, "df_correction": False}
    )
    document = {
        "programs": {name: version(name) for name in ("statsmodels", "numpy")},
        "differences": values.tolist(),
        "mean": float(fit.params[0]),
        "driscoll_kraay_error": float(fit.bse[0]),
    }
    text = json.dumps(document, indent=1) + "\n"
    (FOLDER / "panel.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
