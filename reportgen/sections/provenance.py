"""Where the report comes from: files with hashes, spec, versions, times, build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.sections import bounds, left_out, lookup
from reportgen.sections.registry import PREDICTIONS, SCORES, section
from reportgen.sections.tables import Cell, Fact, Table, code, columns, rows
from reportgen.text import numbers


@section(120, PREDICTIONS, SCORES)
@dataclass(frozen=True)
class Provenance:
    """What is needed to make the same report again."""

    id: ClassVar[str] = "provenance"
    title: ClassVar[str] = "Provenance"

    facts: tuple[Fact, ...]
    files: Table | None
    bounds: tuple[Table, ...]
    spec: str
    left_out: tuple[str, ...]

    @classmethod
    def from_results(
        cls,
        results: Results,
        figures: Sequence[Figure],  # noqa: ARG003
    ) -> Provenance:
        """Fill the section; it always applies."""
        return cls(
            tuple(facts(results)),
            files(results),
            bounds.tables(results),
            spec_text(results),
            left_out.sentences(results),
        )


VERIFIED = {
    "stated": "this hash, stated in the spec",
    "checksum file": "this hash, in a checksum file",
    "page checksums": "page checksums in the file",
    "not verified": "not verified",
}
"""What shows that the bytes of a file are those that were written."""


def facts(results: Results) -> list[Fact]:
    """Build id, time and software."""
    build = results.build
    result: list[Fact] = []
    if build.get("id"):
        result.append(Fact("Build", code(lookup.clean(build["id"]))))
    if build.get("created"):
        result.append(Fact("Created", f"{lookup.clean(build['created'])} (UTC)"))
    result.append(Fact("Engine", engine(results)))
    result.append(Fact("Software", versions(results)))
    return result


def files(results: Results) -> Table | None:
    """Every input file with its full hash; none where the data were passed as a data frame."""
    if not results.data["files"]:
        return None
    heads = columns("File", ("SHA-256", "left"), ("Verified by", "left"), "Size")
    lines: list[list[Cell | str]] = [
        [
            code(lookup.clean(file["path"])),
            code(file["sha256"]),
            VERIFIED[file["verified"]],
            "withheld" if file["bytes"] is None else numbers.size(file["bytes"]),
        ]
        for file in (*results.data["files"], *results.data.get("reference", ()))
    ]
    return Table("inputs", "Input files and their hashes", heads, rows(heads, lines))


def engine(results: Results) -> str:
    """Which engine made the numbers, and why."""
    entry = results.data.get("engine") or {"name": "exact", "why": "the default"}
    name, why = lookup.clean(entry["name"]), lookup.clean(entry["why"])
    if "cells" not in entry:
        return f"{name} ({why}): every score was sorted"
    task, cells = results.task, numbers.count(entry["cells"])
    where = f"scores were counted in {cells} cells of the unit interval"
    if task.of_numbers:
        where = f"truths and errors were counted in {cells} cells for each factor of two"
    parts = numbers.plural(entry["leaves"], "part")
    lowest = "; thresholds are the lowest scores of cells" if task.two_classes else ""
    return f"{name} ({why}): {where}, {parts} of the data one by one{lowest}"


def versions(results: Results) -> str:
    """Versions of what computed the numbers."""
    return ", ".join(f"{name} {version}" for name, version in results.versions.items() if version)


def spec_text(results: Results) -> str:
    """The spec as it was run; line breaks stay, what cannot be printed does not."""
    text = results.declared.text
    return "\n".join(_line(line) for line in str(text).expandtabs(2).splitlines())


def _line(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip(" "))]
    return indent + lookup.clean(line) if line.strip() else ""
