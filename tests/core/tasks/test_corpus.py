import random
import re

import pytest

from core.tasks import Sample, held_out_samples, training_samples
from core.tasks.corpus import Corpus, CorpusError, read_corpus
from core.tasks.split import is_in_test_part, place

PAIRS = [(f"word {number}", f"mot {number}") for number in range(60)]
LINES = ["\t".join(pair) for pair in PAIRS]


@pytest.fixture
def read(tmp_path):
    def written_and_read(text, encoding="utf-8", newline="\n"):
        path = tmp_path / "pairs.tsv"
        path.write_bytes(text.replace("\n", newline).encode(encoding))
        return read_corpus(path)

    return written_and_read


def pairs_of(corpus):
    rng = random.Random(0)
    return {(sample.source, sample.target) for sample in (corpus.sample(rng) for _ in range(2000))}


def test_every_pair_of_the_file_can_be_drawn(read):
    assert pairs_of(read("\n".join(LINES) + "\n")) == set(PAIRS)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_of_every_system_and_a_missing_last_one_are_read(read, newline):
    assert pairs_of(read("\n".join(LINES), newline=newline)) == set(PAIRS)


@pytest.mark.parametrize("header", ["source\ttarget", "Source\tTarget", "en\tfr", "SRC\tTGT"])
def test_header_is_skipped(read, header):
    assert pairs_of(read("\n".join([header, *LINES]))) == set(PAIRS)


def test_words_of_a_header_are_a_pair_after_the_first_line(read):
    assert ("source", "target") in pairs_of(read("\n".join([*LINES, "source\ttarget"])))


def test_byte_order_mark_is_no_part_of_the_first_word(read):
    assert pairs_of(read("\n".join(LINES), encoding="utf-8-sig")) == set(PAIRS)
    assert pairs_of(read("\n".join(["en\tfr", *LINES]), encoding="utf-8-sig")) == set(PAIRS)


def test_empty_lines_and_spaces_around_texts_are_left_out(read):
    text = "\n\n".join(f"  {source} \t {target}  " for source, target in PAIRS) + "\n \t \n"
    assert pairs_of(read(text)) == set(PAIRS)


def test_accents_are_composed(read):
    drawn = pairs_of(read("\n".join([*LINES, "summer\te\u0301te\u0301"])))
    assert ("summer", "\u00e9t\u00e9") in drawn


@pytest.mark.parametrize("sign", ["\u2028", "\u0085", "\x0b", "\x0c", "\x1c"])
def test_only_line_ends_end_a_line(read, sign):
    assert ("a b", "c") in pairs_of(read("\n".join([*LINES, f"a{sign}b\tc"])))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("no tab", "1 column, not 2$"),
        ("a\tb\tc", "3 columns, not 2$"),
        ("only source\t", "the second column is empty$"),
        ("\tonly target", "the first column is empty$"),
        ("a\t\tb", "3 columns, not 2$"),
    ],
)
def test_line_that_is_no_pair_is_named_by_its_number(read, line, reason):
    with pytest.raises(CorpusError, match=rf"pairs\.tsv, line 5: {reason}"):
        read("\n".join([*LINES[:3], "", line, *LINES[3:]]))


def test_of_several_refused_lines_the_first_is_named_and_the_others_counted(read):
    with pytest.raises(CorpusError, match=r"line 2: 1 column, not 2 \(2 more lines"):
        read("\n".join([LINES[0], "one", *LINES[1:], "two", "three"]))


def test_a_file_of_a_gigabyte_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.tsv"
    with path.open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(CorpusError, match=r"large\.tsv: more than 50 MB"):
        read_corpus(path)


def test_a_comma_may_separate_the_columns(read):
    assert pairs_of(read("\n".join(f'"{source}",{target}' for source, target in PAIRS))) == set(
        PAIRS
    )


def test_line_that_is_not_utf_8_is_named_by_its_number(tmp_path):
    path = tmp_path / "latin.tsv"
    path.write_bytes("\n".join([*LINES[:6], "summer\tété"]).encode("latin-1"))
    with pytest.raises(CorpusError, match=r"latin\.tsv, line 7: not UTF-8"):
        read_corpus(path)


def test_byte_order_mark_does_not_move_the_line_that_is_named(tmp_path):
    path = tmp_path / "latin.tsv"
    path.write_bytes(
        b"\xef\xbb\xbf" + "\n".join([*LINES[:6], "\xe9t\xe9\tsummer"]).encode("latin-1")
    )
    with pytest.raises(CorpusError, match=r"latin\.tsv, line 7: not UTF-8"):
        read_corpus(path)


def test_missing_file_is_named(tmp_path):
    path = tmp_path / "none.tsv"
    with pytest.raises(CorpusError, match=re.escape(str(path))):
        read_corpus(path)


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_a_file_without_text_is_refused(read, text):
    with pytest.raises(CorpusError, match=r"pairs\.tsv: there are no pairs in it"):
        read(text)


@pytest.mark.parametrize("text", ["source\ttarget\n", "\n".join(LINES[:5]), "\n".join(LINES[:9])])
def test_too_few_pairs_are_refused_with_their_number(read, text):
    n = text.count("word")
    with pytest.raises(CorpusError, match=f"{n} different sources"):
        read(text)


def test_the_same_source_again_is_no_other_source(read):
    with pytest.raises(CorpusError, match="1 different sources"):
        read("\n".join(f"a\tb {number}" for number in range(50)))


def test_without_a_source_in_the_first_tenth_the_nearest_is_held_out():
    samples = [Sample(*pair) for pair in PAIRS if not is_in_test_part(pair[0])]
    assert len(samples) > 40
    corpus = Corpus("pairs", samples)
    held_out = [sample for sample in samples if corpus.held_out(sample)]
    assert held_out == [min(samples, key=lambda sample: place(sample.source))]
    assert [example.source for example in corpus.examples] == [held_out[0].source]


def test_with_all_sources_in_the_first_tenth_one_is_left_to_train_on():
    samples = [Sample(f"word {n}", "") for n in range(500) if is_in_test_part(f"word {n}")]
    corpus = Corpus("pairs", samples)
    trained = [sample for sample in samples if not corpus.held_out(sample)]
    assert trained == [max(samples, key=lambda sample: place(sample.source))]


def test_a_source_with_two_targets_stays_on_one_side(read):
    twice = [*LINES, *(f"{source}\tautre {target}" for source, target in PAIRS)]
    corpus = read("\n".join(twice))
    held_out = {sample.source for sample in held_out_samples(corpus, 30)}
    drawn = training_samples(corpus, random.Random(0))
    trained = {next(drawn).source for _ in range(2000)}
    assert held_out and not held_out & trained
    assert held_out | trained == {source for source, _ in PAIRS}


def test_of_two_targets_of_a_source_the_first_is_the_reference(read):
    corpus = read("\n".join([*LINES, "word 3\tautre"]))
    assert corpus.reference("\u00a0word  3 ") == "mot 3"


def test_samples_are_the_different_pairs_in_their_order():
    samples = [Sample(*pair) for pair in PAIRS]
    assert Corpus("pairs", [*samples, *reversed(samples)]).samples == tuple(samples)


def test_examples_are_held_out(read):
    corpus = read("\n".join(LINES))
    assert corpus.examples
    for example in corpus.examples:
        assert corpus.held_out(Sample(example.source, ""))
