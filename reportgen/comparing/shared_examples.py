"""Two samples that may not be independent, as both models may have some of the examples."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.records import Comparison
from reportgen.text.numbers import plural


def against_shared(record: Comparison) -> Iterator[str]:
    """Why a test of two independent samples does not suit these."""
    if record.shared is None:
        yield "nothing shows that the models were evaluated on different examples"
    elif record.shared:
        examples = plural(record.shared, "example")
        yield f"both models have {examples}, whose rows the test treats as independent"
