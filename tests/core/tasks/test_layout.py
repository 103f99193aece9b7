"""Files as people have them: indices, codes, attributions, JSON, gzip."""

import gzip

import pytest

from core.tasks.large import LargeCorpus, pairs_in
from core.tasks.layout import JSON_LINES, CorpusError, Reading
from core.tasks.pairs import read_pairs
from core.tasks.task import Sample

HI, RUN = Sample("Hi, Tom.", "Salut !"), Sample("Run!", "Cours !")
BOTH = (HI, RUN)
TATOEBA = "CC-BY 2.0 (France) Attribution: tatoeba.org #{} (CM) & #{} (sacredceltic)"
FILES = {
    "data frame": ',en,fr\n0,"Hi, Tom.",Salut !\n1,Run!,Cours !\n',
    "data frame without names": ',0,1\n0,"Hi, Tom.",Salut !\n1,Run!,Cours !\n',
    "ids": 'id,fr,en\n7,Salut !,"Hi, Tom."\n9,Cours !,Run!\n',
    "other names": "nr;Phrase A;Phrase B\n1;Hi, Tom.;Salut !\n2;Run!;Cours !\n",
    "names of rows": "en\tfr\n1\tHi, Tom.\tSalut !\n2\tRun!\tCours !\n",
    "attribution": f"Hi, Tom.\tSalut !\t{TATOEBA}\nRun!\tCours !\t{TATOEBA}\n",
    "ids and codes": "1\teng\tHi, Tom.\t7\tfra\tSalut !\n2\teng\tRun!\t8\tfra\tCours !\n",
    "ids of both": "1\tHi, Tom.\t7\tSalut !\n2\tRun!\t8\tCours !\n",
    "target first": "target\tsource\nSalut !\tHi, Tom.\nCours !\tRun!\n",
    "named among others": "en\tfr\tnote\nHi, Tom.\tSalut !\tgood\nRun!\tCours !\tbad\n",
    "an empty last column": "Hi, Tom.\tSalut !\t\nRun!\tCours !\t\n",
    "objects": '{"en": "Hi, Tom.", "fr": "Salut !"}\n\n{"fr": "Cours !", "en": "Run!"}\n',
    "objects within objects": (
        '{"id": "0", "translation": {"en": "Hi, Tom.", "fr": "Salut !"}}\n'
        '{"id": "1", "translation": {"en": "Run!", "fr": "Cours !"}}\n'
    ),
    "objects with more": (
        '{"instruction": "Translate.", "input": "Hi, Tom.", "output": "Salut\\u0020!", "n": 1}\n'
        '{"instruction": "Translate", "input": "Run!", "output": "Cours !", "n": 2}\n'
    ),
}


def turned(samples):
    return tuple(Sample(each.target, each.source) for each in samples)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_the_two_columns_of_sentences_are_found(name, packed, tmp_path):
    content = FILES[name].encode()
    path = tmp_path / "pairs"
    path.write_bytes(gzip.compress(content) if packed else content)
    expected = turned(BOTH) if name == "ids" else BOTH
    found = read_pairs(path.read_bytes(), "pairs")
    assert (found.samples, found.refused) == (expected, ())
    # As it is read where it is too large for memory.
    assert tuple(pairs_in([path])) == expected


@pytest.mark.parametrize(
    ("columns", "expected"),
    [(("fr", "en"), turned(BOTH)), (("2", "3"), BOTH), ((2, 1), turned(BOTH)), (("EN", "3"), BOTH)],
)
def test_columns_are_chosen_by_name_number_or_index(columns, expected):
    reading = Reading(columns=columns)
    assert read_pairs(FILES["data frame"].encode(), "x", reading).samples == expected


def test_a_name_that_is_asked_for_makes_the_first_line_a_header():
    content = b"Frase\tBasa\nHi, Tom.\tSalut !\nRun!\tCours !\n"
    assert read_pairs(content, "x", Reading(columns=("Frase", "Basa"))).samples == BOTH
    assert len(read_pairs(content, "x").samples) == 3


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("en",), "two columns are needed"),
        (("en", "en"), "source and target are two columns, not both en"),
        (("en", "de"), "there is no column de among 1, en, fr"),
        (("0", "1"), "there is no column 0"),
        (("2", "4"), "there is no column 4"),
    ],
)
def test_columns_that_are_not_there_are_named(columns, message):
    with pytest.raises(CorpusError, match=f"mine: {message}"):
        read_pairs(FILES["data frame"].encode(), "mine", Reading(columns=columns))


def test_one_column_of_sentences_is_no_file_of_pairs():
    # sentences.csv of Tatoeba.
    with pytest.raises(CorpusError, match="of its 3 columns 1 may hold sentences"):
        read_pairs("1\tcmn\t我們試試看！\n2\tfra\tSalut !\n".encode(), "mine")


def test_a_first_line_that_may_be_either_is_a_pair_where_that_is_said():
    content = b"en\tfr\nHi, Tom.\tSalut !\nRun!\tCours !\n"
    found = read_pairs(content, "x")
    assert (found.samples, found.layout.names, found.layout.has_header) == (
        BOTH,
        ("en", "fr"),
        True,
    )
    found = read_pairs(content, "x", Reading(header=False))
    assert found.samples == (Sample("en", "fr"), *BOTH)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (
            FILES["data frame"] + "2,,Oui\n3,No\n",
            [(4, "the first column is empty"), (5, "2 columns, not 3")],
        ),
        (
            FILES["objects"] + '{"en": 1\n{"en": "No"}\n[3]\n',
            [
                (4, "it is no JSON object"),
                (5, "the second column is empty"),
                (6, "it is no JSON object"),
            ],
        ),
        (
            FILES["attribution"] + f"{'x' * 2001}\ty\tCC-BY\n",
            [(3, "the first column has 2,001 characters, more than 2,000")],
        ),
    ],
)
def test_lines_without_a_pair_are_left_out_and_named(text, refused, tmp_path):
    found = read_pairs(text.encode(), "mine")
    assert [(each.line, each.reason) for each in found.refused] == refused
    assert found.samples == BOTH
    path = tmp_path / "mine"
    path.write_text(text)
    left_out = []
    assert tuple(pairs_in([path], leave_out=lambda *each: left_out.append(each))) == BOTH
    assert left_out == refused
    for read in (
        lambda how: read_pairs(text.encode(), "x", how),
        lambda how: [*pairs_in([path], how)],
    ):
        with pytest.raises(CorpusError, match=f"line {refused[0][0]}: {refused[0][1]}"):
            read(Reading(strict=True))


def test_a_large_corpus_says_how_it_was_read(tmp_path):
    path = tmp_path / "mine.csv"
    rows = "".join(f"{n},word {n},mot {n}\n" for n in range(600))
    path.write_text(f"id,en,fr\n{rows}600,,\n")
    corpus = LargeCorpus([path])
    assert corpus.n_pairs == 600
    assert [note.removeprefix(f"{path}: ") for note in corpus.notes] == [
        "the first line names columns: id, en, fr",
        "source is column en, target is column fr",
        "lines without a pair are left out (1): line 602: the first column is empty",
    ]


def test_objects_have_no_separator():
    assert read_pairs(FILES["objects"].encode(), "x").layout.separator == JSON_LINES
