"""Permutation of mean F1 over classes or labels, of unlike models: ``… exchanged_averages 1000``.

Both models have the same macro F1, and one predicts the first classes, or labels, several times as
often: its threshold is below the best one, that of the other above it. A line has the share of data
sets in which the paired permutation test rejects, and of those in which it does and models predict
like shares (``comparing.exchanged_outputs``), as recommending needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from reportgen.comparing.exchanged_outputs import UNLIKE_ON_AVERAGE, times_as_often

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Sample = tuple[Flags, Flags, Flags]
"""Truth and predictions of two models, a column per class or label."""

PERMUTATIONS = 199
CORRELATION = 0.5
"""Of the errors of the scores of two models."""


@dataclass(frozen=True)
class Labels:
    """Independent labels, of which two models share scores; ``unlike`` of them at two thresholds.

    ``lost`` is the share of the best F1 that both have there.
    """

    rows: int
    labels: int
    positive: float
    lost: float
    unlike: int
    separation: float = 1.5

    def thresholds(self) -> tuple[float, float]:
        """Those below and above the best one with the same F1."""
        at = np.linspace(-2, 4, 6001)
        true = self.positive * norm.sf(at - self.separation)
        false = (1 - self.positive) * norm.sf(at)
        return _of_value(at, 2 * true / (true + false + self.positive), self.lost)

    def sample(self, random: np.random.Generator) -> Sample:
        """Rows of it."""
        low, high = self.thresholds()
        truth = random.random((self.rows, self.labels)) < self.positive
        first, second = _scores(truth * self.separation, random)
        above = np.where(np.arange(self.labels) < self.unlike, high, low)
        return truth, first >= low, second >= above


@dataclass(frozen=True)
class Classes:
    """Classes of these shares; the scores of the first one are raised, or lowered."""

    rows: int
    shares: tuple[float, ...]
    lost: float
    separation: float = 1.5

    def offsets(self) -> tuple[float, float]:
        """Those below and above the best one with the same macro F1, of 200,000 rows."""
        random, places = np.random.default_rng(0), np.arange(len(self.shares))
        truth = random.choice(len(self.shares), 200_000, p=self.shares)
        scores, _ = _scores(self.separation * (places == truth[:, None]), random)
        at = np.linspace(-4, 3, 141)
        values = [
            _macro_f1(truth[:, None] == places, _chosen(scores, offset) == places) for offset in at
        ]
        return _of_value(at, np.array(values), self.lost)

    def sample(self, random: np.random.Generator) -> Sample:
        """Rows of it."""
        low, high = self.offsets_once
        places = np.arange(len(self.shares))
        truth = random.choice(len(self.shares), self.rows, p=self.shares)[:, None] == places
        first, second = _scores(self.separation * truth, random)
        return truth, _chosen(first, low) == places, _chosen(second, high) == places

    @property
    def offsets_once(self) -> tuple[float, float]:
        """The same, computed once."""
        if self not in _OFFSETS:
            _OFFSETS[self] = self.offsets()
        return _OFFSETS[self]


_OFFSETS: dict[Classes, tuple[float, float]] = {}

SITUATIONS: tuple[Labels | Classes, ...] = (
    *(Labels(150, 3, 0.2, lost, 3) for lost in (1.0, 0.99, 0.98, 0.95, 0.85)),
    *(Labels(600, 3, 0.3, lost, 3) for lost in (0.99, 0.98, 0.95)),
    *(Labels(400, 2, 0.1, lost, 2) for lost in (0.99, 0.95, 0.7)),
    *(Labels(400, 5, 0.1, lost, unlike) for lost in (0.9, 0.7) for unlike in (1, 5)),
    *(Labels(400, 10, 0.02, lost, 10) for lost in (1.0, 0.98)),
    *(Classes(150, (1 / 3, 1 / 3, 1 / 3), lost) for lost in (0.99, 0.9)),
    *(Classes(300, (0.1, 0.9), lost) for lost in (0.99, 0.95, 0.85)),
    *(Classes(600, (0.05, 0.15, 0.8), lost) for lost in (0.99, 0.97, 0.9)),
    *(Classes(600, (0.05, 0.05, 0.05, 0.05, 0.8), lost, 2.0) for lost in (0.98, 0.9)),
)


def _of_value(at: Floats, values: Floats, lost: float) -> tuple[float, float]:
    best = int(values.argmax())
    target = values[best] * lost
    below = at[: best + 1][np.abs(values[: best + 1] - target).argmin()]
    above = at[best:][np.abs(values[best:] - target).argmin()]
    return float(below), float(above)


def _scores(means: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
    errors, others = random.normal(size=(2, *means.shape))
    second = CORRELATION * errors + np.sqrt(1 - CORRELATION**2) * others
    return means + errors, means + second


def _chosen(scores: Floats, offset: float) -> npt.NDArray[np.int64]:
    raised = scores.copy()
    raised[:, 0] += offset
    chosen: npt.NDArray[np.int64] = raised.argmax(axis=1)[:, None]
    return chosen


def _macro_f1(truth: Flags, predicted: Flags) -> float:
    both = 2 * (truth & predicted).sum(axis=0)
    return float((both / (truth.sum(axis=0) + predicted.sum(axis=0))).mean())


def tested(sample: Sample, random: np.random.Generator) -> tuple[float, float]:
    """The p of the test, and how many times as often one model predicts a class on average."""
    truth, first, second = sample
    moved = random.random((PERMUTATIONS, len(truth))) < 0.5
    moved = np.vstack([np.zeros(len(truth), dtype=bool), moved]).astype(float)
    positives, sides = truth.sum(axis=0), []
    for a, b in ((first, second), (second, first)):
        true = (a & truth).sum(axis=0) + moved @ ((b & truth) * 1.0 - (a & truth))
        predicted = a.sum(axis=0) + moved @ (b * 1.0 - a)
        with np.errstate(invalid="ignore"):
            sides.append(np.nanmean(2 * true / (predicted + positives), axis=1))
    gaps = np.abs(sides[0] - sides[1])
    p = float((gaps >= gaps[0] * (1 - 1e-12)).mean())
    return p, times_as_often(*(dict(enumerate(one.sum(axis=0))) for one in (first, second)))


def rejected(sample: Callable[[np.random.Generator], Sample], runs: int) -> Floats:
    """Shares: of rejections, of those of like models, and of like models; the mean ratio."""
    random = np.random.default_rng(3)
    results = np.array([tested(sample(random), random) for _ in range(runs)])
    rejects, like = results[:, 0] <= 0.05, results[:, 1] < UNLIKE_ON_AVERAGE
    return np.array(
        [rejects.mean(), (rejects & like).mean(), like.mean(), np.median(results[:, 1])]
    )


def main(runs: int) -> None:
    """Print a line per situation."""
    for one in SITUATIONS:
        every, recommended, like, ratio = rejected(one.sample, runs)
        print(
            f"{one}: {ratio:.2f} times as often; rejected {every:.3f}, recommended and rejected "
            f"{recommended:.3f}, like {like:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]))
