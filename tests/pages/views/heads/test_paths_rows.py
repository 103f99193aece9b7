import numpy as np
import pytest

from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.effects.path_patching import Read
from core.studies.effects.path_study import one_path, path_senders
from pages.views.heads.paths_maps import Paths
from pages.views.heads.paths_rows import rows_along
from tests.pages.conftest import ROOT

TIRED = "The animal didn't cross the street because it was too tired."
BOTH = (TIRED, TIRED.replace("tired", "wide"))


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


def second_tokens(run, study):
    return tuple(each.text for each in run.tokenizer.describe(study.other.source_ids))


@pytest.mark.parametrize(
    ("sender", "receiver"),
    [
        ("encoder.0.self:3", "encoder.2.self:0"),
        ("encoder.2.self:0", "decoder.0.cross:0"),
        ("decoder.0.cross:1", "decoder.1.self:2"),
    ],
)
def test_the_rows_are_the_writers_in_both_sentences_and_the_readers_before_and_after(
    run, sender, receiver
):
    ends = Head.parse(sender), Head.parse(receiver)
    study = path_senders(run, *BOTH, Read.ALL, ends[1])
    found = one_path(run, *BOTH, Read.ALL, *ends)
    inspections = [inspect_sentence(run, each) for each in BOTH]
    drawn = rows_along(Paths(study, inspections[0], False, second_tokens(run, study)), found)
    assert len(drawn) == (1 if ends[0].kind.key_side == ends[1].kind.key_side else 2)
    panels = [panel for each in drawn for panel in each.panels]
    rows = [row for panel in panels for row in panel.values]
    if len(rows) == 3:
        np.testing.assert_allclose(found.sent_K, found.sent_other_K, atol=0.05)
        rows.insert(1, found.sent_other_K)
    assert np.array_equal(rows[2], found.before_QK[found.query])
    assert np.array_equal(rows[3], found.after_QK[found.query])
    for row in rows:
        assert row.sum() == pytest.approx(1, rel=1e-5)
    # The writer's rows and the reader's first are what the attention page shows.
    expected = [
        inspections[0].weights_of(ends[0])[found.sent_at],
        inspections[0].weights_of(ends[1])[found.query],
    ]
    for row, shown in zip((rows[0], rows[2]), expected, strict=True):
        np.testing.assert_allclose(row, shown[: len(row)], atol=1e-5)
    if ends[0].site.in_encoder:
        other_K = inspections[1].weights_of(ends[0])[found.sent_at]
        np.testing.assert_allclose(rows[1], other_K, atol=1e-5)
    for panel in panels:
        assert not panel.values[~panel.visible].any()


def test_a_word_that_differs_stands_with_the_other_one(run):
    ends = Head.parse("encoder.0.self:3"), Head.parse("encoder.2.self:0")
    study = path_senders(run, *BOTH, Read.QUERY, ends[1])
    found = one_path(run, *BOTH, Read.QUERY, *ends)
    inspection = inspect_sentence(run, TIRED)
    shown = Paths(study, inspection, False, second_tokens(run, study))
    [[panel]] = [each.panels for each in rows_along(shown, found)]
    texts = [each.text for each in panel.columns.labels]
    expected = [each.text for each in inspection.source_tokens]
    expected[expected.index("tired")] = "tired|wide"
    assert texts == expected
    # In both sentences it looks at the same place, which is drawn once.
    labels = ["A", "B", "B fed “wide”"]
    assert [each.text for each in panel.rows.labels] == labels
    assert panel.title == "Where “it” looks: A is encoder 0.3, B is encoder 2.0"


def test_where_keys_are_read_the_writers_row_is_that_of_the_key(run):
    ends = Head.parse("encoder.1.self:1"), Head.parse("encoder.2.self:2")
    study = path_senders(run, *BOTH, Read.KEY, ends[1])
    found = one_path(run, *BOTH, Read.KEY, *ends)
    assert found.sent_at == found.key != found.query
    [shown] = rows_along(Paths(study, inspect_sentence(run, TIRED), False), found)
    words = [each.text for each in run.tokenizer.describe(study.clean.source_ids)]
    said = f"Where “{words[found.key]}” looks in A, encoder 1.1, and “{words[found.query]}” in"
    assert shown.panels[0].title.startswith(said)


def test_rows_of_a_writer_that_looks_elsewhere_in_the_second_sentence_are_both_drawn(run):
    reader = Head.parse("decoder.1.cross:1")
    study = path_senders(run, *BOTH, Read.ALL, reader)
    shown = Paths(study, inspect_sentence(run, TIRED), False, second_tokens(run, study))
    drawn = []
    for sender in (each for each in study.senders if each.site.in_encoder):
        found = one_path(run, *BOTH, Read.ALL, sender, reader)
        apart = np.abs(found.sent_K - found.sent_other_K).max() >= 0.05
        [panel, *_others] = [each for rows in rows_along(shown, found) for each in rows.panels]
        texts = [each.text for each in panel.rows.labels]
        assert texts[:2] == ["A: “tired”", "A: “wide”"] if apart else texts[0] == "A"
        drawn.append(apart)
    assert any(drawn) and not all(drawn)
