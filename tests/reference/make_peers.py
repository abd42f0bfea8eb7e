"""Write peers.json: values of other programs, for the measures that ``cases/`` does not hold.

Run in an environment of its own, none of these programs is needed otherwise:

    uv run --no-project --with pycm --with scikit-learn --with statsmodels --with scores
        --with dcurves --with uncertainty-calibration --with model-diagnostics --with polars
        python tests/reference/make_peers.py

A value that a peer gives and that is not expected here stands under
``peers_that_differ`` with the reason; README.md says how each was settled.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from peer_values import Values
from peers_of_counts import of_pycm, of_scikit_learn, of_scipy, of_scores, of_statsmodels
from peers_of_curves import of_curves
from peers_of_scores import (
    of_bins,
    of_class_scores,
    of_errors,
    of_forecasts,
    of_hull,
    of_ranking,
    of_recalibration,
    of_sets,
    of_steep_shift,
)

FOLDER = Path(__file__).parent
PROGRAMS = (
    "pycm",
    "scikit-learn",
    "scipy",
    "statsmodels",
    "scores",
    "dcurves",
    "uncertainty-calibration",
    "model-diagnostics",
    "numpy",
)
COUNTS = {
    "six": (6, 1, 2, 3),
    "readers": (20, 5, 10, 15),
    "screen": (20, 180, 10, 1820),
    "worse than chance": (3, 9, 7, 4),
    "no false positives": (12, 0, 3, 9),
    "nothing called positive": (0, 0, 4, 6),
}
MATRICES = {
    "three": [[3, 1, 0], [1, 2, 2], [0, 1, 2]],
    "four": [[50, 3, 2, 0], [4, 31, 9, 1], [0, 7, 12, 6], [1, 0, 3, 2]],
    "never called": [[5, 2, 0], [1, 4, 0], [2, 1, 0]],
}
SCORES = {
    "breast cancer, logistic regression": ("breast_cancer_cv.parquet", "lr_score"),
    "breast cancer, random forest": ("breast_cancer_cv.parquet", "rf_score"),
}
EVEN = 560
"""Rows of these inputs that are used: a multiple of ten, so that ten bins hold the same number."""

DIFFERS = (
    (
        "pycm",
        ("discriminant_power",),
        tuple(COUNTS),
        "decimal logarithms; √3/π turns natural log odds into standard deviations",
    ),
    (
        "pycm",
        ("yule_q",),
        ("no false positives",),
        "made from the odds ratio, which is infinite; (ad − bc)/(ad + bc) is 1",
    ),
    (
        "pycm",
        ("cross_entropy",),
        ("nothing called positive", "never called"),
        "leaves out the class that is never called, whose part is infinite",
    ),
    (
        "pycm",
        ("chi_squared", "phi_squared", "pearson_c", "cramer_v"),
        ("never called",),
        "0/0 of the empty column; the classes that occur have a value",
    ),
    (
        "scikit-learn",
        (
            "completeness",
            "normalised_mutual_information_geometric",
            "normalised_mutual_information_min",
        ),
        ("nothing called positive",),
        "0 or 1 by convention where an entropy is 0; 0/0 here",
    ),
)
"""Program, measures, cases, and why its values there are not expected."""


def reason_against(case: str, measure: str, program: str) -> str | None:
    """Why a program's value is not expected; None where it is."""
    reasons = (
        reason
        for peer, measures, cases, reason in DIFFERS
        if peer == program and measure in measures and case in cases
    )
    return next(reasons, None)


def entry(
    task: str, case: str, given: Mapping[str, Any], peers: Sequence[Values]
) -> dict[str, Any]:
    """One case: what is given, what is expected and by whom, and who says otherwise."""
    expected: dict[str, Any] = {}
    oracles: dict[str, list[str]] = {}
    differ = []
    for values in peers:
        for measure, (value, program) in values.items():
            reason = reason_against(case, measure, program)
            if reason is not None:
                differ.append(
                    {"measure": measure, "peer": program, "value": value, "reason": reason}
                )
                continue
            if measure in expected:
                one, other = expected[measure], value
                close = one == other or np.isclose(one, other, rtol=1e-9, atol=1e-12)
                assert close, (case, measure, program, one, other)
            expected.setdefault(measure, value)
            oracles.setdefault(measure, []).append(program)
    return {
        "case": case,
        "task": task,
        **given,
        "expected": expected,
        "oracles": oracles,
        "peers_that_differ": differ,
    }


