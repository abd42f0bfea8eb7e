"""How a comparison over data sets is made: tests, conventions, sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from reportgen.sections import fold_methods
from reportgen.sections.cells import Cell, Table, columns, rows
from reportgen.sections.named import full_label
from reportgen.sections.registry import SCORES, section
from reportgen.sections.sources import BOOK, references, short

if TYPE_CHECKING:
    from reportgen.charts import Figure
    from reportgen.results import Results

_DEMSAR = "Demšar (2006), Journal of Machine Learning Research 7, 1-30"

TESTS: dict[str, tuple[str, str]] = {
    "friedman": (
        "χ² = (k − 1)Σ(R − N(k + 1)/2)² / (Σr² − Nk(k + 1)²/4), k − 1 df; R: rank sums of k models "
        "over N data sets, r: single ranks, ties their mean.",
        "Zhou (2016), eq. 2.34; Friedman (1937), doi:10.1080/01621459.1937.10503522",
    ),
    "iman_davenport": (
        "F = (N − 1)χ² / (N(k − 1) − χ²), k − 1 and (k − 1)(N − 1) df.",
        "Zhou (2016), eq. 2.35; Iman & Davenport (1980), doi:10.1080/03610928008827904",
    ),
    "quade": (
        "As Friedman's F, with ranks weighted by the rank of the data set's range.",
        "Quade (1979), doi:10.1080/01621459.1979.10481670",
    ),
    "aligned_ranks": (
        "Values less their data set's mean, ranked together; χ², k − 1 df.",
        "Hodges & Lehmann (1962), doi:10.1214/aoms/1177704575",
    ),
    "nemenyi": (
        "q = √2·|difference of mean ranks| / √(k(k + 1)/6N), studentised range of k models; "
        "critical difference q/√2·√(k(k + 1)/6N).",
        f"Zhou (2016), eq. 2.36; {_DEMSAR}",
    ),
    "mean_ranks": ("z = difference of mean ranks / √(k(k + 1)/6N).", _DEMSAR),
    "mean_ranks_baseline": ("The same, against the baseline alone.", _DEMSAR),
    "bonferroni_dunn": (
        "The same against the baseline, p times k − 1.",
        "Dunn (1961), doi:10.1080/01621459.1961.10482090",
    ),
    "conover": (
        "t = difference of mean ranks over the error that the ranks show, (N − 1)(k − 1) df.",
        "Conover (1999), Practical Nonparametric Statistics, 5.8",
    ),
    "wilcoxon": (
        "Sums of the ranks of the absolute differences by their sign, zeros dropped; all signs "
        "counted out up to 60 ranks. Effect: Hodges-Lehmann median with its interval.",
        "Wilcoxon (1945), doi:10.2307/3001968; Benavoli, Corani & Mangili (2016), Journal of "
        "Machine Learning Research 17(5), 1-10",
    ),
    "sign": ("Binomial test of who wins.", _DEMSAR),
    "sign_flip": (
        "All signs of the differences up to 20 data sets, 9,999 drawn ones beyond.",
        "Phipson & Smyth (2010), doi:10.2202/1544-6115.1585",
    ),
    "bayesian_signed_rank": (
        "Dirichlet process over the differences with one pseudo-difference of 0.",
        "Benavoli et al. (2017), Journal of Machine Learning Research 18(77), 1-36",
    ),
}
"""How each test is made, and where it is from."""

CONVENTIONS = (
    ("Ties", "Values within 1e-12 of the largest are tied and share their mean rank."),
    ("Nemenyi", "q is the studentised range divided by √2, with infinitely many df."),
    ("Pairs", "Wilcoxon's test is recommended: mean ranks depend on which other models there are."),
    ("Not rejected", "No significant difference was found at α; never “equal”."),
    ("p-values", "Never exactly 0: of drawn permutations (b + 1)/(B + 1)."),
    ("Data sets", "One value per model and data set; those that lack a model are left out."),
)
"""What holds where sources disagree."""


@section(110, SCORES)
@dataclass(frozen=True)
class ScoreMethods:
    """Tests, conventions and sources."""

    template: ClassVar[str] = "sections/score_methods.html.j2"
    id: ClassVar[str] = "methods"
    title: ClassVar[str] = "Methods"

    tests: Table
    conventions: Table
    references: tuple[str, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> ScoreMethods:  # noqa: ARG003
        """Fill the section; it always applies."""
        used = list(dict.fromkeys(results.comparisons["comparison"]))
        told = {n: TESTS.get(n) or fold_methods.TESTS.get(n, ("–", "–")) for n in used}
        heads = columns("Test", ("How", "left"), ("Source", "left"))
        lines: list[list[Cell | str]] = [
            [full_label(name), how, short(source)] for name, (how, source) in told.items()
        ]
        matters = columns("Matter", ("Here", "left"))
        return cls(
            Table("test_methods", "Tests of significance", heads, rows(heads, lines)),
            Table("conventions", "Conventions", matters, rows(matters, CONVENTIONS)),
            references([BOOK, *(source for _, source in told.values() if source != "–")]),
        )
