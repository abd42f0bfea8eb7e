"""Any combination of task, columns, options and sizes is evaluated, or refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reportgen.cli.group import run
from tests.random_specs import random_spec

CONTROLLED = range(6)
"""Exit codes of what is built, fails a gate, or is refused for its spec, data or rows."""


def exit_code(seed: int, folder: Path, language: str = "en") -> int:
    spec, frame = random_spec(seed)
    frame.write_parquet(folder / "p.parquet")
    (folder / "s.yaml").write_text(
        json.dumps({"name": "s", "data": "p.parquet", "language": language, **spec})
    )
    out = ["--out", str(folder / "out"), "--format", "json,markdown"]
    return run(["build", str(folder / "s.yaml"), *out])


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", "")


@pytest.mark.parametrize("seed", range(3))
def test_a_spec_at_random_ends_as_it_should(seed, tmp_path):
    assert exit_code(seed, tmp_path) in CONTROLLED


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 300))
def test_no_spec_at_random_ends_in_a_bug(seed, tmp_path):
    assert exit_code(seed, tmp_path, ("en", "zh")[seed % 2]) in CONTROLLED
