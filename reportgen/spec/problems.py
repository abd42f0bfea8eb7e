"""Pydantic's errors as problems at a line and column, in the words of a spec."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from reportgen.errors import MOST_PROBLEMS, Problem
from reportgen.spec.costs import CostColumn
from reportgen.spec.document import Document, Steps
from reportgen.spec.field_types import TAGS
from reportgen.spec.models import Spec
from reportgen.spec.nearest import did_you_mean, listing, nearest, suggestion
from reportgen.spec.option_groups import TextSection
from reportgen.spec.outputs import FORM_KEYS, OF_CLASSES
from reportgen.spec.scores import ScoresSpec

SHOWN_VALUE = 60
"""Characters of a value up to which a hint repeats it."""

CLOSE = 0.8
"""How alike a name elsewhere in the spec must be to be what was meant."""

_ABBREVIATED = {"fn": "false_negative", "fp": "false_positive"}

_FORMS = (
    "a model has score or label or both (two classes), scores by class or label or both (several "
    "classes), scores or labels (several labels), or estimate with low, high, level and "
    "quantile (numbers)"
)
_EXPECTED = {
    "number": "a number is expected",
    "text": "a text is expected",
    "blank": "a text is expected",
    "encoding": "a text encoding is expected, such as utf-8, latin-1 or utf-16",
    "sequence": "a list is expected",
    "tuple_type": "a list is expected",
    "dict_type": "a mapping is expected",
    "model_type": "a mapping is expected",
    "model_attributes_type": "a mapping is expected",
    "finite_number": "a finite number is expected",
    **dict.fromkeys(("bool_parsing", "bool_type"), "true or false is expected"),
    **dict.fromkeys(("int_parsing", "int_from_float", "int_type"), "a whole number is expected"),
}
_LISTS = frozenset(fault for fault, text in _EXPECTED.items() if text == "a list is expected")
_RANGE = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def steps_of(error: ErrorDetails) -> Steps:
    """Return the way to the value of a pydantic error, without the tags of shapes."""
    return tuple(step for step in error["loc"] if step not in TAGS)


def from_pydantic(
    errors: Iterable[ErrorDetails], document: Document, kind: type[Spec]
) -> tuple[list[Problem], int]:
    """Return a problem for each of the first errors of the file, and the number of the others."""
    listed = [(steps_of(error), error) for error in errors]
    # Pydantic calls a list too short when its only entry is wrong.
    holders = {steps[:end] for steps, _ in listed for end in range(len(steps))}
    listed = [
        (steps, error)
        for steps, error in listed
        if not (error["type"] == "too_short" and steps in holders)
    ]
    if len(listed) > MOST_PROBLEMS:
        listed.sort(key=lambda one: document.place(one[0]).order)
    problems = [_problem(error, steps, document, kind) for steps, error in listed[:MOST_PROBLEMS]]
    return list(dict.fromkeys(problems)), max(0, len(listed) - MOST_PROBLEMS)


def _problem(error: ErrorDetails, steps: Steps, document: Document, kind: type[Spec]) -> Problem:
    fault, given = error["type"], error["input"]
    if fault == "extra_forbidden":
        return _unknown_key(steps, document, kind)
    if fault == "missing":
        place = document.place(steps, key=True)
        return place.problem("missing-key", f"{_dotted(steps)!r} is missing", _hint_missing(steps))
    wrong = _wrong_value(error, _dotted(steps), _printed(given))
    hint = wrong.meant or _hint(steps, kind) or wrong.hint or _hint_shape(fault, steps, given, kind)
    return document.place(steps).problem(wrong.code, wrong.message, hint, _printed(given))


@dataclass(frozen=True, slots=True)
class _WrongValue:
    """A value that its field does not take; ``meant`` names the right one that is near."""

    code: str
    message: str
    hint: str = ""
    meant: str = ""


def _wrong_value(error: ErrorDetails, name: str, value: str) -> _WrongValue:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "literal_error":
        names = re.findall(r"'([^']*)'", context["expected"])
        message = f"{name}: {value} is not one of {listing(names)}"
        meant = did_you_mean(str(error["input"]), names)
        return _WrongValue("unknown-value", message, f"there is: {listing(names)}", meant)
    if kind in _RANGE:
        key, words = _RANGE[kind]
        message = f"{name}: {value} is out of range; it must be {words} {context[key]:g}"
        return _WrongValue("out-of-range", message)
    if kind == "too_short":
        return _WrongValue("empty", f"{name} is empty", "name at least one, or remove the key")
    if kind == "too_long":
        most = f"at most {context['max_length']} are read"
        return _WrongValue("too-many", f"{name} has {context['actual_length']} values; {most}")
    message = f"{name}: {_EXPECTED.get(kind, error['msg'])}, not {value}"
    return _WrongValue("wrong-type", message)


def _hint_shape(fault: str, steps: Steps, given: Any, kind: type[Spec]) -> str:
    """Return how a value is written that has another shape, and the keys where a mapping stands."""
    if fault in _LISTS and isinstance(given, (str, int, float)) and len(str(given)) <= SHOWN_VALUE:
        return f"write {steps[-1]}: [{given}]"
    if fault == "text" and steps[0] == "columns" and isinstance(given, (list, tuple)):
        return "one column; where several together make a name, add one that joins them to the data"
    if _EXPECTED.get(fault) == "a mapping is expected" and (names := _names(steps, kind)):
        return f"its keys are {listing(names)}"
    return ""


def _dotted(steps: Steps) -> str:
    return ".".join(map(str, steps)) or "the spec"


def _printed(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    try:
        text = "nothing" if value is None else repr(str(value))
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        text = "a number of thousands of digits"
    return text if len(text) <= 80 else text[:79] + "…"


def names_of(part: type[BaseModel]) -> list[str]:
    """Return the keys of a part as they are written in YAML."""
    return [field.alias or name for name, field in part.model_fields.items()]


def _parts(kind: type[Spec]) -> dict[str, list[str]]:
    """Return the keys of every part of a spec, by the key that holds it."""
    parts = {key: _part_keys(field.annotation) for key, field in kind.model_fields.items()}
    parts["models"] = ["column", *FORM_KEYS]
    return {key: names for key, names in parts.items() if names}


def _part_keys(annotation: Any) -> list[str]:
    """Return the keys of a part with keys of its own; none of a plain value, list or mapping."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return names_of(annotation)
    if get_origin(annotation) in (tuple, dict):
        return []
    return [name for inner in get_args(annotation) for name in _part_keys(inner)]


