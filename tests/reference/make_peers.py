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

import calibration
import dcurves
import numpy as np
import pandas as pd
import polars as pl
import scores.categorical
import statsmodels.api as sm
import xarray as xr
from model_diagnostics.scoring import ElementaryScore, SquaredError, decompose
from pycm import ConfusionMatrix
from scipy import stats
from scipy.optimize import brentq
from scipy.spatial import ConvexHull
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve
from sklearn.dummy import DummyClassifier
from sklearn.isotonic import IsotonicRegression
from statsmodels.stats.contingency_tables import Table2x2

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

OVERALL = {
    "scott_pi": "Scott PI",
    "krippendorff_alpha": "Krippendorff Alpha",
    "gwet_ac1": "Gwet AC1",
    "bennett_s": "Bennett S",
    "bangdiwala_b": "Bangdiwala B",
    "adjusted_rand": "ARI",
    "chance_agreement": "Overall RACC",
    "zero_one_loss": "Zero-one Loss",
    "class_balance_accuracy": "CBA",
    "confusion_entropy": "Overall CEN",
    "modified_confusion_entropy": "Overall MCEN",
    "mutual_information": "Mutual Information",
    "relative_classifier_information": "RCI",
    "reference_entropy": "Reference Entropy",
    "response_entropy": "Response Entropy",
    "joint_entropy": "Joint Entropy",
    "conditional_entropy": "Conditional Entropy",
    "cross_entropy": "Cross Entropy",
    "kl_divergence": "KL Divergence",
    "lambda_truth": "Lambda A",
    "lambda_call": "Lambda B",
    "chi_squared": "Chi-Squared",
    "phi_squared": "Phi-Squared",
    "cramer_v": "Cramer V",
    "pearson_c": "Pearson C",
}
OF_CLASSES = {"chance_agreement": "Overall RACC", "classification_success_index": "CSI"}
"""Overall statistics of several classes that two classes have under another definition."""
OF_CLASS = {
    "optimised_precision": "OP",
    "adjusted_f": "AGF",
    "adjusted_g_mean": "AGM",
    "iba": "IBA",
    "distance_index": "dInd",
    "discriminant_power": "DP",
    "bray_curtis": "BCD",
    "lift": "LS",
    "overlap_coefficient": "OC",
    "braun_blanquet": "BB",
    "classification_success_index": "ICSI",
    "information_score": "IS",
    "yule_q": "Q",
    "detection_prevalence": "TOPR",
}

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

Values = dict[str, tuple[float | None, str]]


def number(value: Any) -> float | None:
    """The value as a number; what is no finite number is undefined."""
    if value is None or isinstance(value, str):
        return None
    return float(value) if np.isfinite(value) else None


def told(program: str, values: Mapping[str, Any]) -> Values:
    """Each value with the program that gave it."""
    return {name: (number(value), program) for name, value in values.items()}


def of_pycm(table: Sequence[Sequence[int]], *, binary: bool) -> Values:
    """What PyCM says of a matrix (rows: truth), of its first class where there are two."""
    size = range(len(table))
    cm = ConfusionMatrix(matrix={str(i): {str(j): table[i][j] for j in size} for i in size})
    found = {ours: cm.overall_stat[theirs] for ours, theirs in OVERALL.items()}
    if not binary:
        found |= {ours: cm.overall_stat[theirs] for ours, theirs in OF_CLASSES.items()}
    if binary:
        found |= {ours: cm.class_stat[theirs]["0"] for ours, theirs in OF_CLASS.items()}
        found["sensitivity_index"] = cm.sensitivity_index()["0"]
    return told("pycm", found)


