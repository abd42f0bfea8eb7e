"""What follows from a table is computed once, for as long as the table is there."""

from __future__ import annotations

import polars as pl

from reportgen.once_per_frame import once_per_frame


def test_a_table_that_takes_the_place_of_another_has_results_of_its_own():
    """The address of a table that is gone may be that of the next one."""

    @once_per_frame
    def total(frame: pl.DataFrame, column: str) -> int:
        computed.append(column)
        return int(frame[column].sum())

    computed: list[str] = []
    for value in range(20):
        frame = pl.DataFrame({"a": [value], "b": [0]})
        assert [total(frame, "a"), total(frame, "b"), total(frame, "a")] == [value, 0, value]
        del frame

    assert computed == ["a", "b"] * 20
