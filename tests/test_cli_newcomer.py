"""Mistakes of a first day: what the command line says of each, and what to do."""

from __future__ import annotations

import pytest

from reportgen.cli import notifying
from reportgen.errors import SpecError
from tests.four_rows import ROWS, SPEC


@pytest.mark.parametrize("name", ["data.csv", "long.csv", "data.parquet"])
def test_data_given_as_a_spec_is_told_from_a_faulty_spec(run, project, name):
    (project / "long.csv").write_text("truth p\n" + "1 0.5\n" * 20_000)
    (project / "data.parquet").write_bytes(b"PAR1\xff\x00")

    code, _, err = run("build", project / name)

    assert code == 2
    assert err.startswith(f"{project / name}: not-a-spec: this is not a spec")
    assert f"reportgen init {name}" in err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("d.csv", '"id","y"\n"1","no"\n'),
        ("d.tsv", "id\ty\n1\t0\n"),
        ("d.jsonl", '{"y":1}\n{"y":0}\n'),
    ],
)
def test_of_data_in_place_of_a_spec_the_faults_of_yaml_are_not_listed(run, project, name, text):
    (project / name).write_text(text)
    assert run("check", project / name)[2].count("\n  hint: ") == 1
    (project / "faulty.txt").write_text(SPEC.replace("data: ", "data: [").replace(".csv", ".csv\n"))
    assert "yaml: not YAML" in run("check", project / "faulty.txt")[2]


def test_a_dry_run_needs_no_mail_server(monkeypatch):
    monkeypatch.delenv("REPORTGEN_SMTP", raising=False)
    options = {"notify": "always", "mail": ["a@b.example"], "webhook": False, "apprise": False}

    with pytest.raises(SpecError, match="no-server"):
        notifying.check({**options, "dry_run": False})
    notifying.check({**options, "dry_run": True})


def test_a_spec_may_end_as_it_likes_where_it_reads_as_one(run, project):
    (project / "report.spec").write_text(SPEC)

    assert run("check", project / "report.spec")[0] == 0


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (SPEC.replace("{m: {score: p}}", "\n  m: {score: p}\n   a: {score: p}"), "indent the keys"),
        (SPEC.replace("data: ", "data:"), "put a space after the colon"),
        (SPEC.replace("data: ", "data: [").replace(".csv", ".csv\n"), "quote text"),
        (SPEC.replace("models:", "models:\n\ta: 1"), "indent with spaces"),
    ],
    ids=["indent", "colon", "bracket", "tab"],
)
def test_what_is_not_yaml_has_a_hint_for_its_fault(run, project, text, hint):
    (project / "report.yaml").write_text(text)

    code, _, err = run("check", project / "report.yaml")

    assert code == 2
    assert "yaml: not YAML" in err
    assert f"hint: {hint}" in err


def test_a_missing_truth_is_not_said_to_be_a_prediction(run, project):
    (project / "data.csv").write_text(ROWS.replace("yes,0.9", ",0.9"))

    code, _, err = run("check", project / "report.yaml")

    assert code == 3
    assert "a made-up value would count as an observation" in err


def test_operators_the_wrong_way_round_are_turned(run, project):
    (project / "report.yaml").write_text(f"{SPEC}\ngates: [m.auc => 0.5]\n")

    assert "did you mean 'm.auc >= 0.5'?" in run("check", project / "report.yaml")[2]


def test_a_build_without_results_json_is_listed_and_refused_with_a_hint(run, project):
    run("build", project / "report.yaml", "--format", "markdown", "-q")

    listed = run("history", "--out", project / "reports")[1]
    code, _, err = run("export", project / "reports/report/latest", "--to", project / "parts")

    assert "None" not in listed
    assert "–  (1 build)" in listed
    assert code == 3
    assert "build it with the format json" in err
    assert "name a build" in run("verify", project / "reports")[2]


@pytest.mark.parametrize(
    ("slips", "message"),
    [(0, ""), (1, "in 1 row they are not"), (3, "in 3 rows they are not"), (20, "")],
)
def test_a_few_scores_outside_0_to_1_are_reported_and_many_are_another_scale(
    run, project, slips, message
):
    rows = [f"{'yes' if k % 2 else 'no'},{1.5 if k < slips else k / 60}" for k in range(60)]
    (project / "data.csv").write_text("\n".join(["y,p", *rows]))

    code, _, err = run("check", project / "report.yaml")

    assert code == 0
    assert (message in err) if message else ("from 0 to 1" not in err)


