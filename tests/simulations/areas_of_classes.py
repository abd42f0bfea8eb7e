"""Mean AUCs of several classes: ``python -m tests.simulations.areas_of_classes 500``.

With ``precisions`` behind it mean average precisions, of scores that are no single labels.
Two models with the same mean in the population, whose scores of a class are correlated; those
of the second may be rounded, or a single label. The share of data sets that ``delong_classes``
rejects: of independent rows, and of 20 and 40 groups that share a third of the variance.
"""

from __future__ import annotations

import sys
from functools import lru_cache

import numpy as np

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparisons.delong_classes import MeanArea, delong_classes
from tests.simulations.situations import ALPHA, Generator, asked

SHARES = ((1 / 3, 1 / 3, 1 / 3), (0.6, 0.3, 0.1), (0.7, 0.2, 0.07, 0.03))
SIGNALS = (0.4, 1.5, 2.8)
KINDS = ("like", "rounded", "label")

Rows = tuple[Integers, Floats, Floats]


def drawn(
    random: Generator,
    rows: int,
    shares: tuple[float, ...],
    signals: tuple[float, float],
    kind: str,
    groups: Integers | None = None,
) -> Rows:
    """The class of each row, and the scores that both models give it: row × class."""
    number = len(shares)
    truth = random.choice(number, rows, p=shares)
    common = random.normal(size=(rows, number)) * 0.5
    shared = random.normal(size=(2, rows, number))
    if groups is not None:  # which each model sees otherwise
        shared = random.normal(size=(2, int(groups.max()) + 1, number))[:, groups]
    of_each = [
        signal * np.eye(number)[truth] + common + 0.58 * own + 0.64 * random.normal(size=own.shape)
        for signal, own in zip(signals, shared, strict=True)
    ]
    if kind == "rounded":
        of_each[1] = np.round(of_each[1])
    if kind == "label":
        of_each[1] = (of_each[1] == of_each[1].max(1, keepdims=True)).astype(np.float64)
    return truth, of_each[0], of_each[1]


def area(truth: Integers, scores: Floats, *, precision: bool) -> MeanArea:
    """The macro AUC, or average precision, of scores: row × class."""
    columns = list(scores.T)
    return MeanArea.of(columns, [truth == k for k in range(len(columns))], precision=precision)


@lru_cache
def as_good(shares: tuple[float, ...], signal: float, kind: str, *, precision: bool) -> float:
    """The signal with which the second model has the mean of the first, of many rows."""
    if kind == "like":
        return signal
    rows, low, high = 60_000, signal / 2, 3 * signal
    truth, first, _ = drawn(np.random.default_rng(0), rows, shares, (signal, signal), "like")
    aim = area(truth, first, precision=precision).value
    for _ in range(14):
        middle = (low + high) / 2
        truth, _, second = drawn(np.random.default_rng(1), rows, shares, (signal, middle), kind)
        value = area(truth, second, precision=precision).value
        low, high = (middle, high) if value < aim else (low, middle)
    return (low + high) / 2


def rejected(
    shares: tuple[float, ...],
    signal: float,
    kind: str,
    size: tuple[int, int],
    sets: int,
    *,
    precision: bool,
) -> tuple[float, int]:
    """The share of data sets that the test rejects, and in how many it has a value.

    ``size`` is the number of groups and their rows.
    """
    seen, count = 0, 0
    code = np.repeat(np.arange(size[0]), size[1])
    groups = Groups(code, size[0]) if size[1] > 1 else None
    signals = signal, as_good(shares, signal, kind, precision=precision)
    for run in range(sets):
        random = np.random.default_rng([run, *size])
        among = None if groups is None else code
        truth, first, second = drawn(random, len(code), shares, signals, kind, among)
        means = (area(truth, scores, precision=precision) for scores in (first, second))
        test = delong_classes(*means, asked("macro_auc"), groups)
        if test.p_value is not None:
            seen, count = seen + (test.p_value < ALPHA), count + 1
    return seen / max(count, 1), count


def main(sets: str = "500", what: str = "areas") -> None:
    """Print a line per design."""
    precision = what == "precisions"
    sizes = ((150, 1), (400, 1), (1_500, 1)) if precision else ((40, 1), (100, 1), (400, 1))
    for shares in SHARES:
        for signal in SIGNALS:
            for kind in KINDS[:2] if precision else KINDS:
                written = []
                for size in (*sizes, (20, 15), (40, 15)):
                    share, count = rejected(
                        shares, signal, kind, size, int(sets), precision=precision
                    )
                    written.append(f"{size[0]} × {size[1]}: {share:.3f} of {count}")
                print(f"{shares}, signal {signal}, {kind}: {', '.join(written)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
