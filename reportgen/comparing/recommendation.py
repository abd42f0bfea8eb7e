"""Which test to use: the one place that makes a test recommended, valid, or one to avoid.

A test is recommended where its level holds for the dependence that the columns
declare, and where it is the first choice for its measure. Every rule reads the
test's record, the evaluation and the unit that the test was made over; the
measured rates are those of ``docs/levels.md``, and ``docs/recommendation.md`` prints
what the rules say of every combination.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.comparing.approximation import rough
from reportgen.comparing.near_guessing import Classes, near_guessing
from reportgen.comparisons import TESTS, Comparison
from reportgen.comparisons.folds import OVERLAP
from reportgen.comparisons.registry import TestInfo
from reportgen.errors import SpecError
from reportgen.predictions.evaluation import OF_REPEATS, Evaluation
from reportgen.predictions.identical import are_many
from reportgen.records.rows import DataRecord
from reportgen.spec import ScoresSpec, Spec
from reportgen.spec.nearest import suggestion
from reportgen.tables.comparisons import Recommendation, Unit
from reportgen.text.words import singular

Claim = tuple[float | None, str | None]
"""What is claimed of one model, and the side on which it is refuted."""

QuestionKey = tuple[tuple[str, ...], str, str | None, Claim | None]

FIRST_CHOICE: dict[Unit, tuple[str, ...]] = {
    "rows": (
        "diebold_mariano",
        "delong_long_run",
        "mcnemar_midp",
        "delong_rare_class",
        "delong",
        "balanced_decisions",
        "declared_costs",
        "expected_cost",
        "paired_t",
        "mcnemar_groups",
        "obuchowski",
        "expected_cost_groups",
        "paired_t_groups",
        "mcnemar_weighted",
        "paired_t_weighted",
        "paired_permutation",
        "venkatraman",
        "cochran_q",
        "cochran_groups",
        "binomial",
        "rao_scott",
        "rao_scott_blocks",
        "rao_scott_weighted",
    ),
    "folds": (
        "corrected_t_repeats",
        "corrected_resampled_t",
        "corrected_one_sample_t",
        "one_sample_t",
    ),
    "repeats": ("corrected_one_sample_t", "one_sample_t"),
    "data sets": ("wilcoxon", "iman_davenport", "friedman", "one_sample_t"),
    "samples": ("fisher", "two_aucs", "welch_t", "two_samples_groups"),
}
"""The tests to be recommended where their level holds, by unit; of two of one measure the first."""

EQUAL_GROUPS = 8
"""From groups worth so many of equal size on, the t-tests of clustered rows hold their level."""

NEARLY_EQUAL = 0.8
"""Below that they hold it where the groups are worth this share of their number."""

EXACT_IN_GROUPS = frozenset({"paired_permutation", "venkatraman"})
"""Tests that exchange whole groups, and so hold their level whatever the sizes are."""

RANKS_SCORES = frozenset({"auc", "average_precision", "expected_total_cost", "ROC curve"})
"""Measures that rank the rows by their scores, which are those of one model only."""

OF_AREA = frozenset({"auc", "rank_loss"})
"""The area under the ROC curve, and 1 minus it."""

OF_MEANS = frozenset({"mean_squared_error", "mean_absolute_error"})
"""Measures of regressions that no quantile, or the median alone, minimises."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What the recommendation for every test of a report depends on, beside the test itself.

    ``timed`` says that rows have a column of time, ``rarer_class`` how many rows
    the rarer of two classes has, ``effective_groups`` how many groups of equal size
    the groups are worth, ``of_quantiles`` which models estimate a quantile, ``classes`` how
    frequent the rarest and the most frequent class are, ``identical_rows`` how many rows repeat
    another one beyond chance.
    """

    evaluation: Evaluation
    timed: bool = False
    rarer_class: int | None = None
    effective_groups: float | None = None
    of_quantiles: frozenset[str] = frozenset()
    classes: Classes | None = None
    identical_rows: int | None = None

    def count(self, unit: Unit) -> int | None:
        """How many units of a kind there are, where that is known."""
        evaluation = self.evaluation
        if unit == "data sets":
            return evaluation.datasets
        return evaluation.independent_units if unit == "rows" else evaluation.fits


def rarer_class(truth: DataRecord) -> int | None:
    """Rows of the rarer of two classes, from the facts on the truth; null of other tasks."""
    if "positives" not in truth:
        return None
    return int(min(truth["positives"], truth["negatives"]))


@dataclass(frozen=True, slots=True)
class Advice:
    """What holds of a test before the first choice of each measure is made, and why."""

    recommendation: Recommendation
    why: str | None = None


def with_recommendation(records: Sequence[Comparison], situation: Situation) -> list[Comparison]:
    """The records with recommendation and reason; at most one per measure is recommended."""
    timed = {_key(r) for r in records if _allows(r, "time") and r.undefined is None}
    advice = [_advice(record, situation, timed=_key(record) in timed) for record in records]
    first: dict[QuestionKey, tuple[int, int]] = {}
    for place, (record, entry) in enumerate(zip(records, advice, strict=True)):
        choices = FIRST_CHOICE[record.unit]
        if entry.recommendation == "recommended" and record.comparison in choices:
            candidate = (choices.index(record.comparison), place)
            first[_key(record)] = min(first.get(_key(record), candidate), candidate)
    chosen = {place for _, place in first.values()}
    return [
        _with(record, entry, first_choice=place in chosen)
        for place, (record, entry) in enumerate(zip(records, advice, strict=True))
    ]


def _with(record: Comparison, advice: Advice, *, first_choice: bool) -> Comparison:
    recommendation, why = advice.recommendation, advice.why
    if recommendation == "recommended" and not first_choice:
        recommendation, why = "valid", None
    # The reason, or that there is none, takes the place of what the test says of any folds.
    caveats = tuple(text for text in record.caveats if text != OVERLAP)
    return record.with_fields(recommendation=recommendation, why=why, caveats=caveats)


def _advice(record: Comparison, situation: Situation, *, timed: bool) -> Advice:
    """The first rule that speaks of the record; without one its level holds."""
    if record.undefined is not None:
        return Advice("avoid")
    test = TESTS[record.comparison]
    rules = _leakage(situation.evaluation)
    if record.unit == "rows":
        rules = [*rules, *_copies(situation), *_over_rows(record, test, situation, timed=timed)]
    elif record.unit == "samples":
        rules = [*rules, *_over_samples(record, test, situation)]
    elif record.unit in ("folds", "repeats"):
        rules = [*rules, *_over_folds(test, situation), *_claim_of_area(record)]
    rules = [*rules, *_few_units(record, test, situation), *_level(record)]
    evaluation = situation.evaluation
    reasons = (*rough(record, evaluation), *near_guessing(record, evaluation, situation.classes))
    rules += [Advice("valid", why) for why in reasons]
    return next(iter(rules), _in_favour(record, situation.evaluation))


def _leakage(evaluation: Evaluation) -> list[Advice]:
    """Rows or groups that the models saw in training: no test says who is better on new ones."""
    rows, groups = evaluation.trained_test_rows, evaluation.groups_on_both_sides
    if rows:
        whole = "every" if rows == evaluation.test_rows else f"{rows:,} of {evaluation.test_rows:,}"
        noun = "test row was" if whole == "every" else "test rows were"
        return [Advice("avoid", f"{whole} {noun} also trained on, so results are optimistic")]
    if groups:
        verb = "group has" if groups == 1 else "groups have"
        why = f"{groups:,} {verb} rows in both the training and the test part of a fit"
        return [Advice("avoid", f"{why}, so results are optimistic")]
    return []


def _copies(situation: Situation) -> Iterator[Advice]:
    """Many rows that repeat another one, as where a row was exported twice."""
    copies, rows = situation.identical_rows, situation.evaluation.test_rows
    if are_many(copies, rows):
        why = f"the test treats {copies:,} of {rows:,} rows, which repeat another one, as new"
        yield Advice("avoid", why)


RETURNING = "the test applies to these fits only: the rows of an example are treated as one group"


def _over_rows(
    record: Comparison, test: TestInfo, situation: Situation, *, timed: bool
) -> Iterator[Advice]:
    evaluation = situation.evaluation
    if record.metric in OF_MEANS and situation.of_quantiles.intersection(record.models):
        yield Advice("valid", "the estimates are quantiles, which the pinball loss rates")
    if evaluation.scheme == "data_sets":
        why = "the test generalises to further rows of these data sets, not to further data sets"
        yield Advice("avoid", why)
    if evaluation.rows_return and "repeats" in test.allows:
        yield Advice("valid", RETURNING)
    elif evaluation.rows_return:
        times = (evaluation.test_rows or 0) / (evaluation.test_examples or 1)
        why = f"the test treats the {times:.3g} predictions of each row as independent rows"
        yield Advice("avoid", why)
    if evaluation.rows_return is None and evaluation.repeats > 1:
        why = (
            "the test treats rows as independent, though without ids they may recur in the repeats"
        )
        yield Advice("avoid", why)
    if evaluation.grouped and "groups" not in test.allows:
        yield Advice("avoid", _grouped(evaluation))
    elif record.comparison not in EXACT_IN_GROUPS:
        yield from _unequal_groups(situation)
    if situation.timed and "time" not in test.allows:
        why = "the test treats rows in time order as independent"
        yield Advice("avoid" if timed else "valid", why)
    if evaluation.pooled_fits:
        yield from _pooled(record, evaluation)


def _grouped(evaluation: Evaluation) -> str:
    each = (evaluation.test_rows or 0) / (evaluation.groups or 1)
    return (
        f"the test treats the rows of a group as independent ({evaluation.groups:,} groups of "
        f"{each:.3g} rows), so it rejects too often"
    )


def _unequal_groups(situation: Situation) -> Iterator[Advice]:
    """Few groups of unequal size: the t distribution is too narrow for their sums."""
    worth, groups = situation.effective_groups, situation.evaluation.groups
    if worth is not None and groups and worth < min(EQUAL_GROUPS, NEARLY_EQUAL * groups):
        yield Advice(
            "valid",
            f"the {groups:,} groups are worth {worth:.2g} of equal size, and the test holds its "
            f"level from {EQUAL_GROUPS} on (in simulations of fewer it rejected 6 to 14 % of true "
            "null hypotheses)",
        )


def _pooled(record: Comparison, evaluation: Evaluation) -> Iterator[Advice]:
    """The rows of several fits as those of one model."""
    if record.metric in RANKS_SCORES:
        if evaluation.scheme == "leave_one_out":
            yield Advice(
                "avoid",
                "the test ranks scores of as many separately fitted models as there are rows (in "
                "simulations it rejected 38 to 100 % of true null hypotheses), and a single row "
                "has no AUC of its own",
            )
        yield Advice(
            "valid",
            "the test ranks scores of separately fitted models against each other (in "
            "simulations it rejected up to 20 % of true null hypotheses)",
        )
    if evaluation.scheme == "leave_one_out":
        yield Advice(
            "valid",
            "the test ignores that leave-one-out predictions are biased away from the truth of "
            "their row (in simulations of classifiers without signal it rejected 11 to 28 % of "
            "true null hypotheses, with a clear signal 5 %)",
        )
    yield Advice(
        "valid",
        "the test treats the fits of all folds as one model (in simulations of trees, and of "
        "learners without signal, it rejected 9 to 17 % of true null hypotheses)",
    )


def _over_samples(record: Comparison, test: TestInfo, situation: Situation) -> Iterator[Advice]:
    if not record.apart:
        yield Advice("valid", "nothing shows that the models were evaluated on different examples")
    yield from _over_rows(record, test, situation, timed=False)


def _over_folds(test: TestInfo, situation: Situation) -> Iterator[Advice]:
    evaluation = situation.evaluation
    if situation.timed and evaluation.scheme != "time_ordered":
        why = "rows are in time order, and the folds mix past and future"
        if evaluation.time_blocks:
            why = "the folds are blocks of time, and all but the last are trained on later rows"
        yield Advice("valid", why)
    if evaluation.scheme == "same_rows":
        yield Advice(
            "avoid", "the repeats share their test rows, so they show variation from training only"
        )
    if "overlap" not in test.allows:
        if evaluation.training_overlap == "unknown":
            why = (
                "the test treats folds as independent, and whether training sets overlap is unknown"
            )
            yield Advice("valid", why)
        if evaluation.training_overlap == "known":
            share = f" ({100 * (evaluation.overlap or 0):.0f} % on average)"
            yield Advice(
                "avoid",
                f"the test treats folds as independent, but the training sets overlap{share}, so "
                "it rejects too often",
            )
    elif evaluation.scheme == "leave_one_out":
        yield Advice("valid", "each fold is a single row")
    elif evaluation.scheme in OF_REPEATS and test.name == "corrected_resampled_t":
        yield Advice(
            "valid",
            "the test counts repeats as further folds (in simulations of nearest neighbours it "
            "rejected 8 to 16 % of true null hypotheses)",
        )
    elif evaluation.scheme not in IN_FAVOUR and evaluation.training_overlap != "zero":
        yield Advice("valid", "the test corrects for the overlap of random splits only")


def _claim_of_area(record: Comparison) -> Iterator[Advice]:
    """A mean AUC over folds is skewed where it is near 1."""
    if record.comparison == "corrected_one_sample_t" and record.metric in OF_AREA:
        why = "the test rejected up to 21 % of true claims of an AUC near 1 in simulations"
        yield Advice("valid", why)


def _few_units(record: Comparison, test: TestInfo, situation: Situation) -> Iterator[Advice]:
    count = record.observations or situation.count(record.unit)
    rarer = situation.rarer_class
    if rarer is not None and rarer < test.needs.least_of_class:
        rows = "row" if rarer == 1 else "rows"
        least = test.needs.least_of_class
        why = (
            f"the rarer class has {rarer} {rows}, and the test holds its level only from {least} on"
        )
        yield Advice("valid", why)
    if record.unit != "samples" and count is not None and count < test.needs.least:
        unit = "points of time" if "time" in test.allows else _unit(record, situation)
        noun = unit if count > 1 else singular(unit)
        verb = "are" if count > 1 else "is"
        least = test.needs.least
        why = f"there {verb} only {count:,} {noun}, and the test needs at least {least:,}"
        yield Advice("valid", why)


def _unit(record: Comparison, situation: Situation) -> str:
    """What the units of a test are: of rows, what is independent of each other."""
    if record.unit != "rows" or record.observations:
        return record.unit
    return situation.evaluation.independent_unit


def _level(record: Comparison) -> Iterator[Advice]:
    """A form whose level does not hold, whatever the data."""
    if record.comparison in TOO_LIBERAL:
        yield Advice("valid", TOO_LIBERAL[record.comparison])


_FIVE_BY_TWO = (
    "the test ignores that all ten differences share one data set (in simulations without signal "
    "it rejected {} % of true null hypotheses)"
)

_OF_COSTS = (
    "the test ignores costly errors that happen not to occur in these rows (in simulations in "
    "which they are rare it rejected up to {} % of true null hypotheses)"
)

TOO_LIBERAL = {
    "paired_cost": _OF_COSTS.format(75),
    "paired_cost_groups": _OF_COSTS.format(16),
    "paired_cost_weighted": _OF_COSTS.format(29),
    "mcnemar_uncorrected": "the test may reject slightly more true null hypotheses than α",
    "diebold_mariano_lags": "the test allows for a fixed number of lags (in simulations it "
    "rejected 8 to 17 % of true null hypotheses at an autocorrelation of 0.5, and 12 to "
    "36 % at 0.8)",
    "five_by_two_t": _FIVE_BY_TWO.format("11 to 16"),
    "five_by_two_t_averaged": _FIVE_BY_TWO.format("6 to 13"),
    "five_by_two_f": _FIVE_BY_TWO.format("17 to 19"),
}
"""Forms that are beside others because they are known, with the measured reason against them."""

IN_FAVOUR = {
    "repeated_hold_out": "the test generalises to retrained models, corrects for overlapping "
    "training sets and counts repeats as one",
    "repeated_k_fold": "the test generalises to retrained models, corrects for overlapping "
    "training sets and counts repeats as one",
    "k_fold": "the test generalises to retrained models and corrects for overlapping training "
    "sets; on a single k-fold it is conservative (in simulations of classifiers of 200 rows it "
    "rejected 1 % of true null hypotheses and had a power of 0.11, where McNemar's test on the "
    "pooled rows has 0.38): a test set has more power",
    "five_by_two": "the test corrects for overlapping training sets, counts repeats as one, and "
    "held its level in simulations in which the tests of 5 × 2 folds rejected too often",
    "bootstrap": "the test corrects for overlapping training sets and counts repeats as one; the "
    "correction was derived for sampling without replacement and is approximate here",
}
"""Why the corrected t-tests are recommended, by scheme."""


def _in_favour(record: Comparison, evaluation: Evaluation) -> Advice:
    """The level holds: the reason where it needs saying."""
    if record.unit in ("folds", "repeats"):
        return Advice("recommended", IN_FAVOUR.get(evaluation.scheme))
    if record.unit == "samples":
        return Advice("recommended", "the models were evaluated on different examples")
    reasons = {
        "wilcoxon": "data sets are independent, and their differences may vary in size",
        "iman_davenport": "the test compares all models at once, before pairs are compared",
        "diebold_mariano": "the test allows for autocorrelated losses of rows in time order",
        "delong_long_run": "the test allows for autocorrelated scores of rows in time order",
    }
    return Advice("recommended", reasons.get(record.comparison))


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
    of_test = {_key(record) for record in records if record.comparison == name}
    if not of_test or not TESTS[name].decides:
        test_names = dict.fromkeys(r.comparison for r in records if TESTS[r.comparison].decides)
        message = f"the test {name!r} cannot decide on these data"
        hint = suggestion(name, [*test_names]) or f"tests of these data: {', '.join(test_names)}"
        raise SpecError(spec.problem(("comparisons", "test"), "unknown-test", message, hint, name))
    return [_replaced(record, name) if _key(record) in of_test else record for record in records]


def _replaced(record: Comparison, name: str) -> Comparison:
    if record.undefined is not None:
        return record
    if record.comparison != name:
        if record.recommendation != "recommended":
            return record
        why = "recommended here, but the spec chose another test"
        return record.with_fields(recommendation="valid", why=why)
    against = f"; advised against: {record.why}" if record.recommendation == "avoid" else ""
    return record.with_fields(recommendation="recommended", why=f"chosen in the spec{against}")


def _allows(record: Comparison, dependence: str) -> bool:
    return dependence in TESTS[record.comparison].allows


def _key(record: Comparison) -> QuestionKey:
    claim = (record.against, record.side) if len(record.models) == 1 else None
    return record.models, record.metric, record.slice, claim
