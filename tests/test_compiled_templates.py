"""Compiled templates are kept beside their text, and made again when it changes."""

from __future__ import annotations

import os
import sys

import jinja2
import pytest

from reportgen import compiled_templates
from reportgen.compiled_templates import CompiledTemplates
from reportgen.render.templating import environment


@pytest.fixture
def compiled(monkeypatch) -> list[str]:
    """The names of templates that are compiled from now on."""
    names: list[str] = []
    compile_one = jinja2.Environment.compile

    def noted(self, source, name=None, *arguments, **options):
        names.append(name)
        return compile_one(self, source, name, *arguments, **options)

    monkeypatch.setattr(jinja2.Environment, "compile", noted)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return names


def _text_of(folder, name: str = "plain", **options: str) -> str:
    """What a process that has compiled nothing yet makes of the template."""
    cache = CompiledTemplates(name)
    loader = jinja2.FileSystemLoader(folder)
    env = jinja2.Environment(loader=loader, bytecode_cache=cache, autoescape=True, **options)
    return env.get_template("page.html.j2").render()


def test_the_next_process_compiles_no_template_again(tmp_path, compiled):
    (tmp_path / "page.html.j2").write_text("{{ 1 + 1 }}")
    assert [_text_of(tmp_path), _text_of(tmp_path)] == ["2", "2"]
    assert compiled == ["page.html.j2"]


@pytest.mark.usefixtures("compiled")
def test_another_text_of_the_same_size_and_time_is_compiled_again(tmp_path):
    page = tmp_path / "page.html.j2"
    page.write_text("{{ 1 + 1 }}")
    before = page.stat()
    assert _text_of(tmp_path) == "2"
    page.write_text("{{ 2 + 1 }}")
    os.utime(page, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert _text_of(tmp_path) == "3"


@pytest.mark.usefixtures("compiled")
def test_environments_with_other_options_share_nothing(tmp_path):
    (tmp_path / "page.html.j2").write_text("[[ 1 ]]")
    assert _text_of(tmp_path) == "[[ 1 ]]"
    brackets = {"variable_start_string": "[[", "variable_end_string": "]]"}
    assert _text_of(tmp_path, "brackets", **brackets) == "1"


def test_another_version_compiles_again(tmp_path, compiled, monkeypatch):
    (tmp_path / "page.html.j2").write_text("{{ 1 + 1 }}")
    _text_of(tmp_path)
    monkeypatch.setattr(compiled_templates, "__version__", "999")
    assert _text_of(tmp_path) == "2"
    assert len(compiled) == 2


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("cut", [0, 10, -1])
def test_a_file_that_was_cut_short_is_made_again(tmp_path, cut):
    (tmp_path / "page.html.j2").write_text("{{ 1 + 1 }}")
    _text_of(tmp_path)
    [kept] = (tmp_path / "__pycache__").iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[:cut])
    assert _text_of(tmp_path) == "2"
    assert kept.read_bytes() == whole


@pytest.mark.usefixtures("compiled")
def test_nothing_is_kept_where_python_is_to_write_no_bytecode(tmp_path, monkeypatch):
    (tmp_path / "page.html.j2").write_text("{{ 1 + 1 }}")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert _text_of(tmp_path) == "2"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html.j2"]


@pytest.mark.usefixtures("compiled")
def test_a_folder_that_cannot_be_written_to_keeps_nothing(tmp_path):
    (tmp_path / "page.html.j2").write_text("{{ 1 + 1 }}")
    (tmp_path / "__pycache__").write_text("in the way")
    assert [_text_of(tmp_path), _text_of(tmp_path)] == ["2", "2"]


def test_no_template_has_a_filter_work_on_a_constant():
    """It would be worked out as the template is compiled, and stay when the filter changes."""
    env = environment()
    for name in env.list_templates(filter_func=lambda name: name.endswith(".html.j2")):
        source, _, _ = env.loader.get_source(env, name)
        for node in env.parse(source).find_all(jinja2.nodes.Filter):
            with pytest.raises(jinja2.nodes.Impossible):
                node.as_const()
