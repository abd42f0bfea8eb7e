"""Labels of two classes: which there are, which is positive, and the columns as booleans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import polars as pl

from reportgen.errors import Problem, SpecError
from reportgen.predictions.abstentions import of_abstentions
from reportgen.predictions.odd_labels import with_rows
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.source import Source, counted, place, row_problems
from reportgen.predictions.text_values import as_text
from reportgen.spec import Spec
from reportgen.spec.nearest import SHOWN, cut, listing, nearest
from reportgen.spec.tasks import reason
from reportgen.spec.yaml_text import quoted

NATURAL = (
    *(("0", "1"), ("0.0", "1.0"), ("false", "true"), ("False", "True"), ("FALSE", "TRUE")),
    *(("-1", "1"), ("-1.0", "1.0")),
)
"""Labels that say themselves which is positive: (negative, positive)."""

_PLAIN = re.compile(r"[\w.+][\w.+-]*")
"""Labels that YAML has without quotation marks."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The two labels as the data spells them."""

    positive: str
    negative: str


def natural_positive(classes: Iterable[str]) -> str | None:
    """Return the class that says itself that it is positive, as 1 beside 0 or −1.

    >>> natural_positive(["-1", "1"]), natural_positive(["ham", "spam"])
    ('1', None)
    """
    present = set(classes)
    return next(
        (positive for negative, positive in NATURAL if present <= {negative, positive}), None
    )


def graded(spec: Spec, frame: pl.DataFrame, columns: Sequence[RequiredColumn]) -> pl.DataFrame:
    """The frame with the label for right as the truth of every row, where answers are graded."""
    named = [w.name for w in columns if w.role == "label" and w.name in frame.columns]
    if not spec.graded or not named:
        return frame
    present = dict(pair for name in named for pair in counts(frame[name]).items())
    right = spec.positive or natural_positive(present)
    if right is None and present:
        message = f"which label is for right answers? There is {counts_text(present)}"
        raise SpecError(spec.problem("graded", "positive-needed", message, "name it as positive:"))
    return frame.with_columns(truth=pl.lit(right))


def counts(values: pl.Series) -> dict[str, int]:
    """Return how often each label occurs, the most frequent first."""
    labels = distinct(values)
    if len(labels) <= 2:
        numbers = [int((values == label).sum()) for label in labels]
    else:
        table = values.drop_nulls().value_counts(name="n")
        labels, numbers = table.to_series(0), table["n"].to_list()
    pairs = zip(as_text(labels).to_list(), numbers, strict=True)
    return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def distinct(values: pl.Series) -> pl.Series:
    """Return the labels that occur; that there are no more than two is seen without a table."""
    labels = values.drop_nulls()
    simple = (
        labels.dtype in (pl.Boolean, pl.String)
        or labels.dtype.is_integer()
        or labels.dtype.is_float()
    )
    if not simple or labels.is_empty():
        return labels.unique()
    other = labels != labels[0]
    if not other.any():
        return labels.head(1)
    second = labels[int(other.arg_max() or 0)]
    if (other != (labels == second)).any():
        return labels.unique()
    return pl.Series(labels.name, [labels[0], second], dtype=labels.dtype)


def counts_text(label_counts: Mapping[str, int]) -> str:
    """Return labels with their counts, at most ``SHOWN`` of them."""
    shown = [f"{cut(label)!r} ({n:,})" for label, n in list(label_counts.items())[:SHOWN]]
    more = len(label_counts) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")


def resolve_labels(
    spec: Spec, truth: pl.Series, others: Sequence[pl.Series], source: Source
) -> Labels | Problem:
    """Return the two labels, or why they cannot be determined.

    Where the truth has one class only, the other label is the one that the
    models' own labels use, or the natural opposite.
    """
    predicted_labels = [text for other in others for text in counts(other)]
    label_counts = counts(truth)
    outcome = resolve_labels_of_counts(
        spec, label_counts, truth.dtype, predicted_labels, source.title
    )
    if isinstance(outcome, Problem) and outcome.code == "many-labels":
        return with_rows(outcome, as_text(truth), label_counts, str(spec.truth), source)
    return outcome


def resolve_labels_of_counts(
    spec: Spec,
    label_counts: Mapping[str, int],
    dtype: pl.DataType,
    predicted_labels: Sequence[str],
    title: str,
) -> Labels | Problem:
    """The same from how often each label occurs in the truth, and what the models say.

    ``title`` names the data.
    """
    where = place(title, str(spec.truth))
    if len(label_counts) > 2:
        return Problem(
            "many-labels",
            f"{len(label_counts):,} labels in the truth, two are expected: "
            f"{counts_text(label_counts)}",
            where,
            _many(spec, label_counts),
            count=len(label_counts),
        )
    natural = next((pair for pair in NATURAL if set(label_counts) <= set(pair)), None)
    positive = None if spec.positive is None else spelled_as(spec.positive, dtype)
    if positive is None:
        if natural is None:
            return _positive_needed(spec, label_counts)
        return Labels(natural[1], natural[0])
    everything = dict.fromkeys([*label_counts, *predicted_labels])
    misspelt = positive not in everything and nearest(positive, everything, 0.7) is not None
    if positive not in label_counts and (len(label_counts) == 2 or misspelt):
        return _positive_unknown(spec, positive, label_counts)
    candidates = [label for label in label_counts if label != positive]
    candidates += [label for label in natural or () if label != positive]
    candidates += [label for label in everything if label != positive]
    return Labels(positive, candidates[0] if candidates else f"not {positive}")


