"""Models that could not be paired row by row: two samples of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Protocol

import polars as pl

from reportgen.comparisons import (
    Comparison,
    Question,
    two_aucs,
    two_proportions,
    two_sample_t,
)
from reportgen.comparisons.grouped_samples import (
    GroupedMean,
    mean_in_groups,
    two_samples_groups,
)
from reportgen.measuring.context import EvaluationContext, TestSettings
from reportgen.text.numbers import plural

INDEPENDENT = (
    "the rows of the two models are treated as independent; if they are the same examples, power "
    "is lower than with rows paired by id"
)


@dataclass(frozen=True)
class Sample:
    """What one model showed on rows of its own.

    ``correct`` of its ``rows`` were right; ``area`` is its AUC with its variance,
    ``errors`` are its squared errors. ``ids`` name the examples, where they are
    named. ``in_groups`` has its values by measure where its rows come in groups.
    """

    name: str
    rows: int
    correct: int | None = None
    area: tuple[float, float] | None = None
    errors: pl.Series | None = None
    ids: pl.Series | None = None
    in_groups: Mapping[str, GroupedMean] = field(default_factory=dict)


class OnRows(Protocol):
    """A model with a name and the rows that it says something about."""

    @property
    def name(self) -> str:
        """The model's name."""

    @property
    def rows(self) -> pl.DataFrame:
        """Its rows."""


def sample(
    context: EvaluationContext, model: OnRows, is_correct: pl.Expr, metric: str = "accuracy"
) -> Sample:
    """A model and how many of its rows it predicts correctly."""
    correct = model.rows.select(is_correct).to_series()
    count, ids = int(correct.sum()), context.ids(model.rows)
    groups = context.groups_of(model.rows)
    in_groups = {} if groups is None else {metric: mean_in_groups(correct.to_numpy(), groups)}
    return Sample(model.name, model.rows.height, count, ids=ids, in_groups=in_groups)


def unpaired(
    samples: Iterable[Sample], settings: TestSettings, metric: str = "accuracy"
) -> list[Comparison]:
    """Tests of two independent samples, of every pair; none where rows are weighted or paired."""
    if settings.unpaired is None or settings.weight is not None:
        return []
    ordered = sorted(samples, key=lambda sample: sample.name == settings.baseline)
    records: list[Comparison] = []
    for a, b in combinations(ordered, 2):
        shared = _shared(a, b)
        tests = _tests(a, b, settings, metric, () if shared is not None else (INDEPENDENT,))
        records += [replace(record, shared=shared) for record in tests]
    return records


def _tests(
    a: Sample, b: Sample, settings: TestSettings, metric: str, caveats: tuple[str, ...]
) -> list[Comparison]:
    def question_of(measure: str) -> Question:
        question = settings.question((a.name, b.name), measure)
        return replace(question, unit="samples", caveats=caveats)

    shared = [measure for measure in a.in_groups if measure in b.in_groups]
    if shared:
        return [
            two_samples_groups(a.in_groups[name], b.in_groups[name], question_of(name))
            for name in shared
        ]
    records: list[Comparison] = []
    if a.correct is not None and b.correct is not None:
        records += two_proportions((a.correct, b.correct), (a.rows, b.rows), question_of(metric))
    if a.area is not None and b.area is not None:
        areas, variances = zip(a.area, b.area, strict=True)
        records.append(two_aucs(areas, variances, question_of("auc")))
    if a.errors is not None and b.errors is not None:
        records += two_sample_t(a.errors, b.errors, question_of("mean_squared_error"))
    return records


def _shared(a: Sample, b: Sample) -> int | None:
    """How many examples of the first sample the second has too; null where no ids tell."""
    if a.ids is None or b.ids is None:
        return None
    return int(a.ids.unique().is_in(b.ids.implode()).sum())


def against_shared(record: Comparison) -> Iterator[str]:
    """Why a test of two independent samples does not suit samples that may share examples."""
    if record.shared is None:
        yield "nothing shows that the models were evaluated on different examples"
    elif record.shared:
        examples = plural(record.shared, "example")
        yield f"both models have {examples}, whose rows the test treats as independent"
