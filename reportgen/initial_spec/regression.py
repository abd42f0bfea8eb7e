"""Numbers: a numeric truth of more than a few values, and columns that estimate it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set

import polars as pl

from reportgen.column_statistics import as_float
from reportgen.initial_spec import column_roles
from reportgen.initial_spec.candidates import CandidateModel, ColumnRoles, free, short, used
from reportgen.initial_spec.column_roles import HINTS
from reportgen.initial_spec.profile import FEW, ColumnProfile, without
from reportgen.initial_spec.quantile_names import (
    is_percentile,
    is_quantile,
    ordered_quantiles,
    quantile_named,
    shared_quantiles,
    stem,
    with_quantiles,
)
from reportgen.initial_spec.weight_columns import on_scale, weighed
from reportgen.measuring_units import as_sentence, factor_of
from reportgen.text.words import name_words as words

ESTIMATE = HINTS["label"] | frozenset(
    {"est", "estimate", "estimated", "forecast", "fit", "fitted", "expected"}
)
_COUNTS = frozenset({"claims", "count", "counts"})
"""Words of a truth of counts, which may have few values."""
_OBSERVED = _COUNTS | words(
    "admissions arrivals bookings consumption cost costs deaths demand income load orders "
    "passengers price prices quantity rentals revenue rides sales sold trips turnover units visits "
    "价格 销量 需求 需求量 订单 订单数"
)
"""Words of numbers that are observed, whether or not they are whole."""
ENDS: Mapping[str, frozenset[str]] = {
    "low": frozenset({"low", "lower", "lo", "lwr", "min"}),
    "high": frozenset({"high", "higher", "upper", "hi", "upr", "max"}),
}
_OF_STATSMODELS = {"low": "obs_ci_lower", "high": "obs_ci_upper"}
"""Limits of new observations in a summary frame of statsmodels, whose estimate is ``mean``."""
_NOT_NUMBERS = ("fold", "repeat", "role", "weight", "group")


def regression_roles(columns: Sequence[ColumnProfile], *, named: bool) -> ColumnRoles | None:
    """Return the candidates where numbers estimate a column of numbers.

    ``named``: only where the names say which is the truth and which are estimates, beside which
    others that are as close are taken; else columns that are closer to the truth than its
    median, or in the square than its mean, and those on its scale that are named for models.
    """
    counted = any((c.fractional and says(c, ESTIMATE)) or c.evidence for c in columns)
    usable = [c for c in columns if _may_be_number(c, counted=counted)]
    ends = {use: [c for c in usable if says(c, ENDS[use]) and not c.stated_truth] for use in ENDS}
    limits = [*ends["low"], *ends["high"]]
    estimate_columns = [c for c in usable if _named_estimate(c, limits)]
    inner = [c for c in usable if all(c is not other for other in limits)]
    alone = weighed(columns, estimate_columns) if len(inner) == len(estimate_columns) else []
    inner += alone
    unnamed = [c for c in inner if all(c is not e for e in estimate_columns)]
    for truth in sorted(
        inner,
        key=lambda c: (column_roles.named_truth(c), _counts(c), not column_roles.named_model(c)),
        reverse=True,
    ):
        near = [closer(c, truth) for c in estimate_columns]
        repeated = any(_repeats(c, truth) for c in estimate_columns)
        close = bool(near) and (all(near) or (any(near) and (len(unnamed) == 1 or repeated)))
        stated = bool(truth.stated_truth)
        if not column_roles.may_be_truth(truth) or (_named_estimate(truth, limits) and not stated):
            continue
        named_so = column_roles.named_truth(truth) or (_counts(truth) and not named)
        if not named_so and not close and all(truth is not c for c in alone):
            continue
        remaining = [c for c in columns if c is not truth]
        uses = used(remaining)
        others = [truth, *uses.values()]
        estimates = [
            (c, why)
            for c in inner
            if all(c is not other for other in others)
            for why in [_why(c, truth, limits, named=named)]
            if why
        ]
        estimates = with_quantiles(estimates, inner, others, columns)
        plain = [(c, why) for c, why in estimates if not is_percentile(c)]
        estimates = plain or estimates
        if estimates:
            assigned = [*(c for c, _ in estimates), *others]
            near_too = _as_close(estimate_columns, truth, without(unnamed, assigned))
            near_too = near_too if named else []
            estimates = [*estimates, *((c, _CLOSER) for c in near_too), *_constants(columns)]
            models, taken = _models(estimates, ends, {*truth.words, truth.name.casefold()})
            reason = "estimates are close to it" if close else "there are no other numbers"
            reason = column_roles.truth_reason(truth) if named_so else reason
            why = f"{truth.distinct:,} different numbers, and {reason}"
            rivals = [c.name for c in near_too if not (named_so or column_roles.named_model(c))]
            return ColumnRoles(
                "regression", truth, why, models, [*taken, *uses.values()], uses, rivals=rivals
            )
    return None


def _constants(columns: Sequence[ColumnProfile]) -> list[tuple[ColumnProfile, str]]:
    """Columns of one number that are named as estimates, such as pred_zero."""
    one = (c for c in columns if c.distinct == 1 and c.numbers is not None and c.complete)
    return [(c, "a constant, and its name says so") for c in one if says(c, ESTIMATE)]


def _repeats(estimate: ColumnProfile, truth: ColumnProfile) -> bool:
    """Whether an estimate near the truth repeats its name, as pred_price does beside price."""
    repeated = bool(truth.words) and estimate.words - ESTIMATE == truth.words
    return repeated and closer(estimate, truth)


def _as_close(
    estimates: Sequence[ColumnProfile], truth: ColumnProfile, others: Sequence[ColumnProfile]
) -> list[ColumnProfile]:
    """Columns that are not named as estimates, though they estimate as well.

    Closer than a constant is not enough, as features on the truth's scale are that too: they
    have a model's name, or at most twice the error of the worst of those that are named.
    """
    worst = max((_error(c, truth) for c in estimates if closer(c, truth)), default=0.0)
    return [
        c
        for c in others
        if closer(c, truth)
        and not is_quantile(c)
        and (column_roles.named_model(c) or _error(c, truth) <= 2 * worst)
    ]


def _error(column: ColumnProfile, truth: ColumnProfile) -> float:
    """The mean absolute error."""
    if column.numbers is None or truth.numbers is None:
        return float("inf")
    return as_float((column.numbers - truth.numbers).abs().mean())


def unnamed_regression(columns: Sequence[ColumnProfile]) -> ColumnRoles | None:
    """The first column of numbers that is not named for a model, if all others are close to it.

    One that is named for what is observed, such as a price, goes first. Columns near each other
    are no features: each is closer to the first than its median or mean is, or one is and the
    others have the names of models and its scale.
    """
    whole = any(map(column_roles.named_model, columns))
    usable = [
        c
        for c in columns
        if _may_be_number(c, counted=False) and (c.fractional or (whole and _is_amount(c)))
    ]
    free_columns = [c for c in usable if not column_roles.named_model(c)]
    truth = max(free_columns, key=observed, default=None)
    if truth is None or len(usable) < 2 or any(c.stated_truth for c in columns):
        return None
    ends = ends_beside([c for c in usable if c is not truth])
    others = without(usable, [truth, *ends["low"], *ends["high"]])
    reasons = [(c, _why(c, truth, (), named=False)) for c in others]
    if not all(why for _, why in reasons):
        return None
    if not any(closer(c, truth) or _factor(c, truth) for c in others):
        return None
    uses = used([c for c in columns if all(c is not other for other in usable)])
    models, taken = _models(reasons, ends, {truth.name.casefold()})
    why = f"{truth.distinct:,} different numbers, and the others follow it"
    algorithms = [c for c in others if column_roles.named_model(c)]
    algorithms = [c for c in algorithms if not column_roles.hinted(c, "model")]
    rivals = [c.name for c in without(others, algorithms)]
    return ColumnRoles(
        "regression", truth, why, models, [*taken, *uses.values()], uses, rivals=rivals
    )


def counted_regression(columns: Sequence[ColumnProfile]) -> ColumnRoles | None:
    """Whole numbers that columns with the names of models are close to, as numbers sold.

    Where their name says that they are observed, columns with any other name do as well. Other
    whole numbers that are close to them may be estimates as well, or the truth.
    """
    free_columns = [c for c in columns if not any(column_roles.hinted(c, u) for u in _NOT_NUMBERS)]
    whole = [c for c in free_columns if _may_be_count(c)]
    named = [c for c in free_columns if c.fractional and c.complete and column_roles.named_model(c)]
    whole = whole if all(column_roles.may_be_truth(c) for c in columns) else []
    for truth in sorted(whole, key=observed, reverse=True):
        near = [c for c in free_columns if c.fractional and c.complete and closer(c, truth)]
        near = near if observed(truth) else [c for c in near if column_roles.named_model(c)]
        ends = ends_beside([c for c in free_columns if c.fractional and c.complete])
        limits = [*ends["low"], *ends["high"]]
        near, named = without(near, limits), without(named, limits)
        if not near or any(all(c is not one for one in near) for c in named):
            continue
        rivals = [c for c in whole if c is not truth and closer(c, truth)]
        taken = [*near, *rivals]
        uses = used(without(columns, [truth, *taken, *limits]))
        estimates = [(c, _CLOSER) for c in taken]
        models, taken = _models(estimates, ends, {truth.name.casefold()})
        why = f"{truth.distinct:,} different whole numbers, and models are close to it"
        names = [c.name for c in rivals]
        assigned = [*taken, *uses.values()]
        return ColumnRoles("regression", truth, why, models, assigned, uses, rivals=names)
    return None


def ends_beside(columns: Sequence[ColumnProfile]) -> dict[str, list[ColumnProfile]]:
    """Columns that are named as both limits of another one: gbm_low and gbm_high beside gbm."""
    ends = {
        end: {short(_apart(c.name, words), ESTIMATE | words): c for c in columns if says(c, words)}
        for end, words in ENDS.items()
    }
    limits = [c for by_model in ends.values() for c in by_model.values()]
    inner = {short(_apart(c.name, ESTIMATE), ESTIMATE) for c in without(columns, limits)}
    both = inner & ends["low"].keys() & ends["high"].keys()
    return {
        end: [c for name, c in by_model.items() if name in both] for end, by_model in ends.items()
    }


def _is_amount(column: ColumnProfile) -> bool:
    """Whether whole numbers are amounts, such as prices: most differ, and they count no rows."""
    numbers = column.numbers
    return numbers is not None and 2 * column.distinct > len(numbers) and not numbers.is_sorted()


def observed(column: ColumnProfile) -> bool:
    """Whether a column is named for what is observed, and not for a model of it."""
    return bool(column.words & _OBSERVED) and not column_roles.named_model(column)


def _may_be_count(column: ColumnProfile) -> bool:
    """Whether whole numbers from 0 return and count no rows, nor are they named for a model."""
    numbers = column.numbers
    return (
        numbers is not None
        and column.complete
        and not column.fractional
        and column.within(0, float("inf"))
        and 2 < column.distinct < len(numbers)
        and not any(column_roles.hinted(column, use) for use in ("id", "score", "label"))
        and not column_roles.named_model(column)
        and not numbers.is_sorted()
    )


def _may_be_number(column: ColumnProfile, *, counted: bool) -> bool:
    """Whether a column is of numbers rather than of classes, whose values are few.

    ``counted``: estimates that are not whole stand beside it, as for a truth of counts.
    """
    few = counted or column.stated_truth or says(column, ESTIMATE) or _counts(column)
    return (
        column.numbers is not None
        and column.complete
        and column.distinct > (2 if few else FEW)
        and not any(column_roles.hinted(column, use) for use in _NOT_NUMBERS)
        and (column.fractional or not column_roles.hinted(column, "model"))
    )


def _named_estimate(column: ColumnProfile, limits: Sequence[ColumnProfile]) -> bool:
    summary = {*_OF_STATSMODELS.values()} <= {c.name for c in limits}
    return says(column, ESTIMATE) or (summary and column.name == "mean")


def says(column: ColumnProfile, words: Set[str]) -> bool:
    """Whether a word of the name, such as est2 without its number, is one of these."""
    return any(word.rstrip("0123456789") in words for word in column.words)


def _counts(column: ColumnProfile) -> bool:
    """Whether numbers are counts by their name and values."""
    counts = column.words & _COUNTS and not column.fractional
    return bool(counts) and column.within(0, float("inf"))


_CLOSER = "numbers closer to the truth than a constant would be"


def _why(
    column: ColumnProfile, truth: ColumnProfile, limits: Sequence[ColumnProfile], *, named: bool
) -> str:
    if _named_estimate(column, limits):
        return "numbers, and its name says so"
    if not named and closer(column, truth):
        return _CLOSER
    if not named and stem(column.name) and on_scale(column, truth):
        return "a quantile by its name"
    if not named and (factor := _factor(column, truth)):
        return f"like {as_sentence(factor)}: another unit?"
    if not named and column_roles.named_model(column) and on_scale(column, truth):
        return "numbers on the truth's scale, and its name is that of a model"
    return ""


def closer(column: ColumnProfile, truth: ColumnProfile) -> bool:
    """Whether numbers have less absolute error than the median, or squared error than the mean.

    The median of counts may be 0, which no estimate of a mean is closer to.
    """
    if column.numbers is None or truth.numbers is None:
        return False
    off = column.numbers - truth.numbers
    centred = truth.numbers - truth.numbers.mean()
    return as_float(off.abs().mean()) < as_float(
        (truth.numbers - truth.numbers.median()).abs().mean()
    ) or as_float((off**2).mean()) < as_float((centred**2).mean())


def _factor(column: ColumnProfile, truth: ColumnProfile) -> float | None:
    """What numbers may be multiplied by to be in the truth's unit."""
    if column.numbers is None or truth.numbers is None or column.labels:
        return None
    pairs = pl.DataFrame({"truth": truth.numbers, "estimate": column.numbers})
    true, estimated, correlation = pairs.select(
        pl.col("truth").mean(),
        pl.col("estimate").mean(),
        correlation=pl.corr("truth", "estimate"),
    ).row(0)
    return factor_of(true / estimated, correlation) if estimated else None


