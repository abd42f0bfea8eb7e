"""Hostile values of ``--set``: taken, or refused as a fault of the spec with its place."""

from __future__ import annotations

import re

import pytest

from reportgen.cli import main
from tests.four_rows import ROWS, SPEC

TAKEN = (
    *("title=", "title=é", "title=e\u0301", "title==x", "title=a=b", "title='# c'"),
    *("title=!!str 1", "title=好瓜", ' title="x"', "threshold=0.1", "threshold=1", "slices=[]"),
    *("gates=[]", "prevalence=0.1", "engine=exact", "confidence=0.9"),
)
PLACE = re.compile(r"^(--set\b|.*report\.yaml:\d+:\d+: )", re.MULTILINE)
REFUSED = (
    *("", "=", "==", "=x", "title", " = ", "é", "--set"),
    *("threshold=null x: y", "threshold=nan", "threshold=.inf", "threshold=1e400", "threshold=[]"),
    *("threshold={a: 1}", "threshold=yes", "threshold=1_000", "threshold=\u0661"),
    *("title=[null]", "title=[", "title={", 'title="', "title=*a", "title=@x", "title=\t\x00"),
    *("title=\u202e", "title=%41", 'title="\\x1b[31m"'),
    *("title=\ud800", 'title="\\ud800"', "title=a: b\n- c", "title=--- a\n--- b"),
    *("title=!!python/object:os.system x", "models={a: 1, a: 2}", f"slices={'[' * 100}"),
    *("models=", "models.", "models.a=1", "models.a.score.x=1", "models[0]=x", "models.*=x"),
    *("data.0.x=1", "data=[]", "data={}", "slices.5=x", "slices=[a, a]", "columns.id.x=1"),
    *("gates=[x.y >= z]", "comparisons.claims.0=x", "privacy.small_cells=-1", "limits.seconds=~x"),
    *("__class__=x", "model_config={}", "TITLE=x", "tïtle=x", "ti\u200btle=x", "t\u0456tle=x"),
    *(f"{'a' * 300}=1", f"{'.'.join(['a'] * 50)}=1", "sections.0=x", "theme.logo=[]"),
    *("output.formats=exe", "seed=1e9x", "confidence=1e-300", "measures.0=x"),
)


@pytest.fixture
def checked(tmp_path, capsys):
    """Exit code and errors of ``reportgen check`` with an option."""
    (tmp_path / "report.yaml").write_text(SPEC)
    (tmp_path / "data.csv").write_text(ROWS)

    def checked(option: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as left:
            main(["check", str(tmp_path / "report.yaml"), f"--set={option}"])
        return left.value.code, capsys.readouterr().err

    return checked


def test_values_of_any_spelling_are_taken(checked):
    outcomes = {option: checked(option) for option in TAKEN}

    assert {option: one for option, one in outcomes.items() if one[0] != 0} == {}


def test_hostile_values_are_refused_with_their_place(checked):
    outcomes = {option: checked(option) for option in REFUSED}

    assert {option: one for option, one in outcomes.items() if one[0] != 2} == {}
    unplaced = [option for option, (_, text) in outcomes.items() if not PLACE.search(text)]
    assert unplaced == []
