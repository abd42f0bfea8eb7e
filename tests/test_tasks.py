"""Every task is one record, and what it names is there."""

from collections import Counter

import pytest

from reportgen.metrics import METRICS, REGISTRY
from reportgen.predictions.input_tables import TABLES
from reportgen.results.evaluators import evaluator
from reportgen.sections.methods import CONVENTIONS
from reportgen.spec.gates import parse
from reportgen.spec.measures import numbers
from reportgen.tasks import PREDICTION, TASKS

OF_PREDICTIONS = [TASKS[name] for name in PREDICTION]


@pytest.mark.parametrize("task", OF_PREDICTIONS, ids=lambda task: task.name)
def test_a_task_names_measures_and_frames_that_exist(task):
    known = {*REGISTRY[task.name], *METRICS}
    named = [
        *task.main_measures,
        *task.slice_chart,
        *(metric for metric, _ in (*task.slice_measures, *task.chart_measures)),
        *(name for name, _ in (*task.also_core, *task.summary_measures)),
        *([task.class_measure] if task.class_measure else []),
    ]

    assert set(named) <= known
    assert task.resampled <= {metric.on for metric in REGISTRY[task.name].values()}
    if task.example_gate:
        assert parse(f"forest.{task.example_gate}").left.metric in numbers(task.name)


def test_a_convention_concerns_tasks_that_exist():
    assert {name for convention in CONVENTIONS for name in convention.tasks} <= {*PREDICTION}


@pytest.mark.parametrize("task", OF_PREDICTIONS, ids=lambda task: task.name)
def test_a_task_of_predictions_has_a_table_and_an_evaluator(task):
    assert task.truth in TABLES
    assert callable(evaluator(task.name))


def test_a_field_of_the_spec_tells_one_task():
    messages = Counter(field for task in TASKS.values() for field in task.evidence)
    ranks = Counter(rank for task in TASKS.values() for rank in task.evidence.values())

    assert set(messages.values()) == set(ranks.values()) == {1}
