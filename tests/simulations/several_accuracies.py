"""Hotelling's test of several accuracies: ``python -m tests.simulations.several_accuracies 1000``.

Models that are correct on equally many rows and are alike, near copies of one another beside one
that is none, or correct on all rows but a few of their own; rows alone and in groups of ten. Of
each design how often the test rejects, how often it is recommended and rejects, and how often it
is recommended.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.stats import norm

from reportgen.array_types import Flags
from reportgen.clusters import Groups
from reportgen.comparing.few_unlike import against_few_of_several
from reportgen.comparisons import Comparison, cochran_groups
from reportgen.comparisons.correct_together import CorrectTogether, accuracies_differ
from tests.simulations.situations import ALPHA, Generator, asked

SHARED = 0.5
"""How the noise of two rows of a group correlates."""

OF_GROUP = 10


@dataclass(frozen=True)
class Design:
    """Models and rows; each model is correct on the share ``accuracy`` of them."""

    kind: str
    models: int
    rows: int
    accuracy: float
    grouped: bool = False

    def draw(self, random: Generator) -> Flags:
        """Whether each model (column) is correct on each row."""
        if self.kind == "few of their own":
            # All are correct but where the row is hard; each has errors of its own besides.
            hard = _uniform(random, self.rows, 1, grouped=self.grouped) < (1 - self.accuracy) / 2
            own = _uniform(random, self.rows, self.models, grouped=self.grouped)
            return ~(hard | (own < (1 - self.accuracy) / 2))
        if self.kind == "near copies":
            first, other = self.accuracy > _uniform(random, self.rows, 2, grouped=self.grouped).T
            anew = random.random((self.rows, self.models - 1)) < 0.02
            copies = np.where(anew, random.random(anew.shape) < self.accuracy, first[:, None])
            return np.column_stack([copies, other])
        noise = norm.ppf(_uniform(random, self.rows, self.models + 1, grouped=self.grouped))
        correct: Flags = norm.cdf((noise[:, :-1] + noise[:, -1:]) / np.sqrt(2)) < self.accuracy
        return correct

    def test(self, correct: Flags) -> Comparison:
        """The test of the models."""
        names = tuple(f"m{index}" for index in range(self.models))
        if self.grouped:
            code = np.arange(self.rows) // OF_GROUP
            return cochran_groups(
                list(correct.T), Groups(code, self.rows // OF_GROUP), asked("accuracy", names)
            )
        frame = pl.DataFrame(correct, schema=list(names))
        together = CorrectTogether.of(frame, {m: pl.col(m) for m in names})
        return accuracies_differ(together, asked("accuracy", names))


def _uniform(random: Generator, rows: int, columns: int, *, grouped: bool) -> np.ndarray:
    """Uniform numbers, those of the rows of a group alike."""
    if not grouped:
        return random.random((rows, columns))
    shared = np.repeat(random.standard_normal((rows // OF_GROUP, columns)), OF_GROUP, axis=0)
    own = random.standard_normal((rows, columns))
    result: np.ndarray = norm.cdf(np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * own)
    return result


KINDS = ("alike", "near copies", "few of their own")
DESIGNS = [
    Design(kind, models, rows, accuracy, grouped)
    for grouped, sizes in ((False, (50, 100, 200, 400, 1000, 5000)), (True, (200, 400, 1000)))
    for kind in KINDS
    for accuracy in (0.8, 0.95)
    for rows in sizes
    for models in (3, 6, 12)
]


def rates(design: Design, sets: int) -> Iterator[float]:
    """How often the test rejects, is recommended and rejects, and is recommended."""
    counts: Counter[str] = Counter()
    for run in range(sets):
        random = np.random.default_rng([run, design.rows, design.models])
        test = design.test(design.draw(random))
        rejected = test.p_value is not None and test.p_value < ALPHA
        recommended = test.p_value is not None and not list(against_few_of_several(test))
        counts["rejected"] += rejected
        counts["both"] += rejected and recommended
        counts["recommended"] += recommended
    yield from (counts[name] / sets for name in ("rejected", "both", "recommended"))


def main(sets: str = "1000", *only: str) -> None:
    """Print a line per design; ``only`` names some kinds, ``rows`` or ``groups``."""
    for design in DESIGNS:
        names = {design.kind, "groups" if design.grouped else "rows"}
        if set(only) <= names:
            written = ", ".join(f"{rate:.3f}" for rate in rates(design, int(sets)))
            print(f"{design}: {written}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
