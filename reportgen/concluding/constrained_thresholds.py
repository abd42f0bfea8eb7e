"""Thresholds that were chosen under a limit: where they are, whether it holds, and who leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reportgen.comparisons.records import lower_is_better
from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding.decided_pairs import decided_pairs
from reportgen.concluding.headline_numbers import of_value
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.concluding.result_caveats import clear_difference
from reportgen.metrics import needs_threshold
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import OTHER_FITS, SAME_ROWS, VALIDATION_ROWS, ModelRecord
from reportgen.records.threshold_choice import ChoiceRecord, LimitRecord
from reportgen.spec.gates import compare
from reportgen.text import numbers

MOST = 2
"""So many models are named, those with the best value of the measure that chose the thresholds."""

_HOLDS, _OPEN, _MISSED = "holds", "is open", "is missed"

STATES = {
    _HOLDS: "the limit {limit} holds",
    _OPEN: "whether the limit {limit} holds is open",
    _MISSED: "the limit {limit} is missed",
}


def of_limits(results: Results) -> Iterator[Caveat]:
    """The thresholds, each limit on these rows with its interval, and the best model under it."""
    chosen = {m["name"]: m for m in results.data["models"] if _choice_of(m)}
    if not chosen:
        return
    choice = _choice_of(next(iter(chosen.values())))
    values = on_all_rows(results.metrics, choice["metric"]) if choice else {}
    values = {name: one for name, one in values.items() if name in chosen}
    lower = choice is not None and lower_is_better(choice["metric"])
    order = sorted(values, key=lambda n: values[n].value if lower else -values[n].value)
    sentences, missing = [], set()
    for name in order[:MOST]:
        model = chosen[name]
        sentences.append(_where(model))
        for limit in (_choice_of(model) or {"limits": []})["limits"]:
            state, text = _kept(results, model, limit)
            sentences.append(text)
            missing |= {name} if state == _MISSED else set()
    if choice and len(order) > 1 and not missing:
        sentences.append(_leader(results, choice["metric"], values, order, lower=lower))
    yield Caveat("constrained_threshold", "moderate", " ".join(sentences))


def of_validation(results: Results, measure_of: str) -> Iterator[Caveat]:
    """That models differ at thresholds which validation rows chose: others would choose others.

    Models that rank alike then differ by the chance of two choices: a test on enough rows finds
    it, and is right for these thresholds alone (``tests.simulations.validated_thresholds``).
    """
    roles = [model.get("threshold_role") for model in results.data["models"]]
    if VALIDATION_ROWS not in roles:
        return
    leads = results.decision.relation == "ahead" and needs_threshold(measure_of)
    of_decisions = [name for name in set(results.comparisons["metric"]) if needs_threshold(name)]
    rejected = [row.metric for row in decided_pairs(results, of_decisions)]
    if not leads and not rejected:
        return
    count = (results.data.get("roles") or {}).get("validation")
    rows = "validation rows" if count is None else f"{numbers.count(count)} validation rows"
    what = "The difference holds"
    if not leads:
        what = f"Differences at the thresholds, such as that in {measure(rejected[0])}, hold"
    text = (
        f"{what} for the thresholds that {rows} chose. Other validation rows would choose other "
        "thresholds, and models that rank alike may change places."
    )
    yield Caveat("validated_thresholds", "moderate", text)


def _choice_of(model: ModelRecord) -> ChoiceRecord | None:
    """How the threshold of a model was chosen, if a limit was declared and labels do not decide."""
    choice = model.get("threshold_choice")
    return choice if choice and choice["limits"] and "label" not in model["outputs"] else None


def _where(model: ModelRecord) -> str:
    at = numbers.threshold(model["threshold"])
    return f"The threshold of {bounded(model['name'])} is {at}: it {model['threshold_rule']}."


def _kept(results: Results, model: ModelRecord, limit: LimitRecord) -> tuple[str, str]:
    """Whether a model keeps a limit on these rows, by the interval of the measure."""
    name = bounded(model["name"])
    value = on_all_rows(results.metrics, limit["metric"]).get(model["name"])
    what = measure(limit["metric"])
    written = f"{limit['op']} {limit['limit']:g}"
    if value is None:
        return _OPEN, f"On the evaluated rows the {what} of {name} has no value."
    state = _state(value, limit)
    if model["threshold_role"] in (SAME_ROWS, OTHER_FITS) and state == _HOLDS:
        state = _OPEN  # which rows that chose the threshold cannot tell
    shown = of_value(value, f"{numbers.level(results.confidence)} CI ")
    state_text = STATES[state].format(limit=written)
    return state, f"On the evaluated rows the {what} of {name} is {shown}: {state_text}."


def _state(value: ModelValue, limit: LimitRecord) -> str:
    ends = [end for end in (value.low, value.high) if end is not None] or [value.value]
    outcomes = {compare(end, limit["op"], limit["limit"]) for end in ends}
    return _OPEN if len(outcomes) > 1 else _HOLDS if outcomes == {True} else _MISSED


def _leader(
    results: Results,
    metric: str,
    values: Mapping[str, ModelValue],
    order: list[str],
    *,
    lower: bool,
) -> str:
    """The model with the best value under the limit, and whether the next one differs from it."""
    best, second = order[:2]
    of_both = [numbers.estimate(values[name].value) for name in (best, second)]
    pairs = len(order) * (len(order) - 1) // 2
    first, then = (second, best) if lower else (best, second)
    which = "lower" if lower else "higher"
    what = measure(metric)
    text = f"{bounded(best)} has a {which} {what} there than {bounded(second)}"
    text = f"{text}, {' against '.join(of_both)}"
    if difference := clear_difference(results, metric, first, then, pairs):
        return f"{text}: {difference}."
    return f"{text}; the difference is not significant."