def labels(table: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Truth and call of each row of a matrix."""
    cells = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    truth, call = np.array(cells).T
    return truth, call


def of_scikit_learn(table: Sequence[Sequence[int]]) -> Values:
    """Agreement and information of a matrix; 1 for a single class is a convention."""
    truth, call = labels(table)
    kinds = {
        "arithmetic": "normalised_mutual_information",
        "geometric": "normalised_mutual_information_geometric",
        "max": "normalised_mutual_information_max",
        "min": "normalised_mutual_information_min",
    }
    found = {
        ours: sk.normalized_mutual_info_score(truth, call, average_method=kind)
        for kind, ours in kinds.items()
    }
    found["adjusted_rand"] = sk.adjusted_rand_score(truth, call)
    found["completeness"] = sk.completeness_score(truth, call)
    found["relative_classifier_information"] = sk.homogeneity_score(truth, call)
    wrong = sk.zero_one_loss(truth, call, normalize=False)
    trivial = DummyClassifier(strategy="most_frequent").fit(truth, truth).predict(truth)
    if len(table) == 2:
        found["total_cost"] = wrong
        found["savings"] = 1 - wrong / sk.zero_one_loss(truth, trivial, normalize=False)
    found["zero_one_loss"] = wrong
    found["mutual_information"] = sk.mutual_info_score(truth, call) / np.log(2)
    return told("scikit-learn", found)


def of_scipy(table: Sequence[Sequence[int]]) -> Values:
    """Association of a matrix without empty margins."""
    cells = np.array(table)
    association = stats.contingency.association
    n = cells.sum()
    return told(
        "scipy",
        {
            "chi_squared": stats.chi2_contingency(cells, correction=False).statistic,
            "cramer_v": association(cells, method="cramer"),
            "pearson_c": association(cells, method="pearson"),
            "reference_entropy": stats.entropy(cells.sum(axis=1), base=2),
            "response_entropy": stats.entropy(cells.sum(axis=0), base=2),
            "joint_entropy": stats.entropy(cells.ravel(), base=2),
            "kl_divergence": stats.entropy(cells.sum(axis=1) / n, cells.sum(axis=0) / n, base=2),
        },
    )


def of_statsmodels(table: Sequence[Sequence[int]]) -> Values:
    """The odds ratio of a filled table, and what is made of it."""
    odds = Table2x2(np.array(table)).oddsratio
    return told(
        "statsmodels",
        {
            "discriminant_power": np.sqrt(3) / np.pi * np.log(odds),
            "yule_q": (odds - 1) / (odds + 1),
            "yule_y": (np.sqrt(odds) - 1) / (np.sqrt(odds) + 1),
        },
    )


def of_scores(tp: int, fp: int, fn: int, tn: int) -> Values:
    """The verification measures of forecasts of events."""
    cells = {"tp_count": tp, "tn_count": tn, "fp_count": fp, "fn_count": fn}
    cells["total_count"] = tp + fp + fn + tn
    manager = scores.categorical.BasicContingencyManager(
        {name: xr.DataArray(float(n)) for name, n in cells.items()}
    )
    return told(
        "scores",
        {
            "sedi": manager.symmetric_extremal_dependence_index().item(),
            "bias": manager.frequency_bias().item(),
            "yule_q": manager.yules_q().item(),
        },
    )


def of_ranking(truth: np.ndarray, score: np.ndarray) -> Values:
    """Where both error rates are equal, and the tenth of the rows that scores highest."""
    alarm, hit, _ = sk.roc_curve(truth, score, drop_intermediate=False)
    equal = brentq(lambda x: 1 - x - np.interp(x, alarm, hit), 0, 1, xtol=1e-14)
    top = truth[np.argsort(-score, kind="stable")][: len(truth) // 10]
    found = told("scikit-learn", {"equal_error_rate": equal})
    if len(np.unique(score)) == len(score):
        found |= told(
            "numpy",
            {
                "precision_top_tenth": top.mean(),
                "recall_top_tenth": top.sum() / truth.sum(),
                "lift_top_tenth": top.mean() / truth.mean(),
            },
        )
    return found


def of_hull(truth: np.ndarray, score: np.ndarray) -> Values:
    """The ends of the operating range from the edges of the ROC hull, and the least cost."""
    alarm, hit, _ = sk.roc_curve(truth, score, drop_intermediate=False)
    corners = np.column_stack([alarm, hit])
    outline = corners[np.sort(ConvexHull(np.vstack([corners, [[1, 0]]])).vertices[:])[:-1]]
    step = np.diff(outline[np.lexsort(outline.T[::-1])], axis=0)
    crossing = step[:, 0] / step.sum(axis=1)
    share = truth.mean()
    return told(
        "scipy",
        {
            "operating_range_low": crossing.min(),
            "operating_range_high": crossing.max(),
            "least_normalised_cost": ((1 - hit) * share + alarm * (1 - share)).min(),
        },
    )


def of_errors(
    y: np.ndarray, f: np.ndarray, low: np.ndarray, high: np.ndarray, w: np.ndarray
) -> Values:
    """Losses of estimates, the shares of them that are saved, and intervals of 95 %."""
    tweedie = {"d2_poisson": 1, "d2_tweedie_1_5": 1.5, "d2_gamma": 2}
    found = {
        name: sk.d2_tweedie_score(y, f, power=power, sample_weight=w)
        for name, power in tweedie.items()
    }
    for name, level in {"d2_pinball_low": 0.1, "d2_pinball_high": 0.9}.items():
        found[name] = sk.d2_pinball_score(y, f, alpha=level, sample_weight=w)
    values = told("scikit-learn", found)
    # The Winkler score is the two pinball losses over half the tail, with the interval's ends.
    ends = [
        sk.mean_pinball_loss(y, end, alpha=level, sample_weight=w)
        for end, level in ((low, 0.025), (high, 0.975))
    ]
    values |= told("scikit-learn", {"winkler_score": sum(ends) / 0.025})
    inside = (low <= y) & (y <= high)
    return values | told(
        "numpy",
        {
            "interval_coverage": np.average(inside, weights=w),
            "interval_width": np.average(high - low, weights=w),
            "log_cosh_loss": np.average(np.log(np.cosh(y - f)), weights=w),
            "mean_percentage_error": np.average((y - f) / y, weights=w),
            "mean_error": np.average(y - f, weights=w),
        },
    )


def of_sets(truth: np.ndarray, score: np.ndarray, w: np.ndarray) -> Values:
    """Measures of several labels at once, called from a score of one half."""
    called = score >= 0.5
    kept = {"sample_weight": w, "zero_division": np.nan, "average": "samples"}
    found = {
        "subset_accuracy": sk.accuracy_score(truth, called, sample_weight=w),
        "hamming_loss": sk.hamming_loss(truth, called, sample_weight=w),
        "coverage_error": sk.coverage_error(truth, score, sample_weight=w),
        "label_ranking_average_precision": sk.label_ranking_average_precision_score(
            truth, score, sample_weight=w
        ),
        "label_ranking_loss": sk.label_ranking_loss(truth, score, sample_weight=w),
    }
    for name, f in {
        "sample_precision": sk.precision_score,
        "sample_recall": sk.recall_score,
        "sample_f1": sk.f1_score,
    }.items():
        found[name] = f(truth, called, **kept)
    some = (truth | called).any(axis=1)
    known = truth.any(axis=1)
    found["one_error"] = 1 - sk.ndcg_score(truth[known], score[known], k=1, sample_weight=w[known])
    found["sample_jaccard"] = sk.jaccard_score(
        truth[some], called[some], average="samples", sample_weight=w[some]
    )
    return told("scikit-learn", found)


def of_class_scores(truth: np.ndarray, score: np.ndarray, costs: np.ndarray) -> Values:
    """Calibration of the highest of several scores, and the calls of least expected cost."""
    right = (score.argmax(axis=1) == truth).astype(float)
    shares, means = calibration_curve(right, score.max(axis=1), n_bins=10)
    number, _ = np.histogram(score.max(axis=1), bins=10, range=(0, 1))
    gaps = np.abs(shares - means)
    values = told(
        "scikit-learn",
        {
            "expected_calibration_error": np.average(gaps, weights=number[number > 0]),
            "maximum_calibration_error": gaps.max(),
            "brier_skill": sk.d2_brier_score(truth, score),
            "d2_log_loss": sk.d2_log_loss_score(truth, score),
        },
    )
    along = score[np.arange(len(truth)), truth] / np.linalg.norm(score, axis=1)
    values |= told("numpy", {"spherical_score": along.mean()})
    call = (score @ costs).argmin(axis=1)
    return values | told("numpy", {"least_cost_error_rate": costs[truth, call].mean()})


def of_forecasts(truth: np.ndarray, p: np.ndarray) -> Values:
    """Scores and sums of the forecasts, and the isotonic decomposition of the Brier score."""
    pair = np.column_stack([1 - p, p])
    variance = ((1 - 2 * p) ** 2 * p * (1 - p)).sum()
    found = told(
        "numpy",
        {
            "spherical_score": (
                pair[np.arange(len(p)), truth] / np.linalg.norm(pair, axis=1)
            ).mean(),
            "observed_expected": truth.mean() / p.mean(),
            "spiegelhalter_z": ((truth - p) * (1 - 2 * p)).sum() / np.sqrt(variance),
        },
    )
    parts = decompose(truth, p, scoring_function=SquaredError(), functional="mean").row(
        0, named=True
    )
    found |= told(
        "model-diagnostics",
        {
            "corp_miscalibration": parts["miscalibration"],
            "corp_discrimination": parts["discrimination"],
        },
    )
    fitted = IsotonicRegression().fit_transform(p, truth)
    found |= told(
        "scikit-learn",
        {
            "integrated_calibration_index": np.abs(p - fitted).mean(),
            "d2_log_loss": sk.d2_log_loss_score(truth, p),
        },
    )
    same = truth.var() - ((fitted - truth) ** 2).mean()
    assert abs(same - parts["discrimination"]) < 1e-12, "scikit-learn's isotonic fit differs"
    return found


def of_bins(truth: np.ndarray, p: np.ndarray) -> Values:
    """Ten bins of equal mass, for forecasts without ties."""
    error = calibration.lower_bound_scaling_ce
    found = told(
        "uncertainty-calibration",
        {
            "adaptive_calibration_error": error(p, truth, p=1, debias=False, num_bins=10),
            "debiased_calibration_error": error(p, truth, p=2, debias=True, num_bins=10),
        },
    )
    order = np.argsort(p)
    parts = zip(np.split(truth[order], 10), np.split(p[order], 10), strict=True)
    seen, expected = np.array([(y.sum(), q.sum()) for y, q in parts]).T
    size = len(p) // 10
    both = [np.array([part, size - part]) for part in (seen, expected)]
    chi = stats.chisquare(*both, axis=0).statistic.sum()
    return found | told("scipy", {"hosmer_lemeshow": chi})


def of_recalibration(truth: np.ndarray, p: np.ndarray) -> tuple[Values, dict[str, float]]:
    """The logistic fit to the log odds, and its standard errors."""
    odds = np.log(p) - np.log1p(-p)
    options = {"tol": 1e-13, "maxiter": 200}
    both = sm.GLM(truth, sm.add_constant(odds), family=sm.families.Binomial()).fit(**options)
    one = sm.GLM(truth, np.ones(len(p)), offset=odds, family=sm.families.Binomial()).fit(**options)
    values = {
        "calibration_intercept": both.params[0],
        "calibration_slope": both.params[1],
        "calibration_in_the_large": one.params[0],
    }
    errors = {
        "calibration_intercept": both.bse[0],
        "calibration_slope": both.bse[1],
        "calibration_in_the_large": one.bse[0],
    }
    return told("statsmodels", values), {name: float(e) for name, e in errors.items()}


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
    known = np.flatnonzero(np.isfinite(threshold))
    at = known[np.linspace(0, len(known) - 1, 12).astype(int)]
    kept = {"threshold": threshold} | columns
    return {"program": "scikit-learn"} | {name: c[at].tolist() for name, c in kept.items()}


def of_rates(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """Points of the curves that scikit-learn has."""
    alarm, hit, at = sk.roc_curve(truth, p, drop_intermediate=False)
    precision, recall, threshold = sk.precision_recall_curve(truth, p)
    alarms, misses, ats = sk.det_curve(truth, p)
    return {
        "roc": some_of(at, false_positive_rate=alarm, recall=hit),
        "precision_recall": some_of(threshold, recall=recall[:-1], precision=precision[:-1]),
        "det": some_of(ats, false_positive_rate=alarms, false_negative_rate=misses),
    }


def of_calls(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """What the calls of single thresholds are worth: gain, lift, and some other measures.

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
        "threshold": {
            "program": "scikit-learn",
            "threshold": at.tolist(),
            "f1": [sk.f1_score(truth, p >= t) for t in at],
            "mcc": [sk.matthews_corrcoef(truth, p >= t) for t in at],
            "cohen_kappa": [sk.cohen_kappa_score(truth, p >= t) for t in at],
        },
    }


