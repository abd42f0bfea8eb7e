"""Situations of claims about a share of rows that are in order of time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.signal import lfilter
from scipy.stats import norm

from reportgen.clusters import Groups
from reportgen.comparisons import Comparison, binomial, rao_scott
from reportgen.comparisons.claims import Alternative
from reportgen.measuring.time_blocks import number_of_blocks
from reportgen.sample_design import SampleDesign
from tests.simulations.situations import Generator, asked, situation

START = 200
"""Points of time that are left out, so that the first one that counts depends on as many."""


def _claim(points: int, depends: float, share: float, side: Alternative) -> None:
    """A claim that is just true of decisions whose errors follow an autoregression."""
    number = number_of_blocks(points)
    blocks = Groups(np.arange(points) * number // points, number)
    effect_size = 1.4 / np.sqrt(points) / (1 - depends)

    @situation(
        f"{points} points of time, autocorrelation {depends:g}, a share of {share:g}, {side}",
        power=effect_size,
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        noise = random.standard_normal(points + START) * np.sqrt(1 - depends**2)
        wrong = lfilter([1.0], [1.0, -depends], noise)[START:] < norm.ppf(share)
        claim = share + (effect if side == "less" else -effect)
        question = asked("error_rate", ("a",))
        claim = float(np.clip(claim, 0.001, 0.999))
        yield rao_scott(
            wrong, SampleDesign(groups=blocks), claim, question, alternative=side, points=points
        )
        yield binomial(int(wrong.sum()), points, claim, question, alternative=side)


for _points in (100, 200, 400, 1000, 3000):
    for _depends in (0.0, 0.5, 0.8):
        _claim(_points, _depends, 0.3, "two-sided")
        for _side in ("greater", "less", "two-sided"):
            _claim(_points, _depends, 0.1, _side)
