"""What keeps reports short: sentences told once, listings in columns."""

from __future__ import annotations

from dataclasses import replace

from reportgen.render import environment
from reportgen.results import typed
from reportgen.sections.discrimination import dominance
from reportgen.tables import Dominance
from tests import sections_results


def test_curves_above_the_same_others_are_one_sentence():
    spec = {name: {"score": name} for name in ("strong", "weak", "near")}
    results = sections_results.results_of(spec)
    row = results.dominance.to_dicts()[0] | {"curve": "roc", "slice": None, "stability": None}
    pairs = [(["strong", "weak"], "contains"), (["weak", "near"], "is contained")]
    rows = [row | {"models": models, "relation": relation} for models, relation in pairs]

    assert dominance(replace(results, dominance=typed(Dominance, rows))) == (
        "The ROC curves of strong and near lie nowhere below that of weak.",
    )


def test_a_long_spec_of_mostly_short_lines_stands_in_two_columns_of_the_pdf():
    listing = environment().from_string(
        '{% from "macros.html.j2" import listing %}{{ listing(text, "yaml") }}'
    )

    assert 'class="listing narrow"' in listing.render(text="short: 1\n" * 9)
    assert 'class="listing"' in listing.render(text="short: 1\n" * 8)
    assert 'class="listing narrow"' in listing.render(text="short: 1\n" * 8 + "x" * 57 + "\n")
    assert 'class="listing"' in listing.render(text="short: 1\n" * 8 + ("x" * 57 + "\n") * 2)
