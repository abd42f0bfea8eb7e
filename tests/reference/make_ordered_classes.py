"""Write ``ordered_classes.json``: what scikit-learn and NumPy make of ordered classes.

``python tests/reference/make_ordered_classes.py``, with scikit-learn and NumPy.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.metrics import accuracy_score, cohen_kappa_score, mean_absolute_error

FILE = Path(__file__).with_name("ordered_classes.json")


def case(seed: int, classes: int, rows: int, *, weighted: bool) -> dict[str, object]:
    """Grades, predicted ones and weights, with the values of both programs."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, classes, rows)
    predicted = np.clip(np.rint(truth + random.normal(0.2, 1, rows)), 0, classes - 1).astype(int)
    weight = random.integers(1, 5, rows).astype(float) if weighted else None
    near = np.abs(truth - predicted) <= 1
    expected = {
        "accuracy_within_one": accuracy_score(np.ones(rows), near, sample_weight=weight),
        "mean_class_error": mean_absolute_error(truth, predicted, sample_weight=weight),
        "class_bias": np.average(predicted - truth, weights=weight),
        **{
            f"{name}_kappa": cohen_kappa_score(truth, predicted, weights=name, sample_weight=weight)
            for name in ("linear", "quadratic")
        },
    }
    assert np.isclose(expected["accuracy_within_one"], np.average(near, weights=weight))
    return {
        "classes": classes,
        "truth": truth.tolist(),
        "predicted": predicted.tolist(),
        "weight": None if weight is None else weight.tolist(),
        "expected": {name: float(value) for name, value in expected.items()},
    }


def main() -> None:
    """Write the file."""
    cases = [case(k, k + 3, 60, weighted=bool(k % 2)) for k in range(4)]
    programs = {name: version(name) for name in ("scikit-learn", "numpy")}
    FILE.write_text(json.dumps({"programs": programs, "cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
