"""Correct the p-values of a family of tests, widen its limits, and state what each shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from reportgen.comparisons.corrections import CORRECTIONS, MOST_BERGMANN
from reportgen.comparisons.records import Comparison, has_better_end
from reportgen.comparisons.simultaneous import with_possible, with_simultaneous
from reportgen.comparisons.verdicts import texts
from reportgen.metric_names import PINBALL_LOSS, quantile_of
from reportgen.tables.comparisons import ALL_PAIRS

LOGICAL = ("shaffer", "bergmann_hommel")
"""Corrections that use that the pairs of a set of models cannot all be alike or not at will."""


@dataclass(frozen=True, slots=True)
class FamilyPart:
    """Which tests of a kind are corrected together: pairs, those with ``baseline`` or others."""

    kind: Literal["claims", "all models", "all pairs", "pairs with the baseline"]
    baseline: str | None = None

    def __str__(self) -> str:
        return self.kind if self.baseline is None else f"pairs with {self.baseline}"

    @classmethod
    def of(cls, record: Comparison, baseline: str | None) -> FamilyPart:
        """The part that a record belongs to."""
        if len(record.models) != 2:
            return cls("claims" if len(record.models) == 1 else "all models")
        if baseline is None or baseline not in record.models:
            return cls(ALL_PAIRS)
        return cls("pairs with the baseline", baseline)

    def includes(self, other: FamilyPart) -> bool:
        """Whether tests of a part count in this one: those with the baseline do in all pairs."""
        return other == self or (self.kind == ALL_PAIRS and other.baseline is not None)


FamilyKey = tuple[str, str | None, FamilyPart]
"""A test with its unit, its measure (None for claims, of any) and the part that it belongs to."""


@dataclass(frozen=True, slots=True)
class Family:
    """The tests that are corrected together: what they are, where they stand, and how.

    ``members`` are the ones that take their adjusted p from here, all of them by default.
    """

    part: FamilyPart
    places: tuple[int, ...]
    correction: str
    members: tuple[int, ...]


def adjust(
    records: Sequence[Comparison],
    correction: str = "holm",
    baseline: str | None = None,
) -> list[Comparison]:
    """Correct the p-values within each family of tests, then state what each record shows.

    A family is one kind of test of one measure; of models of several quantiles it has the pinball
    losses of all of them, as each pair has the one that its models minimise. The claims of a spec
    are one family, whatever their measures. With a declared
    ``baseline`` the pairs with it are the family that the evaluation asks about, whatever the
    number of the others; a pair without it is corrected over all pairs.

    A record that brings its adjusted p (Nemenyi's test controls the family by
    itself) keeps it. The corrections of Shaffer and of Bergmann and Hommel need
    all pairs of a set of models; a family that is not that is corrected after
    Holm, who does without the logic between the pairs, and one of more than
    nine models after Shaffer.
    """
    records, named = _with_one_loss(records), records
    of = {i: family for family in _families(records, correction, baseline) for i in family.members}
    adjusted: dict[int, float] = {}
    for family in dict.fromkeys(of.values()):
        open_ = [i for i in family.places if records[i].p_adjusted is None]
        p_values = [float(records[i].p_value or 0.0) for i in open_]
        corrected = CORRECTIONS[family.correction](p_values) if p_values else []
        by_place = dict(zip(open_, corrected, strict=True))
        adjusted |= {i: by_place[i] for i in family.members if i in by_place}
    posteriors = Counter(_kind(record, baseline) for record in records if record.probabilities)
    counted = [_posterior_among(record, posteriors, baseline) for record in records]
    counted = [
        record if record.metric == of.metric else record.with_fields(metric=of.metric)
        for record, of in zip(counted, named, strict=True)
    ]
    return [_adjusted(record, of.get(i), adjusted.get(i)) for i, record in enumerate(counted)]


def _with_one_loss(records: Sequence[Comparison]) -> list[Comparison]:
    """The records, the pinball losses of several quantiles as one if each has models of its own."""
    models: dict[str, set[str]] = {}
    for record in records:
        if quantile_of(record.metric) is not None:
            models.setdefault(record.metric, set()).update(record.models)
    apart = len(set().union(*models.values())) == sum(map(len, models.values()))
    return [
        record.with_fields(metric=PINBALL_LOSS) if apart and record.metric in models else record
        for record in records
    ]


def _posterior_among(
    record: Comparison, posteriors: Mapping[FamilyKey, int], baseline: str | None
) -> Comparison:
    """A record of probabilities with the number of its kind, for which nothing corrects it."""
    if not record.probabilities:
        return record
    name, metric, part = _kind(record, baseline)
    size = sum(
        number
        for (other, of, other_part), number in posteriors.items()
        if (other, of) == (name, metric) and part.includes(other_part)
    )
    return record.with_fields(family=str(part), family_size=float(size))


def _kind(record: Comparison, baseline: str | None) -> FamilyKey:
    """The test, its measure, and which tests a record is corrected with."""
    part = FamilyPart.of(record, baseline)
    if part.kind == "claims":
        return record.comparison, None, part
    return f"{record.comparison} over {record.unit}", record.metric, part


def _families(
    records: Sequence[Comparison], correction: str, baseline: str | None
) -> Iterator[Family]:
    """The tests that have a p-value, by kind, measure and part."""
    kinds: dict[FamilyKey, list[int]] = {}
    for i, record in enumerate(records):
        if record.p_value is not None:
            kinds.setdefault(_kind(record, baseline), []).append(i)
    for (name, metric, part), members in kinds.items():
        places = [
            i
            for (other, of, other_part), also in kinds.items()
            if (other, of) == (name, metric) and part.includes(other_part)
            for i in also
        ]
        ordered, corrected_by = _applicable(correction, sorted(places), records)
        yield Family(part, tuple(ordered), corrected_by, tuple(members))


def _applicable(
    correction: str, family: list[int], records: Sequence[Comparison]
) -> tuple[list[int], str]:
    """The family in the order that a correction needs, and the correction that it allows."""
    if correction not in LOGICAL:
        return family, correction
    pairs = {frozenset(records[i].models): i for i in family}
    names = list(dict.fromkeys(name for i in family for name in records[i].models))
    every = [frozenset(pair) for pair in combinations(names, 2)]
    if len(every) != len(family) or not set(every) <= pairs.keys():
        return family, "holm"
    many = len(names) > MOST_BERGMANN
    return [pairs[p] for p in every], "shaffer" if many else correction


def _adjusted(record: Comparison, family: Family | None, p_adjusted: float | None) -> Comparison:
    if family is not None:
        alone = family.correction == "none"  # limits that hold together would not agree with p
        size = 1.0 if alone else float(len(family.places))
        record = record.with_fields(family=str(family.part), family_size=size)
        if p_adjusted is not None:
            record = record.with_fields(p_adjusted=p_adjusted, correction=family.correction)
    if record.p_adjusted is not None:
        reject = record.p_adjusted < record.alpha
        record = record.with_fields(reject=reject, better=_better(record) if reject else None)
        record = with_simultaneous(record, int(record.family_size or 1))
    record = with_possible(record)
    verdict, evidence = texts(record)
    return record.with_fields(verdict=verdict, evidence=evidence)


def _better(record: Comparison) -> str | None:
    """The better model of a pair that differs."""
    if len(record.models) != 2 or not record.estimate:
        return None
    if record.shows != "difference" or not has_better_end(record.metric):
        return None
    first = (record.estimate > 0) != record.less_is_better
    return record.models[0 if first else 1]
