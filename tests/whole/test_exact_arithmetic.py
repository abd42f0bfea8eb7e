"""Measures against exact arithmetic: random tables and rows at any scale, ties, one class, one row.

Each formula is written out once more over fractions, which are not rounded. A value may be off
by rounding alone, relative to the largest term that it is made of; where the exact denominator is
zero there is no value.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

import numpy as np
import polars as pl
import pytest

from reportgen.metrics import METRICS, REGISTRY
from reportgen.multiclass import class_counts, matrix
from reportgen.sweeping import sweep, with_squares
from tests.breadth import breadth

Exact = Fraction | None
SIZES = (1, 7, 40, 10**4, 571_199_870, 10**12)
WEIGHTS = (0.1, 0.3, 1.4, 2.3, 1e-9, 7e8, 1 / 3)


def over(part: Fraction, whole: Fraction) -> Exact:
    return part / whole if whole else None


def pairs(n: Fraction) -> Fraction:
    return n * (n - 1) / 2


def mcc(tp: Fraction, fp: Fraction, fn: Fraction, tn: Fraction) -> float | None:
    variances = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    square = over((tp * tn - fp * fn) ** 2, variances)
    return None if square is None else sqrt(square) * (1 if tp * tn >= fp * fn else -1)


def kappa(tp: Fraction, fp: Fraction, fn: Fraction, tn: Fraction) -> Exact:
    n = tp + fp + fn + tn
    if not n:
        return None
    chance = ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)) / n**2
    return over((tp + tn) / n - chance, 1 - chance)


def adjusted_rand(tp: Fraction, fp: Fraction, fn: Fraction, tn: Fraction) -> Exact:
    n = tp + fp + fn + tn
    if n <= 1:
        return None
    together = pairs(tp) + pairs(fp) + pairs(fn) + pairs(tn)
    truth, predicted = pairs(tp + fn) + pairs(fp + tn), pairs(tp + fp) + pairs(fn + tn)
    expected = truth * predicted / pairs(n)
    return over(together - expected, (truth + predicted) / 2 - expected)


def saved(table: list[list[Fraction]]) -> Exact:
    """Goodman & Kruskal's λ of the rows of a table."""
    n = sum(map(sum, table), Fraction(0))
    best = max(map(sum, table))
    return over(sum(map(max, zip(*table, strict=True))) - best, n - best)


OF_COUNTS: dict[str, Callable[..., Exact | float]] = {
    "accuracy": lambda tp, fp, fn, tn: over(tp + tn, tp + fp + fn + tn),
    "error_rate": lambda tp, fp, fn, tn: over(fp + fn, tp + fp + fn + tn),
    "precision": lambda tp, fp, _fn, _tn: over(tp, tp + fp),
    "recall": lambda tp, _fp, fn, _tn: over(tp, tp + fn),
    "specificity": lambda _tp, fp, _fn, tn: over(tn, tn + fp),
    "f1": lambda tp, fp, fn, _tn: over(2 * tp, 2 * tp + fp + fn),
    "f2": lambda tp, fp, fn, _tn: over(5 * tp, 5 * tp + fp + 4 * fn),
    "jaccard": lambda tp, fp, fn, _tn: over(tp, tp + fp + fn),
    "diagnostic_odds_ratio": lambda tp, fp, fn, tn: over(tp * tn, fp * fn),
    "yule_q": lambda tp, fp, fn, tn: over(tp * tn - fp * fn, tp * tn + fp * fn),
    "mcc": mcc,
    "cohen_kappa": kappa,
    "adjusted_rand": adjusted_rand,
    "lambda_truth": lambda tp, fp, fn, tn: saved([[tp, fn], [fp, tn]]),
    "lambda_prediction": lambda tp, fp, fn, tn: saved([[tp, fp], [fn, tn]]),
}


def tables(number: int, *, weighted: bool) -> np.ndarray:
    random = np.random.default_rng(20 + weighted)
    sizes = np.array(WEIGHTS if weighted else SIZES)
    counts = random.choice(sizes, (number, 4)) * random.integers(1, 12, (number, 4))
    return np.where(random.random((number, 4)) < 0.3, 0, counts).astype(np.float64)


