"""How models rank the rows of one group, beside those of all rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reportgen.comparisons.wording import bounded, counted
from reportgen.concluding.contest import Contest
from reportgen.concluding.headline_numbers import limit, with_limits
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.metrics import METRICS
from reportgen.records.decision import Caveat
from reportgen.records.groups import AreaWithinGroups, GroupsRecord
from reportgen.records.model import Results
from reportgen.text import decimals, numbers

FAR = 0.05
"""AUCs within groups that differ by so much from those of all rows matter."""

MOST_WITHIN = 3
"""Of so many models page one has the AUC within groups."""

SEVERAL_COUNT = (
    "Where each group is ranked by itself, as in search, the values within groups count."
)
ONE_COUNTS = "Where each group is ranked by itself, as in search, the value within groups counts."


def within_groups(results: Results, contest: Contest) -> Iterator[Caveat]:
    """That scores rank the rows of one group otherwise than those of all groups.

    By ``FAR`` or more, and the limits of the AUC within groups exclude that of all rows; or that
    the models are in another order there.
    """
    groups, whole = results.data.get("groups"), on_all_rows(results.metrics, "auc")
    if groups is None:
        return
    areas = sorted(groups.get("within", ()), key=lambda area: -area["value"])
    areas = [area for area in areas if area["model"] in whole]
    better = [area for area in areas if _is_far(area, whole[area["model"]].value)]
    worse = [area for area in better if area["value"] < whole[area["model"]].value]
    better = [area for area in better if area not in worse]
    order = _other_order(results, contest)
    if len(areas) == 1 and (better or worse):
        yield Caveat("within_groups", "moderate", _of_one(results, areas[0], whole))
    elif better or worse or order:
        texts = [
            *_ranks(better, "better", len(areas)),
            *_ranks(worse, "worse", len(areas)),
            *([f"Within groups {order[0]} ranks better than {order[1]}."] if order else []),
            *_values(results, groups, [*better, *worse, *areas], whole),
            *([SEVERAL_COUNT] if better or order else []),
            *_apart_by_groups(worse),
        ]
        yield Caveat("within_groups", "moderate", " ".join(texts))


def _of_one(results: Results, area: AreaWithinGroups, whole: Mapping[str, ModelValue]) -> str:
    """The same of the only model."""
    value, of_all = _both_values(results, area, whole)
    is_better = area["value"] > whole[area["model"]].value
    ranks = f"ranks {'better' if is_better else 'worse'} than over all rows"
    then = [ONE_COUNTS] if is_better else _apart_by_groups([area])
    text = f"Within groups {bounded(area['model'])} {ranks}: AUC {value} against {of_all}."
    return " ".join([text, *then])


def _ranks(areas: Sequence[AreaWithinGroups], how: str, models: int) -> list[str]:
    """Which models rank better, or worse, within groups, if any."""
    if not areas:
        return []
    who = counted([bounded(area["model"]) for area in areas], "models")
    who = "both models" if len(areas) == models == 2 else who
    verb = "ranks" if len(areas) == 1 else "rank"
    return [f"Within groups {who} {verb} {how} than over all rows."]


def _apart_by_groups(areas: Sequence[AreaWithinGroups]) -> list[str]:
    """What it means that models rank worse within groups."""
    if not areas:
        return []
    whose = "its AUC" if len(areas) == 1 else "their AUCs"
    return [
        f"Part of {whose} comes from distinguishing groups, not from ranking rows within a group."
    ]


def _values(
    results: Results,
    groups: GroupsRecord,
    areas: Sequence[AreaWithinGroups],
    whole: Mapping[str, ModelValue],
) -> Iterator[str]:
    """The AUCs of the compared models and of the first others, and how far two lie apart."""
    decision = results.decision
    named = {area["model"]: area for area in areas}
    compared = [n for n in (decision.leader, decision.compared_with) if n is not None]
    names = [name for name in dict.fromkeys([*compared, *named]) if name in named][:MOST_WITHIN]
    shown = sorted((named[name] for name in names), key=lambda area: -area["value"])
    for area in shown:
        value, of_all = _both_values(results, area, whole)
        name = bounded(area["model"])
        yield f"The AUC of {name} is {value} within groups and {of_all} over all rows."
    pair = [area for area in shown if area["model"] in compared]
    yield from _apart(results, groups, pair if len(pair) == 2 else shown)


def _is_far(area: AreaWithinGroups, auc: float) -> bool:
    return abs(area["value"] - auc) >= FAR and not area["low"] <= auc <= area["high"]


def _both_values(
    results: Results, area: AreaWithinGroups, whole: Mapping[str, ModelValue]
) -> tuple[str, str]:
    """The AUC within groups with its limits, and that of all rows."""
    level, auc = f"{numbers.level(results.confidence)} CI ", whole[area["model"]]
    value = with_limits(area["value"], area["low"], area["high"], level)
    return value, numbers.estimate(auc.value, auc.low, auc.high)


def _apart(
    results: Results, groups: GroupsRecord, ranked: Sequence[AreaWithinGroups]
) -> Iterator[str]:
    """How far the first two lie apart within groups, where the same groups say it."""
    if len(ranked) < 2:
        return
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


def _other_order(results: Results, contest: Contest) -> tuple[str, str] | None:
    """The model behind over all rows that ranks those of one group better, and the leader."""
    behind, leader = results.decision.compared_with, contest.leader
    if behind is None or _lead_within(results, contest) is None:
        return None
    return bounded(behind), bounded(leader)


def _lead_within(results: Results, contest: Contest) -> tuple[float, float, float] | None:
    """By how much the model behind the leader ranks the rows of one group better.

    The limits of the paired difference within groups exclude 0.
    """
    decision, groups = results.decision, results.data.get("groups")
    behind = decision.compared_with
    if groups is None or behind is None or decision.relation != "ahead":
        return None
    apart = _differences(groups, behind, contest.leader)
    return next((one for one in apart if one[1] > 0), None)


def beside_lead_within(results: Results, contest: Contest) -> str:
    """What the headline of a measure of ranking adds to a lead that is reversed within groups."""
    behind, apart = results.decision.compared_with, _lead_within(results, contest)
    if behind is None or apart is None or METRICS[contest.measure].group != "ranking":
        return ""
    digits = decimals.of_effect(*apart)
    size, near, far = (limit(number, digits) for number in apart)
    ranks = f"; {bounded(behind)} ranks better within groups: AUC {size} higher"
    return f"{ranks} ({near} to {far})"
