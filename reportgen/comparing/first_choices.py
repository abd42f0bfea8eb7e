"""Which test of a measure is the first choice, where several hold their level."""

from __future__ import annotations

from reportgen.tables.comparisons import Unit

_SEVERAL = ("friedman_sign_flip",)

FIRST_CHOICE: dict[Unit, tuple[str, ...]] = {
    "rows": (
        "diebold_mariano",
        "delong_long_run",
        "diebold_mariano_groups",
        "delong_groups_long_run",
        "diebold_mariano_several",
        "mcnemar_midp",
        "delong_rare_class",
        "delong",
        "balanced_decisions",
        "declared_costs",
        "expected_cost",
        "paired_t",
        "mcnemar_groups",
        "obuchowski",
        "expected_cost_groups",
        "paired_t_groups",
        "mcnemar_weighted",
        "paired_t_weighted",
        "probability_losses",
        "paired_permutation",
        "venkatraman",
        "cochran_q",
        "cochran_groups",
        "binomial",
        "rao_scott",
        "rao_scott_blocks",
        "rao_scott_weighted",
    ),
    "folds": (
        "corrected_t_repeats",
        "corrected_resampled_t",
        "corrected_one_sample_t",
        "one_sample_t",
    ),
    "repeats": ("corrected_one_sample_t", "one_sample_t"),
    "data sets": ("wilcoxon", "sign_flip", "mean_ranks_sign_flip", *_SEVERAL, "one_sample_t"),
    "samples": ("fisher", "two_aucs", "welch_t", "two_samples_groups"),
}
"""The tests to be recommended where their level holds, by unit; of two of one measure the first."""
