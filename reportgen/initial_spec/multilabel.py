"""Several labels: columns of yes or no per label, and columns of the models that end alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from reportgen.initial_spec import column_roles
from reportgen.initial_spec.candidates import CandidateModel, ColumnRoles, free, short, used
from reportgen.initial_spec.column_roles import HINTS
from reportgen.initial_spec.profile import ColumnProfile
from reportgen.predictions.labels import NATURAL

LabelColumn = Mapping[str, ColumnProfile]


def multilabel_roles(columns: Sequence[ColumnProfile]) -> ColumnRoles | None:
    """Return the candidates where ``true_a``, ``true_b`` go with ``p_a``, ``p_b``."""
    for truths in _truths(columns):
        others = [c for c in columns if all(c is not other for other in truths.values())]
        sets = _sets(others, list(truths))
        if not sets:
            continue
        models: dict[str, CandidateModel] = {}
        for start, kind, by_label in sets:
            name = short(start)
            keys = {kind: {label: column.name for label, column in by_label.items()}}
            model = models.get(name)
            if model is not None and kind not in model.keys:
                models[name] = CandidateModel(name, {**model.keys, **keys}, model.why)
            else:
                name = free(name, models)
                models[name] = CandidateModel(name, keys, f"{len(by_label)} columns, {start}…")
        taken = [column for _, _, by_label in sets for column in by_label.values()]
        uses = used([c for c in others if all(c is not other for other in taken)])
        return ColumnRoles(
            "multilabel",
            next(iter(truths.values())),
            f"{len(truths)} columns of yes or no, and their names say so",
            list(models.values()),
            [*truths.values(), *taken, *uses.values()],
            uses,
            truths=truths,
        )
    return None


def _truths(columns: Sequence[ColumnProfile]) -> list[LabelColumn]:
    """Return the columns by what follows the words in their names that say truth."""
    by_start: dict[str, dict[str, ColumnProfile]] = defaultdict(dict)
    for column in columns:
        if _yes_or_no(column) and column_roles.named_truth(column):
            start = re.match(r"(?:[^\W_]+?[\W_]+)+?(?=[^\W_])", column.name)
            if start and set(re.findall(r"[^\W_]+", start[0].casefold())) & HINTS["truth"]:
                by_start[start[0]][column.name[start.end() :]] = column
    return [truths for truths in by_start.values() if len(truths) > 1]


def _yes_or_no(column: ColumnProfile) -> bool:
    labels = set(column.labels)
    return column.complete and bool(labels) and any(labels <= set(pair) for pair in NATURAL)


def _sets(
    columns: Sequence[ColumnProfile], labels: Sequence[str]
) -> list[tuple[str, str, LabelColumn]]:
    """Return sets of columns, one for every label: what their names begin with, and their kind."""
    by_start: dict[str, dict[str, ColumnProfile]] = defaultdict(dict)
    for column in columns:
        for label in labels:
            if column.name.endswith(label) and column.complete:
                by_start[column.name.removesuffix(label)][label] = column
    result: list[tuple[str, str, LabelColumn]] = []
    for start, by_label in by_start.items():
        if len(by_label) < len(labels) or not start:
            continue
        ordered = {label: by_label[label] for label in labels}
        if all(map(_yes_or_no, ordered.values())):
            result.append((start, "labels", ordered))
        elif all(c.numbers is not None for c in ordered.values()):
            result.append((start, "scores", ordered))
    return result
