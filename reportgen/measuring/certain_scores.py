"""Scores of exactly 0 and 1, which have no log odds, and the rows that they are wrong of."""

from __future__ import annotations

from reportgen.records.row_facts import CertainScores
from reportgen.sweeping import Ranking


def certain_scores(ranking: Ranking | None) -> CertainScores | None:
    """How many rows have a probability of exactly 0 or 1, and how many of them are the other class.

    Args:
        ranking: the distinct scores of a model, with the positives and negatives at each.

    Returns:
        The numbers of rows; null where no score is certain, scores are no probabilities, or rows
        are weighted.

    >>> import polars as pl
    >>> from reportgen.sweeping import ranking_of
    >>> frame = pl.DataFrame({"score": [1.0, 0.5, 0.0, 0.0], "truth": [True, False, True, False]})
    >>> certain_scores(ranking_of(frame))
    {'rows': 3, 'positives_at_0': 1, 'negatives_at_1': 0}
    """
    if ranking is None or not ranking.probabilities or ranking.weighted:
        return None
    others = ranking.with_log_odds
    rows = ranking.positives + ranking.negatives - others.positives - others.negatives
    if not rows:
        return None
    of_one, above_zero = ranking.count_at_or_above([1.0, 5e-324])
    (negatives_at_1,) = ranking.counts([of_one], "fp")[0]
    (true_positives,) = ranking.counts([above_zero], "tp")[0]
    return {
        "rows": int(rows),
        "positives_at_0": int(ranking.positives - true_positives),
        "negatives_at_1": int(negatives_at_1),
    }
