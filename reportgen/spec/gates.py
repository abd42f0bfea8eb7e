"""Gates: conditions that a build must meet, such as ``forest.auc.low >= 0.95``.

    MODEL.METRIC[.low|.high] [- MODEL.METRIC[.low|.high]] OP NUMBER
    MODEL.METRIC[.low|.high] OP MODEL.METRIC[.low|.high] [± NUMBER]
    MODEL.METRIC by COLUMN OP NUMBER              every slice of a column
    MODEL.METRIC [by COLUMN] OP previous|accepted [± NUMBER]  an earlier build
    MODEL.METRIC [by COLUMN] within history       all earlier builds

OP is one of ``>=``, ``>``, ``<=``, ``<``. The metric comes last, so a model's
name may hold dots as it is (``forest.v2.auc``); a name with spaces or quotes
is quoted: ``"gradient boosting".auc >= 0.9`` (a quote inside it is doubled).
An average over classes is named like ``macro_f1``, F-beta like ``f_beta(0.7)``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from reportgen.metric_names import canonical

if TYPE_CHECKING:
    from reportgen.tables.results import GateState

Bound = Literal["low", "high"]
Operator = Literal[">=", ">", "<=", "<", "="]
Earlier = Literal["previous", "accepted", "history"]

BOUNDS: Mapping[str, Bound] = {"low": "low", "high": "high"}
OPERATORS: Mapping[str, Operator] = {
    ">=": ">=", "<=": "<=", ">": ">", "<": "<", "=": "=", "==": "="
}  # fmt: skip
EARLIER: Mapping[str, Earlier] = {"previous": "previous", "accepted": "accepted"}
"""What a pattern matched, as what it stands for."""

RESERVED = frozenset({"previous", "accepted", "history", "by", "within"})
"""Words of gates, which name no model."""

EXAMPLE = "forest.auc.low >= 0.95, or forest.recall - logistic.recall > -0.01"

MOST_REMEMBERED = 20_000
"""Conditions whose parts are remembered: every check of a spec reads them again."""

_METRIC = r"""([a-zA-Z]\w*?(?:\([^()"'<>=]*\))?)"""
_SIDE = rf"""("(?:[^"]|"")+"|'(?:[^']|'')+'|[^\s"'<>=]+?)\.{_METRIC}(?:\.(low|high))?"""
_NUMBER = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
_GATE = re.compile(rf"\s*{_SIDE}(?:\s+[-−]\s+{_SIDE})?\s*(>=|<=|>|<|==?)\s*({_NUMBER})\s*")
_MARGIN = rf"(?:\s*([-−+])\s*({_NUMBER.removeprefix('[-+]?')}))?"
_TWO = re.compile(rf"\s*{_SIDE}\s*(>=|<=|>|<)\s*{_SIDE}{_MARGIN}\s*")
_COLUMN = r"""("(?:[^"]|"")+"|'(?:[^']|'')+'|[^\s"'<>=]+)"""
_SLICED = rf"{_SIDE}(?:\s+by\s+{_COLUMN})?"
_BUILD = re.compile(rf"\s*{_SLICED}\s*(>=|<=|>|<)\s*(previous|accepted){_MARGIN}\s*")
_HISTORY = re.compile(rf"\s*{_SLICED}\s+within\s+history\s*")
_BY = re.compile(rf"\s*{_SIDE}\s+by\s+{_COLUMN}\s*(>=|<=|>|<)\s*({_NUMBER})\s*")
_LIMIT = re.compile(rf"\s*(>=|<=|>|<)\s*({_NUMBER})\s*")


@dataclass(frozen=True, slots=True)
class Side:
    """A number of a report: a model's metric, or one end of its interval."""

    model: str
    metric: str
    bound: Bound | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """A parsed gate: ``left`` (minus ``right``) compared with ``limit`` by ``op``.

    ``earlier`` is the build that ``left`` is compared with: the limit is then that of the
    difference to it, and of ``history`` there is none. ``by`` is a column of slices.
    """

    text: str
    left: Side
    right: Side | None
    op: Operator
    limit: float
    earlier: Earlier | None = None
    by: str | None = None

    def holds(self, observed: float) -> bool:
        """Whether the observed number meets the gate."""
        return compare(observed, self.op, self.limit)

    def state(self, limits: Iterable[float]) -> GateState:
        """Whether all, some or none of the limits of an interval meet the gate.

        >>> parse("a.auc >= 0.75").state([0.7, 0.8])
        'inconclusive'
        """
        met = [self.holds(limit) for limit in limits]
        return "pass" if all(met) else "inconclusive" if any(met) else "fail"

    def margin(self, observed: float) -> float:
        """How far the observed number is on the right side of the limit; below 0 on the other.

        >>> parse("a.auc >= 0.75").margin(0.5), parse("a.log_loss < 1").margin(0.5)
        (-0.25, 0.5)
        """
        return (observed - self.limit) * (1 if self.op in (">", ">=") else -1)


def compare(observed: float, op: Operator, limit: float) -> bool:
    """Whether ``observed op limit``."""
    if op == ">=":
        return observed >= limit
    if op == "<=":
        return observed <= limit
    return observed > limit if op == ">" else observed < limit


def sides_of(gate: Gate) -> list[Side]:
    """The numbers that a gate reads."""
    return [side for side in (gate.left, gate.right) if side is not None]


def parse(text: str) -> Gate:
    """Read a gate; ``ValueError`` says what a gate looks like.

    >>> parse("forest.recall - logistic.recall > -0.01").right
    Side(model='logistic', metric='recall', bound=None)
    >>> parse('"gradient boosting".auc.low >= .9').left
    Side(model='gradient boosting', metric='auc', bound='low')
    >>> gate = parse("forest.auc >= logistic.auc - 0.01")
    >>> gate.left.model, gate.right.model, gate.limit
    ('forest', 'logistic', -0.01)
    >>> gate = parse("forest.auc >= previous - 0.01")
    >>> gate.earlier, gate.limit, parse("forest.recall by site >= 0.8").by
    ('previous', -0.01, 'site')
    >>> parse("forest.recall by site within history").by
    'site'
    >>> gate = parse("forest.recall by site >= accepted - 0.05")
    >>> gate.earlier, gate.limit, gate.by
    ('accepted', -0.05, 'site')
    """
    gate = _parsed(text) or _of_builds(text)
    if gate is None or gate.op == "=":
        raise ValueError(
            "a gate reads MODEL.METRIC[.low|.high] [- MODEL.METRIC] OP NUMBER; in each slice, "
            "MODEL.METRIC by COLUMN OP NUMBER; against earlier builds, MODEL.METRIC OP "
            "previous|accepted [± NUMBER] or MODEL.METRIC within history"
        )
    return gate


@lru_cache(maxsize=MOST_REMEMBERED)
def _of_builds(text: str) -> Gate | None:
    """A gate against earlier builds, or by slice; the ends of an interval have no such gate."""
    if match := _HISTORY.fullmatch(text):
        gate = Gate(text, _side(*match.group(1, 2, 3)), None, ">=", 0.0, "history", _by(match))
    elif match := _BUILD.fullmatch(text):
        limit = float(match[8] or 0) * (1 if match[7] == "+" else -1)
        left, op, build = _side(*match.group(1, 2, 3)), OPERATORS[match[5]], EARLIER[match[6]]
        gate = Gate(text, left, None, op, limit or 0.0, build, _by(match))
    elif match := _BY.fullmatch(text):
        left, op = _side(*match.group(1, 2, 3)), OPERATORS[match[5]]
        gate = Gate(text, left, None, op, float(match[6]), by=_by(match))
    else:
        return None
    return gate if gate.left.bound is None and math.isfinite(gate.limit) else None


def _by(match: re.Match[str]) -> str | None:
    """The column of slices of a gate, without its quotes."""
    return match[4] and _unquoted(match[4])


def parse_side(text: str) -> Side:
    """Read a number such as ``forest.auc``; ``ValueError`` says what it looks like.

    >>> parse_side("forest.v2.auc")
    Side(model='forest.v2', metric='auc', bound=None)
    """
    match = re.fullmatch(rf"\s*{_SIDE}\s*", text)
    if match is None or match[3]:
        raise ValueError("a number reads MODEL.METRIC, such as forest.auc")
    return _side(match[1], match[2], None)


def parse_claim(text: str) -> Gate:
    """Read a claim about one model; ``ValueError`` says what it looks like.

    >>> parse_claim("tree.error_rate = 0.1").op, parse_claim("tree.error_rate <= 0.1").op
    ('=', '<=')
    """
    claim = _parsed(text)
    if claim is None or claim.right or claim.left.bound:
        raise ValueError("a claim reads MODEL.METRIC OP NUMBER, where OP is <=, <, >=, > or =")
    return claim


@lru_cache(maxsize=MOST_REMEMBERED)
def _parsed(text: str) -> Gate | None:
    if match := _GATE.fullmatch(text):
        right = match.group(4, 5, 6) if match[4] else None
        op, limit = match[7], float(match[8])
    elif match := _TWO.fullmatch(text):
        right = match.group(5, 6, 7)
        op, limit = match[4], float(match[9] or 0) * (1 if match[8] == "+" else -1)
    else:
        return None
    if not math.isfinite(limit):
        return None
    left = _side(*match.group(1, 2, 3))
    other = None if right is None else _side(*right)
    return Gate(text, left, other, OPERATORS[op], limit or 0.0)


def parse_limit(text: str) -> tuple[Operator, float]:
    """Read the limit of a constraint, such as ``>= 0.95``.

    >>> parse_limit(">= 0.95")
    ('>=', 0.95)
    """
    match = _LIMIT.fullmatch(text)
    if match is None or not math.isfinite(float(match[2])):
        raise ValueError("a limit reads OP NUMBER, such as '>= 0.95'")
    return OPERATORS[match[1]], float(match[2])


def _unquoted(name: str) -> str:
    if name[0] in "\"'":
        return name[1:-1].replace(name[0] * 2, name[0])
    return name


def _side(model: str, metric: str, bound: str | None) -> Side:
    model = _unquoted(model)
    return Side(model, canonical(metric), BOUNDS[bound] if bound else None)


_PERCENT = re.compile(r"(?<!\d)(\d++(?:\.\d++)?) ?%")
"""A percentage: tried once for all digits in a row, of which a hostile spec has many."""

_BARE = re.compile(r"\s*([A-Za-z]\w*)(?:\.(?:low|high))?\s*[<>=]")
"""A measure without a model, in the place of a side."""


def meant(text: str, models: Sequence[str], is_measure: Callable[[str], bool]) -> str | None:
    """The gate with its sign, quotes, percentage or model written as they have to be, or nothing.

    >>> meant("m.auc => 0.9", ["m"], bool), meant("m.recall > 90%", ["m"], bool)
    ('m.auc >= 0.9', 'm.recall > 0.9')
    >>> meant("my tree.auc > 0.9", ["my tree"], bool), meant("auc > 0.9", ["m", "k"], bool)
    ('"my tree".auc > 0.9', 'm.auc > 0.9')
    >>> meant("m.auc is fine", ["m"], bool)
    """
    gate = text.replace("=>", ">=").replace("=<", "<=")
    gate = _PERCENT.sub(lambda share: f"{float(share[1]) / 100:.12g}", gate)
    for name in sorted(models, key=len, reverse=True):
        if re.search(r"\s", name):
            before = rf"(?<![\w\"']){re.escape(name)}(?=\.)"
            gate = re.sub(before, lambda name_at: f'"{name_at[0]}"', gate)
    bare = _BARE.match(gate)
    if bare and models and is_measure(bare[1]):
        model = f'"{models[0]}"' if re.search(r"\s", models[0]) else models[0]
        gate = f"{model}.{gate.lstrip()}"
    return gate if gate != text and _is_gate(gate) else None


def _is_gate(text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True
