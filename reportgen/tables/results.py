"""The other tables of the results: metrics, comparisons and what is reported of them."""

from __future__ import annotations

import pandera.polars as pa
import polars as pl

from reportgen.tables.checked import Checked, ResultTable


class Metrics(ResultTable):
    """One row per number: its value or why it has none, its interval and how that was made.

    ``least`` and ``most`` are certain: where scores were counted in cells, the
    value of all rows lies between them. They are null where the value is
    exact, and where there is no such bound.
    """

    metric: str
    model: str
    slice: str = pa.Field(nullable=True)
    class_: str = pa.Field(alias="class", nullable=True)
    average: str = pa.Field(nullable=True)
    threshold: pl.Float64 = pa.Field(nullable=True)
    value: pl.Float64 = pa.Field(nullable=True)
    low: pl.Float64 = pa.Field(nullable=True)
    high: pl.Float64 = pa.Field(nullable=True)
    interval: str = pa.Field(nullable=True)
    undefined: str = pa.Field(nullable=True)
    least: pl.Float64 = pa.Field(nullable=True)
    most: pl.Float64 = pa.Field(nullable=True)


class Comparisons(ResultTable):
    """One row per test: statistic, p-values, effect with interval, and a sentence.

    ``estimate`` is what ``effect`` says, for a pair first model minus second.
    ``label`` is the test's name in a sentence, ``short`` in a cell, ``symbol`` that
    of its statistic, ``shows`` what a rejection shows, ``unit`` what was taken as
    one observation.
    ``p_adjusted`` is corrected for the ``family_size`` tests of its ``family``;
    ``reject`` is decided on it, and ``simultaneous_low`` and ``simultaneous_high``
    are limits that hold together at 1 − α over that family and agree with it
    (Bonferroni; ``low`` and ``high`` are those of this test alone). ``recommendation`` is
    "recommended", "valid" or "avoid", and ``why`` the reason. ``against`` is the claimed
    value, the margin or half the region of practical equivalence; ``critical`` the least
    effect that rejects; ``detectable`` the true difference that would have been
    found four times in five.
    ``probabilities`` are a posterior's: first better, practically the same,
    second better. ``critical_statistic`` is the value at which the statistic
    rejects at α, before any correction. ``p_report`` is p adjusted after Holm over
    every test of the report that decides: claims and gaps between slices too.
    ``reachable`` is the smallest p that data of this size could have given, of the
    tests that know it.
    ``cross_table`` are the rows that both models, only the first, only the second
    and neither predict correctly, of the tests that count these.
    ``side`` is the side of the claim on which a one-sided test looks for the value.
    ``evidence`` is what the verdict rests on: the effect with its limits, and the test;
    of several models the test.
    """

    comparison: str
    label: str
    short: str
    symbol: str
    shows: str = pa.Field(isin=["difference", "equivalence", "non_inferiority", "probability"])
    metric: str
    models: pl.List(pl.String)  # type: ignore[valid-type]  # pandera reads the instance
    slice: str = pa.Field(nullable=True)
    unit: str = pa.Field(isin=["rows", "folds", "repeats", "data sets", "samples"])
    recommendation: str = pa.Field(isin=["recommended", "valid", "avoid"])
    why: str = pa.Field(nullable=True)
    null_hypothesis: str
    statistic: pl.Float64 = pa.Field(nullable=True)
    df: pl.Float64 = pa.Field(nullable=True)
    df_denominator: pl.Float64 = pa.Field(nullable=True)
    critical_statistic: pl.Float64 = pa.Field(nullable=True)
    p_value: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    p_adjusted: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    p_report: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    reachable: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    correction: str = pa.Field(nullable=True)
    family: str = pa.Field(nullable=True)
    family_size: pl.Float64 = pa.Field(ge=1, nullable=True)
    effect: str
    estimate: pl.Float64 = pa.Field(nullable=True)
    low: pl.Float64 = pa.Field(nullable=True)
    high: pl.Float64 = pa.Field(nullable=True)
    interval: str = pa.Field(nullable=True)
    simultaneous_low: pl.Float64 = pa.Field(nullable=True)
    simultaneous_high: pl.Float64 = pa.Field(nullable=True)
    against: pl.Float64 = pa.Field(nullable=True)
    side: str = pa.Field(isin=["above", "below"], nullable=True)
    critical: pl.Float64 = pa.Field(nullable=True)
    detectable: pl.Float64 = pa.Field(nullable=True)
    probabilities: pl.List(pl.Float64)  # type: ignore[valid-type]
    cross_table: pl.List(pl.Float64)  # type: ignore[valid-type]
    alpha: pl.Float64
    reject: pl.Boolean = pa.Field(nullable=True)
    better: str = pa.Field(nullable=True)
    undefined: str = pa.Field(nullable=True)
    verdict: str
    evidence: str = pa.Field(nullable=True)
    assumptions: pl.List(pl.String)  # type: ignore[valid-type]
    caveats: pl.List(pl.String)  # type: ignore[valid-type]


