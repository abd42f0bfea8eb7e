"""What other programs make of scores, forecasts, estimates and labels."""

from __future__ import annotations

import calibration
import numpy as np
import statsmodels.api as sm
from model_diagnostics.scoring import SquaredError, decompose
from peer_values import Values, values_of
from scipy import stats
from scipy.optimize import brentq
from scipy.spatial import ConvexHull
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression


def of_ranking(truth: np.ndarray, score: np.ndarray) -> Values:
    """Where both error rates are equal, and the tenth of the rows that scores highest."""
    alarm, hit, _ = sk.roc_curve(truth, score, drop_intermediate=False)
    equal = brentq(lambda x: 1 - x - np.interp(x, alarm, hit), 0, 1, xtol=1e-14)
    top = truth[np.argsort(-score, kind="stable")][: len(truth) // 10]
    values = values_of("scikit-learn", {"equal_error_rate": equal})
    if len(np.unique(score)) == len(score):
        values |= values_of(
            "numpy",
            {
                "precision_at_10_percent": top.mean(),
                "recall_at_10_percent": top.sum() / truth.sum(),
                "lift_at_10_percent": top.mean() / truth.mean(),
            },
        )
    return values


def of_hull(truth: np.ndarray, score: np.ndarray) -> Values:
    """The ends of the operating range from the edges of the ROC hull, and the least cost."""
    alarm, hit, _ = sk.roc_curve(truth, score, drop_intermediate=False)
    corners = np.column_stack([alarm, hit])
    outline = corners[np.sort(ConvexHull(np.vstack([corners, [[1, 0]]])).vertices[:])[:-1]]
    step = np.diff(outline[np.lexsort(outline.T[::-1])], axis=0)
    crossing = step[:, 0] / step.sum(axis=1)
    share = truth.mean()
    return values_of(
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
    d2_scores = {
        name: sk.d2_tweedie_score(y, f, power=power, sample_weight=w)
        for name, power in tweedie.items()
    }
    for name, level in {"d2_pinball_low": 0.1, "d2_pinball_high": 0.9}.items():
        d2_scores[name] = sk.d2_pinball_score(y, f, alpha=level, sample_weight=w)
    values = values_of("scikit-learn", d2_scores)
    # The Winkler score is the two pinball losses over half the tail, with the interval's ends.
    ends = [
        sk.mean_pinball_loss(y, end, alpha=level, sample_weight=w)
        for end, level in ((low, 0.025), (high, 0.975))
    ]
    values |= values_of("scikit-learn", {"winkler_score": sum(ends) / 0.025})
    inside = (low <= y) & (y <= high)
    return values | values_of(
        "numpy",
        {
            "interval_coverage": np.average(inside, weights=w),
            "quantile_coverage": np.average(y <= f, weights=w),
            "interval_width": np.average(high - low, weights=w),
            "log_cosh_loss": np.average(np.log(np.cosh(y - f)), weights=w),
            "mean_percentage_error": np.average((y - f) / y, weights=w),
            "mean_error": np.average(y - f, weights=w),
        },
    )


def of_sets(truth: np.ndarray, score: np.ndarray, w: np.ndarray) -> Values:
    """Measures of several labels at once, called from a score of one half."""
    predicted = score >= 0.5
    options = {"sample_weight": w, "zero_division": np.nan, "average": "samples"}
    values = {
        "subset_accuracy": sk.accuracy_score(truth, predicted, sample_weight=w),
        "hamming_loss": sk.hamming_loss(truth, predicted, sample_weight=w),
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
        values[name] = f(truth, predicted, **options)
    some = (truth | predicted).any(axis=1)
    has_label = truth.any(axis=1)
    values["one_error"] = 1 - sk.ndcg_score(
        truth[has_label], score[has_label], k=1, sample_weight=w[has_label]
    )
    values["sample_jaccard"] = sk.jaccard_score(
        truth[some], predicted[some], average="samples", sample_weight=w[some]
    )
    return values_of("scikit-learn", values)


def of_class_scores(truth: np.ndarray, score: np.ndarray, costs: np.ndarray) -> Values:
    """Calibration of the highest of several scores, and the predictions of least expected cost."""
    right = (score.argmax(axis=1) == truth).astype(float)
    shares, means = calibration_curve(right, score.max(axis=1), n_bins=10)
    number, _ = np.histogram(score.max(axis=1), bins=10, range=(0, 1))
    gaps = np.abs(shares - means)
    values = values_of(
        "scikit-learn",
        {
            "expected_calibration_error": np.average(gaps, weights=number[number > 0]),
            "maximum_calibration_error": gaps.max(),
            "brier_skill": sk.d2_brier_score(truth, score),
            "d2_log_loss": sk.d2_log_loss_score(truth, score),
        },
    )
    along = score[np.arange(len(truth)), truth] / np.linalg.norm(score, axis=1)
    values |= values_of("numpy", {"spherical_score": along.mean()})
    call = (score @ costs).argmin(axis=1)
    return values | values_of("numpy", {"least_cost_error_rate": costs[truth, call].mean()})


def of_forecasts(truth: np.ndarray, p: np.ndarray) -> Values:
    """Scores and sums of the forecasts, and the isotonic decomposition of the Brier score."""
    pair = np.column_stack([1 - p, p])
    variance = ((1 - 2 * p) ** 2 * p * (1 - p)).sum()
    values = values_of(
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
    values |= values_of(
        "model-diagnostics",
        {
            "corp_miscalibration": parts["miscalibration"],
            "corp_discrimination": parts["discrimination"],
        },
    )
    fitted = IsotonicRegression().fit_transform(p, truth)
    values |= values_of(
        "scikit-learn",
        {
            "integrated_calibration_index": np.abs(p - fitted).mean(),
            "d2_log_loss": sk.d2_log_loss_score(truth, p),
        },
    )
    same = truth.var() - ((fitted - truth) ** 2).mean()
    assert abs(same - parts["discrimination"]) < 1e-12, "scikit-learn's isotonic fit differs"
    return values


def of_bins(truth: np.ndarray, p: np.ndarray) -> Values:
    """Ten bins of equal mass, for forecasts without ties."""
    error = calibration.lower_bound_scaling_ce
    values = values_of(
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
    return values | values_of("scipy", {"hosmer_lemeshow": chi})


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
    return values_of("statsmodels", values), {name: float(e) for name, e in errors.items()}


def of_steep_shift(truth: np.ndarray, p: np.ndarray) -> dict[str, float]:
    """Calibration in the large of three times the log odds, and White's standard error of it."""
    odds = 3 * (np.log(p) - np.log1p(-p))
    model = sm.Logit(truth, np.ones(len(p)), offset=odds)
    fit = model.fit(tol=1e-13, maxiter=200, cov_type="HC0", disp=0)
    return {"value": float(fit.params[0]), "standard_error": float(fit.bse[0])}
