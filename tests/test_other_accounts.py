"""Folders of another account: what may not be read or written is named, and is no bug."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from reportgen.builds import index
from reportgen.cli import main
from tests.four_rows import ROWS, SPEC

NOBODY = 65_534
ANOTHER = 1002


@contextmanager
def account(number: int) -> Iterator[None]:
    """Act as another account, where this one is root; root may read and write everything."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.fixture
def folder(tmp_path):
    """A folder that every account may enter, with a spec, its data and a closed folder."""
    for parent in (tmp_path, *tmp_path.parents[:-2]):
        parent.chmod(parent.stat().st_mode | 0o055)
    (tmp_path / "report.yaml").write_text(SPEC)
    (tmp_path / "data.csv").write_text(ROWS)
    (tmp_path / "closed").mkdir(0)
    yield tmp_path
    (tmp_path / "closed").chmod(0o700)


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    return int(left.value.code or 0)


@pytest.mark.parametrize(
    "words",
    [
        *(f"{command} closed/a.yaml" for command in ("build", "check")),
        *(f"{command} closed/a" for command in ("verify", "compare closed/b", "init", "split")),
        "history --out closed/out",
        "index --out closed/out",
        "prune --out closed/out",
        "accept closed/a --because x",
        "export closed/a --to out",
        "render closed/results.json",
        "build report.yaml --format json --out closed/out",
        "count report.yaml data.csv --out closed/a.counts",
    ],
)
def test_what_this_account_may_not_enter_is_named(words, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    run(*words.split())  # imports what it needs, which may be closed to another account
    capsys.readouterr()
    with account(NOBODY):
        code = run(*words.split())

    assert code in (2, 3, 8)
    assert "closed" in capsys.readouterr().err


def test_an_index_of_another_account_is_not_left_out_without_a_word(folder, capsys):
    if os.geteuid():
        pytest.skip("two accounts are needed")
    out = folder / "out"
    out.mkdir()
    out.chmod(0o1777)
    words = ("build", folder / "report.yaml", "--format", "json", "--out", out)
    run(*words, "--out", folder / "imports")
    with account(NOBODY):
        assert run(*words) == 0
    assert "the index cannot be written" not in capsys.readouterr().err
    with account(ANOTHER):
        code = run(*words, "--set", "name=other")
        printed = capsys.readouterr().err
        refused = run("index", "--out", out)

    assert (code, refused) == (0, 8)
    assert "the index cannot be written: permission denied" in printed
    assert (out / "other" / "index.html").exists() is False
    assert out / "index.html" in index.update(out)
