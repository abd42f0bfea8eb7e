"""Any of several labels."""

from __future__ import annotations

from reportgen.tasks.record import COUNTS, TaskInfo

TASK = TaskInfo(
    name="multilabel",
    position=30,
    truth="labels",
    description="several labels (multilabel)",
    outputs=("scores", "labels"),
    gives="scores or labels",
    evidence={"truth": 20, "labels": 30},
    has_threshold=True,
    costs="errors",
    example_gate="subset_accuracy.low >= 0.5",
    main_measures=("subset_accuracy",),
    resampled=frozenset({"rows"}),
    fixed_bytes=385e6,
    few_row_bytes=4500,
    row_bytes=(150, 10),
    class_measure="f1",
    slice_measures=(
        ("subset_accuracy", None),
        ("hamming_loss", None),
        ("sample_f1", None),
        ("f1", "macro"),
    ),
    noun="label",
    nouns="labels",
    also_core=(("f1", "macro"), ("f1", "micro"), ("auc", "macro")),
    chart_measures=(
        ("subset_accuracy", None),
        ("sample_jaccard", None),
        ("f1", "micro"),
        ("f1", "macro"),
        ("label_ranking_average_precision", None),
        ("auc", "macro"),
    ),
    slice_chart=("subset_accuracy", "hamming_loss"),
    summary_measures=(
        ("subset_accuracy", None),
        ("hamming_loss", None),
        ("sample_f1", None),
        ("f1", "macro"),
        ("f1", "micro"),
    ),
    calibration="Each label is evaluated by its own score.",
    discrimination="A model discriminates well when rows with a label score higher for it than "
    "rows without, and when a row's true labels score higher than its other labels.",
    ranking_caption="Further measures of label ranking",
    decisions="Decisions by label",
    reading=(
        "A label is predicted where its score is at least the threshold. Micro: all labels pooled.",
        "Means over rows leave out rows without the labels, true or predicted, that they divide "
        "by.",
    ),
    symbols=f"{COUNTS} of a label; Y: the true labels of a row, Z: the predicted ones; "
    "n: all rows. With weights every count is a sum of weights.",
)
