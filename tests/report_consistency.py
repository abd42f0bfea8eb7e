"""What a finished report says in several places, compared: page one, summary, JSON, JUnit.

``contradictions(folder)`` reads the files of a build alone, so that it holds for any report::

    python -m tests.report_consistency reports/NAME/latest ...
"""

from __future__ import annotations

import html
import json
import re
import sys
from bisect import bisect_left
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from pypdf import PdfReader

# A bound such as "< 0.001" is of the printing, "Zhou 2.14" a place in a book.
DECIMAL = re.compile(
    r"(?<![\w.:/])(?<![<>] )(?<!(?:above|below) )(?<!Zhou )(?<!周志华 )"
    r"(\d{1,3}(?:,\d{3})+|\d+)\.(\d+)(?![\w/])"
)

CLUMSY = re.compile(
    r"\b1 (rows|models|folds|groups|classes|labels|comparisons|data sets|pairs|examples)\b"
    r"|^[^|]*\b(1 of 1|0 of 0)\b|\b(the the|is is|of of|in in|a a)\b|\bp = 0\.000\b|> −"
    r"|\bundecided\b|\bnan\b|\bNone\b|\binf\b|\bnot in the results\b|told apart|not shown to"
    r"|\b\d+ (rows|models|folds|groups|data sets) [^.]{0,40}\b(is|was|has) (left out|not)\b"
)
"""What no sentence of a report has: nouns that disagree, doubled words, values that are none."""

WINNER = re.compile(
    r"\b(beats|leads with|has the (highest|lowest|best)|ranks best|is significantly ahead of)\b"
)
"""A headline that names the best model."""

ENGLISH = re.compile(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}\b")
"""Four words in a row, which only a sentence has."""

SIGNS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2011": "-", "\\": None, "*": None})

Json = dict[str, Any]


def plain(text: str) -> str:
    """Text without markup, with single spaces."""
    text = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", text, flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]+>", "", text)).translate(SIGNS)
    return " ".join(text.split())


def _same(text: str) -> str:
    """For comparison: without spaces and hyphens, which lines break at."""
    return re.sub(r"[\s-]", "", text.translate(SIGNS))


def values(node: object) -> Iterator[float]:
    """Every number in plain values."""
    if isinstance(node, dict):
        node = list(node.values())
    if isinstance(node, list | tuple):
        for inner in node:
            yield from values(inner)
    elif isinstance(node, int | float) and not isinstance(node, bool) and isfinite(node):
        yield float(node)


def unknown_numbers(text: str, known: list[float]) -> Iterator[str]:
    """Decimal numbers of a text that none of the sorted numbers gives when it is printed."""
    for match in DECIMAL.finditer(text):
        number = float(match[1].replace(",", "") + "." + match[2])
        half = 0.500001 * 10.0 ** -len(match[2])
        place = bisect_left(known, number - half)
        if place == len(known) or known[place] > number + half:
            yield text[max(0, match.start() - 50) : match.end() + 20]


def sentences(results: Json) -> Iterator[str]:
    """What the results say in words of the models and of each test."""
    decision = results["decision"]
    yield from (decision["headline"], decision["sentence"])
    yield from (caveat["text"] for caveat in decision["caveats"])
    if decision["action"]:
        yield decision["action"]["text"]
    yield from (row["verdict"] for row in results["comparisons"])


