"""Read a spec: from a file with its positions, or from a mapping."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import Problem, SpecError
from reportgen.spec.as_run import as_run
from reportgen.spec.document import LARGEST, Document, Steps, parse
from reportgen.spec.models import Spec
from reportgen.spec.naming import name_of
from reportgen.spec.nearest import bounded, suggestion
from reportgen.spec.option_groups import Changes
from reportgen.spec.origin import EVERYWHERE, Origin, Roots
from reportgen.spec.overrides import override
from reportgen.spec.scores import ScoresSpec
from reportgen.spec.validation import validated
from reportgen.spec.yaml_text import block

_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Where the system shows standard input and pipes of the shell, which the worker does not have."""


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
    spec = _titled(validated(document, Origin(path.parent, path, text, document, roots)))
    spec._origin.text = as_run(text, document, changes)
    if spec.privacy.comments == "dropped":
        spec._origin.text = without_comments(spec.text)
    return spec


def from_dict(mapping: Mapping[str, Any], base: Path = Path()) -> Spec:
    """Make a spec from plain values; ``data`` may be left out where a frame is evaluated."""
    document = Document({"data": [], **mapping}, source="spec")
    with bounded():
        return _titled(validated(document, Origin(base, None, _text_of(mapping), document)))


def _text_of(mapping: Mapping[str, Any]) -> str:
    """The mapping as YAML; empty where it holds what a file cannot."""
    try:
        return block(mapping)
    except (TypeError, ValueError):
        return ""


def _bytes(path: Path) -> bytes:
    try:
        if str(path) == "-" or str(path).startswith(_STREAMS) or path.is_fifo():
            what = "a pipe" if path.is_fifo() else "standard input"
            message = f"a spec is read from a file, not from {what}"
            hint = "write it to a file beside its data, whose names start from there"
            raise SpecError(Problem("unreadable", message, str(path), hint))
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


def _titled(spec: Spec) -> Spec:
    """The spec with its name and title, which are made up where it has none."""
    name = spec.name or name_of(spec._origin.path)
    named = spec.model_copy(update={"name": name, "title": spec.title or _title(spec)})
    return _of_graded(named) if spec.graded else named


def _of_graded(spec: Spec) -> Spec:
    """The spec without what has no meaning where every answer should be right."""
    changes: dict[str, object] = {}
    if spec.measures == "core":
        changes["measures"] = ("accuracy", "error_rate")
    if not isinstance(spec.sections, tuple):
        kept = spec.sections if isinstance(spec.sections, Changes) else Changes()
        omitted = tuple(dict.fromkeys([*kept.omit, "decisions", "costs"]))
        changes["sections"] = kept.model_copy(update={"omit": omitted})
    return spec.model_copy(update=changes)


def _title(spec: Spec) -> str:
    if isinstance(spec, ScoresSpec):
        of_data_sets = spec.columns.dataset or spec.columns.datasets
        units = "data sets" if of_data_sets else "folds"
        return f"Comparison of models: {spec.measure.replace('_', ' ')} over {units}"
    names = list(spec.models) if isinstance(spec.models, Mapping) else []
    if not names or len(names) > 3:
        return f"Evaluation of {len(names)} models" if names else "Model evaluation"
    *most, last = names
    return f"Evaluation of {', '.join(most)} and {last}" if most else f"Evaluation of {last}"


_OF_MARKDOWN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def without_comments(text: str) -> str:
    r"""Return the values of a spec, rewritten, so that no comment is left.

    >>> print(without_comments("a: 1 # one\n# two\nb: '# kept'"))
    a: 1
    b: "# kept"
    <BLANKLINE>
    """
    return block(parse(text, "spec").value) if text else text


def without_remarks(markdown: str) -> str:
    """Return a Markdown text without its HTML comments.

    >>> without_remarks("a <!-- b --> c")
    'a  c'
    """
    return _OF_MARKDOWN.sub("", markdown)
