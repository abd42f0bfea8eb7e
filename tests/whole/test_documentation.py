"""The documentation site: its examples run, what it names is there, its links are checked."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from ruamel.yaml import YAML

import reportgen
from reportgen.cli.group import group
from reportgen.resources import SCHEMAS
from tests.benchmarks import parts, run

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

documentation = import_module("documentation")
documentation_pages = import_module("documentation_pages")

PAGES = [ROOT / "docs" / "index.md", ROOT / "docs" / "tutorial.md"]
PAGES += sorted((ROOT / "docs" / "how-to").glob("*.md"))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.stem)
def test_the_python_of_a_page_runs(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for code in blocks(page, "python"):
        exec(compile(code, str(page), "exec"), scope)  # our own pages

    assert capsys.readouterr().out


def test_the_keys_of_every_spec_in_the_pages_are_known():
    names = set()
    for name in ("report", "comparison"):
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
        names |= schema["properties"].keys()
    texts = [text for page in PAGES for text in blocks(page, "yaml")]

    assert texts
    for text in texts:
        assert set(YAML(typ="safe", pure=True).load(text)) <= names, text


def test_blocks_are_of_languages_that_the_site_can_highlight():
    fences = re.compile(r"^ *```(\w+)$", re.MULTILINE)
    languages = {name for page in PAGES for name in fences.findall(page.read_text("utf-8"))}
    assert languages <= {"jinja", "python", "sh", "text", "toml", "yaml"}


def test_the_commands_of_the_pages_are_there():
    text = "\n".join(page.read_text("utf-8") for page in [*PAGES, ROOT / "README.md"])
    used = re.findall(r"(?:^ {4}|`|\n)reportgen (\w+)([^`\n]*)", text)

    assert len(used) > 10
    for name, rest in used:
        command = group.get_command(click.Context(group), name)
        assert command is not None, name
        options = {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"--help"}
        for option in re.findall(r"(?<!\S)--[a-z-]+", rest.partition("#")[0].partition("&&")[0]):
            assert option in options, (name, option)


def test_the_generated_pages_name_everything():
    python, spec = documentation_pages.python(), documentation_pages.spec()
    schema = json.loads((SCHEMAS / "report.schema.json").read_text("utf-8"))

    for name in reportgen.__all__:
        assert f"## {name}\n" in python or isinstance(getattr(reportgen, name), type(re))
    for key in schema["properties"]:
        assert f"| `{key}`" in spec
    for name in group.commands:
        assert f"## {name}\n" in documentation_pages.commands()


def test_the_page_of_benchmarks_ends_with_the_runs_written_by_hand(tmp_path):
    by_hand = run.SINGLE_RUNS.read_text("utf-8")

    assert run.page([], 1, tmp_path, parts.Table([], []), []).endswith(by_hand)
    assert (run.ROOT / "docs" / "benchmarks.md").read_text("utf-8").endswith(by_hand)


def test_the_gallery_has_every_example():
    there = {path.parent.name for path in (ROOT / "examples").glob("*/report.yaml")}

    assert set(documentation.EXAMPLES) == there


def test_what_is_scrolled_is_reached_by_the_keyboard():
    once = documentation.accessible('<pre>a</pre><aside class="toc-drawer">')

    assert once == '<pre tabindex="0">a</pre><aside class="toc-drawer" aria-label="On this page">'
    assert documentation.accessible(once) == once


def test_links_that_lead_nowhere_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr(documentation, "HTML", tmp_path)
    (tmp_path / "a.html").write_text('<p id="x"><a href="b.html#y"></a><a href="#x"></a>')
    (tmp_path / "b.html").write_text(
        '<img src="c.png"><a href="a.html#x"></a><a href="https://d.e">'
    )

    assert sorted(documentation.broken()) == [
        "a.html: b.html has no #y",
        "b.html: there is no c.png",
    ]


@pytest.mark.slow
def test_the_site_is_built_without_a_warning():
    pytest.importorskip("sphinx")
    command = [sys.executable, str(ROOT / "tools" / "documentation.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)

    assert done.returncode == 0, done.stderr
