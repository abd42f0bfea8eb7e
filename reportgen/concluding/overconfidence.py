"""Probabilities of several classes or labels: too sure, and no better than the class shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from reportgen.comparisons.wording import bounded, counted
from reportgen.concluding.decided_limits import decided_limit
from reportgen.concluding.headline_numbers import of_value
from reportgen.concluding.model_values import (
    RELEVANT_RATIO,
    ModelValue,
    of_infinite_loss,
    on_all_rows,
)
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers

INFINITE = "their log losses are infinite"


def of_several_classes(results: Results) -> Iterator[Caveat]:
    """What page one says of the probabilities of several classes, or of several labels."""
    if results.task.several_classes:
        yield from _infinite(results)
        yield from _no_better_than_shares(results)
        by_score = {
            model["name"]
            for model in results.data["models"]
            if "label" not in model["outputs"] and model["probability"]
        }
        wrong = on_all_rows(results.metrics, "error_rate")
        wrong = {name: value for name, value in wrong.items() if name in by_score}
        yield from _unsure(results, wrong, "predicted classes")
    elif results.task.several_labels:
        wrong = on_all_rows(results.metrics, "hamming_loss")
        at_half = {m["name"] for m in results.data["models"] if m.get("threshold") == 0.5}
        wrong = {name: value for name, value in wrong.items() if name in at_half}
        yield from _unsure(results, wrong, "predictions")


def _infinite(results: Results) -> Iterator[Caveat]:
    """The models of which what came had a probability of 0."""
    models = of_infinite_loss(results.metrics, "log_loss")
    if models:
        who = counted(list(map(bounded, models)), "models")
        infinite = INFINITE if len(models) > 1 else "its log loss is infinite"
        text = f"{who} gave the observed class of a row probability 0: {infinite}."
        yield Caveat("infinite_log_loss", "moderate", text)


def _no_better_than_shares(results: Results) -> Iterator[Caveat]:
    """The models whose log loss is no lower than that of always stating the class shares."""
    losses = on_all_rows(results.metrics, "log_loss")
    level = f"{numbers.level(results.confidence)} CI "
    gains = on_all_rows(results.metrics, "d2_log_loss")
    worse: dict[str, list[str]] = {}
    for model in losses:
        if model in gains and gains[model].value <= 0:
            of_shares = numbers.estimate(losses[model].value / (1 - gains[model].value))
            worse.setdefault(of_shares, []).append(model)
    for of_shares, models in worse.items():
        who = counted(list(map(bounded, models)), "models")
        what = f"The log loss of {who}, {of_value(losses[models[0]], level)}, is"
        if len(models) > 1:
            values = sorted(losses[model].value for model in models)
            least, most = numbers.estimate(values[0]), numbers.estimate(values[-1])
            what = f"The log losses of {who}, {least} to {most}, are"
        text = f"{what} not below that of always predicting the shares of the classes, {of_shares}."
        yield Caveat("log_loss_of_shares", "moderate", text)


def _unsure(results: Results, wrong: dict[str, ModelValue], what: str) -> Iterator[Caveat]:
    """The models that expect far fewer, or more, errors than they make.

    The mean probability that the bins of calibration have of what is predicted, against the limits
    of the share that is correct; these hold for all models at once (Bonferroni).
    """
    expected = _expected_errors(results)
    of_word: dict[str, list[str]] = {}
    for name, one in wrong.items():
        if name in expected and _is_off(results, one, expected[name], len(wrong)):
            word = "over" if expected[name] < one.value else "under"
            of_word.setdefault(word, []).append(name)
    for word, names in of_word.items():
        is_one = len(names) == 1
        text = (
            f"{counted(list(map(bounded, names)), 'models')} {'is' if is_one else 'are'} "
            f"{word}confident: the mean probability of {'its' if is_one else 'their'} {what} is "
            f"{_percents([expected[name] for name in names])}, but "
            f"{_percents([wrong[name].value for name in names])} of them are correct."
        )
        yield Caveat("overconfident", "moderate", text)


def _percents(errors: Sequence[float]) -> str:
    """What is left of shares of errors, in percent, from the least to the most."""
    least, most = (numbers.percent(1 - end(errors)) for end in (max, min))
    return least if least == most else f"{least.rstrip(numbers.PERCENT)} to {most}"


def _is_off(results: Results, wrong: ModelValue, expected: float, models: int) -> bool:
    """Whether errors expected are a quarter off the share of errors, and outside its limits."""
    if wrong.low is None or wrong.high is None or wrong.value <= 0 or expected <= 0:
        return False
    if 1 / RELEVANT_RATIO < wrong.value / expected < RELEVANT_RATIO:
        return False
    low, high = (
        decided_limit(results, wrong.value, end, models) for end in (wrong.low, wrong.high)
    )
    return not low <= expected <= high


def _expected_errors(results: Results) -> dict[str, float]:
    """One less the mean probability of the predicted class, or of what is predicted of a label.

    Of labels a bin of probabilities below one half predicts that the label is absent.
    """
    bins = results.curves.get("calibration")
    if bins is None:
        return {}
    of_classes = pl.col("class").is_null() == results.task.several_classes
    sure = pl.col("mean_score")
    if not results.task.several_classes:
        sure = pl.max_horizontal(sure, 1 - sure)
    table = bins.filter(pl.col("slice").is_null(), of_classes, pl.col("count") > 0)
    wrong = ((1 - sure) * pl.col("count")).sum() / pl.col("count").sum()
    return dict(table.group_by("model").agg(wrong).iter_rows())
