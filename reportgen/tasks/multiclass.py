"""One of several classes."""

from __future__ import annotations

from reportgen.tasks.record import COUNTS, TaskInfo

TASK = TaskInfo(
    name="multiclass",
    position=20,
    truth="classes",
    description="several classes (multiclass)",
    outputs=("scores", "label"),
    gives="scores or label",
    evidence={"scores": 40, "classes": 70, "ordered": 75},
    costs="classes",
    main_measures=("accuracy",),
    area_averages=("macro", "weighted", "micro", "macro of pairs", "weighted of pairs"),
    resampled=frozenset({"classes", "matrix", "rows"}),
    fixed_bytes=380e6,
    few_row_bytes=4000,
    row_bytes=(450, 17),
    class_measure="recall",
    slice_measures=(
        ("accuracy", None),
        ("balanced_accuracy", None),
        ("f1", "macro"),
        ("auc", "macro"),
        ("log_loss", None),
    ),
    also_core=(("f1", "macro"), ("f1_of_macro", None), ("auc", "macro"), ("auc", "macro of pairs")),
    of_order=(
        ("accuracy_within_one", None),
        ("mean_class_error", None),
        ("class_bias", None),
        ("linear_kappa", None),
        ("quadratic_kappa", None),
    ),
    leading_of_order=(("quadratic_kappa", None), ("mean_class_error", None)),
    chart_measures=(
        ("accuracy", None),
        ("balanced_accuracy", None),
        ("f1", "macro"),
        ("mcc", None),
        ("cohen_kappa", None),
        ("top2_accuracy", None),
        ("auc", "macro"),
    ),
    slice_chart=("accuracy", "balanced_accuracy"),
    summary_measures=(
        ("auc", "macro"),
        ("error_rate", None),
        ("balanced_accuracy", None),
        ("f1", "macro"),
        ("f1_of_macro", None),
        ("mcc", None),
        ("cohen_kappa", None),
        ("log_loss", None),
        ("cost_sensitive_error_rate", None),
    ),
    calibration="Here the predicted probability is the highest score of a row, and the "
    "prediction is correct when its class is the true one. Log loss and Brier score use all "
    "scores. Means over classes use each class's own score.",
    discrimination="A model discriminates well when the rows of a class score higher for that "
    "class than other rows do. One-vs-rest measures set each class against all others; macro is "
    "their mean, micro pools all scores. Hand & Till's areas compare every pair of classes and "
    "so do not depend on class frequencies.",
    ranking_caption="Further measures of ranking over all classes",
    decisions="Decisions by class",
    averages="Each row has one class and one prediction, so every micro average equals the "
    "accuracy.",
    reading=(
        "The class with the highest score is predicted, unless the model supplies labels. "
        "One-vs-rest: each class against all others; AUC of pairs: each class against every "
        "other.",
    ),
    symbols=f"{COUNTS} of a class (k) against the rest; n: all rows; n[i,j]: rows of class "
    "i predicted as j; tₖ, pₖ: rows of class k, and rows predicted as k. "
    "With weights every count is a sum of weights.",
)
