"""What a build says on the terminal, in the language of its spec."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from reportgen.translation import ENGLISH, translator

if TYPE_CHECKING:
    from reportgen.results import Results


def steps_in(language: str, on_step: Callable[[str], None]) -> Callable[[str], None]:
    """Return what shows the steps of a build in a language.

    >>> steps_in("zh", print)("publishing")
    发布
    """
    if language == ENGLISH:
        return on_step
    into = translator(language, ())
    return lambda step: on_step(into.text(step))


def in_language(results: Results) -> Callable[[str], str]:
    """Return what puts a message about results into their language; files stay in English."""
    if results.spec.get("language", ENGLISH) == ENGLISH and not results.spec.get("unit"):
        return str
    from reportgen.render.pages import translation

    into = translation(results)
    return str if into is None else into.text
