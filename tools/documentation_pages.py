"""Pages of the documentation site that are generated from the code."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import click

import reportgen
from reportgen.cli.group import group as command_line
from reportgen.resources import SCHEMAS

Node = Mapping[str, Any]


def spec() -> str:
    """The spec, key by key, from its JSON schema."""
    schema = json.loads((SCHEMAS / "report.schema.json").read_text(encoding="utf-8"))
    lines = [
        "# The spec",
        "",
        "Every key of a spec, from its schema (`reportgen schema` prints it).",
        "",
    ]
    lines += _table(schema)
    for name, part in schema["$defs"].items():
        lines += ["", f"## {name}", "", _cell(part.get("description", "")), "", *_table(part)]
    return "\n".join(lines) + "\n"


def _table(part: Node) -> list[str]:
    properties = part.get("properties", {})
    if not properties:
        return []
    rows = ["| key | takes | default | meaning |", "|---|---|---|---|"]
    for key, value in properties.items():
        needed = " (needed)" if key in part.get("required", ()) else ""
        default = value.get("default")
        plain = "" if default in (None, "", [], {}) or isinstance(default, dict) else f"`{default}`"
        meaning = _cell(value.get("description", ""))
        if examples := value.get("examples"):
            meaning += " For example " + ", ".join(f"`{_plain(e)}`" for e in examples[:2]) + "."
        rows.append(f"| `{key}`{needed} | {_takes(value)} | {plain} | {meaning} |")
    return rows


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("|", "\\|")


def _takes(value: Node) -> str:
    if "$ref" in value:
        name = str(value["$ref"]).rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if choices := value.get("anyOf") or value.get("oneOf"):
        return " or ".join(dict.fromkeys(_takes(choice) for choice in choices))
    if options := value.get("enum"):
        return ", ".join(f"`{_plain(o)}`" for o in options)
    if "const" in value:
        return f"`{_plain(value['const'])}`"
    kind = value.get("type", "anything")
    if kind == "array":
        return "list of " + _takes(value.get("items", {}))
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _cell(text: str) -> str:
    return " ".join(text.replace("``", "`").split()).replace("|", "\\|")


def commands() -> str:
    """The command line, from the help of each command."""
    lines = ["# Commands", "", "What `--help` prints.", ""]
    for name, command in command_line.commands.items():
        inner = click.Context(command, info_name=f"reportgen {name}")
        lines += [f"## {name}", "", "```text", command.get_help(inner), "```", ""]
    return "\n".join(lines)


def python() -> str:
    """The Python API: signature and documentation of every public name."""
    lines = [
        "# Python",
        "",
        "`import reportgen` gives these names. Examples are run by the tests.",
        "",
    ]
    for name in sorted(reportgen.__all__, key=_place):
        value = getattr(reportgen, name)
        if inspect.ismodule(value):
            continue
        lines += [f"## {name}", "", *_signature(name, value), *_documented(value), ""]
        if inspect.isclass(value):
            for member, method in _methods(value):
                lines += [f"### {name}.{member}", "", *_signature(member, method)]
                lines += [*_documented(method), ""]
    return "\n".join(lines)


_FIRST = ("report", "build", "evaluate")


def _place(name: str) -> tuple[bool, int, str]:
    """Functions before classes, and those that make a report first."""
    value = getattr(reportgen, name)
    return inspect.isclass(value), _FIRST.index(name) if name in _FIRST else len(_FIRST), name


def _methods(kind: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(kind).items():
        plain = getattr(member, "__func__", member)
        own = inspect.isfunction(plain) and getattr(plain, "__module__", "").startswith("reportgen")
        if own and not name.startswith("_"):
            yield name, plain


def _signature(name: str, value: Any) -> list[str]:
    if inspect.isclass(value) and not issubclass(value, reportgen.Scheme):
        return []
    plain = (
        str(parameter.replace(annotation=inspect.Parameter.empty))
        for parameter in inspect.signature(value).parameters.values()
        if parameter.name != "self"
    )
    return ["```python", f"{name}({', '.join(plain)})", "```", ""]


def _documented(value: Any) -> list[str]:
    """A docstring as Markdown: examples in fences, the rest as it is."""
    lines: list[str] = []
    fenced = False
    for line in (inspect.getdoc(value) or "").splitlines():
        example = line.startswith(">>>") or (fenced and bool(line.strip()))
        if example != fenced:
            lines.append("```pycon" if example else "```")
            fenced = example
        heading = re.fullmatch(r"(Raises|Returns|Args):", line)
        text = line if example else line.replace("``", "`")
        entry = not example and re.match(r"^ {4}\S", line)
        lines.append(f"\n**{heading[1]}**\n" if heading else f"- {text.strip()}" if entry else text)
    return [*lines, "```"] if fenced else lines
