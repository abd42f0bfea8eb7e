"""What WeasyPrint reads, of its own classes: a page as a tree, the report's files, metadata."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cache
from typing import Any
from xml.etree.ElementTree import Element

from cssselect2 import ElementWrapper
from weasyprint import CSS, HTML
from weasyprint.pdf.metadata import DocumentMetadata
from weasyprint.urls import URLFetcher, URLFetcherResponse

from reportgen.resources import TEMPLATES


class PageTree(HTML):
    """A page given as a tree, which takes a fiftieth of parsing it as HTML.

    Where it has no style sheet but ours, fewer styles are worked out.
    """

    def __init__(self, root: Element, fetcher: URLFetcher) -> None:
        super().__init__(string="<html>", base_url="report:/", url_fetcher=fetcher)
        self.is_styled_by_us = is_styled_by_us(root)
        if self.is_styled_by_us:
            move_ids_down(root)
        self.wrapper_element = ElementWrapper.from_html_root(root)
        self.etree_element = root

    def _ua_stylesheets(self, forms: bool = False) -> list[CSS]:
        sheets = super()._ua_stylesheets(forms)
        return [user_agent_sheet(), *sheets[1:]] if self.is_styled_by_us else sheets


class ClosedFetcher(URLFetcher):
    """Hands out what the report holds and data URLs, and refuses all else.

    Args:
        served: body and media type of each file of the report, by its URL.
    """

    def __init__(self, served: Mapping[str, tuple[bytes, str]]) -> None:
        super().__init__(allowed_protocols={"data"}, allow_redirects=False, fail_on_errors=True)
        self.served = served

    def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> URLFetcherResponse:
        """Return what stands behind an address; ValueError where it is outside the report."""
        if url.startswith("data:"):
            return super().fetch(url, headers)
        if url not in self.served:
            raise ValueError(f"{url} is not part of the report")
        body, kind = self.served[url]
        return URLFetcherResponse(url, body, {"Content-Type": kind})


class AccessibleMetadata(DocumentMetadata):
    """Metadata that claim PDF/UA-1 beside PDF/A; the writer can claim only one of them."""

    def generate_rdf_metadata(
        self, variant: str, version: int | None, conformance: str | None
    ) -> bytes:
        """Return the metadata as the writer makes them, with the claim at their end."""
        plain = super().generate_rdf_metadata(variant, version, conformance)
        claim = (TEMPLATES / "accessible.xmp").read_bytes()
        return plain.replace(b"</rdf:RDF>", claim + b"</rdf:RDF>")


_NOTES = frozenset({"footnote-call", "footnote-marker"})
_LISTS = ("li", "summary")
_UNUSED = frozenset({"note-call", "note-marker", "note-callback"})

FOOTNOTE = "footnote"
"""The class of what our style sheet sets as a footnote."""


def is_styled_by_us(root: Element) -> bool:
    """Whether a page has no style sheet but ours."""
    return sum(1 for _ in root.iter("style")) <= 1


@cache
def user_agent_sheet() -> Any:
    """Return the PDF writer's own style sheet, with pseudo-elements only where ours has them.

    Its rules for markers and notes hold for all elements; markers are those of lists, and notes
    are of the class ``footnote``.
    """
    from weasyprint import html

    sheet = copy.copy(html.UA_STYLESHEET)
    sheet.matcher = matcher = copy.copy(sheet.matcher)
    matcher.class_selectors = {**matcher.class_selectors}
    matcher.lower_local_name_selectors = {**matcher.lower_local_name_selectors}
    matcher.other_selectors = []
    for rule in html.UA_STYLESHEET.matcher.other_selectors:
        pseudo_element = rule[3]
        if pseudo_element in _NOTES:
            _append(matcher.class_selectors, FOOTNOTE, rule)
        elif pseudo_element == "marker":
            for name in _LISTS:
                _append(matcher.lower_local_name_selectors, name, rule)
        elif pseudo_element not in _UNUSED:
            matcher.other_selectors.append(rule)
    return sheet


def _append(rules: dict[str, list[Any]], key: str, rule: Any) -> None:
    rules[key] = [*rules.get(key, ()), rule]


def move_ids_down(root: Element) -> None:
    """Give the id of an element to the first one in it that holds nothing but text.

    >>> from xml.etree.ElementTree import fromstring, tostring
    >>> root = fromstring('<div id="a"><p>x <b>y</b></p><p>z</p></div>')
    >>> move_ids_down(root)
    >>> tostring(root, encoding="unicode")
    '<div><p>x <b id="a">y</b></p><p>z</p></div>'
    """
    for element in root.iter():
        if "id" not in element.attrib or not len(element):
            continue
        leaf = next((e for e in element.iter() if _can_have_id(e)), None)
        if leaf is not None:
            leaf.set("id", element.attrib.pop("id"))


def _can_have_id(element: Element) -> bool:
    """Whether an element shows a text of its own, and has no id yet."""
    text = (element.text or "").strip()
    return not len(element) and bool(text) and "id" not in element.attrib
