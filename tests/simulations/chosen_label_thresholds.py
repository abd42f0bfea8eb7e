"""Averages over labels, each at a threshold that the rows chose: reports of ten labels.

``python -m tests.simulations.chosen_label_thresholds``: the share of reports whose 95 % lower limit
(of the Hamming loss the upper one) misses what the thresholds are worth in 20,000 further rows.
First with limits of a fixed threshold, then with those of the report. Scores say nothing, 30 %
of the rows have each label, and each threshold maximises F1. 40 reports of 200 rows:

- macro f1 0.350 → 0.000
- micro f1 0.325 → 0.000
- weighted f1 0.425 → 0.000
- hamming_loss 0.450 → 0.000
- macro precision 0.250 → 0.000
- micro precision 0.225 → 0.000
- weighted precision 0.325 → 0.000
- macro recall 0.975 → 0.000
- micro recall 1.000 → 0.000
- weighted recall 1.000 → 0.000
- sample_f1 0.300 → 0.000
- sample_recall 0.850 → 0.000
- macro specificity 0.350 → 0.000
- micro specificity 0.375 → 0.000
- weighted specificity 0.175 → 0.000
- subset_accuracy 0.025 → 0.000
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from math import sqrt
from pathlib import Path

import numpy as np
import polars as pl

from reportgen.intervals import widening
from reportgen.measuring.chosen_thresholds import THRESHOLDS
from reportgen.results import evaluate
from reportgen.spec import from_dict

OF_LABELS = ("f1", "precision", "recall", "specificity")
MEASURES = (*OF_LABELS, "hamming_loss", "sample_f1", "sample_recall", "subset_accuracy")
LABELS, ROWS, FURTHER, SHARE = 10, 200, 20_000, 0.3


def drawn(rows: int, random: np.random.Generator) -> pl.DataFrame:
    """Rows with a truth and a score of each label."""
    truth, score = random.random((rows, LABELS)) < SHARE, random.normal(size=(rows, LABELS))
    columns = {f"y{k}": truth[:, k] for k in range(LABELS)}
    return pl.DataFrame(columns | {f"p{k}": score[:, k] for k in range(LABELS)})


def main(runs: str = "40") -> None:
    """Print the share of limits that miss, by measure and average."""
    random = np.random.default_rng(0)
    names = [f"l{k}" for k in range(LABELS)]
    declared = {
        "truth": {name: f"y{k}" for k, name in enumerate(names)},
        "models": {"m": {"scores": {name: f"p{k}" for k, name in enumerate(names)}}},
        "bootstrap": {"replicates": 100},
    }
    misses: dict[str, Counter[tuple[str, str]]] = {"fixed": Counter(), "every": Counter()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for _ in range(int(runs)):
            drawn(ROWS, random).write_parquet(folder / "rows.parquet")
            spec = {"data": "rows.parquet", "threshold": {"maximise": "f1"}, **declared}
            results = evaluate(from_dict(spec, folder))
            thresholds = [one["threshold"] for one in results.data["models"][0]["thresholds"]]
            decided = {
                f"p{k}": (pl.col(f"p{k}") >= at).cast(pl.Float64) for k, at in enumerate(thresholds)
            }
            drawn(FURTHER, random).with_columns(**decided).write_parquet(folder / "further.parquet")
            spec = {**spec, "data": "further.parquet", "threshold": 0.5}
            further = evaluate(from_dict(spec, folder)).metrics.filter(pl.col("class").is_null())
            values = {(r["metric"], r["average"]): r["value"] for r in further.to_dicts()}
            rows = results.metrics.filter(pl.col("class").is_null())
            for row in rows.drop_nulls("low").to_dicts():
                key = (row["metric"], row["average"])
                if row["metric"] not in MEASURES:
                    continue
                end, sign = ("high", -1) if row["metric"] == "hamming_loss" else ("low", 1)
                distance = (row["value"] - row[end]) / (widening(THRESHOLDS, 0.95) * sqrt(LABELS))
                misses["every"][key] += sign * (row[end] - values[key]) > 0
                misses["fixed"][key] += sign * (row["value"] - distance - values[key]) > 0
    for key, fixed in sorted(misses["fixed"].items(), key=str):
        share = f"{fixed / int(runs):.3f} → {misses['every'][key] / int(runs):.3f}"
        print(f"- {' '.join(filter(None, reversed(key)))} {share}")


if __name__ == "__main__":
    main(*sys.argv[1:])
