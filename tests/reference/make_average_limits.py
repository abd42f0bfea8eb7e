"""Write average_limits.json: standard errors of averages over classes and labels, from mpmath.

Run in an environment of its own:

    uv run --no-project --with mpmath --with confidenceinterval
        python tests/reference/make_average_limits.py

The delta method by its definition: the gradient of the average by each cell of
a multinomial table, differentiated in 30 digits. The program confidenceinterval
agrees on micro averages; its macro averages are derived by its authors, leave
out how the classes depend on each other, and differ.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import confidenceinterval
import mpmath as mp
import numpy as np

MATRICES = {
    "three": [[3, 1, 0], [1, 2, 2], [0, 1, 2]],
    "four": [[50, 3, 2, 0], [4, 31, 9, 1], [0, 7, 12, 6], [1, 0, 3, 2]],
}
LABELS = {
    "two labels": [  # truth, given, rows
        ([1, 0], [1, 0], 14),
        ([1, 1], [1, 0], 5),
        ([1, 1], [1, 1], 7),
        ([0, 1], [1, 1], 3),
        ([0, 1], [0, 0], 4),
        ([0, 0], [0, 1], 2),
        ([0, 0], [0, 0], 11),
    ]
}
Counts = tuple[mp.mpf, mp.mpf, mp.mpf]  # hits, false alarms, misses of a class
MEASURES: dict[str, Callable[[Counts], mp.mpf]] = {
    "precision": lambda c: c[0] / (c[0] + c[1]),
    "recall": lambda c: c[0] / (c[0] + c[2]),
    "f1": lambda c: 2 * c[0] / (2 * c[0] + c[1] + c[2]),
}
AVERAGES = {
    "macro": lambda measure, of: sum(map(measure, of)) / len(of),
    "weighted": lambda measure, of: (
        sum((c[0] + c[2]) * measure(c) for c in of) / sum(c[0] + c[2] for c in of)
    ),
    "micro": lambda measure, of: measure(tuple(map(sum, zip(*of, strict=True)))),
}


def of_matrix(cells: Sequence[mp.mpf]) -> list[Counts]:
    size = int(len(cells) ** 0.5)
    rows = [cells[i * size : (i + 1) * size] for i in range(size)]
    columns = list(zip(*rows, strict=True))
    correct = [rows[k][k] for k in range(size)]
    return [(h, sum(columns[k]) - h, sum(rows[k]) - h) for k, h in enumerate(correct)]


def of_patterns(patterns: Sequence[tuple[list[int], list[int], int]]):
    def counts(cells: Sequence[mp.mpf]) -> list[Counts]:
        def total(k: int, true: int, given: int) -> mp.mpf:
            pairs = zip(patterns, cells, strict=True)
            return sum(c for (t, g, _), c in pairs if (t[k], g[k]) == (true, given))

        labels = range(len(patterns[0][0]))
        return [(total(k, 1, 1), total(k, 0, 1), total(k, 1, 0)) for k in labels]

    return counts


def errors(cells: Sequence[int], counts: Callable[[Sequence[mp.mpf]], list[Counts]]):
    at = tuple(map(mp.mpf, cells))
    result = {}
    for name, measure in MEASURES.items():
        for kind, average in AVERAGES.items():

            def value(*c: mp.mpf, measure=measure, average=average) -> mp.mpf:
                return average(measure, counts(c))

            units = [tuple(int(i == j) for j in range(len(at))) for i in range(len(at))]
            slopes = [mp.diff(value, at, unit) for unit in units]
            mean = sum(c * s for c, s in zip(at, slopes, strict=True)) / sum(at)
            spread = sum(c * (s - mean) ** 2 for c, s in zip(at, slopes, strict=True))
            result[f"{kind} {name}"] = {"value": float(value(*at)), "error": float(mp.sqrt(spread))}
    return result


def main() -> None:
    mp.mp.dps = 30
    cases = {}
    for name, rows in MATRICES.items():
        flat = [cell for row in rows for cell in row]
        cases[name] = {"matrix": rows, "expected": errors(flat, of_matrix)}
        truth = np.repeat(np.arange(len(rows)), [sum(row) for row in rows])
        call = np.concatenate([np.repeat(np.arange(len(rows)), row) for row in rows])
        _, (low, high) = confidenceinterval.f1_score(truth, call, average="micro")
        error = cases[name]["expected"]["micro f1"]["error"]
        assert abs((high - low) / 2 / 1.959963984540054 - error) < 1e-12
    for name, patterns in LABELS.items():
        expected = errors([rows for *_, rows in patterns], of_patterns(patterns))
        cases[name] = {"patterns": patterns, "expected": expected}
    document = {
        "programs": {p: version(p) for p in ("mpmath", "confidenceinterval")},
        "cases": cases,
    }
    path = Path(__file__).with_name("average_limits.json")
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
