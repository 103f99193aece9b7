import pytest

from core.evaluate.word_links import (
    GoldLinks,
    link_quality,
    links_of_sample,
    read_gold,
    symmetrised,
)
from core.tasks import TASKS, CorpusError
from core.tokenizer.words import word_spans


def gold(sure, possible=()):
    return GoldLinks(frozenset(sure), frozenset({*sure, *possible}))


def test_the_error_rate_counts_missing_sure_links_and_forgives_possible_ones():
    right = gold({(0, 0), (1, 1), (2, 2)}, {(2, 3)})
    found = [{(0, 0), (1, 1), (2, 3), (0, 3)}, {(0, 0)}]
    quality = link_quality(found, [right, gold({(0, 0)})])
    # Och and Ney 2003: A has 5 links, S has 4; 3 of them are sure, 4 possible.
    assert quality.aer.value == pytest.approx(1 - (3 + 4) / (5 + 4))
    assert quality.precision.value == pytest.approx(4 / 5)
    assert quality.recall.value == pytest.approx(3 / 4)
    assert quality.aer.low <= quality.aer.value <= quality.aer.high
    assert link_quality([right.sure], [right]).aer.value == 0


def test_both_directions_keep_what_they_share_and_grow_from_there():
    shared = {(0, 0), (1, 1)}
    # (1, 2) stands beside a link, of a word that has none; (0, 4) does not, and (3, 3) has none.
    found = symmetrised(shared | {(1, 2), (0, 4)}, shared | {(3, 3)})
    assert found == shared | {(1, 2), (3, 3)}


def test_what_the_grammar_links_as_a_whole_is_a_possible_link_of_each_word():
    [sample] = [each for each in TASKS["translate"].held_out_samples(3) if "doesn't" in each.source]
    source, target = word_spans(sample.source), word_spans(sample.target)
    words = [span.of(sample.source) for span in source]
    links = links_of_sample(sample, source, target)
    auxiliary = {words.index("does"), words.index("n't")}
    assert {at for at, _ in links.possible - links.sure} == auxiliary
    assert {at for at, _ in links.sure}.isdisjoint(auxiliary)


def test_a_file_of_links_is_read_line_by_line(tmp_path):
    path = tmp_path / "links"
    path.write_text("0-0 1?2\n\na b\tc d\t1-1\n")
    assert read_gold(path) == [gold({(0, 0)}, {(1, 2)}), gold(set()), gold({(1, 1)})]
    path.write_text("0-0 1:2\n")
    with pytest.raises(CorpusError, match="1:2 is no link such as 0-0"):
        read_gold(path)
