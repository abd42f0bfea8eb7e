"""Corrections of p-values for the number of tests made, each in input order.

``holm``, ``hochberg``, ``hommel``, ``bonferroni``, ``sidak``, ``shaffer`` and
``bergmann_hommel`` keep the chance of any false finding at α;
``benjamini_hochberg`` and ``benjamini_yekutieli`` keep the expected share of
false ones among the findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import expm1, isqrt, log1p

import numpy as np
import numpy.typing as npt

from reportgen.array_types import Floats

MOST_BERGMANN = 9
"""The most models whose partitions are looked through."""


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values that keep the chance of any false finding at α.

    Steps down: the smallest p is multiplied by the number of tests, the next
    by one fewer, and none is below the one before.
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    return _stepped_down(p_values, np.arange(len(p_values), 0, -1))


def shaffer(p_values: Sequence[float]) -> list[float]:
    """Holm's steps for all pairs of k models, counting only what can still be true together.

    When some pairs differ, not all others can be the same: each p is
    multiplied by the most null hypotheses that can still be true together
    (the static form). Raises ValueError unless there are k(k − 1)/2 p-values.
    Shaffer (1986), doi:10.1080/01621459.1986.10478341; Garcia & Herrera (2008),
    Journal of Machine Learning Research 9, 2677-2694.

    >>> shaffer([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.03]
    """
    m = len(p_values)
    possible = np.array(sorted(_true_together(models_of(m))))
    at = np.searchsorted(possible, np.arange(m, 0, -1), side="right") - 1
    return _stepped_down(p_values, possible[at])


def bergmann_hommel(p_values: Sequence[float]) -> list[float]:
    """Full use of the logical relations between all pairs of k models, at most nine.

    ``p_values`` are in the order of the pairs (1, 2), (1, 3) ... (k − 1, k). Each
    is adjusted to the largest |I|·min p over the sets I of pairs that can be
    alike together and that it is in: those within the groups of a partition of
    the models. Raises ValueError for anything else than all pairs of up to
    nine models.
    Bergmann & Hommel (1988), doi:10.1007/978-3-642-52307-6_8; Garcia & Herrera
    (2008), Journal of Machine Learning Research 9, 2677-2694.

    >>> bergmann_hommel([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.03]
    """
    k = models_of(len(p_values))
    if k > MOST_BERGMANN:
        raise ValueError(f"the partitions of {k} models are too many; at most {MOST_BERGMANN}")
    p = np.asarray(p_values, dtype=np.float64)
    groups = np.array(list(_partitions(k)))
    first, second = np.triu_indices(k, 1)
    together = groups[:, first] == groups[:, second]
    smallest = np.where(together, p, np.inf).min(axis=1)
    size = together.sum(axis=1)
    bound = np.where(size > 0, size, 0) * np.where(size > 0, smallest, 0.0)
    adjusted = np.where(together, bound[:, None], 0.0).max(axis=0)
    return [float(value) for value in np.minimum(adjusted, 1.0)]


def hochberg(p_values: Sequence[float]) -> list[float]:
    """Holm's factors, stepping up: for independent or positively dependent tests.

    Hochberg (1988), doi:10.1093/biomet/75.4.800.

    >>> hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    return _stepped_up(p_values, np.arange(len(p_values), 0, -1))


def hommel(p_values: Sequence[float]) -> list[float]:
    """Simes' test of every intersection: never above Hochberg's, under the same assumption.

    Hommel (1988), doi:10.1093/biomet/75.2.383; computed after Wright (1992),
    doi:10.2307/2532694.

    >>> hommel([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    p = np.asarray(p_values, dtype=np.float64)[order]
    adjusted = np.full(m, np.min(m * p / np.arange(1, m + 1), initial=1.0))
    for size in range(m - 1, 1, -1):
        upper = np.arange(m - size + 1, m)
        least = np.min(size * p[upper] / np.arange(2, size + 1))
        lower = np.arange(m - size + 1)
        bounds = np.empty(m)
        bounds[lower] = np.minimum(size * p[lower], least)
        bounds[upper] = bounds[m - size]
        adjusted = np.maximum(adjusted, bounds)
    return _in_order(np.maximum(adjusted, p), order)


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """p-values times the number of tests, at most 1.

    Dunn (1961), doi:10.1080/01621459.1961.10482090.

    >>> bonferroni([0.02, 0.5, 0.04])
    [0.06, 1.0, 0.12]
    """
    return [min(1.0, p * len(p_values)) for p in p_values]


def sidak(p_values: Sequence[float]) -> list[float]:
    """1 − (1 − p)ᵐ: exact for independent tests.

    Šidák (1967), doi:10.1080/01621459.1967.10482935.

    >>> [round(p, 6) for p in sidak([0.02, 0.5])]
    [0.0396, 0.75]
    """
    m = len(p_values)
    return [1.0 if p >= 1 else -expm1(m * log1p(-p)) for p in p_values]


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Keeps the expected share of false findings at α, for independent or like-signed tests.

    Benjamini & Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    m = len(p_values)
    return _stepped_up(p_values, m / np.arange(1, m + 1))


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """Keeps the expected share of false findings at α, whatever the dependence.

    Benjamini & Yekutieli (2001), doi:10.1214/aos/1013699998.

    >>> [round(p, 6) for p in benjamini_yekutieli([0.01, 0.04, 0.03])]
    [0.055, 0.073333, 0.073333]
    """
    ranks = np.arange(1, len(p_values) + 1)
    return _stepped_up(p_values, len(p_values) / ranks * (1 / ranks).sum())


def uncorrected(p_values: Sequence[float]) -> list[float]:
    """The p-values as they are."""
    return list(p_values)


CORRECTIONS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "hochberg": hochberg,
    "hommel": hommel,
    "bonferroni": bonferroni,
    "sidak": sidak,
    "shaffer": shaffer,
    "bergmann_hommel": bergmann_hommel,
    "benjamini_hochberg": benjamini_hochberg,
    "benjamini_yekutieli": benjamini_yekutieli,
    "none": uncorrected,
}
"""Every correction by its name in the spec."""

TIMES_FAMILY = ("holm", "bonferroni", "shaffer", "bergmann_hommel")
"""Corrections that multiply the least p by the number of comparisons."""

CORRECTION_NAMES = {
    "holm": "Holm",
    "hochberg": "Hochberg",
    "hommel": "Hommel",
    "bonferroni": "Bonferroni",
    "sidak": "Šidák",
    "shaffer": "Shaffer",
    "bergmann_hommel": "Bergmann–Hommel",
    "benjamini_hochberg": "Benjamini–Hochberg",
    "benjamini_yekutieli": "Benjamini–Yekutieli",
    "nemenyi": "Nemenyi",
    "westfall_young": "Westfall–Young",
}
"""The name of a correction in a sentence; the last two are those of their own tests."""


def _stepped_down(p_values: Sequence[float], factors: npt.NDArray[np.number]) -> list[float]:
    """Each sorted p times its factor, and none below the one before."""
    order = np.argsort(p_values, kind="stable")
    scaled = np.asarray(p_values, dtype=np.float64)[order] * factors
    return _in_order(np.minimum(np.maximum.accumulate(scaled), 1), order)


def _stepped_up(p_values: Sequence[float], factors: npt.NDArray[np.number]) -> list[float]:
    """Each sorted p times its factor, and none above the one after."""
    order = np.argsort(p_values, kind="stable")
    scaled = np.asarray(p_values, dtype=np.float64)[order] * factors
    return _in_order(np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1), order)


def _in_order(adjusted: Floats, order: npt.NDArray[np.intp]) -> list[float]:
    result = np.empty_like(adjusted)
    result[order] = adjusted
    return [float(value) for value in result]


def models_of(pairs: int) -> int:
    """How many models have so many pairs; raises ValueError when no number has."""
    k = (1 + isqrt(1 + 8 * pairs)) // 2
    if k * (k - 1) // 2 != pairs:
        raise ValueError(f"{pairs} p-values cannot be those of all pairs of models")
    return k


def _partitions(k: int) -> Iterator[list[int]]:
    """Every partition of k models, as the number of each one's group."""
    if k == 0:
        yield []
        return
    for groups in _partitions(k - 1):
        for group in range(max(groups, default=-1) + 2):
            yield [*groups, group]


@cache
def _true_together(k: int) -> frozenset[int]:
    """The numbers of pairs among k models that can be alike at once: groups of equals."""
    if k < 2:
        return frozenset({0})
    sizes = range(1, k + 1)
    return frozenset(j * (j - 1) // 2 + others for j in sizes for others in _true_together(k - j))
