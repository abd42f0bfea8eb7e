"""Which test to use: the one place that makes a test recommended, valid, or one to avoid.

A test is recommended where its level holds for the dependence that the columns declare, and where
it is the first choice for its measure. Every rule reads the test's record, the evaluation and the
unit that the test was made over; the measured rates are those of ``docs/levels.md``, and
``docs/recommendations.md`` prints what the rules say of every combination.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from reportgen.comparing.approximation import rough
from reportgen.comparing.equal_values import against_ranks
from reportgen.comparing.exchanged_outputs import (
    PredictedPositives,
    against_exchange,
    against_few_counts,
    against_few_outside,
    against_few_points,
    against_noise,
)
from reportgen.comparing.favoured_median import FavouredMedians, against_absolute_errors
from reportgen.comparing.few_unlike import FewUnits, against_few_of_several, against_few_unlike
from reportgen.comparing.first_choices import (
    FIRST_CHOICE,
    IN_FAVOUR,
    OF_AREA,
    TOO_LIBERAL,
)
from reportgen.comparing.heavy_errors import outlies_the_unseen
from reportgen.comparing.leaked_rows import leakage, of_leakage
from reportgen.comparing.near_guessing import Classes, near_guessing
from reportgen.comparing.skewed_values import against_skewed
from reportgen.comparing.stated_share import against_shares
from reportgen.comparing.tails_over_folds import (
    PairTested,
    against_tails,
    shown_by_rows,
)
from reportgen.comparing.too_few_units import PairTest, too_few_units
from reportgen.comparing.unfit_thresholds import against_decisions
from reportgen.comparing.unpaired import against_shared
from reportgen.comparing.unseen_costs import UnseenCost, against_unseen
from reportgen.comparing.unseen_errors import unseen_rows, unseen_sizes
from reportgen.comparisons import TESTS, Comparison
from reportgen.comparisons.folds import OVERLAP
from reportgen.comparisons.registry import TestInfo
from reportgen.leverage import groups_needed
from reportgen.metric_names import MEAN_ERRORS
from reportgen.metrics import METRICS, follows_prevalence, measure_tested_as, needs_threshold
from reportgen.predictions.evaluation_scheme import OF_REPEATS, Evaluation
from reportgen.predictions.identical import are_many
from reportgen.tables.comparisons import ComparisonRow, Doubt, Recommendation

QuestionKey = tuple[tuple[str, ...], str, str | None, tuple[float | None, str | None] | None]
"""Models, measure, slice, and what is claimed of one model with the side that refutes it."""

CHOSEN_HERE = "thresholds were chosen on the evaluation data"

OF_THESE_FITS = (
    "the test applies to these fits only: the rows of an example are treated as one group"
)


@dataclass(frozen=True, slots=True)
class Situation:
    """What the recommendation for every test of a report depends on, beside the test itself.

    ``timed`` says that rows have a column of time, ``rarer_class`` how many rows the rarer of two
    classes has, ``effective_groups`` how many groups of equal size the groups are worth, of
    ``weighted`` rows of equal weight, ``of_quantiles`` which quantile models estimate,
    ``outside`` what share of the rows prediction intervals should leave out,
    ``classes`` how frequent the rarest and the most frequent class are, ``identical_rows`` how
    many rows repeat another one beyond chance, ``chosen_thresholds`` which models decide by a
    threshold that these rows chose, ``least_adjusted`` the least adjusted p of a test of a
    pair, ``favoured_medians`` whether absolute errors favour a model as it estimates the median,
    ``equal_values`` in what share of the data sets two models have the same value at most,
    ``unfit_thresholds`` what models do at a threshold that does not suit their scores, ``fitted``
    which models look fitted on these rows, ``positives`` how many each predicts positive,
    ``total`` what the true values of a number add up to, ``unlike`` in how few units pairs differ,
    ``shares`` that of positives in these rows and another one that the spec states,
    ``unseen_cost`` what a declared class without rows may cost, ``row_errors`` the tests of pooled
    rows that show the tails of two models' errors.
    """

    evaluation: Evaluation
    timed: bool = False
    rarer_class: int | None = None
    effective_groups: float | None = None
    weighted: bool = False
    of_quantiles: Mapping[str, float] = field(default_factory=dict)
    outside: float | None = None
    classes: Classes | None = None
    identical_rows: int | None = None
    chosen_thresholds: frozenset[str] = frozenset()
    least_adjusted: Mapping[PairTest, float] = field(default_factory=dict)
    favoured_medians: FavouredMedians | None = None
    absolute_errors: Mapping[str, float] = field(default_factory=dict)
    squared_errors: Mapping[str, float] = field(default_factory=dict)
    equal_values: float = 0.0
    unfit_thresholds: Mapping[str, str] = field(default_factory=dict)
    fitted: frozenset[str] = frozenset()
    scores: Mapping[str, float] = field(default_factory=dict)
    positives: PredictedPositives = field(default_factory=dict)
    total: float | None = None
    unlike: Mapping[frozenset[str], FewUnits] = field(default_factory=dict)
    shares: tuple[float, float] | None = None
    unseen_cost: UnseenCost | None = None
    row_errors: Mapping[PairTested, Comparison] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Advice:
    """What holds of a test before the first choice of each measure, why, and what that is about."""

    recommendation: Recommendation
    why: str | None = None
    doubt: Doubt = "level"


avoid, valid = partial(Advice, "avoid"), partial(Advice, "valid")
of_measure, of_units = partial(valid, doubt="measure"), partial(valid, doubt="units")


def with_recommendation(records: Sequence[Comparison], situation: Situation) -> list[Comparison]:
    """The records with recommendation and reason; at most one per measure is recommended."""
    situation = replace(situation, row_errors=shown_by_rows(records))
    advice = [_advice(record, situation) for record in records]
    first: dict[QuestionKey, tuple[int, int]] = {}
    for place, (record, entry) in enumerate(zip(records, advice, strict=True)):
        if entry.recommendation == "recommended" and record.comparison in FIRST_CHOICE[record.unit]:
            candidate = (FIRST_CHOICE[record.unit].index(record.comparison), place)
            first[question_key(record)] = min(first.get(question_key(record), candidate), candidate)
    chosen, result = {place for _, place in first.values()}, []
    for place, (record, entry) in enumerate(zip(records, advice, strict=True)):
        recommendation, why = entry.recommendation, entry.why
        if recommendation == "recommended" and place not in chosen:
            recommendation, why = "valid", None
        doubt = entry.doubt if entry.recommendation != "recommended" and why else None
        # the reason, or that there is none, takes the place of what the test says of any folds
        caveats = tuple(text for text in record.caveats if text != OVERLAP)
        if recommendation == "recommended":
            caveats += unseen_sizes(record, situation.evaluation)
            caveats += unseen_rows(record, situation.evaluation)
        advised = record.with_fields(recommendation=recommendation, why=why, doubt=doubt)
        result.append(advised.with_fields(caveats=caveats))
    return result


def _advice(record: Comparison, situation: Situation) -> Advice:
    """The first rule that speaks of the record; without one its level holds."""
    if record.undefined is not None:
        return avoid()
    over_folds = record.unit in ("folds", "repeats")
    why = IN_FAVOUR.get(situation.evaluation.scheme if over_folds else record.comparison)
    if record.unit == "samples":
        why = "the models were evaluated on different examples"
    return next(_rules(record, situation), Advice("recommended", why))


def _rules(record: Comparison, situation: Situation) -> Iterator[Advice]:
    """What speaks against the test, the weightiest first."""
    test, evaluation = TESTS[record.comparison], situation.evaluation
    units = evaluation.independent_units
    is_far = outlies_the_unseen(record, situation.squared_errors, units)
    yield from _leakage(record, situation)
    if situation.chosen_thresholds.intersection(record.models) and needs_threshold(record.metric):
        yield avoid(f"{CHOSEN_HERE}, so results at the threshold are optimistic")
    yield from map(valid, against_noise(record, situation.scores))
    if record.unit == "rows":
        copies, rows = situation.identical_rows, evaluation.test_rows
        if are_many(copies, rows):  # as where rows were exported twice
            repeated = f"{copies:,} of {rows:,} rows, which repeat other rows"
            yield avoid(f"the test treats {repeated}, as independent")
        yield from _over_rows(record, test, situation)
    elif record.unit == "samples":
        yield from map(valid, against_shared(record))
        yield from _over_rows(record, test, situation)
    elif record.unit in ("folds", "repeats"):
        yield from _over_folds(test, situation)
        of_rows = {} if is_far else situation.row_errors
        yield from map(valid, against_tails(record, of_rows, evaluation))
        if record.comparison == "corrected_one_sample_t" and record.metric in OF_AREA:
            yield valid(
                "the test rejected up to 21 % of true claims of an AUC near 1 in simulations"
            )
    if situation.shares is not None and follows_prevalence(record.metric):
        yield valid(against_shares(*situation.shares))
    if len(record.models) > 1:
        yield from _of_values(record, situation)
    yield from map(valid, against_skewed(record))
    own = situation.least_adjusted.get((record.comparison, record.metric, record.models), 0.0)
    few = too_few_units(record, test, evaluation, situation.rarer_class, own)
    yield from map(valid, few)
    yield from _few_data_sets(record, situation)
    if record.comparison in TOO_LIBERAL:
        yield valid(TOO_LIBERAL[record.comparison])
    yield from map(valid, rough(record, evaluation, of_errors=not is_far))
    positives = {} if situation.weighted else situation.positives
    yield from map(valid, near_guessing(record, evaluation, situation.classes, positives))


def _of_values(record: Comparison, situation: Situation) -> Iterator[Advice]:
    """Values that rank nobody: by thresholds or losses that do not suit what a model gives."""
    unfit = min(situation.unfit_thresholds.keys() & set(record.models), default=None)
    if unfit is not None and needs_threshold(record.metric):
        yield of_measure(against_decisions(unfit, situation.unfit_thresholds[unfit]))
    means = measure_tested_as(record.metric, "regression") in MEAN_ERRORS
    if means and situation.of_quantiles.keys() & set(record.models):
        yield of_measure("the estimates are quantiles, which the pinball loss rates")
    favoured, errors = situation.favoured_medians, situation.absolute_errors
    yield from map(of_measure, against_absolute_errors(record, favoured, errors))
    rows = situation.evaluation.test_rows
    yield from map(valid, against_exchange(record, situation.positives, rows))
    yield from map(valid, against_few_outside(record, situation.evaluation, situation.outside))
    yield from map(valid, against_few_points(record))
    yield from map(valid, against_few_counts(record, situation.total))
    yield from map(valid, against_unseen(record, situation.unseen_cost))
    if record.unit == "rows":
        yield from map(of_units, against_few_unlike(record, situation.unlike))
        yield from map(valid, against_few_of_several(record))


def _leakage(record: Comparison, situation: Situation) -> Iterator[Advice]:
    """Rows or groups that the models saw in training: no test says who is better on new ones."""
    evaluation = situation.evaluation
    if fitted := sorted(situation.fitted.intersection(record.models)):
        yield avoid(f"{fitted[0]} looks fitted on these rows")
    if leak := leakage(evaluation):
        yield avoid(f"{leak}, so {of_leakage(evaluation)}")


def _over_rows(record: Comparison, test: TestInfo, situation: Situation) -> Iterator[Advice]:
    evaluation = situation.evaluation
    if evaluation.scheme == "data_sets":
        yield avoid(
            "the test generalises to further rows of these data sets, not to further data sets"
        )
    if evaluation.rows_return and "repeats" in test.allows:
        yield valid(OF_THESE_FITS)
    elif evaluation.rows_return:
        times = (evaluation.test_rows or 0) / (evaluation.test_examples or 1)
        yield avoid(f"the test treats the {times:.3g} predictions of each row as independent rows")
    elif evaluation.rows_return is None and evaluation.repeats > 1:
        yield avoid(
            "the test treats rows as independent, though without ids they may recur in the repeats"
        )
    if evaluation.grouped and "groups" not in test.allows:
        each = (evaluation.test_rows or 0) / (evaluation.groups or 1)
        yield avoid(
            f"the test treats the rows of a group as independent ({evaluation.groups:,} groups of "
            f"{each:.3g} rows), so it rejects too often"
        )
    elif "any group sizes" not in test.traits:
        yield from _unequal_groups(situation)
    if situation.timed and "time" not in test.allows:
        shared = evaluation.grouped and "groups" in test.allows
        yield avoid(
            "the test allows for any dependence within a group, but not for what the groups share "
            "at a time point"
            if shared
            else "the test treats rows in time order as independent"
        )
    if evaluation.pooled_fits:
        yield from _pooled(record, evaluation)


def _unequal_groups(situation: Situation) -> Iterator[Advice]:
    """Few groups of unequal size: the t distribution is too narrow for their sums."""
    worth, groups = situation.effective_groups, situation.evaluation.groups
    least = groups_needed(worth, groups, weighted=situation.weighted)
    of, rejected = ("weight", 13) if situation.weighted else ("size", 8)
    if least is not None:
        yield valid(
            f"the {groups:,} groups are worth {worth:.2g} of equal {of}, and the test holds its "
            f"level from {least} on. In simulations of fewer it rejected up to {rejected} % "
            "of true null hypotheses",
        )


def _ranks_scores(metric: str) -> bool:
    """Whether a measure ranks the rows by their scores, which are those of one model only."""
    definition = METRICS.get(metric)
    return metric == "ROC curve" or (definition is not None and definition.of_ranking)


def _pooled(record: Comparison, evaluation: Evaluation) -> Iterator[Advice]:
    """The rows of several fits as those of one model."""
    if _ranks_scores(record.metric):
        if evaluation.scheme == "leave_one_out":
            yield avoid(
                "the test ranks scores of as many separately fitted models as there are rows (in "
                "simulations it rejected 38 to 100 % of true null hypotheses), and a single row "
                "has no AUC of its own",
            )
        yield valid(
            "the test ranks scores of separately fitted models against each other. In "
            "simulations it rejected up to 20 % of true null hypotheses",
        )
    if evaluation.scheme == "leave_one_out":
        yield valid(
            "the test ignores that leave-one-out predictions are biased away from the truth of "
            "their row. In simulations of classifiers without signal it rejected 11 to 28 % of "
            "true null hypotheses, with a clear signal 5 %",
        )
    yield valid(
        "the test treats the fits of all folds as one model. In simulations of trees, and of "
        "learners without signal, it rejected 9 to 17 % of true null hypotheses",
    )


def _over_folds(test: TestInfo, situation: Situation) -> Iterator[Advice]:
    evaluation = situation.evaluation
    if situation.timed and evaluation.scheme != "time_ordered":
        yield valid(
            "the folds are blocks of time, and all but the last are trained on later rows"
            if evaluation.time_blocks
            else "rows are in time order, and the folds mix past and future"
        )
    if evaluation.scheme == "same_rows":
        yield Advice(
            "avoid", "the repeats share their test rows, so they show variation from training only"
        )
    if "overlap" not in test.allows:
        if evaluation.training_overlap == "unknown":
            yield valid(
                "the test treats folds as independent, and whether training sets overlap is unknown"
            )
        if evaluation.training_overlap == "known":
            share = f" ({100 * (evaluation.overlap or 0):.0f} % on average)"
            yield avoid(
                f"the test treats folds as independent, but the training sets overlap{share}, so "
                "it rejects too often",
            )
    elif evaluation.scheme == "leave_one_out":
        yield valid(
            "leave-one-out fits share all rows but one. In simulations of small trees the test "
            "rejected up to 18 % of true null hypotheses",
        )
    elif evaluation.scheme in OF_REPEATS and test.name == "corrected_resampled_t":
        yield valid(
            "the test counts repeats as further folds. In simulations of nearest neighbours it "
            "rejected 8 to 16 % of true null hypotheses",
        )
    elif evaluation.scheme not in IN_FAVOUR and evaluation.training_overlap != "zero":
        yield valid("the test corrects for the overlap of random splits only")


def _few_data_sets(record: Comparison, situation: Situation) -> Iterator[Advice]:
    """Which test decides over few data sets: of mean ranks where none of Wilcoxon's can reject."""
    least, pair = situation.least_adjusted, (record.metric, record.models)
    if (own := least.get((record.comparison, *pair), 0.0)) >= record.alpha:
        yield valid(
            f"with so few data sets its adjusted p cannot fall below {min(own, 1.0):.3g}, so the "
            "test cannot decide"
        )
    equal, datasets = situation.equal_values, situation.evaluation.datasets
    yield from map(valid, against_ranks(record, equal, datasets))
    wilcoxon = least.get(("wilcoxon", *pair), 0.0)
    if record.comparison == "mean_ranks_sign_flip" and wilcoxon < record.alpha:
        yield valid()


def undecided(row: ComparisonRow, why: str) -> ComparisonRow:
    """The test where its level is in doubt, so that it decides nothing."""
    return replace(row, recommendation="valid", why=why, doubt="level")


def as_chosen(record: Comparison, name: str) -> Comparison:
    """A record of a question for which the spec chooses the test ``name``."""
    replaced = record.comparison != name
    if record.undefined is not None or (replaced and record.recommendation != "recommended"):
        return record
    if replaced:
        why = "recommended here, but the spec chose another test"
        return record.with_fields(recommendation="valid", why=why)
    against = f"; advised against: {record.why}" if record.doubt else ""
    return record.with_fields(recommendation="recommended", why=f"chosen in the spec{against}")


def question_key(record: Comparison) -> QuestionKey:
    """What a test asks: one test of each question is recommended."""
    claim = (record.against, record.side) if len(record.models) == 1 else None
    return record.models, record.metric, record.slice, claim
