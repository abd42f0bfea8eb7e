"""Rows from DuckDB, Delta, PostgreSQL and an object store: read, refused, and what is missing.

The parts that need a library or a server run where these are (``make servers``).
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import reportgen
from reportgen.cli import main
from reportgen.errors import DataError, SpecError

SPEC = """\
name: sourced
data: {data}
truth: y
models: {{m: {{score: p}}}}
columns: {{id: id}}
bootstrap: {{replicates: 0}}
output: {{formats: [json]}}
"""
DATE = dt.date(2026, 1, 2)


def rows(n: int = 20) -> pl.DataFrame:
    return pl.DataFrame({"id": range(2 * n), "y": [0, 1] * n, "p": [0.2, 0.7] * n})


def written(folder: Path, data: str, query: str | None = None) -> Path:
    spec = folder / "report.yaml"
    more = "" if query is None else f'query: "{query}"\n'
    spec.write_text(SPEC.format(data=data) + more)
    return spec


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "w.duckdb")) as connection:
        connection.execute("CREATE TABLE p (day DATE, id INTEGER, y INTEGER, p DOUBLE)")
        for n, day in ((20, "2026-01-01"), (30, "2026-01-02")):
            values = [(day, *row) for row in rows(n).iter_rows()]
            connection.executemany("INSERT INTO p VALUES (?, ?, ?, ?)", values)
    (tmp_path / "secret.csv").write_text("y,p\n1,0.5\n")
    return tmp_path


QUERY = "SELECT id, y, p FROM p WHERE day = '{date}' ORDER BY id"


def test_a_duckdb_file_is_read_for_the_date(warehouse):
    spec = written(warehouse, "duckdb:w.duckdb", QUERY)
    done = reportgen.build(spec, date=DATE)

    assert done.results.data["rows_evaluated"] == 60
    assert done.results.data["files"][0]["path"] == "duckdb:w.duckdb"
    assert reportgen.build(spec, date=DATE).unchanged
    assert not reportgen.build(spec, date=dt.date(2026, 1, 1)).unchanged


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{folder}/secret.csv')",
        "SELECT * FROM '{folder}/secret.csv'",
        "SELECT y, p, content FROM p, read_text('/etc/hostname')",
        "ATTACH '{folder}/other.duckdb'",
        "COPY p TO '{folder}/out.csv'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "DELETE FROM p",
        "SELECT nothing FROM p",
    ],
)
def test_a_query_of_duckdb_reads_its_file_and_changes_nothing(query, warehouse):
    spec = written(warehouse, "duckdb:w.duckdb", query.replace("{folder}", str(warehouse)))
    before = (warehouse / "w.duckdb").read_bytes()
    with pytest.raises((DataError, SpecError)):
        reportgen.build(spec, date=DATE)
    assert (warehouse / "w.duckdb").read_bytes() == before
    assert not (warehouse / "out.csv").exists()
    assert not (warehouse / "other.duckdb").exists()


def test_a_database_outside_the_folder_is_refused(tmp_path):
    inside = tmp_path / "specs"
    inside.mkdir()
    (tmp_path / "w.duckdb").write_bytes(b"")
    for data in ("duckdb:../w.duckdb", f"duckdb:{tmp_path}/w.duckdb", "delta:../table"):
        query = "SELECT 1" if data.startswith("duckdb") else None
        with pytest.raises(SpecError, match="outside the folder of the spec"):
            reportgen.build(written(inside, data, query))


@pytest.mark.parametrize(
    ("data", "query", "message"),
    [
        ("postgresql:REPORTGEN_DATABASE_NONE", "SELECT 1", "is no variable REPORTGEN_DATABASE"),
        ("postgresql:HOME", "SELECT 1", "is no variable REPORTGEN_DATABASE"),
        ("s3://bucket/rows.parquet", None, "is not allowed"),
        ("delta:s3://bucket/table", None, "is not allowed|not installed"),
        ("s3://bucket/rows.parquet", "SELECT 1", "takes no query"),
        ("duckdb:w.duckdb", None, "needs a query"),
        ("[s3://bucket/a.parquet, rows.csv]", None, "is read alone"),
        ("rows.csv", "SELECT 1", "a query needs data"),
    ],
)
def test_what_is_not_allowed_is_refused_in_words(data, query, message, tmp_path):
    with pytest.raises(SpecError, match=message):
        reportgen.build(written(tmp_path, data, query))


def test_an_address_is_allowed_by_whole_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("REPORTGEN_ALLOWED_SOURCES", "s3://bucket/a")
    for address in ("s3://bucket/ab/x.parquet", "s3://bucket/a/../b/x.parquet"):
        with pytest.raises(SpecError, match="is not allowed"):
            reportgen.build(written(tmp_path, address))
    with pytest.raises(SpecError, match="is not read from an object store"):
        reportgen.build(written(tmp_path, "s3://bucket/a/x.csv"))


@pytest.mark.parametrize(("name", "extra"), [("duckdb", "duckdb"), ("deltalake", "delta")])
def test_a_missing_library_is_named_with_what_to_install(name, extra, tmp_path, monkeypatch):
    (tmp_path / "w").mkdir()
    monkeypatch.setitem(sys.modules, name, None)
    query = "SELECT 1" if extra == "duckdb" else None
    with pytest.raises(SpecError, match=rf"reportgen-eval\[{extra}\]"):
        reportgen.build(written(tmp_path, f"{extra}:w", query))


def test_a_delta_table_is_read_in_a_version_and_stays_in_its_folder(tmp_path):
    pytest.importorskip("deltalake")
    rows(20).write_delta(tmp_path / "table")
    rows(30).write_delta(tmp_path / "table", mode="overwrite")
    newest = reportgen.evaluate(written(tmp_path, "delta:table"))
    first = reportgen.evaluate(written(tmp_path, "delta:table@0"))
    assert [r.data["rows_evaluated"] for r in (newest, first)] == [60, 40]

    log = tmp_path / "table/_delta_log/00000000000000000001.json"
    (tmp_path.parent / "elsewhere.parquet").write_bytes(b"")
    part = next(
        path.name for path in (tmp_path / "table").glob("*.parquet") if path.name in log.read_text()
    )
    log.write_text(log.read_text().replace(part, f"file://{tmp_path.parent}/elsewhere.parquet"))
    with pytest.raises((SpecError, DataError)):
        reportgen.evaluate(written(tmp_path, "delta:table"))


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    pytest.importorskip("adbc_driver_postgresql")
    if shutil.which("initdb") is None:
        pytest.skip("PostgreSQL's initdb is needed")
    folder = tempfile.mkdtemp(prefix="reportgen-postgres-")
    start: list[str] = []
    if os.geteuid() == 0:  # the server refuses root
        shutil.chown(folder, "postgres")
        start = ["runuser", "-u", "postgres", "--"]

    def run(*words: str) -> None:
        subprocess.run([*start, *words], check=True, stdout=subprocess.DEVNULL, cwd="/")

    run("initdb", "-D", folder, "-U", "reader", "-A", "trust")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder}"
    run("pg_ctl", "-D", folder, "-w", "-l", f"{folder}/log", "-o", words, "start")
    yield f"postgresql://reader:hidden-word@127.0.0.1:{port}/postgres"
    run("pg_ctl", "-D", folder, "-m", "immediate", "stop")
    shutil.rmtree(folder)


@pytest.mark.slow
def test_postgresql_is_read_and_its_password_stays_hidden(postgres, tmp_path, monkeypatch, capsys):
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(postgres) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE p (day DATE, id INTEGER, y INTEGER, p DOUBLE PRECISION)")
        cursor.execute(
            "INSERT INTO p SELECT '2026-01-02', k, k % 2, 0.2 + 0.5 * (k % 2) "
            "FROM generate_series(0, 59) AS k"
        )
        connection.commit()
    monkeypatch.setenv("REPORTGEN_DATABASE", postgres)
    done = reportgen.build(written(tmp_path, "postgresql:REPORTGEN_DATABASE", QUERY), date=DATE)
    assert done.results.data["rows_evaluated"] == 60
    assert not any(b"hidden-word" in path.read_bytes() for path in done.path.iterdir())
    for query in ("SELECT nothing FROM p", "DELETE FROM p", "DELETE FROM p RETURNING *"):
        spec = written(tmp_path, "postgresql:REPORTGEN_DATABASE", query)
        with pytest.raises(SystemExit) as left:
            main(["build", str(spec)])
        assert left.value.code == 3
    monkeypatch.setenv("REPORTGEN_DATABASE", postgres.replace("127.0.0.1", "127.0.0.9"))
    with pytest.raises(SystemExit):
        main(["build", str(written(tmp_path, "postgresql:REPORTGEN_DATABASE", QUERY))])
    assert "hidden-word" not in capsys.readouterr().err


@pytest.mark.slow
def test_an_object_store_is_read(tmp_path, monkeypatch):
    server = pytest.importorskip("moto.server")
    obstore = pytest.importorskip("obstore.store")
    running = server.ThreadedMotoServer(port=0, verbose=False)
    running.start()
    try:
        host, port = running.get_host_and_port()
        settings = {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": "b",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
            "REPORTGEN_ALLOWED_SOURCES": "s3://bucket/",
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        from urllib.request import Request, urlopen

        urlopen(Request(f"http://{host}:{port}/bucket", method="PUT")).close()
        rows(25).write_parquet(tmp_path / "rows.parquet")
        store = obstore.from_url("s3://bucket", client_options={"allow_http": True})
        store.put("day=2026-01-02/rows.parquet", (tmp_path / "rows.parquet").read_bytes())
        spec = written(tmp_path, "s3://bucket/day={date}/*.parquet")
        assert reportgen.build(spec, date=DATE).results.data["rows_evaluated"] == 50
        with pytest.raises(DataError, match="cannot be read"):
            reportgen.build(spec, date=dt.date(2026, 1, 3))
    finally:
        running.stop()
