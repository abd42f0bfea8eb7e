"""What page one says that has no Chinese line."""

from __future__ import annotations

from reportgen.results import Results
from reportgen.translation import translator
from reportgen.translation.names import names_of


def untranslated(results: Results) -> list[str]:
    """The texts of a decision that the Chinese language file lacks."""
    into, decision = translator("zh", names_of(results.to_dict())), results.decision
    into.text(decision.headline)
    for text in (decision.sentence, *(one.text for one in decision.caveats)):
        into.text(text, "p")
    return sorted(into.missing)
