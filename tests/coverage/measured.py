"""Coverage of each interval over the designs, by the limits that a report has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import gammaln
from scipy.stats import norm

from reportgen.comparisons import Question
from reportgen.comparisons.area_covariances import AreaCovariance
from reportgen.comparisons.delong import delong_pair
from reportgen.intervals import (
    Estimate,
    Interval,
    Wald,
    miscalibration_limits,
    resolution_limits,
)
from reportgen.intervals.area_scores import score_limits
from reportgen.intervals.delta import evaluating
from reportgen.intervals.means import grown
from reportgen.intervals.share_regions import confidence_at_kink, region_limits
from reportgen.measuring.kernels import loss_variances
from reportgen.measuring.metric_set import MetricSet
from reportgen.metrics import METRICS, Metric
from reportgen.metrics.row_losses import LOSSES
from reportgen.sweeping import Ranking, ranking_of
from tests.coverage.designs import RATES, Forecasts, Scores, placed
from tests.interval_limits import limits_of

Floats = npt.NDArray[np.float64]

OF_COUNTS = (
    "accuracy",
    "precision",
    "negative_predictive_value",
    "recall",
    "specificity",
    "balanced_accuracy",
    "g_mean",
    "informedness",
    "f1",
    "mcc",
    "cohen_kappa",
    "markedness",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "lift",
    "cost_sensitive_error_rate",
    "normalised_cost",
    "iba",
    "adjusted_g_mean",
)
OF_REGIONS = tuple(
    m.name
    for m in METRICS.values()
    if m.on == "counts" and m.interval is None and m.group != "count" and m.bounds[1] < np.inf
    if m.name != "krippendorff_alpha"  # it depends on the number of rows
)
REGION_NOISE = 2e-3
"""Share of its width by which a limit from a search may be inside the region."""
COSTS = {"false_negative": 5.0, "false_positive": 1.0}


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often limits held the truth, and how often they lay above or below it."""

    what: str
    design: str
    rows: int
    fewest: float
    quality: float
    covered: float
    too_high: float
    exists: float

    @property
    def too_low(self) -> float:
        """How often the upper limit lay below the truth."""
        return max(1 - self.covered - self.too_high, 0.0)


def of_limits(low: Floats, high: Floats, true: Floats | float, weight: Floats) -> tuple[float, ...]:
    """Share of the samples whose limits hold the truth, lie above it, and exist."""
    defined = np.isfinite(low) & np.isfinite(high)
    whole = weight[defined].sum()
    held = (low <= true + 1e-9) & (high >= true - 1e-9)
    above = defined & (low > true + 1e-9)
    if not whole > 0:
        return float("nan"), float("nan"), 0.0
    return (
        float(weight[held & defined].sum() / whole),
        float(weight[above].sum() / whole),
        float(whole / weight.sum()),
    )


def of_area(design: Scores, samples: int, random: np.random.Generator) -> Coverage:
    """Coverage of the AUC of one model."""
    of_positives, of_negatives = placed(*design.draw(samples, random))
    area, sizes = of_positives.mean(axis=1), (design.positives, design.negatives)
    parts = [
        np.full(samples, np.nan) if size < 2 else placements.var(axis=1, ddof=1) / size
        for placements, size in zip((of_positives, of_negatives), sizes, strict=True)
    ]
    columns = (np.full(samples, float(size)) for size in sizes)
    low, high = score_limits(area, parts[0] + parts[1], *columns)
    rates = of_limits(low, high, design.area, np.ones(samples))
    return Coverage("auc", design.shape, sum(sizes), min(sizes), design.area, *rates)


def of_difference(
    areas: tuple[float, float],
    sizes: tuple[int, int],
    shared: float,
    samples: int,
    random: np.random.Generator,
) -> Coverage:
    """Coverage of the difference of two AUCs on the same rows, of correlated normal scores."""
    low, high = np.empty(samples), np.empty(samples)
    question = Question(("a", "b"), "auc")
    for sample in range(samples):
        columns = []
        for size, positive in zip(sizes, (True, False), strict=True):
            noise = random.normal(size=(2, size))
            noise[1] = shared * noise[0] + np.sqrt(1 - shared**2) * noise[1]
            columns.append(noise + positive * np.sqrt(2) * norm.ppf(areas)[:, None])
        above, below = columns
        placements = placed(above, below)
        by_class = (np.cov(placements[0]) / sizes[0], np.cov(placements[1]) / sizes[1])
        estimates = AreaCovariance(placements[0].mean(axis=1), sum(by_class), sizes, by_class)
        record = delong_pair(estimates, (0, 1), question)
        # Models that rank the rows alike have no limits.
        low[sample] = np.nan if record.low is None else record.low
        high[sample] = np.nan if record.high is None else record.high
    rates = of_limits(low, high, areas[0] - areas[1], np.ones(samples))
    design = f"{areas[0]} − {areas[1]}, correlation {shared}"
    return Coverage("difference of auc", design, sum(sizes), min(sizes), areas[0], *rates)


