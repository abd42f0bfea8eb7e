"""Situations of declared costs: one model alone makes costly errors, the other cheap ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.special import ndtri

from reportgen.clusters import Groups
from reportgen.comparisons import Comparison, declared_costs, paired_costs, weighted_t
from reportgen.comparisons.grouped import paired_t_groups
from reportgen.sample_design import SampleDesign
from tests.simulations.situations import Generator, asked, classes, situation

METRIC = "cost_sensitive_error_rate"

TOGETHER = 0.3
"""The correlation of errors in a group, on the normal scale."""

MISSED = ((0.03, 0.0), (0.1, 0.0), (0.3, 0.1))
"""What part of the positives the two models miss."""


def _losses(
    truth: np.ndarray, dear: float, wrong: tuple[np.ndarray, np.ndarray], effect: float
) -> pl.DataFrame:
    """What rows cost under two models; with an effect the second saves so much of its costs."""
    cost = np.where(truth, dear, 1.0)
    first, second = (cost * w for w in wrong)
    return pl.DataFrame({"first": first, "second": second * (1 - effect), "costliest": cost})


def _wrong(
    truth: np.ndarray, missed: tuple[float, float], dear: float, chance: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Errors of two models that cost the same on average, from standard normal numbers."""
    odds = truth.mean() / (1 - truth.mean())
    alarms = (missed[0] - missed[1]) * odds * dear
    first, second, false = (
        one < ndtri(rate) for one, rate in zip(chance, (*missed, alarms), strict=True)
    )
    return truth & first, np.where(truth, second, false)


def _rows(positives: int, negatives: int, dear: float, missed: tuple[float, float]) -> None:
    """Independent rows."""
    if (missed[0] - missed[1]) * positives * dear >= negatives:
        return
    truth = classes(positives, negatives)

    @situation(f"{_named(dear, missed)}, {positives} positives of {positives + negatives}")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        wrong = _wrong(truth, missed, dear, tuple(random.standard_normal((3, len(truth)))))
        losses = _losses(truth, dear, wrong, effect)
        yield paired_costs(losses, asked(METRIC))
        yield declared_costs(losses, asked(METRIC))


def _groups(number: int, rows: int, dear: float, missed: tuple[float, float]) -> None:
    """Errors that depend on each other in a group, in which a fifth of the rows is positive."""
    code = np.repeat(np.arange(number), rows)
    truth = np.arange(len(code)) % 5 == 0
    groups = Groups(code, number)

    @situation(f"{_named(dear, missed)}, {number} groups of {rows}")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        shared, own = random.standard_normal((3, number)), random.standard_normal((3, len(code)))
        chance = np.sqrt(TOGETHER) * shared[:, code] + np.sqrt(1 - TOGETHER) * own
        wrong = _wrong(truth, missed, dear, tuple(chance))
        losses = _losses(truth, dear, wrong, effect)
        both = losses["first"].to_numpy(), losses["second"].to_numpy()
        yield paired_t_groups(both, groups, asked(METRIC), "paired_cost_groups")
        yield declared_costs(losses, asked(METRIC), SampleDesign(groups=groups))


def _weights(rows: int, spread: float, dear: float, missed: tuple[float, float]) -> None:
    """Lognormal weights that say nothing of the errors; a tenth of the rows is positive."""
    truth = np.arange(rows) % 10 == 0

    @situation(f"{_named(dear, missed)}, {rows} rows, weights of log-spread {spread:g}")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        weights = np.exp(spread * random.standard_normal(rows))
        wrong = _wrong(truth, missed, dear, tuple(random.standard_normal((3, rows))))
        losses = _losses(truth, dear, wrong, effect)
        both = losses["first"].to_numpy(), losses["second"].to_numpy()
        yield weighted_t(both, SampleDesign(weights), asked(METRIC), name="paired_cost_weighted")
        yield declared_costs(losses, asked(METRIC), SampleDesign(weights))


def _classes(rows: int, shares: tuple[float, ...], missed: float) -> None:
    """Three classes: the first model takes dear ones for others, the second confuses cheap ones."""
    sizes = np.round(rows * np.array(shares)).astype(int)
    truth = np.repeat(np.arange(3), sizes)
    costs = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [20.0, 10.0, 0.0]])
    alarms = missed * sizes[2] * 15 / (sizes[0] + sizes[1])

    @situation(f"costs of three classes, {sizes[2]} of {rows} costly, {missed:.0%} of them missed")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        chance, half = random.random((2, len(truth))), random.random(len(truth)) < 0.5
        dear = truth == 2
        first = np.where(dear & (chance[0] < missed), np.where(half, 0, 1), truth)
        second = np.where(~dear & (chance[1] < alarms), 1 - truth % 2, truth)
        of_both = [costs[truth, predicted] for predicted in (first, second)]
        losses = pl.DataFrame(
            {
                "first": of_both[0],
                "second": of_both[1] * (1 - effect),
                "costliest": costs.max(axis=1)[truth],
            }
        )
        yield paired_costs(losses, asked(METRIC))
        yield declared_costs(losses, asked(METRIC))


def _like(positives: int, negatives: int, dear: float) -> None:
    """Models that make the same errors as often, the second with fewer where there is an effect."""
    truth = classes(positives, negatives)

    @situation(f"like errors, costs {dear:g} : 1, {positives} of {len(truth)}", power=0.12)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        first, second = random.random((2, len(truth)))
        losses = _losses(truth, dear, (first < 0.2, second < 0.2 - effect), 0.0)
        yield paired_costs(losses, asked(METRIC))
        yield declared_costs(losses, asked(METRIC))


def _named(dear: float, missed: tuple[float, float]) -> str:
    return f"costs {dear:g} : 1, {missed[0]:.0%} and {missed[1]:.0%} of the positives missed"


for _missed in MISSED:
    for _dear in (1.0, 5.0, 20.0, 100.0):
        for _size in ((10, 190), (30, 570), (50, 1950), (100, 900)):
            _rows(*_size, _dear, _missed)
    for _dear in (2.0, 10.0):
        for _shape in ((12, 20), (20, 30), (40, 15), (100, 5)):
            _groups(*_shape, _dear, _missed)
    for _dear in (5.0, 20.0):
        for _spread in (0.5, 1.0):
            _weights(400, _spread, _dear, _missed)
for _share in (0.05, 0.15):
    for _missing in (0.05, 0.2):
        _classes(400, (0.6, 0.4 - _share, _share), _missing)
for _both in ((10, 190), (40, 160), (100, 900)):
    for _dear in (1.0, 5.0, 20.0):
        _like(*_both, _dear)
