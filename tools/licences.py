"""Write ``docs/licences.md``: the licence of every library and file that a report is made with.

Reads what the installed libraries state of themselves, so run it in the
environment of ``requirements.lock``, as ``make licences`` does.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "licences.md"

PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;]+)(?: ; ([^\\]+))?", re.MULTILINE)
CLASSIFIER = "License :: OSI Approved :: "

HEAD = """# Licences

The package is under the Apache License 2.0. It comes with these files of others:

| file | licence |
|---|---|
| `templates/fonts/ReportSans-*.ttf`, from Inter and Noto Sans SC | SIL Open Font License 1.1 |
| `templates/fonts/ReportMono-*.ttf`, from JetBrains Mono | SIL Open Font License 1.1 |
| `templates/fonts/ReportEmoji-Regular.ttf`, from Noto Emoji | SIL Open Font License 1.1 |
| `templates/vendor/vega.js`, from Vega, Vega-Lite and Vega-Embed | BSD 3-Clause, ISC, MIT |

Their texts stand beside them. The libraries of `requirements.lock` are installed, not copied; the
licences are those that they state of themselves (`make licences` reads them again):

| library | version | licence |
|---|---|---|
"""


def stated(name: str) -> str | None:
    """Return the licence that an installed library states; None where it is not installed."""
    try:
        facts = metadata(name)
    except PackageNotFoundError:
        return None
    if facts["License-Expression"]:
        return str(facts["License-Expression"])
    classes = [c.removeprefix(CLASSIFIER) for c in facts.get_all("Classifier", ())]
    approved = [c for c in classes if not c.startswith(("License ::", "Programming", "Operating"))]
    named = [c for c in approved if "License" in c or "Licence" in c]
    first = (facts["License"] or "").strip().splitlines()
    return ", ".join(named) or (first[0] if first else "not stated")


def rows(lock: str) -> list[str]:
    """Return a row for every library of the lock file."""
    lines = []
    for name, version, condition in PINNED.findall(lock):
        licence = stated(name)
        if licence is None:
            licence = f"not installed here ({condition.strip()})"
        lines.append(f"| {name} | {version} | {licence} |")
    return lines


if __name__ == "__main__":
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    TARGET.write_text(HEAD + "\n".join(rows(lock)) + "\n", encoding="utf-8")
    sys.stdout.write(f"{TARGET.relative_to(ROOT)}\n")
