"""One slice against the others together: its parts are those of all their rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import fisher_exact

from reportgen.clusters import Groups
from reportgen.comparing.gap_influences import SliceInfluence, moments_of, p_of_parts
from reportgen.comparing.slice_against_others import (
    of_groups,
    of_rows,
    of_shares,
)
from tests.simulations.one_of_many_slices import SIZES, rates

RANDOM = np.random.default_rng(5)
LOSSES = {name: RANDOM.chisquare(3, size) for name, size in (("a", 40), ("b", 60), ("c", 90))}


def influence(losses: np.ndarray) -> SliceInfluence:
    mean = losses.mean()
    return SliceInfluence(float(mean), (losses - mean) / len(losses), np.zeros(len(losses), int))


def area(losses: np.ndarray, value: float) -> SliceInfluence:
    cell = np.arange(len(losses)) % 2
    means = np.array([losses[cell == one].mean() for one in (0, 1)])
    return SliceInfluence(value, (losses - means[cell]) / 30 / len(losses), cell)


def test_single_rows_and_groups_of_one_row_are_alike():
    parts, start = {}, 0
    for name, losses in LOSSES.items():
        groups = Groups(np.arange(start, start + len(losses)), 190)
        parts[name] = area(losses, 0.7 + start / 1000), groups
        start += len(losses)

    by_rows = of_rows({name: moments_of(part) for name, (part, _) in parts.items()})
    for one, other in zip(by_rows, of_groups(parts), strict=True):
        assert one.p_value == pytest.approx(other.p_value, rel=1e-9)
        assert one.others == pytest.approx(other.others, rel=1e-12)


def test_the_auc_of_the_others_is_their_mean_by_the_sizes_of_their_classes():
    parts = {
        name: moments_of(area(losses, value))
        for (name, losses), value in zip(LOSSES.items(), (0.6, 0.7, 0.9), strict=True)
    }

    first = next(of_rows(parts))
    assert (first.slice, first.value) == ("a", 0.6)
    assert first.others == pytest.approx((60 * 0.7 + 90 * 0.9) / 150, rel=1e-12)


def test_an_auc_that_may_be_off_by_its_whole_distance_shows_nothing():
    parts = {name: moments_of(area(losses, 0.6)) for name, losses in LOSSES.items()}
    parts["a"] = moments_of(area(LOSSES["a"], 0.7))

    sure, half, unsure = (
        next(of_rows(parts, dict.fromkeys(parts, off))).p_value for off in (0.0, 0.02, 0.06)
    )
    assert sure < half < unsure == 1


def test_others_in_groups_are_tested_as_one_slice_of_all_their_rows():
    """Three slices that share groups: the third against the first two, whose sizes are equal."""
    groups = Groups(np.arange(60) % 12, 12)
    parts = {name: (influence(one[-60:]), groups) for name, one in LOSSES.items() if name != "a"}
    parts["a"] = influence(LOSSES["a"]), Groups(np.arange(40) % 12, 12)
    of_a = next(one for one in of_groups(parts, metric="difference") if one.slice == "a")

    both = [parts[name][0] for name in ("b", "c")]
    others = SliceInfluence(
        sum(one.value for one in both) / 2,
        np.concatenate([one.influence / 2 for one in both]),
        np.repeat([0, 1], 60),
    )
    of_both = Groups(np.concatenate([groups.code, groups.code]), 12)
    expected = p_of_parts("difference", (parts["a"][0], others), [parts["a"][1], of_both])
    assert of_a.others == pytest.approx(others.value, rel=1e-12)
    assert of_a.p_value == pytest.approx(expected, rel=1e-9)


def test_shares_of_slices_are_tested_exactly_and_all_or_nothing_is_not():
    counts = {"a": (3.0, 30.0), "b": (20.0, 40.0), "c": (33.0, 60.0)}
    first = next(iter(of_shares(counts)))

    assert first.p_value == pytest.approx(fisher_exact([[3, 27], [53, 47]]).pvalue)
    assert (first.value, first.others) == (0.1, 0.53)
    assert not list(of_shares({"a": (5.0, 5.0), "b": (9.0, 9.0)}))


def test_groups_make_a_slice_less_sure():
    counts = {"a": (3.0, 30.0), "b": (20.0, 40.0), "c": (33.0, 60.0)}
    alone = next(iter(of_shares(counts)))
    (grouped,) = of_shares(counts, {"a": (3.0, 12.0)})

    assert grouped.p_value > alone.p_value


def test_one_slice_of_many_that_differs_is_seen_and_slices_that_do_not_are_not():
    """A few samples; the shares of many are those of the simulation."""
    reversed_one = (2.0, *(0.0,) * 39)

    assert rates(2, SIZES["40 of 50"], reversed_one)[0] == 1
    assert rates(3, SIZES["5 of 60"])[0] <= 1 / 3
