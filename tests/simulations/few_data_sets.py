"""Tests of equally good models over data sets, whose values may vary unequally.

Sign flips of mean ranks decide where no adjusted p of Wilcoxon's test can fall below α; the
tests beside them take all models to vary alike:
``python -m tests.simulations.few_data_sets 2000``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtri
from scipy.stats import rankdata

from reportgen.comparisons.permutation import signs
from reportgen.comparisons.rank_flips import choices, flip_p_values, least_exceeded
from reportgen.comparisons.rank_pairs import critical_difference

MODELS, DATA_SETS = (3, 5, 7, 10, 20), (6, 8, 12, 30)

ALPHA = 0.05

WORSE = "10 : 1, every second model worse"

KINDS = {
    "alike": (1, 0),
    "alike and skewed": (1, 0),
    "3 : 1": (3, 0),
    "10 : 1": (10, 0),
    "10 : 1, heavy tails": (10, 0),
    "one of them 10 times": (1, 1),
    "half of them 10 times": (1, 0.5),
    WORSE: (10, 0),
}
"""How many times the values of the last model vary as those of the first, and how many of the
models vary ten times as much as the others: one, or a share."""


def values(
    random: np.random.Generator, kind: str, blocks: int, models: int, runs: int
) -> np.ndarray:
    """Values of models by run and block, equally good but for every second one of ``WORSE``."""
    shape, (ratio, wide) = (runs, blocks, models), KINDS[kind]
    spreads = np.geomspace(1, ratio, models)
    spreads[: round(wide) or int(wide * models)] = 10
    if kind.endswith("tails"):
        return random.standard_t(3, shape) * spreads
    if kind.endswith("skewed"):
        return random.standard_exponential(shape)
    result = random.standard_normal(shape) * spreads
    if kind == WORSE:
        result[..., 1::2] -= 1
    return result


@cache
def flips(blocks: int) -> np.ndarray:
    """Choices of signs, fewer than the report has beyond 8 blocks; the level is the same."""
    if blocks <= 8:
        return choices(blocks)
    return np.vstack([np.ones((1, blocks)), signs(0, 255, blocks)])


def rank_sums(scores: np.ndarray) -> np.ndarray:
    """Rank sums less their mean by run, choice of signs and model; the first choice is observed."""
    ranks = rankdata(-scores, axis=-1) - (scores.shape[-1] + 1) / 2
    return flips(scores.shape[1]) @ ranks


def rejected(scores: np.ndarray) -> dict[str, np.ndarray]:
    """In which runs of equally good models each test rejects."""
    _, blocks, k = scores.shape
    sums = rank_sums(scores)
    largest = np.ptp(sums, axis=-1)  # the least adjusted p is that of the largest difference
    result = {
        "Nemenyi": largest[:, 0] >= critical_difference(k, blocks) * blocks - 1e-9,
        "sign flips, pairs": _share(largest) < ALPHA,
    }
    dunn = -ndtri(ALPHA / 2 / (k - 1)) * np.sqrt(k * (k + 1) * blocks / 6)
    for name, baseline in (("the first model", 0), ("the last model", k - 1)):
        largest = np.abs(sums - sums[..., [baseline]]).max(axis=-1)
        result[f"Bonferroni–Dunn, {name}"] = largest[:, 0] >= dunn - 1e-9
        result[f"sign flips, {name}"] = _share(largest) < ALPHA
    squares = (sums**2).sum(axis=-1)
    chi = 12 * squares[:, 0] / (blocks * k * (k + 1))
    f = (blocks - 1) * chi / np.maximum(blocks * (k - 1) - chi, 1e-9)
    result["Iman–Davenport"] = fdtrc(k - 1, (k - 1) * (blocks - 1), f) < ALPHA
    result["Friedman"] = chdtrc(k - 1, chi) < ALPHA
    result["sign flips, all models"] = _share(squares) < ALPHA
    return result


def _share(statistics: np.ndarray) -> np.ndarray:
    return np.mean(statistics >= statistics[:, [0]], axis=1)


def rejected_beside_worse(scores: np.ndarray) -> dict[str, np.ndarray]:
    """In which runs a test of pairs rejects one of every second model, which are equally good."""
    _, blocks, k = scores.shape
    first, second = np.array(list(combinations(range(k), 2))).T
    true = (first % 2 == 0) & (second % 2 == 0)
    sums = rank_sums(scores)
    least = critical_difference(k, blocks) * blocks - 1e-9
    adjusted = np.array([flip_p_values(of_run, first, second)[1] for of_run in sums])
    return {
        "Nemenyi": np.ptp(sums[:, 0, ::2], axis=-1) >= least,
        "sign flips, pairs": adjusted[:, true].min(axis=1) < ALPHA,
    }


def rates(kind: str, runs: int) -> Iterator[tuple[str, int, int, float]]:
    """How often each test rejects true hypotheses: test, models, data sets and rate."""
    of_kind = rejected_beside_worse if kind == WORSE else rejected
    for models, blocks in product(MODELS, DATA_SETS):
        random = np.random.default_rng([models, blocks])
        for test, outcomes in of_kind(values(random, kind, blocks, models, runs)).items():
            yield test, models, blocks, float(np.mean(outcomes))


def power(models: int, blocks: int, runs: int) -> dict[str, float]:
    """Of models alike but for evenly spaced means: differing pairs rejected, true limits held."""
    random = np.random.default_rng([models, blocks, 1])
    means = np.linspace(0, 3, models)
    truth = rankdata(-random.standard_normal((20_000, models)) - means, axis=1).mean(axis=0)
    first, second = np.array(list(combinations(range(models), 2))).T
    true = truth[first] - truth[second]
    least = critical_difference(models, blocks) * blocks
    counts = np.zeros(4)
    for sums in rank_sums(random.standard_normal((runs, blocks, models)) + means):
        difference = sums[0, first] - sums[0, second]
        _, adjusted, largest = flip_p_values(sums, first, second)
        off = np.abs(difference - true * blocks).max()
        rejects = np.mean(np.abs(difference) >= least - 1e-9), np.mean(adjusted < ALPHA)
        counts += [*rejects, off <= least, off <= least_exceeded(largest, ALPHA)]
    names = ("power of Nemenyi", "power of flips", "cover of Nemenyi", "cover of flips")
    return dict(zip(names, counts / runs, strict=True))


def main(runs: str = "2000") -> None:
    """Print the smallest and the largest rate of each kind and test, then power and coverage."""
    for kind in KINDS:
        of_kind = list(rates(kind, int(runs)))
        for test in dict.fromkeys(row[0] for row in of_kind):
            rows = [row for row in of_kind if row[0] == test]
            least, most = (pick(rows, key=lambda row: row[-1]) for pick in (min, max))
            at = f"{most[1]} models, {most[2]} data sets"
            print(f"{kind}: {test} {least[-1]:.3f} to {most[-1]:.3f} ({at})", flush=True)
    for models, blocks in product(MODELS, DATA_SETS):
        shares = power(models, blocks, int(runs) // 8).items()
        text = ", ".join(f"{name} {share:.2f}" for name, share in shares)
        print(f"{models} models, {blocks} data sets: {text}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
