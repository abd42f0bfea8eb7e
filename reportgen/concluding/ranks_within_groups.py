"""How models rank the rows of one group, beside those of all rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.concluding.headline_numbers import limit, with_limits
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.records.decision import Caveat
from reportgen.records.groups import AreaWithinGroups, GroupsRecord
from reportgen.records.model import Results
from reportgen.text import decimals, numbers

FAR = 0.05
"""AUCs within groups that differ by so much from those of all rows matter."""

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
    for value, low, high in _differences(groups, first, second):
        pair = f"{bounded(first)} \N{MINUS SIGN} {bounded(second)}"
        yield f"The difference within groups, {pair}, is {with_limits(value, low, high, level)}."


def _differences(
    groups: GroupsRecord, first: str, second: str
) -> Iterator[tuple[float, float, float]]:
    """The difference of two AUCs within groups with its limits, if it is known."""
    for one in groups.get("differences_within", ()):
        value, low, high = one["value"], one["low"], one["high"]
        if (one["first"], one["second"]) == (first, second):
            yield value, low, high
        elif (one["second"], one["first"]) == (first, second):
            yield -value, -high, -low


def beside_lead_within(results: Results, contest: Contest) -> str:
    """That the model which is behind over all rows ranks those of one group better.

    The limits of the paired difference within groups exclude 0.
    """
    decision, groups = results.decision, results.data.get("groups")
    behind = decision.compared_with
    if groups is None or behind is None or decision.relation != "ahead" or contest.measure != "auc":
        return ""
    for value, low, high in _differences(groups, behind, contest.leader):
        if low > 0:
            digits = decimals.of_effect(value, low, high)
            size, near, far = (limit(number, digits) for number in (value, low, high))
            ranks = f"; {bounded(behind)} ranks better within groups: AUC {size} higher"
            return f"{ranks} ({near} to {far})"
    return ""
