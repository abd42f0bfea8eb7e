"""What is counted of a spec, and in which parts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.engines.gather import cut
from reportgen.engines.long_form import survey
from reportgen.engines.plan import Partition, Plan
from reportgen.predictions.files import DataFile
from reportgen.spec import Spec


@dataclass(frozen=True)
class Planned:
    """The first plan of a spec and the parts of its files.

    ``rows`` are those of each file where an example has several; null where parts tell them.
    """

    plan: Plan
    partitions: Sequence[Partition]
    rows: Mapping[str, int] | None = None


def planned(spec: Spec, files: Sequence[DataFile], hashes: Sequence[str]) -> Planned:
    """What is counted; files of models in long form are read once for the names of these."""
    if isinstance(spec.models, Mapping):
        plan = Plan.first(spec)
        return Planned(plan, list(cut(plan, files, hashes)))
    placed = [replace(file, path=file.path.absolute()) for file in files]
    seen = survey(spec, placed)
    plan = seen.plan(spec)
    sha256 = hashlib.sha256("".join(hashes).encode()).hexdigest()
    return Planned(plan, seen.partitions(plan, placed, sha256), seen.rows)
