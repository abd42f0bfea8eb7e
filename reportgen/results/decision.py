"""The decision of an evaluation: one record that every page, title, file and exit code reads.

Which model leads, by how much and how sure that is, whether the gates hold, what
takes the conclusion away, and what to do. It is worked out once
(``results.conclusion``) and printed as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from reportgen.results.basis import Basis

State = Literal["pass", "fail", "inconclusive"]
"""Of the build: a gate failed; one is open, or the data allow no conclusion; else it passes."""

Relation = Literal[
    "single",
    "ahead",
    "level",
    "equivalent",
    "mixed",
    "at chance",
    "no conclusion",
]
"""How the leader stands to the other models.

``ahead``: significantly better than the model that it is compared with.
``level``: no significant difference. ``mixed``: ahead of some models, level with
others. ``equivalent``: within the declared margin of every model that it is level
with. ``at chance``: no model is significantly better than guessing.
"""

Standing = Literal["leader", "ahead", "behind", "level", "equivalent", "not compared"]
"""How a model stands to the leader, by the deciding test: it is behind, or level, say."""

Severity = Literal["severe", "moderate"]

MOST_MODELS = 10
"""So many models stand on page one, best first, and the declared baseline."""


@dataclass(frozen=True, slots=True)
class Caveat:
    """What weakens the conclusion; a severe one takes it away."""

    code: str
    severity: Severity
    text: str


@dataclass(frozen=True, slots=True)
class AtChance:
    """A model, or one of its classes or labels, that is not significantly better than guessing.

    ``chance`` is the value of guessing: 0.5 for AUC, the share of the most
    frequent class for accuracy, 0 for R², the cost of the cheaper trivial
    classifier for the expected cost.
    """

    model: str
    measure: str
    value: float
    low: float | None
    high: float | None
    chance: float
    class_: str | None = None


@dataclass(frozen=True, slots=True)
class FamilyOfTests:
    """The tests that the adjusted p is corrected for, and how."""

    name: str
    size: int
    correction: str | None


@dataclass(frozen=True, slots=True)
class GateCounts:
    """How many gates there are in each state."""

    passed: int = 0
    failed: int = 0
    inconclusive: int = 0

    @property
    def declared(self) -> int:
        """How many gates the spec has."""
        return self.passed + self.failed + self.inconclusive


@dataclass(frozen=True, slots=True)
class ThresholdChange:
    """The threshold of least expected cost of a model, against the one in use.

    Costs are means per row. ``saving`` is ``cost_now`` − ``cost_then`` with its
    interval; ``estimated`` says on which rows the threshold was chosen and the
    saving measured. ``missed`` and ``false_alarms`` are the changes in the
    numbers of false negatives and of false positives. ``worthwhile``: the
    interval of the saving excludes 0. ``text`` says it in a sentence.
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
    missed: int
    false_alarms: int
    estimated: str
    worthwhile: bool
    text: str = ""


@dataclass(frozen=True, slots=True)
class RankedModel:
    """A model on page one: its value, and its difference to the reference model.

    The reference is the declared baseline, else the leader. ``low`` and ``high``
    are limits of the value; those of the difference hold together over the
    family of the adjusted p, at 1 − α; ``significant``: the deciding test rejects.
    ``standing`` is that to the leader.
    ``unit_value`` is in the unit of the truth (root mean squared error),
    ``cost`` the expected cost per row on the same basis.
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


@dataclass(frozen=True, slots=True)
class Decision:
    """What the evaluation concludes.

    ``estimate``, ``low`` and ``high`` are the leader's value minus that of
    ``compared_with`` on ``basis``, with limits of the method and level of
    ``p_adjusted``; of a single model its value and interval. ``ruled_out`` is the
    largest difference to a level model that the limits still allow,
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
    models: tuple[RankedModel, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The decision as plain values, as ``results.json`` has it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Decision:
        """Read what ``to_dict`` wrote."""
        values = {field.name: record[field.name] for field in fields(cls)}
        family, action = values["family"], values["action"]
        values |= {
            "family": None if family is None else FamilyOfTests(**family),
            "action": None if action is None else ThresholdChange(**action),
            "at_chance": tuple(AtChance(**row) for row in values["at_chance"]),
            "caveats": tuple(Caveat(**row) for row in values["caveats"]),
            "gates": GateCounts(**values["gates"]),
            "models": tuple(RankedModel(**row) for row in values["models"]),
        }
        return cls(**values)

    @property
    def state_text(self) -> str:
        """The state of the build in words, with the gates that it comes from.

        >>> from dataclasses import replace
        >>> replace(UNDECIDED, state="fail", gates=GateCounts(2, 1)).state_text
        'FAIL: 1 of 3 gates failed'
        >>> replace(UNDECIDED, state="pass", gates=GateCounts(3)).state_text
        'PASS: all 3 gates passed'
        >>> replace(UNDECIDED, state="fail", gates=GateCounts(0, 2)).state_text
        'FAIL: both gates failed'
        >>> replace(UNDECIDED, state="pass").state_text
        'NO GATES'
        """
        declared = self.gates.declared
        if not declared:
            return "NO GATES" if self.state == "pass" else self.state.upper()
        if self.gates.failed:
            return f"FAIL: {_of_all(self.gates.failed, declared)} failed"
        if self.gates.inconclusive:
            undecided = self.gates.inconclusive
            verb = "is" if undecided == 1 else "are"
            return f"INCONCLUSIVE: {_of_all(undecided, declared)} {verb} undecided"
        return f"{self.state.upper()}: {_of_all(declared, declared)} passed"

    @property
    def on_page_one(self) -> tuple[RankedModel, ...]:
        """The models that page one shows: the best, and the declared baseline."""
        rest = self.models[MOST_MODELS:]
        return (*self.models[:MOST_MODELS], *(m for m in rest if m.model == self.baseline))

    @property
    def reference(self) -> str | None:
        """The model that the differences of the others are to: the baseline, else the leader."""
        names = [model.model for model in self.models if model.value is not None]
        return self.baseline if self.baseline in names else self.leader

    @property
    def severe(self) -> tuple[Caveat, ...]:
        """What takes the conclusion away."""
        return tuple(caveat for caveat in self.caveats if caveat.severity == "severe")


def _of_all(part: int, whole: int) -> str:
    if part < whole:
        return f"{part} of {whole} gates"
    return {1: "the gate", 2: "both gates"}.get(whole, f"all {whole} gates")


UNDECIDED = Decision("inconclusive", "no conclusion", "No conclusion", "Nothing was evaluated.")
"""The decision of results that are not finished."""
