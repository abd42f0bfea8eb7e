"""What groups do to the measures of models of two classes, and to their differences."""

from __future__ import annotations

from reportgen.array_types import Floats
from reportgen.comparing import differences
from reportgen.comparisons.metric_differences import joint_counts_by_group
from reportgen.measuring.binary_model import BinaryModel
from reportgen.measuring.cell_effects import NOTHING
from reportgen.measuring.counted_groups import CountedGroups
from reportgen.metrics import METRICS
from reportgen.metrics.row_losses import LOSSES
from reportgen.results.binned.counts import EvaluationCounts
from reportgen.results.binned.group_counts import Placed, ScopeAndPart, finite_losses
from reportgen.results.binned.sweeps import Sweeps, sweeps
from reportgen.sweeping import as_ranking
from reportgen.tables.comparisons import DifferenceRow


def joint_by_group(
    counted: EvaluationCounts, first: BinaryModel, second: BinaryModel
) -> Floats | None:
    """The rows of each group by truth and by the decisions of two models."""
    lines = counted.lines_of()
    if lines is None:
        return None
    predicted = [str(m.columns.label or m.columns.score) for m in (first, second)]
    return joint_counts_by_group(
        lines.frame, predicted[0], predicted[1], lines.groups, truth="positive"
    )


def loss_differences(
    counted: EvaluationCounts, first: int, second: int
) -> dict[str, DifferenceRow]:
    """Differences of mean losses of rows in groups, from what each group loses."""
    groups = counted.dependent
    scored = [k for k in (first, second) if counted.models[k].score is not None]
    if groups is None or len(scored) < 2:
        return {}
    both = [sweeps(counted.cells_of(k)) for k in scored]
    if not all(as_ranking(one.at).probabilities for one in both):
        return {}
    finite = set(finite_losses(both[0])) & set(finite_losses(both[1]))
    return {
        name: differences.mean_record(
            groups.mean_difference(first, second, name), counted.spec.confidence
        )
        if name in finite
        else {"undefined": METRICS[name].undefined}
        for name in LOSSES
    }


def effects_of_groups(
    counted: EvaluationCounts,
    index: int,
    cell_sweeps: Sweeps | None,
    place: ScopeAndPart,
    placed: Placed | None,
) -> CountedGroups | None:
    """The effects of groups on the measures of the scores of a model."""
    groups = counted.dependent
    if groups is None:
        return None
    area = NOTHING if placed is None else placed.effect
    if cell_sweeps is None:
        return CountedGroups(area, {})
    return CountedGroups(area, groups.losses(index, place, cell_sweeps))
