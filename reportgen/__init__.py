"""Model evaluation reports from predictions and a short spec.

``build`` makes a report, ``evaluate`` gives its numbers as typed tables. Each
metric, curve and comparison can be called by itself on a Polars frame:

>>> import polars as pl
>>> import reportgen
>>> frame = pl.DataFrame({"truth": [True, False, True], "score": [0.9, 0.4, 0.3]})
>>> steps = reportgen.sweep(frame)
>>> steps.select(reportgen.metrics.auc()).item()
0.5

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from itertools import chain

from reportgen import notebook
from reportgen.version import __version__ as __version__

notebook.CARDS = "reportgen.render.card"

TYPE_CHECKING = False  # typing's own would double the time in which Ctrl-C is not heard yet
if TYPE_CHECKING:
    from typing import Any

    from reportgen import comparisons as comparisons
    from reportgen import curves as curves
    from reportgen import intervals as intervals
    from reportgen import metrics as metrics
    from reportgen import render as render
    from reportgen import tables as tables
    from reportgen.builds import Build as Build
    from reportgen.builds import Report as Report
    from reportgen.builds import build as build
    from reportgen.builds import report as report
    from reportgen.comparisons import delong as delong
    from reportgen.comparisons import dominance as dominance
    from reportgen.comparisons import mcnemar as mcnemar
    from reportgen.comparisons import paired_counts as paired_counts
    from reportgen.counting import counts as counts
    from reportgen.curves import calibration as calibration
    from reportgen.curves import confusion as confusion
    from reportgen.curves import cost_envelope as cost_envelope
    from reportgen.curves import hull as hull
    from reportgen.curves import precision_recall as precision_recall
    from reportgen.curves import roc as roc
    from reportgen.curves import score_distribution as score_distribution
    from reportgen.curves import threshold_curve as threshold_curve
    from reportgen.errors import ReportgenError as ReportgenError
    from reportgen.multiclass import one_vs_rest_areas as one_vs_rest_areas
    from reportgen.predictions import Predictions as Predictions
    from reportgen.results import Results as Results
    from reportgen.results import evaluate as evaluate
    from reportgen.spec import Spec as Spec
    from reportgen.splitting import Scheme as Scheme
    from reportgen.splitting import cross_predict as cross_predict
    from reportgen.splitting import split as split
    from reportgen.sweeping import bins as bins
    from reportgen.sweeping import sweep as sweep

_HOMES = {
    "reportgen.builds": ("Build", "Report", "build", "report"),
    "reportgen.comparisons": ("delong", "dominance", "mcnemar", "paired_counts"),
    "reportgen.counting": ("counts",),
    "reportgen.curves": (
        "calibration",
        "confusion",
        "cost_envelope",
        "hull",
        "precision_recall",
        "roc",
        "score_distribution",
        "threshold_curve",
    ),
    "reportgen.errors": ("ReportgenError",),
    "reportgen.multiclass": ("one_vs_rest_areas",),
    "reportgen.predictions": ("Predictions",),
    "reportgen.results": ("Results", "evaluate"),
    "reportgen.spec": ("Spec",),
    "reportgen.splitting": ("Scheme", "cross_predict", "split"),
    "reportgen.sweeping": ("bins", "sweep"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("comparisons", "curves", "intervals", "metrics", "render", "tables")

__all__ = list(chain(_HOME_OF, _MODULES))


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    if name in _MODULES:
        return import_module(f"reportgen.{name}")
    raise AttributeError(f"module 'reportgen' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