def of_rejection(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """Error rate of the rows that are at least so far from the threshold one half."""
    away = np.abs(p - 0.5)
    at = np.sort(away)[[0, 50, 100, 200, 300, 400]]
    kept = [away >= d for d in at]
    return {
        "program": "scikit-learn",
        "distance": at.tolist(),
        "rejected": [float(1 - k.mean()) for k in kept],
        "error_rate": [sk.zero_one_loss(truth[k], p[k] >= 0.5) for k in kept],
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
    """Percentile limits of the recall at some rates, each class drawn by itself."""
    at = [0.02, 0.1, 0.3]

    def recall(hits: np.ndarray, rest: np.ndarray, rate: float) -> float:
        truth = np.repeat([1, 0], [len(hits), len(rest)])
        alarm, hit, _ = sk.roc_curve(truth, np.concatenate([hits, rest]), drop_intermediate=False)
        return float(np.interp(rate, alarm, hit))

    limits = [
        stats.bootstrap(
            (p[truth == 1], p[truth == 0]),
            lambda hits, rest, rate=rate: recall(hits, rest, rate),
            n_resamples=4000,
            vectorized=False,
            method="percentile",
            rng=np.random.default_rng(23),
        ).confidence_interval
        for rate in at
    ]
    return {
        "program": "scipy",
        "false_positive_rate": at,
        "low": [float(found.low) for found in limits],
        "high": [float(found.high) for found in limits],
    }


def of_worth(truth: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """Points of the decision curve and of the Murphy diagram."""
    at = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9]
    frame = pd.DataFrame({"truth": truth, "p": p})
    found = dcurves.dca(frame, "truth", ["p"], thresholds=at)
    by_model = {name: part["net_benefit"].tolist() for name, part in found.groupby("model")}
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


def reason_against(case: str, measure: str, program: str) -> str | None:
    """Why a program's value is not expected; None where it is."""
    found = (
        reason
        for peer, measures, cases, reason in DIFFERS
        if peer == program and measure in measures and case in cases
    )
    return next(found, None)


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
    made = []
    for name, (tp, fp, fn, tn) in COUNTS.items():
        table = [[tp, fn], [fp, tn]]
        peers = [of_pycm(table, binary=True), of_scikit_learn(table)]
        if min(tp, fp, fn, tn) > 0:
            peers += [of_scipy(table), of_statsmodels(table), of_scores(tp, fp, fn, tn)]
        given = {"counts": {"tp": tp, "fp": fp, "fn": fn, "tn": tn}}
        made.append(entry("binary counts", name, given, peers))
    return made


def crossed() -> list[dict[str, Any]]:
    """The cases of several classes."""
    made = []
    for name, table in MATRICES.items():
        peers = [of_pycm(table, binary=False), of_scikit_learn(table)]
        if np.array(table).sum(axis=0).min() > 0:
            peers.append(of_scipy(table))
        made.append(entry("multiclass", name, {"matrix": table}, peers))
    return made


def scored() -> list[dict[str, Any]]:
    """The cases of scores."""
    made = []
    for name, (file, column) in SCORES.items():
        rows = pl.read_parquet(FOLDER / "data" / file).head(EVEN)
        truth, p = rows["y_true"].to_numpy(), rows[column].to_numpy()
        peers, errors = [of_ranking(truth, p), of_hull(truth, p), of_forecasts(truth, p)], {}
        if len(np.unique(p)) == len(p):
            fit, errors = of_recalibration(truth, p)
            peers += [of_bins(truth, p), fit]
        given = {"input": file, "rows": EVEN, "truth": "y_true", "score": column}
        made.append(
            entry("binary scores", name, given, peers)
            | {"standard_errors": errors, "curves": of_curves(truth, p)}
        )
    return made


def estimated() -> list[dict[str, Any]]:
    """The cases of estimates of a number; weights are whole numbers."""
    random = np.random.default_rng(20)
    y = random.gamma(3.0, 2.0, 40).round(3)
    f = (y * random.uniform(0.6, 1.5, 40)).round(3)
    low, high = (f - random.uniform(0, 4, 40)).round(3), (f + random.uniform(0, 4, 40)).round(3)
    made = []
    for name, w in {"equal": np.ones(40), "weighted": random.integers(1, 5, 40)}.items():
        rows = {"truth": y, "estimate": f, "low": low, "high": high, "weight": w.astype(float)}
        given = {"columns": {column: values.tolist() for column, values in rows.items()}}
        made.append(entry("regression", name, given, [of_errors(y, f, low, high, w)]))
    return made


def labelled() -> list[dict[str, Any]]:
    """The cases of several labels at once: ties, rows without a label, rows with all."""
    random = np.random.default_rng(21)
    truth = random.random((60, 4)) < [0.5, 0.2, 0.7, 0.4]
    score = np.clip(0.3 * truth + 0.7 * random.random((60, 4)), 0, 1).round(1)
    made = []
    for name, w in {"equal": np.ones(60), "weighted": random.integers(1, 5, 60)}.items():
        given = {"truth": truth.tolist(), "score": score.tolist(), "weight": w.tolist()}
        made.append(entry("multilabel", name, given, [of_sets(truth, score, w)]))
    return made


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
    found = {
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
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (FOLDER / "peers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