def counted() -> list[dict[str, Any]]:
    """The cases of four counts."""
    cases = []
    for name, (tp, fp, fn, tn) in COUNTS.items():
        table = [[tp, fn], [fp, tn]]
        peers = [of_pycm(table, binary=True), of_scikit_learn(table)]
        if min(tp, fp, fn, tn) > 0:
            peers += [of_scipy(table), of_statsmodels(table), of_scores(tp, fp, fn, tn)]
        given = {"counts": {"tp": tp, "fp": fp, "fn": fn, "tn": tn}}
        cases.append(entry("binary counts", name, given, peers))
    return cases


def crossed() -> list[dict[str, Any]]:
    """The cases of several classes."""
    cases = []
    for name, table in MATRICES.items():
        peers = [of_pycm(table, binary=False), of_scikit_learn(table)]
        if np.array(table).sum(axis=0).min() > 0:
            peers.append(of_scipy(table))
        cases.append(entry("multiclass", name, {"matrix": table}, peers))
    return cases


def scored() -> list[dict[str, Any]]:
    """The cases of scores."""
    cases = []
    for name, (file, column) in SCORES.items():
        rows = pl.read_parquet(FOLDER / "data" / file).head(EVEN)
        truth, p = rows["y_true"].to_numpy(), rows[column].to_numpy()
        peers, errors = [of_ranking(truth, p), of_hull(truth, p), of_forecasts(truth, p)], {}
        steep: dict[str, float] = {}
        if len(np.unique(p)) == len(p):
            fit, errors = of_recalibration(truth, p)
            steep = of_steep_shift(truth, p)
            peers += [of_bins(truth, p), fit]
        given = {"input": file, "rows": EVEN, "truth": "y_true", "score": column}
        cases.append(
            entry("binary scores", name, given, peers)
            | {"standard_errors": errors, "steep": steep, "curves": of_curves(truth, p)}
        )
    return cases


def estimated() -> list[dict[str, Any]]:
    """The cases of regression; weights are whole numbers."""
    random = np.random.default_rng(20)
    y = random.gamma(3.0, 2.0, 40).round(3)
    f = (y * random.uniform(0.6, 1.5, 40)).round(3)
    low, high = (f - random.uniform(0, 4, 40)).round(3), (f + random.uniform(0, 4, 40)).round(3)
    cases = []
    for name, w in {"equal": np.ones(40), "weighted": random.integers(1, 5, 40)}.items():
        rows = {"truth": y, "estimate": f, "low": low, "high": high, "weight": w.astype(float)}
        given = {"columns": {column: values.tolist() for column, values in rows.items()}}
        cases.append(entry("regression", name, given, [of_errors(y, f, low, high, w)]))
    return cases


def labelled() -> list[dict[str, Any]]:
    """The cases of several labels at once: ties, rows without a label, rows with all."""
    random = np.random.default_rng(21)
    truth = random.random((60, 4)) < [0.5, 0.2, 0.7, 0.4]
    score = np.clip(0.3 * truth + 0.7 * random.random((60, 4)), 0, 1).round(1)
    cases = []
    for name, w in {"equal": np.ones(60), "weighted": random.integers(1, 5, 60)}.items():
        given = {"truth": truth.tolist(), "score": score.tolist(), "weight": w.tolist()}
        cases.append(entry("multilabel", name, given, [of_sets(truth, score, w)]))
    return cases


def class_scored() -> list[dict[str, Any]]:
    """The cases of scores of several classes."""
    random = np.random.default_rng(22)
    truth = random.integers(0, 3, 80)
    raw = random.random((80, 3)) + 0.8 * np.eye(3)[truth]
    score = raw / raw.sum(axis=1, keepdims=True)
    costs = np.array([[0.0, 1, 5], [2, 0, 1], [4, 3, 0]])
    given = {"truth": truth.tolist(), "score": score.tolist(), "costs": costs.tolist()}
    return [entry("multiclass scores", "three", given, [of_class_scores(truth, score, costs)])]


def main() -> None:
    """Ask every program and write what they say."""
    warnings.simplefilter("ignore")
    document = {
        "programs": {name: version(name) for name in PROGRAMS},
        "cases": [
            *counted(),
            *crossed(),
            *scored(),
            *class_scored(),
            *labelled(),
            *estimated(),
        ],
    }
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (FOLDER / "peers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
