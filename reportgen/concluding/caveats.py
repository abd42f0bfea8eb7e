"""What weakens the conclusion, the severe first: leakage, dependence, few units, chosen limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.comparing.leaked_rows import leakage
from reportgen.comparing.recommendation import CHOSEN_HERE
from reportgen.comparisons import TESTS
from reportgen.comparisons.corrections import CORRECTION_NAMES, TIMES_FAMILY
from reportgen.comparisons.wording import bounded, counted, joined, measure
from reportgen.concluding.chance import backwards, on_every_class
from reportgen.concluding.chance_sentences import (
    beside_contest,
    chance_text,
    costs_no_less,
    has_one_score,
    is_mean,
    predict_mean,
    with_one_score,
)
from reportgen.concluding.contest import Contest
from reportgen.concluding.few_units import few_units
from reportgen.concluding.measure_caveats import of_stated_values
from reportgen.concluding.missing_codes import missing_codes
from reportgen.concluding.row_caveats import (
    copies,
    fitted,
    of_groups,
    only_counted,
    rows_left_out,
    too_good,
    undeclared,
)
from reportgen.metric_names import CORRECT_ROWS, COST
from reportgen.metrics import measure_tested_as, needs_threshold
from reportgen.predictions.identical import are_many
from reportgen.records.basis import Basis
from reportgen.records.decision import OF_ERRORS, AtChance, Caveat, Severity
from reportgen.records.rows import (
    OTHER_FITS,
    DataRecord,
    chosen_on_tested_rows,
    evaluation_of,
    shared_in_time,
)
from reportgen.tables.comparisons import ComparisonRow
from reportgen.tasks import TASKS
from reportgen.text import numbers
from reportgen.text.words import sentence, with_article, without_article

LEAST_ROWS = 30
"""Of fewer rows in all another caveat speaks than that of few unlike ones."""


def takes_away(data: DataRecord, measure: str) -> str | None:
    """What of the data leaves no conclusion on which model is better, in the deciding measure.

    Leakage, many copies of rows, a single class, or thresholds chosen on the evaluation data.
    """
    if leak := leakage(evaluation_of(data)):
        return leak
    if are_many(data.get("identical_rows"), data["rows_evaluated"]):
        return copies(data)
    if why := fitted(data):
        return why
    if has_one_class(data) and (needs_both_classes(measure) or _scored(data)):
        return "only one class is present"
    if chosen_on_tested_rows(data["models"]) and needs_threshold(measure):
        return CHOSEN_HERE
    return None


def has_one_class(data: DataRecord) -> bool:
    """Whether one of two classes has no rows."""
    return 0 in (data.get("positives", 1), data.get("negatives", 1))


def needs_both_classes(measure: str) -> bool:
    """Whether a measure says little of rows of one class."""
    return measure not in ("accuracy", "error_rate")


def _scored(data: DataRecord) -> bool:
    """Whether a model gives scores, which are for both classes."""
    return any("score" in model["outputs"] for model in data["models"])


def caveats(
    data: DataRecord,
    contest: Contest | None,
    deciding: ComparisonRow | None,
    chance: Sequence[AtChance],
    chosen_test: str | None,
    *,
    headline_on_chance: bool = False,
) -> tuple[Caveat, ...]:
    """Every caveat once, severe ones first; ``deciding`` is the test that page one rests on.

    ``headline_on_chance``: the headline names the models that are not better than chance.
    """
    listed = [*_of_data(data, contest), *_without_value(data, contest)]
    few = any(caveat.code == "few_units" for caveat in listed)
    listed += [
        *_of_test(deciding, chosen_test, few=few),
        *_unlike_rows(data, deciding),
        *_floor(deciding, contest),
        *_flat(contest),
        *_at_chance(chance, contest, data, headline_on_chance=headline_on_chance),
    ]
    once = {caveat.text: caveat for caveat in listed}
    return tuple(sorted(once.values(), key=lambda c: c.severity != "severe"))


BY_FIT = (
    " The validation rows of one fit are test rows of others: choose the threshold of each fit on "
    "its own validation rows, and give each model a column of labels."
)

TO_BE_PAIRED = (
    " A comparison needs rows that every model has, under the same id; rows that are missing must "
    "be missing for reasons unrelated to the truth."
)

OF_OVERLAPPING = " whose training sets overlap. Limits there can be too narrow"

OF_CLASSIFIERS = ": in simulations 82 to 95 % of the 95 % limits contained the true accuracy"
"""Ten folds of 60 to 300 rows (``tests.simulations.pooled_folds``)."""


def _of_data(data: DataRecord, contest: Contest | None) -> Iterator[Caveat]:
    yield from too_good(data)
    yield from missing_codes(data)
    yield from _same_outputs(data)
    if has_one_class(data) and data["truth"]:
        text = "Only one class is present, so measures that need both are undefined."
        yield Caveat("one_class", "severe", text)
    if (data.get("distribution") or {}).get("standard_deviation") == 0:
        text = "All true values are equal, so R² and correlations are undefined."
        yield Caveat("constant_truth", "moderate", text)
    if chosen_on_tested_rows(data["models"]):
        measured = contest is not None and needs_threshold(contest.measure)
        severity: Severity = "severe" if measured else "moderate"
        text = sentence(
            f"{CHOSEN_HERE}; threshold-dependent results are optimistic, and their limits are "
            "wide, as they hold for every threshold"
        )
        if any(model.get("threshold_role") == OTHER_FITS for model in data["models"]):
            text += BY_FIT
        yield Caveat("chosen_threshold", severity, text)
    yield from of_stated_values(data)
    yield from few_units(data)
    yield from of_groups(data)
    yield from undeclared(data)
    yield from only_counted(data)
    yield from rows_left_out(data)
    if data.get("timed"):
        text = (
            "Rows are in time order: intervals allow for dependence between neighbouring time "
            "points. Measures for which that is not possible have no interval."
        )
        points = data.get("points_of_time", FEW_POINTS)
        few_of_many = points < min(FEW_POINTS, data["rows_evaluated"])
        if few_of_many and not TASKS[data["task"]].of_numbers:
            text += SEVERAL_A_POINT
        groups = data.get("groups")
        if why := shared_in_time(data):
            text = sentence(f"{why}: single models have none, differences between models do")
            text += " Where time runs within each group, as from admission, leave columns.time out."
        elif groups and groups["largest"] > 1:
            text = (
                "Rows are in time order: intervals of a single model allow for the groups, not for "
                "the order."
            )
        yield Caveat("timed", "moderate", text)
    if why := data.get("unpaired"):
        text = f"The models are not compared on the same rows: {why}."
        text += TO_BE_PAIRED if data.get("rows_in_common") else ""
        text += _with_every_row(data)
        yield Caveat("unpaired", "moderate", text)
    yield from _pooled_fits(data)


def _with_every_row(data: DataRecord) -> str:
    """The models that are compared, or would be if those which lack rows were left out."""
    if paired := [bounded(name) for name in data.get("paired_models") or ()]:
        return (
            f" Only {counted(paired, 'models')}, which have every row, are compared; values of the "
            "others come from different rows and do not rank them."
        )
    common = data.get("on_common_rows")
    complete = [] if common is None else [bounded(name) for name in common["complete"]]
    if not complete:
        return ""
    who = counted(complete, "models")
    return f" {who} have every row: they are compared if the others are left out."


FEW_POINTS = 60
"""Time points of several rows each, below which limits by blocks of time are too narrow."""
SEVERAL_A_POINT = (
    f" With fewer than {FEW_POINTS} time points and several rows at each, limits of recall, "
    "specificity, precision and F1 contained the true value in 86 to 93 % of simulated series "
    "with autocorrelation 0.8."
)


def _pooled_fits(data: DataRecord) -> Iterator[Caveat]:
    """That sections on all rows pool fits, and what has no limits there."""
    evaluation = evaluation_of(data)
    if evaluation.pooled_fits and (sets := evaluation.datasets):
        text = (
            f"The sections on all rows pool {numbers.plural(sets, 'data set')}: their limits hold "
            "for further rows of these, not for new ones."
        )
        yield Caveat("pooled_fits", "moderate", text)
    elif evaluation.unidentified_repeats:
        repeats = numbers.plural(evaluation.repeats, "repeat")
        text = f"Without ids it is unknown which rows the {repeats} share. Repeated readings of "
        text += "the same rows depend on each other, and limits may be too narrow."
        yield Caveat("pooled_fits", "moderate", text)
    elif evaluation.pooled_fits and not TASKS[data["task"]].of_values:
        fits = numbers.count(evaluation.fits)
        text = f"The sections on all rows pool the predictions of {fits} separately fitted models"
        if evaluation.training_overlap != "zero":
            text += OF_OVERLAPPING + OF_CLASSIFIERS * (not TASKS[data["task"]].of_numbers)
        text += "."
        scored = any({"score", "scores"} & set(model["outputs"]) for model in data["models"])
        if evaluation.scheme == "leave_one_out" and scored:
            text += " Measures that rank scores, as the AUC does, have no limits: no two scores "
            text += "are of one fit."
        yield Caveat("pooled_fits", "moderate", text)


def _same_outputs(data: DataRecord) -> Iterator[Caveat]:
    """Models under several names, between which no difference can appear."""
    for alike in data.get("same_outputs") or ():
        who = counted([bounded(name) for name in alike], "models")
        text = f"{who} give the same outputs for every row: on these data they are one model."
        yield Caveat("same_outputs", "moderate", text)


def _without_value(data: DataRecord, contest: Contest | None) -> Iterator[Caveat]:
    """The models that are not ranked, as they lack the deciding measure."""
    if contest is None or not contest.values:
        return
    names = [m["name"] for m in data["models"] if m["name"] not in contest.infinite]
    missing = [name for name in names if name not in contest.values]
    if missing:
        who = counted(missing, "models")
        has, ranked = ("has", "is") if len(missing) == 1 else ("have", "are")
        text = f"{who} {has} no {measure(contest.measure)} and {ranked} not ranked"
        reasons = {contest.undefined.get(name) for name in missing}
        why = reasons.pop() if len(reasons) == 1 else None
        yield Caveat("not_ranked", "moderate", f"{text}: {why}." if why else f"{text}.")


def _of_test(deciding: ComparisonRow | None, chosen: str | None, *, few: bool) -> Iterator[Caveat]:
    """What the deciding test says of itself; that p has no digits is no matter.

    With ``few`` units another caveat says that the approximation is rough.
    """
    if deciding is None:
        return
    if chosen is not None and deciding.comparison == chosen and deciding.why:
        yield Caveat("chosen_test", "moderate", sentence(f"the test was {deciding.why}"))
    elif chosen in TESTS and deciding.comparison != chosen:
        other, here = with_article(TESTS[str(chosen)].label), with_article(deciding.label)
        text = f"The spec chose {other}, which does not compare the models in "
        text += f"{measure(deciding.metric)}; {here} decides."
        yield Caveat("chosen_test", "moderate", text)
    for text in (*(() if few else deciding.few_units), *deciding.caveats):
        yield Caveat("test", "moderate", _with_names(sentence(text), deciding))


def _unlike_rows(data: DataRecord, deciding: ComparisonRow | None) -> Iterator[Caveat]:
    """That a test rests on few of the rows or groups; one of decisions says so itself."""
    if deciding is None or data["rows_evaluated"] < LEAST_ROWS:
        return
    if set(TESTS[deciding.comparison].measures) == set(CORRECT_ROWS):
        return
    groups = data.get("groups")
    for one in data.get("unlike_rows", ()):
        if groups is not None and one["units"] == groups["number"]:
            continue
        if set(one["models"]) == set(deciding.models):
            names = joined([bounded(name) for name in deciding.models])
            rows = numbers.plural(one["rows"], "row")
            if one["units"] < one["rows"]:
                rows = numbers.plural(one["units"], "group")
            text = f"The outputs of {names} differ in only {rows}, on which their test rests."
            yield Caveat("unlike_rows", "moderate", text)


def _floor(deciding: ComparisonRow | None, contest: Contest | None) -> Iterator[Caveat]:
    """That no difference can be significant: the least p is too large, or is once corrected.

    Where another pair has a smaller least p, only the difference of the deciding test.
    """
    if deciding is None or deciding.reachable is None:
        return
    alpha, least, name = deciding.alpha, deciding.reachable, deciding.label
    name, what = without_article(name), "difference"
    family = [] if contest is None else [row.reachable for row in contest.tests.values()]
    floors = [floor for floor in family if floor is not None]
    if least >= alpha:
        text = f"On these data p cannot fall below {least:.3g} ({name})"
        if len(floors) < len(family) or min(floors, default=1.0) < alpha:
            what += f" between {joined([bounded(model) for model in deciding.models])}"
    else:
        size = deciding.family_size or 1
        if deciding.correction not in TIMES_FAMILY or len(floors) < len(family) or not floors:
            return
        least = size * min(floors)
        if least < alpha:
            return
        correction = CORRECTION_NAMES.get(deciding.correction, deciding.correction)
        text = (
            f"On these data the adjusted p cannot fall below {min(1.0, least):.3g} ({name}, "
            f"{correction} over {numbers.count(size)} comparisons)"
        )
    text += f": no {what} can be significant at α = {alpha:g}."
    yield Caveat("least_p", "moderate", text)


def cannot_reject(row: ComparisonRow, contest: Contest) -> bool:
    """Whether no difference could be significant by a test on these data."""
    return any(_floor(row, contest))


def _with_names(text: str, deciding: ComparisonRow) -> str:
    """What a test says of “the two models”, with their names."""
    names = joined([bounded(model) for model in deciding.models])
    return text.replace("the two models", names).replace("The two models", names)


def _flat(contest: Contest | None) -> Iterator[Caveat]:
    """Intervals of no width come from a variance that could not be estimated."""
    if contest is None:
        return
    for name, value in contest.values.items():
        if value.low is not None and value.low == value.high:
            text = (
                f"The interval around {name}'s {value.value:.4g} has no width: the data show no "
                "variation to estimate it from. This does not mean certainty."
            )
            yield Caveat("no_width", "moderate", text)


def _at_chance(
    chance: Sequence[AtChance],
    contest: Contest | None,
    data: DataRecord,
    *,
    headline_on_chance: bool,
) -> Iterator[Caveat]:
    """Models, classes and costs that are not better than guessing, of each kind in one sentence."""
    parts: dict[tuple[str, bool], list[AtChance]] = {}
    of_all = {row.model for row in chance if row.class_ is None and row.measure != COST}
    of_classes = on_every_class(chance, data)
    of_classes = [r for r in of_classes if headline_on_chance or r.model in of_all]
    yield from predict_mean([row for row in chance if is_mean(row)])
    of_basis: Basis = "pooled rows" if contest is None else contest.basis
    one_score = [row for row in chance if has_one_score(row, of_basis)]
    yield from with_one_score(one_score)
    for row in chance:
        if row in of_classes or row in one_score or is_mean(row):
            continue
        parts.setdefault((row.measure, row.class_ is not None), []).append(row)
    for (name, of_class), rows in parts.items():
        deciders = (
            () if contest is None else (measure_tested_as(contest.measure), *OF_ERRORS.values())
        )
        of_contest = name in deciders
        in_headline = headline_on_chance and of_contest and not of_class
        for worse in (False, True):
            alike = [row for row in rows if row.worse == worse]
            if name == COST and not worse:  # some may predict the cheaper class alone
                no_less = [row for row in alike if costs_no_less(row)]
                alike = [row for row in alike if row not in no_less]
                if no_less and not in_headline:
                    yield Caveat(
                        "at_chance", "moderate", chance_text(name, no_less, data, worse=False)
                    )
            stated = not worse or len(alike) == len(rows) or name not in ("auc", COST)
            if alike and not (in_headline and stated):
                text = chance_text(name, alike, data, worse=worse, in_headline=in_headline)
                if contest is not None and not of_class:
                    text = beside_contest(text, name, contest, data)
                if worse and name == "auc" and not of_class:
                    text = f"{text[:-1]}: {backwards(data)}."
                yield Caveat("at_chance", "moderate", text)
