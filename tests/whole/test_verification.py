"""A published build that was changed is noticed, and one that was not is not."""

from __future__ import annotations

import io
import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest
from pypdf import PdfWriter

from reportgen.builds import build
from reportgen.cli import main
from reportgen.delivery import signing
from reportgen.delivery.verification import VerificationCheck, verify
from reportgen.errors import DataError


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    rows = {"y": ["a", "b"] * 40, "p": [0.2, 0.7, 0.6, 0.4] * 20}
    pl.DataFrame(rows).write_csv(folder / "rows.csv")
    spec = folder / "report.yaml"
    spec.write_text(
        "data: rows.csv\ntruth: y\npositive: b\nmodels: {m: {score: p}}\n"
        "bootstrap: {replicates: 100}\nintervals: {ratios: delta}\n"
        "sections: [measures]\noutput: {formats: [pdf, json]}\n"
    )
    return build(spec).path


@pytest.fixture
def changed(published: Path, tmp_path: Path) -> Path:
    return shutil.copytree(published, tmp_path / "build")


def failed(checks: list[VerificationCheck]) -> list[str]:
    return [check.name for check in checks if check.state == "failed"]


def test_what_was_published_is_what_it_was(published: Path) -> None:
    checks = verify(published)
    assert {check.state for check in checks} == {"ok"}
    names = [check.name for check in checks]
    assert "report.pdf from the numbers" in names
    assert len(set(names)) == len(names)


def test_a_build_is_named_as_for_other_commands(
    published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = published.parent
    with pytest.raises(SystemExit) as left:
        main(["verify", f"{spec.name}/latest", "--out", str(spec.parent)])

    assert left.value.code == 0
    assert "report.pdf from the numbers" in capsys.readouterr().out


def test_a_pdf_is_verified_by_itself(published: Path, tmp_path: Path) -> None:
    alone = shutil.copy(published / "report.pdf", tmp_path / "attached.pdf")
    checks = verify(alone)
    assert {check.state for check in checks} == {"ok"}
    assert checks[-1].name == "report.pdf from the numbers"


def rewritten(folder: Path, change: Callable[[str], str]) -> None:
    """Change the numbers, and the manifest so that it fits them."""
    path = folder / "results.json"
    text = change(path.read_text())
    manifest = json.loads((folder / "manifest.json").read_text())
    (entry,) = [one for one in manifest["outputs"] if one["path"] == "results.json"]
    entry["sha256"] = sha256(text.encode()).hexdigest()
    path.write_text(text)
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.slow
def test_numbers_that_were_changed_with_their_hash_do_not_give_the_pages(changed: Path) -> None:
    rewritten(changed, lambda text: text.replace('"value": 0.5,', '"value": 0.75,'))
    beside, pages = failed(verify(changed))
    assert (beside, pages) == (
        "report.pdf: results.json as beside it",
        "report.pdf from the numbers",
    )


def test_a_file_that_was_changed_or_removed_is_named(changed: Path) -> None:
    pdf = changed / "report.pdf"
    pdf.write_bytes(pdf.read_bytes() + b"\n")
    (changed / "results.json").unlink()
    (changed / "more.txt").touch()
    checks = verify(changed)
    assert failed(checks) == ["results.json", "report.pdf"]
    assert [check.name for check in checks if check.state == "not checked"] == ["more.txt"]


def test_other_versions_leave_the_pages_unchecked(changed: Path) -> None:
    path = changed / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["versions"]["polars"] = "0.1"
    path.write_text(json.dumps(manifest))
    checks = verify(changed)
    assert failed(checks) == ["report.pdf: manifest.json"]
    assert "polars" in next(check.detail for check in checks if check.state == "not checked")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"outputs": [{"path": "../x"}]}', "[" * 10**5])
def test_a_folder_without_a_manifest_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(DataError, match="not the manifest of a build"):
        verify(tmp_path)


def test_what_is_no_pdf_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_text("no")
    with pytest.raises(DataError, match="cannot be read as a PDF"):
        verify(tmp_path / "a.pdf")


def test_damaged_pdfs_are_read_or_refused_without_a_word_of_the_library(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    writer, memory = PdfWriter(), io.BytesIO()
    writer.add_blank_page(100, 100)
    writer.add_attachment("results.json", b"{}" * 50)
    writer.write(memory)
    outcomes = Counter[str]()
    for number in range(300):
        draw, content = random.Random(number), memory.getvalue()
        for _ in range(draw.choice((1, 3, 20))):
            at, size = draw.randrange(max(len(content), 1)), draw.randrange(60)
            old, new = draw.choice(((b"/Names", b"/Kids"), (b"/EF", b"/EF null"), (b"<<", b"[")))
            content = draw.choice(
                (
                    content[:at] + content[at + size :],
                    content[:at] + content[at : at + size] + content[at:],
                    content.replace(old, new, 1),
                    content[: max(at, 1)],
                )
            )
        path = tmp_path / "a.pdf"
        path.write_bytes(content)
        try:
            outcomes["read" if signing.attachments(path) else "nothing"] += 1
        except DataError:
            outcomes["refused"] += 1

    assert min(outcomes["read"], outcomes["refused"]) > 10
    assert caplog.records == []
