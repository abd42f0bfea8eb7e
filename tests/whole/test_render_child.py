"""The child process: its limits, its faults, and a machine without fonts or libraries."""

from __future__ import annotations

import errno
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader

from reportgen.errors import LimitError, Problem, RenderError
from reportgen.render import environment, fonts, process
from reportgen.render.job import Attachment, Job
from reportgen.resources import TEMPLATES
from tests.breadth import breadth

GIB = 2**30
PANIC = 'on an `Err` value: Os { code: 24, message: "Too many open files" }'
NOON = "2026-01-01T12:00:00+00:00"
CHART = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.4.1.json",
    "config": {"font": "Report Sans"},
    "data": {"values": [{"class": "好瓜", "n": 1}, {"class": "坏瓜", "n": 3}]},
    "mark": "bar",
    "encoding": {
        "x": {"field": "class", "type": "nominal"},
        "y": {"field": "n", "type": "quantitative"},
    },
}
STYLE = f"<style>{fonts.PLACE} body {{ font-family: 'Report Sans' }}</style>"


def page(body: str) -> str:
    head = f"<head><title>t</title>{STYLE}</head>"
    return f'<!DOCTYPE html><html lang="en">{head}<body>{body}</body></html>'


def job(body: str = "<p>好瓜</p>", charts: bool = False, **more) -> Job:
    """A job of one page, in both formats, with a chart where wanted."""
    drawings = {"fruit": CHART} if charts else {}
    titles = dict.fromkeys(drawings, "Fruit")
    places = '<img src="chart:fruit" alt="Fruit"/>' if charts else ""
    pages = {"html": page(body + "<!--chart:fruit-->" * charts), "pdf": page(body + places)}
    return Job(**{**pages, "charts": drawings, "titles": titles, "created": NOON, **more})


def run(order: Job, folder: Path, deadline: float = 60, memory: int = GIB):
    return process.run(order, folder, deadline=deadline, memory=memory)


def test_a_job_survives_being_written_down():
    order = job(charts=True, attachments=(Attachment.of("results.json", b"{}"),))

    assert Job.from_json(order.to_json()) == order
    assert order.attachments[0].data == b"{}"
    assert order.attachments[0].relationship == "Data"


def test_pages_are_made_on_a_machine_without_a_single_font(tmp_path, monkeypatch):
    empty = tmp_path / "none.conf"
    empty.write_text('<?xml version="1.0"?><fontconfig></fontconfig>')
    monkeypatch.setenv("FONTCONFIG_FILE", str(empty))
    monkeypatch.setenv("HOME", str(tmp_path))

    assert run(job("<p>好瓜 <b>bold</b> <code>code</code></p>", charts=True), tmp_path) == []

    reader = PdfReader(tmp_path / "report.pdf")
    assert reader.pages[0].extract_text().count("好瓜") == 2  # the paragraph and the chart
    names = {str(font["/BaseFont"]) for font in _fonts(reader)}
    assert all("Report" in name for name in names)


def _fonts(reader: PdfReader):
    for page in reader.pages:
        for font in page["/Resources"]["/Font"].values():
            yield font.get_object()


def test_a_character_that_no_font_has_is_refused_by_its_name(tmp_path):
    with pytest.raises(RenderError, match=r"U\+10400") as caught:
        run(job("<p>\U00010400</p>"), tmp_path)

    assert caught.value.problems[0].code == "glyph"
    assert not list(tmp_path.glob("report.*"))


@breadth("address", ["file:///etc/hostname", "http://127.0.0.1:9/", "chart:none"], 1)
def test_a_page_that_asks_for_more_than_its_own_is_refused(address, tmp_path):
    with pytest.raises(RenderError, match="outside the report") as caught:
        run(job(f'<img src="{address}" alt="x"/>'), tmp_path)

    assert caught.value.problems[0].code == "blocked"
    assert not (tmp_path / "report.pdf").exists()


def test_a_page_that_is_not_well_formed_is_refused_by_its_place(tmp_path):
    with pytest.raises(RenderError, match=r"line \d+, column \d+") as caught:
        run(job("<p>"), tmp_path)

    assert caught.value.problems[0].code == "page"


def test_a_module_of_the_working_directory_is_never_run(tmp_path, monkeypatch):
    (tmp_path / "html.py").write_text("open('run', 'w').close()")
    monkeypatch.chdir(tmp_path)
    run(job(), tmp_path)

    assert not (tmp_path / "run").exists()


def test_a_child_that_takes_too_long_is_stopped(tmp_path):
    with pytest.raises(LimitError, match=r"more than 0\.2 seconds of CPU time"):
        run(job(charts=True), tmp_path, deadline=0.2)


def test_a_child_that_hangs_without_working_is_stopped_by_the_clock(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "PATIENCE", 0.001)

    with pytest.raises(LimitError, match=r"0\.06 seconds, of which it worked 0"):
        run(job(charts=True), tmp_path)