def spelled_as(label: str, dtype: pl.DataType) -> str:
    """Return the spec's label as a column of this type spells its values."""
    if dtype == pl.Boolean:
        return label.lower()
    if dtype.is_numeric() and label.removesuffix(".0").isdecimal():
        return label.removesuffix(".0")
    return label


def _many(spec: Spec, label_counts: Mapping[str, int]) -> str:
    without = [label for label in label_counts if is_no_class(label)]
    if without and len(label_counts) - len(without) == 2:
        labels = ", ".join(map(_written, without))
        return f"to leave out the rows whose truth is no class: leave_out: [{labels}]"
    if spaced := only_spelling(label_counts):
        return spaced
    evidence = reason(spec)
    if evidence is not None and evidence[1][-1] == "score":
        return "several classes need scores: {CLASS: COLUMN, ...}; is this the right column?"
    if evidence is not None and evidence[1] == ("positive",):
        return "several classes have no positive: label; is this the right column?"
    return "is this the right column?"


def only_spelling(labels: Iterable[str]) -> str | None:
    """What to do where labels differ only by case or spaces at their ends; None where they do not.

    >>> only_spelling(["Yes ", "Yes", "No"])
    "'Yes', 'Yes ' differ only by spaces at the ends: remove the spaces"
    >>> only_spelling(["Yes ", "yes", "No"])
    "'Yes ', 'yes' differ only by case or spaces at the ends: write them alike"
    """
    alike: dict[str, list[str]] = {}
    for label in sorted(labels):
        alike.setdefault(label.strip().casefold(), []).append(label)
    several = [spelled for spelled in alike.values() if len(spelled) > 1]
    if not several:
        return None
    named = "; ".join(listing(map(repr, spelled)) for spelled in several)
    if all(len({label.strip() for label in spelled}) == 1 for spelled in several):
        return f"{named} differ only by spaces at the ends: remove the spaces"
    return f"{named} differ only by case or spaces at the ends: write them alike"


def _positive_needed(spec: Spec, label_counts: Mapping[str, int]) -> Problem:
    return spec.problem(
        "truth",
        "positive-needed",
        f"which label is positive? The truth has {counts_text(label_counts)}",
        f"name it, for example positive: {_written(likely_positive(label_counts))}",
    )


def _written(label: str) -> str:
    """A label as the spec may have it: in quotation marks where it would be another one without."""
    plain = _PLAIN.fullmatch(label) and label.lower() != "null"
    return label if plain else quoted(label)


def _positive_unknown(spec: Spec, positive: str, label_counts: Mapping[str, int]) -> Problem:
    close = nearest(positive, label_counts, 0.5)
    return spec.problem(
        "positive",
        "unknown-label",
        f"positive: the truth has no label {positive!r}; it has {counts_text(label_counts)}",
        f"did you mean {close!r}?" if close else "name one of its labels, or correct truth:",
        positive,
    )


def as_booleans(values: pl.Series, labels: Labels) -> pl.Series:
    """Return whether each value is the positive label; null where it is missing."""
    if values.dtype == pl.Boolean:
        return values if labels.positive == "true" else ~values
    distinct_values = distinct(values)
    positive = distinct_values.filter(as_text(distinct_values) == labels.positive)
    is_positive = pl.col(values.name) == positive[0] if len(positive) else pl.lit(value=False)
    return values.to_frame().select(
        pl.when(pl.col(values.name).is_not_null()).then(is_positive).alias(values.name)
    )[values.name]


def unknown(
    values: pl.Series,
    field: RequiredColumn,
    expected_labels: Sequence[str],
    hint: str,
    source: Source,
) -> list[Problem]:
    """Return the rows where a model says a label that is not known."""
    strange = {text: n for text, n in counts(values).items() if text not in expected_labels}
    if not strange:
        return []
    if abstentions := of_abstentions(strange, expected_labels):
        hint += f"; {abstentions}"
    names = (
        f": {counts_text(strange)}"
        if len(strange) <= SHOWN
        else f", {len(strange):,} different ones"
    )
    if values.dtype.is_float() and len(strange) > 2:
        hint += "; if these are scores, declare them as score:"
    texts = as_text(values)
    return row_problems(
        "unknown-label",
        lambda n: counted(n, "unknown label", "unknown labels") + names,
        hint,
        column=field.column,
        wrong=texts.is_in(list(expected_labels)).not_().fill_null(value=False),
        source=source,
        values=texts,
    )


