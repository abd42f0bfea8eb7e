"""What page one says of how rows came about: fitted on, repeated, left out, or in groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reportgen.comparisons.wording import bounded, joined
from reportgen.concluding.headline_numbers import with_limits
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.predictions.identical import are_many
from reportgen.records.decision import Caveat
from reportgen.records.groups import AreaWithinGroups, GroupsRecord
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord, PartLeftOut, evaluation_of, fitted_levels
from reportgen.text import numbers
from reportgen.text.words import sentence

MANY_LEFT_OUT = 0.05
"""From this share of the rows on, or of a difference between models, what is left out matters."""


def leakage(data: DataRecord) -> str | None:
    """What the models saw in training of what they are tested on; null where nothing is known.

    ``data`` is the data section of the results.
    """
    evaluation = evaluation_of(data)
    rows, of_rows = evaluation.get("trained_test_rows") or 0, evaluation.get("test_rows")
    if rows and of_rows:
        if rows == of_rows:
            return "every test row was also trained on"
        return f"{_of(rows, of_rows, 'test row')} also trained on"
    groups, of_groups = evaluation.get("groups_on_both_sides") or 0, evaluation.get("groups")
    if groups and groups == of_groups:
        return "every group is on both sides of a split"
    if groups and of_groups:
        return f"{_of(groups, of_groups, 'group')} on both sides of a split"
    return None


def _of(part: int, whole: int, noun: str) -> str:
    verb = "was" if part == 1 else "were"
    if noun == "group":
        verb = "is" if part == 1 else "are"
    return f"{numbers.count(part)} of {numbers.plural(whole, noun)} {verb}"


def fitted(data: DataRecord) -> str | None:
    """Which models were fitted on these rows by the look of their scores; null where none is."""
    names = [bounded(name) for name in fitted_levels(data["models"])]
    verb = "looks" if len(names) == 1 else "look"
    return f"{joined(names)} {verb} fitted on these rows" if names else None


def copies(data: DataRecord) -> str:
    """How many rows repeat another one."""
    rows = data["identical_rows"] or 0
    of_all = numbers.plural(data["rows_evaluated"], "test row")
    return f"{numbers.count(rows)} of {of_all} {'repeats' if rows == 1 else 'repeat'} another one"


def too_good(data: DataRecord) -> Iterator[Caveat]:
    """What makes numbers optimistic, or their limits too narrow."""
    leak = leakage(data)
    if leak:
        of_rows = evaluation_of(data).get("trained_test_rows")
        so = "the results are" if of_rows else "results for new groups may be"
        yield Caveat("leakage", "severe", sentence(f"{leak}: {so} optimistic"))
    if rows := data.get("identical_rows"):
        yield Caveat(
            "identical_rows",
            "severe" if are_many(rows, data["rows_evaluated"]) else "moderate",
            sentence(
                f"{copies(data)} in truth and in all outputs: limits and tests treat them as "
                "different examples"
            ),
        )
    for name, levels in fitted_levels(data["models"]).items():
        yield Caveat(
            "fitted_scores",
            "severe",
            f"{bounded(name)} looks fitted on these rows: at each of {levels} scores the share of "
            "positives equals the score, more exactly than chance allows. Its numbers are "
            "optimistic.",
        )


def rows_left_out(data: DataRecord) -> Iterator[Caveat]:
    """Many rows, or other shares of one model than of another."""
    left = data.get("rows_left_out")
    if left is None:
        return
    if left["rows"] > MANY_LEFT_OUT * left["of"]:
        share = numbers.percent(left["rows"] / left["of"])
        text = f"{share} of the rows are left out, as their truth is no class: "
        yield Caveat("rows_left_out", "moderate", f"{text}results hold for the other rows only.")
    models = sorted(left["models"], key=_share_left_out)
    if models and _share_left_out(models[-1]) - _share_left_out(models[0]) > MANY_LEFT_OUT:
        (least, low), (most, high) = (
            (bounded(one["part"]), numbers.percent(_share_left_out(one)))
            for one in (models[0], models[-1])
        )
        text = f"{high} of the rows of {most} are left out, and {low} of those of {least}."
        yield Caveat("rows_left_out_of_models", "moderate", text)


def _share_left_out(part: PartLeftOut) -> float:
    return part["rows"] / part["of"]


FAR = 0.05
"""AUCs within groups that differ by so much from those of all rows matter."""


LARGE = 0.25
"""A group with so large a part of the rows is named, where groups of one size had a third of it."""


def of_groups(data: DataRecord) -> Iterator[Caveat]:
    """Copies within groups, rows of the same items in several groups, and matched groups."""
    groups = data.get("groups")
    if groups is None:
        return
    of_all = numbers.plural(data["rows_evaluated"], "test row")
    part, equal = groups["largest"] / max(data["rows_evaluated"], 1), 1 / max(groups["number"], 1)
    if part >= max(LARGE, 3 * equal):
        text = (
            f"One of the {numbers.count(groups['number'])} groups has {numbers.percent(part, 0)} "
            "of the rows: values rest on it, and limits by group are wide."
        )
        yield Caveat("large_group", "moderate", text)
    if identical := groups.get("identical"):
        repeat = "repeats" if identical == 1 else "repeat"
        text = (
            f"{numbers.count(identical)} of {of_all} {repeat} another one of the same group in "
            "truth and in all outputs: limits by group allow for copies, but each counts in the "
            "values."
        )
        yield Caveat("identical_in_groups", "moderate", text)
    if crossed := groups.get("crossed"):
        text = (
            f"{numbers.count(crossed)} of {of_all} are of items that return in several groups: "
            "limits by group hold for other groups with these items, not for other items."
        )
        yield Caveat("crossed", "moderate", text)
    elif matched := groups.get("matched"):
        positives, negatives = matched
        text = (
            f"Each of the {numbers.count(groups['number'])} groups has "
            f"{numbers.plural(positives, 'positive')} and {numbers.plural(negatives, 'negative')}: "
            "if they were matched, the design and not the population set the share of positives, "
            "on which accuracy, precision, calibration and costs depend. The AUC compares the rows "
            "of all groups, not those within one."
        )
        yield Caveat("matched", "moderate", text)


def undeclared(data: DataRecord) -> Iterator[Caveat]:
    """The column that is not declared, though errors depend on its values; the widest limits."""
    for one in data.get("undeclared_groups", ())[:1]:
        wider = numbers.rounded(one["times_as_wide"], 1)
        text = (
            f"{bounded(one['column'])} is not declared, but errors of rows with the same value of "
            f"it resemble each other ({numbers.count(one['values'])} values): with its values as "
            f"groups, limits would be up to {wider} times as wide. Declare it as columns.group"
        )
        text += ", as the declared groups lie within its values." if data.get("groups") else "."
        yield Caveat("undeclared_groups", "moderate", text)


MOST_WITHIN = 3
"""So many models are named whose AUC within groups is another than over all rows."""


def within_groups(results: Results) -> Iterator[Caveat]:
    """That scores rank the rows of one group otherwise than those of all groups.

    By ``FAR`` or more, and the limits of the AUC within groups exclude that of all rows.
    """
    groups, whole = results.data.get("groups"), on_all_rows(results.metrics, "auc")
    if groups is None:
        return
    areas = sorted(groups.get("within", ()), key=lambda area: -area["value"])
    far = [area for area in areas if (auc := whole.get(area["model"])) and _is_far(area, auc.value)]
    search = "Where each group is ranked by itself, as in search, the"
    for how, counts, several in (
        (
            "better",
            f"{search} value within groups counts.",
            f"{search} values within groups count.",
        ),
        (
            "worse",
            "Part of its AUC tells groups apart, not the rows of one group.",
            "Part of their AUCs tells groups apart, not the rows of one group.",
        ),
    ):
        ranked = [
            area
            for area in far
            if (area["value"] > whole[area["model"]].value) is (how == "better")
        ]
        if not ranked:
            continue
        if len(ranked) == 1:
            [area] = ranked
            ranks = f"Within groups {bounded(area['model'])} ranks {how} than over all rows"
            value, of_all = _values(results, area, whole)
            yield Caveat(
                "within_groups", "moderate", f"{ranks}: AUC {value} against {of_all}. {counts}"
            )
            continue
        both = "both" if len(ranked) == 2 else f"{len(ranked)}"
        texts = [f"Within groups {both} models rank {how} than over all rows."]
        for area in ranked[:MOST_WITHIN]:
            value, of_all = _values(results, area, whole)
            name = bounded(area["model"])
            texts.append(f"The AUC of {name} is {value} within groups and {of_all} over all rows.")
        texts += [*_apart(results, groups, ranked), several]
        yield Caveat("within_groups", "moderate", " ".join(texts))


def _is_far(area: AreaWithinGroups, auc: float) -> bool:
    return abs(area["value"] - auc) >= FAR and not area["low"] <= auc <= area["high"]


def _values(
    results: Results, area: AreaWithinGroups, whole: Mapping[str, ModelValue]
) -> tuple[str, str]:
    """The AUC within groups with its limits, and that of all rows."""
    level, auc = f"{numbers.level(results.confidence)} CI ", whole[area["model"]]
    value = with_limits(area["value"], area["low"], area["high"], level)
    return value, numbers.estimate(auc.value, auc.low, auc.high)


def _apart(
    results: Results, groups: GroupsRecord, ranked: Sequence[AreaWithinGroups]
) -> Iterator[str]:
    """How far the two best within groups lie apart there, where the same groups say it."""
    first, second = (area["model"] for area in ranked[:2])
    level = f"{numbers.level(results.confidence)} CI "
    for one in groups.get("differences_within", ()):
        if {one["first"], one["second"]} != {first, second}:
            continue
        value, low, high = one["value"], one["low"], one["high"]
        if one["first"] != first:
            value, low, high = -value, -high, -low
        pair = f"{bounded(first)} \N{MINUS SIGN} {bounded(second)}"
        yield f"The difference within groups, {pair}, is {with_limits(value, low, high, level)}."
