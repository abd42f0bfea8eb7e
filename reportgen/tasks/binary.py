"""One of two classes: one is positive, the other negative."""

from __future__ import annotations

from dataclasses import replace

from reportgen.tasks.record import COUNTS, TaskInfo

TASK = TaskInfo(
    name="binary",
    position=10,
    truth="two classes",
    description="two classes (binary)",
    outputs=("score", "label"),
    gives="score or label",
    evidence={"score": 50, "positive": 60},
    has_threshold=True,
    costs="errors",
    main_measures=("auc", "accuracy"),
    resampled=frozenset({"counts", "sweep", "hull", "bins"}),
    slice_measures=(
        ("auc", None),
        ("error_rate", None),
        ("f1", None),
        ("precision", None),
        ("recall", None),
        ("false_positive_rate", None),
        ("detection_prevalence", None),
    ),
    chart_measures=(
        ("auc", None),
        ("accuracy", None),
        ("recall", None),
        ("precision", None),
        ("specificity", None),
        ("balanced_accuracy", None),
    ),
    rare_chart_measures=(
        ("average_precision", None),
        ("auc", None),
        ("precision", None),
        ("recall", None),
        ("f1", None),
        ("mcc", None),
    ),
    slice_chart=("error_rate", "auc"),
    summary_measures=(
        ("auc", None),
        ("average_precision", None),
        ("error_rate", None),
        ("precision", None),
        ("recall", None),
        ("f1", None),
        ("mcc", None),
        ("brier_score", None),
        ("cost_sensitive_error_rate", None),
    ),
    calibration="The Brier score equals reliability − resolution + uncertainty: exactly over "
    "distinct predictions, approximately over bins.",
    discrimination="A model discriminates well when positives score higher than negatives. "
    "The areas under the curves do not depend on a threshold.",
    decisions="Decisions at the threshold",
    symbols=f"{COUNTS}; n: all rows; P, N: positives and negatives; FPR, FNR: false-positive "
    "and false-negative rate; p: predicted probability; y: outcome, 0 or 1; π: prevalence. "
    "With weights every count is a sum of weights.",
)

GRADED = replace(
    TASK,
    graded=True,
    main_measures=("accuracy",),
    slice_measures=(("error_rate", None),),
    chart_measures=(("accuracy", None),),
    rare_chart_measures=(("accuracy", None),),
    slice_chart=("error_rate",),
    summary_measures=(("accuracy", None), ("error_rate", None)),
)
"""The same of answers that were graded right or wrong: there is no truth but that all be right."""
