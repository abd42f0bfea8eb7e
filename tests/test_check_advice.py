"""What `reportgen check` advises on a spec that is right as it is."""

from __future__ import annotations

import pytest

from reportgen.cli import main


@pytest.mark.parametrize(("values", "advised"), [(21, True), (20, False)])
def test_check_advises_ranges_for_a_slice_by_a_number_of_many_values(
    capsys, tmp_path, values, advised
):
    rows = [f"{k % 2},{k % 7 / 7},{20 + k % values}" for k in range(60)]
    (tmp_path / "data.csv").write_text("\n".join(["y,p,age", *rows]))
    (tmp_path / "report.yaml").write_text(
        "data: data.csv\ntruth: y\nmodels: {m: {score: p}}\nslices: [age]\n"
    )
    with pytest.raises(SystemExit) as left:
        main(["check", str(tmp_path / "report.yaml")])

    assert left.value.code in (None, 0)
    assert (f"slices: 'age' has {values} values" in capsys.readouterr().err) == advised


def test_check_reads_the_reference_too(capsys, tmp_path):
    (tmp_path / "data.csv").write_text("y,p\n0,0.1\n1,0.9\n")
    (tmp_path / "report.yaml").write_text(
        "data: data.csv\ntruth: y\nmodels: {m: {score: p}}\nreference: earlier.csv\n"
    )
    with pytest.raises(SystemExit) as left:
        main(["check", str(tmp_path / "report.yaml")])

    assert left.value.code == 3
    assert "earlier.csv: missing-file" in capsys.readouterr().err
