"""History, accepted levels, retention and the index of a folder of builds."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import reportgen
from reportgen.builds import find_build, history, index, prune, trend
from reportgen.builds.acceptance import accept
from reportgen.builds.retention import keep_of
from reportgen.cli import main
from reportgen.errors import DataError
from reportgen.spec.repeated import Keep

SPEC = """\
data: data.csv
truth: y
models: {m: {score: p}}
gates: [m.auc >= 0.6]
keep: {last: 2}
every: 1 day
intervals: {ratios: delta}
bootstrap: {replicates: 0}
"""
ROWS = "y,p\n1,0.9\n0,0.4\n1,0.6\n0,0.7\n1,0.8\n0,0.2\n"
BAD = "y,p\n1,0.1\n0,0.4\n1,0.6\n0,0.7\n1,0.2\n0,0.8\n"


def build(folder: Path, night: int, rows: str = ROWS, spec: str = "nightly") -> reportgen.Build:
    (folder / f"{spec}.yaml").write_text(SPEC)
    (folder / "data.csv").write_text(rows)
    date = dt.date(2026, 1, 30) + dt.timedelta(days=night)
    return reportgen.build(folder / f"{spec}.yaml", formats=["json"], date=date)


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Six nights of one spec, the fourth bad, and one night of another."""
    folder = tmp_path_factory.mktemp("built")
    for night in range(6):
        build(folder, night, BAD if night == 3 else ROWS)
    build(folder, 5, spec="other & <spec>")
    return folder / "reports"


@pytest.fixture
def out(built, tmp_path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "reports", symlinks=True))


def exit_code(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    return int(left.value.code or 0)


def ids(out: Path) -> list[str]:
    return history(out / "nightly")["id"].to_list()


@pytest.mark.parametrize(
    ("text", "place"), [("nightly", 5), ("nightly/latest", 5), ("nightly/latest~2", 3)]
)
def test_a_build_is_named_by_its_spec_and_how_far_back_it_is(text, place, out):
    assert find_build(text, out).name == ids(out)[place]
    assert find_build(out / text).name == ids(out)[place]


def test_words_alone_name_builds_of_the_only_spec(out, tmp_path):
    with pytest.raises(DataError, match="say of which spec: nightly/latest~2"):
        find_build("latest~2", out)

    alone = tmp_path / "alone"
    shutil.copytree(out / "nightly", alone / "nightly", symlinks=True)
    assert find_build("latest~2", alone).name == ids(out)[3]
    assert find_build("accepted", alone).name == find_build("nightly/accepted", out).name


def test_accepted_is_the_newest_build_without_an_alarm_or_accepted_by_hand(out):
    shutil.rmtree(out / "nightly" / ids(out)[5])
    shutil.rmtree(out / "nightly" / ids(out)[4])
    assert find_build("nightly/accepted", out).name == ids(out)[2]

    accept(find_build("nightly/latest", out), "the scanner was replaced")
    assert find_build("nightly/accepted", out).name == ids(out)[3]


def test_a_build_without_numbers_is_no_level(out):
    latest = find_build("nightly/latest", out)
    (latest / "results.json").unlink()
    with pytest.raises(DataError, match=r"the build has no results\.json"):
        accept(latest, "the scanner was replaced")
    assert not (out / "nightly/accepted.json").exists()


def test_a_build_that_there_is_not_is_refused_in_words(out):
    with pytest.raises(DataError, match="newest: only 6 dates have such a build"):
        find_build("nightly/latest~6", out)
    with pytest.raises(DataError, match=f"others have an id, such as {ids(out)[-2]}"):
        find_build("nightly/latest~6", out)
    with pytest.raises(DataError, match="no-build"):
        find_build("nothing", out)


def test_the_cache_of_history_is_made_again_from_the_builds(out):
    before = history(out / "nightly")
    (out / "nightly/history.parquet").write_bytes(b"no parquet")

    assert history(out / "nightly").equals(before)


def test_history_shows_a_number_with_its_interval_and_what_changed(out):
    rows = trend(out / "nightly", "m.auc")

    assert [row["state"] == "fail" for row in rows] == [False, False, False, True, False, False]
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)
    assert rows[3]["marks"] == ["m.auc >= 0.6: failed"]


