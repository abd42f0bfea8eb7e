"""Sign-offs: who accepts the results of one build, in which role, and when."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime

from reportgen.errors import DataError, Problem, SpecError

FILE = "sign-offs.json"
"""Name of the record that a signed PDF carries."""

LONGEST = 80
"""Characters of a name or a role, so that page one holds them on a line."""


@dataclass(frozen=True)
class SignOff:
    """A person's acceptance of the results with a SHA-256; ``at`` is in ISO 8601.

    >>> SignOff("20261122-5f0c4a1b", "ab" * 32, "reviewer", "owner", "2026-11-22T20:31:00Z").on
    '22 November 2026, 20:31 UTC'
    """

    build: str
    results_sha256: str
    by: str
    role: str
    at: str

    @property
    def on(self) -> str:
        """When, as page one has it."""
        at = datetime.fromisoformat(self.at).astimezone(UTC)
        return f"{at.day} {at:%B %Y, %H:%M} UTC"


def checked(option: str, text: str) -> str:
    """A name or role that page one can show.

    Raises ``SpecError`` where it is empty, too long or has characters that are not printed.

    >>> checked("--by", " reviewer ")
    'reviewer'
    """
    text = " ".join(text.split())
    if text and len(text) <= LONGEST and text.isprintable():
        return text
    reason = "is empty" if not text else "has more than 80 characters or control characters"
    raise SpecError(Problem("usage", f"the text {reason}", option))


def to_json(sign_offs: Sequence[SignOff], versions: Mapping[str, str]) -> str:
    """The record of sign-offs, with the versions that their PDF was made with."""
    record = {"sign_offs": [asdict(one) for one in sign_offs], "versions": dict(versions)}
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def from_json(content: bytes, place: str) -> tuple[list[SignOff], dict[str, str]]:
    """Read what ``to_json`` wrote.

    Raises ``DataError`` where it is something else.
    """
    names = {field.name for field in fields(SignOff)}
    try:
        record = json.loads(content)
        sign_offs = [
            SignOff(**{name: str(one[name]) for name in names}) for one in record["sign_offs"]
        ]
        for one in sign_offs:
            datetime.fromisoformat(one.at)
        return sign_offs, dict(record["versions"])
    except (ValueError, TypeError, KeyError, RecursionError):
        message = "its sign-offs cannot be read"
        raise DataError(Problem("sign-offs", message, place)) from None
