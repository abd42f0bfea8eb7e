"""Metrics: each is one function that returns a Polars expression.

>>> import polars as pl
>>> from reportgen.metrics import precision
>>> counts = pl.DataFrame({"tp": [9], "fp": [5], "fn": [1], "tn": [4]})
>>> round(counts.select(precision()).item(), 4)
0.6429
"""

# The catalogue lists the measures in the order of these imports.
# isort: off
from reportgen.metrics import class_scores as class_scores
from reportgen.metrics import multiclass as multiclass
from reportgen.metrics import multiclass_agreement as multiclass_agreement
from reportgen.metrics import multiclass_association as multiclass_association
from reportgen.metrics import multiclass_information as multiclass_information
from reportgen.metrics import multilabel as multilabel
from reportgen.metrics import regression as regression
from reportgen.metrics import regression_correlation as regression_correlation
from reportgen.metrics import regression_intervals as regression_intervals
from reportgen.metrics import regression_shares as regression_shares
from reportgen.metrics.association import *  # noqa: F403  # every metric is public
from reportgen.metrics.balance import *  # noqa: F403
from reportgen.metrics.calibration import *  # noqa: F403
from reportgen.metrics.counts import *  # noqa: F403
from reportgen.metrics.chance_corrected import *  # noqa: F403
from reportgen.metrics.costs import *  # noqa: F403
from reportgen.metrics.information import *  # noqa: F403
from reportgen.metrics.partial import *  # noqa: F403
from reportgen.metrics.probability import *  # noqa: F403
from reportgen.metrics.ranking import *  # noqa: F403
from reportgen.metrics.rates import *  # noqa: F403
from reportgen.metrics.registry import GROUPS as GROUPS
from reportgen.metrics.registry import METRICS as METRICS
from reportgen.metrics.registry import REGISTRY as REGISTRY
from reportgen.metrics.registry import Metric as Metric
from reportgen.metrics.registry import find as find
from reportgen.metrics.registry import measure_tested_as as measure_tested_as
from reportgen.metrics.registry import metric as metric
from reportgen.metrics.registry import mirrors as mirrors
from reportgen.metrics.h_measure import *  # noqa: F403
from reportgen.metrics.summaries import *  # noqa: F403
from reportgen.metrics.top_fraction import *  # noqa: F403
# isort: on