def test_history_follows_the_newest_leader_and_says_where_another_one_led(tmp_path):
    """The number of whichever model leads would rise where the leader fell."""
    spec = SPEC.replace("{m: {score: p}}", "{a: {score: p}, b: {score: q}}")
    spec = spec.replace("gates: [m.auc >= 0.6]\n", "")
    good, poor = [0.9, 0.4, 0.6, 0.3, 0.8, 0.2], [0.9, 0.8, 0.1, 0.3, 0.8, 0.2]
    for night, (a, b) in enumerate([(good, poor), (poor, good)]):
        rows = [f"{y},{p},{q}" for y, p, q in zip([1, 0] * 3, a, b, strict=True)]
        (tmp_path / "s.yaml").write_text(spec)
        (tmp_path / "data.csv").write_text("\n".join(["y,p,q", *rows]))
        date = dt.date(2026, 1, 30) + dt.timedelta(days=night)
        reportgen.build(tmp_path / "s.yaml", formats=["json"], date=date)

    first, second = trend(tmp_path / "reports/s")

    assert [row["number"] for row in (first, second)] == ["b.accuracy"] * 2
    assert first["value"] < second["value"]
    assert "leader before: a" in second["marks"]


def test_a_number_that_no_build_has_is_refused_with_one_that_is_there(out):
    with pytest.raises(DataError, match=r"(?s)no build has 'm\.acu'.*did you mean 'm\.auc'"):
        trend(out / "nightly", "m.acu")


def test_of_averages_the_number_that_is_proposed_is_their_full_name(tmp_path):
    (tmp_path / "data.csv").write_text("y,p\na,a\nb,b\nc,c\na,b\nb,b\nc,a\n")
    (tmp_path / "s.yaml").write_text("data: data.csv\ntruth: y\nmodels: {m: {label: p}}\n")
    reportgen.build(tmp_path / "s.yaml", formats=["json"])

    with pytest.raises(DataError, match=r"did you mean 'm\.\w+_precision'"):
        trend(tmp_path / "reports/s", "m.precision")


LEVEL = {"build": "20260130-00000000", "date": "2026-01-30", "because": "new", "at": "2026"}


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "{", "1", '["a"]', json.dumps([LEVEL, LEVEL | {"date": None}]), "[{}]"],
    ids=["deep", "cut", "number", "texts", "date of another type", "without keys"],
)
def test_accepted_levels_that_are_damaged_are_refused_with_their_file(out, text):
    (out / "nightly/accepted.json").write_text(text)
    with pytest.raises(DataError, match=r"accepted\.json: .*cannot be read"):
        trend(out / "nightly", "m.auc")


@pytest.mark.parametrize(
    ("words", "name", "code"),
    [
        ("render {}/results.json --out {}", "results.json", 3),
        ("verify {}", "manifest.json", 3),
        ("verify {}", "results.json", 3),
        ("compare {} {}", "results.json", 3),
        ("index --out {}/../..", "manifest.json", 0),
    ],
)
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(out, words, name, code, capsys):
    folder = out / "nightly" / ids(out)[5]
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert exit_code(*words.format(folder, folder).split()) == code
    assert "bug" not in capsys.readouterr().err


def test_an_index_that_is_no_text_is_written_again_and_a_folder_in_its_place_named(out, capsys):
    (out / "index.html").write_bytes(b"\xff")
    assert exit_code("index", "--out", str(out)) == 0
    assert (out / "index.html").read_text().startswith("<!")
    (out / "index.html").unlink()
    (out / "index.html").mkdir()
    assert exit_code("index", "--out", str(out)) == 8
    assert "index.html" in capsys.readouterr().err


def test_a_damaged_note_of_the_spec_does_not_stop_a_build(tmp_path):
    build(tmp_path, 0)
    (tmp_path / "reports/nightly/.reportgen.spec").write_bytes(b"\xff")
    build(tmp_path, 1)
    assert len(ids(tmp_path / "reports")) == 2


def test_retention_keeps_what_is_asked_for_and_never_a_level_or_what_is_no_build(out):
    folder, names = out / "nightly", ids(out)
    accept(folder / names[0], "the first level")
    (folder / "20250101-00000000").mkdir()  # named as one, but no build
    assert keep_of(folder) == Keep(last=2)

    planned = prune(folder)
    assert (list(planned.removed), ids(out)) == (names[1:4], names)
    prune(folder, dry_run=False)

    there = {path.name for path in folder.iterdir() if path.is_dir() and not path.is_symlink()}
    assert there == {names[0], *names[4:], "20250101-00000000"}
    assert ids(out) == names, "the numbers stay in the history"


