"""What all parts of a spec share."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class SpecPart(BaseModel):
    """Frozen, and no key but the declared ones.

    The docstring of a field is its description in the JSON schema, which ``described`` gives it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
