"""Write what is generated from the code: schemas/, docs/reference.md, docs/recommendations.md."""

from __future__ import annotations

import json

import recommendations
import reference

from reportgen.cli import collected, entries
from reportgen.contracts import write_schemas
from reportgen.records.contract import FILE, results_schema
from reportgen.resources import SCHEMAS
from reportgen.sections import registry as sections
from reportgen.spec import section_names


def main() -> None:
    """Write every file and say where it is."""
    section_names.PUBLISHED.write_text(sections.published(), encoding="utf-8")
    written = write_schemas(SCHEMAS)
    entries.PUBLISHED.write_text(collected.rendered(), encoding="utf-8")
    results = SCHEMAS / FILE
    results.write_text(json.dumps(results_schema(), indent=1) + "\n", encoding="utf-8")
    pages = (reference, recommendations)
    for page in pages:
        page.PAGE.write_text(page.rendered(), encoding="utf-8")
    print(
        section_names.PUBLISHED,
        *written,
        entries.PUBLISHED,
        results,
        *(page.PAGE for page in pages),
        sep="\n",
    )


if __name__ == "__main__":
    main()
