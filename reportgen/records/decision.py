"""The decision of an evaluation: one record that every page, title, file and exit code reads.

Which model leads, by how much and how sure that is, whether the gates hold, what
takes the conclusion away, and what to do. It is worked out once
(``concluding.conclusion``) and printed as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.metrics import REGISTRY, gains_by_skill, loss_of
from reportgen.records.basis import Basis

State = Literal["pass", "fail", "inconclusive", "no gates"]
"""Of the build: a gate failed; one is open, or the data allow no conclusion; else it passes.

Without gates nothing passes: the state is ``no gates``, or ``inconclusive``.
"""

Relation = Literal[
    "single",
    "ahead",
    "level",
    "equivalent",
    "mixed",
    "by quantile",
    "at chance",
    "no conclusion",
]
"""How the leader stands to the other models.

``ahead``: significantly better than the model that it is compared with.
``level``: no significant difference. ``mixed``: ahead of some models, level with others, or not
compared with them. ``equivalent``: within the declared margin of every model that it is level
with. ``by quantile``: the models of each quantile are compared alone, and there is no one leader.
``at chance``: no model is significantly better than guessing.
"""

Standing = Literal["leader", "ahead", "behind", "level", "equivalent", "not compared"]
"""How a model stands to the leader, by the deciding test: it is behind, or level, say."""

Severity = Literal["severe", "moderate", "slight"]
"""A severe caveat takes the conclusion away; a slight one stands beside its numbers alone."""

OF_CONSTANT = "costs_of_constant"
"""The code of the caveat that models of several classes cost no less than a constant prediction."""

MOST_MODELS = 10
"""So many models stand on page one, best first, and the declared baseline."""

OF_ERRORS = {loss_of(skill, "regression"): skill for skill in gains_by_skill()}
"""What says whether errors are less than those of the best constant, which has 0."""

FEW_MORE = 2
"""With so many more models, all are shown: a line that says how many are not takes one too."""


MEASURES_OF_ROWS = "measures_of_rows"
"""The code of the caveat that measures are at the share of positives of the rows."""


@dataclass(frozen=True, slots=True)
class Caveat:
    """What weakens the conclusion, or numbers.

    ``measures`` are those whose numbers, gates and claims carry it beside the conclusion; those
    of ``models`` alone, of all where it names none.
    """

    code: str
    severity: Severity
    text: str
    measures: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    def is_about(self, measure: str, model: str) -> bool:
        """Whether a number carries it."""
        return measure in self.measures and (not self.models or model in self.models)


@dataclass(frozen=True, slots=True)
class AtChance:
    """A model, or one of its classes or labels, that is not significantly better than guessing.

    ``chance`` is the value of guessing: 0.5 for AUC, the share of the most
    frequent class for accuracy, 0 for R², the cost of the cheaper trivial
    classifier for the expected cost. ``simultaneous``: by its own limits, which it has, the model
    would be better than guessing, but not by those that hold for all models at once. ``worse``: it
    is significantly worse. ``corrected``: those limits, where they hold the value of guessing.
    ``above``: how far the model is above a guess that is estimated from
    the same rows, with limits that allow for that: of accuracies, where only these hold 0, for all
    models at once where ``simultaneous``; of costs the savings, a share of the cost of guessing.
    ``prevalence``: the stated one that costs are for, where it is another one than that of the
    rows.
    """

    model: str
    measure: str
    value: float
    low: float | None
    high: float | None
    chance: float
    class_: str | None = None
    simultaneous: bool = False
    worse: bool = False
    above: tuple[float, float, float] | None = None
    corrected: tuple[float, float] | None = None
    prevalence: float | None = None


@dataclass(frozen=True, slots=True)
class LowestClass:
    """The class that the leader recalls least, on all rows; of labels that of the lowest F1.

    ``low`` and ``high`` hold for all classes that are compared: those of at least ``least_rows``,
    null where that is all of them.
    """

    class_: str
    model: str
    measure: str
    value: float
    low: float | None
    high: float | None
    least_rows: int | None = None


@dataclass(frozen=True, slots=True)
class FamilyOfTests:
    """The tests that the adjusted p is corrected for, and how."""

    name: str
    size: int
    correction: str | None

    @property
    def is_corrected(self) -> bool:
        """Whether p is corrected: for one comparison there is nothing to correct."""
        return self.size > 1 and self.correction not in (None, "none")


@dataclass(frozen=True, slots=True)
class GateCounts:
    """How many gates there are in each state; ``on_estimates`` passed without an interval."""

    passed: int = 0
    failed: int = 0
    inconclusive: int = 0
    on_estimates: int = 0

    @property
    def declared(self) -> int:
        """How many gates the spec has."""
        return self.passed + self.failed + self.inconclusive


@dataclass(frozen=True, slots=True)
class ThresholdChange:
    """The threshold of least expected cost of a model, against the one in use.

    Costs are means per row. ``saving`` is ``cost_now`` − ``cost_then`` with its
    interval; ``estimated`` says on which rows the threshold was chosen and the
    saving measured. ``false_negatives`` and ``false_positives`` are the changes in the
    numbers of false negatives and of false positives, where rows are weighted ``by_weight``, whose
    mean is 1. ``worthwhile``: the
    interval of the saving excludes 0. ``leader_cost`` is what the leader costs at its best
    threshold, where ``model`` is another one; ``cheaper`` is a model that is not level with the
    leader and costs clearly less, ``cheaper_cost``. ``constant_cost`` is that of always predicting
    the cheaper class, ``prevalence`` the stated one that all these costs are for, if it is not that
    of the rows; ``false_negatives_in_use`` and ``false_positives_in_use`` are the changes in the
    errors there, per case. ``text`` says it in a sentence.
    """

    model: str
    current: float
    proposed: float
    cost_now: float
    cost_then: float
    saving: float
    low: float | None
    high: float | None
    confidence: float
    false_negatives: float
    false_positives: float
    estimated: str
    worthwhile: bool
    text: str = ""
    by_weight: bool = False
    leader_cost: float | None = None
    cheaper: str | None = None
    cheaper_cost: float | None = None
    constant_cost: float | None = None
    prevalence: float | None = None
    false_negatives_in_use: float | None = None
    false_positives_in_use: float | None = None


@dataclass(frozen=True, slots=True)
class RankedModel:
    """A model on page one: its value, and its difference to the reference model.

    Without a declared baseline ``difference`` is the leader minus this model, with
    one this model minus the baseline. ``low`` and ``high``
    are limits of the value; those of the difference hold together over the
    family of the adjusted p, at 1 − α; ``significant``: the deciding test rejects.
    ``standing`` is that to the leader.
    ``unit_value`` is in the unit of the truth (root mean squared error),
    ``cost`` the expected cost per row on the same basis, at the stated prevalence where there is
    one.
    """

    model: str
    value: float | None
    low: float | None
    high: float | None
    standing: Standing
    mean_rank: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    significant: bool | None = None
    group: str | None = None
    unit_value: float | None = None
    cost: float | None = None
    cost_low: float | None = None
    cost_high: float | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What the evaluation concludes.

    ``estimate``, ``low`` and ``high`` are the leader's value minus that of
    ``compared_with`` on ``basis``, with limits of the method and level of
    ``p_adjusted``; of a single model its value and interval. ``ruled_out`` is the
    largest difference to a level model that the limits still allow, ``reference`` the
    model of the differences in ``models``: a declared baseline that a test of page one
    has, else the leader, ``lowest`` its class of the lowest recall,
    ``smallest_detectable`` the one that the test rejects four times in five,
    ``units_needed`` how many independent ``units`` it takes to do so at the
    declared ``margin``.
    """

    state: State
    relation: Relation
    headline: str
    sentence: str
    measure: str | None = None
    basis: Basis | None = None
    units: str | None = None
    leader: str | None = None
    baseline: str | None = None
    compared_with: str | None = None
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    test: str | None = None
    family: FamilyOfTests | None = None
    alpha: float = 0.05
    ruled_out: float | None = None
    smallest_detectable: float | None = None
    margin: float | None = None
    units_needed: int | None = None
    at_chance: tuple[AtChance, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    gates: GateCounts = GateCounts()
    action: ThresholdChange | None = None
    reference: str | None = None
    lowest: LowestClass | None = None
    models: tuple[RankedModel, ...] = ()

    @property
    def state_text(self) -> str:
        """The state of the build in words, with the gates that it comes from.

        >>> from dataclasses import replace
        >>> replace(UNDECIDED, state="fail", gates=GateCounts(2, 1, 1)).state_text
        'FAIL: 1 of 4 gates failed, 1 is inconclusive'
        >>> replace(UNDECIDED, state="pass", gates=GateCounts(3)).state_text
        'PASS: all 3 gates passed'
        >>> replace(UNDECIDED, state="pass", gates=GateCounts(3, on_estimates=1)).state_text
        'PASS: all 3 gates passed, 1 on a point estimate'
        >>> replace(UNDECIDED, state="fail", gates=GateCounts(0, 2)).state_text
        'FAIL: both gates failed'
        >>> replace(UNDECIDED, state="no gates").state_text
        'NO GATES'
        >>> UNDECIDED.state_text
        'INCONCLUSIVE (NO GATES)'
        >>> replace(UNDECIDED, gates=GateCounts(3)).state_text
        'INCONCLUSIVE: all 3 gates passed, but the data allow no conclusion'
        """
        return f"{self.state_name}: {self.gates_text}" if self.gates_text else self.state_name

    @property
    def state_name(self) -> str:
        """The state of the build in capitals; a failed gate is never under another."""
        if not self.gates.declared:
            return "INCONCLUSIVE (NO GATES)" if self.state == "inconclusive" else "NO GATES"
        if self.gates.failed:
            return "FAIL"
        open_ = self.gates.inconclusive or self.state == "inconclusive"
        return "INCONCLUSIVE" if open_ else "PASS"

    @property
    def gates_text(self) -> str:
        """What the gates came to, and why they are not enough; nothing without gates."""
        failed, inconclusive = self.gates.failed, self.gates.inconclusive
        declared = self.gates.declared
        verb = "is" if inconclusive == 1 else "are"
        if failed:
            beside = f", {inconclusive} {verb} inconclusive" if inconclusive else ""
            return f"{_of_all(failed, declared)} failed{beside}"
        if inconclusive:
            return f"{_of_all(inconclusive, declared)} {verb} inconclusive"
        if not declared:
            return ""
        passed = f"{_of_all(declared, declared)} passed{self._on_estimates}"
        return f"{passed}, but {self._taken_away}" if self.state == "inconclusive" else passed

    @property
    def _on_estimates(self) -> str:
        """How many of the gates passed without an interval."""
        count = self.gates.on_estimates
        if not count:
            return ""
        which = "" if self.gates.declared == 1 else f" {count}"
        return f",{which} on {'a point estimate' if count == 1 else 'point estimates'}"

    @property
    def _taken_away(self) -> str:
        """Why the state is inconclusive where no gate is."""
        if self.relation == "at chance":
            measured = {row.measure for row in self.at_chance if row.class_ is None}
            by_constant = [name for name in OF_ERRORS.values() if name in measured]
            worded = self.measure if self.measure in measured else (*by_constant, "r2")[0]
            return f"no model is significantly better than {guessing(worded)}"
        if self.relation == "no conclusion":
            return "the data allow no conclusion"
        if {caveat.code for caveat in self.caveats if caveat.severity == "severe"} == {OF_CONSTANT}:
            return "no model costs significantly less than always predicting one class"
        return "the results are unreliable"

    @property
    def on_page_one(self) -> tuple[RankedModel, ...]:
        """The models that page one shows: the best, and the declared baseline; all of a dozen."""
        beyond = self.models[MOST_MODELS:]
        if len(beyond) <= FEW_MORE:
            return self.models
        return (*self.models[:MOST_MODELS], *(m for m in beyond if m.model == self.baseline))

    @property
    def severe(self) -> tuple[Caveat, ...]:
        """What takes the conclusion away."""
        return tuple(caveat for caveat in self.caveats if caveat.severity == "severe")

    @property
    def with_care(self) -> tuple[Caveat, ...]:
        """What the conclusion is to be read with: all but what stands beside its numbers alone."""
        return tuple(caveat for caveat in self.caveats if caveat.severity != "slight")

    def about(self, measure: str) -> tuple[Caveat, ...]:
        """The caveats that the numbers, gates and claims of a measure carry.

        >>> from dataclasses import replace
        >>> caveat = Caveat("one_error", "moderate", "One row has most errors.", ("r2",))
        >>> decision = replace(UNDECIDED, caveats=(caveat,))
        >>> len(decision.about("r2")), len(decision.about("auc"))
        (1, 0)
        """
        return tuple(caveat for caveat in self.caveats if measure in caveat.measures)


def guessing(measure: str) -> str:
    """What a model at chance is no better than, in words."""
    constant = best_guess(measure)
    return f"always predicting {constant}" if constant else "chance"


def best_guess(measure: str) -> str | None:
    """The constant that a model at chance is no better than, in words; null of a ranking."""
    if measure in OF_ERRORS.values():
        return f"the {REGISTRY['regression'][measure].best_constant}"
    classes = {"accuracy": "most frequent", "cost_sensitive_error_rate": "cheaper"}
    return f"the {classes[measure]} class" if measure in classes else None


def _of_all(part: int, whole: int) -> str:
    if part < whole:
        return f"{part} of {whole} gates"
    return {1: "the gate", 2: "both gates"}.get(whole, f"all {whole} gates")


UNDECIDED = Decision("inconclusive", "no conclusion", "No conclusion", "Nothing was evaluated.")
"""The decision of results that are not finished."""
