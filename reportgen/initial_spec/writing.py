"""A spec as YAML text, each guess with its reason in a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.column_statistics import as_float
from reportgen.initial_spec.candidates import ColumnRoles
from reportgen.initial_spec.profile import FEW
from reportgen.predictions.files import SEPARATORS, UTF8, DataFile
from reportgen.spec.naming import UNNAMED, is_name, name_of
from reportgen.spec.nearest import listing
from reportgen.spec.yaml_text import Plain, quoted, resolve
from reportgen.tasks import TASKS
from reportgen.text.words import name_words as words

_SAYS_NOTHING = words(
    "predictions prediction predicted preds pred data dataset results result test val valid "
    "validation train eval evaluation output outputs oof scores out file table report"
)
"""Words in the name of a file that say nothing of what it is about."""

_TOO_SHORT = 2
"""Letters of a name, such as p, that files in other folders have too."""

IN_LINE = 4
"""Classes that a model may have to be written on one line."""


def data_lines(file: DataFile, *, pin: bool, guessed: bool) -> list[str]:
    """Return the lines that name the builds and the file: ``pin`` makes its hash a condition.

    ``guessed``: its encoding is a guess.
    """
    name = quoted(file.path.name)
    folder = re.sub(r"\.(csv|tsv|txt)$", "", name_of(file.path))
    parent = name_of(Path(file.path.absolute().parent.name + ".yaml"))
    if parent != UNNAMED and words(folder) <= _SAYS_NOTHING:
        folder = parent
    elif parent != UNNAMED and len(folder) <= _TOO_SHORT:
        both = f"{parent}-{folder}"
        folder = both if is_name(both) else parent
    lines = (
        [f"name: {quoted(folder)}  # names the folder of its builds"] if folder != UNNAMED else []
    )
    lines.append(f"data: {name}")
    if file.examined is not None:
        start, end = ("", "") if pin else ("# ", "  # build only from these bytes")
        lines.append(f"{start}sha256: {{{name}: {file.examined.sha256}}}{end}")
    if file.encoding != UTF8:
        why = "  # a guess: correct it if names or labels look wrong" if guessed else ""
        lines.append(f"encoding: {file.encoding}{why}")
    if file.between not in (None, SEPARATORS.get(file.format)):
        lines.append(f"separator: {quoted(file.between or '')}")
    if file.decimal != ".":
        lines.append(f"decimal: {quoted(file.decimal)}")
    return lines


def first_lines(shape: tuple[int, int]) -> list[str]:
    """Where a spec comes from, and what to do next."""
    return [
        f"# Written by `reportgen init` from {shape[0]:,} rows and {shape[1]} columns.",
        "# Each guess has its reason beside it; correct what is wrong, then run `reportgen build`.",
    ]


def written(
    data: Sequence[str],
    roles: ColumnRoles,
    uses: Mapping[str, str],
    slices: Mapping[str, bool],
    shape: tuple[int, int],
    notes: Sequence[str] = (),
    ranges: Sequence[str] = (),
    remarks: Sequence[str] = (),
) -> str:
    """Return the text of a spec: its data, the columns and why, and further options.

    ``notes`` are comments on columns that could be declared, ``ranges`` columns of numbers whose
    ranges could be subgroups, ``remarks`` comments on models and on columns that none has.
    ``slices`` says of each column of subgroups whether they are to be shown.
    """
    lines = [
        *first_lines(shape),
        *data,
        "",
        *([] if TASKS[roles.task].two_classes else [f"task: {roles.task}"]),
        *_truth_lines(roles),
    ]
    if roles.positive is not None:
        why = _comment(roles.positive.why)
        lines.append(f"positive: {_label(roles.positive.column)}  # {why}")
    if roles.left_out:
        counts = [f"{_comment(label)} {n:,}" for label, n in roles.left_out.items()]
        rows = f"{', '.join(counts)} of {shape[0]:,} rows"
        labels = ", ".join(map(_label, roles.left_out))
        lines.append(f"leave_out: [{labels}]  # {rows}; remove a label that is a class")
    comments = (f"# {one[0].upper()}{_comment(one[1:])}" for one in remarks)
    lines += ["", *comments, *_model_lines(roles)]
    notes = [*notes, *_without_fold(roles, uses)]
    if uses:
        lines += ["", "columns:  # recognised by names and contents"]
        lines += [f"  {use}: {quoted(column)}" for use, column in uses.items()]
    elif notes:
        lines += ["", "# columns:"]
    start = "  # " if uses else "#   "
    lines += [f"{start}{_comment(note)}" for note in notes]
    lines.append("")
    if shown := [name for name, is_shown in slices.items() if is_shown]:
        why = "forecast horizons: values pooled over horizons describe none of them"
        lines.append(f"slices: [{', '.join(map(quoted, shown))}]  # {why}")
    elif slices:
        lines.append(f"# slices: [{', '.join(map(quoted, slices))}]  # subgroups to show")
    if ranges:
        names = ", ".join(map(_comment, map(repr, ranges)))
        lines.append(f"# Subgroups of {names}: add a column of ranges, such as 20-29, and name it.")
    if TASKS[roles.task].two_classes and not roles.graded:
        scored = any("score" in model.keys for model in roles.models)
        lines += [_threshold_line(roles)] if scored else []
        lines.append("# costs: {false_negative: 10, false_positive: 1}  # 1 each when left out")
    if TASKS[roles.task].several_classes:
        lines += _order_lines(roles)
    lines += [
        "confidence: 0.95",
        "# gates:  # conditions that the build must meet",
        f"#   - {_gate(roles)}",
    ]
    return "\n".join(lines) + "\n"


def _without_fold(roles: ColumnRoles, uses: Mapping[str, str]) -> Iterator[str]:
    """What is missing where the rows are cross-validated: else they are taken as one test set."""
    if not roles.graded and not {"fold", "repeat", "time"} & uses.keys():
        yield "fold: FOLD  # of cross-validated rows; without it they are taken as one test set"


_GRADES = (
    "none never absent normal healthy no 无 正常",
    "very_low very_poor trivial",
    "low poor bad small mild minor rarely negative beginner 低 差 轻 轻度 小",
    "medium mid moderate fair average middle sometimes neutral intermediate 中 中等 中度",
    "high good large severe major serious often positive advanced 高 好 良 重 重度 大",
    "very_high very_good critical extreme always expert 很高 优",
    "excellent fatal",
)
"""Words of labels that are grades, from lowest to highest."""

_GRADE = {word: grade for grade, line in enumerate(_GRADES) for word in line.split()}


def _order_lines(roles: ColumnRoles) -> list[str]:
    """The key for ordered classes: where classes are numbers, or labels that are grades."""
    if roles.truth.numbers is not None:
        return ["# ordered: true  # if the classes are ordered, as ratings are"]
    if _by_grade(roles):
        return ["# ordered: true  # if the classes are ordered, as their names suggest"]
    return []


def _by_grade(roles: ColumnRoles) -> list[str]:
    """The labels from first to last where all are grades, no two of one grade; else none."""
    labels = _labels(roles)
    grades = {label: _GRADE.get(re.sub(r"\W+", "_", label.casefold())) for label in labels}
    places = [grade for grade in grades.values() if grade is not None]
    if roles.truth.numbers is not None or len(set(places)) < len(grades):
        return []
    return [label for _, label in sorted(zip(places, grades, strict=True))]


def _labels(roles: ColumnRoles) -> list[str]:
    """The labels of the truth, and those that are predicted only.

    Of many, which nobody looks up by the alphabet, the most frequent come first.
    """
    if roles.truth.numbers is None and roles.truth.distinct > FEW:
        counts = roles.truth.texts.alias("label").value_counts(name="n")
        labels = counts.drop_nulls().sort("n", "label", descending=[True, False])["label"]
    else:
        labels = roles.truth.texts.unique().drop_nulls().sort()
    return [*labels.to_list(), *roles.unseen]


def _class_lines(roles: ColumnRoles) -> list[str]:
    """The classes in their order, where they have one, or are more than those of the truth."""
    grades = _by_grade(roles) if TASKS[roles.task].several_classes else []
    if not grades and not roles.unseen:
        return []
    reasons = ["from first to last, as their names suggest"] if grades else []
    if roles.unseen:
        reasons.append(f"{_comment(listing(roles.unseen))}: predicted only")
    labels = ", ".join(map(_label, grades or _labels(roles)))
    return [f"classes: [{labels}]  # {'; '.join(reasons)}"]


def _threshold_line(roles: ColumnRoles) -> str:
    """A threshold on the scale of the scores, which are not probabilities everywhere."""
    names = {key for model in roles.models for key in _score_names(model.keys)}
    scores = [c.numbers for c in roles.assigned if c.name in names and c.numbers is not None]
    scales = {_scale(as_float(s.min(), 0.0), as_float(s.max(), 1.0)) for s in scores}
    if len(scales) > 1:
        why = "no threshold fits the scales of all scores; chosen on these rows"
        return f"threshold: {{maximise: f1}}  # {why}"
    return _THRESHOLDS[next(iter(scales), "probability")]


_THRESHOLDS = {
    "probability": "threshold: 0.5  # scores of at least this are positive; or {maximise: f1}",
    "signed": "threshold: 0  # a guess, as for log-odds and margins; or {maximise: f1}",
    "percent": "threshold: 50  # as for percentages: divide them by 100 to have Brier score, "
    "calibration and costs too",
    "other": "threshold: {maximise: f1}  # scores are not probabilities; chosen on these rows, so "
    "set one that you use",
}


def guessed_threshold(roles: ColumnRoles) -> list[str]:
    """What to tell of a threshold of scores below and above 0, which may be on any scale."""
    of_scores = TASKS[roles.task].has_threshold and _threshold_line(roles) == _THRESHOLDS["signed"]
    note = "the threshold is a guess: 0, as for log-odds and margins: state it under threshold:"
    return [note] if of_scores else []


def _scale(low: float, high: float) -> str:
    """What the smallest and the largest score say of their scale."""
    if low >= 0 and high <= 1:
        return "probability"
    if low < 0 < high:
        return "signed"
    return "percent" if low >= 0 and 50 < high <= 100 else "other"


def _score_names(keys: Mapping[str, Any]) -> list[str]:
    score, scores = keys.get("score"), keys.get("scores", {})
    return [*([score] if score else []), *scores.values()]


def _other_truths(roles: ColumnRoles) -> str:
    """What the comment on the truth says of other columns that may be it."""
    text = ""
    if roles.rivals and not roles.graded:
        text = f". A guess: it may be {' or '.join(map(_comment, map(repr, roles.rivals)))}"
    for name, gaps in roles.with_gaps.items():
        text += f". It may be {_comment(repr(name))}, without a value in {gaps:,} rows"
    return text


def _truth_lines(roles: ColumnRoles) -> list[str]:
    if roles.graded:
        return [f"graded: true  # {roles.why}"]
    if not roles.truths:
        truth = f"truth: {quoted(roles.truth.name)}  # {roles.why}{_other_truths(roles)}"
        return [truth, *_class_lines(roles)]
    by_label = [f"  {_label(k)}: {quoted(c.name)}" for k, c in roles.truths.items()]
    return [f"truth:  # {roles.why}", *by_label]


def _model_lines(roles: ColumnRoles) -> list[str]:
    long = roles.used.get("model")
    if long is not None:
        why = f"long form; its names are {listing(sorted(long.labels))}"
        keys = {"column": long.name, **roles.models[0].keys}
        return _entry("models", keys, why, "")
    lines = ["models:"]
    for model in roles.models:
        lines += _entry(quoted(model.name), model.keys, model.why, "  ")
    if len(roles.models) > 1:
        lines += ["", f"# baseline: {quoted(roles.models[0].name)}  # compare the others with it"]
    return lines


def _entry(name: str, keys: Mapping[str, Any], why: str, indent: str) -> list[str]:
    """Return a model on one line, or on several where it has many columns."""
    if sum(len(value) for value in keys.values() if isinstance(value, Mapping)) <= IN_LINE:
        return [f"{indent}{name}: {_flow(keys)}  # {_comment(why)}"]
    lines = [f"{indent}{name}:  # {_comment(why)}"]
    for key, value in keys.items():
        if isinstance(value, Mapping):
            lines.append(f"{indent}  {key}:")
            lines += [f"{indent}    {_label(k)}: {quoted(v)}" for k, v in value.items()]
        else:
            lines.append(f"{indent}  {key}: {_flow(value)}")
    return lines


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_label(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    return quoted(value) if isinstance(value, str) else f"{value:g}"


def _gate(roles: ColumnRoles) -> str:
    """Return an example of a gate; one may stand for every model in long form."""
    first = roles.models[0]
    name = first.name if "model" not in roles.used else "MODEL"
    metric = "auc.low >= 0.9" if "score" in first.keys else "accuracy.low >= 0.9"
    metric = TASKS[roles.task].example_gate or metric
    simple = re.fullmatch(r"[^\W\d]\w*", name)
    return f"{name}.{metric}" if simple else f"'\"{_comment(name)}\".{metric}'"


def _label(text: str) -> str:
    """Return a label; one such as 1 or true may stand without quotes."""
    return text if isinstance(resolve(text), Plain) and text.isalnum() else quoted(text)


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else "�" for c in text)
