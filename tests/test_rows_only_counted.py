"""What pages on counted rows say of what counts cannot see."""

import polars as pl
import pytest

from reportgen import evaluate
from tests.engine_data import rows, spec, written
from tests.test_decision_against_leader import without_chinese


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Evaluate a frame by an engine."""
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "cache"))

    def of(frame, engine="streaming", **more):
        data = written(frame, tmp_path / "p.parquet")
        return evaluate(spec(data, engine, **more))

    return of


SCORES = {"models": {name: {"score": name} for name in "ab"}}


def test_a_winner_by_counted_rows_comes_with_what_was_not_looked_for(build):
    """The same rows three times over: of rows that are held this leaves no conclusion."""
    frame = rows(300).select("y", "a", b=1 - pl.col("b"))
    frame = pl.concat([frame] * 3)
    exact, counted = (build(frame, engine, **SCORES) for engine in ("exact", "streaming"))

    assert exact.decision.relation == "no conclusion"
    assert "rows_counted" not in [c.code for c in exact.decision.caveats]
    assert counted.decision.relation == "ahead"
    [text] = [c.text for c in counted.decision.caveats if c.code == "rows_counted"]
    assert "rows that return" in text
    assert text.endswith("engine: exact looks for them.")
    assert not without_chinese(counted, [text])
