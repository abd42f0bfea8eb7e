"""Several classes: columns of scores whose names end in the classes, or columns that say them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import polars as pl

from reportgen.column_statistics import as_float
from reportgen.initial_spec import column_roles
from reportgen.initial_spec.candidates import (
    CandidateModel,
    ColumnRoles,
    free,
    short,
    short_among,
    used,
)
from reportgen.initial_spec.model_words import names_model
from reportgen.initial_spec.profile import ColumnProfile, without
from reportgen.metric_names import snake_case

MOST = 1000
"""Most classes that are looked for in the names of columns."""

_NOT_TRUTH = ("fold", "repeat", "role", "model", "weight", "id", "group")


def by_scores(columns: Sequence[ColumnProfile]) -> ColumnRoles | None:
    """Return the candidates where several columns' names end in the labels of another.

    ``p_cat``, ``p_dog`` and ``p_emu`` go with a column of cat, dog and emu.
    """
    best: tuple[bool, ColumnProfile, dict[str, dict[str, ColumnProfile]]] | None = None
    for column in columns:
        if not 3 <= column.distinct <= MOST or not _may_be_truth(column):
            continue
        named = column_roles.named_truth(column)
        if best is None or (named and not best[0]):
            sets = _of_models(column, _score_sets(column, columns))
            best = (named, column, sets) if sets else best
    if best is None:
        return None
    _, truth, sets = best
    sets, unseen = _with_unseen(sets, truth, columns)
    scores = [column for by_class in sets.values() for column in by_class.values()]
    models: dict[str, CandidateModel] = {}
    for start, by_class in sets.items():
        name = free(short_among(start, sets), models)
        keys = {"scores": {label: column.name for label, column in by_class.items()}}
        why = f"{len(by_class)} columns, {start}…, whose names end in the classes"
        models[name] = CandidateModel(name, keys, why)
    others = without(columns, [truth, *scores])
    uses = used(others)
    label_columns = [
        c
        for c in without(others, list(uses.values()))
        if _says(c, truth, named=True) and not _unseen([c], truth)
    ]
    for column in label_columns:
        model = models.get(short(column.name, frozenset({"class"})))
        if model is not None and "label" not in model.keys:
            why = f"{model.why}; {column.name!r} is its prediction"
            models[model.name] = CandidateModel(
                model.name, {**model.keys, "label": column.name}, why
            )
        else:
            name = free(short(column.name, truth.words), models)
            models[name] = CandidateModel(name, {"label": column.name}, _WHY)
    why = f"{truth.distinct} labels, in which the names of score columns end"
    return ColumnRoles(
        "multiclass",
        truth,
        why,
        list(models.values()),
        [*scores, *label_columns, *uses.values()],
        uses,
        unseen=unseen,
    )


def are_probabilities(columns: Sequence[ColumnProfile]) -> bool:
    """Whether names of columns end in the labels of another, and these columns add up to 1."""
    return any(
        _add_up(by_class.values())
        for column in columns
        if 3 <= column.distinct <= MOST and _may_be_truth(column)
        for by_class in _of_models(column, _score_sets(column, columns)).values()
    )


def _of_models(
    truth: ColumnProfile, sets: dict[str, dict[str, ColumnProfile]]
) -> dict[str, dict[str, ColumnProfile]]:
    """The sets but for those of features: flags of the truth itself, as ``type1`` is of type 1.

    Beside sets that add up to 1 also those that neither do so nor predict the truth, as prices.
    """
    if not truth.stated_truth:
        sets = {start: s for start, s in sets.items() if not _are_flags(s, truth)}
    if not any(_add_up(by_class.values()) for by_class in sets.values()):
        return sets
    return {
        start: by_class
        for start, by_class in sets.items()
        if names_model(start)
        or _add_up(by_class.values())
        or agreement(_largest(by_class), truth) > SAYS
    }


def _are_flags(by_class: dict[str, ColumnProfile], truth: ColumnProfile) -> bool:
    """Whether each column is 1 where the truth is its class, and 0 elsewhere."""
    return all(
        c.numbers is not None and bool((c.numbers == (truth.texts == label).cast(pl.Float64)).all())
        for label, c in by_class.items()
    )


def _largest(by_class: dict[str, ColumnProfile]) -> ColumnProfile:
    """The class with the largest score in each row, as a column."""
    scores = pl.DataFrame({k: c.numbers for k, c in by_class.items()})
    row = pl.concat_list(pl.all())
    texts = scores.select(row.list.arg_max()).to_series()
    labels = pl.Series(list(by_class), dtype=pl.String)
    some = next(iter(by_class.values()))
    return replace(some, texts=labels[texts.cast(pl.Int64).to_list()])


SAYS = 0.2
"""Cohen's kappa from which labels say what others do."""


