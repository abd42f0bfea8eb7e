"""What reading predictions gives."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from reportgen.predictions.evaluation_scheme import ONE_TEST, Evaluation
from reportgen.predictions.files import Verified
from reportgen.predictions.source import counted
from reportgen.predictions.truth_left_out import TruthLeftOut
from reportgen.tasks import TaskName


@dataclass(frozen=True, slots=True)
class ModelColumns:
    """A model and its columns in the frame.

    Two classes have ``score`` and ``label``; several classes ``scores`` in the
    order of the classes, ``label`` and, where it is worked out, the class with the
    ``highest`` score; several labels ``scores`` and
    ``labels``; numbers ``estimate``, ``low``, ``high``, ``level`` and ``quantile``.
    """

    name: str
    score: str | None = None
    label: str | None = None
    scores: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    highest: str | None = None
    estimate: str | None = None
    low: str | None = None
    high: str | None = None
    quantile: float | None = None
    level: float | None = None


@dataclass(frozen=True, slots=True)
class InputFile:
    """A data file as it was written in the spec or found by its pattern.

    ``verified`` says what shows that its bytes are those that were written.
    """

    path: str
    sha256: str
    bytes: int
    rows: int
    verified: Verified = "not verified"


@dataclass(frozen=True, slots=True)
class ImproperScores:
    """Scores of a model of several classes that are not probabilities, and why.

    In so many ``rows`` they add up to ``least`` to ``most``. Where ``rows`` are 0 all add up to 1
    but some are negative; null where the number of rows is withheld.
    """

    model: str
    rows: int | None
    least: float | None = None
    most: float | None = None

    @property
    def why(self) -> str:
        """What keeps the scores from being probabilities.

        >>> ImproperScores("a", 2, 0.98, 1.02).why
        'in 2 rows they do not add up to 1 but to between 0.98 and 1.02'
        """
        if self.rows == 0:
            return "they add up to 1, but some are negative"
        if self.rows is None:
            return "they do not add up to 1"
        ends = [
            f"{end:.4g}".replace("-", "\N{MINUS SIGN}")
            for end in (self.least, self.most)
            if end is not None
        ]
        to = ends[0] if ends[0] == ends[-1] else f"between {ends[0]} and {ends[-1]}"
        return f"in {counted(self.rows, 'row', 'rows')} they do not add up to 1 but to {to}"

    @property
    def text(self) -> str:
        """The same of the model by its name."""
        return f"{self.model}: scores, not probabilities: {self.why}"


@dataclass(frozen=True, slots=True)
class Check:
    """A check that passed; or, as a ``warning``, something allowed but unusual.

    ``uncounted`` is the detail without how many rows it counts, and which. ``model`` is the one
    that the detail begins with.
    """

    name: str
    detail: str
    warning: bool = False
    uncounted: str | None = None
    improper: ImproperScores | None = None
    model: str | None = None


@dataclass(frozen=True)
class Predictions:
    """Validated predictions under canonical names (``tables``), in file order.

    Attributes:
        frame: the rows; it has ids only where rows return, in repeats or roles.
        positive: the label of the positive class as the data spells it; empty for other tasks.
        negative: that of the other class.
        unpaired: why models in long form could not be joined row by row.
        classes: the classes or labels that indices and column numbers stand for; of two classes,
            the positive one and the negative one.
        identical_rows: how many test rows repeat another one in truth and all outputs beyond what
            chance explains: 0 where there are none, null where nothing could tell.
        identical_in_groups: how many of those repeat a row of their group.
        crossed: how many rows have an id that other groups have, too.
        identities: the ids and groups of the rows as text, in their order.
        shown: the values that tables of single rows show.
        row_numbers: the places of the rows in the data, from 0, where models are in long form (of
            paired ones those of the first model), and where rows are ``left_out``.
        missing: each column that was read, what it is, and in how many rows it has no value.
        undeclared: columns that the spec does not name and that may say which rows belong
            together, in the order of the frame.
    """

    frame: pl.DataFrame
    models: tuple[ModelColumns, ...]
    positive: str
    negative: str
    files: tuple[InputFile, ...]
    checks: tuple[Check, ...]
    unpaired: str | None = None
    rows_in_common: int | None = None
    task: TaskName = "binary"
    classes: tuple[str, ...] = ()
    evaluation: Evaluation = ONE_TEST
    identical_rows: int | None = None
    identical_in_groups: int | None = None
    crossed: int = 0
    identities: pl.DataFrame | None = None
    shown: pl.DataFrame | None = None
    row_numbers: pl.Series | None = None
    missing: tuple[tuple[str, str, int], ...] = ()
    left_out: TruthLeftOut | None = None
    undeclared: pl.DataFrame | None = None
