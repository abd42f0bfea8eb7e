"""That the value of the best of many models that do not differ is too good: it was chosen."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding.leading import Contest
from reportgen.records.decision import Caveat

MANY = 5
"""From so many models on the limits of the best one hold its true value too rarely."""


def best_of_many(contest: Contest) -> Iterator[Caveat]:
    """What page one says of a leader that many others are level with.

    Of 1, 2, 3, 5, 8 and 12 models with one AUC of 0.8, whose scores have a correlation of 0.5, the
    95 % limits of the best held it in 0.95, 0.94, 0.93, 0.91, 0.89 and 0.84 (200 rows, 250 data
    sets: ``tests.simulations.best_of_many``), of 12 with one of 0.9 in 0.92.
    """
    alike = 1 + len(contest.others("level", "equivalent"))
    if alike >= MANY and not contest.by_rank:
        text = (
            f"{bounded(contest.leader)} has the best {measure(contest.measure)} of {alike} models "
            "that do not differ significantly, and the value of a model chosen as the best is too "
            "good on average: in simulations its 95 % limits held the true value in 84 to 92 % (12 "
            "like models)."
        )
        yield Caveat("best_of_many", "moderate", text)
