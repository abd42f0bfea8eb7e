"""What all parts of a spec share."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from reportgen.spec.document import Steps


class SpecPart(BaseModel):
    """Frozen, and no key but the declared ones.

    The docstring of a field is its description in the JSON schema, which ``described`` gives it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)


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
