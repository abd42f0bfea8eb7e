"""The plan: what is counted in every leaf, and the identity of its counts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl

from reportgen.array_types import Integers
from reportgen.predictions.files import DataFile
from reportgen.predictions.required_columns import RequiredColumn, required_columns
from reportgen.spec import Choice, Spec, class_costs, class_names, task_of
from reportgen.spec.tasks import UNTOLD, entries
from reportgen.tasks import TASKS, TaskInfo
from reportgen.version import __version__

LEAF_ROWS = 8_000_000
"""Rows of a leaf at most; a larger file is cut into several."""

LEAF_NUMBERS = 5_000_000
"""Values of a leaf at most where rows have many columns: a reader may hold all of them."""


MOST_FITS = 500
"""Parts of an evaluation, training parts with them; with more, rows are not counted."""

FIT = ("dataset", "fold", "role")
"""The columns that tell one part of an evaluation from another."""

JOINT = 2**19
"""About so many joint cells of all pairs of models are wanted at most."""


@dataclass(frozen=True)
class Written:
    """A spec as it is written, with models in long form; ``integer_ids``: those of its data are."""

    spec: Spec
    integer_ids: bool


@dataclass(frozen=True)
class Placements:
    """Twice the rows of the other class below a row of each cell of a model's scores.

    ``keys`` are those of the cells; a positive has the label ``positive``. The rows are those of
    a part of a scope.
    """

    model: int
    positive: str
    keys: Integers
    of_positives: Integers
    of_negatives: Integers
    scope: int = -1
    part: str = "[]"

    @property
    def of(self) -> tuple[int, int, str]:
        """Whose scores they are, and of which rows."""
        return self.model, self.scope, self.part

    @property
    def digest(self) -> str:
        """SHA-256 of all of it."""
        arrays = (self.keys, self.of_positives, self.of_negatives)
        content = b"".join(array.astype(np.int64).tobytes() for array in arrays)
        return hashlib.sha256(f"{self.of} {self.positive}".encode() + content).hexdigest()


@dataclass(frozen=True)
class Plan:
    """What is counted: cells of scores, decisions, or both.

    ``thresholds`` has one entry per model, and is None where they are yet to
    be chosen: then no decision is counted. ``cells`` is false where only
    decisions are. Of models in long form ``spec`` has a column each, ``long`` the
    spec as it is written. With ``placements`` these alone are added up, by group.
    """

    spec: Spec
    thresholds: tuple[float | None, ...] | None
    cells: bool = True
    long: Written | None = None
    placements: tuple[Placements, ...] = ()

    @classmethod
    def first(cls, spec: Spec, long: Written | None = None) -> Plan:
        """The first pass over the rows; the only one where no threshold is to be chosen."""
        rule = spec.threshold
        if isinstance(rule, Choice):
            return cls(spec, None, long=long)
        scored = [getattr(model, "score", None) is not None for _, model in entries(spec)]
        of_models = tuple(float(rule) if has_scores else None for has_scores in scored)
        return cls(spec, of_models, long=long)

    @property
    def written(self) -> Spec:
        """The spec as it is written."""
        return self.spec if self.long is None else self.long.spec

    @property
    def task(self) -> TaskInfo:
        """What is evaluated; two classes where only the data can tell."""
        return TASKS[task_of(self.spec) or UNTOLD[0]]

    @property
    def leaf_rows(self) -> int:
        """Rows of a leaf at most."""
        if self.task.two_classes:
            return LEAF_ROWS
        return min(LEAF_ROWS, LEAF_NUMBERS // len(self.columns))

    @property
    def columns(self) -> list[RequiredColumn]:
        """Every column that the spec names, but for those that single rows alone would show."""
        return [w for w in required_columns(self.written) if w.role != "shown"]

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names of all models."""
        return tuple(str(steps[-1]) for steps, _ in entries(self.spec))

    @property
    def scores(self) -> list[int]:
        """Positions of the models with scores."""
        return [k for k, (_, m) in enumerate(entries(self.spec)) if getattr(m, "score", None)]

    @property
    def labels(self) -> list[int]:
        """Positions of the models with labels of their own."""
        return [k for k, (_, m) in enumerate(entries(self.spec)) if getattr(m, "label", None)]

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.spec.columns.weight is not None

    @property
    def grouped(self) -> bool:
        """Whether rows come in groups."""
        return self.spec.columns.group is not None

    @property
    def fits(self) -> list[str]:
        """The columns of the parts of the evaluation."""
        return [name for name in FIT if getattr(self.spec.columns, name) is not None]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of models with scores."""
        return [(a, b) for a in self.scores for b in self.scores if a < b]

    @property
    def joint_bits(self) -> int:
        """How many neighbouring cells share a joint cell, as a power of two: 32, or more."""
        bits = 5
        # Scores fill about 20 factors of two of each model.
        while len(self.pairs) * (20 * 2 ** (9 - bits)) ** 2 > 2 * JOINT and bits < 9:
            bits += 1
        return bits

    @property
    def digest(self) -> str:
        """SHA-256 of all that decides the counts: plan, code and library."""
        content = [
            [(w.name, w.column, w.kind) for w in self.columns],
            () if self.long is None else self.model_names,
            self.task.name,
            [(self.spec.confidence, getattr(m, "level", None)) for _, m in entries(self.spec)]
            if self.task.of_numbers
            else [],
            [class_names(self.spec), class_costs(self.spec, class_names(self.spec))]
            if self.task.several_classes
            else [],
            self.thresholds,
            self.cells,
            [placed.digest for placed in self.placements],
            self.spec.slicings,
            self.spec.leave_out,
            self.joint_bits,
            __version__,
            pl.__version__,
            _code(),
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


@dataclass(frozen=True)
class Partition:
    """Rows of one file, from ``first`` (the first row is 0), all the rest where ``rows`` is None.

    ``sha256`` is that of the file. Of models in long form a part has rows of all files, of this one
    and of ``more``: those whose ids are in its ``bucket``, of so many; ``sha256`` then is one of
    their hashes.
    """

    file: DataFile
    sha256: str
    first: int = 0
    rows: int | None = None
    more: tuple[DataFile, ...] = ()
    bucket: tuple[int, int] | None = None

    @property
    def files(self) -> tuple[DataFile, ...]:
        """All files that it has rows of."""
        return (self.file, *self.more)

    def name(self, plan: Plan) -> str:
        """Name of its counts: a hash of the files' content, the rows and the plan."""
        written = [(f.format, f.encoding, f.between, f.decimal) for f in self.files]
        content = f"{self.sha256} {written} {self.first} {self.rows} {self.bucket} {plan.digest}"
        return hashlib.sha256(content.encode()).hexdigest()


def partitions(file: DataFile, sha256: str, rows: int | None, most: int) -> list[Partition]:
    """Return the leaves of a file, of ``most`` rows; one where the rows are not known unread."""
    if rows is None or rows <= most:
        return [Partition(file, sha256)]
    starts = range(0, rows, most)
    return [Partition(file, sha256, first, min(most, rows - first)) for first in starts]


@cache
def _code() -> str:
    """Hash of the modules that read and count, so that a changed one counts again."""
    hasher = hashlib.sha256()
    for folder in ("engines", "predictions", "metrics"):
        sources = (p for p in files("reportgen").joinpath(folder).iterdir() if p.name[-3:] == ".py")
        for path in sorted(sources, key=lambda p: p.name):
            hasher.update(path.read_bytes())
    return hasher.hexdigest()
