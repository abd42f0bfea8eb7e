"""What leaves the machine in a report: marks in every place, and where they come out.

``docs/privacy.md`` tells the same as a table.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pypdf
import pytest

import reportgen
from reportgen.errors import ReportgenError
from tests.hostile.browser import listening

EVERYWHERE = {"page", "pdf", "results", "manifest", "summary"}
IN_FULL = {"page", "pdf", "results", "manifest"}
NOWHERE: set[str] = set()

BAITS = {
    "bait-title": EVERYWHERE,
    "bait-model": EVERYWHERE,
    "bait-other-model": EVERYWHERE,
    "bait-positive": EVERYWHERE,
    "bait-negative": EVERYWHERE - {"manifest"},
    "bait-slicing": EVERYWHERE,
    "bait-slice-value": EVERYWHERE - {"manifest"},
    "bait-fold": {"page", "pdf", "results"},
    "bait-truth": IN_FULL,
    "bait-score": IN_FULL,
    "bait-comment": IN_FULL,
    "bait-file": IN_FULL,
    "bait-note": IN_FULL,
    "bait-heading": IN_FULL,
    "bait-hidden-note": IN_FULL,
    "bait-id": NOWHERE,
    "bait-group": NOWHERE,
    "bait-unused-name": NOWHERE,
    "bait-unused-value": NOWHERE,
    "bait-other-file": NOWHERE,
    "bait-folder": NOWHERE,
    "bait-home": NOWHERE,
    "bait-user": NOWHERE,
    "bait-variable": NOWHERE,
    "bait-out": NOWHERE,
    "bait-engine": NOWHERE,
}
"""Each mark, and the files of a build that it may and does come out in."""


NO_NETWORK = ("unshare", "--map-root-user", "--net")
"""Runs a command where not even the loopback device is up, on machines that let one."""


FEW = ("verdict", "data", "slices", "generalisation", "provenance")
ALL = (*FEW, "key_numbers", "decisions", "comparisons", "methods")


def written(folder: Path, sections: Sequence[str]) -> Path:
    """A spec and its data with a mark in every place."""
    names = "bait-truth,bait-score,other,idcolumn,groupcolumn,foldcolumn,bait-slicing"
    lines = [f"{names},bait-unused-name"]
    for i in range(120):
        truth = "bait-positive" if i % 3 == 0 else "bait-negative"
        scores = f"{(i * 7) % 31 / 31},{(i * 5) % 29 / 29}"
        keys = f"bait-id-{i},bait-group-{i % 40},bait-fold-{i % 40 % 3},bait-slice-value-{i % 2}"
        lines.append(f"{truth},{scores},{keys},bait-unused-value")
    (folder / "bait-file.csv").write_text("\n".join(lines))
    (folder / "bait-other-file.csv").write_text("y,p\n")
    (folder / "notes.md").write_text("bait-note\n\n<!-- bait-hidden-note -->\n")
    spec = folder / "report.yaml"
    spec.write_text(
        "# bait-comment\ndata: bait-file.csv\ntitle: bait-title\ntruth: bait-truth\n"
        "positive: bait-positive\n"
        "models: {bait-model: {score: bait-score}, bait-other-model: {score: other}}\n"
        "columns: {id: idcolumn, group: groupcolumn, fold: foldcolumn}\nslices: [bait-slicing]\n"
        f"sections: [{', '.join(sections)}, {{markdown: notes.md, title: bait-heading}}]\n"
        "bootstrap: {replicates: 0}\n"
    )
    return spec


def texts(build: Path) -> dict[str, str]:
    """The text of every file of a build; of the PDF that of its attachments too."""
    pdf = pypdf.PdfReader(build / "report.pdf")
    attached = [part.decode() for parts in pdf.attachments.values() for part in parts]
    pages = [page.extract_text() for page in pdf.pages]
    return {
        "page": (build / "report.html").read_text(),
        "pdf": "\n".join([*pages, *attached, str(pdf.metadata)]),
        "results": (build / "results.json").read_text(),
        "manifest": (build / "manifest.json").read_text(),
        "summary": (build / "summary.md").read_text(),
    }


@pytest.fixture(scope="module", params=[FEW, pytest.param(ALL, marks=pytest.mark.slow)], ids=len)
def outputs(tmp_path_factory, request) -> dict[str, str]:
    """The files of a build without a network, and what it told the terminal."""
    place = tmp_path_factory.mktemp("leaks") / "bait-folder"
    (place / "bait-home").mkdir(parents=True)
    spec = written(place, request.param)
    baits = {"HOME": str(place / "bait-home"), "USER": "bait-user", "LOGNAME": "bait-user"}
    baits |= {"TOKEN": "bait-variable", "AWS_SECRET_ACCESS_KEY": "bait-variable"}
    command = [sys.executable, "-m", "reportgen", "build", str(spec), "--out", "bait-out"]
    tried = [*NO_NETWORK, "true"] if shutil.which(NO_NETWORK[0]) else ["false"]
    if subprocess.run(tried, capture_output=True, check=False).returncode == 0:
        command = [*NO_NETWORK, *command]
    done = subprocess.run(
        command, cwd=place, env=os.environ | baits, capture_output=True, text=True, check=True
    )
    return {**texts(place / "bait-out/report/latest"), "terminal": done.stdout + done.stderr}


@pytest.mark.parametrize("bait", BAITS)
def test_a_mark_comes_out_where_the_docs_say_and_nowhere_else(outputs, bait):
    seen = {name for name, text in outputs.items() if bait in text}

    assert seen - {"terminal"} == BAITS[bait]


def test_the_terminal_tells_no_cells(outputs):
    cells = ("bait-id", "bait-group-", "bait-slice-value", "bait-unused", "bait-variable")

    assert not [bait for bait in cells if bait in outputs["terminal"]]


def test_the_host_has_no_name_in_a_report(outputs):
    host = os.uname().nodename
    facts = json.loads(outputs["results"])

    assert set(facts["versions"]) >= {"python", "polars", "reportgen"}
    assert len(host) < 4 or not [name for name, text in outputs.items() if host in text]


LOADED = (
    "{url}",
    "![x]({url})",
    "[x]({url})",
    "<img src={url}>",
    "<link rel=stylesheet href={url}>",
    "<style>@import '{url}';</style>",
    "<svg><image href={url} /></svg>",
    "<script src={url}></script>",
    "url({url})",
    "<iframe src={url}>",
    "<object data={url}>",
    "<meta http-equiv=refresh content=0;url={url}>",
)
FETCHED = ("data: {url}", "sections: [{{markdown: '{url}'}}]\ndata: p.csv")


@pytest.fixture
def loopback():
    with listening() as listener:
        yield listener, f"http://127.0.0.1:{listener.port}/x"


@pytest.mark.slow
def test_a_build_asks_for_nothing_that_its_texts_name(tmp_path, loopback):
    listener, url = loopback
    baits = [text.format(url=url) for text in LOADED]
    rows = [f'{i % 2},{i * 7 % 31 / 31},{i * 5 % 29 / 29},"{baits[i % 12]}"' for i in range(240)]
    (tmp_path / "p.csv").write_text("\n".join(["y,p0,p1,part", *rows]))
    (tmp_path / "notes.md").write_text("\n\n".join(baits))
    models = "".join(f"  {json.dumps(baits[k])}: {{score: p{k}}}\n" for k in range(2))
    (tmp_path / "report.yaml").write_text(
        f"data: p.csv\ntitle: {json.dumps(' '.join(baits))}\ntruth: y\nmodels:\n{models}"
        "slices: [part]\nbootstrap: {replicates: 0}\n"
        "sections: [verdict, slices, {markdown: notes.md}]\n"
    )
    built = reportgen.build(tmp_path / "report.yaml")

    assert set(built.files) == {"html", "pdf", "json", "markdown"}
    assert not listener.connections
    pages = pypdf.PdfReader(built.files["pdf"]).pages
    notes = [note.get_object() for page in pages for note in page.get("/Annots") or ()]
    assert {note["/A"]["/S"] for note in notes if "/A" in note} <= {"/GoTo", "/URI"}


@pytest.mark.parametrize("text", FETCHED)
@pytest.mark.parametrize("roots", [(), None])
def test_an_address_is_no_file(tmp_path, loopback, text, roots):
    listener, url = loopback
    (tmp_path / "p.csv").write_text("y,p\n1,0.5\n0,0.4\n")
    fields = f"{text.format(url=url)}\ntruth: y\nmodels: {{m: {{score: p}}}}\n"
    (tmp_path / "report.yaml").write_text(fields)

    with pytest.raises(ReportgenError, match=r"missing-file|unknown-format|outside-folder"):
        reportgen.build(tmp_path / "report.yaml", allowed_roots=roots)
    assert not listener.connections
