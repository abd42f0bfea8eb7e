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

from reportgen.version import __version__ as __version__

TYPE_CHECKING = False  # typing's own would double the time in which Ctrl-C is not heard yet
if TYPE_CHECKING:
    from typing import Any

    from reportgen import comparisons, curves, intervals, metrics, render, tables
    from reportgen.builds import Build, Report, build, report
    from reportgen.comparisons import delong, dominance, mcnemar, paired_counts
    from reportgen.counting import counts
    from reportgen.curves import (
        calibration,
        confusion,
        cost_envelope,
        hull,
        precision_recall,
        roc,
        score_distribution,
        threshold_curve,
    )
    from reportgen.errors import ReportgenError
    from reportgen.multiclass import one_vs_rest_areas
    from reportgen.predictions import Predictions
    from reportgen.results import Results, evaluate
    from reportgen.spec import Spec
    from reportgen.splitting import Scheme, cross_predict, split
    from reportgen.sweeping import bins, sweep

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

__all__ = [
    "Build",
    "Predictions",
    "Report",
    "ReportgenError",
    "Results",
    "Scheme",
    "Spec",
    "bins",
    "build",
    "calibration",
    "comparisons",
    "confusion",
    "cost_envelope",
    "counts",
    "cross_predict",
    "curves",
    "delong",
    "dominance",
    "evaluate",
    "hull",
    "intervals",
    "mcnemar",
    "metrics",
    "one_vs_rest_areas",
    "paired_counts",
    "precision_recall",
    "render",
    "report",
    "roc",
    "score_distribution",
    "split",
    "sweep",
    "tables",
    "threshold_curve",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    if name in _MODULES:
        return import_module(f"reportgen.{name}")
    raise AttributeError(f"module 'reportgen' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
