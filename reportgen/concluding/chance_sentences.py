"""That models, classes and costs are not better than guessing, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose

from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.comparisons.wording import MOST_NAMES, bounded, counted, joined, measure
from reportgen.concluding.contest import Contest
from reportgen.concluding.headline_numbers import of_guess, with_limits
from reportgen.concluding.single_class import in_use
from reportgen.metric_names import COST
from reportgen.records import basis
from reportgen.records.basis import Basis
from reportgen.records.decision import OF_ERRORS, AtChance, Caveat, best_guess, guessing
from reportgen.records.rows import DataRecord, evaluation_of
from reportgen.tasks import TASKS
from reportgen.text import decimals, numbers
from reportgen.text.words import listed


def costs_no_less(row: AtChance) -> bool:
    """Whether a model costs at least as much as the cheaper constant prediction."""
    return row.value >= row.chance or isclose(row.value, row.chance)


def is_mean(row: AtChance) -> bool:
    """Whether a model always predicts the mean, or median, of these rows: it is the guess."""
    return row.measure in OF_ERRORS.values() and row.value == row.low == row.high == row.chance


def predict_mean(rows: Sequence[AtChance]) -> Iterator[Caveat]:
    """That models are what the others are compared with.

    >>> [caveat.text for caveat in predict_mean([AtChance("base", "r2", 0.0, 0.0, 0.0, 0.0)])]
    ['base always predicts the mean of these rows.']
    """
    if rows:
        who, verb = joined([bounded(row.model) for row in rows]), "predict"
        constant = best_guess(rows[0].measure)
        verb += "s" if len(rows) == 1 else ""
        yield Caveat("constant", "moderate", f"{who} always {verb} {constant} of these rows.")


def has_one_score(row: AtChance, basis: Basis) -> bool:
    """Whether a model gives every row the same score: its AUC is 0.5 and varies not at all."""
    of_all = row.measure == "auc" and row.class_ is None and basis in ("pooled rows", "groups")
    return of_all and row.value == row.chance and row.low is None


def with_one_score(rows: Sequence[AtChance]) -> Iterator[Caveat]:
    """That models do not rank the rows.

    >>> [caveat.text for caveat in with_one_score([AtChance("m", "auc", 0.5, None, None, 0.5)])]
    ['m gives every row the same score (AUC 0.500).']
    """
    if rows:
        who = joined([bounded(row.model) for row in rows])
        verb, each = ("gives", "the same") if len(rows) == 1 else ("give", "one and the same")
        text = f"{who} {verb} every row {each} score (AUC {numbers.number(rows[0].value)})."
        yield Caveat("constant", "moderate", text)


def chance_text(
    name: str,
    rows: Sequence[AtChance],
    data: DataRecord,
    *,
    worse: bool,
    in_headline: bool = False,
) -> str:
    """That models, or models on single classes or labels, are not better than guessing.

    Costs that the headline has are not repeated.
    """
    if name == COST:
        return _of_costs(rows, data, worse=worse, in_headline=in_headline)
    verb = "is" if len({row.model for row in rows}) == 1 else "are"
    if not worse and all(row.high is not None and row.high < row.chance for row in rows):
        verb += f" no better than {guessing(name)}"  # of pooled fits, whose limits are too narrow
    else:
        verb += f"{'' if worse else ' not'} {than_guessing(name, data, worse=worse)}"
    first = next((row for row in rows if row.simultaneous), rows[0])
    if first.class_ is not None:
        first = min(rows, key=lambda row: abs(row.value - row.chance))
    digits = decimals.shared((row.value, row.low, row.high) for row in rows)
    both = rows if first.class_ is not None and len(rows) == 2 else [first]
    shown = [f"{measure(name)} {', '.join(filter(None, of_guess(r, digits)))}" for r in both]
    whose = [f"{row.model} on {row.class_}" if row.class_ else row.model for row in both]
    of_each = [f"{who}: {value}" for who, value in zip(whose, shown, strict=True)]
    of_first = shown[0] if len(rows) == 1 else "; ".join(of_each)
    value = f", against {numbers.estimate(first.chance)}" if name == "accuracy" else ""
    subject, place = _of_classes(rows, data, worse=worse)
    return f"{subject} {verb}{place} ({of_first}{value})."


def beside_contest(text: str, name: str, contest: Contest, data: DataRecord) -> str:
    """The sentence beside the deciding measure: pooled rows give another value than parts.

    And R² compares squared errors where MAE decides.
    """
    if contest.basis == "mean over folds":
        value, parts = f"({measure(contest.measure)} ", basis.parts(data)
        of_mean = f"mean {measure(contest.measure)} over {parts} "
        text = text.replace(value, f"({of_mean}", 1)
        text = text.replace(f": {value[1:]}", f": {of_mean}", 1)
    if name == "r2" and contest.measure == ABSOLUTE:
        text += " R² compares squared errors, and MAE, which decides, absolute ones."
    return text


def _of_costs(rows: Sequence[AtChance], data: DataRecord, *, worse: bool, in_headline: bool) -> str:
    """That models do not cost less than a constant; which of several cost no less in these rows."""
    text = of_costs(rows, data, worse=worse, in_headline=in_headline)
    if in_headline:
        return text
    return " ".join([text, *details_of_costs(rows, data, worse=worse)])


def of_costs(
    rows: Sequence[AtChance], data: DataRecord, *, worse: bool, in_headline: bool = False
) -> str:
    """The sentence that models do not cost less than a constant, without what they save of it."""
    first, dear = _in_two(rows, worse=worse)
    who = counted([row.model for row in first], "models")
    verb, cheap = ("costs", "is") if len(first) == 1 else ("cost", "are")
    if worse:
        verb = f"{verb} significantly more"
    elif all(costs_no_less(row) for row in first):
        verb = f"{verb} no less in these rows"
    else:
        verb = f"{cheap} not significantly cheaper"
    also = ""
    if dear:
        others = counted([row.model for row in dear], "models")
        also = f", and {others} {'costs' if len(dear) == 1 else 'cost'} no less in these rows"
    if in_headline:
        return f"{who} {verb} than always predicting the cheaper class{also}."
    trivial = numbers.estimate(rows[0].chance)
    decides = {model["name"]: model.get("threshold") for model in data["models"]}
    by_scores = any(decides.get(row.model) is not None for row in rows)
    return (
        f"{in_use(len(rows)) if by_scores else ''}{who} {verb} than always predicting "
        f"the cheaper class ({trivial} per row){also}."
    )


def details_of_costs(rows: Sequence[AtChance], data: DataRecord, *, worse: bool) -> Iterator[str]:
    """What few models save of a constant's cost, by the limits that decide; at which prevalence."""
    first, dear = _in_two(rows, worse=worse)
    saved = [row.above for row in [*first, *dear] if row.above is not None]
    if len(saved) == len(rows) <= MOST_NAMES:
        digits = decimals.shared(saved)
        values = listed([with_limits(*one, digits=digits) for one in saved])
        limits = ", with simultaneous limits," if len(data["models"]) > 1 else ""
        what = "Its relative saving{} is" if len(rows) == 1 else "Their relative savings{} are"
        yield f"{what.format(limits)} {values}."
    stated = rows[0].prevalence
    if stated is not None:
        share = numbers.prevalence(stated)
        yield f"These costs are for a prevalence of {share}, as the spec states."