def _with_unseen(
    sets: dict[str, dict[str, ColumnProfile]],
    truth: ColumnProfile,
    columns: Sequence[ColumnProfile],
) -> tuple[dict[str, dict[str, ColumnProfile]], list[str]]:
    """The scores with those of classes that no row has, without which they do not add up to 1."""
    taken = [truth, *(c for by_class in sets.values() for c in by_class.values())]
    free = without(columns, taken)
    wider: dict[str, dict[str, ColumnProfile]] = {}
    for start, by_class in sets.items():
        more = {c.name.removeprefix(start): c for c in free if start and c.name.startswith(start)}
        more = {re.sub(r"^[\W_]+|[\W_]+$", "", label): c for label, c in more.items()}
        more = {label: c for label, c in more.items() if label and c.complete and c.within(0, 1)}
        together = by_class | more
        if not more or _add_up(by_class.values()) or not _add_up(together.values()):
            return sets, []
        wider[start] = together
    labels = [sorted(by_class.keys() - sets[start].keys()) for start, by_class in wider.items()]
    alike = all(one == labels[0] for one in labels)
    return (wider, labels[0]) if alike else (sets, [])


def _add_up(scores: Iterable[ColumnProfile]) -> bool:
    numbers = [c.numbers for c in scores if c.numbers is not None]
    sums = pl.DataFrame([n.alias(str(k)) for k, n in enumerate(numbers)]).sum_horizontal()
    return as_float((sums - 1).abs().max()) <= _ROUNDED * len(numbers)


_ROUNDED = 0.0051
"""What rounding to two digits leaves, at most, of each score."""

_WHY = "labels of the truth, and its name says so"


def by_labels(columns: Sequence[ColumnProfile], *, named: bool) -> ColumnRoles | None:
    """Return the candidates where columns hold the same three labels or more.

    ``named``: only where the names say which is the truth and which are predictions;
    else columns that agree well above chance are enough.
    """
    for truth in sorted(columns, key=_truth_order, reverse=True):
        if not _has_classes(truth) or not _may_be_truth(truth):
            continue
        if not column_roles.named_truth(truth) and (named or column_roles.named_model(truth)):
            continue
        others = without(columns, [truth])
        uses = used(others)
        label_columns = [
            c for c in without(others, list(uses.values())) if _says(c, truth, named=named)
        ]
        if not label_columns:
            continue
        by_values = _by_values(without(others, [*uses.values(), *label_columns]), truth)
        label_columns += by_values
        models: dict[str, CandidateModel] = {}
        for column in label_columns:
            name = free(short(column.name, truth.words), models)
            models[name] = CandidateModel(name, {"label": column.name}, _label_reason(column))
        why = f"{truth.distinct} labels" + _named_why(truth)
        return ColumnRoles(
            "multiclass",
            truth,
            why,
            list(models.values()),
            [*label_columns, *uses.values()],
            uses,
            unseen=_unseen(label_columns, truth),
            ratings=[column.name for column in by_values],
        )
    return None


def _by_values(columns: Sequence[ColumnProfile], truth: ColumnProfile) -> list[ColumnProfile]:
    """Columns of texts that hold only the truth's labels and agree with it, under any name.

    Beside columns that are named as predictions; what people say is none.
    """
    return [
        c
        for c in columns
        if c.numbers is None
        and not (column_roles.named_truth(c) or column_roles.by_people(c))
        and set(c.texts.unique().to_list()) <= set(truth.texts.unique().to_list())
        and _says(c, truth, named=False)
    ]


