"""Whether the truths of common ids agree, as those of the same rows do."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score

from reportgen.builds import pairing


def test_agreement_of_truths_is_that_of_scikit_learn_and_late_labels_are_not_by_chance():
    """1,000 rows: 10 positive at first, 100 later, the same 10 among them."""
    first, later = (pl.Series([1] * k + [0] * (1000 - k)) for k in (10, 100))
    value = pairing.agreement(first, later)

    assert value.kappa == pytest.approx(cohen_kappa_score(first, later))
    assert value.kappa < pairing.LEAST_AGREEMENT
    assert not value.by_chance


def test_agreement_by_chance_has_the_published_standard_error():
    generator = np.random.default_rng(1)
    truths = pl.Series(generator.choice(3, 300, p=[0.6, 0.3, 0.1]))
    shuffled = [
        pairing.agreement(truths, truths.sample(fraction=1, shuffle=True, seed=k))
        for k in range(300)
    ]

    assert np.std([one.kappa for one in shuffled]) == pytest.approx(shuffled[0].error, rel=0.15)
    assert all(one.by_chance for one in shuffled)


def test_truths_of_one_class_only_agree():
    one = pl.Series([1, 1, 1])

    assert pairing.agreement(one, one).kappa == 1
    assert pairing.agreement(one, 1 - one).by_chance
