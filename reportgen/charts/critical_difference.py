"""Critical difference diagram: mean ranks on an axis, bars over what a test does not separate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import altair as alt
import polars as pl

from reportgen.charts import chart_layers, labels, style, texts
from reportgen.charts.channels import Mark
from reportgen.charts.chart_layers import Datum
from reportgen.charts.registry import Figure, report_chart
from reportgen.records.model import Results
from reportgen.text.words import with_article, without_article

TEST = "nemenyi"

ROW, BAR, HEAD = 19, 7, 34
"""Height of a name, of a bar, and of the ruler above the axis, in px."""

SIDE = 220
"""Most room for the names at either side, in px."""

APART = 20
"""Least room from one number of the axis to the next, in px."""

Ranked = Sequence[tuple[str, float]]
JoinedPlaces = Sequence[tuple[int, int]]
"""First and last place of the models that a bar joins."""

_THIN: Mark = {"color": style.QUIET, "strokeWidth": 1}
_FAINT: Mark = {"color": style.FAINT, "strokeWidth": 1}
_THICK: Mark = {"color": style.PALETTE[0], "strokeWidth": 4, "strokeCap": "round"}
_TEXT: Mark = {"fontSize": 10, "color": style.INK, "baseline": "middle"}


@dataclass(frozen=True, slots=True)
class _Plane:
    """Positions of the drawing: ranks across, px down; ``unit`` is the px of one rank."""

    count: int
    side: float
    height: float
    width: float

    @property
    def unit(self) -> float:
        return (self.width - 2 * self.side) / (self.count - 1)

    @property
    def numbered(self) -> range:
        """The ranks that bear their number: all, or every second, fifth or tenth."""
        step = next((s for s in (1, 2, 5) if s * self.unit >= APART), 10)
        return range(1, self.count + 1, step)

    def ranks(self, px: float) -> float:
        """So many px in ranks."""
        return px / self.unit

    def encoded(self, chart: alt.Chart, *channels: Any) -> alt.Chart:
        """The chart with its marks placed."""
        room = self.ranks(self.side)
        across = alt.Scale(domain=[1 - room, self.count + room], nice=False)
        down = alt.Scale(domain=[self.height, 0], nice=False, zero=False)
        result: alt.Chart = chart.encode(
            alt.X("c1:Q", scale=across, axis=None), alt.Y("c2:Q", scale=down, axis=None), *channels
        )
        return result

    def lines(self, records: Sequence[Datum], **mark: Any) -> alt.Chart:
        """Straight lines from c1, c2 to c3, c4."""
        chart = chart_layers.inline(records).mark_rule(**mark)
        return self.encoded(chart, alt.X2("c3:Q"), alt.Y2("c4:Q"))

    def words(self, records: Sequence[Datum], **mark: Any) -> alt.Chart:
        """The texts c5 at c1, c2."""
        chart = chart_layers.inline(records).mark_text(**_TEXT, **mark)
        return self.encoded(chart, alt.Text("c5:N"), alt.Tooltip("c5:N", title="Model and rank"))


def draw(
    ranked: Ranked, groups: JoinedPlaces, critical: float | None = None, width: int = style.FULL
) -> alt.LayerChart:
    """The diagram of models and mean ranks, best first, with a ruler of the critical difference."""
    most = min(SIDE, width / 3)
    cut = labels.fitted([name for name, _ in ranked], [most - 50] * len(ranked))
    names = [
        f"{name}  {texts.number(rank, 2)}" for name, (_, rank) in zip(cut, ranked, strict=True)
    ]
    side = min(most, 14 + max(labels.text_width(text) for text in names))
    top = HEAD + 14 + BAR * len(groups)
    plane = _Plane(len(ranked), side, top + ROW * ((len(ranked) + 1) // 2), width)
    lines, words = _names(ranked, names, plane, top)
    rulers, ruler_labels = _rulers(plane, critical)
    numbers = [{"c1": k, "c2": HEAD - 11, "c5": str(k)} for k in plane.numbered]
    layers = [
        plane.lines(lines, **_FAINT),
        plane.lines(rulers, **_THIN),
        plane.words(numbers),
        plane.words(ruler_labels, align="left", dx=6),
        plane.words([w for w in words if w["c6"] == "right"], align="right"),
        plane.words([w for w in words if w["c6"] == "left"], align="left"),
    ]
    if groups:
        layers.append(plane.lines(_bars(ranked, groups, plane), **_THICK))
    return chart_layers.layered(
        *layers, width=width, height=plane.height, autosize=chart_layers.FIT
    )


def _rulers(plane: _Plane, critical: float | None) -> tuple[list[Datum], list[Datum]]:
    """The axis with its ticks, the length of a critical difference over it, and its words."""
    count = plane.count
    lines: list[Datum] = [{"c1": 1, "c2": HEAD, "c3": count, "c4": HEAD}]
    lines += [{"c1": k, "c2": HEAD - 4, "c3": k, "c4": HEAD} for k in range(1, count + 1)]
    if critical is None:
        return lines, []
    end = min(1 + critical, count + plane.ranks(plane.side - 6))
    lines.append({"c1": 1, "c2": 8, "c3": end, "c4": 8})
    lines += [{"c1": x, "c2": 5, "c3": x, "c4": 11} for x in (1, end)]
    label = f"critical difference {texts.number(critical, 2)}"
    if plane.side + (end - 1) * plane.unit + 6 + labels.text_width(label) > plane.width:
        label = f"CD {texts.number(critical, 2)}"
    return lines, [{"c1": end, "c2": 8, "c5": label}]


def _bars(ranked: Ranked, groups: JoinedPlaces, plane: _Plane) -> list[Datum]:
    """A bar over each group, a little longer than the ranks that it joins."""
    more = plane.ranks(4)
    places = [(HEAD + 9 + BAR * level, *group) for level, group in enumerate(groups)]
    return [
        {"c1": ranked[start][1] - more, "c2": y, "c3": ranked[end][1] + more, "c4": y}
        for y, start, end in places
    ]


def within(ranks: Sequence[float], critical: float) -> list[tuple[int, int]]:
    """The longest runs of sorted ranks, first and last place, that lie within ``critical``.

    >>> within([1.2, 1.9, 2.4, 4.0], 1.3), within([1.0, 2.0, 3.0], 1.5)
    ([(0, 2)], [(0, 1), (1, 2)])
    """
    return cliques(len(ranks), lambda one, other: ranks[other] - ranks[one] < critical)


def cliques(count: int, are_level: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    """The longest runs of places, first and last, of which each two are level.

    >>> cliques(4, lambda one, other: (one, other) != (0, 3))
    [(0, 2), (1, 3)]
    """
    runs = []
    furthest = -1
    for start in range(count):
        end = start
        while end + 1 < count and all(are_level(k, end + 1) for k in range(start, end + 1)):
            end += 1
        if end > max(start, furthest):
            runs.append((start, end))
        furthest = max(furthest, end)
    return runs


def _names(
    ranked: Ranked, names: Sequence[str], plane: _Plane, top: float
) -> tuple[list[Datum], list[Datum]]:
    """Lines from the axis to the names: the better half to the left, the rest to the right."""
    lines: list[Datum] = []
    words: list[Datum] = []
    gap = plane.ranks(8)
    for place, (_, rank) in enumerate(ranked):
        left = place < (plane.count + 1) // 2
        row = place if left else plane.count - 1 - place
        y, edge = top + ROW * row, 1 - gap if left else plane.count + gap
        lines += [
            {"c1": rank, "c2": HEAD, "c3": rank, "c4": y},
            {"c1": rank, "c2": y, "c3": edge, "c4": y},
        ]
        outside = edge - gap / 2 if left else edge + gap / 2
        align = "right" if left else "left"
        words.append({"c1": outside, "c2": y, "c5": names[place], "c6": align})
    return lines, words


@report_chart(10, "comparison")
def figures(results: Results) -> list[Figure]:
    """The diagram, where Nemenyi's test was made of three models at least.

    Bars are of the test that decides, if it compares every pair, else of Nemenyi's: Benavoli,
    Corani & Mangili (2016), JMLR 17(5), on why the models beside two should not part them.
    """
    tests = results.comparisons.filter(comparison=TEST).drop_nulls("critical")
    means = results.metrics.filter(metric="mean_rank").sort("value", maintain_order=True)
    if not tests.height or means.height < 3:
        return []
    critical = float(tests["critical"][0])
    printed = labels.unique(means["model"].to_list())
    values = means["value"].to_list()
    room = labels.fitted(list(printed.values()), [SIDE - 50] * len(values))
    ranked = list(zip(room, values, strict=True))
    separated = _separated(results, means["model"].to_list())
    if separated is None:
        groups, ruler = within(values, critical), critical
    else:
        groups, ruler = cliques(len(values), lambda *pair: pair not in separated), None
    n = results.data["datasets"]
    return [
        Figure(
            id="critical_difference",
            title=results.decision.headline,
            subtitle=f"Mean rank over {n} data sets, 1 = best. A bar joins models "
            + _joined_by(results, float(tests["alpha"][0]), of_pairs=separated is not None)
            + _not_joined(results, groups, separated, list(printed.values())),
            alt=_described(ranked, groups, ruler),
            chart=chart_layers.specification(draw(ranked, groups, ruler)),
            narrow=chart_layers.specification(draw(ranked, groups, ruler, style.HALF)),
            table=_table(list(printed.values()), values, groups),
            width="full",
            section="comparisons",
        )
    ]


def _separated(results: Results, models: Sequence[str]) -> set[tuple[int, int]] | None:
    """The places of the pairs that the deciding test separates; None if it does not have all."""
    test = results.decision.test
    rows = results.comparisons.filter(pl.col("slice").is_null(), comparison=test or "")
    rows = rows.filter(pl.col("models").list.len() == 2).drop_nulls("reject")
    if test in (TEST, None) or rows.height != len(models) * (len(models) - 1) // 2:
        return None
    place = {model: k for k, model in enumerate(models)}
    pairs = rows.filter("reject")["models"].to_list()
    both = (sorted(place[model] for model in pair) for pair in pairs)
    return {(first, second) for first, second in both}


def _joined_by(results: Results, alpha: float, *, of_pairs: bool) -> str:
    """What the models that a bar joins have in common."""
    if not of_pairs:
        apart = "whose mean ranks differ by less than the critical difference of Nemenyi's test"
        return f"{apart} at α = {alpha:g}{_deciding(results)}"
    rows = results.comparisons.filter(comparison=results.decision.test or "")
    text = f"that {with_article(rows['label'][0])} does not separate at α = {alpha:g}"
    if rows["correction"][0] in (None, "none"):
        return f"{text}."
    return f"{text}, corrected for {rows['family_size'][0]:.0f} comparisons."


def _not_joined(
    results: Results,
    groups: JoinedPlaces,
    separated: set[tuple[int, int]] | None,
    names: Sequence[str],
) -> str:
    """That no bar joins some pairs which the test does not separate, as it would cross others."""
    joined = {pair for a, b in groups for pair in combinations(range(a, b + 1), 2)}
    every = set(combinations(range(len(names)), 2))
    left = set() if separated is None else every - joined - separated
    if not left:
        return ""
    if not any(model.group for model in results.decision.models):
        first, second = min(left)
        return f" Nor does it separate {names[first]} from {names[second]}."
    return " Other pairs that it does not separate share a letter under Group on page one."


def _deciding(results: Results) -> str:
    """Which test the title rests on, where it is another one."""
    test = results.decision.test
    rows = results.comparisons.filter(comparison=test or "")
    if results.decision.relation == "equivalent":
        shown = pl.col("reject") & pl.col("why").is_null()
        rows = results.comparisons.filter(shown, shows="equivalence")
    elif test in (TEST, None):
        return "."
    if not rows.height:
        return "."
    label = without_article(rows["label"][0])
    return f", which compares all pairs at once; the title rests on {label}."


def _described(ranked: Ranked, groups: JoinedPlaces, critical: float | None) -> str:
    mean_ranks = ", ".join(f"{name} {texts.number(rank, 2)}" for name, rank in ranked)
    bars = "; ".join(f"{ranked[a][0]} to {ranked[b][0]}" for a, b in groups) or "none"
    width = "" if critical is None else f" Critical difference {texts.number(critical, 2)}."
    return f"Mean ranks: {mean_ranks}.{width} Joined by a bar: {bars}."


def _table(names: Sequence[str], ranks: Sequence[float], groups: JoinedPlaces) -> pl.DataFrame:
    bars = [
        ", ".join(str(i) for i, (a, b) in enumerate(groups, 1) if a <= place <= b) or "–"
        for place in range(len(names))
    ]
    return pl.DataFrame({"Model": names, "Mean rank": ranks, "Bar": bars})
