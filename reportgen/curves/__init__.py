"""Curves: each is a table derived from a sweep, its hull, its bins or its counts."""

from importlib import import_module
from pkgutil import iter_modules

from reportgen.curves.bands import roc_band
from reportgen.curves.benefit import error_reject, murphy, net_benefit
from reportgen.curves.confusion import confusion
from reportgen.curves.costs import cost_envelope, cost_zones
from reportgen.curves.predictive_values import predictive_values
from reportgen.curves.probability import calibration, calibration_bins, score_distribution
from reportgen.curves.ranking import (
    hull,
    outline,
    precision_outline,
    precision_recall,
    roc,
    roc_hull,
    sampled,
    threshold_counts,
    threshold_curve,
)
from reportgen.curves.recalibration import isotonic, masses, recalibration
from reportgen.curves.registry import RANKING_CURVES, of_ranking
from reportgen.curves.regression import (
    error_characteristic,
    estimates,
    estimates_in_time,
    residual_quantiles,
)
from reportgen.curves.tradeoffs import det, even_in_deviates, gain, top_of_list
from reportgen.tables import CURVES

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
