"""The catalogue: everything that a report can hold by name, or all that is known of one."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill, indent

import click

from reportgen.cli.entries import Entry, entries, matching
from reportgen.cli.options import OneOf, Settings, common
from reportgen.errors import Problem, SpecError
from reportgen.tasks import TASKS

GROUPS = {
    "decision": "Decisions: from the counts at one threshold",
    "ranking": "Ranking: from the scores at every threshold",
    "agreement": "Agreement of truth and prediction",
    "probability": "Probabilities",
    "cost": "Costs",
    "error": "Errors of regression estimates",
    "count": "Counts",
    "curve": "Curves",
    "comparison": "Comparisons",
    "interval": "Intervals",
    "correction": "Corrections for several tests",
}
"""The groups in their order, and their headings."""

KERNEL = "computed from sums over the scores; tests check it against the formula"
"""How a metric with a kernel is computed."""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    del ctx, param
    names = dict.fromkeys(entry["name"] for entry in entries())
    return [name for name in names if name.startswith(incomplete)]


@click.command()
@click.argument("name", required=False, shell_complete=_complete)
@click.option("--task", type=OneOf(tuple(TASKS)), help="Only what reports of this task contain.")
@common
def catalogue(settings: Settings, name: str | None, task: str | None) -> None:
    """List metrics, curves, comparisons and intervals.

    With NAME, explain that one: formula, bounds, undefined case and source.

    \b
    Example:
      reportgen catalogue auc
      reportgen catalogue --task regression
    """
    of_task = entries(task)
    matches = of_task if name is None else matching(name, of_task) or _of_family(name, task)
    if name is not None and not matches:
        raise SpecError(_unknown(name, task, of_task))
    text = _listed(matches) if name is None else "\n\n".join(map(_explained, matches))
    settings.result({"catalogue": matches}, text)


def _of_family(name: str, task: str | None) -> list[Entry]:
    """A measure with a parameter, such as f_beta(0.7), which no list of names can hold."""
    if "(" not in name or task not in (None, "binary"):
        return []
    from reportgen.cli.collected import of_metric
    from reportgen.metric_names import canonical
    from reportgen.metrics import METRICS

    metric = METRICS.get(canonical(name))
    return [] if metric is None else [of_metric(metric, ("binary",))]


def _unknown(name: str, task: str | None, of_task: Sequence[Entry]) -> Problem:
    from reportgen.spec.nearest import nearest

    where = f" for {task} reports" if task else ""
    elsewhere = matching(name, entries())
    if elsewhere:
        hint = f"it is for {', '.join(elsewhere[0]['tasks'])}: leave out --task"
    else:
        labels = {entry["label"]: entry["name"] for entry in of_task if entry.get("label")}
        names = {entry["name"]: entry["name"] for entry in of_task}
        close = nearest(name, names) or nearest(name, labels)
        meant = (names | labels).get(close or "")
        hint = f"did you mean {meant!r}?" if meant else "reportgen catalogue lists every name"
    return Problem("unknown-name", f"the catalogue has no {name!r}{where}", hint=hint)


def _listed(entries: Sequence[Entry]) -> str:
    width = max(len(entry["name"]) for entry in entries) + 2
    lines = []
    for group, heading in GROUPS.items():
        members = [entry for entry in entries if entry["group"] == group]
        if members:
            lines += ["", heading, ""]
            summaries: dict[str, str] = {}
            for entry in members:
                summaries.setdefault(entry["name"], entry["summary"])
            lines += [f"  {name:{width}}{summary}" for name, summary in summaries.items()]
    return "\n".join(lines[1:])


def _explained(entry: Entry) -> str:
    """Everything that is known of an entry; what it lacks is left out."""
    explained = {
        "kind": f"{entry['group']}; {', '.join(entry['tasks'])}",
        "label": entry.get("label"),
        "formula": entry.get("formula"),
        "bounds": bounds(entry),
        "better": entry.get("better"),
        "undefined": entry.get("undefined"),
        "compares": entry.get("compares"),
        "units": ", ".join(entry.get("units", ())) or None,
        "interval": interval(entry),
        "kernel": KERNEL if entry.get("kernel") else None,
        "columns": ", ".join(entry.get("columns", ())) or None,
        "book": f"Zhou (2016), {entry['book']}" if entry.get("book") else None,
        "reference": entry.get("reference"),
    }
    lines = [f"{entry['name']}: {entry['summary']}", ""]
    if about := entry.get("about"):
        lines += [indent(about, "  "), ""]
    lines += [_fact(name, value) for name, value in explained.items() if value is not None]
    return "\n".join(lines)


def _fact(name: str, value: str) -> str:
    hanging = " " * 16
    return fill(value, 100, initial_indent=f"  {name + ':':<14}", subsequent_indent=hanging)


def bounds(entry: Entry) -> str | None:
    """The least and the greatest value of a measure in words; nothing for what is none."""
    if "bounds" not in entry:
        return None
    low, high = ("∞" if end is None else f"{end:g}".replace("-", "−") for end in entry["bounds"])
    return f"{'−' if low == '∞' else ''}{low} to {high}"


def interval(entry: Entry) -> str | None:
    """How the interval of a measure is made in words; nothing for what is none."""
    if "interval" not in entry:
        return None
    return entry["interval"] or "none in a report; reportgen.resampling can bootstrap any statistic"
