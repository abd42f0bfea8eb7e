"""What a generated file holds, and the judgement of what the reader made of it.

A file is accepted with exactly the values that the generator chose, or refused
with a place; everything else is a silent difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError, EmptyError, SpecError

Outcome = Literal["accepted", "refused", "silent difference", "refused though valid", "no place"]

BAD: tuple[Outcome, ...] = ("silent difference", "refused though valid", "no place")

SPEC: Mapping[str, Any] = {
    "truth": "y",
    "positive": "sick",
    "models": {"a": {"score": "p"}, "b": {"score": "q"}},
    "columns": {"id": "case", "fold": "part"},
    "slices": ["site"],
}

CANONICAL = {
    "case": "id",
    "y": "truth",
    "p": "score:0",
    "q": "score:1",
    "part": "fold",
    "site": "slice:site",
}


@dataclass(frozen=True)
class Row:
    """The values of one example, as they are to be read.

    Where the spelling of ``part`` and ``site`` does not matter, any value stands for it.
    """

    case: str
    y: str
    p: float
    q: float
    part: Any
    site: Any


@dataclass(frozen=True)
class Case:
    """Files by name, the rows that they hold, and whether they follow their format's rules.

    ``rows`` is None where the rules give no answer: then only a refusal is right.
    """

    kind: str
    files: Mapping[str, bytes]
    rows: Sequence[Row] | None
    valid: bool
    spec: Mapping[str, Any] = field(default_factory=dict)


def outcome(case: Case, folder: Path) -> tuple[Outcome, str]:
    """Read the files of a case and say what became of them."""
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    data = [name for name in case.files if not name.endswith(".sha256")]
    try:
        spec = specs.from_dict({**SPEC, "data": data, **case.spec}, folder)
        result = predictions.read(spec)
    except (DataError, EmptyError, SpecError) as refused:
        messages = str(refused)
        if case.valid:
            return "refused though valid", messages
        placed = all(problem.place and problem.message for problem in refused.problems)
        return ("refused" if placed else "no place"), messages
    if case.rows is None:
        return "silent difference", "accepted, though no answer is right"
    difference = _difference(result.frame, case.rows)
    return ("silent difference", difference) if difference else ("accepted", "")


def _difference(frame: Any, rows: Sequence[Row]) -> str:
    if frame.height != len(rows):
        return f"{frame.height} rows for {len(rows)}"
    for column, name in CANONICAL.items():
        if name not in frame.columns:
            continue  # ids are only kept where rows return
        expected = [getattr(row, column) for row in rows]
        if column == "y":
            expected = [label == "sick" for label in expected]
        read = frame[name].to_list()
        if column in ("part", "site") and any(isinstance(value, tuple) for value in expected):
            read, expected = _alike(read), _alike(expected)
        for number, (one, other) in enumerate(zip(read, expected, strict=True), 1):
            if one != other:
                return f"row {number}, {column}: {one!r} for {other!r}"
    return ""


def _alike(values: Sequence[Any]) -> list[int]:
    """Where each value stood first: the same for values of any spelling that are as different."""
    first: dict[Any, int] = {}
    return [first.setdefault(value, index) for index, value in enumerate(values)]