def _levels(by_name: Mapping[str, Mapping[str, ColumnProfile]]) -> dict[str, tuple[int, str]]:
    """The widest interval of each model whose ends are named with a level, as ``ARIMA-lo-95``.

    With the name of its ends, such as ``ARIMA_95``.
    """
    levels: dict[str, tuple[int, str]] = {}
    for name in sorted(name for name in by_name["low"] if name in by_name["high"]):
        parts = name.split("_")
        at = next((k for k in reversed(range(len(parts))) if _LEVEL.fullmatch(parts[k])), None)
        if at is not None:
            model = "_".join([*parts[:at], *parts[at + 1 :]]) or "model"
            levels[model] = max(levels.get(model, (0, "")), (int(parts[at]), name))
    return levels


_LEVEL = re.compile(r"[5-9]\d")


def _apart(name: str, words: Set[str]) -> str:
    """A name whose words stand apart from the numbers behind them, as est2 and lo90_2 do not."""
    known = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.sub(rf"(?i)(?<![^\W_])({known})(?=\d)", r"\1_", name)


def _models(
    estimates: Sequence[tuple[ColumnProfile, str]],
    ends: Mapping[str, Sequence[ColumnProfile]],
    subject: Set[str],
) -> tuple[list[CandidateModel], list[ColumnProfile]]:
    """Return the models and their columns; ends of intervals go by the model's name.

    ``subject``: name and words of the truth, which say nothing of a model.
    """
    words = ESTIMATE | subject
    models: dict[str, CandidateModel] = {}
    taken = [column for column, _ in estimates]
    by_name = {
        end: {short(_apart(c.name, ENDS[end]), words | ENDS[end]): c for c in end_columns}
        for end, end_columns in ends.items()
    }
    levels = _levels(by_name)
    several = len(estimates) > 1
    plains = [short(_apart(column.name, ESTIMATE), words) for column, _ in estimates]
    starts = Counter(map(stem, plains))
    all_quantiles = several and all(quantile_named(plain) is not None for plain in plains)
    estimated = [column for column, _ in estimates]
    ordered = shared_quantiles(estimated) | ordered_quantiles(estimated)
    for plain, (column, why) in zip(plains, estimates, strict=True):
        keys: dict[str, str | float | Mapping[str, str]] = {"estimate": column.name}
        pair = [by_name[end].get(plain) for end in ENDS]
        if column.name == "mean" and not all(pair):
            pair = [
                next((c for c in ends[end] if c.name == name), None)
                for end, name in _OF_STATSMODELS.items()
            ]
        if not all(pair) and plain in levels:
            level, limits = levels[plain]
            pair = [by_name[end][limits] for end in ENDS]
            keys["level"] = level / 100
        if all(pair):
            keys |= {end: c.name for end, c in zip(ENDS, pair, strict=True) if c}
            taken += [c for c in pair if c]
        quantile, of = quantile_named(plain), stem(plain)
        quantile = quantile if of is None or starts[of] > 1 or all_quantiles else None
        if quantile := quantile or ordered.get(column.name):
            keys["quantile"] = quantile
        bare = plain.isdecimal() or (plain == "model" and several)
        name = free(short(column.name) if bare else plain, models)
        undeclared = "low" in keys and "level" not in keys
        remark = "; add level: 0.9 for 90 % intervals" if undeclared else ""
        models[name] = CandidateModel(name, keys, f"{why}{remark}")
    return list(models.values()), taken
