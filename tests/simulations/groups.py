"""Situations of tests over rows in groups: of equal and of unlike size, few and many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
from scipy.stats import norm

from reportgen.clusters import Groups
from reportgen.comparisons import (
    BinaryPair,
    Comparison,
    Draws,
    adjust,
    area_covariance,
    cochran_groups,
    delong_pair,
    equivalence,
    equivalence_of_areas,
    expected_cost,
    mcnemar_groups,
    mean_difference_in_groups,
    obuchowski,
    paired_permutation,
    paired_t_groups,
    rao_scott,
    wilcoxon_groups,
)
from reportgen.comparisons.claims import Alternative
from reportgen.sample_design import SampleDesign
from tests.report_data import Rows
from tests.simulations.situations import Generator, asked, situation

FIVE = ("a", "b", "c", "d", "e")

WITHIN = 0.6
"""Share of the variance of truths and scores that lies between groups."""

DEAR = 5.0
"""Cost of a false negative, that of a false positive being 1."""

SIZES = (
    (40, 15, False),
    (40, 15, True),
    (20, 30, True),
    (10, 15, False),
    (200, 3, False),
)
"""Groups, their mean size, and whether sizes are geometric."""


LARGE = ((8, False, 0.3), (12, False, 0.3), (20, False, 0.3), (40, False, 0.3), (20, True, 0.2))
"""Groups of 15 rows, whether sizes are geometric, and the share of the rows in the first one."""


def _named(groups: int, rows: int, unequal: bool, largest: float = 0.0) -> str:
    one = f", one of {largest:.0%}" if largest else ""
    return f"{groups} groups of {rows}{' on average' if unequal else ''}{one}"


def correct(frame: pl.DataFrame, model: str) -> np.ndarray:
    """Whether a model is correct on each row."""
    return frame.select((pl.col(model) >= 0.5) == pl.col("truth")).to_series().to_numpy()


def drawn_rows(random: Generator, rows: Rows) -> tuple[pl.DataFrame, Groups]:
    frame = rows(random, 1)
    if rows.task == "binary":
        frame = frame.with_columns(pl.col("truth").cast(pl.Boolean))
    return frame, Groups.of(frame["group"])


def _pair(groups: int, rows: int, unequal: bool, largest: float = 0.0) -> None:
    """Two models of two classes, the second with an ``effect`` more separation."""

    @situation(_named(groups, rows, unequal, largest), power=5 / np.sqrt(groups))
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        data = Rows(groups, rows, WITHIN, unequal=unequal, second=effect, largest=largest)
        frame, row_groups = drawn_rows(random, data)
        yield obuchowski(frame, asked("auc"), row_groups)
        yield expected_cost(frame, asked("expected_total_cost"), groups=row_groups)
        both = correct(frame, "a"), correct(frame, "b")
        yield mcnemar_groups(both, row_groups, asked("accuracy"))
        price = np.where(frame["truth"].to_numpy(), DEAR, 1.0)
        lost = ~both[0] * price, ~both[1] * price
        yield paired_t_groups(
            lost, row_groups, asked("cost_sensitive_error_rate"), "paired_cost_groups"
        )

    if largest:
        return

    @situation(f"{_named(groups, rows, unequal)}, permuted", power=5 / np.sqrt(groups), share=0.5)
    def permute(random: Generator, effect: float) -> Iterator[Comparison]:
        frame, _ = drawn_rows(random, Rows(groups, rows, WITHIN, unequal=unequal, second=effect))
        question, seed = asked("brier_score"), int(random.integers(2**31))
        yield paired_permutation(
            BinaryPair(frame, question.metric, scores=("a", "b"), group="group"),
            question,
            draws=Draws(199, seed),
        )


def _five(groups: int, rows: int, unequal: bool) -> None:
    """Five models: one test of all, and of the ten pairs those corrected after Holm."""

    @situation(f"{_named(groups, rows, unequal)}, five models", power=6 / np.sqrt(groups))
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        data = Rows(groups, rows, WITHIN, models="abcde", unequal=unequal, second=effect)
        frame, row_groups = drawn_rows(random, data)
        right = [correct(frame, m) for m in FIVE]
        yield cochran_groups(right, row_groups, asked("accuracy", FIVE))
        areas = area_covariance(frame, FIVE, groups=row_groups)
        pairs = list(combinations(range(5), 2))
        names = [(FIVE[i], FIVE[j]) for i, j in pairs]
        of_areas = [
            delong_pair(areas, at, asked("auc", n)) for at, n in zip(pairs, names, strict=True)
        ]
        yield from adjust(of_areas)
        of_decisions = [
            mcnemar_groups((right[i], right[j]), row_groups, asked("accuracy", n))
            for (i, j), n in zip(pairs, names, strict=True)
        ]
        yield from adjust(of_decisions)


def _claims(groups: int, rows: int, unequal: bool, share: float) -> None:
    """A claim that is just true, of the share of rows that are predicted correctly."""
    data = Rows(
        groups, rows, WITHIN, models="a", unequal=unequal, separation=2 * float(norm.ppf(share))
    )
    power = (1.2 if share < 0.8 else 0.7) / np.sqrt(groups)
    sides: tuple[Alternative, ...] = ("greater", "less", "two-sided")
    for side in sides:

        @situation(f"{_named(groups, rows, unequal)}, a share of {share:g}, {side}", power=power)
        def draw(
            random: Generator, effect: float, side: Alternative = side
        ) -> Iterator[Comparison]:
            frame, row_groups = drawn_rows(random, data)
            claim = min(share + (effect if side == "less" else -effect), 0.999)
            yield rao_scott(
                correct(frame, "a"),
                SampleDesign(groups=row_groups),
                claim,
                asked("accuracy"),
                alternative=side,
            )


def _numbers(groups: int, rows: int, unequal: bool, heavy: bool) -> None:
    """Errors of two estimates; with heavy tails those of t with 2.5 degrees of freedom."""
    tails = ", heavy tails" if heavy else ", numbers"

    @situation(f"{_named(groups, rows, unequal)}{tails}", power=2.5 / np.sqrt(groups))
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        frame, row_groups = drawn_rows(
            random, Rows(groups, rows, WITHIN, unequal=unequal, task="regression")
        )
        errors = [(frame[m] - frame["truth"]).to_numpy() for m in "ab"]
        if heavy:
            errors = [e / np.sqrt(random.chisquare(2.5, len(e)) / 2.5) for e in errors]
        a, b = errors[0], errors[1] * (1 + effect)
        yield paired_t_groups((a**2, b**2), row_groups, asked("mean_squared_error"))
        yield wilcoxon_groups(np.abs(a), np.abs(b), row_groups, asked("mean_absolute_error"))


def _margin(groups: int, rows: int, unequal: bool) -> None:
    """The first model is worse by the margin: a rejection is false."""
    data = Rows(groups, rows, WITHIN, unequal=unequal, second=BETTER)

    @situation(f"{_named(groups, rows, unequal)}, a difference in accuracy of the margin")
    def shares(random: Generator, effect: float) -> Iterator[Comparison]:
        frame, row_groups = drawn_rows(random, data)
        both = correct(frame, "a"), correct(frame, "b")
        yield from equivalence(
            mean_difference_in_groups(*both, row_groups), asked("accuracy"), MARGIN
        )

    _margin_of_areas(data, "a difference in AUC of the margin")
    near_1 = replace(data, separation=NEAR_1, second=MORE_NEAR_1)
    _margin_of_areas(near_1, "AUCs of 0.93 and 0.98")


def _margin_of_areas(data: Rows, of: str) -> None:
    first = data.separation / np.sqrt(2)
    margin = float(norm.cdf(first + data.second / np.sqrt(2)) - norm.cdf(first))

    @situation(f"{_named(data.units, data.rows, data.unequal)}, {of}")
    def areas(random: Generator, effect: float) -> Iterator[Comparison]:
        frame, row_groups = drawn_rows(random, data)
        areas, question = area_covariance(frame, ("a", "b"), groups=row_groups), asked("auc")
        of_difference = delong_pair(areas, (0, 1), question)
        yield from equivalence_of_areas(of_difference, areas, question, margin)


BETTER = 0.6
MARGIN = float(norm.cdf(0.8) - norm.cdf(0.5))
NEAR_1 = float(np.sqrt(2) * norm.ppf(0.93))
MORE_NEAR_1 = float(np.sqrt(2) * norm.ppf(0.98)) - NEAR_1


def _few_discordant(groups: int, rows: int, share: float) -> None:
    """Decisions that differ on a ``share`` of the rows, as often for the one as for the other."""

    @situation(f"{_named(groups, rows, False)}, {share:.0%} of the rows discordant", power=1.5)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        code = np.repeat(np.arange(groups), rows)

        def effects() -> np.ndarray:
            of_group = random.standard_normal(groups)[code]
            of_row = random.standard_normal(len(code))
            return np.sqrt(WITHIN) * of_group + np.sqrt(1 - WITHIN) * of_row

        both = effects() < 0.5
        apart, side = effects() < norm.ppf(share), effects() < effect
        right = np.where(apart, side, both), np.where(apart, ~side, both)
        yield mcnemar_groups(right, Groups(code, groups), asked("accuracy"))


for _size in SIZES:
    _pair(*_size)
    _five(*_size)
    _margin(*_size)
    for _share in (0.7, 0.9):
        _claims(*_size, _share)
    for _heavy in (False, True):
        _numbers(*_size, _heavy)
for _groups, _unequal, _largest in LARGE:
    _pair(_groups, 15, _unequal, _largest)
for _groups in (20, 40):
    for _share in (0.01, 0.03):
        _few_discordant(_groups, 15, _share)
