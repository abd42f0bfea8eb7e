"""Gaps of slicings of 2 to 40 slices, each of which is also tested against the others.

``python -m tests.simulations.one_of_many_slices RUNS`` prints, of slices that differ in nothing and
of those that do, the share of slicings with a gap that is significant after Holm's correction over
its measures: as reports test it, and by lowest against highest slice alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from math import comb

import numpy as np
import polars as pl
from scipy.special import expit

from reportgen.clusters import Groups
from reportgen.comparing.gaps import gaps
from reportgen.comparing.slice_contrasts import Contrasts
from reportgen.comparisons import holm, pooled_z
from reportgen.measuring.context import Losses
from reportgen.measuring.shares_by_row import GroupedShares
from reportgen.metrics import cells_of_share
from tests.simulations.slices import values_of

ALPHA = 0.05

SIZES: dict[str, tuple[int, ...]] = {
    "2 of 150": (150,) * 2,
    "5 of 60": (60,) * 5,
    "5 of 30 to 300": (30, 40, 60, 150, 300),
    "40 of 50": (50,) * 40,
    "40 of 30 to 300": (30, 40, 60, 100, 300) * 8,
}

WORSE: dict[str, tuple[str, tuple[float, ...]]] = {
    "one of 40": ("40 of 50", (0.6, *(0.0,) * 39)),
    "one of 5": ("5 of 60", (0.6, *(0.0,) * 4)),
    "half of 40": ("40 of 50", (0.3, 0.0) * 20),
    "two of 5": ("5 of 60", (0.42, 0.42, 0.0, 0.0, 0.0)),
    "gradient of 5": ("5 of 60", (0.48, 0.36, 0.24, 0.12, 0.0)),
    "gradient of 40": ("40 of 50", tuple(np.linspace(0.6, 0, 40))),
}
"""By how much less the scores of each slice say; 1 leaves no signal."""


def rows(
    random: np.random.Generator, sizes: tuple[int, ...], worse: tuple[float, ...], groups: str
) -> pl.DataFrame:
    """Scores with an AUC of about 0.8 in slices.

    Groups of about 6 rows lie in one slice (nested), or have rows in many (crossing).
    """
    place = np.repeat(np.arange(len(sizes)), sizes)
    number = len(place)
    group = np.arange(number)
    if groups == "nested":
        group = np.concatenate([1000 * k + np.arange(n) % (n // 6) for k, n in enumerate(sizes)])
    elif groups == "crossing":
        group = random.integers(0, number // 6, number)
    shared = random.normal(size=group.max() + 1)[group] * (0 if groups == "rows" else 0.7)
    truth = random.random(number) < expit(shared - 0.4)
    less = np.array(worse)[place]
    noise = random.normal(size=number)
    signal = np.where(truth, 1.0, -1.0) * (1 - less) * 0.6
    return pl.DataFrame(
        {
            "slice:s": [f"v{k:02d}" for k in place],
            "group": group,
            "truth": truth,
            "a": expit(1.5 * signal + noise + 0.5 * shared),
        }
    )


def p_values(frame: pl.DataFrame, groups: str) -> tuple[list[float], list[float]]:
    """The p of every gap, as tested and by the ends alone."""
    losses = Losses(
        "accuracy",
        "error_rate",
        "zero_one",
        of={"a": pl.col("truth") != (pl.col("a") >= 0.5)},
        predicted={"a": pl.col("a")},
        scores={"a": "a"},
    )
    shares = GroupedShares(frame, losses, Groups.of(frame["group"]))
    parts = {f"s = {key[0]}": part for key, part in frame.group_by("slice:s", maintain_order=True)}
    values = [row for label, part in parts.items() for row in _values(part, label)]
    metrics = pl.DataFrame(values).with_columns(
        pl.lit(None, pl.String).alias(name) for name in ("class", "average")
    )
    sliced = pl.DataFrame(
        {"slicing": [["s"]] * len(parts), "slice": list(parts), "small": [False] * len(parts)}
    )
    contrasts = Contrasts(shares)
    in_groups = None if groups == "rows" else shares
    table = gaps(metrics, sliced, "binary", ["a"], shares=in_groups, contrasts=contrasts)
    numbers: dict[str, dict[str, float]] = {}
    for row in values:
        numbers.setdefault(str(row["slice"]), {})[str(row["metric"])] = float(str(row["value"]))
    ends = [
        p
        for gap in table.to_dicts()
        if (p := _of_ends(gap, numbers, in_groups, contrasts)) is not None
    ]
    return table["p_value"].drop_nulls().to_list(), ends


def _of_ends(
    gap: Mapping[str, object],
    numbers: Mapping[str, Mapping[str, float]],
    shares: GroupedShares | None,
    contrasts: Contrasts,
) -> float | None:
    """The p of lowest against highest slice alone, times the pairs."""
    metric, ends = str(gap["metric"]), (str(gap["lowest"]), str(gap["highest"]))
    pairs = comb(round(float(str(gap["slices"]))), 2)
    if (cells := cells_of_share(metric)) is not None and shares is None:
        counted, whole = cells.counted, cells.whole
        tested = pooled_z(
            (sum(numbers[ends[0]][c] for c in counted), sum(numbers[ends[1]][c] for c in counted)),
            (sum(numbers[ends[0]][c] for c in whole), sum(numbers[ends[1]][c] for c in whole)),
        )
        return None if tested is None else min(1.0, tested.p_value * pairs)
    if metric == "auc":
        p_value = contrasts.of_slices("a", metric, ("s",), ends)
        return None if p_value is None else min(1.0, p_value * pairs)
    return None


def _values(part: pl.DataFrame, label: str) -> Iterator[dict[str, object]]:
    yield from values_of(part.with_columns(predicted=pl.col("a") >= 0.5), label)
    positive = part["truth"].to_numpy()
    ranks = part["a"].rank().to_numpy()[positive]
    area = (ranks.mean() - (positive.sum() + 1) / 2) / (~positive).sum()
    yield {"slice": label, "metric": "auc", "model": "a", "value": float(area)}


def rates(
    runs: int, sizes: tuple[int, ...], worse: tuple[float, ...] | None = None, groups: str = "rows"
) -> tuple[float, float]:
    """The share of slicings with a significant gap, as tested and by the ends alone."""
    random, counts = np.random.default_rng([len(sizes), sum(sizes)]), [0, 0]
    for _ in range(runs):
        frame = rows(random, sizes, worse or (0.0,) * len(sizes), groups)
        for k, values in enumerate(p_values(frame, groups)):
            counts[k] += min(holm(values), default=1.0) < ALPHA
    return counts[0] / runs, counts[1] / runs


def main(runs: int) -> None:
    """Print a line per design."""
    for name, sizes in SIZES.items():
        for groups in ("rows", "nested", "crossing"):
            tested, ends = rates(runs, sizes, groups=groups)
            only = f", by the ends alone {ends:.3f}" if groups == "rows" else ""
            print(f"- nothing differs, {name}, {groups}: {tested:.3f}{only}", flush=True)
    for name, (of, worse) in WORSE.items():
        tested, ends = rates(max(runs // 4, 1), SIZES[of], worse)
        print(f"- {name}: {tested:.3f}, by the ends alone {ends:.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
