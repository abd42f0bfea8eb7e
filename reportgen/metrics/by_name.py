"""What is known of a metric by its name alone, whatever the task."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping

from reportgen.metric_names import parted
from reportgen.metrics.registry import REGISTRY, Metric
from reportgen.text.reasons import DRAWN_TWICE, RAISED_BY_NOISE


def find(name: str, task: str = "binary") -> Metric | None:
    """The metric of a name: that of the task, else of any other task."""
    of_task = REGISTRY.get(task)
    if of_task is not None and name in of_task:
        return of_task[name]
    return next((registry[name] for registry in REGISTRY.values() if name in registry), None)


def heavy_mean_of(name: str) -> str | None:
    """The mean that rare errors decide a measure of numbers with, if there is one."""
    metric = find(name, "regression")
    return None if metric is None else metric.heavy_tailed_mean or metric.tails_of


def is_relative(name: str) -> bool:
    """Whether each error is divided by its truth."""
    metric = find(name, "regression")
    return metric is not None and metric.by_truth


def is_of_distances(name: str) -> bool:
    """Whether errors count with the distance between classes."""
    metric = REGISTRY["multiclass"].get(name)
    return metric is not None and metric.by_distance > 0


def is_raised_by_noise(name: str) -> bool:
    """Whether a measure, of any task, grows with the bins, or distinct values, of forecasts.

    >>> [is_raised_by_noise(name) for name in ("brier_score", "expected_calibration_error")]
    [False, True]
    """
    raised = (RAISED_BY_NOISE, DRAWN_TWICE)
    every = (of[name] for of in REGISTRY.values() if name in of)
    return any(metric.on == "bins" or metric.no_limits in raised for metric in every)


def is_optimised(name: str) -> bool:
    """Whether it is the best that any threshold gives on these rows."""
    metric = find(name)
    return metric is not None and metric.optimised


@functools.lru_cache
def mirrors(name: str) -> tuple[str, ...]:
    """The metrics that are 1 minus this one, of any task.

    >>> from reportgen.metrics import mirrors
    >>> mirrors("accuracy")
    ('error_rate',)
    """
    every = (metric for registry in REGISTRY.values() for metric in registry.values())
    return tuple(sorted({metric.name for metric in every if metric.complement_of == name}))


def measure_tested_as(name: str, task: str = "binary") -> str:
    """The measure whose tests are those of a metric, or of whatever else has the name."""
    metric = find(name, task)
    return name if metric is None else metric.tested_as


@functools.lru_cache
def with_tests_of(name: str, task: str) -> tuple[str, ...]:
    """The metrics of a task whose tests are those of this one, itself among them.

    >>> from reportgen.metrics import with_tests_of
    >>> with_tests_of("mean_squared_error", "regression")
    ('mean_squared_error', 'root_mean_squared_error', 'r2')
    """
    return tuple(metric.name for metric in REGISTRY[task].values() if metric.tested_as == name)


def loss_of(name: str, task: str = "binary") -> str:
    """The loss that a skill says the saved share of; of any other measure the measure itself.

    >>> [loss_of(name) for name in ("brier_skill", "brier_score")]
    ['brier_score', 'brier_score']
    """
    metric = find(name, task)
    return name if metric is None else metric.skill_of or name


@functools.lru_cache
def skills_of(losses: Collection[str]) -> tuple[str, ...]:
    """The skills of these losses of probabilities.

    >>> skills_of(("brier_score", "log_loss"))
    ('brier_skill', 'd2_log_loss')
    """
    return tuple(metric.name for metric in REGISTRY["binary"].values() if metric.skill_of in losses)


@functools.lru_cache
def gains_by_skill() -> Mapping[str, str]:
    """By skill of an error of estimates the difference that has the same sign, where there is one.

    >>> gains_by_skill()["r2"]
    'mean_squared_error_gain'
    """
    measures = REGISTRY["regression"].values()
    gains = {metric.gain_of: metric.name for metric in measures if metric.gain_of}
    return {metric.name: gains[metric.skill_of] for metric in measures if metric.skill_of in gains}


def chance_value(name: str) -> float | None:
    """What guessing gives, of a measure whose values vary most where models only guess.

    >>> [chance_value(name) for name in ("auc", "macro_auc", "mcc", "recall")]
    [0.5, 0.5, 0.0, None]
    """
    metric = find(name) or find(parted(name)[0])
    return None if metric is None else metric.chance
