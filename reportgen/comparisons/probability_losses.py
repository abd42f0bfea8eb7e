"""Do the probabilities of two models lose the same? It allows for errors that no row shows."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.clusters import Groups
from reportgen.comparisons.declared_costs import of_losses
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, comparison
from reportgen.metrics.row_losses import LOSSES

NAME = "probability_losses"

NO_BOUND = "a probability of exactly 0 or 1 may lose infinitely much"


@comparison(
    "pair",
    "rows",
    forms=(Form(NAME, "The test of probability losses", "Probability losses", "z"),),
    tasks=("binary",),
    allows=("groups",),
    measures=("brier_score", "log_loss"),
)
def probability_losses(
    frame: pl.DataFrame, question: Question, *, groups: Groups | None = None
) -> Comparison:
    """Two-sided test that the probabilities of two models have the same mean loss.

    A model may rarely be sure and wrong, so that these rows lack such errors by chance; a t-test or
    a permutation test then knows nothing of them. This test knows from the probabilities what the
    worst error would lose.

    Args:
        frame: ``truth``, and the probabilities ``a`` and ``b`` of a positive; rows without one of
            these are left out.
        question: the models, their measure, and the levels of the test and of its interval.
        groups: the group of each row, where rows of one group may depend on each other.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: a row loses the same on average under the probabilities of both models
    Formula: z = Σ d / √(n Σ p d²), with d the differences of the rows' losses and p the most likely
        shares of all possible differences under a mean of 0, of which the largest is the worst loss
        of a row if its class were the other one; for rows in groups t, with 2·c·C added to the
        variance of Σ d, c the worst loss and C that of a group of them
    Assumes: independent rows, or groups
    Undefined: weights; losses that do not differ; log losses of a probability of exactly 0 or 1
    Reference: Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B;
        Owen (1988), doi:10.1093/biomet/75.2.237; Gneiting & Raftery (2007),
        doi:10.1198/016214506000001437

    >>> truth = [True, True, True, False, False, False]
    >>> scores = {"a": [0.6] * 3 + [0.4] * 3, "b": [0.9] * 3 + [0.1] * 3}
    >>> frame = pl.DataFrame({"truth": truth, **scores})
    >>> test = probability_losses(frame, Question(("a", "b"), "brier_score"))
    >>> round(test.estimate, 4), round(test.p_value, 4)
    (0.15, 0.2918)
    """
    truth = frame["truth"].cast(pl.Float64).to_numpy()
    loss, zero, one = LOSSES[question.metric], 0.0, 1.0
    columns = [frame[name].cast(pl.Float64).to_numpy() for name in ("a", "b")]
    possible = np.max([loss(c, side) for c in columns for side in (zero, one)], axis=0)
    if np.isinf(possible).any():
        return question.undefined(NO_BOUND, NAME)[0]
    losses = {name: loss(c, truth) for name, c in zip(("first", "second"), columns, strict=True)}
    table = pl.DataFrame({**losses, "costliest": possible}, nan_to_null=True)
    return of_losses(NAME, "losses", table, question, groups=groups)
