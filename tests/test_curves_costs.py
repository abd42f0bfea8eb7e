"""Zones of least cost, checked against every line at many places."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.curves import cost_zones, hull
from reportgen.curves.costs import ratio_at
from reportgen.metrics import METRICS
from reportgen.spec.costs import prevalence_at
from reportgen.sweeping import sweep


def hulls(seed: int, size: int = 60) -> dict:
    random = np.random.default_rng(seed)
    truth = random.random(size) < 0.4
    frame = pl.DataFrame({"truth": truth, "a": 0.5 * truth + random.random(size).round(2)})
    frame = frame.with_columns(b=(1 - 0.6 * pl.col("truth") - pl.col("a") / 9).neg().round(2))
    return {name: hull(sweep(frame, score=name)) for name in ("a", "b")}


@pytest.mark.parametrize("seed", range(5))
def test_in_its_zone_a_threshold_costs_no_more_than_any_other(seed):
    outlines = hulls(seed)
    zones = cost_zones(outlines, prevalence=0.4)
    assert zones["low"].to_list() == [0.0, *zones["high"].to_list()[:-1]]
    assert zones["high"][-1] == 1
    rates = [METRICS[n].build() for n in ("false_positive_rate", "false_negative_rate")]
    alarm, miss = pl.concat(h.select(a=rates[0], m=rates[1]) for h in outlines.values())
    for zone in zones.to_dicts():
        for x in np.linspace(zone["low"], zone["high"], 5):
            least = (alarm * (1 - x) + miss * x).min()
            cost = zone["false_positive_rate"] * (1 - x) + zone["false_negative_rate"] * x
            assert cost == pytest.approx(least, abs=1e-12)


@pytest.mark.parametrize("prevalence", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("costs", [(1.0, 1.0), (10.0, 1.0), (1.0, 50.0)])
def test_prevalence_and_cost_ratio_are_read_back_from_their_probability_cost(prevalence, costs):
    """Against the definition of P(+)cost: p·c(FN) / (p·c(FN) + (1 − p)·c(FP))."""
    miss, alarm = costs
    x = prevalence * miss / (prevalence * miss + (1 - prevalence) * alarm)
    pair = prevalence_at(x, *costs), pl.select(ratio_at(pl.lit(x), prevalence)).item()
    assert pair == pytest.approx((prevalence, miss / alarm))


def test_what_leaves_prevalence_and_cost_ratio_open_is_null():
    one = pl.lit(1.0)
    assert prevalence_at(1.0, 5, 0) is None
    assert pl.select(ratio_at(one, 0.3)).item() is None


def test_the_operating_range_is_where_no_trivial_classifier_stands():
    outlines = hulls(3)
    for outline in outlines.values():
        zones = cost_zones({"m": outline}, prevalence=0.4)
        trivial = pl.col("false_positive_rate") + pl.col("false_negative_rate") == 1
        inner = zones.filter(~(trivial & pl.col("false_positive_rate").is_in([0.0, 1.0])))
        ends = outline.select(
            low=METRICS["operating_range_low"].build(), high=METRICS["operating_range_high"].build()
        ).row(0)
        assert ends == pytest.approx((inner["low"][0], inner["high"][-1]))


def test_one_class_has_no_zones():
    frame = pl.DataFrame({"truth": [True, True], "score": [0.2, 0.9]})
    assert cost_zones({"m": hull(sweep(frame))}, prevalence=1.0).is_empty()