def _in_two(
    rows: Sequence[AtChance], *, worse: bool
) -> tuple[Sequence[AtChance], Sequence[AtChance]]:
    """The models that a sentence begins with; of several those that cost no less in these rows."""
    dear = [row for row in rows if costs_no_less(row)] if not worse else []
    return (rows, ()) if len(dear) == len(rows) else ([r for r in rows if r not in dear], dear)


def than_guessing(name: str, data: DataRecord, *, worse: bool) -> str:
    """How a model that is at chance, or ``worse``, stands to guessing.

    Pooling the scores of separately fitted folds can lower an AUC below 0.5, of which limits know
    nothing: there no model is said to be significantly worse.
    """
    if worse and name == "auc" and evaluation_of(data).pooled_fits:
        return f"below {guessing(name)}"
    return f"significantly {'worse' if worse else 'better'} than {guessing(name)}"


def _of_classes(rows: Sequence[AtChance], data: DataRecord, *, worse: bool) -> tuple[str, str]:
    """Which models are meant, and on which of their classes or labels; of many their number."""
    task = TASKS[data["task"]]
    classes_of: dict[str, list[str]] = {}
    for row in rows:
        classes_of.setdefault(row.model, []).extend([row.class_] if row.class_ else [])
    alike = {tuple(classes) for classes in classes_of.values()}
    if len(alike) > 1:
        pairs = [f"{row.model} on {row.class_}" for row in rows]
        return counted(pairs, f"pairs of model and {task.noun}"), ""
    subject, [classes] = counted([*classes_of], "models"), alike
    count = f"{numbers.count(len(classes))} {task.nouns}"
    if not classes:
        return subject, ""
    if len(classes) == len(data.get("classes") or ()):
        return subject, f" on {'each' if worse else 'any'} of the {count}"
    return subject, f" on {joined(classes) if len(classes) <= MOST_NAMES else count}"