class Differences(ResultTable):
    """How far two models differ in a main measure: first minus second of ``models``.

    ``interval`` names its method: that of the recommended test where the
    measure has one, else of paired rows. Where there is no value ``undefined``
    says why; a value without limits is of models that hardly differ. ``basis``
    is what value and limits are computed from: pooled rows, groups of them, the
    mean over folds, or data sets.
    """

    metric: str
    models: pl.List(pl.String)  # type: ignore[valid-type]  # pandera reads the instance
    value: pl.Float64 = pa.Field(nullable=True)
    low: pl.Float64 = pa.Field(nullable=True)
    high: pl.Float64 = pa.Field(nullable=True)
    interval: str = pa.Field(nullable=True)
    undefined: str = pa.Field(nullable=True)
    basis: str


class FoldScores(Checked):
    """A measure of each model in each fold: what the tests over folds read.

    ``value`` is null where the measure is undefined in that fold; the two
    sizes are rows of the training and of the test part.
    """

    repeat: str
    fold: str
    model: str
    value: pl.Float64 = pa.Field(nullable=True)
    train_rows: pl.Float64 = pa.Field(gt=0, nullable=True)
    test_rows: pl.Float64 = pa.Field(gt=0, nullable=True)


class FoldPairs(Checked):
    """A measure of two models, fold by fold, in the order of repeats and folds."""

    repeat: str
    fold: str
    first: pl.Float64 = pa.Field(nullable=True)
    second: pl.Float64 = pa.Field(nullable=True)
    train_rows: pl.Float64 = pa.Field(gt=0, nullable=True)
    test_rows: pl.Float64 = pa.Field(gt=0, nullable=True)


class BlockScores(Checked):
    """A measure of each model on each block: a data set, or a fold that stands for itself."""

    block: str
    model: str
    value: pl.Float64 = pa.Field(nullable=True)


class FoldMetrics(ResultTable):
    """A measure of each model on the test rows of each fit, and on its training rows if known.

    ``value`` is null where the measure is undefined there. Data set, repeat and
    fold are null where the predictions have none, ``rows`` where a table of
    values does not tell them.
    """

    metric: str
    model: str
    dataset: str = pa.Field(nullable=True)
    repeat: str = pa.Field(nullable=True)
    fold: str = pa.Field(nullable=True)
    role: str = pa.Field(isin=["train", "test"])
    rows: pl.Float64 = pa.Field(gt=0, nullable=True)
    value: pl.Float64 = pa.Field(nullable=True)


