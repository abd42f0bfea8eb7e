"""Two periods without a shift: how often the tests of the section Shift reject.

``python -m tests.simulations.shifts RUNS`` prints a line per situation: rejections of the truth,
the scores and the slices at 0.05, of any of them after adjustment, and how often the limits of a
change, of its mix and of what is within miss 0, which is the truth.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from reportgen.comparing.periods_compared import compared_over_time, compared_with_reference
from reportgen.measuring.context import EvaluationContext, Losses, TaskResults
from reportgen.measuring.one_vs_rest import with_highest
from reportgen.predictions import from_frame
from reportgen.records.shift import Shift
from reportgen.spec import from_dict

Generator = np.random.Generator
ALPHA = 0.05

MODELS: Mapping[str, dict[str, Any]] = {
    "binary": {"m": {"score": "score"}},
    "multiclass": {"m": {"scores": {"a": "p_a", "b": "p_b", "c": "p_c"}}},
    "regression": {"m": {"estimate": "score"}},
}


LOSSES = {
    "binary": Losses(
        "accuracy",
        "error_rate",
        "zero_one",
        {"m": (pl.col("score:0") >= 0.5) != pl.col("truth")},
    ),
    "multiclass": Losses(
        "accuracy", "error_rate", "zero_one", {"m": pl.col("highest:0") != pl.col("truth")}
    ),
    "regression": Losses(
        "mean_squared_error",
        "mean_squared_error",
        "squared",
        {"m": (pl.col("estimate:0") - pl.col("truth")) ** 2},
    ),
}
"""What a report takes as the loss of the model on a row; the rest of a report is not needed."""


@dataclass(frozen=True)
class Periods:
    """Rows of two periods that have one distribution, or of one period that is halved.

    ``sizes`` are rows of each period; ``groups`` how many rows of a group in each,
    ``autocorrelation`` that of consecutive rows.
    """

    sizes: tuple[int, ...]
    columns: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[int, int] = (1, 1)
    autocorrelation: float = 0.0
    positives: float = 0.3
    task: str = "binary"

    def frames(self, random: Generator) -> list[pl.DataFrame]:
        """The rows of each period, the later one last."""
        return [self._rows(random, place, size) for place, size in enumerate(self.sizes)]

    def _rows(self, random: Generator, place: int, size: int) -> pl.DataFrame:
        group = np.arange(size) // self.groups[place]

        def effects() -> np.ndarray:
            if self.autocorrelation:
                return autoregression(random, size, self.autocorrelation)
            noise = random.normal(size=size)
            if self.groups[place] == 1:
                return noise
            return np.sqrt(0.5) * (random.normal(size=group[-1] + 1)[group] + noise)

        latent, error = effects(), effects()
        site = np.where(effects() > 0.5, "north", "south")
        common = {
            "site": site,
            "weight": random.exponential(size=size) + 0.2,
            "group": [f"{place}-{k}" for k in group],
            "day": np.arange(size) + 100_000 * place,
        }
        return pl.DataFrame(common | _outputs(self.task, latent, error, self.positives))


def autoregression(random: Generator, size: int, correlation: float) -> np.ndarray:
    """A stationary series of unit variance."""
    noise = random.normal(size=size) * np.sqrt(1 - correlation**2)
    values = np.empty(size)
    last = random.normal()
    for place, one in enumerate(noise):
        last = values[place] = correlation * last + one
    return values


def _outputs(
    task: str, latent: np.ndarray, error: np.ndarray, positives: float
) -> dict[str, np.ndarray]:
    if task == "regression":
        return {"truth": latent, "score": latent + error}
    if task == "multiclass":
        names = np.array(["a", "b", "c"])
        place = np.digitize(latent, [-0.5, 0.8])
        scores = np.stack([-((latent + error - mean) ** 2) for mean in (-1.0, 0.0, 1.3)], axis=1)
        shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        return {"truth": names[place], **dict(zip(("p_a", "p_b", "p_c"), shares.T, strict=True))}
    truth = latent > np.quantile(np.random.default_rng(0).normal(size=9999), 1 - positives)
    return {"truth": truth.astype(int), "score": 1 / (1 + np.exp(-(latent + error)))}


SITUATIONS: Mapping[str, Periods] = {
    "rows, 150 and 100": Periods((150, 100)),
    "rows, 1,000 and 500, 5 % positive": Periods((1000, 500), positives=0.05),
    "rows with weights, 300 and 200": Periods((300, 200), {"weight": "weight"}),
    "three classes, 300 and 200": Periods((300, 200), task="multiclass"),
    "a number, 300 and 200": Periods((300, 200), task="regression"),
    "30 groups of 10 and 20 of 10": Periods((300, 200), {"group": "group"}, (10, 10)),
    "8 groups of 10 and 8 of 10": Periods((80, 80), {"group": "group"}, (10, 10)),
    "60 groups of 5 and 20 of 15": Periods((300, 300), {"group": "group"}, (5, 15)),
    "20 groups of 15 and weights": Periods(
        (300, 300), {"group": "group", "weight": "weight"}, (15, 15)
    ),
    "autocorrelation 0.5, 200 and 100 points": Periods((200, 100), {"time": "day"}, (1, 1), 0.5),
    "autocorrelation 0.8, 200 and 200 points": Periods((200, 200), {"time": "day"}, (1, 1), 0.8),
    "autocorrelation 0.8, 1,000 and 1,000 points": Periods(
        (1000, 1000), {"time": "day"}, (1, 1), 0.8
    ),
    "autocorrelation 0.5, halves of 400 points": Periods((400,), {"time": "day"}, (1, 1), 0.5),
    "autocorrelation 0.8, halves of 400 points": Periods((400,), {"time": "day"}, (1, 1), 0.8),
    "autocorrelation 0.8, halves of 2,000 points": Periods((2000,), {"time": "day"}, (1, 1), 0.8),
}


def compared(periods: Periods, frames: list[pl.DataFrame]) -> Shift | None:
    """The shift of the last frame since the first one, or in time where there is one."""
    spec = from_dict(
        {
            "data": "frame",
            "reference": "frame",
            "task": periods.task,
            "truth": "truth",
            "models": MODELS[periods.task],
            "slices": ["site"],
            "columns": dict(periods.columns),
            "bootstrap": {"replicates": 0},
        }
    )
    contexts = [EvaluationContext(with_highest(from_frame(frame, spec)), spec) for frame in frames]
    results = TaskResults([], {}, [], [], {}, LOSSES[periods.task])
    if len(contexts) == 1:
        return compared_over_time(contexts[0], results)
    return compared_with_reference(contexts[1], results, contexts[0])


def outcomes(shift: Shift) -> Iterator[tuple[str, bool]]:
    """What is counted: rejections, and limits that miss 0."""
    for one in shift.quantities:
        if one.p_value is not None:
            yield one.kind, one.p_value <= ALPHA
    yield "any, adjusted", any(bool(one.reject) for one in shift.quantities)
    for change in shift.changes:
        ends = {
            "change": (change.change_low, change.change_high),
            "mix": (change.mix_low, change.mix_high),
            "within": (change.within_low, change.within_high),
        }
        for name, (low, high) in ends.items():
            if low is not None and high is not None:
                yield f"{name} misses", not low <= 0 <= high


def levels(periods: Periods, runs: int, seed: int = 0) -> dict[str, float]:
    """The share of each outcome over many pairs of periods."""
    rejected, counts = Counter[str](), Counter[str]()
    for run in range(runs):
        shift = compared(periods, periods.frames(np.random.default_rng([seed, run])))
        for name, hit in () if shift is None else outcomes(shift):
            rejected[name] += hit
            counts[name] += 1
    return {name: rejected[name] / counts[name] for name in counts}


def main(runs: int, names: list[str]) -> None:
    """Print a line per situation."""
    for name, periods in SITUATIONS.items():
        if not names or name in names:
            shares = levels(periods, runs)
            print(name, {k: round(v, 3) for k, v in shares.items()}, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
