"""Which models are not significantly better than guessing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import polars as pl
from scipy.special import bdtrc, stdtrit

from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.concluding.contest import Contest
from reportgen.concluding.decided_limits import stricter
from reportgen.concluding.guessed_measure import (
    MACRO_RECALL,
    OF_GUESSING,
    SHARES,
    above_chance_by_ranks,
    aims_elsewhere,
    of_costs,
    with_guessing,
)
from reportgen.concluding.model_values import limited, on_all_rows
from reportgen.concluding.rare_class import has_rare_class
from reportgen.intervals import simultaneous_limit
from reportgen.measuring.gains import GAINS
from reportgen.metric_names import COST
from reportgen.metrics import measure_tested_as
from reportgen.records.decision import OF_ERRORS, AtChance
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord, evaluation_of, has_narrow_limits


def at_chance(
    results: Results, contest: Contest | None, names: Sequence[str], *, costs: bool
) -> tuple[AtChance, ...]:
    """The models whose interval of the deciding measure holds the value of guessing, or is worse.

    AUC: 0.5. Accuracy: the share of the most frequent class. Errors of estimates: R² = 0, or D² = 0
    where MAE decides, by the paired difference of their losses to those of the mean or the median
    (``measuring.gains``). Then single classes or labels by
    their AUC, and where ``costs`` are declared the models whose expected cost may be that of the
    cheaper trivial classifier. What has no interval is at chance where its value is. The intervals
    of each of the three families are widened so that they hold at once (Bonferroni). What guessing
    gives in accuracy and cost comes from the same rows: whether a model is better the limits of the
    paired difference say, those of ``accuracy_gain`` and of ``savings``. Accuracy
    says nothing of decisions whose threshold was chosen for another measure.
    """
    plain, data = results.metrics.filter(pl.col("slice").is_null()), results.data
    contest = None if contest is None else with_guessing(results, contest)
    constant = "" if contest is None else _by_constant(results, plain, contest)
    classes = len(data.get("classes") or ())
    of_models = (
        []
        if contest is None or aims_elsewhere(contest, data)
        else list(_of_models(plain, contest, names, constant, classes))
    )
    below = frozenset() if contest is None else _below_median(results, plain, contest)
    above = frozenset() if contest is None else _above_in_data_sets(results, contest)
    families = (
        [row for row in of_models if row.model not in (below | above)],
        list(_of_classes(plain)),
        of_costs(results, names) if costs else [],
    )
    units: float = evaluation_of(data).independent_units or data["rows_evaluated"]
    if (weights := data.get("weights")) is not None:
        units = min(units, weights["effective"])
    guesses = max(len(data.get("classes") or ()), 2)
    times = stricter(results)
    rows = (
        row
        for family in families
        for row in not_better(family, results.confidence, units, guesses, times=times)
        if not above_chance_by_ranks(
            row, data, (1 - results.confidence) / (max(len(family), 1) * times)
        )
    )
    near = OF_OTHER_ROWS * by_fitting(len(names) * times, results.confidence, units)
    r2 = on_all_rows(plain, "r2")
    near_mean = {m for m in _of_one_estimate(plain, names) if m in r2 and r2[m].value >= -near}
    rows = (_of_constant(row) if row.model in near_mean else row for row in rows)
    if has_narrow_limits(data):
        rows = (row if _over_folds(row, contest) else replace(row, worse=False) for row in rows)
    single = evaluation_of(data).scheme == "leave_one_out"  # where an AUC has no limits
    return tuple(
        replace(row, worse=row.value < row.chance)
        if single and row.measure == "auc" and row.low is None
        else row
        for row in rows
    )


OF_OTHER_ROWS = 5
"""A constant is worse than the mean by so many times what sampling error alone explains.

