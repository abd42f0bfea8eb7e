"""What holds where sources disagree: text for the methods."""

from __future__ import annotations

OF_TESTS = frozenset({"McNemar", "Not rejected", "p-values"})
"""Matters that only concern a report with tests."""

CONVENTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "Positive at a threshold",
        "Score ≥ threshold. The sweep starts at +∞, with no predicted positives.",
        "Tied scores then change sides together and form one slanted segment of the ROC curve.",
    ),
    (
        "Ties in a ranking",
        "A positive and a negative with equal scores count one half.",
        "The trapezoidal AUC over distinct thresholds then equals 1 − rank loss (Zhou, eq. 2.21).",
    ),
    (
        "Predicted class",
        "The label that the model supplies; otherwise the class with the highest score, the first "
        "of ties.",
        "No threshold is needed.",
    ),
    (
        "Predicted labels",
        "The labels that the model supplies; otherwise those whose score is at least the "
        "threshold.",
        "One threshold serves all labels.",
    ),
    (
        "Macro-F1",
        "Both are reported: the mean of the classes' F1, and the F1 of macro-P and macro-R.",
        "They differ; the second is the textbook's (Zhou, eq. 2.14). See Opitz & Burst (2019).",
    ),
    (
        "Averages",
        "A class without a value, such as the precision of one that is never predicted, leaves "
        "the macro average undefined; the weighted one, only if the class has rows.",
        "Counting it as 0 would change what is averaged; a weight of 0 adds nothing.",
    ),
    (
        "AUC of several classes",
        "One-vs-rest (macro, weighted, micro) and over pairs of classes (Hand & Till 2001).",
        "One-vs-rest depends on class frequencies; pairs do not.",
    ),
    (
        "Sets of labels",
        "A row without labels for which none is predicted is correct: Jaccard and F1 are 1.",
        "There was nothing to find, and nothing was predicted.",
    ),
    (
        "Error",
        "Truth minus estimate.",
        "A positive bias then means that estimates are too low; some sources use the opposite "
        "sign.",
    ),
    (
        "Prediction intervals",
        "Closed: a true value at either end is inside.",
        "Coverage is then a simple proportion of rows.",
    ),
    (
        "Error rate",
        "Mean of 1(f(x) ≠ y).",
        "It is then 1 − accuracy.",
    ),
    (
        "Costs",
        "Named: of a false negative, and of a false positive.",
        "Zhou's cost matrix has the truth in its rows, Elkan's (2001) the prediction; "
        "a bare matrix could be read both ways.",
    ),
    (
        "Costs by class",
        "Named by true, then predicted class; what the spec leaves out costs nothing.",
        "Zhou's cost matrix has the truth in its rows, Elkan's (2001) the prediction; "
        "a bare matrix could be read both ways.",
    ),
    (
        "Break-even point",
        "Where precision equals recall, above 0; within tied scores, counts are interpolated.",
        "The origin, where both are zero, does not count.",
    ),
    (
        "Area under the P-R curve",
        "Both are reported: average precision (steps), and the area with interpolated counts.",
        "Linear interpolation between P-R points overstates the area (Davis & Goadrich 2006).",
    ),
    (
        "Cost curve",
        "x is P(+)cost, y the normalised cost; a threshold is the line from (0, FPR) to (1, FNR). "
        "The expected total cost is the area under their lower envelope.",
        "Against prevalence alone the lines are straight only for equal costs; a sum of p · cost "
        "is not the area. 0.25 is the area of the trivial classifiers.",
    ),
    (
        "McNemar",
        "The mid-p test is recommended; the exact and the χ² tests stand beside it, each with an "
        "interval that agrees with its p on 0.",
        "Of the four, its size is closest to the nominal level without exceeding it (Fagerland et "
        "al. 2013).",
    ),
    (
        "Not rejected",
        "“No significant difference at α.”",
        "It does not show that the models perform alike.",
    ),
    (
        "p-values",
        "Never printed as 0; below 0.001 as “< 0.001”.",
        "No finite sample makes an effect certain.",
    ),
    (
        "Undefined",
        "“n/a”, with the reason in a footnote; null in results.json.",
        "A measure of an empty set is neither 0 nor 1.",
    ),
)
"""Matter, what holds here, why."""
