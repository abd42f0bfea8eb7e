"""A sign-off is of one build's results, and stands on page one of its PDF."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from pypdf import PdfReader

from reportgen.builds import build, prune
from reportgen.builds.manifest import described
from reportgen.delivery.signing import sign, sign_offs_of
from reportgen.delivery.verification import verify
from reportgen.errors import DataError, SpecError
from reportgen.records.sign_off import FILE
from reportgen.spec.repeated import Keep

SPEC = """
data: rows.csv
truth: y
positive: b
models: {m: {score: p}}
bootstrap: {replicates: 0}
intervals: {ratios: delta}
sections: [verdict]
output: {formats: [pdf, json]}
"""


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("night")
    rows = {"y": ["a", "b"] * 40, "p": [0.2, 0.7, 0.6, 0.4] * 20}
    pl.DataFrame(rows).write_csv(folder / "rows.csv")
    (folder / "report.yaml").write_text(SPEC)
    return build(folder / "report.yaml", date=dt.date(2026, 1, 1)).path


@pytest.fixture(scope="module")
def signed(night: Path) -> Path:
    before = files(night)
    people = [("reviewer", "model owner"), ("a < b", "validation")]
    with ThreadPoolExecutor(2) as pool:  # at once: neither is lost
        list(pool.map(lambda one: sign(night, *one), people))
    assert files(night) == before
    return night.parent / "signed" / f"{night.name}.pdf"


def files(folder: Path) -> list[tuple[str, str]]:
    return sorted((p.name, described(p)["sha256"]) for p in folder.iterdir())


@pytest.fixture
def copied(night: Path, signed: Path, tmp_path: Path) -> Path:
    assert signed.exists()
    shutil.copytree(night.parent, tmp_path / "report", symlinks=True)
    return tmp_path / "report" / night.name


def states(path: Path) -> dict[str, str]:
    return {check.name: check.state for check in verify(path)}


def test_page_one_has_each_sign_off_and_a_field_to_sign(signed: Path) -> None:
    with PdfReader(signed) as reader:
        text = " ".join(reader.pages[0].extract_text().split())
        fields = [one.get_object() for one in reader.root_object["/AcroForm"]["/Fields"]]
    assert "Signed off by reviewer, model owner" in text
    assert "Signed off by a < b, validation" in text
    assert [(one["/FT"], "/V" in one) for one in fields] == [("/Sig", False)] * 2
    assert {one.by for one in sign_offs_of(signed)} == {"reviewer", "a < b"}


def test_a_signed_pdf_keeps_to_the_structure_of_pdf_a(signed: Path) -> None:
    """ISO 19005-3, sections 6.1.3, 6.3.3, 6.4.1, 6.6.4 and 6.8, as far as seen here."""
    with PdfReader(signed) as reader:
        root = reader.root_object
        claims = reader.xmp_metadata.stream.get_data().decode()
        numbers = root["/StructTreeRoot"]["/ParentTree"]["/Nums"]
        parents = dict(zip(numbers[::2], numbers[1::2], strict=True))
        forms = root["/AcroForm"]
        assert "/Encrypt" not in reader.trailer
        assert len(reader.trailer["/ID"]) == 2
        assert root["/OutputIntents"][0]["/S"] == "/GTS_PDFA1"
        assert 'pdfaid:part="3" pdfaid:conformance="A"' in claims
        assert not {"/NeedAppearances", "/XFA"} & forms.keys()
        for field in (one.get_object() for one in forms["/Fields"]):
            assert field["/F"] & 0b10_0111 == 0b100  # printed, neither hidden nor invisible
            assert set(field["/AP"]) == {"/N"}
            assert field["/AP"]["/N"].get_object()["/Subtype"] == "/Form"
            assert not {"/A", "/AA"} & field.keys()
            assert field["/TU"].startswith("Digital signature of ")
            assert parents[field["/StructParent"]].get_object()["/S"] == "/Form"
        files = [one.get_object() for one in root["/AF"]]
        assert {one["/UF"] for one in files} >= {"results.json", "manifest.json", FILE}
        for one in files:
            assert one["/AFRelationship"] in ("/Data", "/Source", "/Supplement")
            assert "/Subtype" in one["/EF"]["/F"].get_object()


def test_signing_twice_changes_nothing(night: Path, signed: Path) -> None:
    before = signed.read_bytes()
    again = sign(night, "  reviewer ", "model owner")
    assert not again.is_new
    assert signed.read_bytes() == before


@pytest.mark.slow
def test_a_signed_build_is_what_it_was(night: Path, signed: Path) -> None:
    checks = states(night)
    assert set(checks.values()) == {"ok"}
    assert "sign-off by reviewer, model owner" in checks
    assert f"signed/{signed.name} from the numbers" in checks


@pytest.mark.slow
def test_a_sign_off_of_other_results_is_noticed(copied: Path) -> None:
    results, manifest = copied / "results.json", copied / "manifest.json"
    results.write_text(results.read_text().replace('"value": 0.5,', '"value": 0.75,'))
    record = json.loads(manifest.read_text())
    (entry,) = [one for one in record["outputs"] if one["path"] == "results.json"]
    entry["sha256"] = described(results)["sha256"]
    manifest.write_text(json.dumps(record))
    assert states(copied)["sign-off by reviewer, model owner"] == "failed"


@pytest.mark.slow
def test_what_is_written_behind_a_signed_pdf_is_said(copied: Path) -> None:
    pdf = copied.parent / "signed" / f"{copied.name}.pdf"
    pdf.write_bytes(pdf.read_bytes() + b"% a digital signature\n")
    name = f"signed/{pdf.name} from the numbers"
    assert states(pdf)[name] == "not checked"


def test_no_later_build_takes_a_sign_off_over(copied: Path, night: Path) -> None:
    spec = night.parent.parent.parent / "report.yaml"
    later = build(spec, out=copied.parent.parent, date=dt.date(2026, 1, 2), formats=["json"])
    assert later.name == "report"
    assert not any("sign-off" in name for name in states(later.path))
    assert prune(copied.parent, Keep(last=1), dry_run=False).removed == []


def test_results_of_another_version_are_refused_in_one_line(copied: Path) -> None:
    results, manifest = copied / "results.json", copied / "manifest.json"
    record, listed = json.loads(results.read_text()), json.loads(manifest.read_text())
    for name in ("gates", "slices", "folds"):
        record[f"old_{name}"] = record.pop(name)
    results.write_text(json.dumps(record))
    for entry in listed["outputs"]:
        if entry["path"] == results.name:
            entry["sha256"] = described(results)["sha256"]
    manifest.write_text(json.dumps(listed))
    with pytest.raises(DataError) as refused:
        sign(copied, "second", "model owner")
    (problem,) = refused.value.problems
    assert problem.place == str(results)
    assert "the version that wrote them" in problem.message


def test_what_cannot_be_signed_is_refused(copied: Path, tmp_path: Path) -> None:
    for by in ("", " ", "x" * 81, "a\x07b"):
        with pytest.raises(SpecError, match="--by"):
            sign(copied, by, "model owner")
    with pytest.raises(DataError, match="this is not a build"):
        sign(tmp_path, "reviewer", "model owner")
    with (copied / "results.json").open("a") as file:
        file.write(" ")
    with pytest.raises(DataError, match="differ from those of the manifest"):
        sign(copied, "second", "model owner")