def of_conclusion(folder: Path, results: Json) -> Iterator[str]:
    """A headline that the state, a caveat or the tests take back."""
    decision, gates = results["decision"], results["gates"]
    headline, relation = decision["headline"], decision["relation"]
    pages = folder / "report.html"
    titles = pages.read_text(encoding="utf-8") if pages.exists() else ""
    open_gates = any(row["state"] == "inconclusive" for row in gates)
    decided = relation not in ("no conclusion", "at chance")
    if decision["state"] == "inconclusive" and decided and not open_gates:
        yield f"the state is inconclusive, but: {headline}"
    if not decided and WINNER.search(headline):
        yield f"{relation}, but: {headline}"
    if relation == "no conclusion" and (lead := re.search(r"\S+ ahead in [^<]*", titles)):
        yield f"no conclusion, but a figure says: {lead[0]}"
    if decided and any(caveat["severity"] == "severe" for caveat in decision["caveats"]):
        yield f"a caveat takes the conclusion away, but: {headline}"
    texts = " ".join(caveat["text"] for caveat in decision["caveats"])
    tests = {
        row["metric"]
        for row in results["comparisons"]
        if row["recommendation"] == "recommended" and len(row["models"]) == 2 and not row["slice"]
    }
    if "No test of the models is recommended" in texts and tests:
        yield f"no test is recommended, but there are those of {', '.join(sorted(tests))}"
    means = "are means over" in decision["sentence"] and decision["measure"] != "r2"
    if means and re.search(r"(?<!pooled )R²", headline):
        yield f"R² of all rows is said to be a mean: {headline}"


def of_advice(folder: Path, results: Json) -> Iterator[str]:
    """Advice that other advice takes back, and values in bold that no conclusion allows."""
    decision = results["decision"]
    advice = (decision["action"] or {"text": ""})["text"]
    texts = " ".join(caveat["text"] for caveat in decision["caveats"])
    if advice.startswith("Keep") and re.search(r"choose (a )?(lower|higher) one", texts):
        yield f"a caveat asks for another threshold, but: {advice}"
    summary = folder / "summary.md"
    if decision["relation"] == "no conclusion" and summary.exists():
        lines = summary.read_text(encoding="utf-8").splitlines()
        yield from (
            f"no conclusion, but in bold: {line}"
            for line in lines
            if line.startswith("|") and re.search(r"\*\*[−+]?\d[\d.,]*\*\* \(", line)
        )


def of_language(folder: Path, results: Json) -> Iterator[str]:
    """English sentences in a summary that is in another language."""
    summary = folder / "summary.md"
    if results["spec"].get("language", "en") == "en" or not summary.exists():
        return
    for line in summary.read_text(encoding="utf-8").splitlines():
        bare = re.sub(r"<!--.*?-->|（[^（）]*）|`[^`]*`|\(`?[^()]*`?\)", " ", line)
        for model in results["decision"]["models"]:
            bare = bare.replace(model["model"], " ")
        if match := ENGLISH.search(bare):
            yield f"not translated: {match[0]} … in {line[:80]}"


def of_files(folder: Path, results: Json) -> Iterator[str]:
    """Statements of the decision that a file lacks; in another language none are looked for."""
    if results["spec"].get("language", "en") != "en":
        return
    decision = results["decision"]
    texts = [decision["headline"], decision["sentence"]]
    texts += [caveat["text"] for caveat in decision["caveats"]]
    texts += [decision["action"]["text"]] if decision["action"] else []
    for name in ("summary.md", "report.html", "report.pdf"):
        path = folder / name
        if not path.exists():
            continue
        if name == "report.pdf":
            text = "".join(page.extract_text() for page in PdfReader(path).pages[:2])
        else:
            text = plain(path.read_text(encoding="utf-8"))
        text = _same(text)
        yield from (f"{name} lacks: {part}" for part in texts if _same(part) not in text)
        state = decision["state"].upper()
        if results["gates"] and _same(state) not in text:
            yield f"{name} lacks the state {state}"


def of_numbers(folder: Path, results: Json) -> Iterator[str]:
    """Numbers of sentences and of the summary that the results do not have."""
    texts = list(sentences(results))
    summary = folder / "summary.md"
    if summary.exists():
        lines = summary.read_text(encoding="utf-8").splitlines()
        texts += [plain(line) for line in lines if not line.startswith("<sub>")]
    residuals = (
        row["truth_value"] - output
        for row in results["notable_rows"]
        for output in row["outputs"]
        if row["truth_value"] is not None and output is not None
    )
    numbers = {*values(results), *residuals}
    given = sorted(abs(v) * scale for v in numbers for scale in (1, 100))
    yield from (f"not in results.json: {part}" for t in texts for part in unknown_numbers(t, given))
    yield from (f"reads badly: {text}" for text in texts if CLUMSY.search(text))


