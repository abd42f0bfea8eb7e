"""Do several models differ at all? Tests over data sets, and Cochran's Q over rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import chdtrc, fdtrc

from reportgen.comparisons.correct_together import CorrectTogether
from reportgen.comparisons.ranks import STEP, rank_models, ranks
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.metric_names import CORRECT_ROWS
from reportgen.tables import BlockScores
from reportgen.tasks import CLASSIFICATION

TIED = "all models are tied in every block"
_ALIKE = "every block ranks the models identically, so F has no value"


@comparison(
    "several",
    "data sets",
    forms=(Form("iman_davenport", "The Iman–Davenport test", "Iman–Davenport", "F"),),
    needs=Needs(least=6, given="blocks"),
)
def iman_davenport(
    scores: DataFrame[BlockScores], question: Question, *, ties: bool = True
) -> Comparison:
    """Friedman's test in its F form, which is less conservative.

    Args:
        scores: one row per block and model: ``block``, ``model``, ``value``.
        question: the models, their measure, and the levels of the test and of its interval.
        ties: whether the statistic is corrected for ties.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: all models have the same {measure}: in a block every ranking of
        them has the same probability
    Formula: F = (N − 1)χ² / (N(k − 1) − χ²), k − 1 and (k − 1)(N − 1) df; χ²:
        Friedman's statistic of k models over N blocks
    Assumes: independent blocks
    Undefined: as ``friedman``, and where every block ranks the models alike
    Reference: Zhou (2016), eq. 2.35; Iman & Davenport (1980),
        doi:10.1080/03610928008827904

    >>> rows = pl.DataFrame({"block": list("wwwxxxyyyzzz"), "model": list("abc") * 4})
    >>> values = [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5]
    >>> scores = BlockScores.validate(rows.with_columns(value=pl.Series(values)))
    >>> test = iman_davenport(scores, Question(("a", "b", "c"), "auc", unit="data sets"))
    >>> round(test.statistic, 4), round(test.p_value, 4)
    (13.0, 0.0066)
    """
    result = _chi_squared(scores, question, ties=ties)
    if isinstance(result, str):
        return _undefined("iman_davenport", question, result)
    statistic, blocks = result
    df = len(question.models) - 1
    residual = blocks * df - statistic
    if residual <= 1e-9 * blocks * df:
        return _undefined("iman_davenport", question, _ALIKE)
    return _of_f(
        "iman_davenport",
        question,
        blocks,
        (blocks - 1) * statistic / residual,
        effect="Kendall's W",
        estimate=statistic / (blocks * df),
    )


@comparison(
    "several",
    "data sets",
    forms=(Form("friedman", "Friedman's test", "Friedman", "χ²"),),
    needs=Needs(least=5, given="blocks"),
)
def friedman(
    scores: DataFrame[BlockScores], question: Question, *, ties: bool = True
) -> Comparison:
    """Friedman's test: do the mean ranks of k models over N blocks differ?

    The effect is Kendall's W, χ²/(N(k − 1)), from 0 (no agreement of the
    blocks) to 1. Where ``ties`` is False the plain formula
    12/(Nk(k + 1)) ΣR² − 3N(k + 1) is taken.

    Args:
        scores: one row per block and model: ``block``, ``model``, ``value``.
        question: the models, their measure, and the levels of the test and of its interval.
        ties: whether the statistic is corrected for ties.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: all models have the same {measure}: in a block every ranking of
        them has the same probability
    Formula: χ² = (k − 1)Σ(R − N(k + 1)/2)² / (Σr² − Nk(k + 1)²/4), k − 1 df; R: rank
        sums of k models over N blocks, r: single ranks, ties their mean
    Assumes: independent blocks
    Undefined: all models are tied in every block, or a value is missing
    Reference: Zhou (2016), eq. 2.34; Friedman (1937),
        doi:10.1080/01621459.1937.10503522

    >>> rows = pl.DataFrame({"block": list("wwwxxxyyyzzz"), "model": list("abc") * 4})
    >>> values = [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5]
    >>> scores = BlockScores.validate(rows.with_columns(value=pl.Series(values)))
    >>> test = friedman(scores, Question(("a", "b", "c"), "auc", unit="data sets"))
    >>> round(test.statistic, 4), round(test.p_value, 4)
    (6.5, 0.0388)
    """
    result = _chi_squared(scores, question, ties=ties)
    if isinstance(result, str):
        return _undefined("friedman", question, result)
    statistic, blocks = result
    df = len(question.models) - 1
    return _record(
        "friedman",
        question,
        blocks,
        statistic=statistic,
        df=float(df),
        p_value=float(chdtrc(df, statistic)),
        effect="Kendall's W",
        estimate=statistic / (blocks * df),
    )


@comparison(
    "several",
    "data sets",
    forms=(Form("quade", "Quade's test", "Quade", "F"),),
    needs=Needs(least=6, given="blocks"),
)
def quade(scores: DataFrame[BlockScores], question: Question) -> Comparison:
    """Quade's test: blocks in which the models lie further apart count for more.

    Args:
        scores: one row per block and model: ``block``, ``model``, ``value``.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: all models have the same {measure}: in a block every ranking of
        them has the same probability
    Formula: F = (N − 1)B/(A − B), k − 1 and (k − 1)(N − 1) df; A = ΣΣS², B = ΣS²/N of
        the models' sums, S = Q(r − (k + 1)/2), Q: rank of the block's range
    Assumes: independent blocks whose ranges can be compared
    Undefined: all models are tied, every block ranks alike, or a value is missing
    Reference: Quade (1979), doi:10.1080/01621459.1979.10481670

    >>> rows = pl.DataFrame({"block": list("wwwxxxyyyzzz"), "model": list("abc") * 4})
    >>> values = [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5]
    >>> scores = BlockScores.validate(rows.with_columns(value=pl.Series(values)))
    >>> test = quade(scores, Question(("a", "b", "c"), "auc", unit="data sets"))
    >>> round(test.statistic, 4), round(test.p_value, 4)
    (13.0, 0.0066)
    """
    means = rank_models(scores, question)
    if isinstance(means, str):
        return _undefined("quade", question, means)
    ranges = (
        ranks(scores, question)
        .with_columns(step=STEP)
        .group_by("block", maintain_order=True)
        .agg(
            "model",
            "rank",
            range=((pl.col("value").max() - pl.col("value").min()) / pl.col("step").max())
            .round()
            .fill_nan(0.0),
        )
        .with_columns(weight=pl.col("range").rank("average"))
        .explode("model", "rank")
        .with_columns(s=pl.col("weight") * (pl.col("rank") - (means.k + 1) / 2))
    )
    everything: float = ranges.select((pl.col("s") ** 2).sum()).item()
    by_model = ranges.group_by("model", maintain_order=True).agg(pl.col("s").sum())
    between: float = by_model.select((pl.col("s") ** 2).sum() / means.blocks).item()
    if everything == 0:
        return _undefined("quade", question, TIED)
    if everything - between <= 1e-9 * everything:
        return _undefined("quade", question, _ALIKE)
    statistic = (means.blocks - 1) * between / (everything - between)
    return _of_f("quade", question, means.blocks, statistic)


@comparison(
    "several",
    "data sets",
    forms=(Form("aligned_ranks", "The Friedman aligned-ranks test", "Aligned ranks", "χ²"),),
    needs=Needs(least=5, given="blocks"),
)
def aligned_ranks(scores: DataFrame[BlockScores], question: Question) -> Comparison:
    """Aligned ranks: all values less their block's mean are ranked together.

    For few models, where ranks within blocks say little.

    Args:
        scores: one row per block and model: ``block``, ``model``, ``value``.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: all models have the same {measure}: in a block every ranking of
        them has the same probability
    Formula: χ² = (k − 1)Σ(R − N(kN + 1)/2)² / (Σr² − ΣB²/k), k − 1 df. R are the rank sums of the
    models, B those of the blocks, r the ranks of all values less their block's mean
    Assumes: blocks that differ by a shift
    Undefined: all models are tied, or a value is missing
    Reference: Hodges & Lehmann (1962), doi:10.1214/aoms/1177704575; García et al.
        (2010), doi:10.1016/j.ins.2009.12.010

    >>> rows = pl.DataFrame({"block": list("wwwxxxyyyzzz"), "model": list("abc") * 4})
    >>> values = [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5]
    >>> scores = BlockScores.validate(rows.with_columns(value=pl.Series(values)))
    >>> test = aligned_ranks(scores, Question(("a", "b", "c"), "auc", unit="data sets"))
    >>> round(test.statistic, 4), round(test.p_value, 4)
    (6.5, 0.0388)
    """
    means = rank_models(scores, question)
    if isinstance(means, str):
        return _undefined("aligned_ranks", question, means)
    n, k = means.blocks, means.k
    aligned = (
        ranks(scores, question)
        .with_columns(step=STEP)
        .with_columns(
            a=((pl.col("value") - pl.col("value").mean().over("block")) / pl.col("step")).round()
        )
        .with_columns(r=pl.col("a").fill_nan(0.0).rank("average"))
    )
    centre = n * (k * n + 1) / 2
    by_model = aligned.group_by("model", maintain_order=True).agg(pl.col("r").sum())
    between: float = by_model.select(((pl.col("r") - centre) ** 2).sum()).item()
    squares: float = aligned.select((pl.col("r") ** 2).sum()).item()
    by_block = aligned.group_by("block", maintain_order=True).agg(pl.col("r").sum())
    within = squares - by_block.select((pl.col("r") ** 2).sum()).item() / k
    if within <= 1e-9 * squares:
        return _undefined("aligned_ranks", question, TIED)
    statistic = (k - 1) * between / within
    return _record(
        "aligned_ranks",
        question,
        n,
        statistic=statistic,
        df=k - 1.0,
        p_value=float(chdtrc(k - 1, statistic)),
    )


@comparison(
    "several",
    "rows",
    forms=(
        Form("cochran_q", "Cochran's Q test", "Cochran Q", "Q"),
        Form("looney_f", "Looney's F test", "Looney F", "F"),
    ),
    tasks=CLASSIFICATION,
    measures=CORRECT_ROWS,
    needs=Needs(least=10),
)
def cochran_q(
    rows: pl.DataFrame,
    correct: Mapping[str, pl.Expr],
    question: Question,
    count: str | None = None,
) -> list[Comparison]:
    """Cochran's Q and Looney's F: do several models predict equally many rows correctly?

    ``correct`` says of each model whether its prediction of a row is correct;
    each row stands for as many as its column ``count`` says, where one is named.
    The effect is Q/(N(L − 1)), from 0 to 1. Which pairs differ, McNemar's
    tests say.

    Args:
        rows: the rows that all models predict.
        correct: whether each model predicts a row correctly, as expressions.
        question: the models, their measure, and the levels of the test and of its interval.
        count: the column of how many rows a row stands for; None: one.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: all models have the same {measure} in the population
    Formula: Q = L(L − 1)Σ(G − Ḡ)² / (LΣG − ΣS²), χ² with L − 1 df; G: rows that each of L
        models predicts correctly, S: models that predict each row correctly
    Formula of looney_f: F = Q(N − 1) / (N(L − 1) − Q), L − 1 and (L − 1)(N − 1) df
    Assumes: independent rows
    Undefined: all models are correct on the same rows
    Reference: Cochran (1950), doi:10.1093/biomet/37.3-4.256; Serlin, Carr &
        Marascuilo (1982), doi:10.1037/0033-2909.92.3.786
    Reference of looney_f: Looney (1988), doi:10.1016/0167-8655(88)90016-5

    >>> rows = pl.DataFrame(
    ...     {
    ...         "a": [True, True, True, False],
    ...         "b": [True, False, True, False],
    ...         "c": [False, False, True, False],
    ...     }
    ... )
    >>> correct = {name: pl.col(name) for name in "abc"}
    >>> tests = cochran_q(rows, correct, Question(("a", "b", "c"), "accuracy"))
    >>> [(test.comparison, round(test.p_value, 4)) for test in tests]
    [('cochran_q', 0.2231), ('looney_f', 0.2441)]
    """
    return shares_differ(CorrectTogether.of(rows, correct, count), question)


def shares_differ(together: CorrectTogether, question: Question) -> list[Comparison]:
    """The tests of rows that are counted already."""
    models, n = len(together.both), round(together.rows)
    if reason := "fewer than two models" if models < 2 else "no rows" if not n else None:
        return question.undefined(reason, "cochran_q", "looney_f")
    sums, squares = together.both.diagonal().tolist(), float(together.both.sum())
    mean = sum(sums) / models
    denominator = models * sum(sums) - squares
    if denominator <= 0:
        reason = "all models are correct on the same rows"
        return question.undefined(reason, "cochran_q", "looney_f")
    q = models * (models - 1) * sum((s - mean) ** 2 for s in sums) / denominator
    df = models - 1.0
    effect = {"effect": "share of the maximum of Q", "estimate": q / (n * df)}
    first = _record(
        "cochran_q", question, n, "rows", statistic=q, df=df, p_value=float(chdtrc(df, q)), **effect
    )
    left = n * df - q
    if left <= 1e-9 * n * df:
        return [first, _undefined("looney_f", question, "F has no value: Q is at its maximum")]
    return [first, _of_f("looney_f", question, n, q * (n - 1) / left, unit="rows", **effect)]


def _chi_squared(
    scores: DataFrame[BlockScores], question: Question, *, ties: bool
) -> tuple[float, int] | str:
    """Friedman's statistic and the number of blocks, or why there is none."""
    means = rank_models(scores, question)
    if isinstance(means, str):
        return means
    if means.variation <= 1e-9 * means.squares:
        return TIED
    n, k = means.blocks, means.k
    whole = means.variation if ties else n * k * (k + 1) * (k - 1) / 12
    return (k - 1) * means.between / whole, n


def _of_f(
    name: str,
    question: Question,
    blocks: int,
    statistic: float,
    *,
    unit: str = "blocks",
    **fields: Any,
) -> Comparison:
    df = len(question.models) - 1.0
    df_denominator = df * (blocks - 1)
    p = float(fdtrc(df, df_denominator, statistic))
    return _record(
        name,
        question,
        blocks,
        unit,
        statistic=statistic,
        df=df,
        df_denominator=df_denominator,
        p_value=p,
        **fields,
    )


def _record(
    name: str, question: Question, blocks: int, unit: str = "data sets", **fields: Any
) -> Comparison:
    counted = f"{blocks} {unit.removesuffix('s') if blocks == 1 else unit}"
    few = (f"only {counted}: the p-value is approximate",) if blocks < 10 else ()
    assumptions = (f"{len(question.models)} models on the same {counted}",)
    return question.record(name, assumptions=assumptions, caveats=few, **fields)


def _undefined(name: str, question: Question, reason: str) -> Comparison:
    return question.record(name, undefined=reason)
