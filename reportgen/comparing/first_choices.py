"""Which tests are first choices, and the measured reasons for and against others.

The rates are those of ``docs/levels.md``; ``recommendation`` decides by these reasons.
"""

from __future__ import annotations

from reportgen.metrics import mirrors
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
        "delong_classes",
        "average_precisions",
        "paired_permutation",
        "delta_method",
        "venkatraman",
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


_FIVE_BY_TWO = (
    "the test ignores that all ten differences share one data set. In simulations without signal "
    "it rejected {} % of true null hypotheses"
)

_OF_COSTS = (
    "the test ignores costly errors that happen not to occur in these rows. In simulations in "
    "which they are rare it rejected up to {} % of true null hypotheses"
)

_OF_SPREADS = (
    "the test assumes that the values of all models vary alike. In simulations in which some vary "
    "ten times as much as others it rejected up to {} % of true null hypotheses"
)

_OF_COPIES = (
    "the test assumes that all models are equally similar. In simulations of near copies beside "
    "one unlike model it rejected up to {} % of true null hypotheses"
)

TOO_LIBERAL = {
    "paired_cost": _OF_COSTS.format(75),
    "paired_cost_groups": _OF_COSTS.format(16),
    "paired_cost_weighted": _OF_COSTS.format(29),
    "mcnemar_uncorrected": "the test may reject true null hypotheses slightly more often than α",
    "diebold_mariano_lags": "the test ignores autocorrelation beyond a fixed number of lags. In "
    "simulations it "
    "rejected 8 to 17 % of true null hypotheses at an autocorrelation of 0.5, and 12 to "
    "36 % at 0.8",
    "declared_costs_in_time": "costly errors that come in runs may be missing from these rows. In "
    "simulations the test rejected up to 15 % of true null hypotheses at an autocorrelation of "
    "0.9, and up to 11 % where the costs of the rows themselves showed one below 0.1",
    "nemenyi": _OF_SPREADS.format(14),
    "bonferroni_dunn": _OF_SPREADS.format(14),
    "mean_ranks_baseline": _OF_SPREADS.format(14),
    "cochran_q": _OF_COPIES.format(15),
    "looney_f": _OF_COPIES.format(15),
    "iman_davenport": _OF_SPREADS.format(9),
    "friedman": _OF_SPREADS.format(8),
    "five_by_two_t": _FIVE_BY_TWO.format("11 to 16"),
    "five_by_two_t_averaged": _FIVE_BY_TWO.format("6 to 13"),
    "five_by_two_f": _FIVE_BY_TWO.format("17 to 19"),
}
"""Forms that are beside others because they are known, with the measured reason against them."""

_OF_REPEATS = (
    "the test generalises to retrained models, corrects for overlapping training sets and counts "
    "repeats as one"
)

OF_LOSSES_IN_TIME = "the test allows for autocorrelated losses of rows in time order"

OF_GROUPS_IN_TIME = (
    "the test allows for rows of a group and for rows near in time that depend on each other"
)

OF_AREA = frozenset({"auc", *mirrors("auc")})
"""The area under the ROC curve, and 1 minus it."""

IN_FAVOUR = {
    "repeated_hold_out": _OF_REPEATS,
    "repeated_k_fold": _OF_REPEATS,
    "k_fold": "the test generalises to retrained models and corrects for overlapping training "
    "sets. On a single k-fold it is conservative: in simulations of classifiers of 200 rows it "
    "rejected 1 % of true null hypotheses, with a power of 0.11 against 0.38 for a test of the "
    "pooled rows. A single test set would have more power",
    "time_ordered": "the test generalises to retrained models and corrects for overlapping "
    "training sets. On training sets that grow over time it is conservative: in simulations of "
    "classifiers it rejected 0 to 5 % of true null hypotheses",
    "five_by_two": "the test corrects for overlapping training sets, counts repeats as one, and "
    "held its level in simulations in which the tests of 5 × 2 folds rejected too often",
    "bootstrap": "the test corrects for overlapping training sets and counts repeats as one; the "
    "correction was derived for sampling without replacement and is approximate here",
    "wilcoxon": "data sets are independent, and their differences may vary in size",
    "friedman_sign_flip": "the test compares all models at once, before pairs are compared, and "
    "holds its level where values of some models vary more than those of others",
    "mean_ranks_sign_flip": "with so few data sets no adjusted p of Wilcoxon's test can be small "
    "enough, and the test holds its level where values of some models vary more than others",
    "sign_flip": "data sets are independent, and the mean difference counts equal values too",
    "diebold_mariano": OF_LOSSES_IN_TIME,
    "diebold_mariano_several": OF_LOSSES_IN_TIME,
    "delong_long_run": "the test allows for autocorrelated scores of rows in time order",
    "diebold_mariano_groups": OF_GROUPS_IN_TIME,
    "delong_groups_long_run": OF_GROUPS_IN_TIME,
}
"""Why the corrected t-tests are recommended, by scheme, and others, by their name."""
