"""What the tests of an evaluation are made under."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.clusters import Groups
from reportgen.comparisons import Question
from reportgen.metrics.settings import ErrorCosts

WEIGHTED = "rows are weighted, which the test does not allow for"
WEIGHTS_COUNTED = "the test needs the weight of each row, and these rows are counted"


@dataclass(frozen=True, slots=True)
class TestSettings:
    """What the tests are made under.

    ``unpaired`` says why the models cannot be paired; every test is then
    undefined with that reason. ``of_decisions`` are caveats of the tests of
    decisions alone, ``costs`` those of each kind of error where they are
    declared. ``margin`` is the largest difference that does not matter, for
    tests over rows. ``groups`` are those of the rows, where rows of a group
    depend on each other: the tests then are those that allow for it.
    """

    baseline: str | None = None
    alpha: float = 0.05
    correction: str = "holm"
    confidence: float = 0.95
    weight: str | None = None
    unpaired: str | None = None
    of_decisions: tuple[str, ...] = ()
    costs: ErrorCosts | None = None
    margin: float | None = None
    groups: Groups | None = None
    difference: str = "midp_paired"

    def question(self, models: tuple[str, ...], metric: str, *caveats: str) -> Question:
        """The question of a test of these models under these terms."""
        return Question(models, metric, self.alpha, self.confidence, caveats=caveats)
