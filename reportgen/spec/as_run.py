"""The text of a spec as it was run: the file with what the command line set in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.errors import SpecError
from reportgen.spec.document import Document, Steps, parse
from reportgen.spec.scalars import Plain
from reportgen.spec.yaml_text import block, flow, quoted


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