def _names(steps: Steps, kind: type[Spec]) -> list[str]:
    """Return the keys that may stand at a place."""
    if not steps:
        return names_of(kind)
    if steps[0] == "models" and len(steps) > 1:
        return [*FORM_KEYS]
    if len(steps) > 1 and steps[0] in ("sections", "costs"):
        return names_of(TextSection if steps[0] == "sections" else CostColumn)
    return _parts(kind).get(str(steps[0]), [])


def _unknown_key(steps: Steps, document: Document, kind: type[Spec]) -> Problem:
    key, holder = str(steps[-1]), steps[:-1]
    place = document.place(steps, key=True)
    if holder and holder[0] == "models" and key in FORM_KEYS:
        message = f"{_dotted(steps)} does not go with the other keys of {_dotted(holder)}"
        return place.problem("conflict", message, _FORMS, key)
    where = f" under {_dotted(holder)}" if holder else ""
    whole = _ABBREVIATED.get(key.casefold())
    is_short = whole in _names(holder, kind)
    hint = f"did you mean {whole!r}?" if is_short else _hint_unknown(key, holder, kind)
    return place.problem("unknown-key", f"unknown key {key!r}{where}", hint, key)


def _hint_unknown(key: str, holder: Steps, kind: type[Spec]) -> str:
    """Return where a key of this name belongs, else the nearest one: here, or in another part."""
    if holder and key in names_of(kind):
        return f"it belongs at the top level: {key}: ..."
    parts = _parts(kind)
    for part, names in parts.items():
        if key in names:
            entry = f"{{{key}: ...}}"
            return f"it belongs under {part}: {f'{{NAME: {entry}}}' if part == 'models' else entry}"
    here = _names(holder, kind)
    if nearest(key, here, CLOSE):
        return suggestion(key, here)
    if holder:
        above = nearest(key, names_of(kind), CLOSE)
        return f"did you mean {above!r} at the top level?" if above else suggestion(key, here)
    for part, names in parts.items():
        if close := nearest(key, names, CLOSE):
            return f"did you mean {close!r} under {part}?"
    return suggestion(key, here)


def _hint_missing(steps: Steps) -> str:
    cures: dict[Steps, str] = {
        ("data",): "data: predictions.parquet",
        ("truth",): "truth: the column with the true label",
        ("models",): "models: {forest: {score: p_forest}}",
        ("costs", "false_negative"): "both costs are needed",
        ("costs", "false_positive"): "both costs are needed",
    }
    return cures.get(steps, "")


def _hint(steps: Steps, kind: type[Spec]) -> str:
    if steps[:1] == ("models",) and issubclass(kind, ScoresSpec):
        return "write columns: {models: [COLUMN, ...]}, or {model: COLUMN, value: COLUMN}"
    whole: dict[Steps, str] = {
        ("truth",): "name one column, or, for several labels, one by label: {sport: is_sport}",
        ("models",): "write models: {NAME: {score: COLUMN}}",
        ("threshold",): "a number such as 0.5 (without quotes), or {maximise: f1}",
        ("sections",): "default, a list of sections, {omit: [...]}, or {add: [...]}",
        ("measures",): "core, all, or a list of measures",
        ("costs",): "write costs: {false_negative: 5, false_positive: 1}; for several classes, "
        "costs: {TRUE CLASS: {PREDICTED CLASS: 5}}",
        ("confidence",): "write 0.95 for 95 %",
        ("engine",): "auto, exact, streaming, dask, {dask: ADDRESS}, or {spark: ADDRESS}",
    }
    if not steps or steps[0] != "models" or len(steps) == 1:
        return whole.get(steps, "")
    if steps[-1] in OF_CLASSES:
        return f"write {steps[-1]}: {{CLASS: COLUMN, ...}}"
    if steps[-1] in ("score", "label"):
        return "name one column; several classes are written scores: {CLASS: COLUMN, ...}"
    return (
        f"write {steps[1]}: {{score: COLUMN}}, {{label: COLUMN}}, or both"
        if len(steps) == 2
        else ""
    )
