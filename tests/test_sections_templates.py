"""Dataclasses and templates declare the same names."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from jinja2 import Environment, meta, nodes

from reportgen.resources import TEMPLATES
from reportgen.sections import declared
from reportgen.sections.registry import published
from reportgen.sections.summary import Summary
from reportgen.sections.text import MarkdownSection
from reportgen.spec.section_choice import PUBLISHED

SECTION_CLASSES = [
    *dict.fromkeys([*declared().values(), *declared("scores").values(), MarkdownSection])
]
OF_THE_PAGE = {"id", "title"}


def used(template: str, name: str) -> set[str]:
    """Fields of the variable ``name`` that a template reads."""
    tree = _parsed(template)
    return {
        node.attr
        for node in tree.find_all(nodes.Getattr)
        if isinstance(node.node, nodes.Name) and node.node.name == name
    }


def _parsed(template: str) -> nodes.Template:
    return Environment(autoescape=True).parse((TEMPLATES / template).read_text(encoding="utf-8"))


@pytest.mark.parametrize("section", SECTION_CLASSES, ids=lambda cls: cls.__name__)
def test_a_template_reads_just_what_its_section_declares(section: Any):
    names = {field.name for field in fields(section)} - OF_THE_PAGE

    assert used(section.template, "section") == names


@pytest.mark.parametrize("section", SECTION_CLASSES, ids=lambda cls: cls.__name__)
def test_a_template_reads_nothing_but_its_section_and_the_page(section: Any):
    names = meta.find_undeclared_variables(_parsed(section.template))

    assert names <= {"section", "figures"}


def test_the_summary_reads_just_what_it_declares():
    assert used(Summary.template, "summary") == {field.name for field in fields(Summary)}


@pytest.mark.parametrize("section", SECTION_CLASSES, ids=lambda cls: cls.__name__)
def test_a_template_begins_with_what_it_reads(section: Any):
    text = (TEMPLATES / section.template).read_text(encoding="utf-8")
    names = {field.name for field in fields(section)} - OF_THE_PAGE
    inputs = text[text.index("Reads:") : text.index("-#}")]

    assert text.startswith("{#-")
    assert names == set(inputs.removeprefix("Reads:").strip(" .\n").split(", "))


def test_every_template_is_of_a_section():
    """A template that nothing uses is dead weight."""
    files = {f"sections/{path.name}" for path in (TEMPLATES / "sections").glob("*.html.j2")}
    shared = {"sections/_macros.html.j2"}

    assert files - shared == {section.template for section in SECTION_CLASSES}


def test_the_published_sections_are_those_of_the_code():
    """Else ``make schemas`` writes them again."""
    assert PUBLISHED.read_text(encoding="utf-8") == published()
