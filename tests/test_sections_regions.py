"""Which model is cheapest where."""

from __future__ import annotations

import pytest

from reportgen.sections.regions import operating_range_of, zones


def zone(low, high, model, threshold, alarm, miss):
    return {
        "low": low,
        "high": high,
        "model": model,
        "threshold": threshold,
        "false_positive_rate": alarm,
        "false_negative_rate": miss,
        "prevalence_low": low,
        "prevalence_high": high,
        "cost_ratio_low": low,
        "cost_ratio_high": None if high == 1 else high,
    }


def test_neighbouring_zones_of_a_model_are_one_and_trivial_classifiers_stand_alone():
    zone_list = zones(
        [
            zone(0, 0.2, "a", None, 0.0, 1.0),
            zone(0.2, 0.3, "a", 0.9, 0.1, 0.5),
            zone(0.3, 0.6, "a", 0.7, 0.2, 0.3),
            zone(0.6, 0.8, "b", 0.4, 0.4, 0.1),
            zone(0.8, 1, "b", 0.1, 1.0, 0.0),
        ]
    )

    assert [(z.low, z.high, z.model) for z in zone_list] == [
        (0, 0.2, None),
        (0.2, 0.6, "a"),
        (0.6, 0.8, "b"),
        (0.8, 1, None),
    ]
    assert (zone_list[1].strict, zone_list[1].loose, zone_list[1].cost_ratio) == (
        0.9,
        0.7,
        (0.2, 0.6),
    )
    assert zone_list[-1].cost_ratio == (0.8, None)


def vertex(x, threshold, alarm, miss):
    return {
        "probability_cost": x,
        "threshold": threshold,
        "false_positive_rate": alarm,
        "false_negative_rate": miss,
    }


ENVELOPE = [
    vertex(0.0, None, 0.0, 1.0),
    vertex(0.2, 0.7, 0.1, 0.6),
    vertex(0.5, 0.4, 0.3, 0.4),
    vertex(0.9, 0.1, 1.0, 0.0),
    vertex(1.0, None, None, None),
]


def test_the_operating_range_leaves_out_the_trivial_classifiers():
    operating_range = operating_range_of(ENVELOPE, 0.6)

    assert (operating_range.low, operating_range.high) == (0.2, 0.9)
    assert operating_range.threshold == 0.4
    assert operating_range.cost == pytest.approx(0.4 * 0.6 + 0.3 * 0.4)


def test_a_model_that_is_never_better_has_no_range():
    trivial = [ENVELOPE[0], vertex(0.5, 0.1, 1.0, 0.0), ENVELOPE[-1]]

    assert operating_range_of(trivial, 0.5) is None
