"""The best of many models that do not differ is said to be too good."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.results import evaluate
from tests.quick import QUICK
from tests.simulations.best_of_many import held


def caveats(better: float, models: int) -> list[str]:
    """What is said of decisions that are right on 70 % of the rows, of the first on more."""
    random = np.random.default_rng(2)
    right = {str(k): random.random(300) < 0.7 + better * (k == 0) for k in range(models)}
    spec = {"graded": True, "models": {name: {"label": name} for name in right}, **QUICK}
    decision = evaluate(spec, {name: of.astype(int) for name, of in right.items()}).decision
    return [caveat.text for caveat in decision.caveats if caveat.code == "best_of_many"]


def test_the_best_of_five_level_models_is_too_good_and_that_of_four_is_not_said_to_be():
    (text,) = caveats(0.0, 5)

    assert "has the highest accuracy of 5 models that do not differ significantly" in text
    assert caveats(0.0, 4) == []


def test_a_model_that_is_ahead_of_the_others_is_not_the_best_of_like_ones():
    assert caveats(0.25, 6) == []


def test_limits_of_the_best_of_twelve_hold_more_rarely():
    shares = held(200, 0.4, 120)

    assert shares[1] == pytest.approx(0.95, abs=0.06)
    assert shares[12] < 0.93
