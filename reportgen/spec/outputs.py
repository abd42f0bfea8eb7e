"""The forms in which a model's output can be declared, wide or long.

Two classes take ``score`` and ``label``, several classes ``scores`` by class
and ``label``, several labels ``scores`` and ``labels`` by label, and numbers
``estimate`` with ``low``, ``high``, ``level`` and ``quantile``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from reportgen.spec.base import SpecPart
from reportgen.spec.field_types import NUMBER, ByName, Text, shape

OpenShare = Annotated[float, Field(gt=0, lt=1), NUMBER]


class ScoreModel(SpecPart):
    """A model by the column of its score, of its decisions, or both."""

    score: Text | None = Field(None, examples=["p_forest"])
    """Column with the probability, or any real score, of the positive class. Higher is more
    positive."""
    label: Text | None = Field(None, examples=["forest_says"])
    """Column with the model's own decision: the class that it predicts, of two or of several.
    Without a score, measures that need one are left out, and the report says so."""


class ClassModel(SpecPart):
    """A model of several classes or labels, by columns of its scores, of its decisions, or both."""

    scores: ByName | None = Field(None, examples=[{"cat": "p_cat", "dog": "p_dog"}])
    """Columns with the probability, or any real score, of each class (or label), by its name."""
    label: Text | None = Field(None, examples=["forest_says"])
    """Column with the predicted class; the class of the highest score when left out."""
    labels: ByName | None = Field(None, examples=[{"sport": "says_sport"}])
    """Several labels per example: columns that say 0 or 1 (false or true) for each label."""


class EstimateModel(SpecPart):
    """A regression model, by the column of its estimate."""

    estimate: Text = Field(examples=["y_hat"])
    """Column with the estimate."""
    low: Text | None = Field(None, examples=["y_low"])
    """Column with the lower end of the prediction interval."""
    high: Text | None = Field(None, examples=["y_high"])
    """Column with the upper end of the prediction interval."""
    quantile: OpenShare | None = Field(None, examples=[0.9])
    """The quantile that the estimate stands for, when it is one."""
    level: OpenShare | None = Field(None, examples=[0.9])
    """Share of the truths that the prediction interval is meant to hold, which its Winkler score
    takes; ``confidence`` when left out."""


class LongModels(SpecPart):
    """Models in long form: one row per example and model, the model's name in a column."""

    column: Text = Field(examples=["model"])
    """Column with the name of the model."""
    score: Text | None = Field(None, examples=["score"])
    """Column with the score of the positive class."""
    label: Text | None = Field(None, examples=["label"])
    """Column with the model's own decision."""


class LongClassModels(ClassModel):
    """Models of several classes or labels in long form."""

    column: Text = Field(examples=["model"])
    """Column with the name of the model."""


class LongEstimateModels(EstimateModel):
    """Regression models in long form."""

    column: Text = Field(examples=["model"])
    """Column with the name of the model."""


WideModel = ScoreModel | ClassModel | EstimateModel
LongForm = LongModels | LongClassModels | LongEstimateModels
AnyModel = WideModel | LongForm

OF_CLASSES = ("scores", "labels")
SETTINGS = ("quantile", "level")
"""The keys of a regression model that name no column."""

OF_NUMBERS = ("estimate", "low", "high", *SETTINGS)
FORM_KEYS = ("score", "label", *OF_CLASSES, *OF_NUMBERS)
"""The keys of all forms together."""


def _form(value: Any) -> str:
    if isinstance(value, SpecPart):
        keys: Iterable[str] = type(value).model_fields
    else:
        keys = value if isinstance(value, Mapping) else ()
    if any(key in keys for key in OF_NUMBERS):
        return "<number>"
    return "<classes>" if any(key in keys for key in OF_CLASSES) else "<score>"


def _models_shape(value: Any) -> str:
    if isinstance(value, SpecPart):
        return "<long>"
    column = value.get("column") if isinstance(value, Mapping) else None
    return "<long>" if column is not None and shape(column) == "<scalar>" else "<wide>"


TaggedModel = Annotated[
    Annotated[ScoreModel, Tag("<score>")]
    | Annotated[ClassModel, Tag("<classes>")]
    | Annotated[EstimateModel, Tag("<number>")],
    Discriminator(_form),
]
Long = Annotated[
    Annotated[LongModels, Tag("<score>")]
    | Annotated[LongClassModels, Tag("<classes>")]
    | Annotated[LongEstimateModels, Tag("<number>")],
    Discriminator(_form),
]
Models = Annotated[
    Annotated[dict[str, TaggedModel], Field(min_length=1), Tag("<wide>")]
    | Annotated[Long, Tag("<long>")],
    Discriminator(_models_shape),
]


def outputs(model: AnyModel) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the way to each output column of a model, and the column.

    >>> list(outputs(ClassModel(scores={"cat": "p"}, label="said")))
    [(('scores', 'cat'), 'p'), (('label',), 'said')]
    """
    for field in type(model).model_fields:
        value = getattr(model, field)
        if field not in FORM_KEYS or field in SETTINGS or value is None:
            continue
        if isinstance(value, Mapping):
            yield from (((field, name), column) for name, column in value.items())
        else:
            yield (field,), value
