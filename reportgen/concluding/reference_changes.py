"""What shifted and what changed since the declared reference, and what the mix explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.comparisons import lower_is_better
from reportgen.comparisons.wording import MOST_NAMES, bounded, joined, measure
from reportgen.concluding.model_values import RELEVANT_RATIO
from reportgen.intervals.shapes import widening
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.shift import ALL_ROWS, CLASSES, ChangeParts, Shift
from reportgen.text import decimals, numbers
from reportgen.text.words import capitalised, listed, sentence


def changed(results: Results) -> list[ChangeParts]:
    """The changes whose limits exclude 0, for all models and measures at once (Bonferroni).

    The measure that decides comes first, then the largest changes. A change is split over the first
    slicing where there is one, else over the classes; the limits are the widened ones.
    """
    shift = results.shift
    if shift is None or shift.basis != "reference":
        return []
    limited = _first_splits(shift.changes)
    times = widening(len(limited), results.confidence)
    wide = [_widened(one, times) for one in limited]
    apart = [one for one in wide if not one.may_be_none]
    deciding = results.decision.measure
    return sorted(apart, key=lambda one: (one.metric != deciding, -abs(one.change)))


def _first_splits(changes: Sequence[ChangeParts]) -> list[ChangeParts]:
    """The change of each model in each measure, where it has limits, by its first split."""
    of: dict[tuple[str, str], ChangeParts] = {}
    for one in changes:
        key = one.model, one.metric
        if key not in of or of[key].by == CLASSES:
            of[key] = one
    return [one for one in of.values() if one.change_low is not None]


def _widened(one: ChangeParts, times: float) -> ChangeParts:
    low, high = (
        None if end is None else one.change + times * (end - one.change)
        for end in (one.change_low, one.change_high)
    )
    return replace(one, change_low=low, change_high=high)


def since_reference(results: Results) -> Iterator[Caveat]:
    """A sentence for each such change; of many the first, and how many more there are."""
    changes = changed(results)
    alone = _alone(results)
    yield from _recurring(results)
    if not changes:
        yield from _unchanged(results)
    for one in changes[:MOST_NAMES]:
        yield Caveat("changed_since_reference", "moderate", _in_words(results, one, alone=alone))
    if (left := len(changes) - MOST_NAMES) > 0:
        text = f"{numbers.plural(left, 'more measure')} changed since the reference."
        yield Caveat("changed_since_reference", "moderate", text)


def _recurring(results: Results) -> Iterator[Caveat]:
    """How many rows are those of the reference, and of how many the truth differs there."""
    recurring = results.shift.recurring if results.shift is not None else None
    if recurring is None:
        return
    are = "is" if recurring.rows == 1 else "are"
    of_all = numbers.plural(results.data["rows_evaluated"], "row")
    which = f"{numbers.count(recurring.rows)} of {of_all} {are}"
    if recurring.all:
        which = "The row is" if recurring.rows == 1 else f"All {of_all} are"
    truths, what = "with the same truths", "only outputs can have changed"
    if relabelled := recurring.relabelled:
        has = "has" if relabelled == 1 else "have"
        truths = f"and {numbers.count(relabelled)} of them {has} a different truth there"
        what = "truths or outputs changed, not the rows"
    so = f": {what}" if recurring.all else ""
    yield Caveat("recurring_rows", "moderate", f"{which} in the reference too, {truths}{so}.")


def _unchanged(results: Results) -> Iterator[Caveat]:
    """How far the deciding measure may have changed, of the leader or the one model."""
    shift, leader = results.shift, results.decision.leader
    if shift is None or shift.basis != "reference":
        return
    for one in _first_splits(shift.changes):
        if (one.model, one.metric) != (leader, results.decision.measure):
            continue
        ends = one.change, one.change_low, one.change_high
        size, limits = numbers.difference(*ends), numbers.difference_limits(*ends)
        yield Caveat(
            "unchanged_since_reference",
            "moderate",
            f"{_none_of(shift.changes)} significantly since the reference: the "
            f"{measure(one.metric)} of {bounded(one.model)} by {size} "
            f"({numbers.level(results.confidence)} CI {limits}).",
        )


def _none_of(changes: Sequence[ChangeParts]) -> str:
    """Which measures are compared with the reference; others may have changed."""
    names = [measure(name) for name in dict.fromkeys(one.metric for one in changes)]
    if len(names) == 2:
        return f"Neither {names[0]} nor {names[1]} changed"
    return sentence(f"{listed(names)} did not change").rstrip(".")


def _alone(results: Results) -> bool:
    """Whether there is one change, whose limits need not hold together with others."""
    return results.shift is not None and len(_first_splits(results.shift.changes)) == 1


def _in_words(results: Results, one: ChangeParts, *, alone: bool) -> str:
    """From which value to which, the change with its limits, and the part of the mix."""
    before, now = (numbers.estimate(value) for value in (one.before, one.now))
    ends = one.change, one.change_low, one.change_high
    size, limits = numbers.difference(*ends), numbers.difference_limits(*ends)
    at_once = "" if alone else "simultaneous "
    level = f"{at_once}{numbers.level(results.confidence)} CI {limits}"
    verb = "fell" if one.change < 0 else "rose"
    text = (
        f"the {measure(one.metric)} of {bounded(one.model)} {verb} from {before} to {now} since "
        f"the reference: {size} ({level})"
    )
    split = _largest_mix(results, one)
    if split is None:
        return sentence(text)
    by = "classes" if split.by == CLASSES else bounded(split.by)
    digits = decimals.of_effect(*ends)
    if split.mix * one.change > 0:
        mix = numbers.signed(split.mix, digits)
        return sentence(f"{text}; the mix of {by} explains {mix} of it")
    verb, size = ("raised" if split.mix > 0 else "lowered"), numbers.aligned(abs(split.mix), digits)
    return sentence(f"{text}; the mix of {by} alone would have {verb} it by {size}")


def _largest_mix(results: Results, one: ChangeParts) -> ChangeParts | None:
    """The split of a change whose mix explains most; a mix that may be none explains nothing."""
    splits = [
        split
        for split in (results.shift.changes if results.shift is not None else ())
        if (split.model, split.metric) == (one.model, one.metric)
        and split.by != ALL_ROWS
        and (split.metric != "auc" or split.by != CLASSES)
        and split.mix_low is not None
        and split.mix_high is not None
        and not split.mix_low <= 0 <= split.mix_high
    ]
    return max(splits, key=lambda split: abs(split.mix), default=None)


def findings(results: Results) -> Iterator[str]:
    """What the section says first: whose measures changed."""
    changes = changed(results)
    models = [bounded(name) for name in dict.fromkeys(one.model for one in changes)]
    if changes:
        who = listed(models) if len(models) <= MOST_NAMES else f"{len(models)} models"
        at_once = "" if _alone(results) else ", by limits that hold for all changes at once"
        yield f"The performance of {who} changed significantly since the reference{at_once}."


def beside_leader(results: Results, leader: str) -> str:
    """What the headline adds where the leader became worse in the deciding measure; or empty."""
    worse = 1 if lower_is_better(results.decision.measure or "") else -1
    for one in changed(results):
        if (one.model, one.metric) == (leader, results.decision.measure) and one.change * worse > 0:
            before, now = (numbers.estimate(value) for value in (one.before, one.now))
            verb = "fell" if one.change < 0 else "rose"
            what = f"the {measure(one.metric)} of {bounded(leader)}"
            recurring = results.shift.recurring if results.shift is not None else None
            same = ", on the same rows" if recurring is not None and recurring.all else ""
            return f"; {what} {verb} from {before} to {now} since the reference{same}"
    return ""


def shifts_since_reference(results: Results) -> Iterator[Caveat]:
    """What the tests show to have shifted since the declared reference, in one sentence."""
    shift = results.shift
    if shift is None or shift.basis != "reference":
        return
    shifted = [one for one in shift.quantities if one.reject]
    models = [bounded(str(one.model)) for one in shifted if one.kind == "score"]
    slices = [bounded(one.name) for one in shifted if one.kind == "slices"]
    parts = []
    if any(one.kind == "truth" for one in shifted):
        parts.append(
            "the truth" if results.task.of_numbers else f"the shares of the {results.task.nouns}"
        )
    if models:
        noun = "estimates" if results.task.of_numbers else "scores"
        parts.append(f"the {noun} of {joined(models)}")
    if slices:
        of = f"{len(slices)} columns" if len(slices) > MOST_NAMES else listed(slices)
        parts.append(f"the shares of the slices of {of}")
    if parts:
        text = f"{listed(parts)} shifted since the reference period."
        drifted = " ".join(_drifted(results, shift))
        text = f"{capitalised(text)} {drifted}".rstrip()
        yield Caveat("shifted_since_reference", "moderate", text)


def _drifted(results: Results, shift: Shift) -> Iterator[str]:
    """The models whose observed/expected positives changed by a quarter or more."""
    if not results.task.two_classes or results.task.graded:
        return
    probable = {model["name"] for model in results.data["models"] if model.get("probability")}
    truth = next((one for one in shift.quantities if one.kind == "truth"), None)
    if truth is None or truth.before is None or truth.now is None:
        return
    is_positive = truth.category in (None, results.data["positive"])
    shares = [share if is_positive else 1 - share for share in (truth.before, truth.now)]
    for score in shift.quantities:
        means = score.before, score.now
        if score.kind != "score" or score.model not in probable or not (means[0] and means[1]):
            continue
        then, now = (share / mean for share, mean in zip(shares, means, strict=True) if mean)
        if then > 0 and not 1 / RELEVANT_RATIO < now / then < RELEVANT_RATIO:
            yield (
                f"Observed/expected of {bounded(str(score.model))}: "
                f"{numbers.fixed(then, 2)} in the reference, {numbers.fixed(now, 2)} now."
            )
