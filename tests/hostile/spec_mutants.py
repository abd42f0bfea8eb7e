"""Mutants of specs: of the examples, and of what the schema gives as examples."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from reportgen.resources import EXAMPLES, SCHEMAS
from reportgen.spec import read
from reportgen.spec.yaml_text import block

SCALARS = (
    *(None, True, False, "", " ", "x", "auc", "forest", "p_forest", "a.b", "default", "all"),
    *(0, 1, -1, 2, 0.5, -0.5, 1e-300, 1e300, -1e300, 10**20, 10**400),
    *(float("nan"), float("inf"), float("-inf"), "1e400", "0x1F", "01", "1_000", "²", "٣"),
    *("\0", "\x1b[31m", "\u202e", "\ud800", "é", "好瓜", "👩\u200d💻", "a\nb", "a" * 300, "'\"\\"),
    *("../x", "/etc/passwd", "~", "*.csv", "**", "$HOME", "{{ 7 }}", "<b>", "NaN", "null", "no"),
    *(
        "forest.auc >= 0.5",
        "forest.auc > 1e999",
        "a - b > 0",
        ">= 0.9",
        "f_beta(0)",
        "f_beta(1e308)",
    ),
)
TEXTS = (
    *("&a ", "*a", "!!python/object:os.system ", "!x ", "? ", "- ", ": ", "{", "}", "[", "]", ","),
    *(
        "'",
        '"',
        "|\n",
        ">\n",
        "#",
        "\t",
        "\r",
        "\x00",
        "\x85",
        "\u2028",
        "\ufeff",
        "---\n",
        "...\n",
    ),
    *("%YAML 1.1\n---\n", "<<: ", "0o17", "0xFF", "1e5", ".inf", ".nan", "~", "{a: {a: " * 20),
)


def seeds() -> list[dict[str, Any]]:
    """The specs to begin with, as plain values."""
    result = []
    for path in sorted(EXAMPLES.glob("*/report.yaml")):
        values = read(path).to_dict()
        if values["task"] == "comparison":
            used = ("title", "data", "task", "columns", "measure", "baseline", "comparisons")
            values = {key: values[key] for key in used}
        table = path.with_name(values["data"][0])
        values |= {"data": [f"{path.parent.name}{table.suffix}"], "gates": values.get("gates", [])}
        result.append(_without_nothing(values))
    return result


def write_tables(folder: Path) -> None:
    """Write some rows of every example's data, under the names that ``seeds`` gives."""
    for path in EXAMPLES.glob("*/report.yaml"):
        table = path.with_name(read(path).data[0])
        if table.suffix == ".csv":
            rows = pl.read_csv(table, infer_schema=False)
            rows.gather_every(rows.height // 50 + 1).write_csv(folder / f"{path.parent.name}.csv")
        else:
            rows = pl.read_parquet(table)
            rows = rows.gather_every(rows.height // 50 + 1)
            rows.write_parquet(folder / f"{path.parent.name}.parquet")


def pieces() -> list[tuple[str, Any]]:
    """Every key of the schema with each of its examples and defaults."""
    schema = json.loads((SCHEMAS / "report.schema.json").read_text(encoding="utf-8"))
    result = []
    for properties in (
        schema["properties"],
        *(d.get("properties", {}) for d in schema["$defs"].values()),
    ):
        for key, part in properties.items():
            result += [(key, value) for value in (*part.get("examples", ()), part.get("default"))]
            result += [(key, value) for value in part.get("enum", ())]
    return result


KINDS = (
    *(None, True, -1, 0, 1, 2.5, 1e300, float("nan"), float("inf"), "", " ", "x", "auc", "default"),
    *("2026-01-01", "\0", "\u202e", [], [None], [[]], ["x", "x"], {}, {"x": {}}, {"": [1]}),
)
"""A value of every kind that a spec can hold."""


def keys(node: Mapping[str, Any], within: tuple[str, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The places of the schema's values: names that are free are ``m``, list items 0."""
    schema = json.loads((SCHEMAS / "report.schema.json").read_text(encoding="utf-8"))
    if reference := node.get("$ref"):
        name = reference.rpartition("/")[2]
        if name not in within:
            yield from keys(schema["$defs"][name], (*within, name))
        return
    for option in node.get("anyOf", ()):
        yield from keys(option, within)
    parts: list[tuple[str | int, Any]] = [*node.get("properties", {}).items()]
    parts += [("m", node.get("additionalProperties")), (0, node.get("items"))]
    for key, part in parts:
        if isinstance(part, dict):
            yield (key,)
            yield from ((key, *rest) for rest in keys(part, within))


def with_every_kind() -> Iterator[str]:
    """The text of a spec with a value of every kind in the place of every key of the schema.

    But for the addresses of clusters, which nothing in a text answers.
    """
    schema = json.loads((SCHEMAS / "report.schema.json").read_text(encoding="utf-8"))
    begun = next(values for values in seeds() if "positive" in values)
    clusters = (("engine", "dask"), ("engine", "spark"))
    for place in dict.fromkeys(place for place in keys(schema) if place not in clusters):
        for value in KINDS:
            values = copy.deepcopy(begun)
            _put(values, place, copy.deepcopy(value))
            yield block(values)


def _put(values: dict[str, Any], place: tuple[str | int, ...], value: Any) -> None:
    """Set what is there, with whatever has to hold it; what is added to a list is its last item."""
    holder: Any = values
    for key, following in pairwise(place):
        inner: Any = [] if following == 0 else {}
        if isinstance(holder, list):
            holder.append(inner)
        elif not isinstance(holder.get(key), type(inner)):
            holder[key] = inner
        holder = holder[-1 if isinstance(holder, list) else key]
    if isinstance(holder, list):
        holder.append(value)
    else:
        holder[place[-1]] = value


def mutants(count: int, seed: int) -> Iterator[str]:
    """Texts of mutants: mostly of values, some of the text itself."""
    chance, begun, known = random.Random(seed), seeds(), pieces()
    while count > 0:
        values = copy.deepcopy(chance.choice(begun))
        for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
            _change(values, chance, known)
        try:
            text = block(values)
        except (TypeError, ValueError):
            continue
        if chance.random() < 0.25:
            text = _spoilt(text, chance)
        count -= 1
        yield text


def _change(values: Any, chance: random.Random, known: list[tuple[str, Any]]) -> None:
    holders = list(_holders(values))
    holder = chance.choice(holders)
    key, value = chance.choice(known)
    if isinstance(holder, list):
        _change_list(holder, chance, value)
        return
    old = chance.choice(list(holder)) if holder else key
    match chance.randrange(6):
        case 0:
            holder.pop(old, None)
        case 1:
            holder[key] = copy.deepcopy(value)
        case 2:
            holder[str(chance.choice(SCALARS))] = holder.pop(old, None)
        case 3:
            holder[old] = copy.deepcopy(chance.choice(holders))
        case 4:
            holder[old] = _nested(chance)
        case _:
            holder[old] = chance.choice(SCALARS)


def _change_list(holder: list[Any], chance: random.Random, value: Any) -> None:
    match chance.randrange(4):
        case 0 if holder:
            holder.pop()
        case 1 if holder:
            holder.append(copy.deepcopy(holder[0]))
        case 2:
            holder.insert(0, copy.deepcopy(value))
        case _:
            holder.append(chance.choice(SCALARS))


def _nested(chance: random.Random) -> Any:
    value: Any = chance.choice(SCALARS)
    for _ in range(chance.choice((1, 2, 3, 40))):
        value = [value] if chance.random() < 0.5 else {str(chance.choice(SCALARS)): value}
    return value


def _spoilt(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    at, where = chance.randrange(len(text) + 1), chance.randrange(len(lines))
    match chance.randrange(5):
        case 0:
            return text[:at] + chance.choice(TEXTS) + text[at:]
        case 1:
            return text[:at] + text[at + chance.randrange(1, 20) :]
        case 2:
            return "\n".join([*lines, lines[where]])
        case 3:
            lines[where] = chance.choice(("  ", "\t", "-", "? ")) + lines[where]
            return "\n".join(lines)
        case _:
            mark = chr(chance.choice((0, 7, 0x7F, 0x85, 0xA0, 0x2028, 0xFFFE, 0x1F600, 0xE000)))
            return text[:at] + mark + text[at:]


def _holders(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _holders(entry)


def _without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_nothing(v) for k, v in value.items() if v not in (None, (), [], {}, "")}
    return value
