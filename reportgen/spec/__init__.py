"""The spec: the YAML file that declares one report, read with positions and checked as a whole.

``read`` and ``from_dict`` give a frozen ``Spec``; ``schema`` and
``write_schemas`` publish what it may say; ``init_spec`` writes one for a data
file.
"""

from __future__ import annotations

from pathlib import Path

from reportgen.spec.costs import CostColumn, Costs
from reportgen.spec.document import Place
from reportgen.spec.models import (
    Changes,
    Choice,
    Columns,
    Comparing,
    Output,
    Spec,
    TextSection,
)
from reportgen.spec.outputs import (
    ClassModel,
    EstimateModel,
    LongClassModels,
    LongEstimateModels,
    LongModels,
    ScoreModel,
)
from reportgen.spec.reading import from_dict, read
from reportgen.spec.scores import ScoresSpec
from reportgen.spec.tasks import class_costs, class_names, task_of

__all__ = [
    "Changes",
    "Choice",
    "ClassModel",
    "Columns",
    "Comparing",
    "CostColumn",
    "Costs",
    "EstimateModel",
    "LongClassModels",
    "LongEstimateModels",
    "LongModels",
    "Output",
    "Place",
    "ScoreModel",
    "ScoresSpec",
    "Spec",
    "TextSection",
    "class_costs",
    "class_names",
    "from_dict",
    "init_spec",
    "read",
    "schema",
    "task_of",
    "write_schemas",
]


def init_spec(path: Path, *, pin: bool = False, encoding: str = "utf-8") -> str:
    """Return a commented spec for a data file, made from the columns that it has.

    ``pin``: the spec holds for these bytes of the file only. ``encoding`` is that of
    a text file.
    """
    from reportgen.spec.init import init_spec as write

    return write(path, pin=pin, encoding=encoding)


def schema() -> dict[str, object]:
    """Return the JSON schema of a spec."""
    from reportgen.spec.contracts import schema as make

    return make()


def write_schemas(folder: Path) -> list[Path]:
    """Write the spec's schema and the tables' column contracts; return the files."""
    from reportgen.spec.contracts import write_schemas as write

    return write(folder)
