"""Which earlier builds the history of a measure counts: not those with an alarm of it."""

from __future__ import annotations

from tests.whole.test_builds_earlier import HISTORY, Nights, gates


def test_an_alarm_of_another_measure_does_not_keep_a_build_out_of_history(tmp_path):
    nights = Nights(tmp_path)
    text = nights.spec.read_text()
    nights.spec.write_text(text.replace("gates:\n", "gates:\n  - m.specificity >= 1.0\n", 1))

    builds = [nights.build(k, nights.rows(k)) for k in range(5)]

    assert all(gates(build)[0]["state"] == "fail" for build in builds)
    of_history = [gates(build)[1 + HISTORY] for build in builds]
    assert [gate["state"] for gate in of_history] == ["inconclusive"] * 4 + ["pass"]


def test_builds_with_an_alarm_of_the_measure_are_counted_where_history_lacks_them(tmp_path):
    nights = Nights(tmp_path)
    text = nights.spec.read_text()
    nights.spec.write_text(text.replace("gates:\n", "gates:\n  - m.auc >= 1.0\n", 1))

    builds = [nights.build(k, nights.rows(k)) for k in range(3)]

    why = gates(builds[2])[1 + HISTORY]["why"]
    assert why == (
        "0 of 4 earlier builds that history needs, without 2 builds with an alarm of this measure"
    )
