"""Templates of users: they extend the page by its blocks, and reach nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
from dataclasses import replace

import pytest

from reportgen import render
from reportgen.builds import build, channel
from reportgen.errors import RenderError, SpecError
from reportgen.resources import EXAMPLES
from reportgen.results import Results
from tests.example_results import example_results
from tests.page_text import page_text

EXTENDS = '{% extends "report.html.j2" %}'
PAGE = "docs/how-to/custom-section.md"


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(EXAMPLES / "watermelon", tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture(scope="module")
def results():
    """Without curves, as a page with a template has the charts of all."""
    results = example_results("watermelon")
    return replace(results, curves={}, spec={**results.spec, "sections": ["verdict"]})


def built(folder, template: str, *formats: str, name: str = "page.html.j2", language: str = "en"):
    (folder / name).write_text(template, encoding="utf-8")
    path = folder / "report.yaml"
    theme = f"\ntheme: {{template: {name}}}\nsections: [verdict, key_numbers]\n"
    path.write_text(path.read_text(encoding="utf-8") + theme, encoding="utf-8")
    if language != "en":
        path.write_text(path.read_text(encoding="utf-8") + f"language: {language}\n")
    return build(path, out=folder / "out", formats=formats or ("html",))


def test_the_template_of_the_documentation_extends_page_and_pdf_also_when_rendered_again(folder):
    text = (EXAMPLES.parent / PAGE).read_text(encoding="utf-8")
    template = re.search(r"```jinja\n(.*?)```", text, re.DOTALL)[1]
    done = built(folder, template, "html", "pdf", "json")
    page = done.files["html"].read_text(encoding="utf-8")

    assert '<p class="internal">For internal use · ' in page
    assert page.count('<h2 class="quiet" id="verdict-title">') == 1
    assert "Reviewed by the risk committee; 2 sections." in page
    assert page.index("Reviewed by") > page.index('id="key_numbers"')
    assert ".internal { color: #7a0019 }" in page[: page.index("</style>")]
    assert done.files["pdf"].stat().st_size > 10_000
    again = Results.from_json(done.files["json"].read_text(encoding="utf-8"))
    assert "Reviewed by the risk committee" in page_text(again)


def test_words_of_a_template_stay_in_a_page_in_chinese(folder):
    template = EXTENDS + "{% block colophon %}<p>ACME risk committee</p>{% endblock %}"
    page = page_text(built(folder, template, "json", language="zh").results)

    assert "<p>ACME risk committee</p>" in page


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("<p>ACME</p>", "does not extend the page"),
        ("<p>ACME</p>" + EXTENDS, "does not extend the page"),
        ('{% extends "compare.html.j2" %}', "does not extend the page"),
        (EXTENDS + "\n{% block futer %}{% endblock %}", "line 2: no block 'futer'"),
        (EXTENDS + "\n\n{% set policy = '' %}", "line 3: only blocks may follow"),
        (EXTENDS + "{% macro policy() %}{% endmacro %}", "line 1: only blocks may follow"),
        (EXTENDS + "\n{% block colophon %}", "cannot be read: line 2"),
        (EXTENDS + "é" * 100_000, "more than 100,000 characters"),
    ],
)
def test_a_template_that_is_no_extension_is_refused_at_its_line(folder, template, message):
    with pytest.raises(SpecError, match=r"theme\.template") as caught:
        built(folder, template)

    problem = caught.value.problems[0]
    assert message in problem.message
    assert problem.line
    assert not list((folder / "out").glob("*/*/report.html"))


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("{{ report.build.__class__.__mro__ }}", "unsafe"),
        ("{{ ''.__class__ }}", "unsafe"),
        ("{{ page.numbers.clear() }}", "'clear' of 'dict'"),
        ('{% include "/etc/hostname" %}', "hostname"),
        ('{% include "../pyproject.toml" %}', "pyproject"),
        ("{{ nobody }}", "'nobody' is undefined"),
        ("{{ 1 / 0 }}", "line 1: division by zero"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recursion"),
        ("{{ '{a}'.format() }}", "'a'"),
        ("{{ 'abc' | truncate(-1) }}", "expected length"),
        ("{{ 'x' | xmlattr }}", "no attribute 'items'"),
        ("<META http-equiv=refresh content='0;url=//a.example'>", "may not have <meta>"),
        ("{{ '<link/rel=preconnect href=//a.example>' | safe }}", "may not have <link>"),
        ("<!-- <script> --><base href='//a.example'><!-- </script> -->", "may not have <base>"),
    ],
)
def test_a_template_reaches_no_file_and_no_inner_part(results, block, message):
    template = EXTENDS + "{% block colophon %}" + block + "{% endblock %}"
    texts = {"theme": {"template": "own"}, "notes": {"own": template}, "sections": ["data"]}

    with pytest.raises(RenderError, match=r"theme\.template: .*" + re.escape(message)):
        render.html(replace(results, spec={**results.spec, **texts}))


def test_names_of_elements_may_stand_in_texts(results):
    template = EXTENDS + "{% block colophon %}{{ '<base>' }}<metal></metal>{% endblock %}"
    texts = {"theme": {"template": "own"}, "notes": {"own": template}, "title": "<meta >"}
    page = page_text(replace(results, spec={**results.spec, **texts}))

    assert "&lt;base&gt;<metal>" in page


def test_results_of_others_cannot_replace_the_page_and_its_policy(results):
    texts = {"theme": {"template": "own"}, "notes": {"own": "<script>alert(1)</script>"}}

    with pytest.raises(RenderError, match="does not extend the page"):
        render.html(replace(results, spec={**results.spec, **texts}))


def test_markup_that_the_pdf_cannot_hold_is_refused(folder):
    with pytest.raises(RenderError, match="the PDF needs well-formed XML"):
        built(folder, EXTENDS + "{% block colophon %}<p>a<br>b{% endblock %}", "pdf")


def test_a_template_that_is_a_pipe_is_not_waited_for(folder):
    os.mkfifo(folder / "pipe")
    path = folder / "report.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "\ntheme: {template: pipe}\n")
    with pytest.raises(SpecError, match="a pipe or a device"):
        build(path, out=folder / "out", formats=("html",))


def test_a_template_outside_the_folder_of_the_spec_is_refused(folder):
    inner = folder / "inner"
    shutil.copytree(EXAMPLES / "watermelon", inner)
    (folder / "page.html.j2").write_text(EXTENDS, encoding="utf-8")

    with pytest.raises(SpecError, match="outside"):
        built(inner, EXTENDS, name="../page.html.j2")


def test_the_loops_of_a_template_have_a_limit_where_nothing_else_limits_the_time(monkeypatch):
    near, far = socket.socketpair()
    monkeypatch.setattr(channel, "_Connected", type("Fresh", (channel._Connected,), {}))
    with near, far, far.makefile() as supervisor:
        channel.connect(near)
        channel.limit_all(None, 500)
        channel.limit_drawing()
        channel.limit(20, None)
        channel.limit_drawing()
        near.shutdown(socket.SHUT_WR)
        messages = [json.loads(line) for line in supervisor]

    assert [limits["seconds"] for limits in messages] == [None, channel.DRAWING, 20]
    assert [limits["megabytes"] for limits in messages] == [500, 500, 500]
