"""Read a spec, from a file with its positions or from a mapping; and write it as it was run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import Problem, SpecError
from reportgen.metric_names import canonical
from reportgen.spec.document import LARGEST, Document, Steps, parse
from reportgen.spec.models import Spec
from reportgen.spec.naming import name_of
from reportgen.spec.nearest import bounded, suggestion
from reportgen.spec.option_groups import Changes
from reportgen.spec.origin import EVERYWHERE, Origin, Roots
from reportgen.spec.overrides import override
from reportgen.spec.scores import ScoresSpec
from reportgen.spec.validation import validated
from reportgen.spec.yaml_text import Plain, block, flow, quoted

_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Where the system shows standard input and pipes of the shell, which the worker does not have."""

_ENDINGS = ("", ".yaml", ".yml", ".json")
"""Endings of specs; a file with another one is taken for a spec only where it reads as one."""


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
    document = _parsed(data, path)
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


def _parsed(data: bytes, path: Path) -> Document:
    """The YAML of a spec; of a file that does not end as one, say that it may be the data.

    What keeps it from being YAML is said only where it has the key that every spec has.
    """
    faults: tuple[Problem, ...] = ()
    try:
        document = parse(data, str(path))
        if path.suffix in _ENDINGS or isinstance(document.value, Mapping):
            return document
    except SpecError as fault:
        if path.suffix in _ENDINGS:
            raise
        faults = tuple(fault.problems) if b"models:" in data else ()
    hint = f"if it is data, `reportgen init {path.name}` writes a spec for it"
    message = "this is not a spec, which is a short YAML text"
    raise SpecError(Problem("not-a-spec", message, str(path), hint), *faults)


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
        return f"Comparison of models: {_in_title(spec.measure)} over {units}"
    names = list(spec.models) if isinstance(spec.models, Mapping) else []
    if not names or len(names) > 3:
        return f"Evaluation of {len(names)} models" if names else "Model evaluation"
    *most, last = names
    return f"Evaluation of {', '.join(most)} and {last}" if most else f"Evaluation of {last}"


def _in_title(measure: str) -> str:
    """A measure as it is written, but for abbreviations of the catalogue.

    >>> _in_title("auc"), _in_title("mean_accuracy")
    ('AUC', 'mean accuracy')
    """
    from reportgen.metrics import find

    metric = find(canonical(measure))
    return metric.label if metric and metric.label.isupper() else measure.replace("_", " ")


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


def as_run(text: str, document: Document, changes: Sequence[tuple[Steps, Any]]) -> str:
    """Return ``text`` with every change written into it, comments and order kept.

    ``document`` is the spec with all changes. Where a change cannot be written
    in place the values are rewritten, without the comments of the file.
    An engine's address, which may hold a token, is not written.
    """
    if not changes:
        return text
    shown = [change for change in changes if change[0][:1] != ("engine",)]
    edited: str | None = text
    for steps, value in shown:
        edited = None if edited is None else _edited(edited, steps, value)
    expected = _with_engine_of(document.value, parse(text, "spec").value)
    if edited is None or not _reads_as(edited, expected):
        edited = block(expected)
    return f"{_remark(changes)}\n{edited}"


def _with_engine_of(values: Any, written: Any) -> Any:
    """The values with the engine that the file names, if it names one."""
    values = {key: value for key, value in values.items() if key != "engine"}
    if isinstance(written, Mapping) and "engine" in written:
        values["engine"] = written["engine"]
    return values


def _remark(changes: Sequence[tuple[Steps, Any]]) -> str:
    """A comment that names what the command line set.

    >>> _remark([(("threshold",), 0.3), (("columns", "id"), "case")])
    '# As run: threshold, columns.id were set on the command line.'
    """
    names = list(dict.fromkeys(".".join(map(str, steps)) for steps, _ in changes))
    settings = ", ".join(quoted(name) for name in names)
    verb = "was" if len(names) == 1 else "were"
    address = "" if all(steps[:1] != ("engine",) for steps, _ in changes) else "; engine not shown"
    return f"# As run: {settings} {verb} set on the command line{address}."


def _reads_as(text: str, expected: Any) -> bool:
    try:
        return _same(parse(text, "spec").value, expected)
    except SpecError:
        return False


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same, also in what stands in quotes."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other and isinstance(one, Plain) == isinstance(other, Plain)


def _edited(text: str, steps: Steps, value: Any) -> str | None:
    """The text with one value in its place, or None where it cannot be written there."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        node = YAML(typ="safe", pure=True).compose(text)
    except YAMLError:
        return None
    key: Any = None
    for at, step in enumerate(steps):
        entry = _entry(node, step)
        if entry is None:
            return _added(text, node, key, step, _nested(steps[at + 1 :], value))
        key, node = entry
    return _replaced(text, node, key, flow(value))


def _nested(steps: Steps, value: Any) -> Any:
    """A value within new mappings: {a: {b: value}} for the steps a, b."""
    for step in reversed(steps):
        value = {str(step): value}
    return value


def _entry(node: Any, step: str | int) -> tuple[Any, Any] | None:
    if node is None:
        return None
    if node.id == "mapping":
        return next((pair for pair in node.value if pair[0].value == step), None)
    if node.id == "sequence" and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None


def _replaced(text: str, node: Any, key: Any, new: str) -> str:
    start, end = node.start_mark.index, _end(node)
    if start == end and key is not None:  # nothing was written after the key
        start = end = text.index(":", key.end_mark.index) + 1
    if key is None or node.id == "scalar" or node.flow_style:
        gap = " " if text[start - 1 : start] == ":" else ""
        line_end = "\n" if text[start:end].endswith("\n") else ""
        return f"{text[:start]}{gap}{new}{line_end}{text[end:]}"
    after = key.end_mark.index
    between = text[after:start].partition(":")[2].rstrip()
    return f"{text[:after]}: {new}{between}{text[end:]}"


def _end(node: Any) -> int:
    """Where the last thing in a node ends; a block's own mark is where the next one begins."""
    if node.id == "scalar" or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if node.id == "mapping" else last)


def _added(text: str, node: Any, key: Any, step: str | int, value: Any) -> str | None:
    """The text with a new entry at the end of its holder."""
    if node is None or node.id == "scalar":
        # what stood there is no holder of entries
        holder = flow({str(step): value})
        return None if node is None else _replaced(text, node, key, holder)
    is_list = node.id == "sequence"
    entry = flow(value) if is_list else f"{quoted(str(step))}: {flow(value)}"
    if node.flow_style:
        at = node.end_mark.index - 1
        comma = ", " if node.value else ""
        return f"{text[:at]}{comma}{entry}{text[at:]}"
    end = _end(node)
    at = end if text[end - 1 : end] == "\n" else text.find("\n", end) + 1
    if at == 0:  # the last line has no end
        text, at = text + "\n", len(text) + 1
    indent = " " * node.start_mark.column
    return f"{text[:at]}{indent}{'- ' if is_list else ''}{entry}\n{text[at:]}"
