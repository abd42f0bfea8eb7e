"""The registry: what is known of a metric beside its expression.

To add a metric, write one function with ``@metric`` in the module of its
group and give it reference values in ``tests/reference``. Tables, docs, spec
names, gates and property tests read the registry.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections import UserDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ParamSpec, TypeVar, Unpack, cast, get_args

import polars as pl

from reportgen.intervals import ModifiedWilson
from reportgen.metric_names import CELLS
from reportgen.metrics.facts import Group, MetricFacts
from reportgen.metrics.settings import MetricArguments, MetricSettings
from reportgen.small_queries import is_once, plain_sums
from reportgen.tasks import PREDICTION

BuildExpression = TypeVar("BuildExpression", bound=Callable[..., pl.Expr])
FactsGiven = ParamSpec("FactsGiven")
INFINITY = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Metric(MetricFacts):
    """One measure: the function that builds its expression, and all that is known of it.

    Equal to itself alone: expressions cannot be compared.
    """

    name: str
    build: Callable[..., pl.Expr]

    @property
    def tested_as(self) -> str:
        """The measure whose tests are this one's too: itself, or the one that fixes it."""
        return self.complement_of or self.determined_by or self.name

    @property
    def of_decisions(self) -> bool:
        """Whether it rates what a model of two classes, or of labels, decides by its threshold."""
        return self.on == "counts" or (self.task == "multilabel" and self.group == "decision")

    @property
    def of_ranking(self) -> bool:
        """Whether the order of a model's scores decides it, not their values or a threshold."""
        return self.on in ("sweep", "hull") and self.group in ("ranking", "cost")

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return (inspect.getdoc(self.build) or "").partition("\n\n")[0].replace("\n", " ")

    @property
    def formula(self) -> str:
        """How it is computed, as plain text."""
        return self._field("Formula")

    @property
    def book(self) -> str:
        """Equation of Zhou's *Machine Learning*, chapter 2, or nothing."""
        return self._field("Book")

    @property
    def reference(self) -> str:
        """The primary source."""
        return self._field("Reference")

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The build function's parameters with their defaults."""
        return _parameters(self.build)

    def of_guesses(self, prevalence: float | None) -> float | None:
        """What guessing gives among so many positives, where that is known; less is worse."""
        if self.chance_is_prevalence:
            return prevalence
        return 0.0 if self.bounds[0] < 0 and self.better == "higher" else None

    def expression(self, **settings: Unpack[MetricArguments]) -> pl.Expr:
        """The expression, given those of ``settings`` that it takes."""
        taken = self.taken(settings)
        return self.build(**taken) if taken or is_once() else _built(self.build)

    def expression_of_groups(self, **settings: Unpack[MetricArguments]) -> pl.Expr:
        """The same for a frame of many small groups, in which sums are plain."""
        with plain_sums():
            return self.build(**self.taken(settings))

    def taken(self, settings: MetricSettings) -> dict[str, Any]:
        """Those of the settings that it takes."""
        return {k: v for k, v in settings.items() if k in self.parameters}

    def _field(self, what: str) -> str:
        doc = inspect.getdoc(self.build) or ""
        match = re.search(rf"^{what}: (.+?)(?=\n\n|\n[A-Z][a-z]+: |\Z)", doc, re.DOTALL | re.M)
        return match[1].replace("\n", " ").rstrip(".") if match else ""


class MetricRegistry(UserDict[str, Metric]):
    """Metrics by name; one of a family, such as ``f_beta(0.7)``, is made when it is asked for.

    Iteration gives those that are registered, without the members of families.
    """

    def __missing__(self, name: str) -> Metric:
        """The member of a family that the name asks for."""
        member = self._member(name)
        if member is None:
            raise KeyError(name)
        return member

    def __contains__(self, name: object) -> bool:
        """Whether a metric is registered, or is one of a registered family."""
        return name in self.data or self._member(name) is not None

    def _member(self, name: object) -> Metric | None:
        match = FAMILY.fullmatch(name) if isinstance(name, str) else None
        if match is None or match[1] not in FAMILIES or FAMILIES[match[1]][1] not in self.data:
            return None
        try:
            return FAMILIES[match[1]][0](float(match[2]))
        except (ValueError, OverflowError):  # no number, or one whose square is none
            return None


FAMILY = re.compile(r"([a-z_]+)\(([0-9.e+-]+)\)")
"""The name of a member of a family: that of the family and its parameter."""

FAMILIES: dict[str, tuple[Callable[[float], Metric], str]] = {}
"""What makes a member of each family, and the registered metric that it is like."""


REGISTRY: dict[str, MetricRegistry] = {task: MetricRegistry() for task in PREDICTION}
"""Every metric by task and name."""

METRICS = REGISTRY["binary"]
"""The binary metrics by name; those of counts serve each class of the other tasks too."""

NOT_PROBABILITIES = "the scores are not probabilities"
"""Why a measure of probabilities has no value."""

GROUPS: tuple[Group, ...] = get_args(Group)
"""The groups in the order in which a report shows them."""


