"""Charts: typed tables in, figures out.

A chart is one module: ``draw`` takes tables and gives an Altair chart (or
nothing where the data has nothing to draw), ``figures`` adds its words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from reportgen.charts.figure import Figure

if TYPE_CHECKING:
    from reportgen.results import Results

Maker = tuple[str | None, Callable[["Results"], list[Figure]]]

__all__ = ["Figure", "figures"]


def figures(results: Results) -> list[Figure]:
    """Return every figure that the results support, in the order of the report.

    Curves are of the rows without a slice. What the section of further curves
    holds is drawn only where the report has that section. The same results
    give the same figures.
    """
    from altair.utils import schemapi

    from reportgen.charts import leaders, page_one
    from reportgen.spec.section_choice import shown_sections

    task = results.data.get("task", "binary")
    makers = _MAKERS[task]()
    if task != "comparison":
        makers += _slices()
    if "curves" in shown_sections(results.spec):
        makers += _FURTHER[task]()
    with schemapi.debug_mode(False):
        drawn = [
            figure
            for curve, maker in [(None, leaders.figures), *makers]
            if curve is None or curve in results.curves
            for figure in maker(results)
        ]
    return page_one.placed(results, drawn)


def _binary() -> list[Maker]:
    """Return each chart with the curve it needs; a new chart is added here."""
    from reportgen.charts import (
        calibration,
        confusion,
        costs,
        differences,
        folds,
        key_metrics,
        precision_recall,
        roc,
        scores,
        threshold,
    )

    return [
        (None, key_metrics.figures),
        ("roc", roc.figures),
        ("precision_recall", precision_recall.figures),
        ("score_distribution", scores.figures),
        ("threshold", threshold.figures),
        ("confusion", confusion.figures),
        ("calibration", calibration.figures),
        ("cost_envelope", costs.figures),
        (None, differences.figures),
        (None, folds.figures),
    ]


def _further_binary() -> list[Maker]:
    """Return the charts of the section of further curves."""
    from reportgen.charts import det, error_reject, gain, murphy, net_benefit, roc_band

    return [
        ("roc_band", roc_band.figures),
        ("det", det.figures),
        ("error_reject", error_reject.figures),
        ("gain", gain.figures),
        ("net_benefit", net_benefit.figures),
        ("murphy", murphy.figures),
    ]


def _further_classes() -> list[Maker]:
    """Return the chart of the section of further curves."""
    from reportgen.charts import class_calibration

    return [("calibration", class_calibration.figures)]


def _labels() -> list[Maker]:
    """Return the charts of several labels, each of which is calibrated by itself."""
    return [*_classes(), *_further_classes()]


def _classes() -> list[Maker]:
    """Return the charts of several classes, or of several labels."""
    from reportgen.charts import (
        calibration,
        differences,
        folds,
        key_metrics,
        multiclass_confusion,
        one_vs_rest,
        per_class,
    )

    return [
        (None, key_metrics.figures),
        ("roc", one_vs_rest.figures),
        (None, per_class.figures),
        ("confusion", multiclass_confusion.figures),
        ("calibration", calibration.figures),
        (None, differences.figures),
        (None, folds.figures),
    ]


def _regression() -> list[Maker]:
    """Return the charts of estimates of a number."""
    from reportgen.charts import (
        differences,
        error_metrics,
        estimates,
        folds,
        rec_curve,
        residual_qq,
    )

    return [
        (None, error_metrics.figures),
        ("estimates", estimates.figures),
        ("residual_quantiles", residual_qq.figures),
        ("error_characteristic", rec_curve.figures),
        (None, differences.figures),
        (None, folds.figures),
    ]


def _slices() -> list[Maker]:
    """Return the charts of declared slices, which every task but a table of values has."""
    from reportgen.charts import slices

    return [(None, slices.figures)]


def _ranking() -> list[Maker]:
    """Return the charts of a comparison over data sets or folds."""
    from reportgen.charts import critical_difference, folds

    return [(None, critical_difference.figures), (None, folds.figures)]


_MAKERS: dict[str, Callable[[], list[Maker]]] = {
    "binary": _binary,
    "multiclass": _classes,
    "multilabel": _labels,
    "regression": _regression,
    "comparison": _ranking,
}

_FURTHER: dict[str, Callable[[], list[Maker]]] = {
    "binary": _further_binary,
    "multiclass": _further_classes,
    "multilabel": list,
    "regression": list,
    "comparison": list,
}