def test_a_child_that_takes_too_much_memory_is_stopped(tmp_path):
    with pytest.raises(LimitError, match="20 MiB"):
        run(job(charts=True), tmp_path, memory=20 * 2**20)


@breadth("label", ["a\x07", "a\ufffe"], 1)
def test_a_child_that_aborts_is_told_in_one_line(label, tmp_path):
    spoilt = {**CHART, "data": {"values": [{"class": label, "n": 1}]}}

    with pytest.raises(RenderError) as caught:
        run(Job(page(""), None, {"fruit": spoilt}, {"fruit": ""}, NOON), tmp_path)

    assert caught.value.problems[0].code == "crash"
    assert "SIGABRT" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_chart_that_wants_data_from_outside_is_refused(tmp_path):
    outside = {**CHART, "data": {"url": "http://127.0.0.1:9/data.json"}}

    with pytest.raises(RenderError) as caught:
        run(Job(page(""), None, {"fruit": outside}, {"fruit": ""}, NOON), tmp_path)

    assert caught.value.problems[0].code == "chart"
    assert "fruit" in str(caught.value)


@pytest.mark.parametrize(("stderr", "error"), [("", RenderError), (PANIC, LimitError)])
def test_a_chart_that_lacks_open_files_is_told_as_a_limit(stderr, error, tmp_path):
    """Threads of the compiler panic on standard error; what it raises says only that they ended."""
    outcome = {"error": "RenderError", "problems": [Problem("chart", "not drawn").to_dict()]}
    path = tmp_path / "outcome.json"
    path.write_text(json.dumps(outcome), encoding="utf-8")

    with pytest.raises(error):
        process._outcome(path, RenderError.exit_code, stderr)


def test_a_child_that_can_write_nothing_tells_why_by_its_exit_code(tmp_path):
    """On a full disk it cannot even say so: its last words would go to the same disk."""
    (tmp_path / "job.json").write_text(job(pdf=None).to_json(), encoding="utf-8")
    program = f"""
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
from reportgen.render.__main__ import main
folder = Path({str(tmp_path)!r})
sys.exit(main(folder / "job.json", folder))
"""
    with (tmp_path / "stderr.txt").open("wb") as words:
        done = subprocess.run([sys.executable, "-c", program], check=False, stderr=words)

    assert done.returncode == process.UNWRITTEN + errno.EFBIG


def test_without_the_libraries_the_page_is_made_and_the_pdf_says_what_to_install(tmp_path):
    links = "".join(f'<span><a href="{f}">{f}</a></span>' for f in ("report.pdf", "results.json"))
    (tmp_path / "job.json").write_text(job(links).to_json(), encoding="utf-8")
    program = f"""
import builtins
from pathlib import Path
real = builtins.__import__
def importing(name, *rest):
    if name.startswith("weasyprint"):
        raise OSError("cannot load library 'libpango-1.0-0'")
    return real(name, *rest)
builtins.__import__ = importing
from reportgen.render.__main__ import make
from reportgen.render.job import Job
folder = Path({str(tmp_path)!r})
for problem in make(Job.from_json((folder / "job.json").read_text()), folder, folder):
    print(problem.code, problem.hint)
"""
    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert process.stdout == (
        "pdf-libraries apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0\n"
    )
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert ("report.pdf" in text, "results.json" in text) == (False, True)
    assert not (tmp_path / "report.pdf").exists()


def test_a_wide_table_lies_on_its_side_and_a_long_one_repeats_its_head(tmp_path):
    env = environment()
    env.globals["page"].begin("pdf", 500)
    template = env.from_string(
        '{% from "macros.html.j2" import data_table %}<p>upright</p>'
        '{{ data_table(heads, rows, "Many columns", wide=true) }}<p>upright again</p>'
    )
    heads = [{"key": name, "label": f"head {name}"} for name in "abc"]
    rows = [{"cells": {"a": f"row {n}", "b": str(n), "c": f"{n}.5"}} for n in range(120)]
    styles = "".join((TEMPLATES / name).read_text() for name in ("report.css", "print.css"))
    body = f"<style>{styles}</style>{template.render(heads=heads, rows=rows)}"

    run(job(html=None, pdf=page(body)), tmp_path)

    pages = PdfReader(tmp_path / "report.pdf").pages
    sides = ["wide" if page.mediabox.width > page.mediabox.height else "tall" for page in pages]
    texts = [page.extract_text() for page in pages]
    assert sides == ["tall", *["wide"] * (len(pages) - 2), "tall"]
    assert len(pages) > 4
    assert all("head b" in text for text in texts[1:-1])
    assert all(f"row {n}" in "".join(texts) for n in range(120))


def test_attachments_lie_in_the_pdf_with_the_date_of_the_build(tmp_path):
    run(job(html=None, attachments=(Attachment.of("results.json", b'{"a": 1}'),)), tmp_path)

    reader = PdfReader(io.BytesIO((tmp_path / "report.pdf").read_bytes()))
    assert reader.attachments["results.json"] == [b'{"a": 1}']
    assert not (tmp_path / "report.html").exists()
