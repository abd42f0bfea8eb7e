"""The headline and the sentences of a decision: what a reader who stops there takes away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reportgen.comparisons.corrections import CORRECTION_NAMES
from reportgen.comparisons.verdicts import all_differ, doubt
from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding import headline_numbers as form
from reportgen.concluding.caveats import backwards, chance_text
from reportgen.concluding.chance import ERRORS, of_headline
from reportgen.concluding.conclusion_record import Conclusion
from reportgen.concluding.leading import Difference
from reportgen.metric_names import COST
from reportgen.records import basis
from reportgen.records.decision import AtChance, Relation, guessing
from reportgen.records.rows import evaluation_of
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import decimals, numbers
from reportgen.text.words import listed, sentence, without_article

MOST_NAMES = 3
"""More models than this are counted instead of named."""

LONGEST_REASON = 130
"""A longer reason stands below the headline alone."""

POWER = 0.8
"""How often the smallest detectable difference is detected."""


def headline(conclusion: Conclusion) -> str:
    """The one line that stands in the box.

    It has the correction of its comparisons where no sentence below it says so.
    """
    forms: dict[Relation, Callable[[Conclusion], str]] = {
        "no conclusion": _no_conclusion,
        "at chance": _at_chance,
        "single": _single,
        "ahead": _by_rank if conclusion.contest.by_rank else _ahead,
        "equivalent": _equivalent,
        "level": _by_rank if conclusion.contest.by_rank else _level,
        "mixed": _by_rank,
    }
    row = conclusion.deciding if conclusion.compared_with is None else None
    corrected = "" if row is None else adjusted(row)
    line = f"{forms[conclusion.relation](conclusion)}{_margin(conclusion)}"
    if corrected and not line.endswith(")"):
        corrected = f" ({corrected.removeprefix(', ')})"
    return f"{line}{corrected}"


def _margin(conclusion: Conclusion) -> str:
    """That a significant difference is within the declared margin, where a test establishes it."""
    contest, other = conclusion.contest, conclusion.compared_with
    if other is None or conclusion.relation != "ahead" or contest.by_rank:
        return ""
    row = contest.within.get(frozenset((conclusion.leader, other)))
    if row is None or row["why"]:
        return ""
    return f", within the margin of {form.plain(conclusion.margin)}"


def _single(conclusion: Conclusion) -> str:
    if conclusion.claims is not None and conclusion.claims.tests:
        return conclusion.claims.headline()
    return f"{bounded(conclusion.leader)}: {conclusion.what} {conclusion.value}"


def _equivalent(conclusion: Conclusion) -> str:
    rivals = conclusion.contest.rivals(conclusion.leader, conclusion.baseline)
    both = listed(names([conclusion.leader, *rivals]))
    return f"{both} are equivalent in {conclusion.what} within ±{form.plain(conclusion.margin)}"


def text(conclusion: Conclusion) -> str:
    """The sentences below the headline: the test, the other models, what is ruled out."""
    if conclusion.relation == "no conclusion":
        return _reason(conclusion)
    return " ".join(_sentences(conclusion))


def _sentences(conclusion: Conclusion) -> Iterator[str]:
    if conclusion.claims is not None:
        yield from conclusion.claims.sentences()
    elif conclusion.relation == "single":
        yield "There is no second model to compare it with."
    at_chance = conclusion.relation == "at chance" and conclusion.contest.measure == "auc"
    if at_chance and all(row.worse for row in _in_headline(conclusion)):
        yield sentence(backwards(conclusion.data))
    yield from _tests(conclusion)
    if conclusion.relation != "at chance":
        yield from _within_margin(conclusion)
        yield from _other_models(conclusion)
    if conclusion.ruled_out is not None:
        contest, leader = conclusion.contest, conclusion.leader
        rivals = contest.rivals(leader, conclusion.baseline)
        differences = [d for name in rivals if (d := contest.difference(leader, name))]
        yield (
            f"Differences{_from_rivals(conclusion)} above {form.far_limit(differences)} "
            f"are ruled out at α = {conclusion.alpha:g}."
        )
    if conclusion.units_needed is not None:
        count = numbers.count(form.two_digits_up(conclusion.units_needed))
        yield (
            f"About {count} {conclusion.units} would detect a difference of "
            f"{form.plain(conclusion.margin)} with probability {POWER:g}."
        )
    if conclusion.contest.basis == "mean over folds":
        folds = evaluation_of(conclusion.data).get("fits") or conclusion.data.get("datasets")
        pooled = conclusion.relation == "at chance" and conclusion.contest.measure in ERRORS
        values = f"{conclusion.what} values" if pooled else "Values"
        yield f"{values} are means over {numbers.count(folds)} {basis.parts(conclusion.data)}."
    elif conclusion.contest.basis == "data sets" and not conclusion.contest.by_rank:
        yield "Values are means over data sets."


def _tests(conclusion: Conclusion) -> Iterator[str]:
    """The tests that the headline rests on: of all models, of equivalence, of the difference."""
    if conclusion.overall is not None:
        row = conclusion.overall
        differ = f"{all_differ(row['models'], row['metric'], row['evidence'])}."
        yield differ if row["reject"] else row["verdict"]
    if conclusion.relation == "equivalent" and conclusion.deciding is not None:
        row = conclusion.deciding
        yield f"{row['evidence']}.{doubt(row['why'])}"
    if conclusion.difference is not None and conclusion.compared_with is not None:
        yield f"{_evidence(conclusion, conclusion.difference)}."


def _within_margin(conclusion: Conclusion) -> Iterator[str]:
    """What tests of the declared margin establish that the headline does not say.

    A model that is equivalent, or significantly better, is not inferior either.
    """
    contest, relation = conclusion.contest, conclusion.relation
    reference = contest.reference(conclusion.leader, conclusion.baseline)
    others = [name for name in contest.order if name != reference]
    equivalent = [n for n in others if frozenset((n, reference)) in contest.within]
    if relation == "equivalent":
        equivalent = [n for n in equivalent if contest.standing(n, reference) != "equivalent"]
    not_inferior = [
        n
        for n in others
        if n in contest.not_inferior
        and frozenset((n, reference)) not in contest.within
        and contest.standing(n, reference) != "ahead"
    ]
    margin = f"in {conclusion.what} within the margin of {form.plain(conclusion.margin)}"
    to = f"to {bounded(reference)} {margin}"
    if len(equivalent) == 1:
        yield contest.within[frozenset((*equivalent, reference))]["verdict"]
    elif equivalent:
        yield f"{names_or(equivalent)} are equivalent {to}."
    if len(not_inferior) == 1:
        yield contest.not_inferior[not_inferior[0]]["verdict"]
    elif not_inferior:
        yield f"{names_or(not_inferior)} are non-inferior {to}."


def _from_rivals(conclusion: Conclusion) -> str:
    """Between which models a difference is ruled out, where there are more than two."""
    if len(conclusion.contest.values) == 2:
        return ""
    rivals = conclusion.contest.rivals(conclusion.leader, conclusion.baseline)
    of_all = len(rivals) + 1 == len(conclusion.contest.values)
    return f" of {bounded(conclusion.leader)} from {'the others' if of_all else names_or(rivals)}"


def _other_models(conclusion: Conclusion) -> Iterator[str]:
    """How the models that the headline does not name stand to the leader."""
    leader = bounded(conclusion.leader)
    behind = [m for m in conclusion.others("behind") if m != conclusion.compared_with]
    level = [m for m in conclusion.others("level", "equivalent") if m != conclusion.compared_with]
    if conclusion.contest.by_rank:
        behind = level = []  # the headline names them
    alike = len(behind) > 1 and set(behind) == set(_behind_baseline(conclusion))
    if behind and not alike:
        also = "also " if conclusion.relation == "ahead" else ""
        yield f"{leader} is {also}ahead of {names_or(behind)}."
    elif behind:
        both = f"{leader} and {bounded(str(conclusion.baseline))}"
        yield f"{both} are both ahead of {names_or(behind)}."
    if level and conclusion.relation == "ahead":
        yield f"{_no_difference(level, leader)}."
    yield from _against_baseline(conclusion, without=behind if alike else ())


def _behind_baseline(conclusion: Conclusion) -> list[str]:
    baseline, contest = conclusion.baseline, conclusion.contest
    if baseline in (None, conclusion.leader):
        return []
    return [n for n in contest.order if contest.standing(n, str(baseline)) == "behind"]


def _against_baseline(conclusion: Conclusion, without: Sequence[str]) -> Iterator[str]:
    """The other models against the declared baseline, where that is not the leader.

    ``without`` are models that another sentence names.
    """
    baseline = conclusion.baseline
    if baseline is None or baseline == conclusion.leader:
        return
    known = (conclusion.leader, baseline, *without)
    others = [n for n in conclusion.contest.order if n not in known]
    of = {name: conclusion.contest.standing(name, baseline) for name in others}
    ahead = [n for n in others if of[n] == "ahead"]
    behind = [n for n in others if of[n] == "behind"]
    alone = [
        n for n in others if conclusion.contest.standing(n, conclusion.leader) == "not compared"
    ]
    level = [n for n in alone if of[n] in ("level", "equivalent")]
    name = bounded(baseline)
    for models, side in ((ahead, "ahead of"), (behind, "behind")):
        if models:
            yield f"{names_or(models)} {'is' if len(models) == 1 else 'are'} {side} {name}."
    if level:
        yield f"{_no_difference(level, name)}."


def _no_difference(models: Sequence[str], other: str) -> str:
    verb = "does" if len(models) == 1 else "do"
    return f"{names_or(models)} {verb} not differ significantly from {other}"


def _no_conclusion(conclusion: Conclusion) -> str:
    how = "No conclusion on which model is better"
    if len(conclusion.contest.values) < 2:
        how = f"No conclusion on how good {bounded(conclusion.leader)} is"
    why = conclusion.why
    return f"{how}: {why}" if why and len(why) <= LONGEST_REASON else how


def _reason(conclusion: Conclusion) -> str:
    if (common := conclusion.contest.common) is not None:
        return (
            "No model is significantly more accurate than always predicting the common class "
            f"({numbers.number(common)})."
        )
    if len(conclusion.contest.values) < 2:
        return f"Its {conclusion.what} on these rows is {conclusion.value}."
    if tied := _tied(conclusion, conclusion.contest.order):
        both = names_or([conclusion.leader, *tied])
        return f"{both} have the same {conclusion.what}, {conclusion.value}."
    best = f"{bounded(conclusion.leader)} has the {_extreme(conclusion)} {conclusion.what}"
    return f"{best}, {conclusion.value}."


def _at_chance(conclusion: Conclusion) -> str:
    shown = _in_headline(conclusion)
    if shown[0].class_ is not None:
        return chance_text("auc", shown, conclusion.data, worse=False).rstrip(".")
    what = measure(shown[0].measure)
    if conclusion.contest.basis == "mean over folds" and shown[0].measure == "r2":
        what = f"pooled {what}"
    digits = decimals.shared((row.value, row.low, row.high) for row in shown)
    values = [_in_brackets(row, digits) for row in shown[:MOST_NAMES]]
    worse = all(row.worse for row in shown)
    how = f"significantly {'worse' if worse else 'better'} than {guessing(shown[0].measure)}"
    of_guess = shown[0].measure in ("accuracy", COST)
    against = numbers.estimate(shown[0].chance)
    if len(shown) == 1:
        beside = f" against {against}" if of_guess else ""
        verb = "is" if worse else "is not"
        return f"{bounded(shown[0].model)} {verb} {how}: {what} {values[0]}{beside}"
    if worse:
        who = "Both models are" if len(shown) == 2 else f"All {len(shown)} models are"
    else:
        who = "Neither model is" if len(shown) == 2 else "No model is"
    with_values = [
        f"{bounded(row.model)} {v}" for row, v in zip(shown[:MOST_NAMES], values, strict=True)
    ]
    of_all = listed(with_values)
    if len(shown) > MOST_NAMES:
        of_all = f"the best is {bounded(shown[0].model)}, {values[0]}"
    of_what = f"({what} {against})" if of_guess else f"in {what}"
    return f"{who} {how} {of_what}: {of_all}"


def _in_headline(conclusion: Conclusion) -> list[AtChance]:
    """The models that are not better than guessing, best first."""
    order = conclusion.contest.order
    rows = of_headline(conclusion.chance, conclusion.contest.measure, conclusion.data)
    return sorted(
        rows, key=lambda row: order.index(row.model) if row.model in order else len(order)
    )


def _in_brackets(row: AtChance, digits: int) -> str:
    written, ends = form.of_guess(row, digits)
    return f"{written} ({ends})" if ends else written


def _by_rank(conclusion: Conclusion) -> str:
    """Over data sets, where models are ordered by mean rank."""
    ahead, level = conclusion.others("behind"), conclusion.others("level", "equivalent")
    count = numbers.plural(conclusion.data["datasets"], "data set")
    rank = conclusion.contest.values[conclusion.leader].mean_rank
    best = f"{bounded(conclusion.leader)} ranks best in {conclusion.what} over {count}"
    best += f" (mean rank {numbers.fixed(rank, 2)})"
    parts = [f"ahead of {names_or(ahead)}"] if ahead else []
    if level:
        parts.append(f"no significant difference from {names_or(level)}")
    return f"{best}; {', '.join(parts)}" if parts else best


def _ahead(conclusion: Conclusion) -> str:
    leader, other = bounded(conclusion.leader), bounded(str(conclusion.compared_with))
    if conclusion.difference is None or conclusion.difference.estimate is None:
        return f"{leader} is ahead of {other} in {conclusion.what}"
    size, limits = form.size(conclusion.difference)
    if conclusion.leader == conclusion.baseline or (
        conclusion.baseline is None and len(conclusion.contest.values) > 2
    ):
        value = form.model_value(conclusion.contest.values[conclusion.leader], conclusion.digits)
        far = "higher" if conclusion.contest.less_is_better else "lower"
        tied = _tied(conclusion, conclusion.contest.order)
        if tied:
            both = names_or([conclusion.leader, *tied])
            return (
                f"{both} have the same {conclusion.what}, {value}; "
                f"{other} is {size} {far} than {leader}{limits}"
            )
        return f"{leader} leads with {conclusion.what} {value}; {other} is {size} {far}{limits}"
    if conclusion.contest.less_is_better:
        return f"{leader} beats {other}: {conclusion.what} {size} lower{limits}"
    return f"{leader} beats {other} by {size} {conclusion.what}{limits}"


def _level(conclusion: Conclusion) -> str:
    rivals = conclusion.contest.rivals(conclusion.leader, conclusion.baseline)
    value = form.model_value(conclusion.contest.values[conclusion.leader], conclusion.digits)
    tied = _tied(conclusion, rivals)
    others = [name for name in rivals if name not in tied]
    best = f"{bounded(conclusion.leader)} has the {_extreme(conclusion)} {conclusion.what}, {value}"
    if tied:
        best = f"{names_or([conclusion.leader, *tied])} have the same {conclusion.what}, {value}"
    return (
        f"{best}; {_no_difference(others, 'them' if tied else 'it')}"
        if others or not tied
        else best
    )


def _tied(conclusion: Conclusion, models: Sequence[str]) -> list[str]:
    """Those of the models that have the leader's value, without the leader."""
    values = conclusion.contest.values
    leading = values[conclusion.leader].value
    return [n for n in models if n != conclusion.leader and values[n].value == leading]


