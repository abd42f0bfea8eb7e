"""Bootstrap: limits of anything that reads counts, a sweep, its hull, its bins, or rows.

=================== ===========================================================
``bootstrap``       binary metrics of one model, from its decisions and scores
``bootstrap_pair``  their differences between two models on the same rows
``bootstrap_rows``  any statistic of rows (regression, scores of several classes)
``bootstrap_matrix`` metrics of a decision between several classes
``bootstrap_sweep``  metrics of scores from the counts of a sweep alone
``bootstrap_counts`` metrics of decisions from their counts alone
=================== ===========================================================

A metric stays one expression: it is evaluated on long frames with one block of
rows per replicate, or on what its rows add up to. The seed alone decides what comes out, to
the last digits, which the order of sums may change between versions; models on
the same rows have the same replicates.
"""

from reportgen.resampling.binned import bootstrap_counts, bootstrap_sweep
from reportgen.resampling.bootstrap import bootstrap, bootstrap_pair
from reportgen.resampling.bootstrap_settings import BootstrapSettings
from reportgen.resampling.class_matrix import bootstrap_matrix
from reportgen.resampling.row_bootstrap import bootstrap_rows
from reportgen.resampling.threshold_uncertainty import (
    ThresholdRule,
    ThresholdUncertainty,
    threshold_uncertainty,
)
from reportgen.resampling.unit_counts import shared_draws
