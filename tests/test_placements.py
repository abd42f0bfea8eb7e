"""Placements among the other class: in any order of bits and ties, as by counting one by one."""

import numpy as np
import pytest

from reportgen import placements as module
from reportgen.placements import ascending, ordered_placements, placements

SCORES = {
    "forecasts": lambda random, n: random.random(n),
    "rounded": lambda random, n: random.random(n).round(1),
    "of both signs": lambda random, n: random.normal(size=n).round(1),
    "alike but for their last bits": lambda random, n: 1 - random.integers(0, 9, n) * 2.0**-53,
    "alike beside a small one": lambda random, n: np.append(
        1e-300, 0.5 + random.integers(0, 9, n) * 2.0**-53
    )[:n],
    "of any size": lambda random, n: random.choice(
        [5e-324, -5e-324, 1e308, -1e308, 0.0, -0.0, 1.0, np.nextafter(1, 2)], n
    ),
}


@pytest.fixture(autouse=True, params=[4, 2**14])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ties that do not fit into a block, and blocks that hold all rows."""
    monkeypatch.setattr(module, "BLOCK", request.param)


@pytest.mark.parametrize("draw", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("few", [1, 8])
def test_placements_are_those_of_counting_one_by_one(draw, few, monkeypatch):
    """Whether values are looked up by score or met row by row, they are exact."""
    monkeypatch.setattr(module, "FEW", few)
    random = np.random.default_rng(0)
    for n in (0, 1, 2, 3, 17, 60):
        for _ in range(20):
            scores, positive = draw(random, n), random.random(n) < 0.4
            other = positive[:, None] != positive
            below, level = scores < scores[:, None], scores == scores[:, None]
            assert (
                placements(scores, positive).tolist()
                == (other * (2 * below + level)).sum(axis=1).tolist()
            )


@pytest.mark.parametrize("draw", SCORES.values(), ids=SCORES)
def test_rows_come_in_the_order_of_their_scores(draw):
    """Ties are reported, and each row comes with its class."""
    random = np.random.default_rng(0)
    for n in (1, 2, 17, 60):
        scores, positive = draw(random, n), random.random(n) < 0.4
        order = ascending(scores, positive)
        ordered = scores[order.rows]
        assert sorted(order.rows) == list(range(n))
        assert (np.diff(ordered) >= 0).all()
        assert (order.tied[1:-1] == (ordered[1:] == ordered[:-1])).all()
        assert not order.tied[[0, -1]].any()
        assert (order.positive == positive[order.rows]).all()
        placed = ordered_placements(order)
        assert placed.tolist() == placements(scores, positive)[order.rows].tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_are_refused(bad):
    """They have no place."""
    with pytest.raises(ValueError, match="finite"):
        placements(np.array([0.5, bad, 0.1]), np.array([True, False, True]))
