"""Points of curves by other programs."""

from __future__ import annotations

from typing import Any

import dcurves
import numpy as np
import pandas as pd
from model_diagnostics.scoring import ElementaryScore
from pycm import ConfusionMatrix
from scipy import optimize, stats
from scipy.spatial import ConvexHull
from sklearn import metrics as sk


def of_curves(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """Points of every curve."""
    return {
        **of_rates(truth, p),
        **of_calls(truth, p),
        **of_worth(truth, p),
        "roc_hull": of_roc_hull(truth, p),
        "roc_band": of_roc_band(truth, p),
        "error_reject": of_rejection(truth, p),
    }


def some_of(threshold: np.ndarray, **columns: np.ndarray) -> dict[str, Any]:
    """A dozen of a curve's points, evenly spaced, those at infinity left out."""
    finite = np.flatnonzero(np.isfinite(threshold))
    at = finite[np.linspace(0, len(finite) - 1, 12).astype(int)]
    arrays = {"threshold": threshold} | columns
    return {"program": "scikit-learn"} | {name: c[at].tolist() for name, c in arrays.items()}


def of_rates(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """Points of the curves that scikit-learn has."""
    alarm, hit, at = sk.roc_curve(truth, p, drop_intermediate=False)
    precision, recall, threshold = sk.precision_recall_curve(truth, p)
    false_positive_rates, misses, ats = sk.det_curve(truth, p)
    return {
        "roc": some_of(at, false_positive_rate=alarm, recall=hit),
        "precision_recall": some_of(threshold, recall=recall[:-1], precision=precision[:-1]),
        "det": some_of(ats, false_positive_rate=false_positive_rates, false_negative_rate=misses),
    }


def of_calls(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """What the predictions of single thresholds are worth: gain, lift, and some other measures.

    The thresholds are some at which not all rows are called alike.
    """
    inner = np.unique(p)[5:-5]
    at = inner[np.linspace(0, len(inner) - 1, 8).astype(int)]
    tables = [ConfusionMatrix(truth.tolist(), (p >= t).astype(int).tolist()) for t in at]
    return {
        "gain": {
            "program": "pycm",
            "threshold": at.tolist(),
            "share": [(m.TP[1] + m.FP[1]) / m.POP[1] for m in tables],
            "recall": [m.TPR[1] for m in tables],
            "lift": [m.LS[1] for m in tables],
        },
        "threshold_counts": {
            "program": "scikit-learn",
            "threshold": at.tolist(),
            **of_confusions([sk.confusion_matrix(truth, p >= t) for t in at]),
        },
        "top_of_list": of_top(truth, p),
        "threshold": {
            "program": "scikit-learn",
            "threshold": at.tolist(),
            "f1": [sk.f1_score(truth, p >= t) for t in at],
            "mcc": [sk.matthews_corrcoef(truth, p >= t) for t in at],
            "cohen_kappa": [sk.cohen_kappa_score(truth, p >= t) for t in at],
        },
    }


def of_confusions(tables: list[np.ndarray]) -> dict[str, list[float]]:
    """The four counts of each table, truth down and decision across."""
    cells = {"tn": (0, 0), "fp": (0, 1), "fn": (1, 0), "tp": (1, 1)}
    return {name: [float(table[at]) for table in tables] for name, at in cells.items()}


def of_top(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """Precision, recall and lift of lists that end between two different scores."""
    descending = np.sort(p)[::-1]
    chosen = [share for share in (0.001, 0.01, 0.05, 0.1) if share * len(p) >= 1]
    shares = [s for s in chosen if float(s * len(p)).is_integer()]
    ends = {s: round(s * len(p)) for s in shares}
    parted = {s: n for s, n in ends.items() if descending[n - 1] > descending[n]}
    predicted = {s: p >= descending[n - 1] for s, n in parted.items()}
    tables = {
        s: ConfusionMatrix(truth.tolist(), c.astype(int).tolist()) for s, c in predicted.items()
    }
    return {
        "program": "scikit-learn",
        "share": list(parted),
        "precision": [float(sk.precision_score(truth, c)) for c in predicted.values()],
        "recall": [float(sk.recall_score(truth, c)) for c in predicted.values()],
        "lift": [float(table.LS[1]) for table in tables.values()],
    }


def of_rejection(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """Error rate of the rows that are at least so far from the threshold one half."""
    away = np.abs(p - 0.5)
    at = np.sort(away)[[0, 50, 100, 200, 300, 400]]
    masks = [away >= d for d in at]
    return {
        "program": "scikit-learn",
        "distance": at.tolist(),
        "rejected": [float(1 - k.mean()) for k in masks],
        "error_rate": [sk.zero_one_loss(truth[k], p[k] >= 0.5) for k in masks],
    }


def of_roc_hull(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """Vertices of the convex hull of the ROC curve and the corner (1, 0), without that corner."""
    alarm, hit, _ = sk.roc_curve(truth, p, drop_intermediate=False)
    points = np.vstack([np.column_stack([alarm, hit]), [1.0, 0.0]])
    vertices = points[ConvexHull(points).vertices]
    upper = vertices[~((vertices[:, 0] == 1) & (vertices[:, 1] == 0))]
    upper = upper[np.lexsort((upper[:, 1], upper[:, 0]))]
    return {
        "program": "scipy",
        "false_positive_rate": upper[:, 0].tolist(),
        "recall": upper[:, 1].tolist(),
    }


def of_roc_band(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """Limits of the recall at some rates, from those of a share and of a quantile."""
    at, z = [0.02, 0.1, 0.3], stats.norm.ppf(0.975)
    of_positives, of_negatives = p[truth == 1], np.sort(p[truth == 0])[::-1]
    positives, negatives = len(of_positives), len(of_negatives)
    alarm, hit, _ = sk.roc_curve(truth, p, drop_intermediate=False)
    above = []
    for k, s in enumerate(of_negatives, start=1):
        part = (k - 0.5 - (of_negatives > s).sum()) / (of_negatives == s).sum()
        above.append(((of_positives > s).sum() + part * (of_positives == s).sum()) / positives)
    heights = np.array([0.0, *above, 1.0])

    def share(r: float) -> tuple[float, float]:
        def off(x: float) -> float:
            return (x - r) ** 2 - z**2 * x * (1 - x) / positives

        low = optimize.brentq(off, 0, min(r, 1 - 1e-9)) if r > 0 else 0.0
        high = optimize.brentq(off, max(r, 1e-9), 1) if r < 1 else 1.0
        few = 3 if positives > 50 else 2
        if 0 < r * positives < few + 0.5:
            low = min(low, stats.chi2.ppf(0.05, 2 * r * positives) / (2 * positives))
        if 0 < (1 - r) * positives < few + 0.5:
            high = max(high, 1 - stats.chi2.ppf(0.05, 2 * (1 - r) * positives) / (2 * positives))
        return low, high

    def order(rate: float, tail: float) -> float:
        def off(k: float) -> float:
            return stats.beta.cdf(rate, k, negatives + 1 - k) - tail

        return optimize.brentq(off, 1e-9, negatives + 1 - 1e-9, xtol=1e-13)

    lows, highs = [], []
    for rate in at:
        # Where the curve rises upright its height is the largest one.
        upright = hit[np.abs(alarm - rate) < 1e-9]
        r = float(upright.max() if len(upright) else np.interp(rate, alarm, hit))
        ends = [np.interp(order(rate, q), range(negatives + 2), heights) for q in (0.975, 0.025)]
        low, high = share(r)
        lows.append(max(r - np.hypot(r - low, max(r - ends[0], 0)), 0.0))
        highs.append(min(r + np.hypot(high - r, max(ends[1] - r, 0)), 1.0))
    return {"program": "scipy", "false_positive_rate": at, "low": lows, "high": highs}


def of_worth(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """Points of the decision curve and of the Murphy diagram."""
    at = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9]
    frame = pd.DataFrame({"truth": truth, "p": p})
    table = dcurves.dca(frame, "truth", ["p"], thresholds=at)
    by_model = {name: part["net_benefit"].tolist() for name, part in table.groupby("model")}
    score = [float(ElementaryScore(eta=t, functional="mean")(truth, p)) for t in at]
    return {
        "net_benefit": {
            "program": "dcurves",
            "threshold": at,
            "net_benefit": by_model["p"],
            "treat_all": by_model["all"],
        },
        "murphy": {"program": "model-diagnostics", "threshold": at, "score": score},
    }
