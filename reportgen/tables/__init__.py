"""The tables that flow through a report, one class per table: the typed core.

A function's annotations name the table it takes and the table it gives;
``validate`` is called once, where the table is born. Every table that ends in
the results carries ``model`` and ``slice`` (null: all rows).
"""

from reportgen.tables.checked import Checked as Checked
from reportgen.tables.checked import ResultTable as ResultTable
from reportgen.tables.comparisons import Comparisons as Comparisons
from reportgen.tables.comparisons import Differences as Differences
from reportgen.tables.comparisons import Dominance as Dominance
from reportgen.tables.comparisons import Gaps as Gaps
from reportgen.tables.counts import Bins as Bins
from reportgen.tables.counts import ClassCounts as ClassCounts
from reportgen.tables.counts import Counts as Counts
from reportgen.tables.counts import Isotonic as Isotonic
from reportgen.tables.counts import Matrix as Matrix
from reportgen.tables.counts import Recalibration as Recalibration
from reportgen.tables.counts import Splits as Splits
from reportgen.tables.counts import Sweep as Sweep
from reportgen.tables.curves import CURVES as CURVES
from reportgen.tables.curves import Calibration as Calibration
from reportgen.tables.curves import Confusion as Confusion
from reportgen.tables.curves import CostEnvelope as CostEnvelope
from reportgen.tables.curves import CostZones as CostZones
from reportgen.tables.curves import Curve as Curve
from reportgen.tables.curves import Det as Det
from reportgen.tables.curves import ErrorCharacteristic as ErrorCharacteristic
from reportgen.tables.curves import ErrorReject as ErrorReject
from reportgen.tables.curves import Estimates as Estimates
from reportgen.tables.curves import EstimatesInTime as EstimatesInTime
from reportgen.tables.curves import Gain as Gain
from reportgen.tables.curves import Murphy as Murphy
from reportgen.tables.curves import NetBenefit as NetBenefit
from reportgen.tables.curves import PrecisionRecall as PrecisionRecall
from reportgen.tables.curves import PredictiveValues as PredictiveValues
from reportgen.tables.curves import ResidualQuantiles as ResidualQuantiles
from reportgen.tables.curves import Roc as Roc
from reportgen.tables.curves import RocBand as RocBand
from reportgen.tables.curves import RocHull as RocHull
from reportgen.tables.curves import ScoreDistribution as ScoreDistribution
from reportgen.tables.curves import ThresholdCounts as ThresholdCounts
from reportgen.tables.curves import ThresholdCurve as ThresholdCurve
from reportgen.tables.curves import TopOfList as TopOfList
from reportgen.tables.results import FOLD_KEYS as FOLD_KEYS
from reportgen.tables.results import BlockScores as BlockScores
from reportgen.tables.results import FoldMetrics as FoldMetrics
from reportgen.tables.results import FoldPairs as FoldPairs
from reportgen.tables.results import FoldScores as FoldScores
from reportgen.tables.results import Gates as Gates
from reportgen.tables.results import Generalisation as Generalisation
from reportgen.tables.results import Metrics as Metrics
from reportgen.tables.results import NotableRows as NotableRows
from reportgen.tables.results import Slices as Slices
