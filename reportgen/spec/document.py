"""A YAML 1.2 file as plain values, with the place of every key and value.

Read from ruamel.yaml's events, so that depth is bounded before anything nests.
Only what a spec needs is accepted: one document of mappings, lists and
scalars. Anchors, aliases, tags, duplicate keys, control characters and
anything above 1 MiB, 32 levels, 20,000 keys and values, or 64 KiB in a value
are refused, all of them in one go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NoReturn

from reportgen.errors import Problem, SpecError
from reportgen.spec.yaml_text import resolve

LARGEST = 1 << 20
"""Bytes that a spec may have."""

DEEPEST = 32
"""Levels that a spec may nest."""

OPTION = "--set"
"""How the place of a value begins that was given on the command line."""

MOST_VALUES = 20_000
"""Keys and values that a spec may have: more take seconds to read."""

LONGEST = 1 << 16
"""Characters that a value may have."""

Steps = tuple[str | int, ...]
"""The way from the root to a value: keys and list positions."""

SpecKeys = dict[str, Any]
"""The keys of a spec, or of a part of one, as they are written."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_STRUCTURE = re.compile(r"[\[\]{},:\n]")
_HINTS = {
    "'\\t'": "indent with spaces",
    "found '<block": "indent the keys of one level alike",
    "found '-'": "indent the entries of one list alike",
    "mapping values": "put a space after the colon of a key, and quote text that holds a colon",
}
"""What mends a text that is not YAML, by words of the parser's message."""
_MOST = f"; at most {LONGEST:,} are read"
_TEXT_TAGS = frozenset({"tag:yaml.org,2002:str", "!"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was written: a file with line and column, or an option."""

    source: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}:{self.column}"

    @property
    def order(self) -> tuple[int, int]:
        """What sorts places as they follow each other in the file."""
        return self.line or 0, self.column or 0

    def problem(self, code: str, message: str, hint: str = "", value: str | None = None) -> Problem:
        """Return a problem at this place."""
        return Problem(
            code, message, str(self), hint, line=self.line, column=self.column, value=value
        )


@dataclass(frozen=True)
class Document:
    """Plain values (unquoted numbers and booleans as ``Plain``) and where they stand."""

    value: Any
    keys: dict[Steps, Place] = field(default_factory=dict)
    values: dict[Steps, Place] = field(default_factory=dict)
    source: str = ""

    def place(self, steps: Steps, *, key: bool = False) -> Place:
        """Return the place of a value or key; of the nearest holder when it is not written."""
        for end in range(len(steps), -1, -1):
            table = self.keys if key and end == len(steps) else self.values
            if steps[:end] in table:
                return table[steps[:end]]
        return Place(", ".join(part for part in (self.source, ".".join(map(str, steps))) if part))

    def find(self, dotted: str) -> Steps:
        """Return the steps of a dotted path; keys may hold dots themselves."""
        for steps in self.values:
            if ".".join(map(str, steps)) == dotted:
                return steps
        return tuple(dotted.split("."))


def parse(data: bytes | str, source: str) -> Document:
    """Read one YAML document; ``source`` names it in messages.

    Raises ``SpecError`` with every problem.
    """
    text = _decoded(data, source)
    builder = _Builder(source)
    document = builder.document(text)
    if builder.problems:
        raise SpecError(*builder.problems)
    return document


def _decoded(data: bytes | str, source: str) -> str:
    size = len(data.encode("utf-8", "surrogatepass")) if isinstance(data, str) else len(data)
    if size > LARGEST:
        raise SpecError(
            Problem(
                "too-large",
                f"the spec has {size:,} bytes; at most {LARGEST:,} are read",
                source,
                "is this the data file? A spec is a short YAML text.",
            )
        )
    if isinstance(data, str):
        text = data
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as fault:
            place = _position(data[: fault.start].decode("utf-8"), fault.start, source)
            raise SpecError(
                place.problem("encoding", "the spec is not UTF-8 text", "save it as UTF-8")
            ) from None
    text = text.removeprefix("\ufeff")
    controls = [_control(text, m, source) for m in islice(_CONTROL.finditer(text), 10)]
    if controls:
        raise SpecError(*controls)
    longest = max(_STRUCTURE.split(text), key=len) if len(text) > LONGEST else ""
    if len(longest) > LONGEST:
        place = _position(text, text.index(longest), source)
        raise SpecError(
            place.problem("too-large", f"a value of {len(longest):,} characters{_MOST}")
        )
    return text


def _position(text: str, index: int, source: str) -> Place:
    before = text[:index]
    return Place(source, before.count("\n") + 1, index - (before.rfind("\n") + 1) + 1)


def _control(text: str, match: re.Match[str], source: str) -> Problem:
    return _position(text, match.start(), source).problem(
        "control-character",
        f"control character U+{ord(match[0]):04X} in the spec",
        'remove it, or write it as an escape in double quotes, such as "\\x07"',
    )


def _paired(text: str) -> str:
    """Join the halves of a character that JSON writes as two escapes; a half alone stays."""
    if not any("\ud800" <= mark <= "\udfff" for mark in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


class _Builder:
    """Builds values from events and collects what is refused."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.keys: dict[Steps, Place] = {}
        self.values: dict[Steps, Place] = {}
        self.count = 0
        self.events: Iterator[Any] = iter(())

    def document(self, text: str) -> Document:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import MarkedYAMLError, YAMLError

        value: Any = None
        documents = 0
        try:
            self.events = iter(YAML(typ="safe", pure=True).parse(text))
            for event in self.events:
                if type(event).__name__ == "DocumentStartEvent":
                    documents += 1
                    self.version(event)
                    first = next(self.events)
                    if documents > 1:
                        self.refuse(first, "several-documents", *_SEVERAL)
                        break
                    value = self.node(first, (), 1)
        except _RefusedError:
            pass
        except MarkedYAMLError as fault:
            self.problems.append(self.syntax(fault))
        except YAMLError as fault:
            self.problems.append(Place(self.source).problem("yaml", f"not YAML: {fault}"))
        return Document(value, self.keys, self.values, self.source)

    def at(self, event: Any) -> Place:
        mark = event.start_mark
        return Place(self.source, mark.line + 1, mark.column + 1)

    def refuse(self, event: Any, code: str, message: str, hint: str) -> None:
        self.problems.append(self.at(event).problem(code, message, hint))

    def stop(self, event: Any, code: str, message: str, hint: str) -> NoReturn:
        """Refuse what is so large that the rest is not read."""
        self.refuse(event, code, message, hint)
        raise _RefusedError

    def version(self, event: Any) -> None:
        if event.version not in (None, (1, 2)):
            self.refuse(event, "yaml-version", "a spec is YAML 1.2", "remove the %YAML line")

    def syntax(self, fault: Any) -> Problem:
        mark = fault.problem_mark or fault.context_mark
        place = Place(self.source, mark.line + 1, mark.column + 1) if mark else Place(self.source)
        description = ", ".join(str(part) for part in (fault.context, fault.problem) if part)
        hint = next(
            (hint for mark, hint in _HINTS.items() if mark in description),
            "quote text that holds : # or brackets",
        )
        return place.problem("yaml", f"not YAML: {description}", hint)

    def node(self, event: Any, steps: Steps, depth: int) -> Any:
        """Return the value that begins with this event."""
        self.values[steps] = self.at(event)
        self.count += 1
        kind = type(event).__name__
        if self.count > MOST_VALUES:
            message = f"more than {MOST_VALUES:,} keys and values in the spec"
            self.stop(event, "too-large", message, "is this the data file? A spec is short.")
        if kind == "ScalarEvent" and len(event.value) > LONGEST:
            self.stop(event, "too-large", f"a value of {len(event.value):,} characters{_MOST}", "")
        if kind == "AliasEvent":
            self.refuse(event, "yaml-alias", f"alias *{event.anchor} in the spec", _NO_ALIAS)
            return None
        if event.anchor is not None:
            self.refuse(event, "yaml-alias", f"anchor &{event.anchor} in the spec", _NO_ALIAS)
        tag = None if event.tag is None else str(event.tag)
        if tag is not None and not (kind == "ScalarEvent" and tag in _TEXT_TAGS):
            self.refuse(event, "yaml-tag", f"tag {tag} in the spec", "write the value without it")
        if kind == "ScalarEvent":
            text = _paired(event.value)
            return text if tag or event.style else resolve(text)
        if depth > DEEPEST:
            message = f"more than {DEEPEST} levels of nesting"
            self.stop(event, "too-deep", message, "no part of a spec nests that deeply")
        build = self.mapping if kind == "MappingStartEvent" else self.sequence
        return build(steps, depth)

    def sequence(self, steps: Steps, depth: int) -> list[Any]:
        items: list[Any] = []
        for event in self.events:
            if type(event).__name__ == "SequenceEndEvent":
                break
            items.append(self.node(event, (*steps, len(items)), depth + 1))
        return items

    def mapping(self, steps: Steps, depth: int) -> SpecKeys:
        entries: SpecKeys = {}
        for event in self.events:
            if type(event).__name__ == "MappingEndEvent":
                break
            key = self.node(event, (*steps, _KEY), depth + 1)
            value_event = next(self.events)
            if not isinstance(key, str):
                self.refuse(event, "yaml-key", "a key is a text", "quote it, or give it a name")
                self.node(value_event, (*steps, _KEY), depth + 1)
                continue
            here = (*steps, str(key))
            if key in entries:
                first = self.keys[here]
                self.refuse(
                    event,
                    "duplicate-key",
                    f"{str(key)!r} is given twice",
                    f"the first one is on line {first.line}; keep one of them",
                )
                self.node(value_event, (*steps, _KEY), depth + 1)
                continue
            self.keys[here] = self.at(event)
            entries[str(key)] = self.node(value_event, here, depth + 1)
            if entries[str(key)] is None:
                self.values[here] = replace(self.keys[here])
        return entries


class _RefusedError(Exception):
    """Ends the reading: what follows is not looked at."""


_KEY = "<key>"
_NO_ALIAS = "write the value out; a spec has no anchors and aliases"
_SEVERAL = ("a second document in the spec", "keep one document; '---' begins a new one")