def test_retention_by_months_keeps_the_last_build_of_each(out):
    planned = prune(out / "nightly", Keep(monthly=2))

    assert list(planned.kept) == [ids(out)[1], ids(out)[5]]


def test_the_index_has_a_line_for_each_spec_and_links_that_lead_somewhere(out):
    page, listed = (path.read_text() for path in (out / "index.html", out / "nightly/index.html"))

    assert page.count("<tr><td>") == 2
    assert "other - -spec" in page
    links = re.findall('href="(nightly/2[^"]*)"', page)
    links += [f"nightly/{link}" for link in re.findall("<a href=(2[^> ]*)", listed)]
    assert len(links) == 7
    assert all((out / link).exists() for link in links)
    assert "fetch(" not in page


def test_feed_and_badges_are_well_formed_and_say_the_state(out):
    feed = ET.parse(out / "feed.xml").getroot()

    assert len(feed.findall("{http://www.w3.org/2005/Atom}entry")) == 7
    ET.parse(out / "badge.svg")
    assert json.loads((out / "nightly/badge.json").read_text())["label"] == "nightly"


def test_only_what_changes_is_written(out):
    assert index.update(out) == []
    shutil.rmtree(out / "nightly" / ids(out)[5])

    written = {path.relative_to(out).as_posix() for path in index.update(out, out / "nightly")}
    assert {"index.html", "nightly/index.html", "feed.xml"} <= written
    assert not any("other" in name for name in written)


def test_the_commands_answer_in_json(out, capsys):
    def answer(*words: str) -> dict:
        with pytest.raises(SystemExit) as left:
            main([*words, "--out", str(out), "--json"])
        assert left.value.code == 0
        return json.loads(capsys.readouterr().out)

    assert "nightly" in [one["name"] for one in answer("history")["specs"]]
    assert len(answer("history", "nightly", "--number", "m.accuracy")["builds"]) == 6
    (out.parent / "nightly.yaml").write_text(SPEC)
    assert answer("history", str(out.parent / "nightly.yaml")) == answer("history", "nightly")
    assert answer("accept", "nightly/latest", "--because", "why not")["because"] == "why not"
    assert answer("prune", "nightly", "--last", "1")["deleted"] is False
    assert len(answer("prune", "nightly", "--last", "1", "--delete")["specs"][0]["removed"]) == 5
    assert answer("index")["written"] == []


def test_a_build_of_the_last_day_of_the_calendar_does_not_stop_later_ones(tmp_path):
    build(tmp_path, 0)
    (tmp_path / "data.csv").write_text(ROWS)
    last = reportgen.build(tmp_path / "nightly.yaml", formats=["json"], date=dt.date.max)
    build(tmp_path, 1)

    assert last.date.isoformat() in (tmp_path / "reports" / "index.html").read_text()


def test_a_folder_of_a_build_that_is_not_there_stops_nothing(tmp_path, capsys):
    (tmp_path / "reports" / "other" / "20261101-0123abcd").mkdir(parents=True)
    built = build(tmp_path, 0)

    assert built.path.is_dir()
    assert "20260130" in (tmp_path / "reports" / "index.html").read_text()
    with pytest.raises(SystemExit) as left:
        main(["history", "--out", str(tmp_path / "reports")])
    assert left.value.code == 0
    assert "other" not in capsys.readouterr().out


def test_only_a_spec_with_a_cadence_becomes_stale(tmp_path):
    (tmp_path / "data.csv").write_text(ROWS)
    for name, more in (("once", ""), ("weekly", "every: 1 week\n")):
        (tmp_path / f"{name}.yaml").write_text(SPEC.replace("every: 1 day\n", more))
        date = dt.date(2026, 1, 30)
        reportgen.build(tmp_path / f"{name}.yaml", formats=["json"], date=date)

    page = (tmp_path / "reports/index.html").read_text()
    assert page.count("data-due=") == 1
    assert "stale after 2026-02-09 12:00 UTC" in page
