"""JSON lines from RFC 8259, and what programs write that is not in it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from tests.hostile.cases import Case, Row
from tests.hostile.csv_files import WORDS

KEYS = ("case", "y", "p", "q", "part", "site", "note")
_ESCAPES = {"ü": "\\u00fc", "Å": "\\u00C5", "a": "\\u0061", '"': '\\"'}


def _number(random_: random.Random) -> str:
    value = random_.random()
    return random_.choice([repr(value), f"{value:.20f}", f"{value:.6e}", "0", "1", "0.50", "1E-3"])


def _text(random_: random.Random, text: str) -> str:
    plain = json.dumps(text, ensure_ascii=random_.random() < 0.5)
    if random_.random() < 0.2:
        plain = "".join(_ESCAPES.get(c, c) if i else c for i, c in enumerate(plain[:-1])) + '"'
    return plain


def _rows(random_: random.Random) -> tuple[list[dict[str, str]], list[Row]]:
    """The values of each key as they are written, and as they are to be read."""
    written, rows = [], []
    for index in range(random_.randrange(4, 40)):
        case, site = f"{random_.choice(WORDS)}{index}", random_.choice(WORDS)
        p, q = _number(random_), _number(random_)
        # names of more digits than a float has
        part = random_.choice(["1", "2", "9007199254740993", "9007199254740992"])
        label = "sick" if index % 2 else "well"
        written.append(
            {
                "case": _text(random_, case),
                "y": _text(random_, label),
                "p": p,
                "q": q,
                "part": part,
                "site": _text(random_, site),
                "note": "null",
            }
        )
        rows.append(Row(case, label, float(p), float(q), part, site))
    return written, rows


def _line(random_: random.Random, row: dict[str, str], keys: list[str]) -> str:
    colon, comma = random_.choice([(":", ","), (": ", ", "), (" : ", " ,")])
    return "{" + comma.join(f'"{key}"{colon}{row[key]}' for key in keys) + "}"


def _repeated(random_: random.Random, line: str) -> str:
    """A key is given twice, the second time perhaps with escapes."""
    key = random_.choice(["p", "q", "y", "part", "\\u0070"])
    value = {"y": '"sick"', "part": "7"}.get(key, "0.25")
    return f'{line[:-1]}, "{key}": {value}}}'


def _two(random_: random.Random, line: str) -> str:
    return line + random_.choice(["", " ", ","]) + line


def _cut(random_: random.Random, line: str) -> str:
    return line[: random_.randrange(1, len(line))]


def _badly(random_: random.Random, line: str) -> str:
    old, new = random_.choice([('"p"', '"p"x'), (":", "="), ('"', "'"), ("{", "[{"), ("}", ",}")])
    return line.replace(old, new, 1)


def _literal(random_: random.Random, line: str) -> str:
    value = random_.choice(["NaN", "Infinity", "01", ".5", "+1", "1e400", "0x1", "1.", "True"])
    return f'{{"p": {value}, {line.strip("{")}'


def _missing(random_: random.Random, line: str) -> str:
    """A required key is not there."""
    return line.replace('"p"', random_.choice(['"P"', '"p "', '"x"']), 1)


FAULTS: tuple[Callable[[random.Random, str], str], ...] = (
    _repeated,
    _repeated,
    _two,
    _cut,
    _badly,
    _literal,
    _missing,
)


def lines(random_: random.Random) -> Case:
    """A file of rows with their keys in any order, or one with a fault in a row."""
    written, rows = _rows(random_)
    if random_.random() < 0.3:  # floats among whole numbers: all are then read as floats
        written[0]["part"], rows[0] = (
            "0.5",
            Row(*[*vars(rows[0]).values()][:4], "0.5", rows[0].site),
        )
    faulty = random_.random() < 0.6
    note = random_.choice(['{"p": 7, "y": "sick"}', '[{"p": 3}]', '"\\"p\\":1"', "null"])
    for row in [] if faulty else written:
        row["note"] = note if random_.random() < 0.3 else "null"
    result = [_line(random_, row, random_.sample(KEYS, len(KEYS))) for row in written]
    name = "lines"
    if faulty:
        fault = random_.choice(FAULTS)
        name = fault.__name__.strip("_")
        at = random_.randrange(len(result))
        result[at] = fault(random_, result[at])
    end = random_.choice(["\n", "\r\n", "\n\n"])
    content = (end.join(result) + random_.choice(["", end])).encode()
    if not faulty and random_.random() < 0.1:
        content = content.replace(b"\xc3", b"\xff")
        faulty = b"\xff" in content
    return Case(f"json {name}", {"d.ndjson": content}, None if faulty else rows, valid=not faulty)
