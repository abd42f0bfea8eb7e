"""The author's own words."""

from __future__ import annotations

import pytest

from reportgen.sections.text import from_markdown, html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick=x>b</b>",
        "`<i>`",
        "```\n<i>\n```",
    ],
)
def test_html_in_the_text_stays_text(text):
    assert not any(tag in html(text) for tag in ("<script", "<img", "<b ", "<i>"))


@pytest.mark.parametrize("scheme", ["javascript", "data", "file", "vbscript", "JaVaScRiPt", "ftp"])
def test_a_link_leads_nowhere_but_to_the_web_and_to_mail(scheme):
    assert "href" not in html(f"[x]({scheme}:payload) <{scheme}:payload>")


@pytest.mark.parametrize("target", ["https://example.org", "http://example.org", "mailto:a@b.org"])
def test_a_link_to_the_web_or_to_mail_is_kept(target):
    assert f'href="{target}"' in html(f"[x]({target})")


def test_a_relative_link_stays_text():
    assert "href" not in html("[x](../../secret)")


def test_an_image_is_never_fetched():
    assert "<img" not in html("![x](https://example.org/a.png)")


def test_headings_stand_below_that_of_the_section():
    assert "<h3>a</h3>" in html("# a")
    assert "<h5>a</h5>" in html("#### a")


def test_control_characters_become_visible():
    assert html("a\x00\x07b").count("□") + html("a\x00\x07b").count("\ufffd") == 2


def test_the_title_is_the_file_name_without_one():
    assert from_markdown(2, "docs/my_notes.md", None, "x").title == "My notes"


def test_a_missing_text_is_said_to_be_missing():
    part = from_markdown(2, "<notes>.md", "Notes", None)

    assert part.body == "<p>The text of &lt;notes&gt;.md is not available.</p>"