The mean of these rows fits them better than one known before; that of a quarter as many other
rows, as training rows, has four times its variance.
"""


def _of_one_estimate(metrics: pl.DataFrame, names: Sequence[str]) -> frozenset[str]:
    """The models that estimate one number for every row, so that it correlates with nothing."""
    of_all = pl.all_horizontal(pl.col("class", "average").is_null())
    rows = metrics.filter(of_all, pl.col("value").is_null(), metric="pearson_r")
    return frozenset(rows["model"]) & frozenset(names)


def _of_constant(row: AtChance) -> AtChance:
    """The row of one estimate for all, no worse than the mean: its R² is never above 0.

    Limits of it that lie below 0 say nothing of new rows.
    """
    if row.high is None or row.high >= 0:
        return replace(row, worse=False)
    return replace(row, worse=False, low=None, high=None, corrected=None, simultaneous=False)


def _over_folds(row: AtChance, contest: Contest | None) -> bool:
    """Whether limits over folds say that a model is worse than guessing; of pooled AUCs none do.

    Of costs and of errors against a constant there are limits of pooled rows alone.
    """
    if row.measure == "auc":
        return True
    return row.measure in SHARES and contest is not None and contest.basis == "mean over folds"


def of_headline(guessing: Sequence[AtChance], measure: str, data: DataRecord) -> list[AtChance]:
    """The models that are at chance in the deciding measure, or on every label."""
    measure = measure_tested_as(measure)
    if measure not in OF_GUESSING:  # of labels at once: guessing has no one value
        return on_every_class(guessing, data)
    return [
        row
        for row in guessing
        if row.class_ is None and row.measure in (measure, *OF_ERRORS.values())
    ]


def leads_otherwise(guessing: Sequence[AtChance], results: Results, contest: Contest) -> bool:
    """Whether only stricter limits, or a measure beside the deciding one, has the leader at chance.

    MAE may separate models, and lie below that of the median, where R² says nothing of a model.
    """
    rows = [row for row in guessing if row.model == contest.leader]
    if contest.measure == ABSOLUTE and any(row.measure == "r2" for row in rows):
        share = on_all_rows(results.metrics, OF_ERRORS[ABSOLUTE]).get(contest.leader)
        return share is not None and share.value > 0
    return any(row.simultaneous for row in rows)


def on_every_class(guessing: Sequence[AtChance], data: DataRecord) -> list[AtChance]:
    """The rows by class or label of the models that are at chance on all of them."""
    rows = [row for row in guessing if row.class_ is not None]
    count, of = len(data.get("classes") or ()), [row.model for row in rows]
    return [row for row in rows if of.count(row.model) == count]


def not_better(
    family: Sequence[AtChance],
    confidence: float,
    units: float,
    guesses: int = 2,
    *,
    times: float = 1.0,
) -> list[AtChance]:
    """Those of a family that are at chance or worse, by limits that hold for all of it at once.

    The best of so many ``guesses``, one of each class, is chosen by the rows: a model is worse
    than it by limits that hold for each of them. ``times``: how many times as strict as the limits
    of the report this is.

    >>> level = [AtChance(name, "auc", 0.6, 0.51, 0.69, 0.5) for name in "abc"]
    >>> not_better(level[:1], 0.95, 100), [row.low < 0.5 for row in not_better(level, 0.95, 100)]
    ([], [False, False, False])
    """
    count = len(family) * times
    fitted = by_fitting(count, confidence, units)

    def moved(row: AtChance, limit: float | None) -> float | None:
        if limit is None:
            return None
        end = simultaneous_limit(row.value, limit, count, confidence)
        return min(max(end, 0.0), 1.0) if row.measure in SHARES else end

    def of_difference(row: AtChance, guesses: int) -> AtChance:
        if row.above is None:
            return row
        value, low, high = row.above
        low = simultaneous_limit(value, low, count, confidence)
        high = simultaneous_limit(value, high, count * guesses, confidence)
        if row.measure == COST:  # a share of that cost, which no model saves more than
            high = min(high, 1.0)
        return replace(row, above=(value, low, high))

    def concluded(guess: AtChance) -> AtChance | None:
        row = _if_not_better(guess, of_difference(guess, guesses).above, moved, fitted)
        if row is None or row.measure != COST or row.worse:
            return row
        alone = of_difference(guess, 1).above  # as tables have them, if they hold 0
        return row if alone is not None and alone[2] < 0 else replace(row, above=alone)

    rows = map(concluded, family)
    return [row for row in rows if row is not None]


def by_fitting(count: float, confidence: float, units: float) -> float:
    """How far below 0 the R² of the true mean may be, as the mean of the rows fits them better.

    With t the one-sample statistic of the rows against a constant known before, its R² is
    −t²/(n − 1); of ``count`` constants none is lower with probability ``confidence`` at least.

    >>> round(by_fitting(1, 0.95, 20), 4), round(by_fitting(3, 0.95, 20), 4)
    (0.2306, 0.3627)
    """
    if units < 2:
        return math.inf
    tail = (1 - confidence) / 2 / max(count, 1)
    return float(stdtrit(units - 1, 1 - tail)) ** 2 / (units - 1)


def _if_not_better(
    row: AtChance,
    widened: tuple[float, float, float] | None,
    moved: Callable[[AtChance, float | None], float | None],
    fitted: float,
) -> AtChance | None:
    """The row where its widened limits leave it at chance or worse; null where it is better.

    Its limits stay those that tables have: ``simultaneous`` says that only the widened ones, which
    are ``corrected`` or of the difference ``above``, hold the value of guessing.
    """
    if row.measure == COST:
        return _if_no_cheaper(row, widened)
    low, high = (moved(row, limit) for limit in (row.low, row.high))
    if row.measure in OF_ERRORS.values():
        return _of_errors(row, widened, (low, high), fitted)
    better = (row.value if low is None else low) > row.chance
    if better if widened is None else widened[1] > 0:
        return None
    worse = high is not None and high < row.chance
    worse = worse and (widened is None or widened[2] < 0)
    only_widened = row.low is not None and row.low > row.chance
    above, corrected = row.above if only_widened else None, None
    if above is not None:
        only_widened = above[1] > 0
    if only_widened and low is not None and high is not None:
        of_difference = widened is not None and widened[1] <= 0
        above, corrected = (widened, None) if of_difference else (None, (low, high))
    return replace(row, worse=worse, simultaneous=only_widened, above=above, corrected=corrected)


def _if_no_cheaper(row: AtChance, saved: tuple[float, float, float] | None) -> AtChance | None:
    """The row where its savings leave it no cheaper than guessing; null where it is cheaper.

    The limits of its cost are no test of that, as the rows that it is computed from give the cost
    of guessing too. Without limits of the savings nothing is said of a model that saves some.

    >>> row = AtChance("m", "cost_sensitive_error_rate", 0.30, 0.22, 0.40, 0.35)
    >>> cheaper, not_cheaper = (0.14, 0.07, 0.25), (0.14, -0.01, 0.28)
    >>> _if_no_cheaper(row, cheaper), _if_no_cheaper(row, not_cheaper).worse
    (None, False)
    """
    if row.value < row.chance if saved is None else saved[1] > 0:
        return None
    worse = saved is not None and saved[2] < 0
    alone = row.above is not None and row.above[1] > 0
    return replace(row, worse=worse, simultaneous=alone, above=saved)


def _of_errors(
    row: AtChance,
    gain: tuple[float, float, float] | None,
    moved: tuple[float | None, float | None],
    fitted: float,
) -> AtChance | None:
    """The row of R² or D² where the model is at chance or worse: by its gain, if that has limits.

    Limits of R² lie on the side of 0 of those of one gain alone, so that the ``moved`` ones may
    be printed only where they hold 0. They lie below 0 for every constant prediction, so that the
    value of one that is worse is to be lower than ``fitted`` makes it.
    """
    low, high = moved
    better = (row.value if low is None else low) > 0 if gain is None else gain[1] > 0
    if better or (row.low is None and row.value > 0):
        return None  # above that of the constant, by an amount that the data leave wholly open
    worse = row.high is not None and row.high < 0 and row.value < -fitted
    alone = row.low if row.above is None else row.above[1]
    if alone is None or alone <= 0 or low is None or high is None:
        return replace(row, worse=worse, above=None)
    return replace(row, worse=worse, simultaneous=True, above=None, corrected=(min(low, 0.0), high))


def _by_constant(results: Results, metrics: pl.DataFrame, contest: Contest) -> str:
    """What compares the errors of the contest with a constant.

    R²; D² where the spec declares MAE: without limits of its gain only if no model has more than 0.
    """
    name = OF_ERRORS.get(contest.measure, "r2")
    if results.declared.comparisons.primary is None:
        return "r2"
    values, gains = on_all_rows(metrics, name), on_all_rows(metrics, GAINS[name])
    every = values.keys() >= contest.values.keys()
    with_limits = all(limited(gains.get(n)) for n in contest.values)
    none_better = all(one.value <= 0 for one in values.values())
    return name if every and (with_limits or none_better) else "r2"


def _below_median(results: Results, metrics: pl.DataFrame, contest: Contest) -> frozenset[str]:
    """The models whose MAE is below that of the median, by limits that hold at once.

    Where MAE decides: none of them is at chance, whatever R² says of a few large errors.
    """
    if contest.measure != ABSOLUTE or contest.basis not in ("pooled rows", "groups"):
        return frozenset()
    gains = {n: limited(one) for n, one in on_all_rows(metrics, GAINS[OF_ERRORS[ABSOLUTE]]).items()}
    return frozenset(
        name
        for name, gain in gains.items()
        if gain and simultaneous_limit(*gain[:2], len(gains), results.confidence) > 0
    )


def _above_in_data_sets(results: Results, contest: Contest) -> frozenset[str]:
    """The models that are better than guessing in most data sets, by sign tests that hold at once.

    Limits of their mean value allow for data sets of another kind that these may lack, and say
    little of that where these are few.
    """
    if contest.basis != "data sets" or contest.measure not in ("auc", "balanced_accuracy"):
        return frozenset()
    values = results.folds.filter(metric=contest.measure, role="test").drop_nulls("value")
    counts = values.group_by("model").agg(pl.len(), above=(pl.col("value") > 0.5).sum())
    level = (1 - results.confidence) / 2 / max(counts.height, 1)
    return frozenset(
        name for name, n, above in counts.iter_rows() if above and bdtrc(above - 1, n, 0.5) <= level
    )


def _of_models(
    metrics: pl.DataFrame, contest: Contest, names: Sequence[str], by_constant: str, classes: int
) -> Iterator[AtChance]:
    """Each model in the measure of the contest; errors in what compares them with a constant."""
    rates, gains = (on_all_rows(metrics, name) for name in ("no_information_rate", "accuracy_gain"))
    explained, of_constant = (on_all_rows(metrics, n) for n in (by_constant, GAINS[by_constant]))
    for name in names:
        above = None
        measure, chance, estimate = contest.measure, None, contest.values.get(name)
        if measure == "auc":
            chance = 0.5
        elif measure in (MACRO_RECALL, "balanced_accuracy"):
            chance = 1 / max(classes, 2)
        elif measure == "accuracy":
            rate = rates.get(name)
            if rate is not None and rate.value < 1:  # one class alone has 1
                chance, above = rate.value, limited(gains.get(name))
        elif measure in OF_ERRORS:
            measure, chance, estimate = by_constant, 0.0, explained.get(name)
            above = limited(of_constant.get(name))
        if estimate is not None and chance is not None:
            ends = estimate.value, estimate.low, estimate.high
            yield AtChance(name, measure, *ends, chance, above=above)


def _of_classes(metrics: pl.DataFrame) -> Iterator[AtChance]:
    rows = metrics.filter(
        pl.col("class").is_not_null(), pl.col("value").is_not_null(), metric="auc"
    )
    for row in rows.iter_rows(named=True):
        yield AtChance(
            row["model"], "auc", row["value"], row["low"], row["high"], 0.5, row["class"]
        )


def without_guesses(
    contest: Contest, guessing: tuple[AtChance, ...], data: DataRecord
) -> tuple[Contest, tuple[AtChance, ...]]:
    """The contest in accuracy: of a rare class, no better than the common one is no finding."""
    if not has_rare_class(data):
        return contest, guessing
    of_accuracy = {row.model: row.chance for row in guessing if row.measure == "accuracy"}
    others = tuple(row for row in guessing if row.measure != "accuracy")
    if not of_accuracy.keys() >= contest.values.keys():
        return contest, others
    return replace(contest, common=max(of_accuracy.values())), others


def backwards(data: DataRecord) -> str:
    """What to look at where an AUC is below one half."""
    if evaluation_of(data).pooled_fits:
        return "pooling scores of separately fitted folds can lower it"
    return "check which class is positive and which way the scores run"
