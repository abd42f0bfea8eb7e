"""What the README shows runs as it is printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import polars as pl
import pytest
import yaml
from click.testing import CliRunner

from reportgen.cli.group import group
from reportgen.spec.section_choice import SECTIONS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = {
    language: re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    for language in ("python", "sh", "yaml")
}


def block(language: str, part: str) -> str:
    return next(text for text in BLOCKS[language] if part in text)


def test_the_commands_for_a_first_report_run_in_a_clone(monkeypatch, tmp_path):
    """The builds themselves are tested on every example: here ``build`` writes JSON alone."""
    monkeypatch.chdir(ROOT)
    first, *commands = block("sh", "activate").splitlines()
    assert first == ". .venv/bin/activate"
    for line in commands:
        program, *words = shlex.split(line)
        words = [str(tmp_path) if word == "reports" else word for word in words]
        if words[0] == "build":
            words += ["--format", "json"]
        result = CliRunner().invoke(group, words, catch_exceptions=False)
        assert program == "reportgen"
        assert result.exit_code == 0, result.output


def test_every_command_of_the_table_has_a_help_text():
    names = re.findall(r"^\| `reportgen (\w+)", README, re.MULTILINE)

    assert len(names) >= 8
    for name in names:
        assert CliRunner().invoke(group, [name, "--help"]).exit_code == 0, name


def test_the_python_of_builds_and_sweeps_runs(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    example = Path("examples") / "breast_cancer"
    example.mkdir(parents=True)
    spec = yaml.safe_load((ROOT / example / "report.yaml").read_text(encoding="utf-8"))
    spec["output"] = {"formats": ["json"]}
    (example / "report.yaml").write_text(yaml.safe_dump(spec), encoding="utf-8")
    data = example / "predictions.parquet"
    data.write_bytes((ROOT / data).read_bytes())

    names: dict[str, object] = {}
    exec(compile(block("python", "reportgen.sweep("), "README", "exec"), names)

    assert names["steps"].height == 4


def test_the_spec_fits_the_bundled_data(tmp_path):
    (tmp_path / "report.yaml").write_text(block("yaml", "bayes"), encoding="utf-8")
    data = ROOT / "examples" / "breast_cancer" / "predictions.parquet"
    (tmp_path / data.name).write_bytes(data.read_bytes())

    words = ["check", str(tmp_path / "report.yaml")]
    result = CliRunner().invoke(group, words, catch_exceptions=False)

    assert result.exit_code == 0, result.output


def test_the_sections_are_listed_by_name():
    page = (ROOT / "docs" / "how-to" / "write-a-spec.md").read_text(encoding="utf-8")
    listed = re.search(r"The sections, in their order: (.*?)\.", page, re.DOTALL)

    assert tuple(re.findall(r"`(\w+)`", listed.group(1))) == SECTIONS


@pytest.mark.parametrize("slices", [[], ["--slice", "site"]], ids=["plain", "with slices"])
def test_split_prints_lines_that_a_spec_takes(tmp_path, slices):
    pl.DataFrame({"case": ["a", "b", "c", "d"], "site": ["n", "n", "s", "s"]}).write_csv(
        tmp_path / "cases.csv"
    )
    words = ["split", str(tmp_path / "cases.csv"), "--scheme", "k-fold", "--folds", "2"]
    result = CliRunner().invoke(group, [*words, "--id", "case", *slices], catch_exceptions=False)
    lines = [li for li in result.output.splitlines() if li.startswith(("columns: ", "slices: "))]
    pasted = yaml.safe_load("\n".join(lines))

    assert pasted["columns"]["fold"] == "fold"
    assert pasted.get("slices", []) == slices[1:]
