"""Write dependence.json: tests of rows in groups, in order of time, or both, by other programs.

Groups: the mean difference of two models by least squares with the jackknife over clusters (CRV3)
of pyfixest; that leaves out (G − 1)/G, by which its variance is multiplied. Time: the placements by
scikit-learn's AUC of one row against the other class; the autocorrelations, the spectrum of an
autoregression and the cosine transforms (as coefficients of a regression) by statsmodels. Both: the
variances of these, and that of the sums by group and point by pyfixest (CRV1). Several models: the
principal components by scikit-learn, and the tail of F by SciPy.

    uv run --no-project --with pyfixest --with statsmodels --with scikit-learn --with polars
        python tests/reference/make_dependence.py
"""

from __future__ import annotations

import json
import math
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyfixest as pf
from scipy.stats import f as f_distribution
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score
from statsmodels.regression.linear_model import OLS
from statsmodels.tsa.arima_process import arma_periodogram
from statsmodels.tsa.stattools import acf

FOLDER = Path(__file__).parent
DATA = FOLDER / "data" / "breast_cancer_cv.parquet"
GROUPINGS = {
    "sizes that rise": math.isqrt,
    "one of 58 %": lambda row: min(row // 20, 12),
    "equal sizes": int,
}
"""The group of each row of the 569."""


def in_groups(difference: np.ndarray, grouping: str) -> dict[str, float | str]:
    """The t statistic of a mean that is 0, with the error that the groups leave it."""
    of_row = GROUPINGS[grouping]
    groups = [of_row(row) for row in range(len(difference))]
    frame = pd.DataFrame({"difference": difference, "group": groups})
    ssc = pf.ssc(k_adj=False, G_adj=False)
    fit = pf.feols("difference ~ 1", data=frame, vcov={"CRV3": "group"}, ssc=ssc)
    estimate, number = float(fit.coef().iloc[0]), len(set(groups))
    error = float(fit.se().iloc[0]) * math.sqrt((number - 1) / number)
    return {"groups": grouping, "estimate": estimate, "statistic": estimate / error}


def placements(truth: np.ndarray, score: np.ndarray) -> np.ndarray:
    """The share of the other class that each row is ranked correctly against."""
    result = np.empty(len(truth))
    for row, positive in enumerate(truth):
        against = np.append(np.flatnonzero(truth != positive), row)
        result[row] = roc_auc_score(truth[against], score[against])
    return result


def in_time(truth: np.ndarray, first: np.ndarray, second: np.ndarray) -> dict[str, float]:
    """DeLong's components of the difference, and the test of their mean by cosine transforms."""
    apart = placements(truth, first) - placements(truth, second)
    added = np.empty(len(truth))
    for side in (truth, ~truth):
        added[side] = len(truth) * (apart[side] - apart[side].mean()) / side.sum()
    estimate = roc_auc_score(truth, first) - roc_auc_score(truth, second)
    variance, number, rho = long_run(added)
    return {
        "estimate": estimate,
        "statistic": estimate / math.sqrt(variance),
        "df": number,
        "autocorrelation": rho,
    }


def long_run(added: np.ndarray) -> tuple[float, int, float]:
    """Variance of a mean of 0, its cosine transforms, and the autocorrelation allowed for."""
    n = len(added)
    rho = largest_autocorrelation(acf(added, nlags=3, fft=False)[1:], n)
    number = transforms_of(n, rho)
    variance = float((transformed(added, rho, number) ** 2).mean())
    return variance / n, number, rho


def spectrum_falls(n: int, rho: float, most: int) -> np.ndarray:
    """The spectrum of an autoregression at 0 over that at each of the first cosines."""
    frequencies, spectrum = arma_periodogram([1, -rho], [1], worN=np.pi * np.arange(most + 1) / n)
    assert np.allclose(frequencies[1], np.pi / n)
    return spectrum[0] / spectrum[1:]


def transforms_of(n: int, rho: float) -> int:
    """Over so many cosine transforms that spectrum falls by 5 % on average."""
    most = int(n ** (2 / 3))
    left_out = 1 - np.cumsum(1 / spectrum_falls(n, rho, most)) / np.arange(1, most + 1)
    return max(int((left_out <= 0.05).sum()), 4)


def transformed(centred: np.ndarray, rho: float, number: int) -> np.ndarray:
    """Cosine transforms as coefficients of a regression, each over the spectrum."""
    n = len(centred)
    places = np.outer(np.arange(n) + 0.5, np.arange(1, number + 1)) * np.pi / n
    coefficients = OLS(centred, np.cos(places)).fit().params
    return coefficients * np.sqrt(n / 2 * spectrum_falls(n, rho, number))


def several(losses: np.ndarray) -> dict[str, float]:
    """Hotelling's test of the mean losses of several models in order of time."""
    n, models = losses.shape
    apart = losses - losses.mean(axis=1, keepdims=True)
    components = PCA(n_components=models - 1, svd_solver="full").fit(apart)
    parts = components.transform(apart)
    rho = [largest_autocorrelation(acf(c, nlags=3, fft=False)[1:], n) for c in parts.T]
    number = transforms_of(n, float(np.mean(rho)))
    columns = [transformed(c, r, number) for c, r in zip(parts.T, rho, strict=True)]
    covariance = np.cov(np.column_stack([columns, -np.array(columns)]), bias=True) / n
    means = components.components_ @ apart.mean(axis=0)
    squared = float(means @ np.linalg.solve(covariance, means))
    df = models - 1
    statistic = squared * (number - df + 1) / (number * df)
    p_value = float(f_distribution.sf(statistic, df, number - df + 1))
    return {"transforms": number, "squared": squared, "statistic": statistic, "p_value": p_value}


def costs(rows: pl.DataFrame, order: np.ndarray, *, grouped: bool) -> dict[str, object]:
    """The test of what decisions cost over time, five for a missed positive and one else."""
    of_errors = np.where(rows["y_true"].to_numpy() == 1, 5.0, 1.0)[order]
    first, second = (
        of_errors * (rows[f"{m}_pred"] != rows["y_true"]).to_numpy()[order] for m in ("gnb", "rf")
    )
    apart = first - second
    n, centred = len(apart), apart - apart.mean()
    variance, number, _ = long_run(centred)
    frame = pd.DataFrame({"group": np.arange(n) % 13, "point": np.arange(n), "one": 1})
    together = 0.0
    if grouped:
        frame = frame.assign(cell=frame["group"] * n + frame["point"], value=apart)
        variance = in_groups_and_time(frame, ["one"], apart.mean())["variance"]
        possible = pd.Series(of_errors**2 / 5).groupby(frame["group"]).sum()
        together = float((possible**2).sum() / possible.sum())
    squares = float(OLS(centred, np.ones(n)).fit().ssr) / n**2
    together = max(together, 5.0 * max(variance / squares, 1.0))
    error = math.sqrt(variance + 2 * 5.0 * together / n**2)
    return {
        "grouped": grouped,
        "estimate": apart.mean(),
        "statistic": apart.mean() / error,
        "transforms": number,
    }


def clustered(frame: pd.DataFrame, columns: list[str], vcov: dict[str, str]) -> tuple[float, float]:
    """The sum of the means of ``value`` by the columns, each 1 or 0, and its clustered variance."""
    ssc = pf.ssc(k_adj=False, G_adj=False)
    fit = pf.feols(f"value ~ 0 + {' + '.join(columns)}", data=frame, vcov=vcov, ssc=ssc)
    return float(fit.coef().sum()), float(fit._vcov.sum())


def in_groups_and_time(
    frame: pd.DataFrame, columns: list[str], estimate: float
) -> dict[str, float]:
    """The test of an effect whose parts are means by the columns, by group and point of time."""
    number, cells = frame["group"].nunique(), frame["cell"].nunique()
    _, of_groups = clustered(frame, columns, {"CRV3": "group"})
    _, of_cells = clustered(frame, columns, {"CRV1": "cell"})
    parts = [frame["value"] - frame["value"].where(frame[c] == 1).mean() for c in columns]
    added = sum(part * frame[c] / frame[c].sum() for part, c in zip(parts, columns, strict=True))
    by_point = added.groupby(frame["point"]).sum().to_numpy()
    of_points, transforms, _ = long_run(by_point * len(by_point))
    of_groups *= (number - 1) / number
    of_cells *= cells / (cells - 1)
    variance = max(of_groups, of_points, of_groups + of_points - of_cells)
    return {
        "estimate": estimate,
        "statistic": estimate / math.sqrt(variance),
        "transforms": transforms,
        "variance": variance,
        "variances": [of_groups, of_points, of_cells],
    }


def in_panel(frame: pd.DataFrame, estimate: float) -> dict[str, float]:
    """The test of a mean: groups, and what points of time add beyond them at each frequency."""
    number = frame["group"].nunique()
    _, of_groups = clustered(frame, ["one"], {"CRV3": "group"})
    of_groups *= (number - 1) / number
    added = (frame["value"] - frame["value"].mean()) / len(frame)
    sums = added.groupby([frame["point"], frame["group"]]).sum().unstack(fill_value=0.0)
    by_point, n = sums.sum(axis=1).to_numpy(), len(sums)
    rho = largest_autocorrelation(acf(by_point, nlags=3, fft=False)[1:], n)
    transforms = min(transforms_of(n, rho), 64)
    whole = transformed(by_point, rho, transforms)
    share = frame["group"].value_counts().reindex(sums.columns).to_numpy() / len(frame)
    parts = [transformed(sums[g].to_numpy(), rho, transforms) for g in sums.columns]
    own = ((np.column_stack(parts) - np.outer(whole, share)) ** 2).sum(axis=1)
    own /= 1 - share @ share
    of_points, account = n * float((whole**2).mean()), n * float(own.mean())
    if of_points > 2 * account:
        return in_groups_and_time(frame, ["one"], estimate)
    variance = of_groups + max(of_points - account, 0.0)
    return {
        "estimate": estimate,
        "statistic": estimate / math.sqrt(variance),
        "transforms": transforms,
        "variance": variance,
        "variances": [of_groups, of_points, account],
    }


def both(rows: pl.DataFrame, name: str, order: np.ndarray) -> list[dict[str, object]]:
    """The tests of decisions and of AUCs: each thirteenth row in a group, two rows at a time."""
    first, second = "gnb", "rf"
    truth = rows["y_true"].to_numpy() == 1
    scores = [rows[f"{m}_score"].to_numpy() for m in (first, second)]
    place = np.argsort(order)
    frame = pd.DataFrame({"group": np.arange(len(truth)) % 13, "point": place // 2, "one": 1})
    frame["cell"] = frame["group"] * len(truth) + frame["point"]
    frame["positive"], frame["negative"] = truth.astype(int), (~truth).astype(int)
    correct = [(rows[f"{m}_pred"] == rows["y_true"]).to_numpy() * 1.0 for m in (first, second)]
    areas = [roc_auc_score(truth, score) for score in scores]
    shares = [placements(truth, score) for score in scores]
    result = []
    for measure, columns, value, estimate in (
        ("accuracy", ["one"], correct[0] - correct[1], float(np.mean(correct[0] - correct[1]))),
        ("auc", ["positive", "negative"], shares[0] - shares[1], areas[0] - areas[1]),
    ):
        valued = frame.assign(value=value)
        tested = (
            in_panel(valued, estimate)
            if measure == "accuracy"
            else in_groups_and_time(valued, columns, estimate)
        )
        result.append({"order": name, "measure": measure, **tested})
    return result


def largest_autocorrelation(observed: np.ndarray, n: int) -> float:
    """The rule of the test: the estimate and 1.5 standard errors, or how slowly others fall."""
    first = observed[0] + (1 + 3 * observed[0]) / n
    later = [r + (1 + 4 * max(r, 0.0)) / n for r in observed[1:]]
    bounds = [0.0, first + 1.5 * math.sqrt(max(1 - first**2, 0.05) / n)]
    bounds.append(math.sqrt(max(later[0] - 1 / math.sqrt(n), 0.0)))
    for before, after in zip([first, later[0]], later, strict=True):
        if min(before, after) <= 2 / math.sqrt(n):
            break
        bounds.append(after / before)
    return min(max(bounds), 0.97)


def main() -> None:
    """Write the file."""
    rows = pl.read_parquet(DATA).sort("row")
    truth = rows["y_true"].to_numpy() == 1
    first, second = (rows[f"{m}_score"].to_numpy() for m in ("gnb", "rf"))
    correct = [(rows[f"{m}_pred"] == rows["y_true"]).to_numpy() for m in ("gnb", "rf")]
    by_gap = np.argsort(np.round(first - second, 1), kind="stable")
    orders = {"row": np.arange(len(truth)), "gap of the scores": by_gap}
    programs = ("pyfixest", "scikit-learn", "statsmodels", "numpy")
    document = {
        "programs": {name: version(name) for name in programs},
        "data": "data/breast_cancer_cv.parquet",
        "in_groups": [in_groups(correct[0] * 1.0 - correct[1], name) for name in GROUPINGS],
        "in_time": [
            {"order": name, **in_time(truth[order], first[order], second[order])}
            for name, order in orders.items()
        ],
        "in_groups_and_time": [
            case for name, order in orders.items() for case in both(rows, name, order)
        ],
    }
    losses = [np.abs(truth - rows[f"{m}_score"].to_numpy()) for m in ("gnb", "rf", "lr")]
    document["models_in_time"] = [
        {"order": name, **several(np.column_stack(losses)[order])} for name, order in orders.items()
    ]
    document["costs_in_time"] = [
        {"order": name, **costs(rows, order, grouped=grouped)}
        for name, order in orders.items()
        for grouped in (False, True)
    ]
    path = FOLDER / "dependence.json"
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
