"""Names of measures as the field writes them, and those of the catalogue."""

from __future__ import annotations

import re
from functools import lru_cache

CELLS = ("tp", "fp", "fn", "tn")
"""The columns of counts, in the order in which arrays have them."""

OUTCOMES = {"tp": (True, True), "fp": (False, True), "fn": (True, False), "tn": (False, False)}
"""Of each the truth and the prediction."""

COST = "cost_sensitive_error_rate"
"""The mean cost of a row."""

COST_PER_ROW = "cost per row"
"""The same in a sentence."""

CORRECT_ROWS = ("accuracy", "subset_accuracy")
"""The share of rows whose class, or whose labels, are predicted correctly."""

MEAN_ERRORS = ("mean_squared_error", "mean_absolute_error")
"""The mean losses of estimates."""

OF_UNIT_COSTS = (COST, "normalised_cost")
"""Measures of cost that are the error rate where each error costs the same."""

EQUALISED_ODDS = "equalised_odds"
"""The larger of the gaps in recall and in false-positive rate between slices."""

ALIASES = {
    "ap": "average_precision",
    "auprc": "average_precision",
    "auroc": "auc",
    "brier": "brier_score",
    "cost": COST,
    "critical_success_index": "jaccard",
    "cross_entropy_loss": "log_loss",
    "csi": "jaccard",
    "decision_curve": "net_benefit",
    "dor": "diagnostic_odds_ratio",
    "ece": "expected_calibration_error",
    "eer": "equal_error_rate",
    "exact_match": "subset_accuracy",
    "f0_5": "f_half",
    "f1_score": "f1",
    "f1score": "f1",
    "f2_score": "f2",
    "f_measure": "f1",
    "f_score": "f1",
    "fdr": "false_discovery_rate",
    "fnr": "false_negative_rate",
    "for": "false_omission_rate",
    "fpr": "false_positive_rate",
    "geometric_mean": "g_mean",
    "hit_rate": "recall",
    "iou": "jaccard",
    "jaccard_index": "jaccard",
    "jaccard_score": "jaccard",
    "kappa": "cohen_kappa",
    "kendall": "kendall_tau",
    "ks": "ks_statistic",
    "lift_curve": "gain",
    "logloss": "log_loss",
    "lrap": "label_ranking_average_precision",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "matthews_corrcoef": "mcc",
    "mean_cost": COST,
    "max_error": "maximum_error",
    "mce": "maximum_calibration_error",
    "mse": "mean_squared_error",
    "msle": "mean_squared_log_error",
    "npv": "negative_predictive_value",
    "pearson": "pearson_r",
    "ppv": "precision",
    "prauc": "pr_auc",
    "r2_score": "r2",
    "r²": "r2",
    "r_squared": "r2",
    "rec": "error_characteristic",
    "rmse": "root_mean_squared_error",
    "rmsle": "root_mean_squared_log_error",
    "roc_auc": "auc",
    "roc_auc_score": "auc",
    "selectivity": "specificity",
    "sensitivity": "recall",
    "smape": "symmetric_mean_absolute_percentage_error",
    "spearman": "spearman_rho",
    "threat_score": "jaccard",
    "tnr": "specificity",
    "tpr": "recall",
    "youden": "informedness",
    "youden_j": "informedness",
}
"""Other names by which the field knows what the catalogue holds."""

AVERAGES = {
    "macro_of_folds": "macro of folds",
    "micro_of_folds": "micro of folds",
    "macro_of_data_sets": "macro of data sets",
    "micro_of_data_sets": "micro of data sets",
    "macro_of_pairs": "macro of pairs",
    "weighted_of_pairs": "weighted of pairs",
    "macro": "macro",
    "weighted": "weighted",
    "micro": "micro",
    "folds": "folds",
}
"""What stands before the measure in the name of an average, and what the results call it."""

MEAN_OVER_FOLDS = "folds"
"""The average of a measure over folds, as a gate and the results name it."""

OF_TESTS = ("macro of folds", "micro of folds", "macro of data sets", "micro of data sets")
"""Averages over test sets: Zhou's macro and micro."""

OVER_TESTS = ("precision", "recall", "f1")
"""The measures that have them."""

_WHOLE = {
    "f1_of_macro": "f1_of_macro",
    "roc_auc_ovr": "macro_auc",
    "roc_auc_ovo": "macro_of_pairs_auc",
}


PINBALL_LOSS, WINKLER_SCORE, BRIER = "pinball_loss", "winkler_score", "brier_score"
LOG_LOSS = "log_loss"
MEDIAN = 0.5

