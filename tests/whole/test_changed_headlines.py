"""What headline, section and summary say of a model that became worse since the reference."""

import numpy as np
import polars as pl

from reportgen.sections import summary
from reportgen.sections.shift import ShiftSection
from reportgen.spec import from_dict
from tests.page_text import without_chinese
from tests.whole.test_shift import evaluate

FIXED = {"data": "now.parquet", "reference": "then.parquet", "bootstrap": {"replicates": 0}}


def classified(seed, gaps, hard=0.3):
    """Scores of two models by how far the classes are apart; those of hard rows say nothing."""
    random = np.random.default_rng(seed)
    truth, is_hard = random.random((2, 600)) < np.array([[0.4], [hard]])
    scores = {
        name: gap * truth * ~is_hard + random.normal(size=600)
        for name, gap in zip("ab", gaps, strict=True)
    }
    return pl.DataFrame({"y": truth.astype(int), **scores, "kind": np.where(is_hard, "h", "e")})


def since(folder, then, now, **more):
    then.write_parquet(folder / "then.parquet")
    now.write_parquet(folder / "now.parquet")
    models = {name: {"score": name} for name in "ab"}
    of_data = {"truth": "y", "positive": 1, "threshold": 0.9, "models": models, "slices": ["kind"]}
    return evaluate(from_dict({**FIXED, **of_data, **more}, folder))


def test_the_headline_says_that_the_leader_became_worse(tmp_path):
    results = since(tmp_path, classified(1, (3, 1)), classified(2, (1.5, 0.2)))
    decision, first = results.decision, results.shift.changes[0]
    before, now = (f"{getattr(first, at):.3f}" for at in ("before", "now"))

    assert decision.relation == "ahead"
    end = f"; the AUC of a fell from {before} to {now} since the reference"
    assert decision.headline.endswith(end)
    shown = summary.text(results)
    assert end[2:] in shown.splitlines()[1]
    assert "<summary>Shift</summary>" in shown
    assert "for all changes at once" in shown
    section = ShiftSection.from_results(results, [])
    assert "hold for each number alone" in section.findings[-1]
    assert not without_chinese(results, [decision.headline, *section.findings])


def test_the_headline_is_silent_of_leaders_that_became_better_or_hardly_changed(tmp_path):
    worse, better = classified(1, (1.5, 0.2)), classified(2, (3, 1))

    for then, now in ((worse, better), (worse, classified(3, (1.5, 0.2)))):
        assert "since the reference" not in since(tmp_path, then, now).decision.headline


def test_the_mix_is_named_where_it_explains_a_part(tmp_path):
    results = since(tmp_path, classified(1, (3, 1), hard=0.1), classified(2, (3, 1), hard=0.7))
    first = next(c.text for c in results.decision.caveats if c.code == "changed_since_reference")
    mix = next(one.mix for one in results.shift.changes if one.by == "kind" and one.metric == "auc")

    assert first.endswith(f"; the mix of kind explains −{-mix:.3f} of it.")


def test_the_mix_that_explains_most_is_named_though_another_is_split_first(tmp_path):
    """Only the share of positives changed: recall is low and specificity high; slices are alike."""
    for name, share, seed in (("then", 0.2, 1), ("now", 0.6, 2)):
        random = np.random.default_rng(seed)
        truth, site = random.random(1_500) < share, random.random(1_500) < 0.5
        label = random.random(1_500) < np.where(truth, 0.4, 0.05)
        frame = pl.DataFrame({"y": truth.astype(int), "m": label.astype(int), "site": site})
        frame.cast({"site": pl.String}).write_parquet(tmp_path / f"{name}.parquet")
    spec = {"truth": "y", "positive": 1, "models": {"m": {"label": "m"}}, "slices": ["site"]}
    results = evaluate(from_dict({**FIXED, **spec}, tmp_path))
    accuracy = [one for one in results.shift.changes if one.metric == "accuracy"]
    first = next(c.text for c in results.decision.caveats if c.code == "changed_since_reference")

    assert {one.by for one in accuracy} == {"classes", "site"}
    mix = next(one.mix for one in accuracy if one.by == "classes")
    assert first.endswith(f"; the mix of classes explains −{-mix:.3f} of it.")


def test_a_shift_names_what_its_p_is_of(tmp_path):
    """The mean stays; the truth spreads."""
    for name, spread, seed in (("then", 1.0, 1), ("now", 2.0, 2)):
        random = np.random.default_rng(seed)
        truth = random.normal(size=400) * spread
        rows = pl.DataFrame({"y": truth, "m": truth + random.normal(size=400)})
        rows.write_parquet(tmp_path / f"{name}.parquet")
    spec = from_dict({**FIXED, "truth": "y", "models": {"m": {"estimate": "m"}}}, tmp_path)
    results = evaluate(spec)
    findings = ShiftSection.from_results(results, []).findings

    [text] = [one for one in findings if "the truth" in one]
    assert text.startswith("The distribution of the truth shifted (p")
    assert "): its mean was " in text
    assert not without_chinese(results, findings)


def recurring(results):
    return next((c.text for c in results.decision.caveats if c.code == "recurring_rows"), None)


def test_a_change_on_the_rows_of_the_reference_is_one_of_truths_or_outputs(tmp_path):
    """The same ids in another order, and a fifth of the truths relabelled since."""
    then = classified(1, (3, 1)).with_row_index("id")
    relabelled = pl.col("id") % 5 == 0
    now = then.with_columns(y=pl.when(relabelled).then(1 - pl.col("y")).otherwise("y")).reverse()
    results = since(tmp_path, then, now, columns={"id": "id"})

    assert results.decision.headline.endswith(" since the reference, on the same rows")
    assert recurring(results) == (
        "All 600 rows are in the reference too, and 120 of them have a different truth there: "
        "truths or outputs changed, not the rows."
    )
    assert results.to_dict()["shift"]["recurring"] == {"rows": 600, "all": True, "relabelled": 120}
    assert not without_chinese(results, [results.decision.headline, recurring(results)])


def test_some_rows_of_the_reference_are_counted_and_new_ones_have_no_word(tmp_path):
    then = classified(1, (3, 1)).with_row_index("id")
    shifted = then.with_columns(id=pl.col("id") + 500)
    differ = then.tail(100)["y"] != shifted.head(100)["y"]
    results = since(tmp_path, then, shifted, columns={"id": "id"})

    assert recurring(results) == (
        f"100 of 600 rows are in the reference too, and {differ.sum()} of them have a different "
        "truth there."
    )
    assert not without_chinese(results, [recurring(results)])
    new = then.with_columns(id=pl.col("id") + 600)
    assert recurring(since(tmp_path, then, new, columns={"id": "id"})) is None
    assert recurring(since(tmp_path, then, new)) is None
    hidden = since(tmp_path, then, shifted, columns={"id": "id"}, privacy={"small_cells": 3})
    assert recurring(hidden) is None
