"""Reports on 127.0.0.1: what is served, to whom, and when a spec is built again."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from reportgen.builds import index
from reportgen.delivery.serving import ADDRESS, Server, Watch, state_of
from reportgen.errors import OutputError

SPEC = """
name: served
data: rows.csv
truth: y
models: {m: {score: p}}
bootstrap: {replicates: 0}
sections: {add: [{markdown: note.md}]}
output: {formats: [json, markdown]}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    base = tmp_path_factory.mktemp("served")
    (base / "secret.html").write_text("secret")
    root = base / "reports"
    build = root / "spec" / "20260101-00000000"
    build.mkdir(parents=True)
    (build / "report.html").write_text("<p>report</p>")
    (build / "rows.parquet").write_text("rows")
    (root / "index.html").write_text("index")
    (root / ".reportgen.key").write_text("key")
    (root / ".hidden").mkdir()
    (root / ".hidden" / "a.html").write_text("hidden")
    (root / "spec" / "latest").symlink_to(build.name)
    (root / "out.html").symlink_to(base / "secret.html")
    (root / "in.html").symlink_to(root / ".hidden" / "a.html")
    with Server(root, 0) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def answer(server: Server, target: str, host: str | None = None, method: str = "GET"):
    connection = http.client.HTTPConnection(ADDRESS, server.server_port, timeout=5)
    connection.putrequest(method, target, skip_host=True)
    for name in (host or f"{ADDRESS}:{server.server_port}").split(","):
        connection.putheader("Host", name)
    connection.endheaders()
    response = connection.getresponse()
    result = response.status, response.read().decode(), dict(response.getheaders())
    connection.close()
    return result


@pytest.mark.parametrize(
    ("target", "text"),
    [("/", "index"), ("/spec/latest/report.html", "<p>report</p>"), ("/spec/latest/", "<p>report")],
)
def test_pages_are_served(server, target, text):
    status, body, headers = answer(server, target)

    assert (status, body[: len(text)]) == (200, text)
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_a_folder_without_its_slash_is_sent_on(server):
    status, _, headers = answer(server, "//spec/latest")
    assert (status, headers["Location"]) == (301, "/spec/latest/")


@pytest.mark.parametrize(
    "target",
    [
        "/../secret.html",
        "/%2e%2e/secret.html",
        "/spec/..%2f..%2f..%2fsecret.html",
        "/spec/%2e%2e/%2e%2e/secret.html",
        "/..%5csecret.html",
        "//etc/passwd",
        "/out.html",
        "/in.html",
        "/.reportgen.key",
        "/.hidden/a.html",
        "/spec/latest/rows.parquet",
        "/spec",
        "/none.html",
        "/a%00.html",
        "/%ff",
        "/" + "a" * 5000,
    ],
)
def test_nothing_else_is_served(server, target):
    status, body, _ = answer(server, target)

    assert status == 404
    assert not {"secret", "hidden", "key", "rows"} & set(body.split())


@pytest.mark.parametrize(
    "host", ["example.org", f"{ADDRESS}.example.org:80", "localhost", "0.0.0.0"]
)
def test_a_request_by_another_name_is_refused(server, host):
    assert answer(server, "/", host)[0] == 421
    port = server.server_port
    assert answer(server, "/", f"{ADDRESS}:{port},evil:{port}")[0] == 421
    assert answer(server, "/", f"localhost:{port}")[0] == 200


def test_only_reading_is_answered_and_only_on_this_machine(server):
    assert answer(server, "/", method="HEAD")[:2] == (200, "")
    assert answer(server, "/", method="POST")[0] == 501
    assert server.server_address[0] == ADDRESS
    with pytest.raises(OutputError, match="cannot be used"):
        Server(server.root, server.server_port)


def test_a_connection_that_breaks_leaves_the_server(server, capfd):
    with socket.create_connection((ADDRESS, server.server_port)) as broken:
        broken.sendall(b"GET / HT")
    assert answer(server, "/")[0] == 200
    assert capfd.readouterr().err == ""


def test_each_file_of_a_report_is_watched(tmp_path):
    spec = tmp_path / "report.yaml"
    spec.write_text(SPEC)
    (tmp_path / "rows.csv").write_text("y,p\n")
    (tmp_path / "note.md").write_text("A note.")
    before = state_of(spec)
    (tmp_path / "note.md").write_text("Another note.")
    after = state_of(spec)

    assert {Path(name).name for name, *_ in after - before} == {"note.md"}
    assert {"report.yaml", "rows.csv", "report.html.j2"} <= {Path(name).name for name, *_ in after}


@pytest.mark.slow
def test_a_spec_is_built_when_its_files_change_and_not_otherwise(tmp_path):
    spec, rows, out = tmp_path / "report.yaml", tmp_path / "rows.csv", tmp_path / "out"
    spec.write_text(SPEC)
    (tmp_path / "note.md").write_text("A note.")
    rows.write_text("y,p\n" + "1,0.9\n0,0.2\n" * 20)
    lines: list[str] = []
    watch = Watch([spec], ["--out", str(out), "--date", "2026-01-01"], lines.append)

    assert watch.rebuild_changed() == [spec]
    assert watch.rebuild_changed() == []
    rows.write_text("y,p\n" + "1,0.9\n0,0.3\n" * 21)
    assert watch.rebuild_changed() == []  # it may still be being written
    spec.write_text("data: [")
    assert (watch.rebuild_changed(), watch.rebuild_changed()) == ([], [spec])

    assert any("report.yaml:1" in line for line in lines)
    assert len([one for one in (out / "served").iterdir() if one.name[:2] == "20"]) == 1
    assert (out / "index.html").exists()
    assert index.update(out) == []
