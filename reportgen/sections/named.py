"""Printed names of tests, corrections, curves and roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.comparisons import KINDS
from reportgen.text import numbers

COMPARISONS = {
    "mcnemar_exact": "McNemar, exact",
    "mcnemar": "McNemar χ², corrected",
    "mcnemar_uncorrected": "McNemar χ², uncorrected",
    "mcnemar_midp": "McNemar, mid-p",
    "delong": "DeLong",
    "expected_cost": "Cost curves, z",
    "paired_cost": "Paired t, costs",
    "paired_t": "Paired t",
    "diebold_mariano": "Diebold–Mariano",
    "wilcoxon": "Wilcoxon signed-rank",
    "sign": "Sign test",
    "corrected_resampled_t": "Corrected resampled t",
    "paired_t_folds": "Paired t over folds",
    "wilcoxon_folds": "Wilcoxon over folds",
    "sign_folds": "Sign test over folds",
    "bayesian_correlated_t": "Bayesian correlated t",
    "equivalence": "Equivalence (TOST)",
    "equivalence_score": "Equivalence (score)",
    "non_inferiority": "Non-inferiority",
    "non_inferiority_score": "Non-inferiority (score)",
    "cochran_q": "Cochran Q",
    "looney_f": "Looney F",
    "paired_permutation": "Paired permutation",
    "paired_bootstrap": "Paired bootstrap",
    "venkatraman": "Venkatraman",
    "two_proportions": "Two proportions, z",
    "fisher": "Fisher, exact",
    "two_aucs": "Two independent AUCs, z",
    "welch_t": "Welch t, two samples",
    "two_sample_t": "Student t, two samples",
    "binomial": "Binomial, exact",
    "one_sample_t": "One-sample t",
    "corrected_one_sample_t": "One-sample t, corrected",
    "friedman": "Friedman",
    "iman_davenport": "Iman–Davenport",
    "nemenyi": "Nemenyi",
    "sign_flip": "Permutation of the mean",
    "bonferroni_dunn": "Bonferroni-Dunn",
    "mean_ranks_baseline": "Mean ranks, z",
    "five_by_two_f": "5 × 2 F",
    "five_by_two_t": "5 × 2 t",
    "five_by_two_t_averaged": "5 × 2 t, averaged numerator",
}
"""Names of the tests; a new one is printed from its own name until it stands here."""

CURVES = {
    "roc": ("ROC", "false-positive rate"),
    "precision_recall": ("Precision–recall", "recall"),
    "cost": ("Cost", "P(+)cost"),
}
"""Names of the curves, and what they are drawn against."""


def comparison_label(name: str) -> str:
    """Printed name of a test, short enough for a cell.

    >>> comparison_label("delong"), comparison_label("cochran_q")
    ('DeLong', 'Cochran Q')
    """
    return COMPARISONS.get(name) or full_label(name)


def full_label(name: str) -> str:
    """A test's name as the registry of comparisons has it; one that it lacks from its own name.

    >>> full_label("corrected_resampled_t"), full_label("of_another_version")
    ('Corrected resampled t-test', 'Of another version')
    """
    known = KINDS.get(name)
    plain = known.label.removeprefix("The ") if known else name.replace("_", " ")
    return plain[:1].upper() + plain[1:]


MARKS = {
    "recommended": ("✓", "recommended here"),
    "avoid": ("✗", "do not use here, for the reason in its footnote"),
}
"""What stands behind the name of a test, by its standing, and what it says."""


def marked(row: Mapping[str, Any], name: str = "") -> str:
    """Printed name of a record's test, or another, with the mark of its standing.

    >>> marked({"comparison": "delong", "standing": "avoid", "undefined": None})
    'DeLong ✗'
    """
    mark, _ = MARKS.get(row["standing"], ("", ""))
    unused = row["undefined"] and row["standing"] == "avoid"
    shown = name or comparison_label(row["comparison"])
    return shown if unused or not mark else f"{shown} {mark}"


def marks_told(found: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the marks in a table say, where it has any."""
    standing = {row["standing"] for row in found}
    told = [f"{mark} {text}" for key, (mark, text) in MARKS.items() if key in standing]
    return (f"{'; '.join(told)}.",) if told else ()


STATISTICS = {
    "mcnemar_exact": "min(b, c)",
    "mcnemar_midp": "min(b, c)",
    "mcnemar": "χ²",
    "mcnemar_uncorrected": "χ²",
    "delong": "z",
    "expected_cost": "z",
    **dict.fromkeys(
        (
            "paired_cost",
            "paired_t",
            "diebold_mariano",
            "corrected_resampled_t",
            "paired_t_folds",
            "five_by_two_t",
            "five_by_two_t_averaged",
        ),
        "t",
    ),
    **dict.fromkeys(("wilcoxon", "wilcoxon_folds"), "W"),
    **dict.fromkeys(("five_by_two_f", "looney_f"), "F"),
    "cochran_q": "Q",
    **dict.fromkeys(("two_proportions", "two_aucs"), "z"),
    **dict.fromkeys(("welch_t", "two_sample_t"), "t"),
    "venkatraman": "E",
}
"""Symbols of the statistics."""


def statistic(symbol: str, value: float, *degrees: float | None) -> str:
    """A statistic with its symbol and its degrees of freedom, where it has them.

    >>> statistic("t", -0.12, 9.0), statistic("F", 4.59, 3.0, 39.0), statistic("W", 44429.5)
    ('t(9) = −0.12', 'F(3, 39) = 4.59', 'W = 44,429.5')
    """
    counted = symbol in {"W", "min(b, c)", "min(w, l)"}
    digits = (0 if float(value).is_integer() else 1) if counted else 2
    known = ", ".join(f"{df:,.4g}" for df in degrees if df is not None)
    named = f"{symbol}({known})" if known and not counted else symbol
    text = numbers.fixed(value, digits)
    return f"{named} = {text}" if named else text


SYMBOLS = {
    "E": "E: differences in the number of errors, summed over all ranks at which both may be cut.",
    "min(b, c)": "b, c: rows that only the first, and only the second, model gets right.",
    "W": "W: the smaller of the two sums of ranks, of differences for and against the first model.",
}
"""What a symbol stands for, where it needs saying."""
