import random
import re

import pytest

from core.tasks import Sample
from core.tasks.corpus import FILES, Corpus, CorpusError, kept_corpus, read_corpus
from core.tasks.layout import Reading
from core.tasks.pairs import FOUND, as_tsv
from core.tasks.split import is_in_test_part, place

PARTS = ("train", "valid", "test")
PAIRS = [(f"word {number}", f"mot {number}") for number in range(60)]
LINES = ["\t".join(pair) for pair in PAIRS]


@pytest.fixture
def read(tmp_path):
    def written_and_read(text, encoding="utf-8", newline="\n", reading=FOUND):
        path = tmp_path / "pairs.tsv"
        path.write_bytes(text.replace("\n", newline).encode(encoding))
        return read_corpus([path], reading=reading)

    return written_and_read


def pairs_of(corpus):
    return {(each.source, each.target) for part in PARTS for each in corpus.part(part)}


def test_every_pair_of_the_file_is_in_a_part(read):
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
        read("\n".join([*LINES[:3], "", line, *LINES[3:]]), reading=Reading(strict=True))


def test_lines_without_a_pair_are_left_out_and_the_first_of_them_named(read):
    corpus = read("\n".join([LINES[0], "one", *LINES[1:], *["more"] * 6]))
    assert pairs_of(corpus) == set(PAIRS)
    [note] = corpus.notes
    assert "without a pair are left out (7): line 2: 1 column, not 2, line 62: 1 column" in note
    assert note.endswith("line 65: 1 column, not 2, …")


def test_of_several_refused_lines_the_first_is_named_and_the_others_counted(read):
    with pytest.raises(CorpusError, match=r"line 2: 1 column, not 2 \(2 more lines"):
        lines = [LINES[0], "one", *LINES[1:], "two", "three"]
        read("\n".join(lines), reading=Reading(strict=True))


def test_a_file_of_a_gigabyte_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.tsv"
    with path.open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(CorpusError, match=r"large\.tsv: more than 50 MB"):
        read_corpus([path])


def test_a_comma_may_separate_the_columns(read):
    assert pairs_of(read("\n".join(f'"{source}",{target}' for source, target in PAIRS))) == set(
        PAIRS
    )


def test_line_that_is_not_utf_8_is_named_by_its_number(tmp_path):
    path = tmp_path / "latin.tsv"
    path.write_bytes("\n".join([*LINES[:6], "summer\tété"]).encode("latin-1"))
    with pytest.raises(CorpusError, match=r"latin\.tsv, line 7: not UTF-8"):
        read_corpus([path])


def test_byte_order_mark_does_not_move_the_line_that_is_named(tmp_path):
    path = tmp_path / "latin.tsv"
    path.write_bytes(
        b"\xef\xbb\xbf" + "\n".join([*LINES[:6], "\xe9t\xe9\tsummer"]).encode("latin-1")
    )
    with pytest.raises(CorpusError, match=r"latin\.tsv, line 7: not UTF-8"):
        read_corpus([path])


def test_missing_file_is_named(tmp_path):
    path = tmp_path / "none.tsv"
    with pytest.raises(CorpusError, match=re.escape(str(path))):
        read_corpus([path])


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


def sources(corpus, part):
    return [sample.source for sample in corpus.part(part)]


def test_parts_that_are_split_off_have_a_twentieth_of_the_sources_each():
    samples = [Sample(f"word {n}", f"mot {n}") for n in range(4000)]
    corpus = Corpus("pairs", samples)
    for part in ("valid", "test"):
        assert 150 < len(corpus.part(part)) < 250
    # What is in which part depends on the source alone.
    fewer = Corpus("pairs", samples[:2000])
    for part in PARTS:
        assert set(sources(fewer, part)) <= set(sources(corpus, part))


def test_without_a_source_in_the_first_tenth_the_nearest_two_are_held_out():
    samples = [Sample(*pair) for pair in PAIRS if not is_in_test_part(pair[0])]
    assert len(samples) > 40
    corpus = Corpus("pairs", samples)
    nearest = sorted((sample.source for sample in samples), key=place)[:2]
    assert [sources(corpus, "test"), sources(corpus, "valid")] == [nearest[:1], nearest[1:]]
    assert [example.source for example in corpus.examples] == nearest[:1]


def test_with_all_sources_in_the_first_twentieth_one_is_left_to_train_on_and_one_to_watch_by():
    samples = [Sample(f"word {n}", "") for n in range(2000) if place(f"word {n}") < 0.05]
    corpus = Corpus("pairs", samples)
    *others, before, last = sorted((sample.source for sample in samples), key=place)
    assert [sources(corpus, "train"), sources(corpus, "valid")] == [[last], [before]]
    assert set(sources(corpus, "test")) == set(others)


