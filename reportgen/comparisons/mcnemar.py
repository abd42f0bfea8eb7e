"""McNemar's tests: do two models err on the same rows?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TypedDict

import polars as pl
from scipy.special import bdtr, chdtrc

from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Trait, comparison
from reportgen.comparisons.wording import DECIDED_ALIKE
from reportgen.frames import FrameLike, polars_frame
from reportgen.intervals import PAIRED
from reportgen.metric_names import CORRECT_ROWS
from reportgen.tasks import CLASSIFICATION

FEW = 25
"""With fewer discordant rows than this a caveat gives their number."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """How many rows both, exactly one, or none of two models predict correctly."""

    both_correct: int
    only_b_wrong: int
    only_a_wrong: int
    both_wrong: int

    @property
    def rows(self) -> int:
        """All rows."""
        return self.both_correct + self.only_b_wrong + self.only_a_wrong + self.both_wrong

    @property
    def discordant(self) -> int:
        """Rows that exactly one model predicts correctly."""
        return self.only_a_wrong + self.only_b_wrong


def paired_counts(
    frame: FrameLike, a: pl.Expr | str, b: pl.Expr | str, *, truth: str = "truth"
) -> Pairs:
    """Cross-count the correctness of two Boolean predictions against a Boolean truth.

    Args:
        frame: rows: a Polars, pandas or PyArrow table, or a mapping of columns.
        a: the Boolean predictions of the first model, a column or an expression.
        b: those of the second one.
        truth: the Boolean column of the truth.

    Returns:
        How many rows both models, only one, or neither predicts correctly. A row in which
        anything is null is left out.

    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False], "a": [True, True, False], "b": [True, False, True]}
    ... )
    >>> paired_counts(frame, "a", "b")
    Pairs(both_correct=1, only_b_wrong=2, only_a_wrong=0, both_wrong=0)
    """
    first, second = (
        (pl.col(prediction) if isinstance(prediction, str) else prediction) == pl.col(truth)
        for prediction in (a, b)
    )
    return cross_tabulated(polars_frame(frame), first, second)


def cross_tabulated(
    frame: pl.DataFrame, correct_a: pl.Expr, correct_b: pl.Expr, count: str | None = None
) -> Pairs:
    """Count the rows that both, one, or none of two models predict correctly.

    A row stands for as many as its column ``count`` says, where one is named.
    """
    rows = pl.lit(1, pl.Int64) if count is None else pl.col(count)
    both = frame.select(a=correct_a, b=correct_b, n=rows)  # each is computed once
    a, b, n = pl.col("a"), pl.col("b"), pl.col("n")
    cells = [a & b, a & ~b, ~a & b, ~a & ~b]
    sums = [n.filter(cell).sum() if count else cell.sum() for cell in cells]
    return Pairs(*both.select(s.alias(str(i)) for i, s in enumerate(sums)).row(0))


EXACT_COUNT: tuple[str, tuple[Trait, ...]] = ("min(n10, n01)", ("few unlike rows",))
"""The statistic of the forms whose p is that of the binomial distribution, and what they know."""


@comparison(
    "pair",
    "rows",
    forms=(
        Form("mcnemar_midp", "McNemar's mid-p test", "McNemar (mid-p)", *EXACT_COUNT),
        Form("mcnemar_exact", "McNemar's exact test", "McNemar (exact)", *EXACT_COUNT),
        Form(
            "mcnemar", "McNemar's test with continuity correction", "McNemar χ² (corrected)", "χ²"
        ),
        Form(
            "mcnemar_uncorrected",
            "McNemar's test without continuity correction",
            "McNemar χ² (uncorrected)",
            "χ²",
        ),
    ),
    tasks=CLASSIFICATION,
    measures=CORRECT_ROWS,
)
def mcnemar(pairs: Pairs, question: Question, *, interval: str = "midp_paired") -> list[Comparison]:
    """Four forms of McNemar's test on one cross-count, two-sided.

    The effect of each is the difference in accuracy; with the default ``interval``
    its limits are score limits that agree with the form's own p, else those of the
    interval of that name. Enumerated, the mid-p form rejects true null hypotheses at
    most 0.049 of the time at a nominal 0.05, and has more power than the exact one.

    Args:
        pairs: how many rows both models, one, or neither predicts correctly.
        question: the models, their measure, and the levels of the test and of its interval.
        interval: the method of the limits.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure}: P(only the first correct) =
        P(only the second correct)
    Formula of mcnemar: χ² = (|b − c| − 1)² / (b + c), 1 df; b and c count the discordant
        rows
    Formula of mcnemar_uncorrected: χ² = (b − c)² / (b + c), 1 df
    Formula of mcnemar_exact: binomial test on the rows that exactly one model predicts
        correctly
    Formula of mcnemar_midp: the exact test with half the probability of the observed
        count
    Assumes: independent rows
    Undefined: no row is discordant
    Reference: Zhou (2016), eq. 2.33; McNemar (1947), doi:10.1007/BF02295996
    Reference of mcnemar_exact: McNemar (1947), doi:10.1007/BF02295996
    Reference of mcnemar_uncorrected: McNemar (1947), doi:10.1007/BF02295996
    Reference of mcnemar_midp: Fagerland, Lydersen & Laake (2013),
        doi:10.1186/1471-2288-13-91

    >>> tests = mcnemar(Pairs(80, 3, 12, 5), Question(("a", "b"), "accuracy"))
    >>> [(test.comparison, round(test.p_value, 4)) for test in tests][:2]
    [('mcnemar_midp', 0.0213), ('mcnemar_exact', 0.0352)]
    """
    if pairs.discordant == 0:
        reason = DECIDED_ALIKE if pairs.rows else "no rows"
        return question.undefined(reason, *FORMS)
    cells = (
        float(pairs.both_correct),
        float(pairs.only_b_wrong),
        float(pairs.only_a_wrong),
        float(pairs.both_wrong),
    )
    records = []
    for name, form in _forms(pairs).items():
        method = INTERVALS[name] if interval == "midp_paired" else interval
        limits_at = partial(PAIRED[method], *cells)
        low, high = limits_at(question.confidence)
        of_form = question.record(
            name,
            **form,
            estimate=(pairs.only_b_wrong - pairs.only_a_wrong) / pairs.rows,
            low=low,
            high=high,
            interval=method,
            limits_at=limits_at,
            cross_table=cells,
            caveats=_few(pairs),
        )
        records.append(of_form)
    return records


INTERVALS = {
    "mcnemar_midp": "midp_paired",
    "mcnemar_exact": "exact_paired",
    "mcnemar": "corrected_paired",
    "mcnemar_uncorrected": "tango",
}
"""The interval that agrees with the p of each form."""

FORMS = tuple(INTERVALS)
"""The four forms; the first is the one nearest to its level."""


class _Statistic(TypedDict, total=False):
    statistic: float
    df: float
    p_value: float
    reachable: float


def _forms(pairs: Pairs) -> dict[str, _Statistic]:
    """Statistic, degrees of freedom and p of each form, and the least p of so many rows."""
    few, many = sorted((pairs.only_a_wrong, pairs.only_b_wrong))
    discordant = pairs.discordant
    corrected = max(many - few - 1, 0) ** 2 / discordant
    plain = (many - few) ** 2 / discordant
    up_to = float(bdtr(few, discordant, 0.5))
    at_few = up_to - (float(bdtr(few - 1, discordant, 0.5)) if few else 0.0)
    middle = 1 - at_few / 2 if few == many else 2 * up_to - at_few
    least = 0.5 ** (discordant - 1)
    return {
        "mcnemar_midp": {"statistic": float(few), "p_value": middle, "reachable": least / 2},
        "mcnemar_exact": {
            "statistic": float(few),
            "p_value": min(1.0, 2 * up_to),
            "reachable": least,
        },
        "mcnemar": {"statistic": corrected, "df": 1.0, "p_value": float(chdtrc(1, corrected))},
        "mcnemar_uncorrected": {"statistic": plain, "df": 1.0, "p_value": float(chdtrc(1, plain))},
    }


def _few(pairs: Pairs) -> tuple[str, ...]:
    if pairs.discordant >= FEW:
        return ()
    if pairs.discordant == 0:
        return ("no row is predicted correctly by only one of the two models",)
    rows = "1 row is" if pairs.discordant == 1 else f"{pairs.discordant} rows are"
    return (f"only {rows} predicted correctly by exactly one of the two models",)
