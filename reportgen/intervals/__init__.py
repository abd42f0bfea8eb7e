"""Confidence intervals: shapes that a metric carries, and closed forms as plain functions.

=============== =============================================================
of              what there is
=============== =============================================================
a share         wilson_modified (default), wilson, wilson_cc, clopper_pearson,
                jeffreys, agresti_coull, midp, wald
a difference    midp_paired (default), exact_paired, corrected_paired, tango,
                newcombe_paired, wald_paired; newcombe, agresti_caffo,
                miettinen_nurminen, wald for independent samples
an area         score with DeLong's variance (default), Newcombe, DeLong (plain and
                logit), Hanley-McNeil; of average precision by its
                influence function (default), or its share of the positives
a function of   square-and-add on these limits (default), of F-beta score limits; log
counts          method, kappa's asymptotic error, delta method for any smooth function
a calibration   inversion of the noise of the bins
error
anything        ``reportgen.resampling``
=============== =============================================================
"""

from reportgen.intervals.area_differences import difference_limits
from reportgen.intervals.area_scores import delong_score, newcombe_variance
from reportgen.intervals.areas import (
    AVERAGE_PRECISION,
    FEW_POSITIVES,
    AreaScore,
    delong_logit,
    delong_score_interval,
    hanley_mcneil_interval,
    hanley_mcneil_variance,
    newcombe_area_interval,
)
from reportgen.intervals.average_precision import (
    INFLUENCE_LOGIT,
    INFLUENCE_LOGIT_INTERPOLATED,
)
from reportgen.intervals.calibration import (
    Miscalibration,
    Resolution,
    miscalibration_limits,
    resolution_limits,
)
from reportgen.intervals.delta import Delta, delta_variances
from reportgen.intervals.differences import (
    PAIRED,
    UNPAIRED,
    agresti_caffo,
    corrected_paired,
    exact_paired,
    midp_paired,
    miettinen_nurminen,
    newcombe,
    newcombe_paired,
    tango,
    wald_paired,
    wald_unpaired,
)
from reportgen.intervals.f_measures import FMeasure, f_measure_limits
from reportgen.intervals.means import (
    LossVariance,
    MeanLoss,
    MeanOfRows,
    is_outweighed,
    skewed_spread,
    unseen,
)
from reportgen.intervals.modified_wilson import ModifiedWilson, modified_wilson
from reportgen.intervals.proportions import (
    PROPORTIONS,
    Share,
    agresti_coull,
    clopper_pearson,
    jeffreys,
    jeffreys_modified,
    midp,
    wald,
    wilson_cc,
    wilson_limits,
    wilson_modified,
)
from reportgen.intervals.ratios import (
    COHEN_KAPPA,
    DIAGNOSTIC_ODDS_RATIO,
    NEGATIVE_LIKELIHOOD_RATIO,
    POSITIVE_LIKELIHOOD_RATIO,
    kappa_variance,
)
from reportgen.intervals.shapes import (
    Estimate,
    Interval,
    LimitExpressions,
    Log,
    Logit,
    Wald,
    normal_quantile,
    simultaneous_limit,
    widening,
    wilson,
)
from reportgen.intervals.shares import SquareAndAdd
