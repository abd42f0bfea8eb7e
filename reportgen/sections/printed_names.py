"""Printed names of tests, corrections, curves and roles."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.records.definitions import Definitions
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers
from reportgen.text.words import capitalised, listed, without_article

CURVES = {
    "roc": ("ROC", "false-positive rate"),
    "precision_recall": ("Precision–recall", "recall"),
    "cost": ("Cost", "P(+)cost"),
}
"""Names of the curves, and what they are drawn against."""


def comparison_label(name: str, definitions: Definitions) -> str:
    """Printed name of a test, short enough for a cell; of one without definition its own name.

    >>> comparison_label("corrected_resampled_t", Definitions())
    'Corrected resampled t'
    """
    test = definitions.test(name)
    return test.short if test else capitalised(name.replace("_", " "))


def full_label(label: str) -> str:
    """A test's name as a caption has it, from its name in a sentence.

    >>> full_label("The corrected resampled t-test")
    'Corrected resampled t-test'
    """
    return capitalised(without_article(label))


MARKS = {
    "recommended": ("✓", "recommended here"),
    "avoid": ("✗", "do not use here, for the reason in its footnote"),
}
"""What stands behind the name of a test, by its recommendation, and what it says."""


def marked(row: ComparisonRow, name: str = "") -> str:
    """Printed name of a record's test, or another, with the mark of its recommendation.

    >>> marked(ComparisonRow(short="DeLong", recommendation="avoid"))
    'DeLong ✗'
    """
    mark, _ = MARKS.get(row.recommendation, ("", ""))
    shown = name or row.short
    return f"{shown} {mark}" if mark and _is_marked(row) else shown


def _is_marked(row: ComparisonRow) -> bool:
    """Whether a record has a mark: a test without a value has its reason alone."""
    return not (row.undefined and row.recommendation == "avoid")


def mark_notes(records: Sequence[ComparisonRow], chosen: str | None = None) -> tuple[str, ...]:
    """What the marks in a table say, where it has any; the spec may have chosen a test.

    >>> undefined = ComparisonRow(recommendation="avoid", undefined="no row differs")
    >>> mark_notes([undefined]), mark_notes([ComparisonRow(recommendation="avoid")])
    ((), ('✗ do not use here, for the reason in its footnote.',))
    """
    marks = {row.recommendation for row in records if _is_marked(row)}
    texts = [f"{mark} {text}" for key, (mark, text) in MARKS.items() if key in marks]
    if any(chosen and row.comparison == chosen and row.doubt for row in records):
        texts[0] += ", or chosen in the spec"
    return (f"{'; '.join(texts)}.",) if texts else ()


def effect_notes(records: Sequence[ComparisonRow]) -> tuple[str, ...]:
    """What tests show in place of the difference of the measure, where they do.

    >>> of_q = {"short": "Cochran Q", "effect": "share of the maximum of Q", "estimate": 0.1}
    >>> effect_notes([ComparisonRow(**of_q), ComparisonRow(short="DeLong", estimate=0.2)])
    ('Effects other than plain differences. Share of the maximum of Q: Cochran Q.',)
    """
    tests_of: dict[str, dict[str, None]] = {}
    for row in records:
        if row.estimate is not None and row.effect != "difference":
            tests_of.setdefault(row.effect, {})[row.short] = None
    texts = [f"{capitalised(effect)}: {listed([*of])}" for effect, of in tests_of.items()]
    return (f"Effects other than plain differences. {'; '.join(texts)}.",) if texts else ()


def symbol_notes(records: Sequence[ComparisonRow], definitions: Definitions) -> list[str]:
    """What the symbols of these tests stand for, where that needs saying."""
    tests = (definitions.test(row.comparison) for row in records)
    return sorted({t.symbol_note for t in tests if t and t.symbol_note}, key=str.casefold)


def with_critical(row: ComparisonRow, definitions: Definitions) -> str:
    """The statistic of a record, and in brackets the value at which it rejects; n/a without one."""
    value, test = row.statistic, definitions.test(row.comparison)
    if value is None:
        return numbers.UNDEFINED
    if test is not None and test.counts:
        text = count(row.symbol, value)
    else:
        text = statistic(row.symbol, value, row.df, row.df_denominator)
    critical = row.critical_statistic
    return text if critical is None else f"{text} ({numbers.fixed(critical, 2)})"


def statistic(symbol: str, value: float, *degrees: float | None) -> str:
    """A statistic with its symbol and its degrees of freedom, where it has them.

    >>> statistic("t", -0.12, 9.0), statistic("F", 4.59, 3.0, 39.0)
    ('t(9) = −0.12', 'F(3, 39) = 4.59')
    >>> statistic("t", 2.0, 19999.0), statistic("t", 2.0, 38.9412)
    ('t(19,999) = 2.00', 't(38.94) = 2.00')
    """
    degrees_text = ", ".join(_degrees(df) for df in degrees if df is not None)
    return _equation(f"{symbol}({degrees_text})" if degrees_text else symbol, value, 2)


def count(symbol: str, value: float) -> str:
    """A statistic that is a count or a sum of ranks, with its symbol.

    >>> count("W", 44429.5), count("x", 3.0)
    ('W = 44,429.5', 'x = 3')
    """
    return _equation(symbol, value, 0 if float(value).is_integer() else 1)


def _equation(name: str, value: float, digits: int) -> str:
    text = numbers.fixed(value, digits)
    return f"{name} = {text}" if name else text


def _degrees(df: float) -> str:
    """Degrees of freedom: four significant digits, and whole ones from 1,000 on."""
    return f"{df:,.0f}" if df >= 1000 else f"{df:.4g}"
