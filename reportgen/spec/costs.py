"""What errors cost: two classes, several classes, or a cost per example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from reportgen.spec.base import SpecPart
from reportgen.spec.field_types import NUMBER, Text, shape


class CostColumn(SpecPart):
    """A cost that differs from example to example."""

    column: Text = Field(examples=["amount"])
    """Column with the cost of an error on this example: finite and not negative."""


LEAST, MOST = 1e-12, 1e12
"""Limits of a cost that is not 0: with products of further ones sums stay exact enough."""


def _measurable(cost: float) -> float:
    if 0 < cost < LEAST:
        raise PydanticCustomError("greater_than_equal", "too small", {"ge": LEAST})
    return cost


CostNumber = Annotated[float, Field(ge=0, le=MOST), AfterValidator(_measurable), NUMBER]
Cost = Annotated[
    Annotated[CostNumber, Tag("<scalar>")] | Annotated[CostColumn, Tag("<mapping>")],
    Discriminator(lambda value: "<mapping>" if shape(value) == "<mapping>" else "<scalar>"),
]


class Costs(SpecPart):
    """What each kind of error costs; a correct decision costs nothing."""

    false_negative: Cost = Field(examples=[10, {"column": "amount"}])
    """Cost of predicting a positive example as negative: a number, or the column that has it."""
    false_positive: Cost = Field(examples=[1])
    """Cost of predicting a negative example as positive: a number, or the column that has it."""

    def columns(self) -> dict[str, str]:
        """Return the columns of costs that differ from example to example, by kind of error."""
        given = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: c.column for name, c in given.items() if isinstance(c, CostColumn)}


ClassCosts = dict[Text, dict[Text, CostNumber]]
"""Costs by true class, then by the predicted class; what is left out costs nothing."""


def _costs_shape(value: Any) -> str:
    if not isinstance(value, Mapping) or value.keys() & Costs.model_fields.keys():
        return "<binary>"
    return "<by class>" if any(isinstance(cost, Mapping) for cost in value.values()) else "<binary>"


AnyCosts = Annotated[
    Annotated[Costs, Tag("<binary>")] | Annotated[ClassCosts, Tag("<by class>")],
    Discriminator(_costs_shape),
]


def prevalence_at(x: float, false_negative: float, false_positive: float) -> float | None:
    """Prevalence at which P(+)cost is ``x`` under these costs; None where they leave it open.

    x·c(FP) / (x·c(FP) + (1 − x)·c(FN)).

    >>> prevalence_at(0.5, 4, 1), prevalence_at(1.0, 5, 0)
    (0.2, None)
    """
    whole = x * false_positive + (1 - x) * false_negative
    return x * false_positive / whole if whole else None
