"""The columns that a spec asks for, under their canonical names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reportgen.spec import Choice, Costs, Spec, class_names, task_of
from reportgen.spec.document import Steps
from reportgen.spec.outputs import AnyModel, outputs
from reportgen.spec.tasks import entries

Kind = Literal["label", "number", "text"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A column by its name in the frame and in the data, its kind, and where the spec says so.

    ``threshold`` is what scores are compared with, where that is known before they are read.
    """

    name: str
    column: str
    kind: Kind
    steps: Steps
    threshold: float | None = None


def wanted(spec: Spec) -> list[Wanted]:
    """Return every column that the spec names, in the order of the frame."""
    columns = _truth(spec)
    for role in ("weight", "id", "fold", "repeat", "role", "group", "dataset", "time"):
        column = getattr(spec.columns, role)
        if column is not None:
            kind: Kind = "number" if role == "weight" else "text"
            columns.append(Wanted(role, column, kind, ("columns", role)))
    columns += _slices(spec)
    if isinstance(spec.costs, Costs):
        for error, column in spec.costs.columns().items():
            columns.append(Wanted(f"cost_{error}", column, "number", ("costs", error, "column")))
    if not isinstance(spec.models, Mapping):
        columns.append(Wanted("model", spec.models.column, "text", ("models", "column")))
    classes = class_names(spec)
    for index, (steps, model) in enumerate(entries(spec)):
        columns += _outputs(index, model, steps, classes)
    if isinstance(spec.threshold, Choice):
        return columns
    at = float(spec.threshold)
    return [replace(w, threshold=at) if w.name.startswith("score:") else w for w in columns]


def _truth(spec: Spec) -> list[Wanted]:
    if isinstance(spec.truth, str):
        kind: Kind = "number" if task_of(spec) == "regression" else "label"
        return [Wanted("truth", spec.truth, kind, ("truth",))]
    return [
        Wanted(f"truth:{index}", spec.truth[name], "label", ("truth", name))
        for index, name in enumerate(class_names(spec))
    ]


def _slices(spec: Spec) -> list[Wanted]:
    columns: dict[str, Wanted] = {}
    for index, entry in enumerate(spec.slices):
        for column in (entry,) if isinstance(entry, str) else entry:
            field = Wanted(f"slice:{column}", column, "text", ("slices", index))
            columns.setdefault(column, field)
    return list(columns.values())


def _outputs(index: int, model: AnyModel, steps: Steps, classes: Sequence[str]) -> list[Wanted]:
    """Return the columns of a model, those by class in the order of the classes."""
    entries = [([classes.index(name) for name in way[1:]], way, c) for way, c in outputs(model)]
    columns = []
    for numbers, way, column in sorted(entries, key=lambda output: output[0]):
        kind: Kind = "label" if way[0] in ("label", "labels") else "number"
        name = ":".join(map(str, [way[0].removesuffix("s"), index, *numbers]))
        columns.append(Wanted(name, column, kind, (*steps, *way)))
    return columns
