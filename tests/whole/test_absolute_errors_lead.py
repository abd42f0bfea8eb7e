"""Where MAE decides, R² says nothing against a model whose absolute errors are small."""

import numpy as np
import polars as pl

from reportgen import evaluate
from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.results import Results
from reportgen.sections import summary
from tests.page_text import without_chinese
from tests.quick import QUICK


def of_two(frame: pl.DataFrame, **more: object) -> Results:
    models = {name: {"estimate": name} for name in ("good", "other")}
    return evaluate({"truth": "y", "models": models, **more, **QUICK}, frame)


def test_a_model_whose_absolute_errors_by_group_are_below_those_of_the_median_is_no_guess():
    """Three errors of 600 leave R² open, from −1.6 to 0.8."""
    random, group = np.random.default_rng(0), np.repeat(np.arange(40), 15)
    y = random.normal(size=600) + 0.5 * random.normal(size=40)[group]
    good, other = (y + spread * random.normal(size=600) for spread in (0.3, 0.5))
    other[[5, 100, 300]] += 8
    frame = pl.DataFrame({"y": y, "good": good, "other": other, "group": group})
    results = of_two(frame, columns={"group": "group"})

    assert results.decision.headline.startswith("good beats other: MAE")
    assert results.decision.at_chance == ()
    low = results.metrics.filter(metric="r2", model="other")["low"].item()
    assert low is not None
    assert low < 0


def test_a_leader_by_absolute_errors_stays_where_squared_ones_leave_it_open():
    """Two truths are far from all others, so that R² of 44 rows says nothing."""
    random, far = np.random.default_rng(1), [3, 20]
    y = random.normal(size=44)
    y[far] = 8
    good, other = (y + spread * random.normal(size=44) for spread in (0.9, 1.6))
    good[far] = other[far] = [6.4, 3.2]
    results = of_two(pl.DataFrame({"y": y, "good": good, "other": other}))
    decision = results.decision

    assert {row.measure for row in decision.at_chance} == {"r2"}
    assert {row.model for row in decision.at_chance} == {"good", "other"}
    assert decision.headline.startswith("good beats other: MAE")
    [text] = [caveat.text for caveat in decision.caveats if caveat.code == "at_chance"]
    assert text.startswith("good and other are not significantly better than always predicting")
    assert text.endswith("R² compares squared errors, and MAE, which decides, absolute ones.")
    assert not without_chinese(results, [text])


def test_the_table_of_measures_says_in_which_measure_models_are_no_better_than_the_mean():
    """Counts of which two outweigh all others: MAE decides, and R² compares with the mean."""
    random = np.random.default_rng(3)
    y = random.poisson(random.gamma(0.3, 12, 44)).astype(float)
    frame = pl.DataFrame({"y": y, "good": random.permutation(y), "other": random.permutation(y)})
    results = of_two(frame)

    assert (results.decision.relation, results.decision.measure) == ("at chance", ABSOLUTE)
    page = summary.text(results)
    assert "No value is in bold: in R² no model is significantly better than always pre" in page