@pytest.mark.parametrize("weighted", [False, True])
def test_measures_of_two_classes_are_those_of_exact_arithmetic(weighted):
    cells = tables(400, weighted=weighted)
    frame = pl.DataFrame(cells, schema=["tp", "fp", "fn", "tn"])
    names = sorted(OF_COUNTS.keys() - ({"adjusted_rand"} if weighted else set()))
    values = frame.select(**{name: METRICS[name].build() for name in names})

    for name in names:
        for table, value in zip(cells, values[name], strict=True):
            expected = OF_COUNTS[name](*map(Fraction, table))
            assert (value is None) == (expected is None), (name, table)
            assert value is None or value == pytest.approx(float(expected), rel=1e-12, abs=1e-14)


def of_classes(table: list[list[Fraction]]) -> dict[str, Exact | float]:
    n, size = sum(map(sum, table), Fraction(0)), range(len(table))
    right = sum((table[k][k] for k in size), Fraction(0))
    truth = [sum(row, Fraction(0)) for row in table]
    predicted = [sum((row[k] for row in table), Fraction(0)) for k in size]
    chance = sum((t * p for t, p in zip(truth, predicted, strict=True)), Fraction(0))
    spread = [n**2 - sum(m**2 for m in margin) for margin in (truth, predicted)]
    square = over((n * right - chance) ** 2, spread[0] * spread[1])
    recalls = [table[k][k] / truth[k] for k in size if truth[k]]
    return {
        "accuracy": over(right, n),
        "error_rate": over(n - right, n),
        "zero_one_loss": n - right,
        "balanced_accuracy": over(sum(recalls, Fraction(0)), Fraction(len(recalls))),
        "cohen_kappa": over(n * right - chance, n**2 - chance),
        "mcc": None if square is None else sqrt(square) * (1 if n * right >= chance else -1),
        "lambda_truth": saved(table),
        "lambda_prediction": saved([list(column) for column in zip(*table, strict=True)]),
    }


@breadth("weighted", [False, True], [True])
def test_measures_of_several_classes_are_those_of_exact_arithmetic(weighted):
    random = np.random.default_rng(30 + weighted)
    for _ in range(60):
        size, rows = int(random.integers(2, 5)), int(random.integers(1, 12))
        of, predicted = random.integers(0, random.integers(1, size + 1), (2, rows))
        weights = random.choice(WEIGHTS[:4], rows) if weighted else np.ones(rows)
        frame = pl.DataFrame({"of": of, "said": predicted, "w": weights})
        cells = matrix(frame, size, truth="of", prediction=pl.col("said"), weight="w")
        frames = {"matrix": cells, "classes": class_counts(cells, [str(k) for k in range(size)])}
        table = [[Fraction(0)] * size for _ in range(size)]
        for i, j, w in frame.iter_rows():
            table[i][j] += Fraction(w)

        for name, expected in of_classes(table).items():
            metric = REGISTRY["multiclass"][name]
            value = frames[metric.on].select(metric.build()).to_series()[0]
            assert (value is None) == (expected is None), (name, table)
            near = pytest.approx(0 if expected is None else float(expected), rel=1e-12, abs=1e-14)
            assert value is None or value == near, (name, table)


def of_errors(y: list[Fraction], f: list[Fraction], w: list[Fraction]) -> dict[str, Exact | float]:
    n = sum(w)

    def mean(values: list[Fraction]) -> Fraction:
        return sum((a * b for a, b in zip(w, values, strict=True)), Fraction(0)) / n

    def product(a: list[Fraction], b: list[Fraction]) -> Fraction:
        return mean([(p - mean(a)) * (q - mean(b)) for p, q in zip(a, b, strict=True)])

    error = [a - b for a, b in zip(y, f, strict=True)]
    squares = mean([e**2 for e in error])
    cross, of_y, of_f = product(y, f), product(y, y), product(f, f)
    unexplained = over(squares, of_y)
    residual = over(product(error, error), of_y)
    square = over(cross**2, of_y * of_f)
    distance = mean([abs(a - mean(y)) for a in y])
    return {
        "mean_squared_error": squares,
        "root_mean_squared_error": sqrt(squares),
        "mean_absolute_error": mean([abs(e) for e in error]),
        "maximum_error": max(abs(e) for e in error),
        "r2": None if unexplained is None else 1 - unexplained,
        "explained_variance": None if residual is None else 1 - residual,
        "relative_absolute_error": over(mean([abs(e) for e in error]), distance),
        "pearson_r": None if square is None else sqrt(square) * (1 if cross >= 0 else -1),
    }


