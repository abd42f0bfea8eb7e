"""The spec of a comparison over data sets or folds: a long table of values, not predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from reportgen.metric_names import canonical
from reportgen.spec.base import Issue
from reportgen.spec.direction import direction
from reportgen.spec.field_types import OneOrMore, Text, Texts
from reportgen.spec.models import GradedSpec, Spec, Truth
from reportgen.spec.option_groups import Columns
from reportgen.spec.outputs import Models
from reportgen.spec.yaml_text import Plain
from reportgen.tasks import TASKS

USED = frozenset(
    {
        *("title", "data", "sha256", "encoding", "separator", "decimal", "task"),
        *("columns", "measure", "better", "unit"),
        *(
            "baseline",
            "confidence",
            "comparisons",
            "language",
            "sections",
            "output",
            "privacy",
            "theme",
        ),
        *("limits", "name", "every", "keep"),
    }
)
"""What such a spec may say; the rest is about predictions."""


NAMES = ("dataset", "group", "repeat", "fold", "model", "value", "train_rows", "test_rows")
"""The columns of such a table."""


class ScoreColumns(Columns):
    """Names of the columns of a table: a value per model and data set, or per model and fold.

    In long form ``model`` and ``value`` are columns; in wide form ``models`` lists a column of
    values for each model, or ``datasets`` one for each data set.
    With a data set as well as folds or repeats each data set counts once, with its mean over them.
    """

    dataset: Text | None = Field(None, examples=["dataset"])
    """Column with the data set, or any other unit that all models were evaluated on."""
    group: Text | None = Field(None, examples=["passage"])
    """Column with what several data sets share, such as the passage of questions. Each group then
    counts once, with the mean of its data sets."""
    fold: Text | None = Field(None, examples=["fold"])
    """Column with the fold of one data set."""
    repeat: Text | None = Field(None, examples=["repeat"])
    """Column with the repetition of the folds, or of a split into training and test part."""
    model: Text | None = Field(None, examples=["model"])
    """Column with the model's name."""
    value: Text | None = Field(None, examples=["auc"])
    """Column with the value of the measure."""
    models: Texts = Field((), examples=[["C4.5", "C4.5+m"]])
    """Columns with the values of one model each, in place of ``model`` and ``value``: the tables of
    papers are of this form. Columns give the models their names."""
    datasets: Texts = Field((), examples=[["MMLU", "GSM8K"]])
    """Columns with the values on one data set each, in place of ``dataset`` and ``value``: a
    leaderboard with a row for each model, whose column is ``model``. Columns give the data sets
    their names."""
    train_rows: Text | None = Field(None, examples=["train_rows"])
    """Column with the number of rows that the model of the fold was trained on. Without it every
    fold is taken to be tested after training on the others of its repeat."""
    test_rows: Text | None = Field(None, examples=["test_rows"])
    """Column with the number of rows that it was tested on."""


class ScoresSpec(Spec):
    """One comparison of models over data sets: the table of values, and how to evaluate it."""

    task: Literal["comparison"] = "comparison"
    """What the table is for."""
    truth: Truth = ""
    models: Models = Field(default_factory=dict)
    columns: ScoreColumns
    """Columns of the table."""
    measure: Text = Field("value", examples=["auc", "error_rate"])
    """What the values measure; a name in the catalogue says whether higher or lower is better."""
    better: Literal["higher", "lower"] | None = None
    """Whether higher or lower values are better. Needed where neither the catalogue nor a word of
    the measure's name, such as loss, says so."""
    unit: Annotated[OneOrMore, Field(min_length=1, max_length=2)] | None = Field(
        None, examples=["item", ["child", "children"]]
    )
    """What a row of ``columns.dataset`` is called, where it is not a data set, or a group where
    ``columns.group`` is named: the word for one, or the words for one and for several. The pages
    use it, in the language of the report."""

    @property
    def measure_names(self) -> set[str]:
        """The names by which a claim may call the measure."""
        return {"value", self.measure, canonical(self.measure)}

    @property
    def less_is_better(self) -> bool:
        """Whether lower values are better."""
        by_name = direction(self.measure)
        return (self.better or (by_name.better if by_name else None)) == "lower"

    @property
    def guessed(self) -> str | None:
        """What is better by a word of the measure's name alone, as a sentence."""
        by_name = direction(self.measure)
        if self.better or by_name is None or not by_name.guessed:
            return None
        return (
            f"{self.measure!r} is no measure of the catalogue; {by_name.better} values are taken "
            "to be better, by its name: state better: higher or better: lower"
        )

    @property
    def contradicted(self) -> str | None:
        """That the stated direction is not that of a measure of the catalogue, as a sentence."""
        by_name = direction(self.measure)
        if self.better is None or by_name is None or by_name.guessed:
            return None
        if by_name.better == self.better:
            return None
        values = f"{by_name.better.capitalize()} values of {self.measure!r}"
        return f"{values} are better by the catalogue, but the spec says {self.better}"


STATED_DIRECTION = "stated direction"
"""The check of a direction that is not that of the measure."""


