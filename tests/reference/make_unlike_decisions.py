"""Write unlike_decisions.json: differences in measures of counts between two models, tested.

Precision of two models by generalised estimating equations of statsmodels: what each model predicts
positive is correct or not, a row that both do is a cluster (Leisenring, Alonzo & Pepe 2000,
doi:10.1111/j.0006-341X.2000.00345.x); with weights too. Macro F1 of ten digits: the gradient by
each joint cell, differentiated by mpmath in 30 digits.

    uv run --no-project --with mpmath --with statsmodels --with polars --with pyarrow
        python tests/reference/make_unlike_decisions.py
"""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from importlib.metadata import version
from pathlib import Path

import mpmath as mp
import numpy as np
import pandas as pd
import polars as pl
import statsmodels.api as sm

FOLDER = Path(__file__).parent


def of_precision(rows: pl.DataFrame, weights: np.ndarray) -> dict[str, float]:
    """The difference first minus second and its z, by estimating equations."""
    truth = rows["y_true"].to_numpy()
    parts = []
    for side, model in enumerate(("gnb", "lr")):
        reached = np.flatnonzero(rows[f"{model}_pred"].to_numpy() == 1)
        parts.append(
            pd.DataFrame(
                {
                    "correct": truth[reached],
                    "first": 1 - side,
                    "row": reached,
                    "weight": weights[reached],
                }
            )
        )
    frame = pd.concat(parts).sort_values("row", kind="stable", ignore_index=True)
    fit = sm.GEE(
        frame["correct"],
        sm.add_constant(frame["first"]),
        groups=frame["row"],
        family=sm.families.Gaussian(),
        cov_struct=sm.cov_struct.Independence(),
        weights=frame["weight"],
    ).fit(cov_type="robust")
    return {"estimate": float(fit.params["first"]), "statistic": float(fit.tvalues["first"])}


def of_macro_f1(rows: pl.DataFrame) -> dict[str, float]:
    """The same of ten classes by the delta method over the joint cells."""
    columns = (rows[c].to_list() for c in ("y_true", "lr_pred", "rf_pred"))
    joint = Counter(zip(*columns, strict=True))
    cells, classes = sorted(joint), sorted({cell[0] for cell in joint})

    def difference(*counts: mp.mpf) -> mp.mpf:
        result = mp.mpf(0)
        for model, sign in ((1, 1), (2, -1)):
            for k in classes:
                hit, size = mp.mpf(0), mp.mpf(0)
                for cell, count in zip(cells, counts, strict=True):
                    hit += count * (cell[0] == k == cell[model])
                    size += count * ((cell[0] == k) + (cell[model] == k))
                result += sign * 2 * hit / size / len(classes)
        return result

    def between(before: list[mp.mpf], after: list[mp.mpf], count: mp.mpf) -> mp.mpf:
        return difference(*before, count, *after)

    mp.mp.dps = 30
    counts = [mp.mpf(joint[cell]) for cell in cells]
    variance = mp.mpf(0)
    for k, count in enumerate(counts):
        before, after = counts[:k], counts[k + 1 :]
        variance += count * mp.diff(partial(between, before, after), count) ** 2
    estimate = difference(*counts)
    return {"estimate": float(estimate), "statistic": float(estimate / mp.sqrt(variance))}


def main() -> None:
    """Write the file."""
    cancer = pl.read_parquet(FOLDER / "data" / "breast_cancer_cv.parquet")
    digits = pl.read_parquet(FOLDER / "data" / "digits_cv.parquet")
    values = {
        "programs": {name: version(name) for name in ("statsmodels", "mpmath", "numpy")},
        "precision": of_precision(cancer, np.ones(cancer.height)),
        "weighted precision": of_precision(cancer, cancer["weight"].to_numpy().astype(float)),
        "macro_f1": of_macro_f1(digits),
    }
    path = FOLDER / "unlike_decisions.json"
    path.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
