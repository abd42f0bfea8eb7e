"""AUCs within groups: how many pairs of one group each model puts in order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats, Integers
from reportgen.clusters import Groups, correction, degrees_of_freedom, t_quantile
from reportgen.integer_sort import first_of_runs, order_of, sort_integers
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.records.groups import AreaWithinGroups, DifferenceWithinGroups

FEWEST = 10
"""Fewer groups with both classes say little."""

MOST_COMPARED = 10
"""So many models are set against each other within groups."""


@dataclass(frozen=True)
class PairsInOrder:
    """Of each ``group`` with both classes its ``pairs``, and how many are in order, ties half."""

    group: Integers
    pairs: Floats
    ordered: Floats


def pairs_in_order(groups: Groups, truth: Flags, scores: pl.Series) -> PairsInOrder | None:
    """The pairs of a positive and a negative of one group that the scores put in order.

    Args:
        groups: The group of each row.
        truth: Whether each row is positive.
        scores: The score of each row, null where it has none.

    Returns:
        The sums by group, null with fewer than ``FEWEST`` groups that have both classes.

    Reference: Mann & Whitney (1947), doi:10.1214/aoms/1177730491, from the ranks of positives.

    >>> groups = Groups.of(pl.Series([g for g in range(10) for _ in "abc"]))
    >>> truth = np.array([True, False, False] * 10)
    >>> one = pairs_in_order(groups, truth, pl.Series([0.5, 0.5, 0.1] * 10))
    >>> one.pairs.sum().item(), one.ordered.sum().item()
    (20.0, 15.0)
    """
    known, known_scores = scores.is_not_null().to_numpy(), scores.cast(pl.Float64).to_numpy()
    positives = groups.sums(known & truth)
    pairs = positives * groups.sums(known & ~truth)
    mixed = np.flatnonzero(pairs)
    if len(mixed) < FEWEST:
        return None
    rows = np.flatnonzero(known & (pairs > 0)[groups.code])
    ranks = _ranks_of_positives(groups.code[rows], truth[rows], known_scores[rows])
    least = positives[mixed] * (positives[mixed] + 1) / 2
    return PairsInOrder(mixed, pairs[mixed], ranks - least)


def _ranks_of_positives(group: Integers, truth: Flags, scores: Floats) -> Floats:
    """The sum of the ranks, from 1 within its group, of the positives of each group that occurs."""
    order = order_of(scores)
    ascending = scores[order]
    keys = np.zeros(len(order), np.uint64)
    np.cumsum(ascending[1:] != ascending[:-1], out=keys[1:])
    keys |= group[order].view(np.uint64) << np.uint64(32)
    keys <<= np.uint64(1)
    keys |= truth[order]
    sort_integers(keys)
    positive = (keys & np.uint64(1)).view(np.int64)
    keys >>= np.uint64(1)
    runs = first_of_runs(keys)
    firsts = first_of_runs(keys[runs] >> np.uint64(32))
    before = np.repeat(runs[firsts], np.diff(firsts, append=len(runs)))
    if len(runs) == len(keys):  # no two scores of a group are the same
        return np.add.reduceat(positive * (runs - before + 1), firsts).astype(np.float64)
    middle = runs - before + (np.diff(runs, append=len(keys)) + 1) / 2
    return np.add.reduceat(np.add.reduceat(positive, runs) * middle, firsts)


def area_within_groups(in_order: PairsInOrder, number: MetricSubject) -> AreaWithinGroups:
    """The share of pairs of one group that are in order, ties as one half.

    Args:
        in_order: The pairs of each group.
        number: The model's name, and the confidence of the limits, from the sums by group (t).

    Returns:
        The record: the share, its limits, the numbers of groups and of pairs.

    Reference: Obuchowski (1997), doi:10.2307/2533958, of whose pairs these are those within
    clusters; of a ratio of sums: Cochran (1977), *Sampling Techniques*, 2.11.

    >>> number = np.arange(10)
    >>> in_order = PairsInOrder(number, np.ones(10), 1.0 * (number < 9))
    >>> one = area_within_groups(in_order, MetricSubject("m"))
    >>> one["value"], one["groups"], one["pairs"]
    (0.9, 10, 10)
    """
    value, error, df = _of_pairs(in_order.ordered, in_order.pairs)
    half = t_quantile(number.confidence, df) * error
    return {
        "model": number.model,
        "value": value,
        "low": max(0.0, value - half),
        "high": min(1.0, value + half),
        "groups": len(in_order.group),
        "pairs": round(float(in_order.pairs.sum())),
    }


def differences_within_groups(
    models: Mapping[MetricSubject, PairsInOrder],
) -> list[DifferenceWithinGroups]:
    """How far the AUCs of two models lie apart in the pairs of one group, by the same groups.

    Args:
        models: The pairs of each model; the first ``MOST_COMPARED`` are compared. Limits, from the
            sums by group (t), are of each difference alone, with the confidence of the first model.

    Returns:
        A record for every two models that score the same pairs.

    Reference: as of ``area_within_groups``.

    >>> number, ones = np.arange(10), np.ones(10)
    >>> m, n = (PairsInOrder(number, ones, 1.0 * (number < most)) for most in (9.0, 5.0))
    >>> [one] = differences_within_groups({MetricSubject("m"): m, MetricSubject("n"): n})
    >>> one["first"], one["second"], round(one["value"], 3), one["low"] < 0.4 < one["high"]
    ('m', 'n', 0.4, True)
    """
    result: list[DifferenceWithinGroups] = []
    for (first, one), (second, other) in combinations(islice(models.items(), MOST_COMPARED), 2):
        if not (np.array_equal(one.group, other.group) and np.array_equal(one.pairs, other.pairs)):
            continue
        value, error, df = _of_pairs(one.ordered - other.ordered, one.pairs)
        half = t_quantile(first.confidence, df) * error
        result.append(
            {
                "first": first.model,
                "second": second.model,
                "value": value,
                "low": max(-1.0, value - half),
                "high": min(1.0, value + half),
            }
        )
    return result


def _of_pairs(sums: Floats, pairs: Floats) -> tuple[float, float, float]:
    """A ratio of sums by group, its standard error and degrees of freedom."""
    whole = float(pairs.sum())
    value = float(sums.sum() / whole)
    apart = (sums - value * pairs) / whole
    error = math.sqrt(float(np.square(apart).sum()) * correction(len(apart)))
    return value, error, degrees_of_freedom(apart)
