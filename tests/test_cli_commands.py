"""The command line from the outside: what it prints, and how it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from reportgen.cli import faults
from reportgen.resources import EXAMPLES, SCHEMAS
from tests.four_rows import ROWS, SPEC

WATERMELON = EXAMPLES / "watermelon" / "report.yaml"
DATA_ONLY = ("--format", "json")


def test_build_prints_the_headline_and_the_paths_on_stdout_and_steps_on_stderr(run, tmp_path):
    code, out, err = run("build", WATERMELON, "--out", tmp_path, "--format", "json")

    headline, *paths = out.splitlines()
    results = json.loads((tmp_path / "watermelon/latest/results.json").read_text())
    assert code == 0
    assert headline == f"INCONCLUSIVE (NO GATES) · {results['decision']['headline']}"
    assert [Path(path).name for path in paths] == ["results.json"]
    assert all(Path(path).is_file() for path in paths)
    assert "reading and evaluating" in err


def test_build_writes_where_the_spec_says_beside_the_spec(run, project):
    code, _, _ = run("build", project / "report.yaml", *DATA_ONLY)

    assert code == 0
    assert (project / "reports/report/latest/results.json").is_file()


def test_formats_may_be_separated_by_commas(run, project):
    code, _, _ = run("build", project / "report.yaml", "--format", "json, md")
    wrong, _, err = run("build", project / "report.yaml", "--format", "json,pfd")

    assert code == 0
    assert (project / "reports/report/latest/summary.md").is_file()
    assert (wrong, "'pfd' is not one of" in err) == (2, True)


def test_quiet_leaves_stderr_empty(run, project):
    code, _, err = run("build", project / "report.yaml", "--quiet", *DATA_ONLY)

    assert (code, err) == (0, "")


def test_json_output_is_json_and_nothing_else(run, project):
    code, out, _ = run("build", project / "report.yaml", "--json", *DATA_ONLY)

    [one] = json.loads(out)["builds"]
    assert code == 0
    assert Path(one["files"]["json"]).is_file()
    assert one["gates"] == []


def test_an_option_can_be_set_from_the_command_line(run, project):
    run("build", project / "report.yaml", "--set", "threshold=0.65", *DATA_ONLY)

    results = json.loads((project / "reports/report/latest/results.json").read_text())
    assert results["spec"]["threshold"] == 0.65


def test_a_failed_gate_exits_with_1_and_the_report_is_there(run, project):
    gate = 'gates=["m.auc >= 0.99"]'
    code, out, err = run("build", project / "report.yaml", "--set", gate, *DATA_ONLY)

    assert code == 1
    assert "gate failed: m.auc >= 0.99 (observed 0.75" in err
    quiet = run("build", project / "report.yaml", "--set", gate, "--quiet", *DATA_ONLY)[2]
    assert quiet.startswith("gate failed: m.auc >= 0.99")
    assert Path(out.splitlines()[-1]).is_file()


def test_a_gate_that_is_not_decided_exits_with_0_and_is_told(run, project):
    gate = 'gates=["m.auc >= 0.7"]'
    code, _, err = run("build", project / "report.yaml", "--set", gate, *DATA_ONLY)

    assert code == 0
    assert "gate inconclusive: m.auc >= 0.7" in err


def test_a_build_speaks_the_language_of_its_spec_but_in_json(run, project):
    spec = project / "report.yaml"
    chinese = ["--set", 'gates=["m.auc >= 0.7"]', "--set", "language=zh", *DATA_ONLY]
    _, out, err = run("build", spec, *chinese)
    _, as_json, _ = run("build", spec, *chinese, "--json", "--quiet")

    assert out.startswith("尚无定论：唯一的验收条件")
    assert "验收条件尚无定论：m.auc >= 0.7（观测值 " in err
    assert "发布" in err
    assert not re.search("[\u4e00-\u9fff]", as_json)


def test_a_spec_that_cannot_be_built_does_not_keep_the_others_from_it(run, project):
    code, out, err = run("build", project / "nothing.yaml", project / "report.yaml", *DATA_ONLY)

    *_, path, blank, first, second = out.splitlines()
    assert code == 2
    assert "nothing.yaml" in err
    assert (Path(path).is_file(), blank) == (True, "")
    assert first == "nothing: NOT BUILT (exit 2): the spec cannot be used"
    assert second.startswith("report: ")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"report.yaml": SPEC + "colour: red\n"}, 2),
        ({"data.csv": ROWS.replace("0.4", "NaN")}, 3),
        ({"data.csv": ROWS.replace("y,", "z,")}, 3),
        ({"report.yaml": SPEC + "gates: [m.precision > 0]\nthreshold: 0.95\n"}, 4),
        ({"data.csv": "y,p\n"}, 5),
    ],
    ids=["unknown key", "NaN", "missing column", "undefined gate", "no rows"],
)
def test_a_fault_has_its_exit_and_its_place_and_publishes_nothing(run, project, change, code):
    for name, text in change.items():
        (project / name).write_text(text)

    ended, out, err = run("build", project / "report.yaml", *DATA_ONLY)

    assert (ended, out) == (code, "")
    assert any(name in err for name in ("report.yaml", "data.csv"))
    assert not (project / "reports/report/latest").exists()


def test_every_problem_of_a_spec_is_told_with_line_and_column(run, project):
    (project / "report.yaml").write_text(SPEC + "colour: red\nthreshold: high\n")

    _, _, err = run("check", project / "report.yaml")

    assert "report.yaml:7:1:" in err
    assert "report.yaml:8:12:" in err


def test_errors_as_json_are_json(run, project):
    (project / "report.yaml").write_text(SPEC + "colour: red\n")

    code, _, err = run("check", project / "report.yaml", "--quiet", "--error-format", "json")

    answer = json.loads(err)
    assert answer["exit"] == code == 2
    assert [problem["line"] for problem in answer["problems"]] == [7]


@pytest.mark.parametrize(
    "option",
    [("--date", "0001-01-01"), ("--from", "d.csv"), ("--max-seconds", "nan")],
)
def test_an_option_that_no_build_can_follow_is_a_usage_error(run, option):
    """A year of one digit, data in the place of counts, and a limit that no time reaches."""
    code, _, err = run("build", "report.yaml", *option)

    assert code == 2
    assert option[0] in err


def test_a_usage_error_as_json_is_json(run):
    code, _, err = run("build", "--error-format=json", "--wrong")

    assert code == 2
    assert json.loads(err)["problems"][0]["code"] == "usage"


def test_cell_contents_are_shown_only_on_request(run, project):
    (project / "report.yaml").write_text(SPEC + "columns: {id: i}\n")
    (project / "data.csv").write_text("y,p,i\nyes,0.9,perhaps\nno,0.4,perhaps\n")

    _, _, err = run("check", project / "report.yaml")
    _, _, shown = run("check", project / "report.yaml", "--show-values")

    assert "perhaps" not in err
    assert "perhaps" in shown


def test_an_output_path_that_is_a_file_exits_with_8(run, project):
    (project / "out").write_text("a file")

    code, _, err = run("build", project / "report.yaml", "--out", project / "out", *DATA_ONLY)

    assert code == 8
    assert "not-a-folder" in err


@pytest.mark.parametrize("words", [["history"], ["prune"], ["accept", "a", "--because", "b"]])
def test_a_file_in_the_place_of_the_folder_of_builds_exits_with_8(run, tmp_path, words):
    (tmp_path / "out").write_text("a file")

    code, _, err = run(*words, "--out", tmp_path / "out")

    assert (code, "not-a-folder" in err) == (8, True)


def test_a_folder_that_another_build_holds_exits_with_75(run, project):
    from reportgen.builds.publish import writing

    with writing(project / "out/report"):
        code, _, _ = run("build", project / "report.yaml", "--out", project / "out", *DATA_ONLY)

    assert code == 75


def test_check_says_what_was_found_and_builds_nothing(run, project):
    code, out, _ = run("check", project / "report.yaml")

    assert code == 0
    assert "4 rows, 1 model (m)" in out
    assert not (project / "reports").exists()


def test_check_answers_in_json(run, project):
    _, out, _ = run("check", project / "report.yaml", "--json")

    answer = json.loads(out)
    assert (answer["rows"], answer["models"], answer["positive"]) == (4, ["m"], "yes")


def test_check_warns_where_models_cannot_be_compared_row_by_row(run, project):
    (project / "report.yaml").write_text(SPEC.replace("{m: {score: p}}", "{column: m, score: p}"))
    (project / "data.csv").write_text("y,p,m\nyes,0.9,a\nno,0.4,b\n")

    code, out, err = run("check", project / "report.yaml")

    assert code == 0
    assert "2 rows, 2 models (a, b); see the warning" in out
    assert "warning: the models cannot be compared row by row: no id column" in err


@pytest.mark.parametrize("text", ["no JSON", "{}", '{"schema": "reportgen/results/1"}'])
def test_a_file_that_is_no_results_is_named(run, project, text):
    (project / "results.json").write_text(text)

    code, _, err = run("render", project / "results.json", "--out", project)

    assert code == 3
    last = err.splitlines()[-2]
    assert last.startswith(str(project / "results.json"))
    assert ": results-" in last


def test_check_warns_when_one_class_only_is_present(run, project):
    (project / "data.csv").write_text("y,p\nyes,0.9\nyes,0.4\n")

    code, out, err = run("check", project / "report.yaml")
    answer = json.loads(run("check", project / "report.yaml", "--json")[1])

    assert code == 0
    assert "warning: one class: 2 rows are yes, and no other class is present" in err
    assert "no problems" not in out
    assert [warned["name"] for warned in answer["warnings"]] == ["one class"]


@pytest.mark.parametrize(
    ("spec", "task", "classes"),
    [
        ("truth: c\nmodels: {m: {label: said}}", "multiclass", ["a", "b", "c"]),
        (
            "truth: {s: s, t: t}\nmodels: {m: {labels: {s: u, t: v}}}",
            "multilabel",
            ["s", "t"],
        ),
        ("truth: n\nmodels: {m: {estimate: e}}", "regression", []),
    ],
)
def test_check_in_json_gives_the_task_and_its_classes(run, project, spec, task, classes):
    (project / "report.yaml").write_text(f"data: data.csv\n{spec}\n")
    (project / "data.csv").write_text(
        "c,said,s,t,u,v,n,e\na,a,1,0,1,0,5,6\nb,a,0,1,0,0,7,7\nc,c,1,1,1,1,9,8\n"
    )

    answer = json.loads(run("check", project / "report.yaml", "--json")[1])

    assert (answer["task"], answer["classes"]) == (task, classes)
    assert "positive" not in answer


def test_init_writes_a_spec_that_builds_and_never_overwrites_one(run, project):
    (project / "report.yaml").unlink()

    first = run("init", project / "data.csv")
    built = run("build", project / "report.yaml", *DATA_ONLY)
    again = run("init", project / "data.csv")
    forced = run("init", project / "data.csv", "--force")

    assert [first[0], built[0], again[0], forced[0]] == [0, 0, 8, 0]
    assert first[1].strip() == str(project / "report.yaml")
    assert first[2].strip() == f"next: reportgen build {project / 'report.yaml'}"


def test_render_writes_results_in_another_language(run, project):
    """Their English sentences are looked up with the numbers and names as parameters."""
    run("build", project / "report.yaml", "--format", "json")
    results = project / "reports/report/latest/results.json"
    for language in ("en", "zh"):
        into = ("--out", project / language, "--format", "markdown", "--language", language)
        assert run("render", results, *into)[0] == 0
    english, chinese = (
        (project / of / "report/latest/summary.md").read_text(encoding="utf-8")
        for of in ("en", "zh")
    )

    assert re.findall(r"\d+\.\d+", english) == re.findall(r"\d+\.\d+", chinese)
    assert (
        len(re.findall("[\u4e00-\u9fff]", chinese))
        > 100
        > len(re.findall("[\u4e00-\u9fff]", english))
    )


def test_render_makes_the_same_report_from_its_results_alone(run, project):
    run("build", project / "report.yaml", "--format", "json", "--format", "markdown")
    results = project / "reports/report/latest/results.json"
    code, _, _ = run("render", results, "--out", project / "again", "--format", "markdown")

    own = run("render", results, "--out", project / "reports", "--format", "markdown")
    [first, second] = (project / f / "report/latest/summary.md" for f in ("reports", "again"))
    assert (code, own[0]) == (0, 2)
    assert "hint: --out names another one" in own[2]
    assert len(list((project / "reports/report").glob("2*"))) == 1
    assert first.read_text() == second.read_text()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"schema": "reportgen/results/99"}'])
def test_render_refuses_what_is_not_results(run, tmp_path, text):
    (tmp_path / "results.json").write_text(text)

    assert run("render", tmp_path / "results.json", "--out", tmp_path / "out")[0] == 3


def test_catalogue_lists_metrics_curves_and_comparisons(run):
    code, out, _ = run("catalogue")

    assert code == 0
    for name in ("auc", "precision", "roc", "delong", "mcnemar_exact"):
        assert f"\n  {name} " in out


def test_catalogue_explains_one(run):
    _, out, _ = run("catalogue", "auc", "--json")

    (entry,) = json.loads(out)["catalogue"]
    assert entry["undefined"] == "only one class is present"
    assert entry["interval"] == "delong score"
    assert "doi:10.1148" in entry["reference"]


def test_schema_prints_the_published_schema(run):
    _, out, _ = run("schema")

    assert out == (SCHEMAS / "report.schema.json").read_text(encoding="utf-8")


def test_a_bug_exits_with_70_and_saves_a_trace_without_the_data(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    secret = str(4700 + 11)
    try:
        try:
            raise KeyError(secret)
        except KeyError as cause:
            raise ValueError(secret) from cause
    except ValueError as bug:
        code = faults.tell(bug, faults.Style())

    [trace] = tmp_path.iterdir()
    err = capsys.readouterr().err
    assert code == 70
    assert str(trace) in err
    for text in (err, trace.read_text()):
        assert "ValueError" in text
        assert secret not in text


def test_specs_of_two_files_in_one_folder_have_names_of_their_own(run, project):
    (project / "second.csv").write_text(ROWS)
    (project / "report.yaml").unlink()

    first = run("init", project / "data.csv")
    refused = run("init", project / "second.csv")
    second = run("init", project / "second.csv", "--out", "second.yaml")
    beyond = run("init", project / "data.csv", "--out", "../second.yaml")

    assert [code for code, _, _ in (first, refused, second, beyond)] == [0, 8, 0, 2]
    assert "--out NAME.yaml writes another" in refused[2]
    assert f"name: {project.name} " in (project / "report.yaml").read_text()
    assert "name: second " in (project / "second.yaml").read_text()
