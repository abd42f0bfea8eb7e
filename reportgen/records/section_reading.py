"""How results are read: what the sections show first, and what they say beside the decision.

It is worked out once (``concluding.section_reading``) and printed as it stands, as the decision is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

SingleClassKind = Literal["every row positive", "nearly every row positive", "no row positive"]
"""What a model that predicts one class alone, or nearly, predicts."""


def on_rows(kinds: Iterable[SingleClassKind]) -> SingleClassKind:
    """What all of these models predict, in words: nearly every row where one leaves some out.

    >>> on_rows(["every row positive", "nearly every row positive"])
    'nearly every row positive'
    """
    first, *others = kinds
    nearly: SingleClassKind = "nearly every row positive"
    return nearly if nearly in (first, *others) else first


@dataclass(frozen=True, slots=True)
class SingleClass:
    """A model that predicts one class alone on all rows, or on those of ``slice``."""

    model: str
    slice: str | None
    kind: SingleClassKind


@dataclass(frozen=True, slots=True)
class NoConclusion:
    """What of the data leaves no conclusion on which model is better in a measure."""

    measure: str
    why: str


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """What limits say of a claim about a measure that has no test, at the level of the claim.

    ``value``, ``low`` and ``high`` are those at the stated prevalence, null where that is the
    share of the rows, or changes nothing.
    """

    model: str
    null_hypothesis: str
    slice: str | None
    by_limits: Literal["refuted", "supported"]
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class SectionSentences:
    """What sections say before their tables and figures, a sentence each."""

    calibration: tuple[str, ...] = ()
    shift: tuple[str, ...] = ()
    slices: tuple[str, ...] = ()
    pairs_in_slices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """How the results are read.

    ``models`` are those that figures and tables of the sections show, first those ``in_slices``,
    which have figures of their own. ``positives_are_rare``: the top of the list counts, and the
    measures of ``read_first`` come first; ``a_class_is_rare``: measures that ``say_little`` are
    good for who never predicts it. ``no_conclusion`` is of measures that tests compare.
    ``stated_prevalence`` is the one that costs are for, null where it is that of the rows.
    ``median_favoured``: absolute errors favour estimates of the median. A class of fewer than
    ``few_rows`` is small, ``small_slice`` says what a small slice is. ``effect_decimals`` are the
    decimals of differences in the deciding measure, ``interval_widths`` says which intervals gates
    and the test of the margin read, or nothing.
    """

    models: tuple[str, ...] = ()
    in_slices: tuple[str, ...] = ()
    positives_are_rare: bool = False
    a_class_is_rare: bool = False
    read_first: tuple[str, ...] = ()
    say_little: tuple[str, ...] = ()
    no_conclusion: tuple[NoConclusion, ...] = ()
    single_class: tuple[SingleClass, ...] = ()
    claims: tuple[ClaimReading, ...] = ()
    stated_prevalence: float | None = None
    median_favoured: bool = False
    few_rows: int = 0
    small_slice: str = ""
    effect_decimals: int = 3
    interval_widths: str = ""
    sentences: SectionSentences = SectionSentences()

    def against(self, measure: str) -> str | None:
        """What leaves no conclusion on which model is better in a measure."""
        return next((one.why for one in self.no_conclusion if one.measure == measure), None)

    def single_classes(self, of_slice: str | None = None) -> dict[str, SingleClassKind]:
        """The models that predict one class alone on all rows, or in a slice, and which."""
        return {one.model: one.kind for one in self.single_class if one.slice == of_slice}


UNREAD = Reading()
"""Of results without a decision."""
