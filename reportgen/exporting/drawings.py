"""The charts of a report, each as a drawing or as the specification that it is drawn from."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from reportgen import charts
from reportgen.exporting.exported_file import ExportedFile
from reportgen.records.model import Results
from reportgen.render import DEADLINE, MEMORY, pages, process
from reportgen.render.job import DRAWING_KINDS

FOLDER = "charts"
VEGA_LITE = "vega-lite"
ENDINGS: dict[str, str] = {**{kind: kind for kind in DRAWING_KINDS}, VEGA_LITE: "vl.json"}
"""The end of the name of each kind of file."""


def write(results: Results, folder: Path, kinds: Collection[str]) -> list[ExportedFile]:
    """Write each chart as SVG with the fonts of its text inside, PNG at twice its size, or both.

    ``vega-lite`` is the specification that they are drawn from, with its data.
    """
    chosen = tuple(kind for kind in DRAWING_KINDS if kind in kinds)
    if not chosen and VEGA_LITE not in kinds:
        return []
    job = pages.drawings_job(results, charts.figures(results), chosen)
    if not job.charts:
        return []
    target = folder / FOLDER
    target.mkdir()
    if chosen:
        process.run(job, target, deadline=DEADLINE, memory=MEMORY)
    if VEGA_LITE in kinds:
        for name, chart in job.charts.items():
            text = json.dumps(chart, indent=1, ensure_ascii=False)
            (target / f"{name}.{ENDINGS[VEGA_LITE]}").write_text(text + "\n", encoding="utf-8")
    return [
        {"file": f"{FOLDER}/{name}.{ending}", "kind": kind, "holds": job.titles[name]}
        for kind, ending in ENDINGS.items()
        if kind in kinds
        for name in job.charts
    ]
