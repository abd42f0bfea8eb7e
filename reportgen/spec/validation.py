"""Where a bad spec is refused: all of its problems at once, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from reportgen.errors import MOST_PROBLEMS, Problem, SpecError
from reportgen.spec import checks
from reportgen.spec.base import Issue
from reportgen.spec.document import Document, SpecKeys, Steps
from reportgen.spec.models import Spec
from reportgen.spec.origin import Origin
from reportgen.spec.problems import from_pydantic, steps_of
from reportgen.spec.scores import ScoresSpec, kind_of

_STAND_INS: SpecKeys = {"data": [], "truth": "?", "models": {"?": {"score": "??"}}}
_SCORES: SpecKeys = {
    "data": [],
    "columns": {"dataset": "?", "model": "??", "value": "???"},
}
_LIST_STAND_INS: dict[Any, Any] = {
    "data": "?",
    "gates": "?",
    "measures": "?",
    "slices": "?",
    "sections": {"markdown": "?"},
}
SURROGATE = re.compile("[\ud800-\udfff]")
_OPEN_KEYS = ("models", "sha256", "subject to", "truth", "scores", "labels")


def validated(document: Document, origin: Origin) -> Spec:
    """The spec of a document.

    Raises:
        SpecError: with every problem: of characters, of single fields by their types
            (``spec.models``), and of fields that do not go together (``spec.checks``).
    """
    if surrogates := list(islice(_surrogates(document.value, (), document), MOST_PROBLEMS)):
        raise SpecError(*surrogates)
    values = _without_nothing(document.value)
    broken: list[Steps] = []
    problems: list[Problem] = []
    more = 0
    try:
        spec = kind_of(values).model_validate(values)
    except ValidationError as fault:
        errors = fault.errors(include_url=False)
        problems, more = from_pydantic(errors, document, kind_of(values))
        broken = [_broken(error) for error in errors]
        partial = _partial(values, broken)
        if partial is None:
            raise SpecError(*_in_order(problems), more=more) from None
        spec = partial
    spec._origin = origin
    shadows = _Shadows(broken)
    for issue in checks.issues(spec):
        if not shadows.touch(issue):
            place = document.place(issue.steps, key=issue.key)
            problems.append(place.problem(issue.code, issue.message, issue.hint, issue.value))
    if problems:
        raise SpecError(*_in_order(problems), more=more)
    return spec


def _surrogates(value: Any, steps: Steps, document: Document) -> Iterator[Problem]:
    """Halves of surrogate pairs, which no text that is written to a file can hold."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _surrogates(key, (*steps, key), document)
            yield from _surrogates(entry, (*steps, key), document)
    elif isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            yield from _surrogates(entry, (*steps, index), document)
    elif isinstance(value, str) and (half := SURROGATE.search(value)):
        message = f"half of a surrogate pair, U+{ord(half[0]):04X}, in the spec"
        hint = "write the character itself, or as an escape of eight digits"
        yield document.place(steps).problem("surrogate", message, hint)


def _in_order(problems: Sequence[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda p: (p.line is None, p.line or 0, p.column or 0))


def _without_nothing(value: Any, *, is_open: bool = False) -> Any:
    """Return the values without keys that were left blank: their defaults hold."""
    if not isinstance(value, Mapping):
        return value
    return {
        key: _without_nothing(entry, is_open=key in _OPEN_KEYS)
        for key, entry in value.items()
        if entry is not None or is_open
    }


def _partial(values: Any, broken: Sequence[Steps]) -> Spec | None:
    """Return the spec without what is wrong, so that the rest can be checked too."""
    if not isinstance(values, dict):
        return None
    values = _copied(values)
    for steps in broken:
        _remove(values, steps)
    try:
        kind = kind_of(values)
        return kind.model_validate((_SCORES if kind is ScoresSpec else _STAND_INS) | values)
    except ValidationError:
        return None


def _broken(error: ErrorDetails) -> Steps:
    """Return what has to be left out because of an error: the value, or its holder.

    A missing key spoils its holder; an entry of a list stands or falls as one.
    """
    steps = steps_of(error)
    if len(steps) > 2 and isinstance(steps[1], int):
        return steps[:2]
    return steps[:-1] if error["type"] == "missing" and len(steps) > 1 else steps


def _copied(value: Any) -> Any:
    """Return mappings and lists anew, to be changed in place."""
    if isinstance(value, dict):
        return {key: _copied(entry) for key, entry in value.items()}
    return [_copied(entry) for entry in value] if isinstance(value, list) else value


def _remove(holder: dict[Any, Any], steps: Steps) -> None:
    """Remove one of the values in place; a list keeps its order through a stand-in."""
    first, *tail = steps or (None,)
    entry = holder.get(first)
    if tail and isinstance(tail[0], int) and isinstance(entry, list) and first in _LIST_STAND_INS:
        entry[tail[0]] = _LIST_STAND_INS[first]
    elif tail and isinstance(entry, dict):
        _remove(entry, tuple(tail))
    else:
        holder.pop(first, None)


class _Shadows:
    """What is broken already, and so is not reported a second time."""

    def __init__(self, broken: Sequence[Steps]) -> None:
        self.broken = set(broken)
        self.holders = {steps[:end] for steps in broken for end in range(len(steps) + 1)}

    def touch(self, issue: Issue) -> bool:
        """Whether an issue may only be the shadow of an error that is reported already."""
        above = any(self.holds(steps) for steps in (issue.steps, *issue.needs))
        return above or issue.steps in self.holders

    def holds(self, steps: Steps) -> bool:
        """Whether a value, or a holder of it, is broken."""
        return any(steps[:end] in self.broken for end in range(len(steps) + 1))