def tables(rows: int, prevalence: float, rates: tuple[float, float], samples: int) -> pl.DataFrame:
    """Counts with their probabilities: all of few rows, ``samples`` draws of more."""
    recall, specificity = rates
    chances = np.array(
        [
            prevalence * recall,
            (1 - prevalence) * (1 - specificity),
            prevalence * (1 - recall),
            (1 - prevalence) * specificity,
        ]
    )
    if rows <= 30:
        counts = _all_tables(rows)
        logs = gammaln(rows + 1) - gammaln(counts + 1).sum(axis=1) + counts @ np.log(chances)
        weight = np.exp(logs)
    else:
        random = np.random.default_rng(round(1000 * prevalence + 100 * recall))
        counts = random.multinomial(rows, chances, size=samples).astype(float)
        weight = np.ones(samples)
    names = ("tp", "fp", "fn", "tn")
    frame = pl.DataFrame(counts, schema=list(names), orient="row").with_columns(weight=weight)
    both = (pl.col("tp") + pl.col("fn") > 0) & (pl.col("fp") + pl.col("tn") > 0)
    return frame.filter(both).with_columns(*(pl.col(n).alias(f"{n}2") for n in names))


@cache
def _all_tables(rows: int) -> Floats:
    grid = np.array([c for c in product(range(rows + 1), repeat=3) if sum(c) <= rows])
    return np.column_stack([grid, rows - grid.sum(axis=1)]).astype(float)


def of_counts(
    rows: int,
    prevalence: float,
    rates: tuple[float, float],
    samples: int,
    *,
    least: int = 0,
    names: Iterable[str] = OF_COUNTS,
) -> Iterator[Coverage]:
    """Coverage of the measures of decisions, of tables with ``least`` rows of each class."""
    frame = tables(rows, prevalence, rates, samples)
    frame = frame.filter(
        pl.min_horizontal(pl.col("tp") + pl.col("fn"), pl.col("fp") + pl.col("tn")) >= least
    )
    if frame.is_empty() or frame["weight"].sum() < 0.05 * (1 if rows <= 30 else samples):
        return
    metrics = [METRICS[name] for name in names if METRICS[name].interval is not None]
    values = MetricSet(metrics, 0.95).of_counts(frame, **COSTS)
    true = _true(metrics, prevalence, rates)
    weight = frame["weight"].to_numpy()
    for metric in metrics:
        column = np.array([row[metric.name] for row in values], dtype=float)
        valued = np.isfinite(column[:, 0])
        held = of_limits(column[valued, 1], column[valued, 2], true[metric.name], weight[valued])
        fewest = rows * min(prevalence, 1 - prevalence)
        yield Coverage(metric.name, str(prevalence), rows, max(fewest, least), min(rates), *held)


def of_regions(
    rows: int,
    prevalence: float,
    rates: tuple[float, float],
    samples: int,
    names: Iterable[str] = (),
) -> Iterator[Coverage]:
    """Coverage of the measures of decisions whose limits are from regions of shares.

    Those of all rows are left out: their limits follow from those of others.
    """
    frame = tables(rows, prevalence, rates, samples).filter(pl.col("weight") > 1e-5)
    cells = frame.group_by("tp", "fp", "fn", "tn", maintain_order=True).agg(pl.col("weight").sum())
    counts, weight = cells.select("tp", "fp", "fn", "tn").to_numpy(), cells["weight"].to_numpy()
    metrics = [METRICS[name] for name in names or OF_REGIONS]
    true = {n: v for n, v in _true(metrics, prevalence, rates).items() if v is not None}
    for metric in (m for m in metrics if m.name in true):
        evaluate = evaluating({metric.name: metric.expression(**COSTS)})
        value, true_value = evaluate(counts)[:, 0], true[metric.name]
        confidence = confidence_at_kink(0.95) if metric.at_kink else 0.95
        limits = region_limits(evaluate, counts, counts, confidence)
        low, high = (end[:, 0] for end in limits)
        valued = np.isfinite(value)
        noise = REGION_NOISE * (high - low)
        held = of_limits((low - noise)[valued], (high + noise)[valued], true_value, weight[valued])
        fewest = rows * min(prevalence, 1 - prevalence)
        yield Coverage(metric.name, str(prevalence), rows, fewest, min(rates), *held)


def _true(metrics: list[Metric], prevalence: float, rates: tuple[float, float]) -> dict[str, float]:
    recall, specificity = rates
    cells = {
        "tp": prevalence * recall,
        "fn": prevalence * (1 - recall),
        "tn": (1 - prevalence) * specificity,
        "fp": (1 - prevalence) * (1 - specificity),
    }
    values = {m.name: m.expression(**COSTS) for m in metrics}
    return pl.DataFrame([cells]).select(**values).row(0, named=True)


