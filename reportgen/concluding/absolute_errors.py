"""Whether absolute errors are below those of the best constant, the median of the truth."""

from __future__ import annotations

import math

from scipy.special import stdtrit

from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.concluding.leading import Contest
from reportgen.concluding.model_values import on_all_rows
from reportgen.intervals import simultaneous_limit
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of


def below_median(results: Results, contest: Contest) -> frozenset[str]:
    """The models whose MAE lies below that of always predicting the median, where MAE decides.

    The upper limit of the one is below the lower limit of the other, both widened so that they
    hold for all models at once: whatever the correlation, at least as rare by chance as the level
    says. Of independent rows without weights alone, and of ten or more.
    """
    rows = results.data["rows_evaluated"]
    evaluation = evaluation_of(results.data)
    independent = evaluation.get("independent_units") in (None, rows)
    dependent = results.data.get("timed") or results.data.get("weighted") or not independent
    if contest.measure != ABSOLUTE or contest.basis != "pooled rows" or dependent or rows < _LEAST:
        return frozenset()
    least, count = _least_of_median(results), max(len(contest.values), 1)
    if least is None:
        return frozenset()
    return frozenset(
        name
        for name, mean in contest.values.items()
        if mean.high is not None
        and simultaneous_limit(mean.value, mean.high, count, results.confidence) < least
    )


_LEAST = 10


def _least_of_median(results: Results) -> float | None:
    """The lower limit of the MAE of the median, for all models at once; null where unknown.

    The squares of distances from the median have the mean of the variance and its distance from
    the mean, which give their standard deviation.
    """
    distribution = results.data.get("distribution") or {}
    mean, deviation, median = (
        distribution.get(name) for name in ("mean", "standard_deviation", "median")
    )
    of_models, shares = (
        on_all_rows(results.metrics, name) for name in (ABSOLUTE, "d2_absolute_error")
    )
    sizes = [of_models[m].value / (1 - d.value) for m, d in shares.items() if d.value < 1]
    if mean is None or deviation is None or median is None or not sizes:
        return None
    rows, size = results.data["rows_evaluated"], sizes[0]
    squares = deviation**2 * (rows - 1) / rows + (mean - median) ** 2
    error = math.sqrt(max(squares - size**2, 0.0) / (rows - 1))
    low = size - float(stdtrit(rows - 1, (1 + results.confidence) / 2)) * error
    return simultaneous_limit(size, low, max(len(of_models), 1), results.confidence)
