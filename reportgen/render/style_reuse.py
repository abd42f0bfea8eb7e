"""Fewer styles for the PDF writer to work out, of pages that look the same.

It makes a style for each pseudo-element that a rule may give an element, and shares styles
between elements only where nothing above them differs, an ``id`` among it.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import Any
from xml.etree.ElementTree import Element

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