class Generalisation(ResultTable):
    """How a model errs on rows that it was not trained on: one row per quantity and error.

    ``verdict`` stands with the gap: "overfitting" where it is significant and more
    than half of the test error, "gap" where it is significant but smaller, "no
    significant gap", or "underfitting". ``relative`` is the gap as a share of the test error,
    ``trained_on`` the share of the examples that a fit was trained on.
    """

    quantity: str
    metric: str
    model: str
    value: pl.Float64 = pa.Field(nullable=True)
    low: pl.Float64 = pa.Field(nullable=True)
    high: pl.Float64 = pa.Field(nullable=True)
    interval: str = pa.Field(nullable=True)
    undefined: str = pa.Field(nullable=True)
    verdict: str = pa.Field(
        isin=["overfitting", "gap", "no significant gap", "underfitting"], nullable=True
    )
    relative: pl.Float64 = pa.Field(nullable=True)
    trained_on: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)


class Dominance(ResultTable):
    """Whether one curve lies nowhere below another: one row per pair and kind of curve.

    ``relation`` is "contains" (the first model's curve contains the second's),
    "is contained", "crosses" or "coincides". Regions are in the curve's own
    x (false-positive rate, recall, probability cost), each with its winner
    (null: tied). ``stability`` is the share of bootstrap samples in which the
    relation comes out the same, of so many ``replicates``; null where none were drawn.
    """

    curve: str = pa.Field(isin=["roc", "precision_recall", "cost"])
    models: pl.List(pl.String)  # type: ignore[valid-type]
    slice: str = pa.Field(nullable=True)
    relation: str = pa.Field(isin=["contains", "is contained", "crosses", "coincides"])
    crossings: pl.List(pl.Float64)  # type: ignore[valid-type]
    region_low: pl.List(pl.Float64)  # type: ignore[valid-type]
    region_high: pl.List(pl.Float64)  # type: ignore[valid-type]
    region_better: pl.List(pl.String)  # type: ignore[valid-type]
    stability: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    replicates: pl.Float64 = pa.Field(nullable=True)
    verdict: str


class Slices(ResultTable):
    """The slices of the evaluated rows and their sizes: one row per slice.

    ``slicing`` has the columns, ``values`` what they are in this slice, and
    ``slice`` is its name in the other tables. Rows count once each, whatever
    their weight; ``positives`` are those of two classes. ``small`` ones say
    little, and no gap is read off them.
    """

    slicing: pl.List(pl.String)  # type: ignore[valid-type]
    slice: str
    values: pl.List(pl.String)  # type: ignore[valid-type]
    rows: pl.Float64 = pa.Field(gt=0)
    positives: pl.Float64 = pa.Field(ge=0, nullable=True)
    small: pl.Boolean


class Gaps(ResultTable):
    """Where slices differ most: one row per slicing, model and measure.

    ``gap`` is the highest minus the lowest value of the ``slices`` that are not
    small and have one. ``p_value`` is that of the test of these two slices,
    corrected for the pairs that they were picked from; ``p_adjusted`` for all
    gaps of the slicing as well, ``p_report`` for every test of the report that
    decides. Where there is none, ``untested`` says why.
    ``rough``: fewer than 5 rows of a kind are expected in a slice. ``left_out``
    are the small slices.
    """

    slicing: pl.List(pl.String)  # type: ignore[valid-type]
    model: str
    metric: str
    average: str = pa.Field(nullable=True)
    lowest: str
    highest: str
    lowest_value: pl.Float64
    highest_value: pl.Float64
    gap: pl.Float64 = pa.Field(ge=0)
    slices: pl.Float64 = pa.Field(ge=2)
    p_value: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    p_adjusted: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    p_report: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    rough: pl.Boolean
    untested: str = pa.Field(nullable=True)
    left_out: pl.List(pl.String)  # type: ignore[valid-type]


