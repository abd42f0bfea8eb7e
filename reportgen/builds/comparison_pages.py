"""A comparison of two builds as text, Markdown, HTML and PDF."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reportgen.builds.change_records import Change, ComparedBuild, Flip, MeasureChange, Way
from reportgen.builds.comparison import Compared
from reportgen.builds.flipped_ids import MOST
from reportgen.charts import labels
from reportgen.clock import moment
from reportgen.errors import RenderError
from reportgen.text import decimals, numbers
from reportgen.translation import ENGLISH, Translator, markdown_in, page_in, translator
from reportgen.translation.names import names_of

LONGEST = 60
"""Characters of an id."""

HEADS = ("Model", "Measure", "A", "B", "B − A", "CI", "p", "adjusted p", "State")


def plain_text(compared: Compared) -> str:
    """The comparison for a terminal."""
    lines = [compared.verdict, f"A  {_build(compared.first)}", f"B  {_build(compared.second)}"]
    lines += [f"{head}: {text}" for head, text in facts(compared)]
    if compared.measures:
        lines += ["", *_aligned([HEADS, *map(cells, compared.measures)])]
    lines += map(_flip, flipped(compared.flips))
    return "\n".join(lines)


def markdown(compared: Compared) -> str:
    """The comparison for a review; the verdict first, details folded."""
    lines = [
        f"## {_escaped(compared.verdict)}",
        "",
        f"A: {_escaped(_build(compared.first))}  ",
        f"B: {_escaped(_build(compared.second))}",
        "",
        *(f"- {head}: {_escaped(text)}" for head, text in facts(compared)),
        "",
    ]
    if compared.measures:
        lines += [
            f"| {' | '.join(HEADS)} |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
        ]
        lines += [f"| {' | '.join(map(_escaped, cells(r)))} |" for r in compared.measures]
        lines += ["", note(compared), ""]
    if flips := [f"- {_escaped(_flip(row))}" for row in flipped(compared.flips)]:
        lines += ["<details>", "<summary>Rows that flipped</summary>", "", *flips, "", "</details>"]
    return markdown_in("\n".join(lines) + "\n", _translation(compared))


def html(compared: Compared) -> str:
    """The comparison as one page that requests nothing and is well-formed XML."""
    from reportgen.render import environment

    template = environment().get_template("compare.html.j2")
    page = template.render(
        verdict=compared.verdict,
        state=compared.state,
        builds=[_build(compared.first), _build(compared.second)],
        facts=list(facts(compared)),
        heads=HEADS,
        rows=[cells(row) for row in compared.measures],
        note=note(compared),
        flips=list(map(_flip, flipped(compared.flips))),
    )
    return page_in(str(page), _translation(compared))


def pdf(compared: Compared) -> bytes:
    """The comparison as PDF, with its numbers attached as JSON; made in a process of its own.

    Raises ``RenderError`` where the system libraries are missing.
    """
    from reportgen.render import DEADLINE, MEMORY, process
    from reportgen.render.job import Attachment, Job

    content = json.dumps(compared.to_dict(), ensure_ascii=False, indent=1).encode()
    attached = (Attachment.of("comparison.json", content),)
    created = f"{moment():%Y-%m-%dT%H:%M:%SZ}"
    job = Job(None, html(compared), {}, {}, created, attached)
    with TemporaryDirectory(prefix="reportgen-") as folder:
        notes = process.run(job, Path(folder), deadline=DEADLINE, memory=MEMORY)
        if notes:
            raise RenderError(*notes)
        return (Path(folder) / "report.pdf").read_bytes()


def facts(compared: Compared) -> Iterator[tuple[str, str]]:
    """What changed, as heads and sentences."""
    data = compared.data
    first, second = data["rows"]
    if data["common"] is None:
        yield "Rows", f"{first} in A, {second} in B; not matched"
    else:
        parts = [f"{data['common']:,} in A and B"]
        parts += [f"{data[k]:,} {k}" for k in ("relabelled", "added", "removed") if data[k]]
        yield "Rows", ", ".join(parts)
    yield "Files", _listed(_file_changes(data["files"]), "identical files")
    yield "Spec", _listed(_spec_changes(compared), "no key changed")
    yield "Versions", _listed(_version_changes(compared), "the same")
    yield "Differences", compared.basis


def _file_changes(rows: Sequence[Change]) -> list[str]:
    """What changed of the files, by their hashes; those of one content under two names as such."""
    names = {row["second"]: row["key"] for row in rows if row["first"] is None}
    renamed = {row["key"]: names[row["first"]] for row in rows if row["first"] in names}
    return [
        f"{row['key']} is {renamed[row['key']]} in B, with the same content"
        if row["key"] in renamed
        else _file_change(row)
        for row in rows
        if row["key"] not in renamed.values()
    ]


def _file_change(row: Change) -> str:
    only = "in B alone" if row["first"] is None else "in A alone"
    return f"{row['key']} {only if None in (row['first'], row['second']) else 'changed'}"


def _spec_changes(compared: Compared) -> list[str]:
    return [f"{r['key']} {_value(r['first'])} → {_value(r['second'])}" for r in compared.spec]


def _version_changes(compared: Compared) -> list[str]:
    return [f"{r['key']} {r['first']} → {r['second']}" for r in compared.versions]


def cells(row: MeasureChange) -> tuple[str, ...]:
    """The cells of a measure."""
    low, high = row["low"], row["high"]
    digits = max(decimals.of_value(row[end], None, None) for end in ("first", "second"))
    return (
        row["model"],
        row["label"],
        numbers.aligned(row["first"], digits),
        numbers.aligned(row["second"], digits),
        numbers.difference(row["difference"], low, high),
        numbers.difference_limits(row["difference"], low, high) or "–",
        "–" if row["p"] is None else numbers.p_number(row["p"]),
        "–" if row["p_adjusted"] is None else numbers.p_number(row["p_adjusted"]),
        row["state"],
    )


def note(compared: Compared) -> str:
    """How to read the table."""
    level = numbers.level(compared.confidence)
    margin = f" Margin: {compared.margin:g}." if compared.margin else ""
    models = len({row["model"] for row in compared.measures})
    held = (
        ""
        if models == 1
        else (f", simultaneous over the {models} models of a measure (Bonferroni)")
    )
    measure = compared.results[1].decision.measure
    label = next((r["label"] for r in compared.measures if r["metric"] == measure), None)
    others = "" if label is None else f", for {label} over the models alone"
    return (
        f"Intervals at {level}{held}. p-values of recommended tests, adjusted over the table "
        f"(Holm){others}.{margin} Better, worse: the whole interval is on that side, and the "
        "adjusted p is significant."
    )


def _translation(compared: Compared) -> Translator | None:
    """Return what translates a page into the language of the second build; None in English."""
    language = compared.results[1].declared.language
    if language == ENGLISH:
        return None
    names = {name for results in compared.results for name in names_of(results.to_dict())}
    names |= {*_spec_changes(compared), *_version_changes(compared)}
    names |= {row["key"] for row in compared.data["files"]}
    names |= {build[key] for build in (compared.first, compared.second) for key in ("name", "id")}
    names |= {_place(row) for row in compared.flips}
    names |= {
        text for row in compared.flips for way in row["ids"] or () for text in _shown(row, way)
    }
    return translator(language, {*names, *map(_escaped, names), *map(escape, names)})


def _build(build: ComparedBuild) -> str:
    return f"{build['name']} {build['id']} ({build['date']}): {build['state']}"


def flipped(rows: Sequence[Flip]) -> list[Flip]:
    """The models, and the slices in which a row flipped; nothing where none did.

    >>> none = Flip(model="a", slice=None, rows=2, right_to_wrong=0, wrong_to_right=0, ids=None)
    >>> flipped([none]), len(flipped([none, {**none, "model": "b", "wrong_to_right": 1}]))
    ([], 2)
    """
    has_flips = [bool(row["right_to_wrong"] or row["wrong_to_right"]) for row in rows]
    shown = zip(rows, has_flips, strict=True)
    return [row for row, flips in shown if flips or (row["slice"] is None and any(has_flips))]


def _flip(row: Flip) -> str:
    return (
        f"{_place(row)}: {row['right_to_wrong']:,} rows right to wrong, "
        f"{row['wrong_to_right']:,} wrong to right, of {row['rows']:,}{_ids(row)}"
    )


def _place(row: Flip) -> str:
    return row["model"] if row["slice"] is None else f"{row['model']} [{row['slice']}]"


def _ids(row: Flip) -> str:
    """The ids of the rows that flipped, where they are shown."""
    heads: dict[Way, str] = {"right_to_wrong": "Wrong now", "wrong_to_right": "Right now"}
    parts = [
        f"{head}: {', '.join(ids)}{more}"
        for way, head in heads.items()
        if (ids := _shown(row, way))
        for more in (", …" if row[way] > len(ids) >= MOST else "",)
    ]
    return f". {'; '.join(parts)}" if parts else ""


def _shown(row: Flip, way: Way) -> list[str]:
    return list(labels.unique((row["ids"] or {}).get(way) or [], LONGEST).values())


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _listed(items: Sequence[str], none: str) -> str:
    return "; ".join(items) if items else none


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _escaped(text: str) -> str:
    """A text in Markdown: no markup of its own, and no cell's end."""
    for mark in "\\`*_[]<>|":
        text = text.replace(
            mark, f"\\{mark}" if mark not in "<>" else {"<": "&lt;", ">": "&gt;"}[mark]
        )
    return text