@pytest.mark.parametrize("given", [{"test"}, {"valid"}, {"test", "valid"}])
def test_a_part_with_pairs_of_its_own_is_not_split_off(given):
    mine = [Sample(*pair) for pair in PAIRS]
    own = {part: [Sample(f"{part} {n}", "x") for n in range(5)] for part in given}
    corpus = Corpus("pairs", mine, own.get("valid"), own.get("test"))
    for part in given:
        assert corpus.part(part) == tuple(own[part])
    assert len(corpus.part("train")) == len(mine) if len(given) == 2 else len(mine) - 3
    assert corpus.in_both() == {}


def test_sources_that_are_in_two_parts_are_counted():
    mine = [Sample(*pair) for pair in PAIRS]
    test = [
        Sample("word 3", "autre"),
        Sample("word 4", "x"),
        Sample("word 4", "y"),
        Sample("z", "z"),
    ]
    corpus = Corpus("pairs", mine, [Sample("z", "zz")], test)
    assert corpus.in_both() == {("train", "test"): 2, ("valid", "test"): 1}


def test_a_part_of_which_nothing_fits_is_refused_by_its_name():
    mine = [Sample(*pair) for pair in PAIRS]
    corpus = Corpus("pairs", mine, [Sample("long", "x")], [Sample("short", "x")])
    with pytest.raises(CorpusError, match="no pair of the valid part fits"):
        corpus.only(lambda sample: sample.source != "long")


@pytest.mark.parametrize("given", [False, True])
def test_what_is_kept_with_a_run_has_the_same_parts(tmp_path, given):
    mine = [Sample(*pair) for pair in PAIRS]
    own = [[Sample(f"{part} {n}", "x") for n in range(5)] for part in "vt"] if given else []
    corpus = Corpus("pairs", mine, *own)
    written = {part: corpus.part(part) for part in PARTS} if given else {"train": mine}
    for part, samples in written.items():
        (tmp_path / FILES[part]).write_bytes(as_tsv(samples))
    kept = kept_corpus(tmp_path)
    assert [kept.part(part) for part in PARTS] == [corpus.part(part) for part in PARTS]


def test_two_files_of_lines_are_pairs_line_by_line(tmp_path):
    one, other = tmp_path / "train.en", tmp_path / "train.fr"
    one.write_bytes("\ufeffa, b\tc\r\n".encode() + b"".join(b"word %d\r\n" % n for n in range(20)))
    other.write_text("x\n" + "".join(f"mot {n}\n" for n in range(20)))
    corpus = read_corpus([one, other])
    assert corpus.samples[:2] == (Sample("a, b c", "x"), Sample("word 0", "mot 0"))
    assert len(corpus.samples) == 21


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("a\nb\n", "x\ny\nz\n", r"train\.en has 2 lines and .*train\.fr has 3: line by line"),
        ("a\n\nc\n" * 9, "x\ny\nz\n" * 9, r"train\.fr, line 2: the first column is empty \(8 more"),
    ],
)
def test_two_files_that_do_not_belong_together_are_refused(tmp_path, source, target, message):
    one, other = tmp_path / "train.en", tmp_path / "train.fr"
    one.write_text(source)
    other.write_text(target)
    with pytest.raises(CorpusError, match=message):
        read_corpus([one, other], reading=Reading(strict=True))


def test_held_out_samples_have_different_sources_and_fewer_are_the_first_of_more():
    test = [Sample(f"word {n % 8}", f"mot {n}") for n in range(16)]
    corpus = Corpus("pairs", [Sample(*pair) for pair in PAIRS], test, test)
    found = corpus.held_out_samples(20, 1)
    assert {each.source for each in found} == {f"word {n}" for n in range(8)}
    assert len(found) == 8
    assert corpus.held_out_samples(3, 1) == found[:3]
    assert corpus.held_out_samples(20, 2) != found


def test_a_source_with_two_targets_stays_on_one_side(read):
    twice = [*LINES, *(f"{source}\tautre {target}" for source, target in PAIRS)]
    corpus = read("\n".join(twice))
    held_out = {
        sample.source
        for part in ("valid", "test")
        for sample in corpus.held_out_samples(30, 0, part)
    }
    drawn = corpus.training_samples(random.Random(0))
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
        assert example.source in sources(corpus, "test")
