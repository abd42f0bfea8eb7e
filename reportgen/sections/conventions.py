"""What holds where sources disagree: text for the methods."""

from __future__ import annotations

OF_TESTS = frozenset({"McNemar", "Not rejected", "p-values"})
"""Matters that only concern a report with tests."""

BINARY, MULTICLASS, MULTILABEL, REGRESSION = "binary", "multiclass", "multilabel", "regression"

OF_TASKS = {
    "Positive at a threshold": {BINARY},
    "Ties in a ranking": {BINARY, MULTICLASS, MULTILABEL},
    "Class that is called": {MULTICLASS},
    "Label that is given": {MULTILABEL},
    "Macro-F1": {MULTICLASS, MULTILABEL},
    "Averages": {MULTICLASS, MULTILABEL},
    "AUC of several classes": {MULTICLASS},
    "Sets of labels": {MULTILABEL},
    "Error": {REGRESSION},
    "Prediction intervals": {REGRESSION},
    "Error rate": {BINARY, MULTICLASS},
    "Costs": {BINARY},
    "Costs by class": {MULTICLASS},
    "Break-even point": {BINARY},
    "Area under the P-R curve": {BINARY},
    "Cost curve": {BINARY},
    "McNemar": {BINARY, MULTICLASS},
}
"""Tasks that a matter concerns; one that is not named concerns all."""

CONVENTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "Positive at a threshold",
        "Score ≥ threshold. The sweep starts at +∞, where nothing is positive.",
        "Tied scores then move together, as one slanted piece of the ROC curve.",
    ),
    (
        "Ties in a ranking",
        "A positive and a negative with the same score count one half.",
        "AUC by trapezoids over the distinct thresholds is then 1 − rank loss (Zhou, eq. 2.21).",
    ),
    (
        "Class that is called",
        "The model's own label; without one the class with the highest score, the first of equals.",
        "No threshold is needed.",
    ),
    (
        "Label that is given",
        "The model's own; without one, where the score is at least the threshold.",
        "One threshold serves all labels.",
    ),
    (
        "Macro-F1",
        "Two are given: the mean of the classes' F1, and the F1 of macro-P and macro-R.",
        "They differ, the second is the book's (Zhou, eq. 2.14); Opitz & Burst (2019).",
    ),
    (
        "Averages",
        "A class without a value, such as the precision of one that is never predicted, leaves "
        "the macro average undefined; the weighted one, only if the class has rows.",
        "To count it as 0 would change what is averaged; a weight of 0 adds nothing.",
    ),
    (
        "AUC of several classes",
        "One-vs-rest (macro, weighted, micro) and over pairs of classes (Hand & Till 2001).",
        "One-vs-rest depends on how frequent the classes are, pairs do not.",
    ),
    (
        "Sets of labels",
        "A row without labels that is given none counts as wholly right: Jaccard and F1 are 1.",
        "Nothing was to be found, and nothing was claimed.",
    ),
    (
        "Error",
        "Truth minus estimate.",
        "A positive bias then says that the estimates are too low; others have it the other way.",
    ),
    (
        "Prediction intervals",
        "Closed: a truth at either end lies inside.",
        "Coverage is then a plain share of the rows.",
    ),
    (
        "Error rate",
        "Mean of 1(f(x) ≠ y).",
        "Notes that print “=” are wrong.",
    ),
    (
        "Costs",
        "Named: of a false negative, and of a false positive.",
        "Zhou's cost matrix has the truth in its rows, Elkan's (2001) the prediction; "
        "a bare matrix could be read both ways.",
    ),
    (
        "Costs by class",
        "Named by the truth, then by the call; what the spec leaves out costs nothing.",
        "Zhou's cost matrix has the truth in its rows, Elkan's (2001) the prediction; "
        "a bare matrix could be read both ways.",
    ),
    (
        "Break-even point",
        "Where precision equals a positive recall; inside tied scores interpolated in counts.",
        "The origin, where both are zero, is not one.",
    ),
    (
        "Area under the P-R curve",
        "Two are given: average precision (steps), and the area interpolated in counts.",
        "Straight lines between P-R points overstate the area (Davis & Goadrich 2006).",
    ),
    (
        "Cost curve",
        "x is P(+)cost, y the normalised cost; a threshold is the line from (0, FPR) to (1, FNR). "
        "The expected total cost is the area under their lower envelope.",
        "In the prevalence alone the lines are straight only for equal costs; a sum of "
        "p · cost is not the area. 0.25 is the area of the trivial classifiers.",
    ),
    (
        "McNemar",
        "The mid-p test is recommended; the exact and the χ² tests stand beside it, each with an "
        "interval that agrees with its p on 0.",
        "Of the four it comes nearest to its level without exceeding it (Fagerland et al. 2013).",
    ),
    (
        "Not rejected",
        "“No significant difference at α.”",
        "It does not show that the models perform alike.",
    ),
    (
        "p-values",
        "Never printed as 0; below 0.001 as “< 0.001”.",
        "No finite sample shows an effect to be certain.",
    ),
    (
        "Undefined",
        "“n/a”, with the reason in a footnote; null in results.json.",
        "A measure over nothing is neither 0 nor 1.",
    ),
)
"""Matter, what holds here, why."""
