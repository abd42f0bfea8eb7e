"""What the titles of the further curves claim."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen.charts import error_reject, murphy, net_benefit, style
from reportgen.tables import Murphy
from tests import charts_results


def diagram(**scores: list[float]) -> pl.DataFrame:
    """A Murphy diagram of these models at even thresholds."""
    parts = [
        pl.DataFrame(
            {
                "model": name,
                "slice": None,
                "class": None,
                "threshold": [k / (len(values) - 1) for k in range(len(values))],
                "score": values,
            },
            schema_overrides={"slice": pl.String, "class": pl.String},
        )
        for name, values in scores.items()
    ]
    return Murphy.validate(pl.concat(parts))


@pytest.mark.parametrize(
    ("scores", "title"),
    [
        (
            {"a": [0.0, 0.2, 0.3, 0.0], "b": [0.0, 0.1, 0.4, 0.0]},
            "No model is best at every threshold; a is best at 75\xa0% of them",
        ),
        (
            {"a": [0.0, 0.2, 0.3, 0.0], "b": [0.0, 0.1, 0.2, 0.0]},
            "b is at least as good at every threshold",
        ),
        ({"a": [0.0, 0.2, 0.1, 0.0]}, "a: decisions at threshold 0.33 are the hardest"),
    ],
)
def test_a_murphy_diagram_says_whether_one_model_is_best_throughout(scores, title):
    assert murphy._title(diagram(**scores), style.model_styles(list(scores))) == title


def test_titles_say_what_is_rejected_and_where_acting_pays():
    results = charts_results.scored(["weak", "strong"])
    (reject,) = error_reject.figures(results)
    (benefit,) = net_benefit.figures(results)
    curve = results.curves["error_reject"].filter(model="strong")
    first, after = (
        curve.row(0, named=True),
        curve.filter(pl.col("rejected") >= 0.1).row(0, named=True),
    )

    assert f"{100 * after['error_rate']:.1f}" in reject.title
    assert f"{100 * first['error_rate']:.1f}" in reject.title
    assert "strong" in reject.title
    assert benefit.title.startswith("strong is better than treating all or none")


def test_a_rule_stands_where_the_declared_costs_ask_for_action():
    (figure,) = net_benefit.figures(charts_results.rich())

    assert "declared costs, 0.09" in figure.subtitle
