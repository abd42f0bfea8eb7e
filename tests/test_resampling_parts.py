"""The parts of the bootstrap: cells, units, replicate frames, limits."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import poisson

from reportgen.curves import hull
from reportgen.metrics import METRICS
from reportgen.metrics.row_losses import LOSSES
from reportgen.resampling.limits import acceleration, limits
from reportgen.resampling.multinomial import (
    LARGEST,
    MANY,
    REPLICATES,
    Multinomial,
    PoissonTables,
)
from reportgen.resampling.replicate_frames import (
    Masses,
    hull_frame,
    hull_vertices,
    sweep_frame,
)
from reportgen.resampling.replicate_measures import (
    GAINS,
    by_replicate,
    evaluate_replicates,
    measures,
)
from reportgen.resampling.resampling_units import BLOCKS, UNITS, blocks, units
from reportgen.resampling.row_kinds import row_kinds
from reportgen.resampling.score_cells import CELLS, ScoreCells, score_cells
from reportgen.resampling.whole_sweeps import WHOLE_SWEEPS
from reportgen.sweeping import bins, sweep, with_squares
from tests.whole.test_resampling_binary import sample


def masses(frame: pl.DataFrame, cells, score: str = "a"):
    slots = 2 * cells.of(frame[score]) + frame["truth"].cast(pl.Int64).to_numpy()
    counts = np.bincount(slots, minlength=2 * len(cells))[None, :].astype(float)
    return counts[:, 1::2], counts[:, ::2]


@pytest.mark.parametrize("number", [1, 30, 700])
@pytest.mark.parametrize("decimals", [1, 4])
def test_few_scores_are_cells_of_their_own_and_every_metric_is_exact(number, decimals):
    frame = sample(number, decimals=decimals)
    steps = sweep(frame, score="a")
    cells = score_cells(steps)
    assert len(cells) == frame["a"].n_unique()
    assert cells.bound == 0
    measure_list = [m for m in measures(None) if m.on != "counts"]
    values = evaluate_replicates(measure_list, *masses(frame, cells), cells)[0]
    frames = {"sweep": with_squares(steps), "hull": hull(steps), "bins": bins(steps)}
    for value, measure in zip(values, measure_list, strict=True):
        exact = frames[measure.on].select(measure.expression).item()
        if exact is None:
            assert np.isnan(value), measure.name
        else:
            assert value == pytest.approx(exact, abs=1e-12), measure.name


def test_replicates_in_one_frame_have_the_values_that_each_has_alone():
    frame = sample(500, decimals=2)
    cells = score_cells(sweep(frame, score="a"))
    positive, negative = masses(frame, cells)
    samples = np.random.default_rng(0).poisson(1, (2, 40, len(cells)))
    measure_list = measures(None)
    together = evaluate_replicates(
        measure_list, positive * samples[0], negative * samples[1], cells
    )
    for k in range(0, 40, 3):
        part = slice(k, k + 1)
        alone = evaluate_replicates(
            measure_list, (positive * samples[0])[part], (negative * samples[1])[part], cells
        )
        np.testing.assert_array_equal(together[part], alone)


@pytest.mark.parametrize("forecast", [(1.0, 0.7, 0.2, 0.0), (1.5, 0.7, 0.2, -1.0)])
def test_means_over_the_rows_are_those_of_the_sweeps_of_the_replicates(forecast):
    cells = ScoreCells(np.array(forecast), np.array(forecast), 0.0)
    samples = np.random.default_rng(0).poisson(1, (2, 200, 4)).astype(float)
    measure_list = measures(LOSSES)
    frame = sweep_frame(Masses(*samples, cells))
    of_sweeps = by_replicate(frame, [m.expression for m in measure_list], 200)

    assert 0 < np.isnan(of_sweeps[:, 1]).sum() < 200
    np.testing.assert_allclose(
        evaluate_replicates(measure_list, *samples, cells), of_sweeps, rtol=1e-14
    )


@pytest.mark.parametrize(("cells", "weights"), [(1, 0), (5, 0), (129, 1), (600, 0), (600, 20)])
def test_sums_over_the_gains_are_those_of_the_sweeps_of_the_replicates(cells, weights):
    """To the last digit: of counts, of weights, and where some weigh next to nothing."""
    random = np.random.default_rng(cells)
    samples = (
        random.poisson([[[0.3]], [[1.0]]], (2, 60, cells)) * random.gamma(2, 1, cells) ** weights
    )
    places = ScoreCells(*[np.linspace(1, 0, cells)] * 2, 0.0)
    measure_list = measures(GAINS)
    frame = sweep_frame(Masses(*samples, places))
    of_sweeps = by_replicate(frame, [m.expression for m in measure_list], 60)

    assert np.isnan(of_sweeps[:, 1]).sum() == (samples[0].sum(axis=1) == 0).sum()
    np.testing.assert_array_equal(evaluate_replicates(measure_list, *samples, places), of_sweeps)


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.9), (0.0, 1.2), (0.0, 1.0)])
@pytest.mark.parametrize(("cells", "weights"), [(1, 0), (2, 0), (5, 1), (600, 0), (600, 2)])
def test_values_of_whole_sweeps_are_those_of_their_expressions(cells, weights, low, high):
    """Of replicates without a class too, and without a row of cells that are no probability."""
    random = np.random.default_rng(cells)
    chosen = random.random((60, cells)) < random.uniform(0.02, 1, (60, 1))
    samples = (
        random.poisson([[[0.3]], [[1.0]]], (2, 60, cells))
        * chosen
        * random.gamma(2, 1, cells) ** weights
    )
    samples[0, :10] = samples[1, 5:15] = 0
    places = ScoreCells(*[np.linspace(high, low, cells)] * 2, 0.0)
    measure_list = measures(WHOLE_SWEEPS)
    values = evaluate_replicates(measure_list, *samples, places)
    for k, measure in enumerate(measure_list):
        frame = {"sweep": sweep_frame, "hull": hull_frame}[measure.on](Masses(*samples, places))
        expected = by_replicate(frame, [measure.expression], 60)[:, 0]
        np.testing.assert_allclose(values[:, k], expected, 1e-9, 1e-12, err_msg=measure.name)


def test_a_replicate_is_a_sweep_of_the_rows_it_drew():
    frame = sample(300, decimals=1)
    cells = score_cells(sweep(frame, score="a"))
    samples = np.random.default_rng(1).integers(0, 4, 300)
    copies = frame.select(pl.all().repeat_by(pl.Series(samples)).explode(empty_as_null=True))
    copies = copies.drop_nulls()
    steps = sweep(copies, score="a")
    frames = {"sweep": with_squares(steps), "hull": hull(steps), "bins": bins(steps)}
    measure_list = [m for m in measures(None) if m.on != "counts"]
    values = evaluate_replicates(measure_list, *masses(copies, cells), cells)[0]
    for value, measure in zip(values, measure_list, strict=True):
        exact = frames[measure.on].select(measure.expression).item()
        assert value == pytest.approx(exact, abs=1e-12), measure.name


def test_many_scores_share_cells_that_hold_little_of_either_class():
    frame = sample(60000)
    steps = sweep(frame, score="a")
    cells = score_cells(steps)
    positive, negative = masses(frame, cells)
    assert 900 < len(cells) <= CELLS
    assert positive.max() <= positive.sum() / 480
    assert negative.max() <= negative.sum() / 480
    edges = np.arange(11) / 10
    highest = np.append(1.0, cells.lowest[:-1])
    inside = (edges[:, None] > cells.lowest) & (edges[:, None] < highest)
    rows = frame["a"].to_numpy()
    for edge, cell in zip(*np.nonzero(inside), strict=True):
        members = rows[cells.of(frame["a"]) == cell]
        assert (members >= edges[edge]).all() or (members < edges[edge]).all()


def test_the_cells_change_the_auc_by_less_than_their_bound():
    for number in (16, 100, CELLS):
        frame = sample(20000, seed=number)
        steps = sweep(frame, score="a")
        cells = score_cells(steps, number)
        area = evaluate_replicates(measures(["auc"]), *masses(frame, cells), cells)[0, 0]
        exact = steps.select(METRICS["auc"].build()).item()
        assert 0 < cells.bound < 1 / number + 1e-9
        assert abs(area - exact) <= cells.bound


def test_a_cell_stands_for_the_mean_of_its_scores():
    frame = sample(5000)
    cells = score_cells(sweep(frame, score="a"), 50)
    at = cells.of(frame["a"])
    means = frame.group_by(cell=pl.Series(at)).agg(pl.col("a").mean()).sort("cell")
    np.testing.assert_allclose(cells.forecast, means["a"].to_numpy(), atol=1e-12)


def test_unbalanced_classes_both_get_cells():
    random = np.random.default_rng(0)
    truth = np.arange(100000) < 600
    score = 1 / (1 + np.exp(-(random.normal(size=100000) + 3 * truth)))
    frame = pl.DataFrame({"truth": truth, "a": score})
    cells = score_cells(sweep(frame, score="a"))
    positive, _ = masses(frame, cells)
    assert positive.max() <= 3


@pytest.mark.parametrize("seed", range(8))
def test_the_vertices_of_many_hulls_are_those_of_each(seed):
    random = np.random.default_rng(seed)
    parts = random.integers(0, 4, (2, 12, 40)).astype(float)
    x, y = (np.concatenate([np.zeros((12, 1)), p.cumsum(axis=1)], axis=1) for p in parts)
    vertices = hull_vertices(x, y)
    for k in range(12):
        at = np.flatnonzero(vertices[k])
        rising = at[np.append(np.diff(x[k, at]) > 0, True)]  # the top of a vertical start
        assert (np.interp(x[k], x[k, rising], y[k, rising]) >= y[k] - 1e-9).all()
        slope = np.arctan2(np.diff(y[k, at]), np.diff(x[k, at]))
        assert (np.diff(slope) < 0).all()
        assert (x[k, at[0]], y[k, at[0]]) == (0, 0)
        assert (x[k, at[-1]], y[k, at[-1]]) == (x[k, -1], y[k, -1])


def test_units_hold_every_row_once_and_bring_its_mass():
    frame = sample(400, decimals=1)
    slots = 2 * np.arange(400) % 6 + frame["truth"].cast(pl.Int64).to_numpy() * 0
    weight = pl.Series(np.random.default_rng(0).integers(1, 4, 400))
    for options in ({}, {"weight": weight}, {"group": pl.Series(np.arange(400) % 30)}):
        unit_set = units([(slots.astype(np.int64), 6)], **options)
        total = unit_set.shares[0].masses(unit_set.count[None, :])
        values = weight.to_numpy() if "weight" in options else np.ones(400)
        np.testing.assert_allclose(total[0], np.bincount(slots, values, 6))


def test_drawn_units_keep_the_size_of_their_stratum():
    slots = np.repeat(np.arange(6), [5, 9, 1, 30, 2, 4])
    for stratified in (True, False):
        unit_set = units([(slots, 6)], stratified=stratified)
        samples = np.concatenate(list(unit_set.draw_counts(700, [0])))
        assert (samples.sum(axis=1) == 51).all()
        positives = samples[:, unit_set.shares[0].slot % 2 == 1].sum(axis=1)
        assert (positives == 43).all() == stratified
        np.testing.assert_allclose(samples.mean(axis=0), unit_set.count, rtol=0.15)


def test_replicates_do_not_depend_on_how_they_are_batched():
    slots = np.arange(3 * (UNITS + 5)) // 3 * 6
    unit_set = units([(slots // 3, 2 * (UNITS + 5))])
    few = np.concatenate(list(unit_set.draw_counts(3, [7])))
    more = np.concatenate(list(unit_set.draw_counts(140, [7])))
    np.testing.assert_array_equal(few, more[:3])


def test_blocks_of_groups_give_sums_the_variance_of_the_groups():
    random = np.random.default_rng(0)
    number, size = UNITS + 1, 6
    group = np.arange(number).repeat(3)
    slots = (random.random(number).repeat(3) * size).astype(np.int64)  # groups are all of a slot
    unit_set = units([(slots, size)], group=pl.Series(group))
    assert len(unit_set.count) == BLOCKS
    samples = np.concatenate(list(unit_set.draw_counts(2000, [0])))
    share = np.bincount(slots, minlength=size) / len(slots)
    spread = 3 * (number * share * (1 - share)) ** 0.5
    masses = unit_set.shares[0].masses(samples)
    np.testing.assert_allclose(masses.std(axis=0), spread, rtol=0.08)
    np.testing.assert_allclose(masses.mean(axis=0), np.bincount(slots), rtol=0.005)


def test_blocks_keep_the_strata_of_their_groups():
    stratum = (np.arange(50_000) % 10 == 0).astype(np.int64)
    block, of_block = blocks(stratum)
    np.testing.assert_array_equal(of_block[block], stratum)
    assert len(of_block) == block.max() + 1 == BLOCKS
    assert np.ptp(np.bincount(block)) <= 1 + 1


def test_merged_weights_keep_the_sum_of_a_cell_and_of_its_squares():
    random = np.random.default_rng(0)
    slots = random.integers(0, 4, UNITS + 9)
    weight = random.exponential(size=UNITS + 9)
    unit_set = units([(slots, 4)], weight=pl.Series(weight))
    mass = unit_set.shares[0].mass
    np.testing.assert_allclose(unit_set.count * mass, np.bincount(slots, weight))
    np.testing.assert_allclose(unit_set.count * mass**2, np.bincount(slots, weight**2), rtol=0.001)


def test_percentile_limits_are_order_statistics_and_basic_ones_their_mirror():
    replicates = np.random.default_rng(0).permutation(np.arange(1.0, 1000.0))
    assert limits(replicates, 480.0, 0.9) == pytest.approx((50, 950))
    assert limits(replicates, 480.0, 0.9, "basic") == pytest.approx((10, 910))
    assert limits(np.append(replicates, np.nan), 480.0, 0.9) == pytest.approx((50, 950))


def test_replicates_of_which_nearly_all_are_the_same_give_no_limits():
    """Quantiles that coincide have no width, which is not certainty."""
    replicates = np.append(np.zeros(995), 0.1 * np.ones(4))

    assert limits(replicates, 0.0, 0.9) is None
    assert limits(np.append(replicates, 0.1 * np.ones(60)), 0.0, 0.9) == pytest.approx((0, 0.1))


def test_bca_without_bias_and_skew_is_percentile_and_moves_with_both():
    replicates = np.arange(1.0, 1000.0)
    plain = limits(replicates, 500.0, 0.9)
    assert limits(replicates, 500.0, 0.9, "bca") == pytest.approx(plain)
    skewed = limits(replicates, 500.0, 0.9, "bca", acceleration=0.1)
    biased = limits(replicates, 450.0, 0.9, "bca")
    assert skewed > plain
    assert biased[1] < plain[1]


def test_there_are_no_limits_without_a_spread_or_with_too_few_values():
    values = np.arange(1.0, 101.0)
    assert limits(np.full(100, 0.4), 0.4, 0.95) is None
    assert limits(values, np.nan, 0.95) is None
    assert limits(values, 500.0, 0.95) is None
    assert limits(np.where(values > 11, values, np.nan), 60.0, 0.95) is None
    assert limits(values, 50.0, 0.95, "bca", acceleration=np.nan) is None
    assert limits(values, 0.5, 0.95, "bca") is None


def test_the_acceleration_of_a_mean_is_its_skewness_over_six_root_n():
    values = np.random.default_rng(0).exponential(size=200)
    centred = values - values.mean()
    skewness = (centred**3).mean() / (centred**2).mean() ** 1.5
    skew = acceleration(values / 199, np.ones(200), np.zeros(200, dtype=np.int64))
    assert skew == pytest.approx(skewness / (6 * 200**0.5))
    pairs = acceleration(values[::2], np.full(100, 2.0), np.zeros(100, dtype=np.int64))
    twice = acceleration(np.repeat(values[::2], 2), np.ones(200), np.zeros(200, dtype=np.int64))
    assert pairs == pytest.approx(twice)


def test_counts_of_many_units_are_multinomial():
    """Every unit, and sets of units, have the means and variances of the distribution."""
    random = np.random.default_rng(3)
    count = random.poisson(random.exponential(30, 4000))
    count[:2] = 0, LARGEST
    multinomial = Multinomial.of(count)
    assert multinomial.poisson is not None
    samples = multinomial.draw(np.random.default_rng(7), 800)
    rows, replicates = count.sum(), len(samples)

    assert (samples.sum(axis=1) == rows).all()
    assert not samples[:, 0].any()
    used, sets = count > 0, (random.random((60, len(count))) < 0.3).astype(float)
    for chance, sums in (
        (count[used] / rows, samples[:, used]),
        (sets @ count / rows, samples.astype(float) @ sets.T),
    ):
        variance = rows * chance * (1 - chance)
        z = (sums.mean(axis=0) - rows * chance) / np.sqrt(variance / replicates)
        assert (z**2).mean() == pytest.approx(1, abs=5 * (2 / len(z)) ** 0.5)
        ratio = sums.var(axis=0, ddof=1) / variance
        assert ratio.mean() == pytest.approx(1, abs=5 * (2 / replicates / len(z)) ** 0.5 + 0.002)


def test_tables_of_counts_are_those_of_the_poisson_distribution():
    """The distribution function, and the count wherever the first bits decide it."""
    sizes, share = np.array([0, 1, 7, 200, LARGEST]), 0.93
    tables = PoissonTables.of(np.repeat(sizes, 3), share)
    cells = tables.guide.reshape(len(sizes), -1).astype(np.int64)
    ends = np.arange(cells.shape[1] + 1) / cells.shape[1]
    cumulated = tables.cumulated.reshape(len(sizes), -1)
    for k, (size, of_size) in enumerate(zip(sizes, cells, strict=True)):
        expected = poisson.cdf(tables.first[k] + np.arange(tables.width), size * share)
        assert cumulated[k] - k == pytest.approx(expected, abs=1e-12)
        low, high = (poisson.ppf(end, size * share) for end in (ends[:-1] + 1e-9, ends[1:] - 1e-9))
        decided = of_size <= 2 * LARGEST
        assert (of_size[decided] == low[decided]).all()
        assert (of_size[decided] == high[decided]).all()
        assert (~decided).sum() <= (low < high).sum() + 1


def test_batches_of_many_units_leave_no_trace():
    """All replicates at once are those of one batch after the other, from one stream."""
    multinomial = Multinomial.of(np.random.default_rng(3).integers(5, 50, MANY))
    assert multinomial.poisson is not None
    stream = np.random.default_rng(7)
    parts = [multinomial.draw(stream, size) for size in (REPLICATES, REPLICATES, 5)]
    whole = multinomial.draw(np.random.default_rng(7), 2 * REPLICATES + 5)
    assert (np.concatenate(parts) == whole).all()


def test_kinds_of_rows_are_those_that_polars_counts():
    """Integers and floats, ties and negative zeros, whatever the order of the rows."""
    random = np.random.default_rng(1)
    columns = {
        "a": random.integers(0, 5, 400),
        "w": random.choice([0.5, -1.25, 0.0, 3.0], 400),
        "b": random.integers(0, 9, 400).astype(np.int32),
    }
    expected = pl.DataFrame(columns).group_by("a", "w", "b").len("rows").sort("a", "w", "b")
    assert row_kinds(columns).equals(expected)
