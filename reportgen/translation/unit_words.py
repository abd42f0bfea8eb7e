"""The unit of the truth, and the word of a spec for the rows of a comparison, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reportgen.translation.phrases import NUMBER, Catalogue
from reportgen.translation.translator import MARKED, Translator, alternatives, is_cited

ENGLISH_CATALOGUE = Catalogue("en", {}, {}, frozenset(), {}, {}, {})

_UNIT = r"(?P<article>\b[Aa] )?(?<!simulated )\b(?P<first>[Dd])ata set(?P<many>s)?\b"
_CHINESE = r"(?P<chinese>数据集)"


_IRREGULAR = {
    "series": "series",
    "species": "species",
    "child": "children",
    "person": "people",
    "man": "men",
    "woman": "women",
    "mouse": "mice",
    "corpus": "corpora",
    "analysis": "analyses",
    "leaf": "leaves",
}
"""Plurals that no rule of spelling gives."""


def plural(word: str) -> str:
    """More than one of what a word names.

    >>> [plural(word) for word in ("item", "query", "class", "day", "time series", "child")]
    ['items', 'queries', 'classes', 'days', 'time series', 'children']
    """
    head, last = word[: word.rfind(" ") + 1], word[word.rfind(" ") + 1 :]
    if last.lower() in _IRREGULAR:
        return head + _IRREGULAR[last.lower()]
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(s|x|z|ch|sh)$", word) else f"{word}s"


@dataclass
class UnitWords(Translator):
    """Names the rows of a comparison by ``words``, one and many; the rest as ``within`` does.

    Names of the user's data and references stay as they are.
    """

    words: tuple[str, str] = ("item", "items")
    within: Translator | None = None
    _pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        """Prepare what finds the words, but no name that holds them."""
        super().__post_init__()
        names = alternatives(name for name in self.names if "data set" in name.lower()).pattern
        self._pattern = re.compile(rf"(?P<name>{names})|{_UNIT}|{_CHINESE}")

    def begin(self) -> None:
        """Begin a page."""
        if self.within is not None:
            self.within.begin()

    def text(self, segment: str, block: str = "title") -> str:
        """A segment with the spec's word."""
        return self._named(segment if self.within is None else self.within.text(segment, block))

    def label(self, text: str) -> str:
        """A text of a drawing with the spec's word."""
        return self._named(text if self.within is None else self.within.label(text))

    def _named(self, text: str) -> str:
        return text if is_cited(text) else self._pattern.sub(self._word, text)

    def _word(self, match: re.Match[str]) -> str:
        if match["name"]:
            return match[0]
        one, many = self.words
        if match["chinese"]:
            return one
        word = many if match["many"] else one
        if match["article"]:
            article = "an" if word[0].lower() in "aeiou" else "a"
            return f"{article if match['article'][0] == 'a' else article.capitalize()} {word}"
        return word[0].upper() + word[1:] if match["first"] == "D" else word


def with_unit(within: Translator | None, unit: Sequence[str], names: Iterable[str]) -> UnitWords:
    """What names the rows of a comparison as ``unit`` does: one of them, and many where it says."""
    one, many = unit[0], unit[1] if len(unit) > 1 else plural(unit[0])
    catalogue = ENGLISH_CATALOGUE if within is None else within.catalogue
    return UnitWords(catalogue, frozenset(names), words=(one, many), within=within)


AXES = ("True value", "Truth", "Estimate", "Residual", "Residual (truth − estimate)")
"""Titles of axes and heads of columns that hold values of the truth or what they differ by."""

_OF_TRUTH = ("Mean of the truth",)
_HEAD = re.compile(
    r"([^,]+?)(?:, .+)? \([^()]*\bCI\)|(.+?) and differences between models|[Vv]alue"
)
_BRACKET = re.compile(r" ?[(（]")
_STATED = re.compile(
    rf"(?<=truth )({NUMBER})(?= on average)|(?<=deviation )({NUMBER})(?![\d%]|\s%)"
    rf"|(?<=estimates )({NUMBER})(?= too )|(?<=rows within )({NUMBER})"
    rf"|(?<=: )({NUMBER})(?= too (?:low|high)$)|(?<=偏离最远：偏[低高] )({NUMBER})$"
    rf"|(?<=真实值均值 )({NUMBER})|(?<=标准差 )({NUMBER})"
)
_FURTHER = re.compile(rf"({NUMBER})(?= (?:higher|lower)\b)|(?<=[高低] )({NUMBER})(?!\d|\s?%)")
_RESIDUALS = re.compile(rf"(?<=, )(?:from|从) {NUMBER} (?:to|至|到) {NUMBER}$")
_BIAS = "mean error"
_POWERS = {1: "", 2: "²"}
_DIFFERS = re.compile(r" (?:higher|lower)\b")
_AHEAD_BY = re.compile(r" by |显著领先")
_BETWEEN = (
    r" | within (?:a margin of |the margin of )?| ?在(?:界值)? ?"
    r"| of | by | of [^.,;:]{1,60} is | 为 | ?显著领先 "
)
"""What stands between a measure and its number, such as the model that it is of."""
_POINTS = "percentage points", "个百分点"
"""What a difference of percentages is in, in English and in Chinese."""
_COMPOUND = re.compile(r"[\s/·*^²³\d]")