POSITIVE = frozenset(
    {
        *("1", "1.0", "true", "t", "yes", "y", "+", "positive", "pos"),
        *("malignant", "cancer", "tumour", "tumor", "disease", "diseased", "sick", "ill", "case"),
        *("abnormal", "anomaly", "anomalous", "defect", "defective", "failure", "failed", "fault"),
        *("event", "fraud", "fraudulent", "spam", "attack", "intrusion", "present", "relevant"),
        *("churn", "churned", "default", "defaulted", "click", "clicked", "converted"),
        *("是", "有", "真", "正", "正例", "正类", "阳", "阳性", "好瓜", "患病", "有病", "患者"),
        *("да", "sí", "si", "oui", "ja", "sim", "tak", "evet", "はい", "예"),
        *("异常", "恶性", "确诊", "违约", "欺诈", "流失", "死亡", "复发", "垃圾邮件"),
    }
)
"""Names that usually stand for the class that is looked for."""

NEGATIVE = frozenset(
    {
        *("0", "0.0", "-1", "-1.0", "false", "f", "no", "n", "-", "negative", "neg"),
        *("benign", "healthy", "control", "normal", "none", "ham", "legitimate", "genuine"),
        *(
            "absent",
            "irrelevant",
            "否",
            "无",
            "没有",
            "假",
            "负",
            "反例",
            "负类",
            "阴",
            "阴性",
            "坏瓜",
        ),
        *("нет", "nein", "non", "não", "nao", "nie", "nee", "hayır", "いいえ", "아니요"),
        *("正常", "健康", "无病", "未患病", "良性", "对照", "守约", "存活"),
    }
)
"""Names that usually stand for the other class."""

_NO_CLASS = frozenset(
    {
        *("?", "??", "n/a", "n.a.", "na", "n.d.", "nan", "null", "not available", "not applicable"),
        *("unknown", "unk", "unclear", "uncertain", "unsure", "undetermined", "indeterminate"),
        *("inconclusive", "undecided", "ambiguous", "unlabelled", "unlabeled", "unrated"),
        *("missing", "no label", "not assessable"),
        *("not sure", "skip", "skipped", "don't know", "dont know", "cannot tell", "can't tell"),
        *("未知", "不明", "不详", "不确定", "未标注", "未定", "缺失", "无法判断", "待定"),
    }
)
"""Values of a truth that usually are no class."""


def is_no_class(label: str) -> bool:
    """Whether the name of a label says that what is true is not known, or is blank.

    >>> is_no_class("N/A"), is_no_class("Not sure"), is_no_class(" "), is_no_class("benign")
    (True, True, True, False)
    """
    name = re.sub(r"[\s_]+", " ", label.strip().casefold())
    return not name or name in _NO_CLASS


_WEKA = re.compile(r"\A\d+:(?=.)")
"""The number that Weka writes before a label."""


def by_name(label_counts: Mapping[str, int]) -> str | None:
    """Return the label whose name, or whose opposite's name, says that it is positive.

    Weka's labels, such as ``2:yes``, count without their number. Of a label and the same one
    behind a no, the other is it.

    >>> by_name({"1:no": 3, "2:yes": 5}), by_name({"a": 3, "b": 2})
    ('2:yes', None)
    >>> by_name({"nontarget": 3, "target": 2}), by_name({"b": 3, "not_b": 2})
    ('target', 'b')
    """
    positive = [label for label in label_counts if _bare(label) in POSITIVE]
    if positive:
        return positive[0]
    others = [label for label in label_counts if _bare(label) not in NEGATIVE]
    if len(others) == 1 and len(label_counts) == 2 and _bare(others[0]) != "m":  # beside f: sexes
        return others[0]
    return next((b for a, b in permutations(label_counts, 2) if _denies(a, b)), None)


def _denies(label: str, other: str) -> bool:
    """Whether a label is another one behind a no, as nontarget or not_voted."""
    pattern = r"(?:non|not|no)[\W_]*" + re.escape(_bare(other))
    return re.fullmatch(pattern, _bare(label)) is not None


def known_pair(label_counts: Mapping[str, int]) -> bool:
    """Whether the names of both labels say what they are.

    >>> known_pair({"no": 3, "yes": 5}), known_pair({"none": 3, "deductible": 5})
    (True, False)
    """
    kinds = [(_bare(label) in POSITIVE, _bare(label) in NEGATIVE) for label in label_counts]
    return sorted(kinds) == [(False, True), (True, False)]


def _bare(label: str) -> str:
    return _WEKA.sub("", label.casefold())


def likely_positive(label_counts: Mapping[str, int]) -> str:
    """Return the label that is probably the positive one: by its name, else the rarer.

    >>> likely_positive({"benign": 3, "malignant": 5}), likely_positive({"a": 3, "b": 2})
    ('malignant', 'b')
    """
    return by_name(label_counts) or min(label_counts, key=lambda label: label_counts[label])
