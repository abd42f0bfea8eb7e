"""Write what is generated from the code: schemas/, pages of docs/, the list of the sections."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from pathlib import Path

import recommendations
import reference

from reportgen.cli import collected, entries
from reportgen.contracts import write_schemas
from reportgen.engines.refusals import REFUSALS
from reportgen.resources import SCHEMAS
from reportgen.sections import registry as sections
from reportgen.spec import section_choice

WITH_SECTIONS = Path(__file__).parents[1] / "docs" / "how-to" / "write-a-spec.md"

WITH_REFUSALS = Path(__file__).parents[1] / "docs" / "clusters.md"

LISTED = "The sections, in their order: "


def main() -> None:
    """Write every file and say where it is."""
    if section_choice.PUBLISHED.read_text(encoding="utf-8") != sections.published():
        section_choice.PUBLISHED.write_text(sections.published(), encoding="utf-8")
        # Again, as the spec has read the old names.
        os.execv(sys.executable, [sys.executable, *sys.argv])  # noqa: S606  # this file
    text = WITH_SECTIONS.read_text(encoding="utf-8")
    WITH_SECTIONS.write_text(with_sections(text), encoding="utf-8")
    text = WITH_REFUSALS.read_text(encoding="utf-8")
    WITH_REFUSALS.write_text(with_refusals(text), encoding="utf-8")
    written = write_schemas(SCHEMAS)
    entries.PUBLISHED.write_text(collected.rendered(), encoding="utf-8")
    pages = (reference, recommendations)
    for page in pages:
        page.PAGE.write_text(page.rendered(), encoding="utf-8")
    print(
        section_choice.PUBLISHED,
        *written,
        entries.PUBLISHED,
        *(page.PAGE for page in pages),
        sep="\n",
    )


def with_sections(text: str) -> str:
    """The page with the sections that there are."""
    names = f"{LISTED}{', '.join(f'`{name}`' for name in section_choice.SECTIONS)}."
    lines = textwrap.fill(names, 120, break_on_hyphens=False)
    return re.sub(rf"{LISTED}[^.]*\.", lambda _: lines, text, count=1)


def with_refusals(text: str) -> str:
    """The page with the rows of what engines that count refuse, at the end of its table."""
    rows = r"(\| tables of values \|.*\n)(?:\|.*\n)*"
    lines = "".join(f"{refusal.line}\n" for refusal in REFUSALS)
    return re.sub(rows, lambda match: match[1] + lines, text, count=1)


if __name__ == "__main__":
    main()
