"""Curves of what acting on the forecasts is worth: decision curve, rejection, Murphy diagram."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.curves.ranking import named, sampled
from reportgen.metrics.probability import are_probabilities
from reportgen.tables import ErrorReject, Murphy, NetBenefit, Sweep

Floats = npt.NDArray[np.float64]


def net_benefit(
    sweep: DataFrame[Sweep],
    model: str = "model",
    slice: str | None = None,  # noqa: A002
    *,
    points: int = 99,
) -> DataFrame[NetBenefit]:
    """Net benefit of acting where the forecast is at least the threshold, and of acting always.

    TP/n − FP/n · t/(1 − t) at ``points`` even thresholds t between 0 and 1
    (0.01 … 0.99): a false positive costs what the threshold says it is worth.
    ``treat_none`` is 0. No rows unless all scores are probabilities.
    Vickers & Elkin (2006), doi:10.1177/0272989X06295361.
    """
    rows = sweep["tp"][-1] + sweep["fp"][-1]
    at = np.arange(1, points + 1) / (points + 1) if _usable(sweep) else np.empty(0)
    hits, alarms = _called(sweep, at)
    price = at / (1 - at)
    found = {
        "threshold": at,
        "net_benefit": (hits - alarms * price) / rows,
        "treat_all": (sweep["tp"][-1] - sweep["fp"][-1] * price) / rows,
        "treat_none": np.zeros(len(at)),
    }
    return NetBenefit.validate(pl.DataFrame(found).select(*named(model, slice), pl.all()))


def murphy(
    sweep: DataFrame[Sweep],
    model: str = "model",
    slice: str | None = None,  # noqa: A002
    *,
    points: int = 201,
) -> DataFrame[Murphy]:
    """Mean elementary score at even thresholds θ from 0 to 1: FN/n · (1 − θ) + FP/n · θ.

    A forecast equal to θ is called positive. Half the Brier score is the
    area under the curve, and every proper score a weighted area: a model whose
    curve is nowhere above another's is at least as good by all of them.
    No rows unless all scores are probabilities.
    Ehm et al. (2016), doi:10.1111/rssb.12154.
    """
    rows = sweep["tp"][-1] + sweep["fp"][-1]
    at = np.arange(points) / (points - 1) if _usable(sweep) else np.empty(0)
    hits, alarms = _called(sweep, at)
    score = ((sweep["tp"][-1] - hits) * (1 - at) + alarms * at) / rows
    found = pl.DataFrame({"threshold": at, "score": score.clip(0, 1)})
    return Murphy.validate(found.select(*named(model, slice), pl.all()))


def error_reject(
    sweep: DataFrame[Sweep],
    threshold: float = 0.5,
    model: str = "model",
    slice: str | None = None,  # noqa: A002
    *,
    points: int = 2000,
) -> DataFrame[ErrorReject]:
    """Error rate of the rows kept when those whose score is nearest the threshold are rejected.

    One row per distinct distance, least first, at most about ``points`` of
    them: the first row rejects nothing and has the error rate of all.
    ``threshold`` is that of the decision; a score equal to it is positive.
    Distances without rows (or weight) are left out.
    Chow (1970), doi:10.1109/TIT.1970.1054406.
    """
    away = (sweep["threshold"][1:] - threshold).abs()
    some = (sampled(sweep, points)["threshold"][1:] - threshold).abs()
    distance = np.unique(np.append(some.to_numpy(), away.to_numpy().min(initial=np.inf)))
    distance = distance[np.isfinite(distance)]
    found = pl.DataFrame({"distance": distance, **_kept(sweep, threshold, distance)})
    found = found.filter(pl.col("rows") > pl.col("rows").shift(-1, fill_value=0)).select(
        *named(model, slice),
        "distance",
        rejected=(1 - pl.col("rows") / pl.col("rows").first()).clip(0, 1),
        error_rate=(pl.col("errors") / pl.col("rows")).clip(0, 1),
    )
    return ErrorReject.validate(found)


def _kept(sweep: DataFrame[Sweep], threshold: float, distance: Floats) -> dict[str, Floats]:
    """Rows whose score is at least each distance from the threshold, and the errors in them."""
    scores = sweep["threshold"].to_numpy()
    hits, alarms = (sweep[c].to_numpy() for c in ("tp", "fp"))
    called = int(np.searchsorted(-scores, -threshold, side="right"))
    # Both sides in the order of the sweep: distances fall towards the threshold, then rise.
    above = np.searchsorted(threshold - scores[1:called], -distance, side="right")
    below = called + np.searchsorted(threshold - scores[called:], distance, side="left")
    missed, rest = hits[-1] - hits[below - 1], alarms[-1] - alarms[below - 1]
    errors = alarms[above] + missed
    return {"rows": hits[above] + errors + rest, "errors": errors}


def _usable(sweep: DataFrame[Sweep]) -> bool:
    return bool(sweep.select(are_probabilities() & (pl.col("tp") + pl.col("fp") > 0).any()).item())


def _called(sweep: DataFrame[Sweep], at: Floats) -> tuple[Floats, Floats]:
    """Positives and negatives with a score from each threshold up."""
    lowest_first = sweep["threshold"].to_numpy()[::-1]
    index = len(lowest_first) - 1 - np.searchsorted(lowest_first, at, side="left")
    return sweep["tp"].to_numpy()[index], sweep["fp"].to_numpy()[index]