def _extreme(conclusion: Conclusion) -> str:
    return "lowest" if conclusion.contest.less_is_better else "highest"


def _evidence(conclusion: Conclusion, difference: Difference) -> str:
    """The difference with its limits and the test: of one method at one level."""
    row = difference.row
    difference = conclusion.contest.difference(*row["models"]) or difference
    who = " − ".join(names(row["models"]))
    if conclusion.relation == "at chance" and conclusion.contest.measure in ERRORS:
        who = f"{who} in {conclusion.what}"  # the headline is about R²
    if row["effect"] != "difference":
        who = f"{row['effect'][:1].upper()}{row['effect'][1:]} of {who}"
    parts = []
    if difference.low is not None and difference.high is not None:
        size = row["family_size"] or 1
        kind = "simultaneous CI" if size > 1 else "CI"
        limits = form.between(difference)
        parts.append(f"{numbers.level(1 - conclusion.alpha)} {kind} {limits}")
    parts.append(without_article(row["label"]))
    parts.append(numbers.p_value(row["p_adjusted"], conclusion.alpha) + adjusted(row))
    signed = "" if difference.estimate is None else form.signed(difference)
    if signed.startswith(("<", "≤")):
        return f"{who} is {signed.replace('<', 'below')} in size ({', '.join(parts)})"
    return f"{who}: {signed} ({', '.join(parts)})" if signed else f"{who} ({', '.join(parts)})"


def adjusted(row: ComparisonRow) -> str:
    """How p was corrected, in brackets' words; nothing where there is nothing to correct for."""
    size = row["family_size"] or 1
    if size < 2 or row["correction"] in (None, "none"):
        return ""
    name = CORRECTION_NAMES.get(row["correction"], row["correction"])
    return f", {name}-adjusted over {numbers.count(size)} comparisons"


def names(models: Sequence[str]) -> list[str]:
    """The models' names, cut to a length that a sentence bears."""
    return [bounded(name) for name in models]


def names_or(models: Sequence[str]) -> str:
    """The names in a list; of many how many there are."""
    if len(models) > MOST_NAMES:
        return f"{len(models)} models"
    return listed(names(models))
