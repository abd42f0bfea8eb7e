"""A fault between the fields of a spec."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.spec.document import Steps


@dataclass(frozen=True, slots=True)
class Issue:
    """Where a fault shows, what is wrong, and what it rests on.

    ``needs`` are the places that must be right before it can be evaluated.
    """

    steps: Steps
    code: str
    message: str
    hint: str = ""
    value: str | None = None
    needs: tuple[Steps, ...] = ()
    key: bool = False
