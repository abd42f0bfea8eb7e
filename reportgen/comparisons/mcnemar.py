"""McNemar's tests: do two models err on the same rows?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl
from scipy.special import bdtr, chdtrc

from reportgen.comparisons.kinds import comparison
from reportgen.comparisons.records import Comparison, told
from reportgen.intervals import PAIRED

FEW = 25
"""With fewer discordant rows than this a caveat gives their number."""

_NULL = "a row that exactly one of the two gets right is as likely to be the one's as the other's"


@dataclass(frozen=True, slots=True)
class Pairs:
    """How many rows both, exactly one, or none of two models got right."""

    both_right: int
    only_b_wrong: int
    only_a_wrong: int
    both_wrong: int

    @property
    def rows(self) -> int:
        """All rows."""
        return self.both_right + self.only_b_wrong + self.only_a_wrong + self.both_wrong

    @property
    def discordant(self) -> int:
        """Rows that exactly one model got right."""
        return self.only_a_wrong + self.only_b_wrong


def paired_counts(
    frame: pl.DataFrame, a: pl.Expr | str, b: pl.Expr | str, *, truth: str = "truth"
) -> Pairs:
    """Cross-count the correctness of two Boolean calls against a Boolean truth."""
    calls = (pl.col(call) if isinstance(call, str) else call for call in (a, b))
    return cross_counted(frame, *(call == pl.col(truth) for call in calls))


def cross_counted(frame: pl.DataFrame, right_a: pl.Expr, right_b: pl.Expr) -> Pairs:
    """Count the rows that both, one, or none of two models got right."""
    cells = [right_a & right_b, right_a & ~right_b, ~right_a & right_b, ~right_a & ~right_b]
    found = frame.lazy().select(cell.sum().alias(str(i)) for i, cell in enumerate(cells))
    return Pairs(*found.collect().row(0))


@comparison(
    {
        "mcnemar": "McNemar's test with continuity correction",
        "mcnemar_uncorrected": "McNemar's test without continuity correction",
        "mcnemar_exact": "McNemar's exact test",
        "mcnemar_midp": "McNemar's mid-p test",
    },
    "pair",
    "rows",
    symbol="χ²",
)
def mcnemar(
    pairs: Pairs,
    models: tuple[str, str] = ("a", "b"),
    *,
    alpha: float = 0.05,
    confidence: float = 0.95,
    caveats: tuple[str, ...] = (),
    metric: str = "accuracy",
    interval: str = "midp_paired",
) -> list[Comparison]:
    """Four forms of McNemar's test on one cross-count, two-sided.

    Null hypothesis: a row that exactly one model gets right is as likely to be
    the one's as the other's. Assumes independent rows. ``mcnemar`` is the
    book's (χ² with continuity, 1 df), ``mcnemar_uncorrected`` without it,
    ``mcnemar_exact`` the binomial test, ``mcnemar_midp`` its mid-p form, the
    recommended one: enumerated, it rejects true nulls at most 0.049 of the time
    and finds more than the exact test. The effect of each is the difference in
    accuracy; with the default ``interval`` its limits are score limits that agree
    with the form's own p, else the interval of that name. Undefined when no
    row is discordant.
    Zhou (2016), eq. 2.33; McNemar (1947), doi:10.1007/BF02295996;
    Fagerland et al. (2013), doi:10.1186/1471-2288-13-91.
    """
    base = Comparison(
        "mcnemar_exact", metric, models, _NULL, alpha, caveats=_caveats(pairs, caveats)
    )
    if pairs.discordant == 0:
        reason = "both models are right and wrong on the same rows" if pairs.rows else "no rows"
        base = replace(base, undefined=reason)
        return [replace(base, comparison=name) for name in _FORMS]
    base = replace(base, estimate=(pairs.only_b_wrong - pairs.only_a_wrong) / pairs.rows)
    return [
        replace(
            _with_limits(form, pairs, confidence, interval),
            standing="recommended" if form.comparison == "mcnemar_midp" else "valid",
        )
        for form in _forms(base, pairs)
    ]


_INTERVALS = {
    "mcnemar_midp": "midp_paired",
    "mcnemar_exact": "exact_paired",
    "mcnemar": "corrected_paired",
    "mcnemar_uncorrected": "tango",
}
"""The interval that agrees with the p of each form."""


def _with_limits(record: Comparison, pairs: Pairs, confidence: float, interval: str) -> Comparison:
    """The record with its limits: those of its own form unless another method is asked for."""
    name = _INTERVALS[record.comparison] if interval == "midp_paired" else interval
    cells = (pairs.both_right, pairs.only_b_wrong, pairs.only_a_wrong, pairs.both_wrong)
    low, high = PAIRED[name](*cells, confidence)
    return replace(record, low=low, high=high, interval=name)


def undefined_mcnemar(
    models: tuple[str, str], reason: str, alpha: float, metric: str = "accuracy"
) -> list[Comparison]:
    """The four forms without a value, for a pair that cannot be cross-counted."""
    return [
        Comparison(name, metric, models, _NULL, alpha, standing="avoid", undefined=reason)
        for name in _FORMS
    ]


_FORMS = ("mcnemar_exact", "mcnemar", "mcnemar_midp", "mcnemar_uncorrected")


def _forms(base: Comparison, pairs: Pairs) -> list[Comparison]:
    few, many = sorted((pairs.only_a_wrong, pairs.only_b_wrong))
    discordant = pairs.discordant
    corrected = max(many - few - 1, 0) ** 2 / discordant
    plain = (many - few) ** 2 / discordant
    exact = min(1.0, 2 * float(bdtr(few, discordant, 0.5)))
    at_few = float(bdtr(few, discordant, 0.5)) - (
        float(bdtr(few - 1, discordant, 0.5)) if few else 0.0
    )
    middle = 1 - at_few / 2 if few == many else 2 * float(bdtr(few, discordant, 0.5)) - at_few
    values: Mapping[str, tuple[float | None, float | None, float]] = {
        "mcnemar_exact": (float(few), None, exact),
        "mcnemar": (corrected, 1.0, float(chdtrc(1, corrected))),
        "mcnemar_midp": (float(few), None, middle),
        "mcnemar_uncorrected": (plain, 1.0, float(chdtrc(1, plain))),
    }
    least = 0.5 ** (discordant - 1)
    reachable = {"mcnemar_exact": least, "mcnemar_midp": least / 2}
    return [
        told(
            replace(
                base,
                comparison=name,
                statistic=statistic,
                df=df,
                p_value=p,
                reachable=reachable.get(name),
            )
        )
        for name, (statistic, df, p) in values.items()
    ]


def _caveats(pairs: Pairs, given: tuple[str, ...]) -> tuple[str, ...]:
    if not 0 < pairs.discordant < FEW:
        return given
    rows = "1 row" if pairs.discordant == 1 else f"{pairs.discordant} rows"
    return (f"exactly one model is correct on only {rows}", *given)
