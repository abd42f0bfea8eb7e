"""Gates against earlier builds, night after night, from small data."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.builds import accept, history, prune
from reportgen.cli import main
from reportgen.delivery.junit import junit
from reportgen.errors import DataError, SpecError
from reportgen.results import Results
from reportgen.spec.repeated import Keep
from tests.breadth import breadth
from tests.page_text import page_text, without_chinese

SPEC = """\
data: data.csv
truth: y
models: {m: {score: p}}
columns: {id: id}
bootstrap: {replicates: 0}
intervals: {ratios: delta}  # the default takes two fifths of a small build, and no gate reads it
history: {least: 4, window: 30, alarms_per_year: 50}
gates:
  - m.auc >= previous - 0.02
  - m.auc >= accepted - 0.02
  - m.auc within history
"""
OF_SITES = f"slices: [site]\n{SPEC}  - m.recall by site >= 0.3\n"
"""With slices, which take two fifths of a build."""
PREVIOUS, ACCEPTED, HISTORY, SITES = range(4)
START = dt.date(2026, 1, 1)


class Nights:
    """A folder with a spec, and what each night brings."""

    def __init__(self, folder: Path, gates: str = SPEC) -> None:
        self.spec = folder / "nightly.yaml"
        self.spec.write_text(gates)

    def rows(self, seed: int, *, separation: float = 2.0, fixed: bool = False) -> pl.DataFrame:
        n = 200
        cases = np.random.default_rng(0 if fixed else seed)
        truth, shared = cases.random(n) < 0.5, cases.normal(size=n)
        noise = 0.9 * shared + 0.2 * np.random.default_rng(seed).normal(size=n)
        score = 1 / (1 + np.exp(-(separation * (truth - 0.5) + noise)))
        names = [f"case {'' if fixed else seed} {k}" for k in range(n)]
        site = np.where(np.arange(n) % 2 == 1, "A", "B")
        return pl.DataFrame({"id": names, "y": truth.astype(int), "p": score, "site": site})

    def build(self, night: int, rows: pl.DataFrame | None = None) -> reportgen.Build:
        if rows is not None:
            rows.write_csv(self.spec.parent / "data.csv")
        date = START + dt.timedelta(days=night)
        return reportgen.build(self.spec, formats=["json"], date=date)


def gates(build: reportgen.Build) -> list[dict]:
    return build.results.gates.to_dicts()


@pytest.fixture(scope="module")
def year(tmp_path_factory):
    """Six steady nights, three after a drop, each of new rows."""
    nights = Nights(tmp_path_factory.mktemp("year"), OF_SITES)
    drop = {night: 0.5 if night >= 6 else 2.0 for night in range(9)}
    return [nights.build(k, nights.rows(k, separation=s)) for k, s in drop.items()]


def test_the_first_night_is_inconclusive_with_the_reason_and_no_failure(year):
    first = gates(year[0])

    assert [gate["state"] for gate in first[:3]] == ["inconclusive"] * 3
    assert first[PREVIOUS]["why"] == "there is no build of an earlier date"
    assert first[HISTORY]["why"] == "0 of 4 earlier builds that history needs"
    assert year[0].results.decision.state == "inconclusive"


def test_history_decides_once_it_has_enough_builds(year):
    states = [gates(build)[HISTORY]["state"] for build in year]

    assert states == ["inconclusive"] * 4 + ["pass"] * 2 + ["fail"] * 3
    assert gates(year[5])[HISTORY]["against"] == "5 builds"
    remark = f"against 5 builds; prediction limit {gates(year[5])[HISTORY]['limit']:.3f}"
    assert remark in page_text(year[5].results)
    assert not without_chinese(year[5].results, [remark])


def test_an_alarm_that_goes_on_is_one_alarm_with_its_night(year):
    assert [gates(build)[HISTORY]["night"] for build in year[6:]] == [1, 2, 3]


def test_a_gate_against_the_previous_build_fails_on_the_night_of_the_drop_only(year):
    fell, after = gates(year[6]), gates(year[7])

    assert fell[PREVIOUS]["state"] == fell[ACCEPTED]["state"] == "fail"
    assert fell[PREVIOUS]["high"] < -0.02
    assert after[PREVIOUS]["against"] == year[6].path.name
    assert after[PREVIOUS]["state"] == "inconclusive"
    assert after[ACCEPTED]["against"] == year[5].path.name
    assert after[ACCEPTED]["state"] == "fail"


def test_a_build_that_raised_an_alarm_is_no_part_of_history(year):
    assert gates(year[8])[HISTORY]["against"] == "6 builds"


def test_a_gate_by_a_column_has_a_row_for_each_slice(year):
    assert [g["slice"] for g in gates(year[0])[SITES:]] == ["site = A", "site = B"]


def test_results_with_such_gates_are_read_again(year):
    text = year[8].files["json"].read_text(encoding="utf-8")

    assert Results.from_json(text).gates.equals(year[8].results.gates)


def test_the_same_rows_are_compared_in_pairs_and_the_same_predictions_not_at_all(tmp_path):
    nights = Nights(tmp_path)
    first = nights.build(0, nights.rows(1, fixed=True))
    same = gates(nights.build(1))[PREVIOUS]
    shuffled = nights.rows(2, fixed=True).sample(fraction=1, shuffle=True, seed=1)
    other = gates(nights.build(2, shuffled))[PREVIOUS]

    assert (same["basis"], same["why"], same["state"]) == ("unchanged", "same inputs", "pass")
    assert other["basis"] == "200 paired rows"
    aside = first.results.metrics.filter(pl.col("slice").is_null(), metric="auc").to_dicts()
    unpaired = 2 * 1.4 * (aside[0]["high"] - aside[0]["low"]) / 2
    assert other["high"] - other["low"] < unpaired


def test_truths_that_changed_are_counted_and_left_out(tmp_path):
    nights = Nights(tmp_path)
    rows = nights.rows(1, fixed=True)
    nights.build(0, rows)
    relabelled = rows.with_columns(
        y=pl.when(pl.int_range(pl.len()) < 3).then(1 - pl.col("y")).otherwise("y"),
        p=pl.col("p") / 2,
    )
    gate = gates(nights.build(1, relabelled))[PREVIOUS]

    assert gate["why"] == "without 3 rows whose truths changed since"
    assert gate["basis"] == "197 paired rows (98% of the larger build)"


def _relabelled(rows: pl.DataFrame, count: int) -> pl.DataFrame:
    truth = pl.when(pl.int_range(pl.len()) < count).then(1 - pl.col("y")).otherwise("y")
    return rows.with_columns(y=truth, p=pl.col("p") / 2)


@pytest.mark.parametrize(("count", "paired"), [(9, True), (12, False)])
def test_rows_are_paired_up_to_a_small_share_of_changed_truths(count, paired, tmp_path):
    nights = Nights(tmp_path)
    rows = nights.rows(1, fixed=True)
    nights.build(0, rows)

    gate = gates(nights.build(1, _relabelled(rows, count)))[PREVIOUS]

    assert gate["basis"].startswith(f"{200 - count} paired rows") == paired
    if not paired:
        reason = "12 of 200 common ids have a different truth, too many to leave out"
        assert gate["basis"] == f"separate rows ({reason})"


def test_ids_that_name_other_rows_each_night_are_not_paired_and_the_gate_warns(tmp_path):
    nights = Nights(tmp_path)
    ids = pl.int_range(pl.len()).alias("id")
    before = nights.build(0, nights.rows(1).with_columns(ids))
    build = nights.build(1, nights.rows(2, separation=0.0).with_columns(ids))

    gate, areas = gates(build)[PREVIOUS], [_area(one) for one in (build, before)]

    assert gate["observed"] == pytest.approx(areas[0] - areas[1])
    assert gate["state"] == "fail"
    assert gate["why"] == "the ids may have been reassigned to other rows"
    assert "200 common ids have a different truth, as if by chance" in gate["basis"]


def _area(build: reportgen.Build) -> float:
    return build.results.metrics.filter(pl.col("slice").is_null(), metric="auc")["value"].item()


def test_another_positive_class_is_not_comparable_and_never_a_pass(tmp_path):
    nights = Nights(tmp_path)
    nights.build(0, nights.rows(1))
    nights.spec.write_text(f"{SPEC}positive: 0\n")
    gate = gates(nights.build(1, nights.rows(2)))[PREVIOUS]

    assert gate["state"] == "inconclusive"
    assert gate["why"] == "not comparable: the positive class was 1, and is 0"


def test_a_level_accepted_by_hand_is_the_one_that_counts_and_begins_the_window(tmp_path):
    nights = Nights(tmp_path)
    builds = [nights.build(k, nights.rows(k, separation=2 - (k == 2))) for k in range(3)]
    assert gates(builds[2])[ACCEPTED]["state"] == "fail"
    accept(builds[2].path, "the scanner was replaced")
    after = gates(nights.build(3, nights.rows(3, separation=1)))

    assert after[ACCEPTED]["against"] == builds[2].path.name
    assert after[HISTORY]["why"] == "1 of 4 earlier builds that history needs"


def test_a_date_between_others_is_compared_with_those_before_it(tmp_path):
    nights = Nights(tmp_path)
    first, last = nights.build(0, nights.rows(0)), nights.build(5, nights.rows(5))
    between = nights.build(3, nights.rows(3))

    assert gates(between)[PREVIOUS]["against"] == first.path.name
    assert (last.path.parent / "latest").readlink().name == last.path.name


@pytest.mark.parametrize("name", ["previous", "accepted", "history", "by"])
def test_a_word_of_gates_names_no_model(name, tmp_path):
    nights = Nights(tmp_path)
    nights.spec.write_text(SPEC.replace("{m:", f"{{{name}:").replace("m.", f"{name}."))
    with pytest.raises(SpecError, match="reserved"):
        nights.build(0, nights.rows(0))


@pytest.mark.parametrize(("states", "code"), [("[fail]", 0), ("[fail, inconclusive]", 1)])
def test_the_spec_says_which_states_of_gates_fail_the_command(states, code, tmp_path, capsys):
    nights = Nights(tmp_path, f"{SPEC}fail_on: {states}\n")
    nights.rows(0).write_csv(tmp_path / "data.csv")
    with pytest.raises(SystemExit) as left:
        main(["build", str(nights.spec), "--format", "json"])

    assert left.value.code == code
    assert "there is no build of an earlier date" in capsys.readouterr().err


def test_rows_hold_no_id_and_can_be_left_out(tmp_path):
    nights = Nights(tmp_path, OF_SITES)
    first = nights.build(0, nights.rows(1))
    nights.spec.write_text(f"{OF_SITES}keep_rows: false\n")
    second = nights.build(1, nights.rows(2))

    rows = pl.read_parquet(first.path / "rows.parquet")
    assert rows["id"].dtype == pl.Binary
    assert b"case 1" not in (first.path / "rows.parquet").read_bytes()
    assert set(rows.columns) == {"id", "truth", "score:0", "decision:0", "slice:site"}
    assert not (second.path / "rows.parquet").exists()
    assert gates(second)[PREVIOUS]["basis"] == "separate rows (a build has no row file)"


SLICED = OF_SITES.partition("gates:")[0] + "gates: [m.recall by site within history]\n"


def test_history_by_a_column_follows_each_slice_and_shares_the_budget(tmp_path):
    nights = Nights(tmp_path, SLICED)
    for night in range(6):
        rows = nights.rows(night)
        worse = pl.col("site").eq("A") & pl.lit(night == 5)
        build = nights.build(night, rows.with_columns(p=pl.when(worse).then(0.1).otherwise("p")))
    by_slice = {gate["slice"]: gate for gate in gates(build)}

    assert set(by_slice) == {"site = A", "site = B"}
    assert [gate["state"] for gate in by_slice.values()] == ["fail", "pass"]
    assert {gate["against"] for gate in by_slice.values()} == {"5 builds"}
    alone = Nights(tmp_path, SLICED.replace(" by site", ""))
    alone.spec.write_text(f"name: alone\n{alone.spec.read_text()}")
    limits = [gates(alone.build(k, alone.rows(k)))[0]["cusum_limit"] for k in range(5)]
    assert by_slice["site = A"]["cusum_limit"] > limits[-1]  # half of the level for each slice
    suites = ElementTree.fromstring(junit([("nightly", gates(build))]))
    names = [case.get("name") for case in suites.iter("testcase")]
    assert len(names) == len(set(names)) == 3


@breadth(("fixed", "basis"), [(True, "100 paired rows"), (False, "separate rows")], 1)
@breadth("build", ["previous", "accepted"], ["previous"])
def test_an_earlier_build_by_a_column_compares_each_slice_as_if_it_were_alone(
    build, fixed, basis, tmp_path
):
    by_slice = f"m.auc by site >= {build} - 0.02"
    whole = OF_SITES.partition("gates:")[0] + f"gates: [{by_slice}]\n"
    (tmp_path / "part").mkdir()
    nights = Nights(tmp_path, whole)
    one_site = whole.replace(" by site", "").replace("year: 50", "year: 25")
    alone = Nights(tmp_path / "part", one_site)  # one gate shares the budget, not two slices
    for night in range(2):
        rows = nights.rows(night, fixed=fixed)
        worse = pl.col("site").eq("A") & pl.lit(night == 1)
        rows = rows.with_columns(p=pl.when(worse).then(1 - pl.col("p")).otherwise("p"))
        of_sites = gates(nights.build(night, rows))
        (of_site,) = gates(alone.build(night, rows.filter(site="A")))
    first, second = of_sites

    assert [first["slice"], second["slice"]] == ["site = A", "site = B"]
    assert first["state"] == "fail"
    assert second["state"] != "fail"
    assert first["basis"].startswith(basis)
    for name in ("observed", "low", "high", "confidence"):
        assert first[name] == pytest.approx(of_site[name], rel=1e-9)
    again = gates(nights.build(2))
    assert [gate["state"] for gate in again] == [first["state"], second["state"]]
    assert {gate["slice"]: gate["night"] for gate in again} == {"site = A": 2, "site = B": None}


@pytest.mark.slow
def test_the_usual_change_stands_beside_a_paired_gate(tmp_path):
    nights = Nights(tmp_path)
    values = []
    for night in range(6):
        build = nights.build(night, nights.rows(night, fixed=True))
        values.append(build.results.numbers("m")["auc"])
        usual = gates(build)[PREVIOUS]["usual"]
        assert (usual is None) == (night < 4)
    assert usual == pytest.approx(np.median(np.abs(np.diff(values[:5]))))
    assert gates(build)[HISTORY]["usual"] is None


def test_the_first_night_has_a_junit_file(tmp_path):
    nights = Nights(tmp_path)
    text = junit([("nightly", gates(nights.build(0, nights.rows(1))))])
    assert "observed 0." in text


def test_numbers_of_removed_builds_outlive_the_form_of_their_file(tmp_path):
    nights = Nights(tmp_path)
    first, second = (nights.build(k, nights.rows(k)) for k in (0, 1))
    folder = first.path.parent
    prune(folder, Keep(last=1), dry_run=False)
    table = pl.read_parquet(folder / "archive.parquet")
    old = table.with_columns(
        pl.col("numbers").list.eval(
            pl.struct(
                *(pl.element().struct.field(name) for name in ("metric", "model", "average")),
                *(pl.element().struct.field(name) for name in ("value", "low", "high")),
            )
        )
    )
    old.drop("small_cells").write_parquet(folder / "archive.parquet")
    numbers = history(folder).row(0, named=True)["numbers"]
    assert (history(folder)["id"].to_list()) == [first.path.name, second.path.name]
    assert {"metric", "slice", "value"} <= numbers[0].keys()
    (folder / "archive.parquet").write_bytes(b"no")
    with pytest.raises(DataError, match="numbers of removed builds"):
        history(folder)


def test_a_build_that_withholds_small_counts_tells_none_of_an_earlier_one(tmp_path):
    """The build before has every number; a difference from it would tell these again."""
    nights = Nights(tmp_path, OF_SITES)
    before = nights.build(0, nights.rows(0))
    for number, (smallest, comparable) in enumerate(((5, False), (10, False), (5, True)), 1):
        nights.spec.write_text(f"{OF_SITES}privacy: {{small_cells: {smallest}}}\n")
        night = nights.build(number, nights.rows(number))
        gate = gates(night)[PREVIOUS]
        assert gate["against"] == before.path.name
        assert (gate["observed"] is None, night.results.trends is None) == (not comparable,) * 2
        if not comparable:
            reason = f"does not withhold counts below {smallest} (privacy.small_cells)"
            assert gate["why"] == f"{before.path.name} {reason}"
        before = night


CHALLENGE = """\
data: data.csv
truth: y
models: {champion: {score: p}, challenger: {score: q}}
columns: {id: id}
bootstrap: {replicates: 0}
intervals: {ratios: delta}
history: {accumulate: true}
gates: [challenger.accuracy - champion.accuracy >= 0]
"""


def test_a_challenger_is_decided_on_the_fresh_rows_of_all_nights(tmp_path):
    nights = Nights(tmp_path, CHALLENGE)
    builds = []
    for night in range(7):
        rows = nights.rows(night, separation=0.7)
        better = pl.when(pl.int_range(pl.len()) % 4 == 0).then(pl.col("y")).otherwise(pl.col("p"))
        builds.append(nights.build(night, rows.with_columns(q=better)))
    again = gates(nights.build(7))
    rows = [gates(build)[0] for build in builds]
    alone = [b.results.numbers() for b in builds]
    each = [n["challenger.accuracy"] - n["champion.accuracy"] for n in alone]

    assert [row["state"] for row in rows] == ["inconclusive"] * 4 + ["pass"] * 3
    assert rows[3]["why"] == "4 of 5 builds that a decision needs"
    assert rows[6]["basis"] == "1,400 rows of 7 builds"
    assert [row["fresh"] for row in rows] == pytest.approx(each)
    assert rows[6]["observed"] == pytest.approx(np.mean(each))
    assert rows[6]["high"] - rows[6]["low"] < rows[4]["high"] - rows[4]["low"]
    assert again[0]["basis"] == "1,400 rows of 7 builds"
    assert again[0]["fresh"] is None
    assert again[0]["why"] == f"200 of 200 rows are in {builds[6].path.name} too: it adds nothing"
    nights.spec.write_text(CHALLENGE.replace("columns: {id: id}\n", ""))
    with pytest.raises(SpecError, match=r"accumulate needs columns\.id"):
        nights.build(8)
