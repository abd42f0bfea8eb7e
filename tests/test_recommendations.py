"""Which test is recommended for every evaluation, dependence and measure, from one module."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from reportgen.comparing.first_choices import FIRST_CHOICE
from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparisons import TESTS, Question
from reportgen.predictions.evaluation_scheme import Evaluation

TOOL = runpy.run_path(str(Path(__file__).parents[1] / "tools/recommendations.py"))
COMBINATIONS = list(
    product(TOOL["SCHEMES"], TOOL["DECLARED"], TOOL["MEASURES"], (("a", "b"), ("a", "b", "c")))
)


def situation(scheme: str, declared: str) -> Situation:
    evaluation = replace(TOOL["SCHEMES"][scheme], **TOOL["DECLARED"][declared])
    declaring: Callable[[Evaluation, str], Situation] = TOOL["declaring"]
    return declaring(evaluation, declared)


def test_the_page_is_what_the_rules_say():
    """Who changes a rule reads the whole table again."""
    assert TOOL["PAGE"].read_text(encoding="utf-8") == TOOL["rendered"](), "run: make schemas"


@pytest.mark.parametrize("scheme", TOOL["SCHEMES"])
def test_at_most_one_test_is_recommended_and_only_for_what_it_allows(scheme):
    for _, declared, measure, models in (c for c in COMBINATIONS if c[0] == scheme):
        at, case = situation(scheme, declared), (declared, measure, models)
        records = TOOL["decided"](models, measure, at)
        chosen = [record for record in records if record.recommendation == "recommended"]

        assert len(chosen) <= 1, case
        assert all(r.why for r in records if r.recommendation == "avoid"), case
        if declared in TOOL["LEAKAGE"]:
            assert {record.recommendation for record in records} <= {"avoid"}, case
        if declared == TOOL["CHOSEN"]:
            at_threshold = measure in ("accuracy", "cost_sensitive_error_rate", "f1")
            assert not (chosen and at_threshold), case
            assert at_threshold or not any("thresholds" in (r.why or "") for r in records), case
        for record in chosen:
            test = TESTS[record.comparison]
            if record.unit == "rows":
                assert at.evaluation.groups is None or "groups" in test.allows, case
                assert not at.timed or "time" in test.allows, case
                assert not at.evaluation.rows_return, case
                assert not at.evaluation.pooled_fits, case
            if record.unit == "folds":
                assert "overlap" in test.allows, case


def test_a_reason_that_speaks_of_a_test_can_take_its_name():
    """“It” is the test: it comes first, or after “the test”, where the name goes."""
    reasons = {
        record.why or ""
        for scheme, declared, measure, models in COMBINATIONS
        for record in TOOL["decided"](models, measure, situation(scheme, declared))
    }
    unnamed = [
        why
        for why in reasons
        if re.search(r"\bits?\b", why.partition("the test")[0]) and not why.startswith("it ")
    ]

    assert unnamed == []
    assert not any(why.startswith("it is unknown") for why in reasons)


def test_scores_pooled_over_fits_are_never_ranked_as_those_of_one_model():
    for scheme, measure in product(TOOL["SCHEMES"], ("auc", "expected_total_cost")):
        at = situation(scheme, "nothing")
        rows = [r for r in TOOL["decided"](("a", "b"), measure, at) if r.unit == "rows"]
        if at.evaluation.pooled_fits:
            assert "recommended" not in {record.recommendation for record in rows}


def test_with_few_units_the_number_that_is_needed_is_named():
    at = situation("3 data sets", "nothing")
    several = TOOL["decided"](("a", "b", "c"), "accuracy", at)
    least = next(record for record in several if record.comparison == "iman_davenport")

    assert least.recommendation == "valid"
    assert (
        least.why == "there are only 3 data sets, and the test needs at least "
        f"{TESTS['iman_davenport'].needs.least}"
    )


def test_overlap_that_is_not_known_is_said_to_be_unknown():
    at = situation("Folds of unknown origin", "nothing")
    records = TOOL["decided"](("a", "b"), "accuracy", at)
    naive = next(record for record in records if record.comparison == "paired_t_folds")

    assert naive.recommendation == "valid"
    assert "whether training sets overlap is unknown" in naive.why
    assert "too often" not in naive.why


def test_of_two_tests_of_a_measure_the_first_choice_is_recommended():
    at = situation("One test set", "nothing")
    forms = [name for name in TESTS if name.startswith("mcnemar") and "rows" in TESTS[name].units]
    records = [
        Question(("a", "b"), "accuracy").record(name, p_value=0.5, estimate=0.1) for name in forms
    ]
    recommended = [
        r.comparison for r in with_recommendation(records, at) if r.recommendation == "recommended"
    ]

    assert recommended == ["mcnemar_midp"]


def test_no_other_module_decides_the_recommendation_of_a_test():
    package = Path(__file__).parents[1] / "reportgen"
    deciding = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(
            r"(replace|record|with_fields)\([^)]*\brecommendation=",
            path.read_text(encoding="utf-8"),
        )
    ]

    assert deciding == ["comparing/recommendation.py"]
    assert {name for names in FIRST_CHOICE.values() for name in names} <= TESTS.keys()
