"""The reference page: everything in the catalogue, as ``tools/schemas.py`` writes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reportgen.cli.catalogue import GROUPS, KERNEL, bounds, interval
from reportgen.cli.collected import collected
from reportgen.cli.entries import Entry
from reportgen.tasks import PREDICTION

PAGE = Path(__file__).parents[1] / "docs/reference.md"

HEAD = """\
# Reference

Every measure, curve, comparison, interval and correction, generated from the code by
`make schemas`. `reportgen catalogue` prints the same.

TP, FP, FN and TN are the counts of one decision, n is all rows, and ln 0 · 0 is 0. Undefined is
null with the reason that is given. Where it says "none in a report", `reportgen.bootstrap` and
its kin make an interval. With weights the counts are sums of weights, and Wilson intervals and
standard errors take Kish's effective size.
"""

TITLES = {
    "binary": "Two classes",
    "multiclass": "Several classes",
    "multilabel": "Several labels",
    "regression": "A number",
}

SHARED = {"curve": "Curves", "comparison": "Comparisons", "interval": "Intervals"}
SHARED["correction"] = "Corrections for several tests"


def rendered() -> str:
    """The page as Markdown."""
    every = collected()
    measures = [entry for entry in every if entry["group"] not in SHARED]
    lines = [HEAD]
    for task in PREDICTION:
        lines += [f"## {TITLES[task]}", "", *_of_task(task, measures)]
    for group, title in SHARED.items():
        lines += [f"## {title}", ""]
        for entry in every:
            if entry["group"] == group:
                lines += _set(entry)
    return "\n".join(lines).rstrip() + "\n"


def _of_task(task: str, measures: list[Entry]) -> Iterator[str]:
    """The measures of a task by group; those of two classes that serve each class are named."""
    task_measures = [entry for entry in measures if entry["tasks"][0] == task]
    shared = [f"`{entry['name']}`" for entry in measures if task in entry["tasks"][1:]]
    if shared:
        noun = "label" if task == "multilabel" else "class"
        yield f"Of each {noun} against the rest, as for two classes, and averaged over them: "
        yield f"{', '.join(shared)}."
        yield ""
    for group, heading in GROUPS.items():
        members = [entry for entry in task_measures if entry["group"] == group]
        if members:
            yield f"### {heading}"
            yield ""
            for entry in members:
                yield from _set(entry)


def _set(entry: Entry) -> Iterator[str]:
    """One entry: its name, what it is, and its facts as a list."""
    label = entry.get("label")
    yield f"#### `{entry['name']}`" + (f" · {label}" if label else "")
    yield ""
    yield entry["summary"]
    yield ""
    if entry.get("about"):
        yield entry["about"]
        yield ""
    facts = [f"- {name}: {text}" for name, text in _facts(entry) if text]
    yield from [*facts, ""] if facts else []


def _facts(entry: Entry) -> Iterator[tuple[str, str | None]]:
    in_report = entry["group"] in SHARED and entry["group"] != "correction"
    yield "Of", ", ".join(TITLES[task].lower() for task in entry["tasks"]) if in_report else None
    yield "Formula", f"`{entry['formula']}`" if entry.get("formula") else None
    better = {"higher": "; higher is better", "lower": "; lower is better"}
    spans = bounds(entry)
    yield "Values", f"{spans}{better.get(entry.get('better') or '', '')}" if spans else None
    yield "Undefined where", entry.get("undefined")
    yield "Compares", entry.get("compares")
    yield "Units", ", ".join(entry.get("units", ())) or None
    yield "Interval", interval(entry)
    yield "Kernel", KERNEL if entry.get("kernel") else None
    yield "Columns", ", ".join(f"`{name}`" for name in entry.get("columns", ())) or None
    yield "Book", f"Zhou (2016), {entry['book']}" if entry.get("book") else None
    yield "Source", entry.get("reference")
