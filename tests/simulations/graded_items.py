"""Two models that are graded 0, ½ or 1 on the same items: tests of ranks and of the mean.

``python -m tests.simulations.graded_items RUNS`` prints per situation how often the permutation
test of the mean rejects where the means are the same, how often its limits hold the true
difference, and how often those of the signed-rank test, which leaves equal grades out, do.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.stats import norm

from reportgen.array_types import Floats
from reportgen.comparisons import Question, sign_flip, signed_rank

QUESTION = Question(("a", "b"), "grade", less_is_better=False, unit="data sets")


@dataclass(frozen=True)
class Items:
    """Grades are steps of a normal ability, with a part that the items give both models.

    ``shift`` is the advantage of the first one; ``unlike`` models have grades ½ of their own
    width, the first one half of them, the second one hardly any.
    """

    number: int
    shift: float = 0.0
    level: float = 0.0
    unlike: bool = False

    @property
    def widths(self) -> tuple[float, float]:
        """Half the width of the abilities that are graded ½."""
        return (0.8, 0.05) if self.unlike else (0.5, 0.5)

    @property
    def truth(self) -> float:
        """The true difference of the mean grades."""
        spread = np.sqrt(1.5)
        means = [
            np.mean(norm.sf(np.array([-w, w]) - ability, scale=spread))
            for w, ability in zip(self.widths, (self.level + self.shift, self.level), strict=True)
        ]
        return float(means[0] - means[1])

    def sample(self, random: np.random.Generator) -> pl.DataFrame:
        """The grades of both models."""
        item = random.standard_normal(self.number)
        grades: list[Floats] = []
        for width, ability in zip(self.widths, (self.level + self.shift, self.level), strict=True):
            skill = ability + item + np.sqrt(0.5) * random.standard_normal(self.number)
            grades.append(0.5 * ((skill > -width).astype(float) + (skill > width)))
        return pl.DataFrame({"first": grades[0], "second": grades[1]})


def shares(items: Items, runs: int, seed: int = 0) -> dict[str, float]:
    """How often the mean's test rejects, and how often the limits of both hold the difference."""
    random = np.random.default_rng([seed, items.number])
    rejected, of_mean, of_ranks, equal = [], [], [], []
    for _ in range(runs):
        pairs = items.sample(random)
        mean, ranks = sign_flip(pairs, QUESTION, draws=399), signed_rank(pairs, QUESTION)
        if mean.low is None or mean.high is None:
            continue
        equal.append(float((pairs["first"] == pairs["second"]).mean()))
        rejected.append((mean.p_value or 1.0) < 0.05)
        of_mean.append(mean.low <= items.truth <= mean.high)
        if ranks.low is not None and ranks.high is not None:
            of_ranks.append(ranks.low <= items.truth <= ranks.high)
    values = {"rejected": rejected, "limits": of_mean, "limits of ranks": of_ranks, "equal": equal}
    return {name: float(np.mean(of)) for name, of in values.items()}


def situations() -> Iterator[Items]:
    """Few and many items, models that are alike, differ, or are graded otherwise."""
    for number in (30, 60, 400):
        for shift, level in ((0.0, 0.0), (0.0, 1.5), (0.6, 0.0), (0.6, 1.5)):
            yield Items(number, shift, level)
        yield Items(number, unlike=True)
    for number in (15, 20):  # of which most have the same grade
        yield from (Items(number, shift, 2.0) for shift in (0.0, 0.8))


def main(runs: int) -> None:
    """Print a line per situation."""
    for items in situations():
        texts = ", ".join(f"{name} {share:.3f}" for name, share in shares(items, runs).items())
        print(f"{items}, difference {items.truth:.3f}: {texts}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