def _unseen(columns: Sequence[ColumnProfile], truth: ColumnProfile) -> list[str]:
    """The classes that are predicted and that the truth lacks."""
    seen = truth.texts.unique()
    predicted = pl.concat([column.texts for column in columns]).unique()
    return predicted.filter(~predicted.is_in(seen.implode())).sort().to_list()


def _has_classes(column: ColumnProfile) -> bool:
    """Whether three values or more return: of numbers few, of texts half as many as rows."""
    if column.labels:
        return len(column.labels) >= 3
    return column.numbers is None and column.distinct <= min(MOST, len(column.texts) // 2)


def _truth_order(column: ColumnProfile) -> tuple[bool, bool, bool]:
    named = column_roles.named_truth(column)
    return named and column_roles.surely(column), named, column_roles.by_people(column)


def _label_reason(column: ColumnProfile) -> str:
    return _WHY if column_roles.hinted(column, "label") else "labels of the truth"


def _named_why(truth: ColumnProfile) -> str:
    return f", and {column_roles.truth_reason(truth)}" if column_roles.named_truth(truth) else ""


def _may_be_truth(column: ColumnProfile) -> bool:
    return (
        column.complete
        and column_roles.may_be_truth(column)
        and not column.fractional
        and not any(column_roles.hinted(column, use) for use in _NOT_TRUTH)
        and (column_roles.named_truth(column) or not column_roles.hinted(column, "label"))
    )


def _score_sets(
    truth: ColumnProfile, columns: Sequence[ColumnProfile]
) -> dict[str, dict[str, ColumnProfile]]:
    """Return the columns by class, by what comes before the class in their names.

    Only where there is a column of numbers for every class. Classes that differ in case alone are
    read as they are written.
    """
    classes = truth.texts.unique().to_list()
    labels = {snake_case(label): label for label in classes}
    spelled: Callable[[str], str] = snake_case
    if len(labels) < truth.distinct:
        labels, spelled = {label: label for label in classes}, str
    if len(labels) < truth.distinct or "" in labels:
        return {}
    sets: dict[str, dict[str, ColumnProfile]] = defaultdict(dict)
    for column in columns:
        if column is truth or column.numbers is None or not column.complete:
            continue
        for end in range(len(column.name)):
            label = labels.get(spelled(column.name[end:]))
            if label is not None:
                sets[column.name[:end]].setdefault(label, column)
        for inner in _INNER.finditer(column.name):
            label = labels.get(spelled(inner[1]))
            if label is not None:
                before, after = column.name[: inner.start(1)], column.name[inner.end(1) :]
                sets[before + after[1:]].setdefault(label, column)
    whole = {start: by_label for start, by_label in sets.items() if len(by_label) == len(labels)}
    return {
        start: by_label
        for start, by_label in whole.items()
        if not any(other != start and start.startswith(other) for other in whole)
    }


_INNER = re.compile(r"(?<=[\W_])([^\W_]+)(?=[\W_]+[^\W_])")
"""A word in the middle of a name, as the class in prob_cat_forest."""


def _says(column: ColumnProfile, truth: ColumnProfile, *, named: bool) -> bool:
    """Whether a column holds the truth's labels, and decides as its name or its values show.

    Of texts a tenth of the rows may have labels that the truth lacks.
    """
    if not column.complete or column.fractional:
        return False
    known = as_float(column.texts.is_in(truth.texts.unique().implode()).mean(), 0.0)
    if known < (1 if column.numbers is not None else 0.9):
        return False
    by_name = column_roles.hinted(column, "label") or column_roles.named_model(column)
    return by_name or (not named and agreement(column, truth) > SAYS)


def agreement(column: ColumnProfile, truth: ColumnProfile) -> float:
    """Return how often two columns agree beyond chance, from 0 to 1 (Cohen's kappa)."""
    pairs = pl.DataFrame({"a": column.texts, "b": truth.texts})
    agree = as_float((pairs["a"] == pairs["b"]).mean(), 0.0)
    shares = [pairs[c].value_counts(normalize=True).rename({c: "label"}) for c in ("a", "b")]
    both = shares[0].join(shares[1], on="label")
    chance = float((both["proportion"] * both["proportion_right"]).sum())
    return 0.0 if chance >= 1 else (agree - chance) / (1 - chance)
