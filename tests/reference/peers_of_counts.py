"""What other programs make of counts: tables of two and of several classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scores.categorical
import xarray as xr
from peer_values import Values, values_of
from pycm import ConfusionMatrix
from scipy import stats
from sklearn import metrics as sk
from sklearn.dummy import DummyClassifier
from statsmodels.stats.contingency_tables import Table2x2

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
    "lambda_prediction": "Lambda B",
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


def of_pycm(table: Sequence[Sequence[int]], *, binary: bool) -> Values:
    """What PyCM says of a matrix (rows: truth), of its first class where there are two."""
    size = range(len(table))
    cm = ConfusionMatrix(matrix={str(i): {str(j): table[i][j] for j in size} for i in size})
    values = {ours: cm.overall_stat[theirs] for ours, theirs in OVERALL.items()}
    if not binary:
        values |= {ours: cm.overall_stat[theirs] for ours, theirs in OF_CLASSES.items()}
    if binary:
        values |= {ours: cm.class_stat[theirs]["0"] for ours, theirs in OF_CLASS.items()}
        values["sensitivity_index"] = cm.sensitivity_index()["0"]
    return values_of("pycm", values)


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
    values = {
        ours: sk.normalized_mutual_info_score(truth, call, average_method=kind)
        for kind, ours in kinds.items()
    }
    values["adjusted_rand"] = sk.adjusted_rand_score(truth, call)
    values["completeness"] = sk.completeness_score(truth, call)
    values["relative_classifier_information"] = sk.homogeneity_score(truth, call)
    wrong = sk.zero_one_loss(truth, call, normalize=False)
    trivial = DummyClassifier(strategy="most_frequent").fit(truth, truth).predict(truth)
    of_guess = sk.accuracy_score(truth, trivial)
    values["accuracy_gain"] = sk.accuracy_score(truth, call) - of_guess
    if len(table) == 2:
        values["total_cost"] = wrong
        values["savings"] = 1 - wrong / sk.zero_one_loss(truth, trivial, normalize=False)
    values["zero_one_loss"] = wrong
    values["mutual_information"] = sk.mutual_info_score(truth, call) / np.log(2)
    return values_of("scikit-learn", values)


def of_scipy(table: Sequence[Sequence[int]]) -> Values:
    """Association of a matrix without empty margins."""
    cells = np.array(table)
    association = stats.contingency.association
    n = cells.sum()
    return values_of(
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
    return values_of(
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
    return values_of(
        "scores",
        {
            "sedi": manager.symmetric_extremal_dependence_index().item(),
            "bias": manager.frequency_bias().item(),
            "yule_q": manager.yules_q().item(),
        },
    )
