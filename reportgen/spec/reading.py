"""Read a spec: from a file with its positions, or from a mapping."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from reportgen.errors import MOST_PROBLEMS, Problem, SpecError
from reportgen.spec import checks
from reportgen.spec.as_run import as_run
from reportgen.spec.document import LARGEST, Document, Steps, parse
from reportgen.spec.issue import Issue
from reportgen.spec.models import Spec
from reportgen.spec.naming import name_of
from reportgen.spec.nearest import bounded, suggestion
from reportgen.spec.origin import EVERYWHERE, Origin, Roots
from reportgen.spec.overrides import override
from reportgen.spec.problems import from_pydantic, steps_of
from reportgen.spec.remarks import without_comments
from reportgen.spec.scores import ScoresSpec, kind_of
from reportgen.spec.yaml_text import block

_STAND_INS: dict[str, Any] = {"data": [], "truth": "?", "models": {"?": {"score": "??"}}}
_SCORES: dict[str, Any] = {
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
_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Where the system shows standard input and pipes of the shell, which the worker does not have."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_OPEN_KEYS = ("models", "sha256", "subject to", "truth", "scores", "labels")


def read(
    path: Path,
    overrides: Sequence[str] = (),
    *,
    allowed_roots: Iterable[Path | str] | None = (),
) -> Spec:
    """Read a spec file; ``overrides`` are ``key=value`` pairs with dotted keys.

    Relative paths in the spec start from its folder. It may read files there and
    below, and in ``allowed_roots``: None allows every folder. What ``overrides``
    name may be anywhere. Raises ``SpecError`` with
    the problems of the file.
    """
    with bounded():
        return _read(path, overrides, None if allowed_roots is None else tuple(allowed_roots))


def _read(path: Path, overrides: Sequence[str], allowed_roots: Sequence[Path | str] | None) -> Spec:
    data = _bytes(path)
    document = parse(data, str(path))
    changes: list[tuple[Steps, Any]] = []
    for option in overrides:
        document, steps, value = override(document, option)
        changes.append((steps, value))
    if document.value is None:
        raise SpecError(
            Problem("empty", "the spec is empty", str(path), "`reportgen init DATA` writes one")
        )
    text = data.decode("utf-8").removeprefix("\ufeff")
    roots = EVERYWHERE if allowed_roots is None else Roots.of([path.parent, *allowed_roots])
    spec = _validated(document, Origin(path.parent, path, text, document, roots))
    spec._origin.text = as_run(text, document, changes)
    if spec.privacy.comments == "dropped":
        spec._origin.text = without_comments(spec.text)
    return spec


def from_dict(mapping: Mapping[str, Any], base: Path = Path()) -> Spec:
    """Make a spec from plain values; ``data`` may be left out where a frame is evaluated."""
    document = Document({"data": [], **mapping}, source="spec")
    with bounded():
        return _validated(document, Origin(base, None, _text_of(mapping), document))


def _text_of(mapping: Mapping[str, Any]) -> str:
    """The mapping as YAML; empty where it holds what a file cannot."""
    try:
        return block(mapping)
    except (TypeError, ValueError):
        return ""


def _bytes(path: Path) -> bytes:
    if str(path) == "-" or str(path).startswith(_STREAMS) or path.is_fifo():
        what = "a pipe" if path.is_fifo() else "standard input"
        message = f"a spec is read from a file, not from {what}"
        hint = "write it to a file beside its data, whose names start from there"
        raise SpecError(Problem("unreadable", message, str(path), hint))
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        folder = path.parent if path.parent.is_dir() else Path()
        names = [str(p) for p in sorted(folder.glob("*.y*ml"))]
        hint = suggestion(str(path), names) or "`reportgen init DATA` writes one"
        raise SpecError(Problem("missing-file", "there is no such spec", str(path), hint)) from None
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise SpecError(
            Problem("unreadable", f"the spec cannot be read: {reason}", str(path))
        ) from None


def _validated(document: Document, origin: Origin) -> Spec:
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
    for finding in checks.issues(spec):
        if not shadows.touch(finding):
            place = document.place(finding.steps, key=finding.key)
            problems.append(
                place.problem(finding.code, finding.message, finding.hint, finding.value)
            )
    if problems:
        raise SpecError(*_in_order(problems), more=more)
    defaults = {"name": spec.name or name_of(origin.path), "title": spec.title or _title(spec)}
    return spec.model_copy(update=defaults)


def _surrogates(value: Any, steps: Steps, document: Document) -> Iterator[Problem]:
    """Halves of surrogate pairs, which no text that is written to a file can hold."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _surrogates(key, (*steps, key), document)
            yield from _surrogates(entry, (*steps, key), document)
    elif isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            yield from _surrogates(entry, (*steps, index), document)
    elif isinstance(value, str) and (half := _SURROGATE.search(value)):
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

    def touch(self, finding: Issue) -> bool:
        """Whether a finding may only be the shadow of an error that is reported already."""
        above = any(self.holds(steps) for steps in (finding.steps, *finding.needs))
        return above or finding.steps in self.holders

    def holds(self, steps: Steps) -> bool:
        """Whether a value, or a holder of it, is broken."""
        return any(steps[:end] in self.broken for end in range(len(steps) + 1))


def _title(spec: Spec) -> str:
    if isinstance(spec, ScoresSpec):
        units = "folds" if spec.columns.dataset is None else "data sets"
        return f"Comparison of models: {spec.measure.replace('_', ' ')} over {units}"
    names = list(spec.models) if isinstance(spec.models, Mapping) else []
    if not names or len(names) > 3:
        return f"Evaluation of {len(names)} models" if names else "Model evaluation"
    *most, last = names
    return f"Evaluation of {', '.join(most)} and {last}" if most else f"Evaluation of {last}"
