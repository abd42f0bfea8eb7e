"""Values given on the command line: ``--set threshold=0.4``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reportgen.errors import Problem, SpecError
from reportgen.spec.document import OPTION, Document, Place, Steps, parse


def override(document: Document, text: str) -> tuple[Document, Steps, Any]:
    """Return the document with one ``key=value`` applied, the way to the value, and the value.

    The value is read as YAML.

    The key is dotted (``columns.id``, ``data.0``); names that hold dots
    themselves are found when they are in the file.
    """
    option = f"{OPTION} {text}"
    dotted, equals, written = text.partition("=")
    if not equals or not dotted.strip():
        raise SpecError(
            Problem("usage", f"{text!r} is not key=value", OPTION, "for example threshold=0.4")
        )
    given = parse(written, option)
    steps = _steps(document.value, dotted.strip())
    keys = {k: p for k, p in document.keys.items() if k[: len(steps)] != steps}
    values = {k: p for k, p in document.values.items() if k[: len(steps)] != steps}
    place = Place(option)
    for end in range(1, len(steps) + 1):
        keys.setdefault(steps[:end], place)
        values.setdefault(steps[:end], place)
    keys |= {(*steps, *tail): place for tail in given.keys}
    values |= {(*steps, *tail): place for tail in given.values}
    value = _placed(document.value, steps, given.value, option)
    return replace(document, value=value, keys=keys, values=values), steps, given.value


def _steps(value: Any, dotted: str) -> Steps:
    """Return the way that a dotted key means, preferring the longest key that is there."""
    parts = dotted.split(".")
    steps: list[str | int] = []
    while parts:
        if isinstance(value, list) and parts[0].isdecimal():
            index = int(parts.pop(0))
            value = value[index] if index < len(value) else None
            steps.append(index)
        else:
            there = value if isinstance(value, dict) else {}
            ends = range(len(parts), 0, -1)
            end = next((e for e in ends if ".".join(parts[:e]) in there), 1)
            key = ".".join(parts[:end])
            parts = parts[end:]
            value = there.get(key)
            steps.append(key)
    return tuple(steps)


def _placed(holder: Any, steps: Steps, value: Any, option: str) -> Any:
    if not steps:
        return value
    first, tail = steps[0], steps[1:]
    if isinstance(first, int):
        items = list(holder)
        if first > len(items):
            hint = f"the list has {len(items)} entries; the next one is {len(items)}"
            raise SpecError(Problem("usage", f"no entry {first} in the list", option, hint))
        items[first : first + 1] = [
            _placed(items[first] if first < len(items) else None, tail, value, option)
        ]
        return items
    entries = dict(holder) if isinstance(holder, dict) else {}
    entries[first] = _placed(entries.get(first), tail, value, option)
    return entries
