"""Hostile texts in every field of every task: the page runs none of them and asks for nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import reportgen
from tests.breadth import breadth
from tests.hostile.browser import CHROMIUM, opened
from tests.hostile.payloads import PAYLOADS

TASKS = ("binary", "multiclass", "multilabel", "regression", "comparison")

SLOW = pytest.mark.slow
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


class Texts:
    """Hands out hostile texts, each with a number of its own, as names must differ."""

    def __init__(self, payloads: Sequence[str]) -> None:
        self.payloads = payloads
        self.given = 0

    def __call__(self) -> str:
        self.given += 1
        text = self.payloads[self.given % len(self.payloads)]
        return f"{text} {self.given}"

    def name(self) -> str:
        """One that may be a name: on one line."""
        return " ".join(self().split())


def spec(folder: Path, task: str, text: Texts, sections: Sequence[str]) -> Path:
    """Write a spec of this task, and its data, with a hostile text in every field."""
    frame, fields = DATA[task](text)
    file = folder / (text.name().replace("/", "∕")[-80:] + ".csv")
    frame.write_csv(file)
    note = folder / "notes.md"
    note.write_text(f"{text()}\n\n{text()}\n")
    whole = {
        "title": text.name(),
        "data": file.name,
        **fields,
        "output": {"formats": ["html", "markdown"]},
    }
    path = folder / "report.yaml"
    if task != "comparison":
        whole |= {"bootstrap": {"replicates": 0}}
        whole |= {"privacy": {"ids": "shown", "show": fields["slices"]}}
        whole |= {"sections": [*sections, {"markdown": "notes.md", "title": text.name()}]}
    path.write_text(f"# {text.name()}\n{json.dumps(whole, ensure_ascii=False)}\n")
    return path


FEW = ("verdict", "data", "slices", "rows", "provenance")
MOST = (*FEW, "discrimination", "decisions", "curves")


def _keys(text: Texts, rows: int) -> tuple[dict[str, Any], dict[str, str], str]:
    """Columns of ids, groups, folds and slices, by hostile names and with hostile values."""
    names = {use: text.name() for use in ("id", "group", "fold")}
    slicing = text.name()
    values = {use: [text.name() for _ in range(size)] for use, size in (("fold", 3), ("slice", 2))}
    groups = [text.name() for _ in range(rows // 3)]
    columns = {
        names["id"]: [text.name() for _ in range(rows)],
        names["group"]: [groups[i // 3] for i in range(rows)],
        names["fold"]: [values["fold"][i // 3 % 3] for i in range(rows)],
        slicing: [values["slice"][i % 2] for i in range(rows)],
    }
    return columns, names, slicing


def _noise(i: int, k: int) -> float:
    return (i * (7 + 2 * k)) % 31 / 31


def binary(text: Texts, rows: int = 90) -> tuple[pl.DataFrame, dict[str, Any]]:
    columns, names, slicing = _keys(text, rows)
    positive, negative, truth = text.name(), text.name(), text.name()
    models = {text.name(): {"score": text.name()} for _ in range(2)}
    columns[truth] = [positive if i % 3 == 0 else negative for i in range(rows)]
    for k, model in enumerate(models.values()):
        columns[model["score"]] = [(_noise(i, k) + (i % 3 == 0)) / 2 for i in range(rows)]
    fields = {"truth": truth, "positive": positive, "models": models, "columns": names}
    return pl.DataFrame(columns), {**fields, "slices": [slicing]}


def multiclass(text: Texts, rows: int = 90) -> tuple[pl.DataFrame, dict[str, Any]]:
    columns, names, slicing = _keys(text, rows)
    classes, truth = [text.name() for _ in range(3)], text.name()
    models = {text.name(): {"scores": {c: text.name() for c in classes}} for _ in range(2)}
    columns[truth] = [classes[i % 3] for i in range(rows)]
    for k, model in enumerate(models.values()):
        raw = [[_noise(i, k + c) + 0.1 + (i % 3 == c) for c in range(3)] for i in range(rows)]
        for c, column in enumerate(model["scores"].values()):
            columns[column] = [row[c] / sum(row) for row in raw]
    fields = {"truth": truth, "models": models, "columns": names, "slices": [slicing]}
    return pl.DataFrame(columns), fields


def multilabel(text: Texts, rows: int = 90) -> tuple[pl.DataFrame, dict[str, Any]]:
    columns, names, slicing = _keys(text, rows)
    truth = {text.name(): text.name() for _ in range(2)}
    models = {text.name(): {"scores": {label: text.name() for label in truth}} for _ in range(2)}
    for c, column in enumerate(truth.values()):
        columns[column] = [int(i % (c + 2) == 0) for i in range(rows)]
    for k, model in enumerate(models.values()):
        for c, column in enumerate(model["scores"].values()):
            columns[column] = [(_noise(i, k) + (i % (c + 2) == 0)) / 2 for i in range(rows)]
    return pl.DataFrame(columns), {
        "truth": truth,
        "models": models,
        "columns": names,
        "slices": [slicing],
    }


def regression(text: Texts, rows: int = 90) -> tuple[pl.DataFrame, dict[str, Any]]:
    columns, names, slicing = _keys(text, rows)
    truth = text.name()
    models = {text.name(): {"estimate": text.name()} for _ in range(2)}
    columns[truth] = [i / 7 for i in range(rows)]
    for k, model in enumerate(models.values()):
        columns[model["estimate"]] = [i / 7 + _noise(i, k) for i in range(rows)]
    return pl.DataFrame(columns), {
        "truth": truth,
        "models": models,
        "columns": names,
        "slices": [slicing],
    }


def comparison(text: Texts) -> tuple[pl.DataFrame, dict[str, Any]]:
    names = {use: text.name() for use in ("dataset", "model", "value")}
    models, sets = [text.name() for _ in range(3)], [text.name() for _ in range(8)]
    cells = [(s, m) for s in range(8) for m in range(3)]
    columns = {
        names["dataset"]: [sets[s] for s, _ in cells],
        names["model"]: [models[m] for _, m in cells],
        names["value"]: [0.5 + m / 20 + _noise(3 * s + m, m) / 5 for s, m in cells],
    }
    return pl.DataFrame(columns), {
        "task": "comparison",
        "columns": names,
        "measure": text.name(),
        "better": "higher",
    }


DATA = {
    "binary": binary,
    "multiclass": multiclass,
    "multilabel": multilabel,
    "regression": regression,
    "comparison": comparison,
}


LOADING = ("src", "href", "action", "srcset", "poster", "data", "xlink:href")


class Structure(HTMLParser):
    """What a page is built from that could run or load something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.handlers: set[str] = set()
        self.addresses: set[str] = set()
        self.scripts: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.handlers |= {name for name, _ in attrs if name.startswith("on")}
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and given.get("href", "").startswith("http"):  # a link of a text, to click on
            del given["href"]
        self.addresses |= {given[name] for name in LOADING if name in given}
        if tag == "script":
            self.scripts.append(dict(attrs).get("type"))


