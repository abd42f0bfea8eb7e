"""Notices by webhook and Apprise, from the command line to a real server."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import polars as pl
import pytest

from reportgen.builds.publish import writing
from tests.hostile.forked import ran
from tests.web_server import Posted, web_server

SPEC = """\
data: rows.csv
truth: y
positive: b
models: {m: {score: p}}
title: "Night <b> & day"
bootstrap: {replicates: 0}
sections: [verdict]
gates: [m.auc >= 0.99]
output: {formats: [json]}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    rows = {"y": ["a", "b"] * 20, "p": [0.2, 0.7, 0.6, 0.4] * 10}
    pl.DataFrame(rows).write_csv(tmp_path / "rows.csv")
    (tmp_path / "nightly.yaml").write_text(SPEC)
    return tmp_path / "nightly.yaml"


def command(spec: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    line = ["build", str(spec), "--date", "2026-03-01", *words]
    return ran(line, spec.parent, **variables)


def address(server: Posted) -> str:
    return f"http://127.0.0.1:{server.server_port}/services/hidden-word"


def test_a_webhook_gets_one_notice_for_a_state_also_after_it_was_busy(spec):
    words = ("--notify", "change", "--webhook")
    with web_server() as server:
        server.answers = [503]
        variables = {"REPORTGEN_WEBHOOK": address(server)}
        first, again = (command(spec, *words, **variables) for _ in range(2))
        assert (first.returncode, again.returncode) == (1, 1)
        assert [path for path, _ in server.bodies] == ["/services/hidden-word"]
        (text,) = server.texts
        assert "FAIL" in text
        assert "fail         m.auc &gt;= 0.99" in text
        assert "Night &lt;b&gt; &amp; day" in text
        files = [p for p in spec.parent.rglob("*") if p.is_file()]
        assert not any(b"hidden-word" in p.read_bytes() for p in files)
        assert "hidden-word" not in first.stdout + first.stderr


@pytest.mark.slow
def test_a_build_that_gives_way_to_another_one_sends_no_notice(spec):
    with web_server() as server, writing(spec.parent / "reports" / "nightly"):
        line = ("--notify", "always", "--webhook")
        locked = command(spec, *line, REPORTGEN_WEBHOOK=address(server))
        assert locked.returncode == 75
        assert not server.bodies


@pytest.mark.slow
@pytest.mark.parametrize("answer", [403, 302])
def test_a_webhook_that_refuses_is_told_without_its_address_and_asked_at_the_next_build(
    spec, answer
):
    words = ("--notify", "failure", "--webhook")
    with web_server() as server:
        server.answers = [answer]
        variables = {"REPORTGEN_WEBHOOK": address(server)}
        refused = command(spec, *words, **variables)
        assert refused.returncode == 8
        assert "hidden-word" not in refused.stdout + refused.stderr
        assert (spec.parent / "reports/nightly/latest/results.json").exists()
        assert server.bodies == []
        if answer == 403:
            assert command(spec, *words, **variables).returncode == 1
            assert len(server.bodies) == 1


@pytest.mark.slow
def test_apprise_gets_the_notice_with_the_pdf(spec):
    pytest.importorskip("apprise")
    spec.write_text(SPEC.replace("[json]", "[json, pdf]"))
    with web_server() as server:
        where = f"json://127.0.0.1:{server.server_port}/hidden-word"
        for _ in range(2):
            done = command(spec, "--notify", "always", "--apprise", REPORTGEN_APPRISE=where)
            assert done.returncode == 1
            assert "hidden-word" not in done.stdout + done.stderr
        ((path, body),) = server.bodies
    assert path == "/hidden-word"
    assert body["title"].startswith("nightly")
    (attached,) = body["attachments"]
    assert base64.b64decode(attached["base64"]).startswith(b"%PDF")
    with web_server() as server:
        server.answers = [500]
        where = f"json://127.0.0.1:{server.server_port}/hidden-word"
        words = ("--notify", "always", "--apprise", "--out", str(spec.parent / "other"))
        refused = command(spec, *words, REPORTGEN_APPRISE=where)
    assert refused.returncode == 8
    assert "hidden-word" not in refused.stdout + refused.stderr
