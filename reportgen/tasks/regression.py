"""A number."""

from __future__ import annotations

from reportgen.tasks.record import TaskInfo

TASK = TaskInfo(
    name="regression",
    position=40,
    truth="number",
    description="numbers (regression)",
    outputs=("estimate", "low", "high"),
    gives="an estimate",
    evidence={"estimate": 10},
    example_gate="r2.low >= 0.5",
    main_measures=("mean_squared_error",),
    further_measures=("mean_absolute_error",),
    resampled=frozenset({"pairs"}),
    fixed_bytes=300e6,
    few_row_bytes=2500,
    row_bytes=(50, 55),
    slice_measures=(
        ("root_mean_squared_error", None),
        ("mean_absolute_error", None),
        ("mean_error", None),
        ("r2", None),
        ("interval_coverage", None),
        ("quantile_coverage", None),
    ),
    also_core=(
        ("interval_coverage", None),
        ("interval_width", None),
        ("winkler_score", None),
        ("quantile_coverage", None),
    ),
    slice_chart=("root_mean_squared_error", "mean_error"),
    summary_measures=(
        ("root_mean_squared_error", None),
        ("mean_absolute_error", None),
        ("mean_error", None),
        ("r2", None),
    ),
    reading=(
        "Lower is better for errors.",
        "RMSE, MAE, the median absolute error, the bias, pinball losses, and the width and the "
        "Winkler score of intervals are in the unit of the truth, MSE in its square. R² and "
        "correlations have no unit.",
    ),
    symbols="y: truth; f: estimate; ȳ: mean of the truth; n: all rows. "
    "With weights every sum is weighted.",
)