@dataclass
class TruthUnit(Translator):
    """Sets ``unit`` behind labels of measures in it, by ``powers``, and behind their numbers.

    Labels are English; ``others`` are those of measures without it. ``within`` translates.
    """

    unit: str = ""
    powers: Mapping[str, int] = field(default_factory=dict)
    others: frozenset[str] = frozenset()
    within: Translator | None = None
    _labels: dict[str, str] = field(init=False)
    _valued: re.Pattern[str] = field(init=False)
    _unitless: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        """Prepare what finds the measures, in English and in the language of the page."""
        super().__post_init__()
        axes = dict.fromkeys((*AXES, *_OF_TRUTH), 1)
        self._labels = {name: self._power(k) for name, k in {**axes, **self.powers}.items()}
        shown = {self._inner(name): self._power(k) for name, k in self.powers.items()}
        plain = {name: self._power(k) for name, k in self.powers.items()}
        self._suffix = {**plain, **shown, _BIAS: self.unit}
        names = alternatives(self._suffix).pattern
        self._valued = re.compile(
            rf"(?:(?<=est )({names}), |(?<![^\W_])({names})(?:{_BETWEEN}))"
            rf"({NUMBER})(?![\d%²]|\s%)"
        )
        others = {*self.others, *(n for n, k in self.powers.items() if k > 1)}
        self._unitless = re.compile(rf"(?<![^\W_])(?:{alternatives(others).pattern})(?![^\W_])")
        self._any = re.compile(rf"(?<![^\W_])(?:{names})(?![^\W_])")

    def begin(self) -> None:
        """Begin a page."""
        if self.within is not None:
            self.within.begin()

    def text(self, segment: str, block: str = "title") -> str:
        """A segment with the unit."""
        result = segment if self.within is None else self.within.text(segment, block)
        return self._measured(segment, result)

    def label(self, text: str) -> str:
        """A text of a drawing with the unit."""
        return self._measured(text, self._inner(text))

    def _inner(self, text: str) -> str:
        return text if self.within is None else self.within.label(text)

    def _power(self, power: int) -> str:
        compound = power > 1 and _COMPOUND.search(self.unit)
        return (f"({self.unit})" if compound else self.unit) + _POWERS[power]

    def _measured(self, source: str, result: str) -> str:
        if is_cited(source):
            return result
        parts = MARKED.fullmatch(source)
        core = parts[2] if parts else source
        if core in self._labels and core not in self.names:
            return self._headed(result, self._labels[core])
        head = _HEAD.fullmatch(core)
        if head and head[1] in self.powers:
            return self._before_bracket(result, self._labels[head[1]])
        return self._in_sentence(source, result)

    def _headed(self, text: str, unit: str) -> str:
        before, core, after = _parts(text)
        if "(" in core or "（" in core:
            return f"{before}{self._before_bracket(core, unit)}{after}"
        set_unit = f" ({unit})" if self.within is None else f"（{unit}）"
        return f"{before}{core}{set_unit}{after}"

    def _before_bracket(self, text: str, unit: str) -> str:
        if self.within is not None and "（" in text:
            return text.replace("（", f"（{unit}，", 1)
        return _BRACKET.sub(lambda bracket: f", {unit}{bracket[0]}", text, count=1)

    def _in_sentence(self, source: str, result: str) -> str:
        """A sentence with the unit behind the numbers of measures that have it."""
        text = self._valued.sub(self._with_unit, result)
        text = _STATED.sub(lambda m: f"{m[0]} {self.unit}", text)
        if "residuals" in source:
            text = _RESIDUALS.sub(lambda m: f"{m[0]} {self.unit}", text)
        if self._any.search(source) and not self._unitless.search(source):
            text = _FURTHER.sub(lambda m: f"{m[0]} {self._of_difference(self.unit)}", text)
        return text

    def _with_unit(self, match: re.Match[str]) -> str:
        unit = self._suffix[match[1] or match[2]]
        if _DIFFERS.match(match.string, match.end()) or _AHEAD_BY.search(match[0]):
            unit = self._of_difference(unit)
        return f"{match[0]} {unit}"

    def _of_difference(self, unit: str) -> str:
        """The unit of a difference: of percentages it is no percentage itself."""
        return _POINTS[self.within is not None] if unit == "%" else unit


def _parts(text: str) -> tuple[str, str, str]:
    parts = MARKED.fullmatch(text)
    return (parts[1], parts[2], parts[3]) if parts else ("", text, "")


def with_truth_unit(
    within: Translator | None,
    unit: str,
    names: frozenset[str],
    labels: Mapping[str, int],
) -> TruthUnit:
    """What sets the unit of the truth; ``labels`` has its power in each measure, 0 for none."""
    catalogue = ENGLISH_CATALOGUE if within is None else within.catalogue
    powers = {label: power for label, power in labels.items() if power}
    others = frozenset(label for label, power in labels.items() if not power)
    return TruthUnit(catalogue, names, unit=unit, powers=powers, others=others, within=within)
