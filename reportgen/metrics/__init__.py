"""Metrics: each is one function that returns a Polars expression.

Every module of this folder is loaded by itself, and every metric of two classes is an
attribute here.

>>> import polars as pl
>>> from reportgen import metrics
>>> counts = pl.DataFrame({"tp": [9], "fp": [5], "fn": [1], "tn": [4]})
>>> round(counts.select(metrics.precision()).item(), 4)
0.6429
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

import polars as pl

from reportgen.metrics.by_name import (
    chance_value,
    find,
    gains_by_skill,
    loss_of,
    measure_tested_as,
    mirrors,
    skills_of,
    with_tests_of,
)
from reportgen.metrics.depends_on import (
    CLASS_OF_CELLS,
    cells_of_share,
    follows_prevalence,
    follows_shares,
    needs_threshold,
)
from reportgen.metrics.h_measure import h_measure
from reportgen.metrics.registry import (
    GROUPS,
    METRICS,
    REGISTRY,
    Metric,
    arrange,
    metric,
)

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
arrange()


def __getattr__(name: str) -> Callable[..., pl.Expr]:
    if name in METRICS:
        return METRICS[name].build
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *METRICS})