def _recording(
    facts: Callable[FactsGiven, MetricFacts],
) -> Callable[FactsGiven, Callable[[BuildExpression], BuildExpression]]:
    """A decorator that takes these facts, and records the decorated function in ``REGISTRY``.

    What the function returns bears its name. Docstrings have ``Formula:``, ``Reference:`` and, for
    what the book defines, ``Book:``.
    """

    def of_facts(
        *args: FactsGiven.args, **named: FactsGiven.kwargs
    ) -> Callable[[BuildExpression], BuildExpression]:
        return functools.partial(_recorded, facts(*args, **named))

    return of_facts


metric = _recording(MetricFacts)
"""Records a metric; those below, one of a kind, with what most of them share."""

decision_metric = functools.partial(metric, group="decision")
agreement_metric = functools.partial(metric, group="agreement")
ranking_metric = functools.partial(metric, group="ranking", on="sweep")
probability_metric = functools.partial(
    metric, group="probability", probability=True, undefined=NOT_PROBABILITIES
)
class_metric = functools.partial(metric, task="multiclass", on="classes", group="decision")
matrix_metric = functools.partial(metric, task="multiclass", on="matrix", group="agreement")
multilabel_metric = functools.partial(metric, task="multilabel", on="rows")


def _recorded(facts: MetricFacts, build: BuildExpression) -> BuildExpression:
    named, name = _named(build), build.__name__
    given = {each.name: getattr(facts, each.name) for each in fields(facts)}
    if facts.otherwise:
        given["undefined"] = f"{facts.undefined}, or {facts.otherwise}"
    given["mean"] = facts.mean or facts.proportion
    if name in REGISTRY[facts.task]:
        raise ValueError(f"{facts.task} metric {name!r} is defined twice")
    REGISTRY[facts.task][name] = Metric(name=name, build=named, **given)
    return named


@functools.lru_cache(maxsize=1024)
def _parameters(build: Callable[..., pl.Expr]) -> Mapping[str, Any]:
    signature = inspect.signature(build)
    return {name: p.default for name, p in signature.parameters.items()}


@functools.lru_cache(maxsize=1024)
def _built(build: Callable[..., pl.Expr]) -> pl.Expr:
    """The expression without settings, built once."""
    return build()


MODULES = (
    "rates",
    "summaries",
    "ranking",
    "h_measure",
    "partial_areas",
    "top_fraction",
    "balance",
    "probability",
    "calibration",
    "chance_corrected",
    "association",
    "information",
    "costs",
    "counts",
    "multiclass",
    "ordered_classes",
    "class_scores",
    "multiclass_agreement",
    "multiclass_association",
    "multiclass_information",
    "multilabel",
    "regression",
    "regression_quantiles",
    "regression_gains",
    "regression_correlation",
    "regression_intervals",
    "regression_shares",
)
"""The modules of metrics, in the order in which catalogue and results have them."""


def arrange() -> None:
    """Order the registries by module, and by line in a module, whatever was imported first."""
    for registry in REGISTRY.values():
        ordered = sorted(registry.items(), key=lambda item: _place(item[1].build))
        registry.clear()
        registry.update(ordered)


def _place(build: Callable[..., pl.Expr]) -> tuple[int, int]:
    source = inspect.unwrap(build)
    return MODULES.index(build.__module__.rpartition(".")[2]), source.__code__.co_firstlineno


def _named(build: BuildExpression) -> BuildExpression:
    """Return the function with its name on the column that it gives, not that of its input."""

    @functools.wraps(build)
    def named(*args: Any, **settings: Unpack[MetricArguments]) -> pl.Expr:
        return build(*args, **settings).alias(build.__name__)

    return cast("BuildExpression", named)


def modified_wilson_of(counted: str, others: str) -> ModifiedWilson:
    """Modified Wilson interval of a share: the cells that it counts, or are left, and the others.

    >>> modified_wilson_of("tp tn", "fp fn").cells
    ('tp', 'tn', 'fp', 'fn')
    """
    return ModifiedWilson((*counted.split(), *others.split()), tuple(counted.split()))


TP, FP, FN, TN = (pl.col(name).cast(pl.Float64) for name in CELLS)
"""The counts as floats: products of integer counts wrap."""

POSITIVES, NEGATIVES, ROWS = TP + FN, FP + TN, TP + FP + FN + TN
PREDICTED_POSITIVES, PREDICTED_NEGATIVES = TP + FP, FN + TN

ALL_ROWS = TP.sum() + FN.sum()
"""All rows of one-vs-rest counts, one row per class.

Sums of real weights are rounded, so that each share is taken of its own parts.
"""

NO_ROWS = "there are no rows"
"""Why a measure without rows is undefined."""


_ZERO, _NOTHING = pl.lit(0.0), pl.lit(None, pl.Float64)


def some(count: pl.Expr) -> pl.Expr:
    """The count, null where it is zero."""
    return count.replace(_ZERO, _NOTHING)


def ratio(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
    """``part / whole``, null where ``whole`` is zero."""
    return part / some(whole)