def issues(spec: ScoresSpec) -> Iterator[Issue]:
    """Return every fault between the fields of such a spec."""
    yield from _without_effect(spec)
    yield from _units(spec.columns)
    if spec.unit and spec.columns.dataset is None and not spec.columns.datasets:
        message = "unit has no effect without columns.dataset: values are of folds"
        yield Issue(("unit",), "conflict", message, "leave it out", key=True)
    yield from _form(spec.columns)
    yield from _direction(spec)
    seen: dict[str, str] = {}
    for name in NAMES:
        column = getattr(spec.columns, name)
        if column is None:
            continue
        if column in seen:
            message = f"column {column!r} is {name} and also {seen[column]}"
            hint = "give each its own column"
            yield Issue(("columns", name), "repeated-column", message, hint, column)
        seen.setdefault(column, name)


def _without_effect(spec: ScoresSpec) -> Iterator[Issue]:
    """What is about predictions, which a table of values has none of."""
    for name in sorted(spec.model_fields_set - USED):
        yield Issue(
            (name,),
            "conflict",
            f"{name} has no effect where task is comparison",
            f"leave it out; known are {', '.join(sorted(USED))}",
            key=True,
        )
    if spec.privacy.small_cells is not None:
        message = "privacy.small_cells has no effect where task is comparison"
        hint = "leave it out; a table of values has no counts of rows"
        yield Issue(("privacy", "small_cells"), "conflict", message, hint, key=True)
    for name in sorted(spec.privacy.model_fields_set & {"ids", "show"}):
        if getattr(spec.privacy, name) not in ("hidden", ()):
            message = f"privacy.{name} has no effect where task is comparison"
            hint = "leave it out; a table of values has no rows to look at"
            yield Issue(("privacy", name), "conflict", message, hint, key=True)
    for name in [n for n in ("measures", "primary") if getattr(spec.comparisons, n)]:
        message = f"comparisons.{name} has no effect where task is comparison"
        hint = "leave it out; the values are of one measure"
        yield Issue(("comparisons", name), "conflict", message, hint, key=True)
    for name in sorted(spec.columns.model_fields_set - {*NAMES, "models", "datasets"}):
        message = f"columns.{name} has no effect where task is comparison"
        yield Issue(("columns", name), "conflict", message, "leave it out", key=True)


def _direction(spec: ScoresSpec) -> Iterator[Issue]:
    """Which values are better must be known."""
    if spec.better is not None or direction(spec.measure) is not None:
        return
    hint = "state better: higher or better: lower"
    if "measure" in spec.model_fields_set:
        message = f"measure {spec.measure!r} does not say which values are better"
        yield Issue(("measure",), "missing-key", message, hint, spec.measure)
    else:
        message = "neither measure nor better says which values are better"
        yield Issue((), "missing-key", message, f"name the measure, or {hint}", key=True)


def _form(columns: ScoreColumns) -> Iterator[Issue]:
    """Values are in long form, with model and value, or in wide form, with models or datasets."""
    wide = "datasets" if columns.datasets else "models"
    instead = ("dataset", "value", "models") if columns.datasets else ("model", "value")
    given = [name for name in instead if getattr(columns, name)]
    needed = ("model",) if columns.datasets else () if columns.models else ("model", "value")
    missing = [name for name in needed if getattr(columns, name) is None]
    hint = (
        "name model and value of a long table, or list the models' own columns as models, "
        "or model and the data sets' own columns as datasets"
    )
    if getattr(columns, wide) and given:
        message = f"columns names both {wide} and {given[0]}"
        yield Issue(("columns", wide), "conflict", message, hint, key=True)
    elif missing:
        message = f"columns does not name {missing[0]}"
        yield Issue(("columns",), "missing-key", message, hint, key=True)
    keys = {getattr(columns, name): name for name in NAMES}
    listed = getattr(columns, wide)
    for column in listed:
        if column in keys or list(listed).count(column) > 1:
            what = "data set" if columns.datasets else "model"
            other = keys.get(column, f"another {what}")
            message = f"column {column!r} is a {what} and also {other}"
            where = ("columns", wide)
            yield Issue(where, "repeated-column", message, "give each its own column", column)
            return


def _units(columns: ScoreColumns) -> Iterator[Issue]:
    """What the values stand for must be declared, and the sizes of the parts go together."""
    named = columns.dataset or columns.datasets
    if not named and columns.fold is None and columns.repeat is None:
        message = "columns names neither a dataset nor a fold or repeat"
        hint = "name the column that distinguishes the values of one model"
        yield Issue(("columns",), "missing-key", message, hint, key=True)
    if columns.group and not columns.dataset:
        message = "columns.group has no effect without columns.dataset"
        hint = "name the column of what the groups hold, such as the questions on one text"
        yield Issue(("columns", "group"), "conflict", message, hint, key=True)
    sizes = [name for name in ("train_rows", "test_rows") if getattr(columns, name) is not None]
    if len(sizes) == 1:
        message = f"columns.{sizes[0]} is one of two sizes"
        hint = "name train_rows and test_rows, or neither"
        yield Issue(("columns", sizes[0]), "conflict", message, hint, key=True)
    if sizes and named:
        message = f"columns.{sizes[0]} has no effect where values are of data sets"
        yield Issue(("columns", sizes[0]), "conflict", message, "leave it out", key=True)


def kind_of(values: Any) -> type[Spec]:
    """The kind of spec that values have, by their task and whether labels are graded."""
    task = values.get("task") if isinstance(values, Mapping) else None
    record = TASKS.get(str(task))
    if record is not None and record.of_values:
        return ScoresSpec
    graded = values.get("graded") if isinstance(values, Mapping) else None
    given = graded.value if isinstance(graded, Plain) else graded
    return GradedSpec if given is True else Spec