ELEMENTS = frozenset(
    {
        *("a", "b", "body", "br", "button", "caption", "circle", "clippath"),
        *("code", "col", "colgroup", "dd", "defs", "details", "div", "dl"),
        *("dt", "em", "figcaption", "figure", "footer", "g", "h1", "h2"),
        *("h3", "h4", "head", "header", "html", "i", "img", "li"),
        *("line", "main", "meta", "nav", "ol", "p", "path", "pre"),
        *("rect", "script", "section", "span", "strong", "style", "summary", "sup"),
        *("sub", "svg", "table", "tbody", "td", "text", "tfoot", "th"),
        *("thead", "title", "tr", "tspan", "ul", "wbr", "aside", "blockquote"),
        *("hr", "ellipse", "polygon", "polyline", "small", "article"),
        *("button", "input", "label", "option", "select"),
    }
)


def structure(page: str) -> Structure:
    seen = Structure()
    seen.feed(page)
    return seen


FILES = {"report.html", "report.pdf", "results.json", "summary.md", "manifest.json"}
"""The files of a build, to which its page links."""


def harmless(page: str) -> bool:
    """Whether a page has the elements of a report alone, and no address but of its own parts.

    Papers are its own sources.
    """
    seen = structure(page)
    parts = ("#", "data:", "https://doi.org/10.")
    inside = all(address.startswith(parts) or address in FILES for address in seen.addresses)
    return (
        seen.tags <= ELEMENTS
        and not seen.handlers
        and inside
        and seen.scripts.count(None) in (0, 2)
        and {kind for kind in seen.scripts if kind} <= {"application/json"}
    )


def built(
    folder: Path, task: str, payloads: Sequence[str], *formats: str, sections: Sequence[str] = MOST
) -> Path:
    folder.mkdir(exist_ok=True)
    described = spec(folder, task, Texts(payloads), sections)
    return reportgen.build(described, formats=formats or None).files["html"]


@breadth(("task", "sections"), [("binary", FEW), *((task, MOST) for task in TASKS)], 1)
def test_hostile_texts_are_text(tmp_path, task, sections):
    payloads = [p for p in PAYLOADS[::3] if p.isprintable()]
    page = built(tmp_path / "in", task, payloads, "html", sections=sections)

    assert harmless(page.read_text())
    if CHROMIUM is not None:
        seen = opened(page, tmp_path / "profile")
        assert not seen.has_effect
        assert not seen.connections


@pytest.mark.slow
@needs_chromium
def test_the_browser_sees_what_a_page_does(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(f"<html><body>{PAYLOADS[0]}{PAYLOADS[3]}</body></html>")
    seen = opened(page, tmp_path / "profile")

    assert seen.has_effect
    assert seen.connections
    assert not harmless(page.read_text())


@needs_chromium
@SLOW
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("number", range(len(PAYLOADS)))
def test_every_hostile_text_in_every_field_of_every_task(tmp_path, task, number):
    page = built(tmp_path / "in", task, [PAYLOADS[number]])
    seen = opened(page, tmp_path / "profile")

    assert harmless(page.read_text())
    assert not seen.has_effect
    assert not seen.connections
