"""Several labels: columns of yes or no per label, and columns of the models that end alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen.errors import Problem
from reportgen.initial_spec import column_roles, multiclass
from reportgen.initial_spec.candidates import (
    CandidateModel,
    ColumnRoles,
    free,
    short,
    short_among,
    used,
)
from reportgen.initial_spec.column_roles import HINTS
from reportgen.initial_spec.profile import ColumnProfile
from reportgen.predictions.binary_labels import NATURAL, known_pair
from reportgen.spec.nearest import listing

LabelColumn = Mapping[str, ColumnProfile]


def multilabel_roles(columns: Sequence[ColumnProfile]) -> ColumnRoles | None:
    """Return the candidates where ``true_a``, ``true_b`` or ``a``, ``b`` go with ``p_a``, ``p_b``.

    The labels may stand first as well: ``a_p``, ``b_p``; ``is_a`` is a truth of ``a``.
    """
    by_name = [(truths, "and their names say so") for truths in _truths(columns)]
    unnamed = [(truths, "whose names stand in others") for truths in _plain(columns)]
    unnamed += [(truths, "that end as scores do") for truths in _ending_alike(columns)]
    if unnamed and not multiclass.are_probabilities(columns):
        by_name += unnamed
    for truths, why in by_name:
        others = [c for c in columns if all(c is not other for other in truths.values())]
        sets = _sets(others, list(truths))
        if not sets:
            continue
        models: dict[str, CandidateModel] = {}
        kinds = {kind: [s for s, other, _ in sets if other == kind] for _, kind, _ in sets}
        for start, kind, by_label in sets:
            plain = start.replace("…", "")
            name = short_among(plain, kinds[kind]) if len(kinds[kind]) > 1 else short(plain)
            keys = {kind: {label: column.name for label, column in by_label.items()}}
            model = models.get(name)
            if model is not None and kind not in model.keys:
                models[name] = CandidateModel(name, {**model.keys, **keys}, model.why)
            else:
                name = free(name, models)
                models[name] = CandidateModel(name, keys, f"{len(by_label)} columns, {start}")
        taken = [column for _, _, by_label in sets for column in by_label.values()]
        uses = used([c for c in others if all(c is not other for other in taken)])
        return ColumnRoles(
            "multilabel",
            next(iter(truths.values())),
            f"{len(truths)} columns of yes or no, {why}",
            list(models.values()),
            [*truths.values(), *taken, *uses.values()],
            uses,
            truths=truths,
        )
    return None


def spelt_out(columns: Sequence[ColumnProfile], file: str) -> Problem | None:
    """That the labels are in words such as yes and no, of which a report needs 1 and 0."""
    numbers = {
        c.name: replace(c, labels={"1": 1, "0": 1})
        for c in columns
        if known_pair(c.labels) and not _yes_or_no(c)
    }
    roles = multilabel_roles([numbers.get(c.name, c) for c in columns]) if numbers else None
    names = [c.name for c in roles.truths.values() if c.name in numbers] if roles else []
    if not names:
        return None
    spelling = next(c.labels for c in columns if c.name == names[0])
    message = (
        f"{listing(map(repr, names))} are several labels, in words: "
        f"{listing(map(repr, sorted(spelling)))}"
    )
    hint = "write 1 and 0, or name the only truth by --truth"
    return Problem("not-supported", message, file, hint)


def _truths(columns: Sequence[ColumnProfile]) -> list[LabelColumn]:
    """Return the columns by what stands beside the words in their names that say truth."""
    by_start: dict[str, dict[str, ColumnProfile]] = defaultdict(dict)
    for column in columns:
        if not _yes_or_no(column) or not column_roles.named_truth(column):
            continue
        start = re.match(r"(?:[^\W_]+?[\W_]+)+?(?=[^\W_])", column.name)
        end = re.search(r"[\W_]+[^\W_]+$", column.name)
        if start and set(re.findall(r"[^\W_]+", start[0].casefold())) & HINTS["truth"]:
            by_start[start[0]][column.name[start.end() :]] = column
        elif end and end[0].strip("_ .-").casefold() in HINTS["truth"]:
            by_start[end[0]][column.name[: end.start()]] = column
    return [truths for truths in by_start.values() if len(truths) > 1]


def _plain(columns: Sequence[ColumnProfile]) -> list[LabelColumn]:
    """Return columns of yes or no whose own names begin or end those of columns of numbers."""
    flags = {_BEING.sub("", c.name): c for c in columns if _yes_or_no(c)}
    stated = any(c.stated_truth for c in columns)
    if stated or len(flags) < 2 or any(map(column_roles.named_truth, flags.values())):
        return []
    by_rest: dict[str, list[str]] = defaultdict(list)
    for column in columns:
        for label in flags if column.fractional else ():
            for rest in _rests(column.name, label):
                by_rest[rest].append(label)
    most = max(by_rest.values(), key=len, default=[])
    return [{label: flags[label] for label in most}] if len(most) > 1 else []


def _ending_alike(columns: Sequence[ColumnProfile]) -> list[LabelColumn]:
    """Return columns of yes or no, as t_a, t_b and t_c, that end as proportions do: m_a, m_b, m_c.

    No other such columns are as many, and no other column is named for the truth.
    """
    if any(c.stated_truth for c in columns):
        return []
    flags: dict[str, dict[str, ColumnProfile]] = defaultdict(dict)
    scores: dict[str, set[str]] = defaultdict(set)
    for column in columns:
        start = re.match(r"[^\W_]+[\W_]+(?=[^\W_])", column.name)
        if start and _yes_or_no(column) and not column_roles.named_prediction(column):
            flags[start[0]][column.name[start.end() :]] = column
        elif start and column.fractional and column.within(0, 1):
            scores[start[0]].add(column.name[start.end() :])
    label_sets: list[LabelColumn] = [
        by_label
        for by_label in flags.values()
        if len(by_label) >= _FEWEST and any(by_label.keys() <= ends for ends in scores.values())
    ]
    taken = [column for by_label in label_sets for column in by_label.values()]
    others = [c for c in columns if not c.fractional and all(c is not other for other in taken)]
    return (
        label_sets
        if len(label_sets) == 1 and not any(map(column_roles.named_truth, others))
        else []
    )


_FEWEST = 3
"""Labels from which columns that end alike are none by chance."""

_BEING = re.compile(r"^(?:is|has|was|flag)[\W_]+(?=[^\W_])", re.IGNORECASE)
"""What says that a column is of yes or no, and no part of the label's name."""


