"""Notices of builds: when they are due, that they come once, and what they hold."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email import message_from_bytes
from email.message import Message
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from aiosmtpd.controller import Controller

from reportgen.cli import dispatch
from reportgen.delivery import mail, notice_settings, requests
from reportgen.delivery.notices import Notice, deliver
from reportgen.errors import OutputError, Problem, SpecError
from tests.hostile.forked import ran


class Inbox:
    """A mail server's box; it can refuse the next mails."""

    def __init__(self) -> None:
        self.mails: list[Message] = []
        self.refusals: list[str] = []

    async def accept(self, _server: Any, _session: Any, envelope: Any) -> str:
        if self.refusals:
            return self.refusals.pop(0)
        self.mails.append(message_from_bytes(envelope.content, policy=default))
        return "250 accepted"


Inbox.handle_DATA = Inbox.accept  # the name that aiosmtpd asks for


@contextmanager
def mail_server(box: Inbox, **options: Any) -> Iterator[int]:
    """Serve a box on a free port of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


@pytest.fixture
def inbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Inbox]:
    box = Inbox()
    with mail_server(box) as port:
        monkeypatch.setenv(notice_settings.SERVER, f"smtp://127.0.0.1:{port}")
        yield box


NIGHT = dt.date(2026, 3, 1)


def notice(night: int, state: str) -> Notice:
    return Notice("a", NIGHT + dt.timedelta(night), state, f"night {night}", "")


@pytest.mark.parametrize(
    ("when", "expected"),
    [("change", [0, 2, 4]), ("failure", [0, 1, 4]), ("always", [0, 1, 2, 3, 4])],
)
def test_a_notice_is_sent_when_it_is_due_and_once(
    when: Any, expected: list[int], tmp_path: Path
) -> None:
    sent: list[str] = []
    for night, state in enumerate(["fail", "fail", "pass", "pass", "not built"]):
        for _ in range(2):
            deliver(
                notice(night, state), tmp_path, when, {"x": lambda one: sent.append(one.subject)}
            )
    assert sent == [f"night {night}" for night in expected]


def nights(folder: Path, *states: tuple[int, str], when: Any = "change") -> list[str]:
    """The notices that are sent of nights that come to these states, in this order."""
    sent: list[str] = []
    for night, state in states:
        targets = {"x": lambda one: sent.append(f"{one.subject} {one.state}")}
        deliver(notice(night, state), folder, when, targets)
    return sent


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([(0, "pass"), (1, "pass")], []),
        ([(0, "pass"), (0, "fail"), (1, "fail")], ["night 0 fail"]),
        ([(0, "fail"), (0, "pass"), (1, "pass")], ["night 0 fail", "night 0 pass"]),
        ([(5, "fail"), (1, "pass"), (2, "pass")], ["night 5 fail"]),
        ([(5, "fail"), (1, "pass"), (6, "fail")], ["night 5 fail"]),
    ],
    ids=["good from the first", "worse when built again", "mended", "late", "after a late one"],
)
def test_a_change_is_one_from_the_state_that_came_last_of_the_latest_date_before(
    states: list[tuple[int, str]], expected: list[str], tmp_path: Path
) -> None:
    assert nights(tmp_path, *states) == expected


def test_a_state_of_which_no_notice_was_due_is_known_later(tmp_path: Path) -> None:
    assert nights(tmp_path, (0, "fail"), (1, "pass"), when="failure") == ["night 0 fail"]
    assert nights(tmp_path, (2, "pass")) == []


def test_each_state_of_a_date_has_a_message_of_its_own() -> None:
    assert notice(0, "fail").key("x") != notice(0, "not built").key("x")


def test_of_two_that_send_at_once_one_waits_for_the_other(tmp_path: Path) -> None:
    sent: list[str] = []

    def slowly(one: Notice) -> None:
        time.sleep(0.2)
        sent.append(one.subject)

    bad = notice(0, "fail")
    threads = [
        threading.Thread(target=deliver, args=(bad, tmp_path, "change", {"x": slowly}))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sent == ["night 0"]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, "[]", "{}", '{"date": 1, "state": "fail", "number": 0, "sent": []}'],
    ids=["empty", "cut", "deep", "a list", "nothing", "other types"],
)
def test_a_damaged_record_counts_as_none(text: str, tmp_path: Path) -> None:
    assert nights(tmp_path, (0, "fail"), (1, "fail")) == ["night 0 fail"]
    first, second = sorted((tmp_path / ".notices").glob("*.json"))
    first.write_text(text, encoding="utf-8")
    assert nights(tmp_path, (1, "fail"), (2, "fail")) == []
    second.write_text(text, encoding="utf-8")
    assert nights(tmp_path, (1, "fail"), (2, "fail")) == ["night 1 fail"]


def test_what_one_target_refused_is_sent_to_it_alone_later(tmp_path: Path) -> None:
    sent: list[str] = []

    def refuse(_: Notice) -> None:
        raise OutputError(Problem("not-sent", "no"))

    bad = notice(0, "fail")
    first = deliver(bad, tmp_path, "change", {"x": lambda _: sent.append("x"), "y": refuse})
    assert (first[0], len(first[1])) == (["x"], 1)
    targets = {"x": lambda _: sent.append("x"), "y": lambda _: sent.append("y")}
    assert deliver(bad, tmp_path, "change", targets) == (["y"], [])
    assert sent == ["x", "y"]


def test_a_kill_between_sending_and_recording_sends_the_same_message_again(tmp_path: Path) -> None:
    class KilledError(Exception):
        pass

    keys: list[str] = []

    def killed(one: Notice) -> None:
        keys.append(one.key("x"))
        raise KilledError

    with pytest.raises(KilledError):
        deliver(notice(0, "fail"), tmp_path, "change", {"x": killed})
    deliver(notice(0, "fail"), tmp_path, "change", {"x": lambda one: keys.append(one.key("x"))})
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_a_busy_mail_server_is_asked_again(inbox: Inbox, tmp_path: Path) -> None:
    server = mail.MailServer.from_environment(os.environ)
    pdf = tmp_path / "report.pdf"
    pdf.write_bytes(b"%PDF-1.7\n\x00\xff")
    inbox.refusals = ["451 later"]
    waits: list[float] = []
    text = mail.message(server, "to@a.example", "ö\nBcc: x@y.example", "body", key="k", pdf=pdf)
    mail.send(server, text, waits.append)
    (received,) = inbox.mails
    assert (received["Subject"], received["Bcc"]) == ("ö\\nBcc: x@y.example", None)
    assert (received["Message-ID"], len(waits)) == ("<k@reportgen>", 1)
    (attached,) = received.iter_attachments()
    assert attached.get_content() == pdf.read_bytes()


def test_a_refused_mail_is_told_without_the_password(inbox: Inbox) -> None:
    server = mail.MailServer.from_environment(os.environ)
    inbox.refusals = ["554 never"] * 3
    text = mail.message(server, "to@a.example", "s", "body", key="k")
    with pytest.raises(OutputError, match="554"):
        mail.send(server, text, lambda _: None)
    secret = mail.MailServer.from_environment(
        {notice_settings.SERVER: "smtps://user:secret@mail.example"}
    )
    assert "secret" not in repr(secret)
    assert (secret.port, secret.user, secret.password) == (465, "user", "secret")


@pytest.mark.parametrize(
    "address",
    [
        *("", "mail.example", "smtp://u:p@mail.example", "smtps://mail.example:x", "http://x"),
        *("smtp://[::1", "smtp://\u2100", f"smtp://{'a' * 70}.example"),
    ],
)
def test_a_server_that_cannot_be_used_is_refused_without_its_address(address: str) -> None:
    with pytest.raises(SpecError) as caught:
        mail.MailServer.from_environment({notice_settings.SERVER: address})
    assert not address or address not in str(caught.value)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_starttls_is_used_and_an_unknown_certificate_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    names = ["-keyout", str(key), "-out", str(certificate), "-days", "2"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *names, *subject],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    box = Inbox()
    with mail_server(box, tls_context=context, require_starttls=True) as port:
        address = f"smtp+starttls://127.0.0.1:{port}"
        server = mail.MailServer.from_environment({notice_settings.SERVER: address})
        text = mail.message(server, "to@a.example", "s", "body", key="k")
        with pytest.raises(OutputError, match="its certificate is not trusted"):
            mail.send(server, text, lambda _: None)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        mail.send(server, text, lambda _: None)
    assert [received["Subject"] for received in box.mails] == ["s"]


def test_a_nightly_sends_mail_once_with_its_report(inbox: Inbox, tmp_path: Path) -> None:
    pl.DataFrame({"y": ["a", "b"] * 40, "p": [0.2, 0.7, 0.6, 0.4] * 20}).write_csv(
        tmp_path / "rows.csv"
    )
    spec = (
        "data: {data}\ntruth: y\npositive: b\nmodels: {{m: {{score: p}}}}\n"
        "gates: [m.accuracy >= 0.9]\nbootstrap: {{replicates: 0}}\n"
        "sections: [verdict]\noutput: {{formats: [pdf, json]}}\n"
    )
    (tmp_path / "poor.yaml").write_text(spec.format(data="rows.csv"))
    (tmp_path / "bad.yaml").write_text(spec.format(data="none.csv"))
    messages = ["--notify", "change", "--mail", "team@a.example", "--date", "2026-03-01"]
    command = ["build", "poor.yaml", "--out", "out", *messages]
    for more, code in ((["bad.yaml"], 3), (["--format", "json"], 1)):  # this report is not sent
        done = ran([*command, *more], tmp_path)
        assert done.returncode == code, done.stderr
    poor, bad = inbox.mails
    assert poor["Subject"].startswith("poor: FAIL: ")
    assert [part.get_filename() for part in poor.iter_attachments()] == ["report.pdf"]
    assert "fail         m.accuracy >= 0.9" in poor.get_body().get_content()
    assert bad["Subject"] == "bad: NOT BUILT (exit 3): the data cannot be used"
    assert "none.csv" in bad.get_body().get_content()
    record = json.loads((tmp_path / "out/poor/.notices/2026-03-01-fail.json").read_text())
    assert "team@a.example" not in json.dumps(record)


@pytest.mark.parametrize(
    "text", ["", "team", "a@b.example\nBcc: x@y.example", "\u202ea@b.example", "a@b, c"]
)
def test_what_is_no_address_of_mail_is_refused_before_anything_is_sent(text: str) -> None:
    """A line end would begin another line of the head."""
    assert mail.addresses("Ada <ada@a.example>, b@ö.example", "--mail").startswith("Ada")
    with pytest.raises(SpecError, match="--mail: no-address"):
        mail.addresses(text, "--mail")


@pytest.mark.parametrize(
    "url",
    [
        *("http://host:abc/", "http://h:99999/", "http://[::1", "http://\u2100/x", "http:///x"),
        *("http://h/ä", "http://h/a b", "http://h/\r\nX: y", "http://h\u202e/", "file:///etc/x"),
        *("http://user:hidden@h/x", f"http://{'a' * 70}.example/", "http://a\x00b/"),
    ],
)
def test_an_address_that_no_request_may_have_is_refused_without_it(url: str) -> None:
    with pytest.raises(OutputError, match="the address") as caught:
        requests.host(url)
    assert "hidden" not in str(caught.value)


def test_a_fault_of_notices_has_an_exit_code_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """1 would mean that a gate failed."""
    (tmp_path / "a.yaml").write_text("data: none.csv\n")
    monkeypatch.setenv("REPORTGEN_WEBHOOK", "http://host:abc/")
    words = ["build", str(tmp_path / "a.yaml"), "--notify", "always", "--webhook"]
    assert dispatch.run(words) == 8
    assert "Traceback" not in capsys.readouterr().err


def test_an_answer_without_an_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                while True:
                    self.wfile.write(b"x" * 2**16)

        def log_message(self, *_args: object) -> None:
            """Print nothing."""

    monkeypatch.setattr(requests, "LARGEST", 2**20)
    with ThreadingHTTPServer(("127.0.0.1", 0), Endless) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        assert requests.send("POST", f"http://127.0.0.1:{server.server_port}/", body={}) is None
        server.shutdown()


def test_notices_without_a_target_are_refused_before_anything_is_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text("data: none.csv\n")
    assert dispatch.run(["build", str(tmp_path / "a.yaml"), "--notify", "always"]) == 2
    messages = capsys.readouterr().err
    assert ("no-target" in messages, "none.csv" in messages) == (True, False)
