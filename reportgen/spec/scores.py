"""The spec of a comparison over data sets: a long table of values instead of predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from reportgen.spec.finding import Finding
from reportgen.spec.kinds import Text
from reportgen.spec.models import Columns, Spec, Truth
from reportgen.spec.outputs import Models

TASK = "comparison"

USED = frozenset(
    {
        *("title", "data", "sha256", "task", "columns", "measure", "better"),
        *("baseline", "confidence", "comparisons", "language", "sections", "output"),
    }
)
"""What such a spec may say; the rest is about predictions."""


class ScoreColumns(Columns):
    """Names of the columns of a long table: one value per data set and model."""

    dataset: Text = Field(examples=["dataset"])
    """Column with the data set, or anything else that all models were judged on."""
    model: Text = Field(examples=["model"])
    """Column with the model's name."""
    value: Text = Field(examples=["auc"])
    """Column with the value of the measure."""


class ScoresSpec(Spec):
    """One comparison of models over data sets: the table of values, and how to judge it."""

    task: Literal["comparison"] = "comparison"
    """What the table is for."""
    truth: Truth = ""
    models: Models = Field(default_factory=dict)
    columns: ScoreColumns
    """Columns of the long table."""
    measure: Text = Field("value", examples=["auc", "error_rate"])
    """What the values measure; a name of the catalogue tells whether less of it is better."""
    better: Literal["higher", "lower"] | None = None
    """Whether higher or lower values are better. Default: as the catalogue has it, else higher."""

    @property
    def less_is_better(self) -> bool:
        """Whether lower values are better."""
        from reportgen.metrics import find

        known = find(self.measure)
        told = self.better or (known.better if known else None)
        return told == "lower"


def findings(spec: ScoresSpec) -> Iterator[Finding]:
    """Return every fault between the fields of such a spec."""
    for name in sorted(spec.model_fields_set - USED):
        yield Finding(
            (name,),
            "conflict",
            f"{name} says nothing where task is comparison",
            f"leave it out; known are {', '.join(sorted(USED))}",
            key=True,
        )
    for name in sorted(spec.columns.model_fields_set - {"dataset", "model", "value"}):
        message = f"columns.{name} says nothing where task is comparison"
        yield Finding(("columns", name), "conflict", message, "leave it out", key=True)
    seen: dict[str, str] = {}
    for name in ("dataset", "model", "value"):
        column = getattr(spec.columns, name)
        if column in seen:
            message = f"column {column!r} is {name} and also {seen[column]}"
            cure = "give each its own column"
            yield Finding(("columns", name), "repeated-column", message, cure, column)
        seen.setdefault(column, name)


def kind_of(values: Any) -> type[Spec]:
    """The kind of spec that values are: told by their task."""
    task = values.get("task") if isinstance(values, Mapping) else None
    return ScoresSpec if str(task) == TASK else Spec
