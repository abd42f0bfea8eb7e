"""References have titles."""

from __future__ import annotations

import re

from reportgen.comparisons.registry import TESTS
from reportgen.metrics.registry import METRICS
from reportgen.results.definitions.interval_texts import INTERVALS
from reportgen.sections.references import references, titles

DOI = re.compile(r"doi:(10\S+[^\s,;.)])")
WITHOUT = {"10.1109/THFE.1965.6591255"}
"""Papers whose title is not on file."""


def test_every_paper_that_a_report_cites_by_its_doi_has_a_title():
    of_intervals = [text.source for text in INTERVALS.values()]
    sources = [*of_intervals, *(one.reference for one in (*TESTS.values(), *METRICS.values()))]
    parts = [part for text in sources for part in (text or "").split("; ")]
    papers = {doi for part in parts for doi in DOI.findall(part)}

    assert len(papers) > 100
    assert papers - titles().keys() == WITHOUT


def test_a_paper_that_is_cited_for_several_things_is_listed_once_with_its_title():
    paper = "Bonett & Price (2012), doi:10.3102/1076998611411915"

    assert references([paper, f"{paper}, for each class"]) == (
        "Bonett & Price (2012), Adjusted Wald confidence interval for a difference of binomial "
        "proportions based on paired data, doi:10.3102/1076998611411915",
    )
