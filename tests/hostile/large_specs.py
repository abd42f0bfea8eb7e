"""Specs below 1 MiB that once took seconds or minutes to read or to refuse."""

from __future__ import annotations

from collections.abc import Callable

HEAD = "data: d.csv\ntruth: y\n"
MODEL = "models: {a: {score: p}}\n"


def _list(key: str, entry: Callable[[int], str], count: int) -> str:
    return HEAD + MODEL + f"{key}:\n" + "".join(f"- {entry(i)}\n" for i in range(count))


def _compared(key: str, entry: Callable[[int], str]) -> str:
    listed = "".join(f"  - {entry(i)}\n" for i in range(19_000))
    return HEAD + MODEL + f"comparisons:\n  {key}:\n{listed}"


def _models(entry: Callable[[int], str], count: int, more: str = "") -> str:
    return HEAD + more + "models:\n" + "".join(f"  {entry(i)}\n" for i in range(count))


def _classes(count: int, *models: Callable[[int], str]) -> str:
    text = HEAD + "models:\n"
    for number, column in enumerate(models):
        columns = "".join(f"      {column(i)}\n" for i in range(count))
        text += f"  m{number}:\n    scores:\n{columns}"
    return text


LARGE: dict[str, str] = {
    "unknown keys": HEAD + MODEL + "".join(f"key{i}: 1\n" for i in range(9_000)),
    "too many unknown keys": HEAD + MODEL + "".join(f"key{i}: 1\n" for i in range(50_000)),
    "similar keys": HEAD + MODEL + "".join(f"baselin{i}: 1\n" for i in range(9_000)),
    "slices": _list("slices", lambda i: f"column_{i}", 19_000),
    "slices of two": _list("slices", lambda i: f"[a{i}, b{i}]", 6_000),
    "too many slices": _list("slices", lambda i: f"column_{i}", 50_000),
    "repeated slices": _list("slices", lambda i: f"column_{i % 2}", 19_000),
    "repeated slices of two": _list("slices", lambda _: "[a, b]", 6_000),
    "broken slices": _list("slices", lambda _: "{}", 19_000),
    "broken gates": _list("gates", lambda i: f"gate {i}", 19_000),
    "gates on unknown models": _list("gates", lambda i: f"m{i}.auc > 0", 19_000),
    "gates on unknown measures": _list("gates", lambda i: f"a.auk{i} > 0", 19_000),
    "gates": _list("gates", lambda i: f"a.auc > 0.{i}", 19_000),
    "a gate of many dots": HEAD + MODEL + f"gates: ['{'a.' * 30_000}b']\n",
    "gates of many dots": _list("gates", lambda _: "a." * 5_000, 100),
    "gates of open brackets": _list("gates", lambda _: "a.f(" * 5_000, 40),
    "gates of digits": _list("gates", lambda _: "a.b > " + "1" * 60_000 + "x", 16),
    "unknown measures": _list("measures", lambda i: f"measure{i}", 19_000),
    "measures of digits": _list("measures", lambda _: "f_beta(" + "1" * 60_000, 16),
    "repeated measures": _list("measures", lambda _: "auc", 19_000),
    "unknown sections": _list("sections", lambda i: f"section{i}", 19_000),
    "missing texts": _list("sections", lambda i: f"{{markdown: n{i}.md}}", 6_000),
    "claims": _compared("claims", lambda i: f"m{i}.auk > 0"),
    "compared measures": _compared("measures", lambda i: f"measure{i}"),
    "models": _models(lambda i: f"m{i}: {{score: p{i}}}", 4_900),
    "models with a key": _models(lambda i: f"m{i}: {{scor: p{i}}}", 4_900),
    "models without output": _models(lambda i: f"m{i}: {{}}", 9_000),
    "models of one column": _models(lambda i: f"m{i}: {{score: p}}", 4_900),
    "models of every task": _models(
        lambda i: f"m{i}: {{{['score', 'estimate', 'label'][i % 3]}: p{i}}}", 4_900
    ),
    "a baseline among models": _models(
        lambda i: f"a model by the name {i}: {{score: p{i}}}", 4_900, "baseline: another model\n"
    ),
    "classes": _classes(4_500, lambda i: f"c{i}: p{i}", lambda i: f"c{i}: q{i}"),
    "other classes": _classes(4_500, lambda i: f"c{i}: p{i}", lambda i: f"d{i}: q{i}"),
    "costs of classes": HEAD
    + "models: {a: {scores: {x: p, y: q}}}\ncosts:\n"
    + "".join(f"  c{i}: {{d{i}: 1}}\n" for i in range(4_900)),
    "hashes": HEAD + MODEL + "sha256:\n" + "".join(f"  f{i}: x\n" for i in range(9_000)),
    "data": f"truth: y\n{MODEL}data:\n" + "".join(f"- d{i}.csv\n" for i in range(19_000)),
    "repeated keys": HEAD + MODEL + "title: x\n" * 9_000,
    "anchors": HEAD + MODEL + "slices: [" + "&a x, " * 19_000 + "y]\n",
    "tags": HEAD + MODEL + "slices: [" + "!a x, " * 19_000 + "y]\n",
    "control characters": HEAD + "title: " + "\x01" * 1_000_000,
    "a long title": HEAD + MODEL + "title: " + "a b " * 250_000,
    "a long quoted title": HEAD + MODEL + 'title: "' + "a b " * 250_000 + '"\n',
    "titles of long values": HEAD + MODEL + "slices:\n" + ("- " + "a b " * 16_000 + "\n") * 15,
    "comments": HEAD + MODEL + "# a\n" * 250_000,
    "a block of lines": HEAD + MODEL + "title: |\n" + "  x\n" * 250_000,
    "open brackets": "[" * 1_000_000,
    "open braces": "{a" + "{" * 1_000_000,
    "dashes": "- " * 500_000,
    "questions": "? " * 500_000,
    "newlines": "a:" + "\n" * 1_000_000 + " b",
    "escapes": HEAD + 'title: "' + "\\x41" * 250_000 + '"\n',
    "spaces": HEAD + "title: " + " " * 1_000_000,
    "digits": HEAD + MODEL + "threshold: " + "9" * 60_000 + "\n",
    "hexadecimals": HEAD + MODEL + "threshold: 0x" + "f" * 60_000 + "\n",
    "many digits": _list("slices", lambda _: "9" * 60_000, 16),
}
"""By what they have much of; each below 1 MiB."""
