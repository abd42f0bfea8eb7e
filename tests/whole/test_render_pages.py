"""The whole report: HTML that requests nothing, and a PDF that can be filed."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from pypdf import PdfReader

import reportgen
from reportgen import render
from reportgen.resources import EXAMPLES
from reportgen.results import Results, evaluate
from reportgen.spec import from_dict

HOSTILE = "</script><script>alert(1)</script>"
CONTROL = "bell\x07 & tab\t"
ATTACHED = {"results.json": b"{}", "manifest.json": b"[]", "report.yaml": b"title: x\n"}


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Results:
    """Two models, one with a hostile name, and Chinese class labels."""
    draw = np.random.default_rng(3)
    truth = draw.random(200) < 0.4
    frame = pl.DataFrame(
        {
            "quality": np.where(truth, "好瓜", "坏瓜"),
            "a": np.clip(0.3 * truth + draw.random(200) * 0.7, 0, 1),
            "b": np.clip(0.1 * truth + draw.random(200) * 0.9, 0, 1),
        }
    )
    spec = {
        "title": "Melons",
        "data": "none.parquet",
        "truth": "quality",
        "positive": "好瓜",
        "models": {HOSTILE: {"score": "a"}, "plain": {"score": "b"}},
    }
    report = evaluate(from_dict(spec, tmp_path_factory.mktemp("spec")), frame)
    return replace(report, title=f"Melons {HOSTILE} − σ χ² ≥ {CONTROL}")


@pytest.fixture(scope="module")
def made(results, tmp_path_factory) -> dict[str, bytes]:
    """Both formats, made once."""
    folder = tmp_path_factory.mktemp("made")
    rendered = render.report(results, folder, ["html", "pdf", "markdown"], attachments=ATTACHED)
    assert rendered.notes == ()
    return {path.name: path.read_bytes() for path in rendered.paths}


@pytest.fixture(scope="module")
def page(made) -> str:
    return made["report.html"].decode()


@pytest.fixture(scope="module")
def printed(made) -> PdfReader:
    return PdfReader(io.BytesIO(made["report.pdf"]))


@pytest.fixture(scope="module")
def texts(printed) -> list[str]:
    """The text of each page of the PDF."""
    return [page.extract_text() for page in printed.pages]


class Elements(HTMLParser):
    """Every start tag of a page, and the text of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")

    def handle_endtag(self, _tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data


def policy(page: str) -> str:
    """The page's content security policy."""
    elements = Elements(page).tags
    return next(
        attrs["content"]
        for _, attrs in elements
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )


def test_every_wanted_file_is_written(made):
    assert set(made) == {"report.html", "report.pdf", "summary.md"}


def test_a_hostile_label_stays_text(page):
    elements = Elements(page)
    run = [attrs for tag, attrs in elements.tags if tag == "script" and "type" not in attrs]

    assert "alert(1)" in page
    assert HOSTILE not in page
    assert len(run) == 2  # the library and ours
    assert not [script for script in elements.scripts if script.startswith("alert(1)")]


def test_the_policy_allows_the_scripts_of_the_page_and_no_other(page):
    elements = Elements(page)
    kinds = [attrs.get("type") for tag, attrs in elements.tags if tag == "script"]
    run = [text for text, kind in zip(elements.scripts, kinds, strict=True) if kind is None]
    hashes = {
        "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in run
    }

    assert policy(page).startswith("default-src 'none'; ")
    assert set(re.findall(r"sha256-[^']+", policy(page))) == hashes
    assert "unsafe-eval" not in policy(page)


def test_the_page_requests_nothing(page):
    loading = {"src", "srcset", "poster", "data", "action", "background", "xlink:href"}
    elements = Elements(page).tags

    assert not [(tag, attrs) for tag, attrs in elements if loading & attrs.keys()]
    links = [attrs["href"] for tag, attrs in elements if "href" in attrs]
    assert all(link.startswith(("#", "https://doi.org/10.")) for link in links)
    assert not {tag for tag, _ in elements} & {"link", "iframe", "object", "embed", "base", "img"}
    styles = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    assert "@import" not in styles
    assert set(re.findall(r"url\((\w+):", styles)) == {"data"}


def test_every_chart_is_drawn_described_and_has_its_data(page):
    graphics = [attrs for tag, attrs in Elements(page).tags if attrs.get("class") == "graphic"]

    assert len(graphics) > 5
    assert all(attrs["role"] == "img" and len(attrs["aria-label"]) > 20 for attrs in graphics)
    assert "<!--chart:" not in page
    assert page.count("<svg ") >= len(graphics)
    assert page.count('<details class="data">') == len(graphics)


def test_wide_charts_have_a_form_for_narrow_screens(page):
    """The script finds it by its id; the style lets what has taken it shrink."""
    blocks = Elements(page)
    named = [attrs["id"] for tag, attrs in blocks.tags if tag == "script" and "id" in attrs]
    narrow = [name for name in named if name.startswith("narrow-")]

    assert "narrow-threshold" in narrow
    assert {name.replace("narrow-", "chart-") for name in narrow} <= set(named)
    assert 'specification("narrow", graphic.dataset.chart)' in page
    assert '.graphic:not([data-form="narrow"]) svg' in page


def test_ids_are_unique_in_the_page(page):
    ids = [attrs["id"] for _, attrs in Elements(page).tags if "id" in attrs]

    assert len(ids) == len(set(ids))


def test_an_interactive_page_keeps_its_budget(page):
    assert len(page.encode()) < 2_500_000


def test_figures_and_tables_have_the_same_numbers_in_both_formats(page, texts):
    text = "".join(texts)
    numbered = re.findall(r'<span class="number">(Figure|Table) (\d+)</span>', page)

    assert [int(n) for kind, n in numbered if kind == "Figure"] == list(
        range(1, 1 + sum(kind == "Figure" for kind, _ in numbered))
    )
    assert all(f"{kind} {number}" in text for kind, number in numbered)


def test_the_pdf_shows_the_labels_as_text(texts):
    text = "".join(texts)

    assert "好瓜" in text
    assert "alert(1)" in text
    assert "bell□" in text


def all_titles(outline) -> list[str]:
    """Titles of every level."""
    return [
        title
        for entry in outline
        for title in (all_titles(entry) if isinstance(entry, list) else [entry.title])
    ]


def test_sources_lead_to_their_papers_in_both_formats(page, printed):
    links = set(re.findall(r'href="(https://doi.org/[^"]+)"', page))
    annotations = [a.get_object() for p in printed.pages for a in p.get("/Annots", ())]
    targets = {a.get("/A", {}).get("/URI") for a in annotations}

    assert len(links) > 5
    assert links <= targets


@pytest.mark.slow
def test_the_page_links_to_the_files_beside_it(tmp_path):
    built = reportgen.build(EXAMPLES / "learners/report.yaml", out=tmp_path)
    text = built.files["html"].read_text()
    links = re.findall(r'<a href="([\w.]+)">', text)

    assert links == ["report.pdf", "results.json", "summary.md", "manifest.json"]
    assert all((built.path / link).is_file() for link in links)


def test_the_pdf_has_pages_an_outline_and_contents(printed, texts):
    count = len(texts)
    titles = [entry.title for entry in printed.outline if not isinstance(entry, list)]

    assert count > 5
    assert "Verdict" in titles
    assert len(titles) > 5
    assert {"Table", "Figure"} <= {title.split()[0] for title in all_titles(printed.outline)}
    assert "Key numbers" in texts[0]
    assert all(f"Page {number} of {count}" in text for number, text in enumerate(texts, 1))


def test_every_page_of_the_pdf_names_the_build(texts, results):
    assert all(results.build["id"] in text for text in texts)


def test_the_pdf_carries_its_attachments(printed):
    assert {name: data[0] for name, data in printed.attachments.items()} == ATTACHED


def test_the_pdf_claims_to_be_archival_and_accessible(printed):
    raw = printed.xmp_metadata.stream.get_data().decode()
    root = printed.trailer["/Root"]

    assert re.search(r"pdfaid:part>3|pdfaid:part=\"3\"", raw)
    assert re.search(r"pdfaid:conformance>A|pdfaid:conformance=\"A\"", raw)
    assert "<pdfuaid:part>1</pdfuaid:part>" in raw
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    assert "/StructTreeRoot" in root


def test_every_picture_in_the_pdf_has_a_description(printed):
    descriptions = []

    def walk(node):
        node = node.get_object()
        if not isinstance(node, dict):
            return
        if node.get("/S") == "/Figure":
            descriptions.append(str(node.get("/Alt", "")))
        children = node.get("/K", [])
        for child in children if isinstance(children, list) else [children]:
            walk(child)

    walk(printed.trailer["/Root"]["/StructTreeRoot"])

    assert len(descriptions) > 5
    assert all(len(text) > 20 for text in descriptions)


@pytest.mark.slow  # test_examples.py builds an example twice in every run
def test_the_same_results_give_the_same_bytes(results, made, tmp_path):
    again = render.report(results, tmp_path, ["html", "pdf", "markdown"], attachments=ATTACHED)

    assert {path.name: path.read_bytes() for path in again.paths} == made


def test_the_pdf_is_set_on_a4(printed):
    """Other paper is that of a spec: test_builds_build.py."""
    box = printed.pages[0].mediabox

    assert (round(box.width), round(box.height)) == (595, 842)
