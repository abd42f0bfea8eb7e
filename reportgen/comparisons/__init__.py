"""Comparisons: tests of significance between models, and dominance of their curves.

Every module of this folder is loaded by itself, and with it the tests that it registers.
"""

from importlib import import_module
from pkgutil import iter_modules

from reportgen.comparisons.adjustment import adjust
from reportgen.comparisons.area_covariances import AreaCovariance, area_covariance
from reportgen.comparisons.areas_in_time import delong_long_run
from reportgen.comparisons.bayesian import bayesian_correlated_t, bayesian_signed_rank
from reportgen.comparisons.binary_pair import BinaryPair
from reportgen.comparisons.claims import binomial, one_sample_t
from reportgen.comparisons.corrections import CORRECTIONS, bonferroni, holm
from reportgen.comparisons.costs_in_time import declared_costs_in_time
from reportgen.comparisons.count_and_row_pairs import CountedPair, RowwisePair
from reportgen.comparisons.declared_costs import declared_costs
from reportgen.comparisons.delong import delong, delong_pair, delong_rare_class, obuchowski
from reportgen.comparisons.delong_classes import delong_classes
from reportgen.comparisons.delta_method import delta_method
from reportgen.comparisons.diebold_mariano import LONG_RUN, diebold_mariano
from reportgen.comparisons.dominance import dominance, dominance_of, lines_of
from reportgen.comparisons.dominance_stability import dominance_stability
from reportgen.comparisons.equivalence import (
    area_difference,
    equivalence,
    equivalence_of_areas,
    equivalence_of_errors,
    equivalence_of_shares,
    fold_difference,
)
from reportgen.comparisons.expected_costs import (
    ExpectedCosts,
    cost_covariance,
    expected_cost,
    expected_cost_pair,
)
from reportgen.comparisons.five_by_two import five_by_two_f, five_by_two_t
from reportgen.comparisons.folds import (
    corrected_resampled_t,
    corrected_t_of_repeats,
    paired_folds,
    paired_t_folds,
)
from reportgen.comparisons.grouped import (
    mcnemar_groups,
    mean_difference_in_groups,
    paired_t_groups,
    wilcoxon_groups,
)
from reportgen.comparisons.grouped_claims import cochran_groups, rao_scott
from reportgen.comparisons.grouped_samples import mean_in_groups, two_samples_groups
from reportgen.comparisons.groups_in_time import delong_groups_long_run, diebold_mariano_groups
from reportgen.comparisons.joint_cells import joint_counts, joint_counts_by_group
from reportgen.comparisons.mcnemar import (
    Pairs,
    cross_tabulated,
    mcnemar,
    paired_counts,
)
from reportgen.comparisons.metric_differences import differences, differences_of
from reportgen.comparisons.model_pair import Draws, ModelPair
from reportgen.comparisons.models_in_time import diebold_mariano_several
from reportgen.comparisons.omnibus import aligned_ranks, cochran_q, friedman, iman_davenport, quade
from reportgen.comparisons.paired import mean_difference
from reportgen.comparisons.paired_losses import (
    paired_costs,
    paired_errors,
    undefined_errors,
)
from reportgen.comparisons.paired_permutation import paired_bootstrap, paired_permutation
from reportgen.comparisons.permutation import permuted_samples, sign_flip
from reportgen.comparisons.probability_losses import probability_losses
from reportgen.comparisons.rank_flips import friedman_sign_flip, mean_ranks_sign_flip
from reportgen.comparisons.rank_pairs import (
    bonferroni_dunn,
    conover,
    critical_difference,
    mean_ranks,
    nemenyi,
)
from reportgen.comparisons.ranks import ranks
from reportgen.comparisons.records import LEAST_P, Comparison, Question, lower_is_better, table
from reportgen.comparisons.registry import TESTS, TestInfo, arrange
from reportgen.comparisons.sign_equivalence import equivalence_by_signs
from reportgen.comparisons.signed_ranks import rank_sums, sign, signed_rank
from reportgen.comparisons.unpaired import (
    fisher_p,
    pooled_z,
    two_aucs,
    two_proportions,
    two_sample_t,
)
from reportgen.comparisons.venkatraman import venkatraman
from reportgen.comparisons.weighted import (
    weighted_errors,
    weighted_mean,
    weighted_mean_difference,
    weighted_t,
)

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
arrange()
