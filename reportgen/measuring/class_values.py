"""What classes or labels have one by one, of several models or slices at the cost of one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.clusters import Effect
from reportgen.measuring import class_areas, class_averages, class_calibration
from reportgen.measuring.cell_effects import CellTable, effects_of_cells
from reportgen.measuring.interval_methods import DEFAULT, chosen
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.metric_set import ValueWithLimits
from reportgen.metric_names import CELLS, joined
from reportgen.metrics import METRICS, Metric
from reportgen.metrics.class_means import AVERAGED
from reportgen.spec.measures import OF_COUNTS
from reportgen.spec.option_groups import Intervals
from reportgen.tables import Bins, Sweep
from reportgen.tables.results import MetricRow

MeasuresOfClass = dict[str, ValueWithLimits]
"""The measures of a class with their limits."""

T = TypeVar("T")

TOGETHER = 2**18
"""So many scores of models are evaluated together: their sweeps are held at once."""


class ModelOfClasses(Protocol):
    """What a model of several classes or labels has for each of them."""

    @property
    def number(self) -> MetricSubject:
        """Whose the numbers are."""

    @property
    def methods(self) -> Intervals:
        """The methods of intervals."""

    @property
    def repeats(self) -> float:
        """How often a row is evaluated."""

    @property
    def counts(self) -> pl.DataFrame:
        """The counts of each class, one row per class."""

    @property
    def tables(self) -> Sequence[CellTable]:
        """The cells of each class by group, where rows come in groups."""

    @property
    def area_effects(self) -> Sequence[Effect]:
        """The effect of groups on the AUC of each class."""

    @property
    def class_bins(self) -> Iterable[DataFrame[Bins]]:
        """The scores of each class in bins; nothing without scores."""

    def sweeps(self) -> Iterable[DataFrame[Sweep]]:
        """The sweep of each class; nothing without scores."""


@dataclass(frozen=True, slots=True)
class ClassValues:
    """Of each class the measures of its counts, of its sweep and of its bins; and the averages.

    ``averages`` are measure × kind; without scores there are no ``areas`` and no ``calibration``.
    """

    of_counts: Sequence[MeasuresOfClass]
    averages: Floats
    areas: Sequence[MeasuresOfClass]
    calibration: Sequence[MeasuresOfClass]


def class_values(models: Sequence[ModelOfClasses]) -> list[ClassValues]:
    """The values of each of the models, which are of the same classes."""
    first, counts = models[0], [m.counts for m in models]
    number, metrics = first.number, of_each_class(first.methods)
    effects = effects_of_cells([t for m in models for t in m.tables], metrics, {})
    by_class = iter(number.limits_of(metrics).of_counts(pl.concat(counts), effects))
    area_effects = [e for m in models for e in m.area_effects]
    areas = _of_each(
        (m.sweeps() for m in models),
        lambda tables: class_areas.of_sweeps(
            tables, number, first.methods, repeats=first.repeats, effects=area_effects
        ),
    )
    calibration = _of_each(
        (m.class_bins for m in models), lambda tables: class_calibration.of_bins(tables, number)
    )
    of_counts = [list(islice(by_class, table.height)) for table in counts]
    means = class_averages.values_of_averages(counts)
    of_models = zip(of_counts, means, areas, calibration, strict=True)
    return [ClassValues(*of_model) for of_model in of_models]


def averages_alone(
    models: Sequence[ModelOfClasses], names: Collection[str]
) -> list[list[MetricRow]]:
    """The averages of measures of counts of each of the models, without limits, if any is named."""
    if ARE_AVERAGES.isdisjoint(names):
        return [[] for _ in models]
    values = class_averages.values_of_averages([m.counts for m in models])
    return [
        [
            m.number.average(kind).row(name, of_model[k, j])
            for k, name in enumerate(AVERAGED)
            for j, kind in enumerate(OF_COUNTS)
        ]
        for m, of_model in zip(models, values, strict=True)
    ]


ARE_AVERAGES = frozenset(joined(name, kind) for name in AVERAGED for kind in OF_COUNTS)
"""The names of these."""


def _of_each(
    tables: Iterable[Iterable[T]], evaluated: Callable[[Iterator[T]], Iterator[MeasuresOfClass]]
) -> list[list[MeasuresOfClass]]:
    """The values of the tables of each model, which are evaluated one after the other."""
    sizes: list[int] = []

    def one_by_one() -> Iterator[T]:
        for of_model in tables:
            sizes.append(0)
            for table in of_model:
                sizes[-1] += 1
                yield table

    values = iter(list(evaluated(one_by_one())))
    return [list(islice(values, size)) for size in sizes]


def of_each_class(methods: Intervals) -> list[Metric]:
    """The measures of the counts of a class against the rest."""
    return chosen((METRICS[name] for name in (*CELLS, *AVERAGED)), methods)


def rows_of_classes(
    counts: pl.DataFrame,
    number: MetricSubject,
    methods: Intervals,
    values: Sequence[MeasuresOfClass],
) -> list[MetricRow]:
    """The measures of each class against the rest, from one row of counts per class."""
    metrics = of_each_class(methods)
    records = [
        number.of_class(label).from_values(metrics, of_class)
        for label, of_class in zip(counts["class"], values, strict=True)
    ]
    return [row for of_metric in zip(*records, strict=True) for row in of_metric]


def added(by_class: Sequence[MetricRow], methods: Intervals) -> Sequence[MetricRow]:
    """The measures of classes whose limits those of averages are made of; none by choice."""
    return by_class if methods.ratios == DEFAULT.ratios else ()


M = TypeVar("M", bound="ModelWithRows")


class ModelWithRows(Protocol):
    """A model on some rows."""

    @property
    def rows(self) -> pl.DataFrame:
        """The rows."""

    @property
    def classes(self) -> Sequence[str]:
        """The names of its classes."""


def together(models: Iterable[M]) -> Iterator[list[M]]:
    """The models in lists of at most ``TOGETHER`` scores, or one."""
    batch: list[M] = []
    scores = 0
    for model in models:
        more = model.rows.height * len(model.classes)
        if batch and scores + more > TOGETHER:
            yield batch
            batch, scores = [], 0
        batch.append(model)
        scores += more
    if batch:
        yield batch