def test_a_limit_that_there_is_not_is_no_unknown_metric(run, project):
    (project / "report.yaml").write_text(f"{SPEC}\ngates: [m.auc.lo >= 0.5]\n")

    err = run("check", project / "report.yaml")[2]

    assert "there is no limit 'lo' of auc\n  hint: write m.auc.low or m.auc.high" in err
    assert "there is no model" not in err


@pytest.mark.parametrize(
    ("gate", "meant"),
    [
        ("auc >= 0.5", "m.auc >= 0.5"),
        ("m.recall > 50 %", "m.recall > 0.5"),
        ("m.auc => 0.5", "m.auc >= 0.5"),
    ],
)
def test_a_gate_that_lacks_its_model_or_has_a_percentage_gets_the_gate_that_is_meant(
    run, project, gate, meant
):
    (project / "report.yaml").write_text(f"{SPEC}\ngates: ['{gate}']\n")

    assert f"did you mean '{meant}'?" in run("check", project / "report.yaml")[2]


def test_builds_are_those_of_the_spec_whose_name_or_file_is_given(run, project, monkeypatch):
    """Also where the working folder has a folder of that name, with data in it."""
    out = project / "reports"
    run("build", project / "report.yaml", "--out", out, "--format", "json")
    (project / "report").mkdir()
    monkeypatch.chdir(project)

    for given in ("report", "report.yaml"):
        assert run("history", given, "--out", out)[0] == 0
        assert "of 1 build," in run("prune", given, "--out", out)[1]
    code, _, err = run("prune", "reprot", "--out", out)
    assert (code, "builds of report" in err) == (3, True)


def test_an_unknown_kind_of_export_is_refused_before_a_build_is_looked_for(run, project):
    code, _, err = run("export", project / "none", "--to", project / "parts", "--kind", "xls")

    assert code == 2
    assert "'xls' is not a kind of export" in err


def test_a_misspelt_choice_names_the_close_word(run):
    code, _, shown = run("build", "report.yaml", "--format", "htm")

    assert code == 2
    assert "Did you mean 'html'?" in shown


def test_values_that_are_withheld_are_said_to_be_there(run, project):
    (project / "data.csv").write_text(ROWS.replace("0.9", "high", 1))
    hint = "--show-values prints the values, too\n"

    assert run("check", project / "report.yaml")[2].endswith(hint)
    shown = run("check", project / "report.yaml", "--show-values")[2]
    assert hint not in shown
    assert "value: high" in shown


def test_a_job_for_a_spec_that_is_not_there_comes_with_a_warning(run, project):
    for command in ("schedule", "review"):
        code, out, err = run(command, "none/*.yaml", project / "report.yaml", "--for", "github")

        assert (code, bool(out)) == (0, True)
        assert err == "warning: none/*.yaml: there is no such spec\n"


def test_every_schedule_of_a_name_is_shown_whatever_started_it(run, project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(project))
    monkeypatch.setenv("PATH", "/nowhere")
    absent = "no schedule named 'nightly' is installed (--name)\n"
    assert run("schedule", "--show", "--name", "nightly")[:2] == (0, absent)

    run("schedule", "report.yaml", "--for", "github", "--install", "--name", "nightly")
    code, out, _ = run("schedule", "--show", "--name", "nightly")

    assert (code, out.splitlines()[0]) == (0, "# github")
    assert "report.yaml" in out
    assert "no scheduler is given" in run("schedule", "report.yaml")[2]


def test_files_that_are_not_there_are_said_so(run, project):
    assert "hint: name the results.json of a build" in run("render", project / "none.json")[2]
    assert "there is no such file" in run("verify", project / "none")[2]


def test_of_a_column_that_is_there_twice_no_internal_name_is_listed(run, project):
    (project / "data.csv").write_text("y,p,p\nyes,0.9,0.8\nno,0.4,0.5\n")
    (project / "report.yaml").write_text(SPEC.replace("score: p", "score: forest"))

    assert "hint: there is: y, p\n" in run("check", project / "report.yaml")[2]


def test_a_whole_number_out_of_range_is_quoted_as_it_was_written(run, project):
    (project / "report.yaml").write_text(SPEC + "confidence: 95\n")

    assert "confidence: '95' is out of range" in run("check", project / "report.yaml")[2]