def of_tests(results: Json) -> Iterator[str]:
    """Tests of which p, decision and limits disagree."""
    for row in results["comparisons"]:
        name = f"{row['comparison']} {row['models']} {row['metric']}"
        p, rejects = row["p_adjusted"], row["reject"]
        if p is not None and rejects is not None and rejects != (p < row["alpha"]):
            yield f"{name}: p is {p}, but reject is {rejects}"
        ends = row["simultaneous_low"], row["simultaneous_high"]
        of_zero = row["shows"] == "difference" and row["family"] != "claims"
        if None in ends or not of_zero or row["recommendation"] != "recommended":
            continue
        excluded = ends[0] > 0 or ends[1] < 0
        on_edge = 0.0 in ends
        if excluded != rejects and not on_edge:
            yield f"{name}: limits {ends}, but reject is {rejects}"
        better = row["better"]
        if (better is not None) != rejects:
            yield f"{name}: better is {better}, but reject is {rejects}"


def of_models(results: Json) -> Iterator[str]:
    """Statements on who leads that no recommended test stands behind."""
    decision = results["decision"]
    tests = {
        frozenset(row["models"]): row
        for row in results["comparisons"]
        if row["recommendation"] == "recommended"
        and row["metric"] == decision["measure"]
        and len(row["models"]) == 2
        and row["better"] is not None
    }
    names = {row["model"] for row in decision["models"]}

    def listed(text: str) -> set[str]:
        return {name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)}

    for part in re.split(r"(?<=[.;]) ", f"{decision['headline']}. {decision['sentence']}"):
        match = re.search(
            r"(.*?) (beats|(?:is|are) (?:also |both )?significantly (?:ahead of|behind)) (.*)", part
        )
        if match is None or decision["basis"] == "data sets":
            continue
        for first in listed(match[1]):
            for second in listed(match[3]):
                row = tests.get(frozenset((first, second)))
                better = second if "behind" in match[2] else first
                if row is None or row["better"] != better:
                    yield f"no test stands behind: {part}"
    for row in decision["models"]:
        ends = row["difference_low"], row["difference_high"]
        if None in ends or row["significant"] is None or 0.0 in ends:
            continue
        if row["significant"] != (ends[0] > 0 or ends[1] < 0):
            yield f"{row['model']}: limits {ends}, significant is {row['significant']}"


def of_gates(folder: Path, results: Json) -> Iterator[str]:
    """States of gates that do not follow from their numbers, or differ between files."""
    states = [row["state"] for row in results["gates"]]
    state = results["decision"]["state"]
    if "fail" in states and state != "fail":
        yield f"a gate failed, but the state is {state}"
    if states and set(states) == {"pass"} and state == "fail":
        yield "every gate passed, but the state is fail"
    junit = folder / "junit.xml"
    if junit.exists():
        failed = len(re.findall(r"<failure\b", junit.read_text(encoding="utf-8")))
        if failed != states.count("fail"):
            yield f"junit.xml has {failed} failures, the results {states.count('fail')}"


def contradictions(folder: Path) -> list[str]:
    """Everything that a build says and that its own files contradict."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return [
        *of_conclusion(folder, results),
        *of_advice(folder, results),
        *of_language(folder, results),
        *of_files(folder, results),
        *of_numbers(folder, results),
        *of_tests(results),
        *of_models(results),
        *of_gates(folder, results),
    ]


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        for problem in contradictions(path):
            sys.stdout.write(f"{path.parent.name}: {problem}\n")