@breadth("weighted", [False, True], [True])
def test_measures_of_estimates_are_those_of_exact_arithmetic(weighted):
    random = np.random.default_rng(40 + weighted)
    names = list(of_errors([Fraction(1)], [Fraction(1)], [Fraction(1)]))
    expressions = {name: REGISTRY["regression"][name].build() for name in names}
    for _ in range(150):
        rows, scale = int(random.integers(1, 9)), 10.0 ** random.integers(-90, 90)
        y = random.choice([0.1, 0.2, 0.7, 1e-6, 3.0], rows) * scale
        f = [y, np.full(rows, y[0]), random.random(rows) * scale, y * 1.1][random.integers(0, 4)]
        w = random.choice(WEIGHTS[:4], rows) if weighted else np.ones(rows)
        pairs_of = pl.DataFrame({"truth": y, "estimate": f, "weight": w})
        values = pairs_of.select(**expressions).row(0, named=True)
        exact = of_errors(*([Fraction(v) for v in column] for column in (y, f, w)))

        for name, expected in exact.items():
            assert (values[name] is None) == (expected is None), (name, y, f, w)
            if expected is not None:
                away = 1e-14 if name in SHARES else 0.0
                near = pytest.approx(float(expected), rel=1e-11, abs=away)
                assert values[name] == near, (name, y, f, w)


SHARES = {"r2", "explained_variance", "pearson_r"}
"""Differences of shares: what is rounded is 1, however small the difference."""


@pytest.mark.parametrize("weighted", [False, True])
def test_the_area_under_the_curve_is_that_of_exact_arithmetic(weighted):
    random = np.random.default_rng(50 + weighted)
    for _ in range(150):
        rows = int(random.integers(1, 14))
        truth = random.random(rows) < random.choice([0.0, 0.2, 0.6, 1.0])
        score = random.choice([0.1, 0.3, 0.3 + 2**-54, 1e300, -1e-300, -0.0, 0.0], rows)
        w = random.choice(WEIGHTS, rows) if weighted else np.ones(rows)
        frame = pl.DataFrame({"truth": truth, "score": score, "w": w})
        steps = with_squares(sweep(frame, weight="w" if weighted else None))
        values = steps.select(auc=METRICS["auc"].build(), ap=METRICS["average_precision"].build())
        each = [(t, s, Fraction(v)) for t, s, v in frame.iter_rows()]
        auc, precision = ranked_exactly(each)

        for value, expected in zip(values.row(0), (auc, precision), strict=True):
            assert (value is None) == (expected is None), frame
            assert value is None or value == pytest.approx(float(expected), rel=1e-12, abs=1e-15)


def ranked_exactly(rows: list[tuple[bool, float, Fraction]]) -> tuple[Exact, Exact]:
    """AUC by all pairs, average precision by all thresholds."""
    positives, negatives = ([(s, w) for t, s, w in rows if t is side] for side in (True, False))
    p, n = (sum((w for _, w in part), Fraction(0)) for part in (positives, negatives))
    won = sum(
        (
            v * w * (Fraction(1, 2) if a == b else int(a > b))
            for a, v in positives
            for b, w in negatives
        ),
        Fraction(0),
    )
    steps = Fraction(0)
    for threshold in {s for s, _ in positives}:
        true_positives = sum(w for s, w in positives if s >= threshold)
        false_positives = sum((w for s, w in negatives if s >= threshold), Fraction(0))
        steps += (
            sum(w for s, w in positives if s == threshold)
            * true_positives
            / (true_positives + false_positives)
        )
    return over(won, p * n), over(steps, p)
