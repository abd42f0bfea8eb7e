"""The threshold of a model: fixed, or chosen on a sweep."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Unpack, cast

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.comparisons.wording import measure
from reportgen.errors import UndefinedError
from reportgen.measuring.costed_rows import scales
from reportgen.metric_names import CELLS, COST
from reportgen.metrics import METRICS
from reportgen.metrics.settings import ErrorCosts, MetricArguments, MetricSettings
from reportgen.records.threshold_choice import ChoiceRecord, LimitRecord
from reportgen.resampling import ThresholdRule, ThresholdUncertainty, threshold_uncertainty
from reportgen.spec import Choice, Spec
from reportgen.spec.gates import Operator, parse_limit
from reportgen.spec.option_groups import Resampling
from reportgen.tables import Sweep
from reportgen.text import numbers

ALIASES = {"cost": COST}
"""Short names of measures that a threshold may be chosen by."""

IN_SPEC, BY_DEFAULT = "fixed in the spec", "the default: none is declared"
"""The rules of a threshold that no data chose."""

FIXED = (IN_SPEC, BY_DEFAULT)

NO_UNCERTAINTY = (
    "there are no replicates, or a class is missing, or too few replicates have a threshold that "
    "keeps the limits"
)
"""Why a choice has no measure of uncertainty although rows could be resampled."""

OF_OWN_COSTS = "rows have costs of their own"

_OPERATORS: dict[Operator, Callable[[pl.Expr, float], pl.Expr]] = {
    ">=": lambda value, limit: value >= limit,
    "<=": lambda value, limit: value <= limit,
    ">": lambda value, limit: value > limit,
    "<": lambda value, limit: value < limit,
}


@dataclass(frozen=True, slots=True)
class Choosing:
    """The measure that a threshold was chosen by, its best value, and how sure the choice is.

    Where ``threshold_uncertainty`` is null, ``uncertain`` says why.
    """

    metric: str
    value: float
    limits: tuple[LimitRecord, ...]
    certainty: ThresholdUncertainty | None
    uncertain: str | None = None


@dataclass(frozen=True, slots=True)
class Threshold:
    """Scores from ``value`` up are positive; ``rule`` says why, ``role`` on which rows.

    ``choice`` is how it was chosen, and how sure that is.
    """

    value: float
    rule: str
    role: str | None = None
    choice: Choosing | None = None

    @classmethod
    def in_spec(cls, spec: Spec) -> Threshold:
        """The threshold that the spec gives, or leaves at its default."""
        declared = "threshold" in spec.model_fields_set
        return cls(float(str(spec.threshold)), IN_SPEC if declared else BY_DEFAULT)


def choice_record(choice: Choosing | None) -> ChoiceRecord | None:
    """How a threshold was chosen, as plain values."""
    return None if choice is None else cast("ChoiceRecord", asdict(choice))


def choose(
    sweep: DataFrame[Sweep],
    spec: Spec,
    choice: Choice,
    role: str,
    costs: ErrorCosts,
    *,
    of: str,
    bootstrap: Resampling | str = NO_UNCERTAINTY,
    own_costs: Floats | None = None,
) -> Threshold:
    """The threshold that a spec's choice finds on a sweep, and how sure it is.

    The least cost is that at the prevalence that the spec states, where it is another one than that
    of the rows; other measures are those of the rows.
    ``of`` names the model, or its label, for the error; ``bootstrap`` is a text where it says why
    there is none. ``own_costs`` are the mean costs per row at the thresholds of the
    sweep where rows have costs of their own: these the least cost is read from. Of several
    labels one without rows takes the first of thresholds that are all alike.

    Raises:
        UndefinedError: no threshold keeps the limits, the metric has no value anywhere, or is the
            same everywhere.
    """
    metric, maximise = str(choice.maximise or choice.minimise), choice.maximise is not None
    limits = {name: parse_limit(text) for name, text in choice.subject_to.items()}
    constraints = "".join(
        f" with {_label(name)} {text}" for name, text in choice.subject_to.items()
    )
    if own_costs is not None and ALIASES.get(metric, metric) == COST:
        bootstrap = bootstrap if isinstance(bootstrap, str) else OF_OWN_COSTS
    else:
        own_costs = None
    costs, at_work = _at_work(sweep, spec, costs, metric)
    optimum = chosen(sweep, metric, own_costs, maximise=maximise, limits=limits, **costs)
    if optimum is None:
        message = f"no threshold of {of} has a value of {_label(metric)}{constraints}"
        hint = "relax the constraint, or give the threshold as a number"
        raise UndefinedError(spec.problem("threshold", "no-threshold", message, hint))
    value, best = optimum
    several_labels = isinstance(spec.truth, Mapping)
    if own_costs is None and not several_labels and _is_moot(sweep, metric, limits, costs):
        label = _label(metric, article="")
        message = (
            f"no threshold of {of} is better than another: the {label} "
            f"is {best:g} at each of them, as the rows that it is chosen on are of one class"
        )
        hint = "choose it on rows of both classes, or give the threshold as a number"
        raise UndefinedError(spec.problem("threshold", "no-threshold", message, hint))
    where = "the validation rows" if role == "validation" else "the evaluation data"
    verb = "maximises" if maximise else "minimises"
    sure = None
    if not isinstance(bootstrap, str):
        rule = ThresholdRule(_expression(metric, costs), maximise, _limits_hold(limits, costs))
        sure = threshold_uncertainty(
            sweep,
            rule,
            replicates=bootstrap.replicates,
            seed=bootstrap.seed,
            confidence=spec.confidence,
        )
    reason = bootstrap if isinstance(bootstrap, str) else NO_UNCERTAINTY
    records = tuple(_limit_record(name, *limit) for name, limit in limits.items())
    choosing = Choosing(ALIASES.get(metric, metric), best, records, sure, None if sure else reason)
    what = f"{_label(metric)}{at_work}{constraints}"
    return Threshold(value, f"{verb} {what} on {where}", role, choosing)


def _at_work(
    sweep: DataFrame[Sweep], spec: Spec, costs: ErrorCosts, metric: str
) -> tuple[ErrorCosts, str]:
    """The costs of errors where positives are as frequent as the spec states, and words for it."""
    if ALIASES.get(metric, metric) != COST or isinstance(spec.truth, Mapping):
        return costs, ""
    tp, fp, fn, tn = sweep.select(CELLS).row(0)
    here = (tp + fn) / (tp + fp + fn + tn)
    scale = None if spec.prevalence is None else scales(here, float(spec.prevalence))
    if scale is None:
        return costs, ""
    missed, alarm = costs["false_negative"] * scale[0], costs["false_positive"] * scale[1]
    return (
        ErrorCosts(false_negative=missed, false_positive=alarm),
        f" at {numbers.prevalence(float(spec.prevalence or 0))} positive",
    )


def _is_moot(
    sweep: DataFrame[Sweep],
    metric: str,
    limits: Mapping[str, tuple[Operator, float]],
    settings: ErrorCosts,
) -> bool:
    """Whether rows of one class have the same value of a metric at every threshold."""
    if sweep.select(pl.col("tp").max() * pl.col("fp").max()).item() > 0:
        return False
    allowed = sweep.select(
        value=_expression(metric, settings), holds=_limits_hold(limits, settings)
    )
    return allowed.filter("holds").drop_nulls("value")["value"].n_unique() == 1


def _limit_record(name: str, op: Operator, limit: float) -> LimitRecord:
    return {"metric": ALIASES.get(name, name), "op": op, "limit": limit}


def _label(name: str, article: str = "the ") -> str:
    return f"{article}cost" if name == "cost" else measure(name)


def chosen(
    sweep: DataFrame[Sweep],
    metric: str,
    values: Floats | None = None,
    *,
    maximise: bool,
    limits: Mapping[str, tuple[Operator, float]] | None = None,
    **settings: Unpack[MetricArguments],
) -> tuple[float, float] | None:
    """The score at which a metric of counts is best among those that keep the limits, and the best.

    None where no threshold keeps the limits, or the metric has no value anywhere.

    ``limits`` maps a metric to an operator and a number: ``{"recall": (">=", 0.95)}``.
    ``values`` stand for the metric's at each threshold. Ties go to the strictest threshold. When
    it is best to predict nothing positive, the next number above the highest score.
    """
    limits = limits or {}
    admissible = _limits_hold(limits, settings)
    value = _expression(metric, settings) if values is None else pl.Series(values)
    table = sweep.select("threshold", value=value, admissible=admissible)
    allowed = table.filter("admissible").drop_nulls("value")
    if allowed.is_empty():
        return None
    best = pl.col("value").max() if maximise else pl.col("value").min()
    threshold, value = allowed.filter(pl.col("value") == best).select("threshold", "value").row(0)
    if math.isfinite(threshold):
        return float(threshold), float(value)
    scores = sweep["threshold"]
    highest = float(scores[1]) if len(scores) > 1 else 0.0
    return math.nextafter(highest, math.inf), float(value)


def _limits_hold(limits: Mapping[str, tuple[Operator, float]], settings: MetricSettings) -> pl.Expr:
    """Whether all limits are kept; a measure without a value keeps none."""
    return pl.all_horizontal(
        pl.lit(value=True),
        *(
            _OPERATORS[op](_expression(name, settings), limit).fill_null(value=False)
            for name, (op, limit) in limits.items()
        ),
    )


def _expression(name: str, settings: MetricSettings) -> pl.Expr:
    return METRICS[ALIASES.get(name, name)].expression(**settings)
