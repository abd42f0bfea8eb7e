"""Drawings with fewer elements: nothing that is seen changes."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont

from reportgen.render import fonts, lettering
from reportgen.render.svg import flattened

SPACE = "{http://www.w3.org/2000/svg}"


def flat(body: str) -> ElementTree.Element:
    return flattened(ElementTree.fromstring(f'<svg xmlns="{SPACE[1:-1]}">{body}</svg>'))


def shapes(drawing: ElementTree.Element) -> list[tuple[str, dict[str, str]]]:
    return [(shape.tag.removeprefix(SPACE), shape.attrib) for shape in drawing]


def test_moves_of_groups_are_worked_into_the_coordinates():
    drawing = flat(
        '<g transform="translate(10,20)"><g transform="translate(0.5,-1)">'
        '<path stroke="red" transform="translate(1,1)" d="M1,2L3,4H5V6h1v1A1,1,0,1,1,7,8Z"/>'
        '<text transform="translate(-1,0)" x="2">a</text></g></g>'
    )

    assert shapes(drawing) == [
        ("path", {"stroke": "red", "d": "M12.5,22L14.5,24H16.5V26h1v1A1,1,0,1,1,18.5,28Z"}),
        ("text", {"x": "11.5", "y": "19"}),
    ]


def test_what_turns_keeps_its_own_coordinates():
    drawing = flat('<g transform="translate(1,2)"><text transform="rotate(-90)">a</text></g>')

    assert shapes(drawing) == [("text", {"transform": "translate(1,2) rotate(-90)"})]


def test_neighbours_of_one_look_become_one_path():
    line = '<line transform="translate({},0)" y2="9" stroke="{}"/>'
    drawing = flat(line.format(1, "red") + line.format(2, "red") + line.format(3, "blue"))

    assert shapes(drawing) == [
        ("path", {"stroke": "red", "d": "M1,0L1,9M2,0L2,9"}),
        ("path", {"stroke": "blue", "d": "M3,0L3,9"}),
    ]


@pytest.mark.parametrize("look", ['stroke-opacity="0.5"', 'opacity="0.5"', 'fill="red"'])
def test_what_shows_where_it_overlaps_stays_apart(look):
    assert len(flat(2 * f'<path d="M0,0L9,9" stroke="red" {look}/>')) == 2


def test_what_a_group_gives_its_members_is_kept():
    drawing = flat(
        '<g><g/></g><g fill="none" stroke="red"><path d="M0,0L1,1"/><g fill="blue"/></g>'
    )

    assert shapes(drawing) == [("path", {"fill": "none", "stroke": "red", "d": "M0,0L1,1"})]


def test_an_area_without_paint_is_left_out():
    assert len(flat('<g fill="none"><path d="M0,0h9v9h-9Z"/></g>')) == 0


def test_equal_clips_are_one_and_lie_where_they_were():
    clip = '<clipPath id="{}"><rect width="{}" height="9"/></clipPath>'
    clipped = (
        '<g transform="translate(5,0)"><g clip-path="url(#{})"><path d="M0,0L9,9" {}/></g></g>'
    )
    drawing = flat(
        f"<defs>{clip.format('a', 9)}{clip.format('b', 9)}{clip.format('c', 8)}</defs>"
        + "".join(clipped.format(name, 'stroke="red"') for name in "abc")
    )

    assert [clip.get("id") for clip in drawing[0]] == ["a", "c"]
    assert [group.attrib for group in drawing[1:]] == [
        {"transform": "translate(5,0)", "clip-path": f"url(#{name})"} for name in "ac"
    ]
    assert drawing[1][0].get("d") == "M0,0L9,9M0,0L9,9"


@pytest.mark.parametrize(("text", "is_kerned"), [("nn nn", False), ("AVATAR", True)])
def test_a_text_begins_at_its_left_by_its_kerned_width(text, is_kerned):
    body = f'<text x="50" font-size="10px" font-weight="{{}}" text-anchor="{{}}">{text}</text>'
    weights = {"400": fonts.FACES[0], "600": fonts.FACES[1]}
    for weight, face in weights.items():
        font = TTFont(fonts.FOLDER / face.file)
        names, metrics = font.getBestCmap(), font["hmtx"]
        letters = 10 * sum(metrics[names[ord(c)]][0] for c in text) / font["head"].unitsPerEm
        for anchor, share in {"start": 0, "middle": 0.5, "end": 1}.items():
            drawn = body.format(weight, anchor)
            moved = lettering.from_the_left(f'<svg xmlns="{SPACE[1:-1]}">{drawn}</svg>')
            element = ElementTree.fromstring(moved)[0]

            wide = 50 - float(element.get("x"))
            if is_kerned and share:
                assert 0.9 * share * letters < wide < 0.95 * share * letters
            else:
                assert wide == pytest.approx(share * letters, abs=1e-3)
            assert element.get("text-anchor") in {None, "start"}
