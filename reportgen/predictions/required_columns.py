"""The columns that a spec asks for, under their canonical names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reportgen.predictions.column_names import (
    output_column,
    role,
    shown_column,
    slice_column,
    truth_column,
)
from reportgen.spec import Choice, Costs, Spec, class_names, task_of
from reportgen.spec.document import Steps
from reportgen.spec.outputs import AnyModel, outputs
from reportgen.spec.tasks import entries
from reportgen.tasks import TASKS

ColumnKind = Literal["label", "number", "text"]


@dataclass(frozen=True, slots=True)
class RequiredColumn:
    """A column by its name in the frame and in the data, its kind, and where the spec says so.

    ``threshold`` is what scores are compared with, where that is known before they are read.
    """

    name: str
    column: str
    kind: ColumnKind
    steps: Steps
    threshold: float | None = None

    @property
    def role(self) -> str:
        """What the column is, such as ``score``."""
        return role(self.name)


def required_columns(spec: Spec) -> list[RequiredColumn]:
    """Return every column that the spec names, in the order of the frame."""
    columns = _truth(spec)
    for name in ("weight", "id", "fold", "repeat", "role", "group", "dataset", "time"):
        column = getattr(spec.columns, name)
        if column is not None:
            kind: ColumnKind = "number" if name == "weight" else "text"
            columns.append(RequiredColumn(name, column, kind, ("columns", name)))
    columns += _slices(spec)
    columns += [
        RequiredColumn(shown_column(column), column, "text", ("privacy", "show", index))
        for index, column in enumerate(spec.privacy.show)
    ]
    if isinstance(spec.costs, Costs):
        for error, column in spec.costs.columns().items():
            columns.append(
                RequiredColumn(f"cost_{error}", column, "number", ("costs", error, "column"))
            )
    if not isinstance(spec.models, Mapping):
        columns.append(RequiredColumn("model", spec.models.column, "text", ("models", "column")))
    classes = class_names(spec)
    for index, (steps, model) in enumerate(entries(spec)):
        columns += _outputs(index, model, steps, classes)
    if isinstance(spec.threshold, Choice):
        return columns
    at = float(spec.threshold)
    return [replace(w, threshold=at) if w.role == "score" else w for w in columns]


def _truth(spec: Spec) -> list[RequiredColumn]:
    if spec.graded:  # whose values are replaced, as every answer should be right
        steps, model = next(entries(spec))
        return [
            RequiredColumn("truth", column, "label", (*steps, *way))
            for way, column in outputs(model)
        ]
    if isinstance(spec.truth, str):
        task = task_of(spec)
        kind: ColumnKind = "number" if task and TASKS[task].of_numbers else "label"
        return [RequiredColumn("truth", spec.truth, kind, ("truth",))]
    return [
        RequiredColumn(truth_column(index), spec.truth[name], "label", ("truth", name))
        for index, name in enumerate(class_names(spec))
    ]


def _slices(spec: Spec) -> list[RequiredColumn]:
    columns: dict[str, RequiredColumn] = {}
    for index, entry in enumerate(spec.slices):
        for column in (entry,) if isinstance(entry, str) else entry:
            field = RequiredColumn(slice_column(column), column, "text", ("slices", index))
            columns.setdefault(column, field)
    return list(columns.values())


def _outputs(
    index: int, model: AnyModel, steps: Steps, classes: Sequence[str]
) -> list[RequiredColumn]:
    """Return the columns of a model, those by class in the order of the classes."""
    entries = [([classes.index(name) for name in way[1:]], way, c) for way, c in outputs(model)]
    columns = []
    for numbers, way, column in sorted(entries, key=lambda output: output[0]):
        kind: ColumnKind = "label" if way[0] in ("label", "labels") else "number"
        name = output_column(way[0].removesuffix("s"), index, *numbers)
        columns.append(RequiredColumn(name, column, kind, (*steps, *way)))
    return columns