class Gates(ResultTable):
    """One row per gate: the observed value with its interval, the limit, and whether it holds.

    ``margin`` is how far the value is on the right side of the limit, negative
    on the wrong one. ``basis`` is what value and interval are computed from, ``why``
    what leaves an inconclusive gate open, or which rule raised an alarm.

    A gate by a column has a row for each ``slice``. Of a gate against earlier builds ``against``
    names the build, or says how many; ``observed`` is the difference to it, or the value
    that has its ``limit`` from history; ``confidence`` is the level of its interval, ``cusum``
    the sum beside the limit. ``night`` counts the builds of one alarm, from 1. ``usual`` is the
    median change between accepted builds on the same rows, beside a paired difference. Of a gate on
    the rows of all builds ``fresh`` is the difference on those of this one, with its error.
    """

    gate: str
    slice: str = pa.Field(nullable=True)
    observed: pl.Float64 = pa.Field(nullable=True)
    low: pl.Float64 = pa.Field(nullable=True)
    high: pl.Float64 = pa.Field(nullable=True)
    limit: pl.Float64 = pa.Field(nullable=True)
    margin: pl.Float64 = pa.Field(nullable=True)
    basis: str
    state: str = pa.Field(isin=["pass", "fail", "inconclusive"])
    why: str = pa.Field(nullable=True)
    against: str = pa.Field(nullable=True)
    confidence: pl.Float64 = pa.Field(nullable=True)
    cusum: pl.Float64 = pa.Field(nullable=True)
    cusum_limit: pl.Float64 = pa.Field(nullable=True)
    night: pl.Float64 = pa.Field(ge=1, nullable=True)
    usual: pl.Float64 = pa.Field(ge=0, nullable=True)
    fresh: pl.Float64 = pa.Field(nullable=True)
    fresh_error: pl.Float64 = pa.Field(gt=0, nullable=True)


class NotableRows(ResultTable):
    """Single rows to look at: one record per row and list, the worst first.

    ``kind`` is "error" (wrong decisions of one model, the most confident first), "residual"
    (estimates of one model, the largest loss first) or "disagreement" (rows on which ``models``
    differ most). ``measure`` names what orders the list, and ``value`` is that of the row. ``row``
    counts from 1 within ``file`` (null: a data frame); ``id`` is there as ``privacy.ids`` says.
    ``truth`` and ``predicted`` are labels, of several labels "1" or "0" for the label ``class``;
    ``truth_value`` is a number. ``outputs`` has the score of the positive class, of the predicted
    class or of the label, or the estimate, by model; ``truth_outputs`` the score of the true one of
    several classes. Of rows that belong together (a group, or the repeats of an example) the first
    one stands for all: ``unit_rows`` says how many there are, ``unit_errors`` in how many of them
    the decision is wrong. ``shown`` are the values of the columns that ``privacy.show`` names.
    """

    kind: str = pa.Field(isin=["error", "residual", "disagreement"])
    models: pl.List(pl.String)  # type: ignore[valid-type]  # pandera reads the instance
    rank: pl.Float64 = pa.Field(ge=1)
    file: str = pa.Field(nullable=True)
    row: pl.Float64 = pa.Field(ge=1)
    id: str = pa.Field(nullable=True)
    dataset: str = pa.Field(nullable=True)
    slices: pl.List(pl.String)  # type: ignore[valid-type]
    truth: str = pa.Field(nullable=True)
    truth_value: pl.Float64 = pa.Field(nullable=True)
    class_: str = pa.Field(alias="class", nullable=True)
    predicted: pl.List(pl.String)  # type: ignore[valid-type]
    outputs: pl.List(pl.Float64)  # type: ignore[valid-type]
    truth_outputs: pl.List(pl.Float64)  # type: ignore[valid-type]
    measure: str
    value: pl.Float64 = pa.Field(nullable=True)
    unit_rows: pl.Float64 = pa.Field(ge=1, nullable=True)
    unit_errors: pl.Float64 = pa.Field(ge=0, nullable=True)
    shown: pl.List(pl.String)  # type: ignore[valid-type]


FOLD_KEYS = ("metric", "model", "role")
"""The columns that name one line of ``FoldMetrics``; a fold is a place along it."""
