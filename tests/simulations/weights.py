"""Situations of tests of the decisions of two models on weighted rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

from reportgen.clusters import Groups
from reportgen.comparisons import Comparison, weighted_errors, weighted_t
from reportgen.comparisons.claims import Alternative
from reportgen.comparisons.grouped_claims import rao_scott
from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.sample_design import SampleDesign
from tests.simulations.advised import where_recommended
from tests.simulations.situations import Generator, asked, situation

DEAR = 20.0
"""What one of the two kinds of errors costs, in units of the other."""


def _both(
    question: str, differ: np.ndarray, weights: np.ndarray, groups: Groups | None = None
) -> Comparison:
    name = "mcnemar_weighted" if question == "accuracy" else "paired_cost_weighted"
    sides = np.clip(differ, 0, None), np.clip(-differ, 0, None)
    return weighted_t(sides, SampleDesign(weights, groups=groups), asked(question), name=name)


def _like(rows: int, spread: float, share: float) -> None:
    """Weights that say nothing of the decisions, lognormal with this standard deviation."""

    @situation(f"{rows} rows, weights of log-spread {spread:g}, {share:.0%} discordant", power=0.5)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        weights = np.exp(spread * random.standard_normal(rows))
        differ = random.random(rows) < share
        sign = np.where(random.random(rows) < 0.5 * (1 + effect), 1.0, -1.0)
        cost = np.where(random.random(rows) < 0.2, DEAR, 1.0)
        yield _both("accuracy", differ * sign, weights)
        yield _both("cost_sensitive_error_rate", differ * sign * cost, weights)


def _unlike(rows: int, ratio: int, share: float, heavy: float) -> None:
    """Light rows that only the first model gets right, heavy ones that only the second does."""
    rare = (1 - heavy) * share / (heavy * ratio)
    if rare > 1:
        return

    @situation(
        f"{rows} rows, {heavy:.0%} of {ratio} times the weight, {share:.0%} of the light discordant"
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        is_heavy = random.random(rows) < heavy
        chance = random.random(rows)
        differ = np.where(is_heavy, -1.0 * (chance < rare), 1.0 * (chance < share))
        yield _both("accuracy", differ, np.where(is_heavy, float(ratio), 1.0))


def _in_groups(number: int, rows: int, spread: float) -> None:
    """Decisions that depend on each other in a group, whose rows have like weights."""

    @situation(f"{number} groups of {rows}, weights of log-spread {spread:g}", power=0.4)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        code = np.repeat(np.arange(number), rows)
        weights = np.exp(spread * random.standard_normal(number))[code]
        of_group, own = random.standard_normal(number)[code], random.standard_normal(len(code))
        latent = np.sqrt(0.3) * of_group + np.sqrt(0.7) * own
        differ = random.random(len(code)) < 0.3
        sign = np.where(latent < effect, 1.0, -1.0)
        yield _both("accuracy", differ * sign, weights, Groups(code, number))


def _errors(number: int, rows: int, spread: float, tails: str) -> None:
    """Errors of two estimates with one mean square, on rows or groups of unlike weight."""
    size, alone = number * rows, rows == 1
    evaluation = Evaluation(
        "hold_out",
        *(1, 1, 1, size, float(size)),
        groups=None if alone else number,
        test_rows=size,
        test_examples=size,
    )
    name = f"{number} rows" if alone else f"{number} groups of {rows}"

    @situation(
        f"{name}, weights of log-spread {spread:g}, {tails} errors, where recommended", power=0.4
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        code = np.repeat(np.arange(number), rows)
        a, b = (
            np.sqrt(0.6) * random.standard_normal(number)[code]
            + np.sqrt(0.4) * random.standard_normal(size)
            for _ in range(2)
        )
        if tails != "normal":
            b /= np.sqrt(random.chisquare(3, size))  # 3 / (3 - 2) / 3: the mean square of a
        if tails == "alike heavy":
            a /= np.sqrt(random.chisquare(3, size))
        weights = np.exp(spread * random.standard_normal(number))[code]
        both = np.abs(a), np.abs(b) * (1 + effect)
        groups = None if alone else Groups(code, number)
        test = weighted_errors(
            both, SampleDesign(weights, groups=groups), asked("mean_squared_error")
        )[0]
        yield where_recommended(test, evaluation)


def _claims(number: int, rows: int, spread: float, share: float, side: Alternative) -> None:
    """A claim that is just true, of a weighted share of rows, or of rows in groups."""
    size, alone = number * rows, rows == 1
    evaluation = Evaluation(
        "hold_out",
        *(1, 1, 1, size, float(size)),
        groups=None if alone else number,
        test_rows=size,
        test_examples=size,
    )
    name = f"{number} rows" if alone else f"{number} groups of {rows}"
    power = (1.2 if share < 0.8 else 0.7) / np.sqrt(number)

    @situation(
        f"{name}, weights of log-spread {spread:g}, a share of {share:g}, {side}", power=power
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        code = np.repeat(np.arange(number), rows)
        of_group, own = random.standard_normal(number)[code], random.standard_normal(size)
        within = np.sqrt(0.6) * of_group + np.sqrt(0.4) * own
        right = within < ndtri(share)
        weights = np.exp(spread * random.standard_normal(number))[code]
        claim = float(np.clip(share + (effect if side == "less" else -effect), 0.001, 0.999))
        test = rao_scott(
            right,
            SampleDesign(weights, groups=Groups(code, number)),
            claim,
            asked("accuracy"),
            alternative=side,
        )
        yield where_recommended(test, evaluation)


_SIDES: tuple[Alternative, ...] = ("greater", "less", "two-sided")
for _number, _each in ((60, 1), (200, 1), (1000, 1), (20, 15), (40, 15)):
    for _spread in (0.5, 1.0):
        for _share in (0.7, 0.9):
            for _side in _SIDES:
                _claims(_number, _each, _spread, _share, _side)
for _number, _each in ((20, 1), (30, 1), (60, 1), (200, 1), (1000, 1), (20, 15), (40, 15)):
    for _spread in (0.5, 1.0):
        for _tails in ("normal", "alike heavy", "heavy"):
            _errors(_number, _each, _spread, _tails)
for _rows in (30, 60, 200, 1000):
    for _spread in (0.5, 1.0):
        for _share in (0.05, 0.3):
            _like(_rows, _spread, _share)
    for _ratio in (3, 10, 30):
        for _share in (0.1, 0.3):
            for _heavy in (0.1, 0.5):
                _unlike(_rows, _ratio, _share, _heavy)
for _number in (10, 20, 40):
    for _spread in (0.5, 1.0):
        _in_groups(_number, 15, _spread)