def of_forecasts(design: Forecasts, samples: int, seed: int) -> Iterator[Coverage]:
    """Coverage of the measures of probabilities that are resampled, or have a closed form."""
    random = np.random.default_rng(seed)
    true = _of_many(design)
    limits: dict[str, list[tuple[float, float]]] = {name: [] for name in true}
    truths, forecasts = design.draw(samples, random)
    for truth, forecast in zip(truths, forecasts, strict=True):
        order = ranking_of(pl.DataFrame({"truth": truth > 0, "score": forecast}))
        for name, ends in _of_means(order).items():
            limits[name].append(ends)
        for name, power in (("expected_calibration_error", 1), ("brier_reliability", 2)):
            limits[name].append(miscalibration_limits(*_bins(truth, forecast), 0.95, power))
        rows, _, rate = _bins(truth, forecast)
        limits["brier_resolution"].append(resolution_limits(rows, rate))
    yield from _coverages(design, limits, true)


def of_losses(design: Forecasts, samples: int, seed: int) -> Iterator[Coverage]:
    """Coverage of the mean losses alone, whose limits have a closed form."""
    truth, forecast = Forecasts(10**6, design.prevalence, design.area, design.steepness).draw(
        1, np.random.default_rng(7)
    )
    true = {name: float(LOSSES[name](forecast[0], truth[0]).mean()) for name in LOSSES}
    limits: dict[str, list[tuple[float, float]]] = {name: [] for name in true}
    for truth, forecast in zip(*design.draw(samples, np.random.default_rng(seed)), strict=True):
        order = ranking_of(pl.DataFrame({"truth": truth > 0, "score": forecast}))
        for name, ends in _of_means(order).items():
            limits[name].append(ends)
    yield from _coverages(design, limits, true)


def _coverages(
    design: Forecasts,
    limits: dict[str, list[tuple[float, float]]],
    true: dict[str, float],
) -> Iterator[Coverage]:
    for name, ends in limits.items():
        low, high = np.array(ends, dtype=float).T
        held = of_limits(low, high, true[name], np.ones(len(low)))
        fewest = design.rows * min(design.prevalence, 1 - design.prevalence)
        what = f"{design.prevalence}, steepness {design.steepness}"
        yield Coverage(name, what, design.rows, fewest, design.area, *held)


def _of_means(order: Ranking) -> dict[str, tuple[float, float]]:
    values = order.table().select(**{name: METRICS[name].build() for name in LOSSES})
    means = values.row(0, named=True)
    return {
        name: _ends(
            METRICS[name].interval,
            means[name],
            grown(variance.spread, variance.effect.inflation(0.95)),
        )
        for name, variance in loss_variances(order, means).items()
    }


def _ends(interval: Interval, value: float, spread: object) -> tuple[float, float]:
    frame = pl.DataFrame({"value": [value], "spread": [spread]})
    low, high = interval.around(Estimate(pl.col("value"), pl.col("spread"), 0.95))
    return frame.select(low=low, high=high).row(0)


def _bins(truth: Floats, forecast: Floats) -> tuple[Floats, Floats, Floats]:
    at = np.minimum((forecast * 10).astype(int), 9)
    rows, hits, sums = (np.bincount(at, w, 10) for w in (None, truth, forecast))
    nonempty = rows > 0
    return (
        rows[nonempty].astype(float),
        sums[nonempty] / rows[nonempty],
        hits[nonempty] / rows[nonempty],
    )


def _of_many(design: Forecasts) -> dict[str, float]:
    """The measures of a million rows."""
    truth, forecast = Forecasts(10**6, design.prevalence, design.area, design.steepness).draw(
        1, np.random.default_rng(7)
    )
    order = ranking_of(pl.DataFrame({"truth": truth[0] > 0, "score": forecast[0]}))
    true = (
        order.table().select(**{name: METRICS[name].build() for name in LOSSES}).row(0, named=True)
    )
    rows, mean, rate = _bins(truth[0], forecast[0])
    gap = np.abs(rate - mean)
    from_base = (rate - (rows * rate).sum() / rows.sum()) ** 2
    noise = {
        "expected_calibration_error": gap,
        "brier_reliability": gap**2,
        "brier_resolution": from_base,
    }
    return true | {name: float((rows * g).sum() / rows.sum()) for name, g in noise.items()}


def plain(design: Scores, samples: int, random: np.random.Generator) -> float:
    """What DeLong's interval on the plain scale covers, for comparison."""
    of_positives, of_negatives = placed(*design.draw(samples, random))
    variance = of_positives.var(axis=1, ddof=1) / design.positives
    variance += of_negatives.var(axis=1, ddof=1) / design.negatives
    frame = pl.DataFrame({"area": of_positives.mean(axis=1), "variance": variance})
    low, high = limits_of(Wald("delong", pl.col("variance")), pl.col("area"))
    ends = frame.select(low=low, high=high)
    columns = (ends["low"].to_numpy(), ends["high"].to_numpy())
    return of_limits(*columns, design.area, np.ones(samples))[0]


__all__ = [
    "RATES",
    "Coverage",
    "of_area",
    "of_counts",
    "of_difference",
    "of_forecasts",
    "of_losses",
    "of_regions",
    "plain",
]
