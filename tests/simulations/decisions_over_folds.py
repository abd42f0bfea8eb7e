"""F1 and the G-mean over folds: ``python -m tests.simulations.decisions_over_folds 200``.

Two logistic regressions, each of which sees three of six features that are worth the same. The
share of data sets in which the corrected t-test over the folds rejects, and in which it does and
nothing speaks against it; then how often nothing does, and the same of a signal in which the
features of the first are worth twice as much.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression

from reportgen.array_types import Floats
from reportgen.comparing.near_guessing import Classes, near_guessing
from reportgen.comparisons import corrected_resampled_t
from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.tables import FoldPairs
from tests.simulations.situations import ALPHA, Generator, asked

DESIGNS = ((150, 0.3, 5), (600, 0.15, 5), (200, 0.3, 10))
"""Rows, the share of positives, and folds."""

Counts = tuple[float, float, float, float]


def f1(tp: float, fp: float, fn: float, tn: float) -> float | None:
    """2·TP / (2·TP + FP + FN)."""
    whole = 2 * tp + fp + fn
    return 2 * tp / whole if whole else None


def g_mean(tp: float, fp: float, fn: float, tn: float) -> float | None:
    """The geometric mean of both shares predicted correctly."""
    return float(np.sqrt(tp / (tp + fn) * tn / (tn + fp))) if tp + fn and tn + fp else None


def decisions(
    random: Generator, design: tuple[int, float, int], signal: float, times: float
) -> tuple[Floats, list[list[Counts]]]:
    """The truth, and the counts of both models in every fold."""
    rows, rare, folds = design
    features = random.normal(size=(2, rows, 3))
    logit = signal * (times * features[0] + features[1]).sum(1) + np.log(rare / (1 - rare))
    truth = random.random(rows) < 1 / (1 + np.exp(-logit))
    fold = random.permutation(rows) % folds
    counts: list[list[Counts]] = [[], []]
    for place in range(folds):
        test = fold == place
        for of_model, columns in zip(counts, features, strict=True):
            model = LogisticRegression(tol=1e-2).fit(columns[~test], truth[~test])
            says, is_true = model.predict(columns[test]), truth[test]
            cells = (says & is_true, says & ~is_true, ~says & is_true, ~says & ~is_true)
            tp, fp, fn, tn = (float(cell.sum()) for cell in cells)
            of_model.append((tp, fp, fn, tn))
    return truth.astype(float), counts


def outcome(truth: Floats, counts: list[list[Counts]], name: str) -> tuple[bool, bool] | None:
    """Whether the test rejects, and whether nothing speaks against it; null without a value."""
    measure = {"f1": f1, "g_mean": g_mean}[name]
    values = [[measure(*cells) for cells in of_model] for of_model in counts]
    if any(tp + fn == 0 or fp + tn == 0 for tp, fp, fn, tn in counts[0]):
        return None
    inside = [[tp / (tp + fn) - fp / (fp + tn) for tp, fp, fn, tn in of] for of in counts]
    if None in values[0] + values[1]:
        return None
    rows, folds = len(truth), len(counts[0])
    test_rows = [sum(cells) for cells in counts[0]]
    pairs = FoldPairs.validate(
        pl.DataFrame(
            {
                "repeat": ["1"] * folds,
                "fold": [str(place) for place in range(folds)],
                "first": values[0],
                "second": values[1],
                "train_rows": [rows - count for count in test_rows],
                "test_rows": test_rows,
            }
        )
    )
    record = corrected_resampled_t(pairs, asked(name))
    means = tuple(float(np.mean(of_model)) for of_model in inside)
    record = record.with_fields(informedness=means, models=("a", "b"))
    evaluation = Evaluation("k_fold", folds, 1, folds, rows, float(rows), test_rows=rows)
    share = float(truth.mean())
    classes = Classes(min(share, 1 - share), max(share, 1 - share))
    positives = {
        model: {"": sum(tp + fp for tp, fp, _, _ in of_model)}
        for model, of_model in zip("ab", counts, strict=True)
    }
    against = list(near_guessing(record, evaluation, classes, positives))
    return record.p_value is not None and record.p_value < ALPHA, not against


def rates(
    design: tuple[int, float, int], signal: float, times: float, name: str, sets: int
) -> Iterator[float]:
    """Rejected; rejected and nothing against it; nothing against it; of how many with a value."""
    seen = []
    for run in range(sets):
        random = np.random.default_rng([run, design[0], int(10 * signal)])
        truth, counts = decisions(random, design, signal, times)
        one = outcome(truth, counts, name)
        if one is not None:
            rejects, stands = one
            seen.append((rejects, rejects and stands, stands))
    yield from np.mean(seen, axis=0) if seen else (np.nan,) * 3
    yield len(seen)


def main(sets: str = "200") -> None:
    """Print a line per design, signal and measure."""
    for design in DESIGNS:
        for times in (1.0, 2.0):
            for signal in (0.3, 0.6, 1.0, 1.5) if times == 1 else (0.6, 1.0):
                for name in ("f1", "g_mean"):
                    written = [f"{v:.3f}" for v in rates(design, signal, times, name, int(sets))]
                    print(
                        f"{design}, signal {signal}, times {times}, {name}: {written}", flush=True
                    )


if __name__ == "__main__":
    main(*sys.argv[1:])
