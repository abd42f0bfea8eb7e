"""Every test of one evaluation: made, advised on, corrected, and put into a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pandera.typing.polars import DataFrame
from scipy.special import ndtri, stdtrit

from reportgen.comparing.fold_tests import compared_folds
from reportgen.comparing.recommendation import (
    Situation,
    as_chosen,
    question_key,
    with_recommendation,
)
from reportgen.comparing.too_few_units import least_adjusted
from reportgen.comparing.unseen_errors import no_surer_than_rows
from reportgen.comparisons import TESTS, Comparison, adjust, table
from reportgen.comparisons.simultaneous import OF_T
from reportgen.errors import SpecError
from reportgen.measuring.context import TestSettings
from reportgen.spec import ScoresSpec, Spec
from reportgen.spec.nearest import suggestion
from reportgen.tables import Comparisons, FoldMetrics

IN_PANEL, OF_GROUPS = "diebold_mariano_groups", ("paired_t_groups", "mcnemar_groups")
"""The test of losses of rows in groups over time, and those that leave the order of time out."""

POWER = 0.8
"""How often the smallest detectable difference would be detected."""


def significance_tests(
    spec: Spec,
    situation: Situation,
    settings: TestSettings,
    rows: Sequence[Comparison],
    parts: DataFrame[FoldMetrics],
    claims: Sequence[Comparison],
    others: Sequence[Comparison],
) -> DataFrame[Comparisons]:
    """Tests over rows, over folds and of claims: recommended or not, corrected, in a sentence.

    ``others`` are tests of pairs that have rows, and recommendations, of their own.

    Raises:
        SpecError: the spec chooses a test that was not made.
    """
    rows = [row for row in rows if not _of_unlike_quantiles(row.models, situation.of_quantiles)]
    rows = _without_copies(rows, spec.comparisons.test)
    over_folds = compared_folds(parts, situation.evaluation, settings, spec)
    folds = [*no_surer_than_rows(over_folds, rows)]
    least = least_adjusted(folds, settings.correction, spec.baseline)
    situation = replace(situation, least_adjusted=least)
    records = chosen([*with_recommendation([*rows, *folds], situation), *others], spec)
    records += with_recommendation(claims, situation)
    adjusted = adjust(records, settings.correction, spec.baseline)
    return table(_with_detectable(record) for record in adjusted)


def _of_unlike_quantiles(models: Sequence[str], quantiles: Mapping[str, float]) -> bool:
    """Whether models estimate different quantiles, whose errors say nothing of each other."""
    return len({quantiles[name] for name in models if name in quantiles}) > 1


def _without_copies(records: Sequence[Comparison], chosen_test: str | None) -> list[Comparison]:
    """The records without the test of groups where time adds nothing to it: it has the same p."""
    in_time = {question_key(r): r.p_value for r in records if r.comparison == IN_PANEL}
    return [
        record
        for record in records
        if record.comparison not in OF_GROUPS
        or record.comparison == chosen_test
        or not _same(record.p_value, in_time.get(question_key(record)))
    ]


def _same(first: float | None, second: float | None) -> bool:
    return first is not None and second is not None and math.isclose(first, second, rel_tol=1e-9)


def chosen(records: Sequence[Comparison], spec: Spec | ScoresSpec) -> list[Comparison]:
    """The records that the spec asks for, its own test in place of the recommended one.

    That takes the place wherever it was made; a test to avoid keeps the reason
    against it. Non-inferiority is asked of the declared baseline alone: without one, it is part
    of equivalence.

    Raises:
        SpecError: the test was not made of these data, or it rejects nothing.
    """
    records = [
        record
        for record in records
        if record.shows != "non_inferiority" or record.models[1] == spec.baseline
    ]
    name = spec.comparisons.test
    if name is None or not records:
        return records
    of_test = {question_key(record) for record in records if record.comparison == name}
    if not of_test or not TESTS[name].decides:
        test_names = dict.fromkeys(r.comparison for r in records if TESTS[r.comparison].decides)
        message = f"the test {name!r} cannot decide on these data"
        hint = suggestion(name, [*test_names]) or f"tests of these data: {', '.join(test_names)}"
        raise SpecError(spec.problem(("comparisons", "test"), "unknown-test", message, hint, name))
    return [
        as_chosen(record, name) if question_key(record) in of_test else record for record in records
    ]


def _with_detectable(record: Comparison) -> Comparison:
    """The difference that this test would detect with power 0.8, from the width of its interval.

    (q(1 − α/2m) + q(0.8)) standard errors, with m tests in its family, q of t where
    the interval is of t, else of the normal distribution. Cohen (1988), *Statistical Power
    Analysis*, 2nd edition, 2.4.
    """
    if record.recommendation == "avoid" or record.low is None or record.high is None:
        return record

    def quantile(share: float) -> float:
        if record.interval in OF_T and record.df:
            return float(stdtrit(record.df, share))
        return float(ndtri(share))

    error = (record.high - record.low) / 2 / quantile((1 + record.confidence) / 2)
    difference = error * (
        quantile(1 - record.alpha / 2 / (record.family_size or 1)) + quantile(POWER)
    )
    return replace(record, detectable=difference if difference > 0 else None)