def _rests(name: str, label: str) -> list[str]:
    """What stands around a label in a name, with the label's place as ``…``.

    >>> _rests("logit_affair", "affair"), _rests("affair_logit", "affair"), _rests("fair", "air")
    (['logit_…'], ['…_logit'], [])
    """
    rests = []
    if name.endswith(label) and re.search(r"[\W_]$", name.removesuffix(label)):
        rests.append(name.removesuffix(label) + "…")
    if name.startswith(label) and re.match(r"[\W_]", name.removeprefix(label)):
        rests.append("…" + name.removeprefix(label))
    return rests


def _yes_or_no(column: ColumnProfile) -> bool:
    labels = set(column.labels)
    return column.complete and bool(labels) and any(labels <= set(pair) for pair in NATURAL)


def _sets(
    columns: Sequence[ColumnProfile], labels: Sequence[str]
) -> list[tuple[str, str, LabelColumn]]:
    """Return sets of columns, one for every label: what stands around it, and their kind."""
    by_rest: dict[str, dict[str, ColumnProfile]] = defaultdict(dict)
    for column in columns:
        for label in labels:
            if not column.complete:
                continue
            if column.name.endswith(label):
                by_rest[column.name.removesuffix(label) + "…"][label] = column
            for rest in _rests(column.name, label):
                by_rest[rest][label] = column
    result: list[tuple[str, str, LabelColumn]] = []
    for rest, by_label in by_rest.items():
        if len(by_label) < len(labels) or rest == "…":
            continue
        ordered = {label: by_label[label] for label in labels}
        if all(map(_yes_or_no, ordered.values())):
            result.append((rest, "labels", ordered))
        elif all(c.numbers is not None for c in ordered.values()):
            result.append((rest, "scores", ordered))
    return result
