"""What the section on discrimination says of curves that lie above others."""

from __future__ import annotations

from dataclasses import replace

from reportgen.results import typed
from reportgen.sections.discrimination import dominance
from reportgen.tables import Dominance
from tests import sections_results


def test_a_curve_above_several_others_is_one_sentence():
    results = sections_results.results_of(
        {name: {"score": name} for name in ("strong", "weak", "near")}
    )
    row = results.dominance.to_dicts()[0] | {"curve": "roc", "slice": None}
    row |= {"replicates": 100.0, "verdict": "Strong lies above."}
    pairs = [(["strong", "weak"], "contains", 0.98), (["near", "strong"], "is contained", 0.95)]
    rows = [
        row | {"models": models, "relation": relation, "stability": share}
        for models, relation, share in pairs
    ]
    variant = replace(results, dominance=typed(Dominance, rows))

    assert dominance(variant) == (
        "The ROC curve of strong lies nowhere below those of weak and near (also in at least 95 of "
        "100 bootstrap samples).",
    )
    assert dominance(replace(variant, dominance=typed(Dominance, rows[:1]))) == (
        "Strong lies above (also in 98 of 100 bootstrap samples).",
    )


def test_a_relation_of_curves_that_bootstrap_samples_do_not_keep_is_no_finding():
    results = sections_results.results_of({name: {"score": name} for name in ("strong", "weak")})
    row = results.dominance.to_dicts()[0] | {"curve": "roc", "slice": None, "replicates": 100.0}
    row |= {"models": ["strong", "weak"], "relation": "contains", "verdict": "Strong lies above."}

    def said(share):
        rows = typed(Dominance, [row | {"stability": share}])
        return len(dominance(replace(results, dominance=rows)))

    assert [said(0.94), said(0.95), said(None)] == [0, 1, 1]