_PARAMETER = r"\s*\(\s*([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)\s*\)"
FAMILIES = {
    "f_beta": (re.compile(rf"f[\s_-]*(?:beta|β){_PARAMETER}", re.IGNORECASE), float("inf")),
    PINBALL_LOSS: (re.compile(rf"pinball(?:[\s_-]*loss)?{_PARAMETER}", re.IGNORECASE), 1.0),
}
"""Measures with a parameter, F-beta and the pinball loss of a quantile, and what it is below."""

PARAMETERS = {"f_beta": "β", PINBALL_LOSS: "quantile"}
"""What the number in brackets behind such a measure is."""

LONGEST = 100
"""Characters of a name that may still be one of them."""

_OF_PARAMETER = {
    "f_beta(1)": "f1",
    "f_beta(2)": "f2",
    "f_beta(0.5)": "f_half",
    "pinball_loss(0.1)": "pinball_low",
    "pinball_loss(0.5)": "pinball_median",
    "pinball_loss(0.9)": "pinball_high",
}
"""Those that have a name of their own."""


def of_parameter(family: str, parameter: float) -> str:
    """The name of the measure of a family with this parameter.

    >>> of_parameter("pinball_loss", 0.9), of_parameter("pinball_loss", 0.95)
    ('pinball_high', 'pinball_loss(0.95)')
    """
    name = f"{family}({parameter:g})"
    return _OF_PARAMETER.get(name, name)


def quantile_of(metric: str) -> float | None:
    """The quantile that a pinball loss rates; None for other measures.

    >>> quantile_of("pinball_low"), quantile_of("pinball_loss(0.95)"), quantile_of("auc")
    (0.1, 0.95, None)
    """
    names = {name: parameter for parameter, name in _OF_PARAMETER.items()}
    match = FAMILIES[PINBALL_LOSS][0].fullmatch(names.get(metric, metric))
    return float(match[1]) if match else None


def quantile_in_words(level: float) -> str:
    """A quantile in a sentence.

    >>> quantile_in_words(0.9), quantile_in_words(0.5)
    ('0.9 quantile', 'median')
    """
    return "median" if level == MEDIAN else f"{level:g} quantile"


def _of_family(word: str) -> str | None:
    for family, (pattern, most) in FAMILIES.items() if len(word) <= LONGEST else ():
        if (match := pattern.fullmatch(word.strip())) and 0 < float(match[1]) < most:
            return of_parameter(family, float(match[1]))
    return None


def canonical(word: str) -> str:
    """The catalogue's name of a measure, or of its average, from any that the field uses.

    >>> canonical("Sensitivity"), canonical("ROC-AUC"), canonical("f1_macro"), canonical("mcc")
    ('recall', 'auc', 'macro_f1', 'mcc')
    >>> canonical("F-beta(0.70)"), canonical("f_beta(2)"), canonical("Pinball loss (0.9)")
    ('f_beta(0.7)', 'f2', 'pinball_high')
    """
    if of_family := _of_family(word):
        return of_family
    key = snake_case(word)
    if key in _WHOLE:
        return _WHOLE[key]
    for prefix in AVERAGES:
        if key.startswith(f"{prefix}_"):
            return f"{prefix}_{_plain(key.removeprefix(f'{prefix}_'))}"
        if key.endswith(f"_{prefix}"):
            return f"{prefix}_{_plain(key.removesuffix(f'_{prefix}'))}"
    return _plain(key)


@lru_cache(maxsize=1024)
def parted(name: str) -> tuple[str, str | None]:
    """The measure and the average of a canonical name.

    >>> parted("macro_f1"), parted("macro_of_pairs_auc"), parted("auc")
    (('f1', 'macro'), ('auc', 'macro of pairs'), ('auc', None))
    """
    for prefix, average in AVERAGES.items():
        if name.startswith(f"{prefix}_"):
            return name.removeprefix(f"{prefix}_"), average
    return name, None


def joined(metric: str, average: str | None) -> str:
    """The canonical name of a measure's average.

    >>> joined("auc", "macro of pairs"), joined("auc", None)
    ('macro_of_pairs_auc', 'auc')
    """
    return metric if average is None else f"{average.replace(' ', '_')}_{metric}"


def snake_case(text: str) -> str:
    """A word in small letters, all that is no letter or digit one underscore.

    >>> snake_case("P-R AUC"), snake_case("P (class=yes)")
    ('p_r_auc', 'p_class_yes')
    """
    return re.sub(r"\W+", "_", text.casefold()).strip("_")


def _plain(key: str) -> str:
    return ALIASES.get(key, key)
