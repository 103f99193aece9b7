import shutil

import pytest

from core.evaluate.evaluation import evaluate, held_out_pairs
from core.runs.archive import archive_run, unpack_run
from core.runs.files import EVALUATION, HEADS, PRUNING
from core.runs.own_text import MOST_LINES, give_text, lines_of, n_given, take_text_back, text_of
from core.runs.run import RunError, load_run
from core.studies.heads.findings import task_of
from core.tasks.translation import Translation

PAIRS = [
    ("The animal did not cross the street.", "L'été dernier il dormait."),
    ("it was too tired", "la rue"),
    ("What is it?", "nous n'avons pas traversé la rue où il dormait."),
]
TSV = "".join(f"{source}\t{target}\n" for source, target in PAIRS).encode()


@pytest.fixture
def given(opened_path, tmp_path):
    """Return a function that copies an opened model of a kind and gives it text."""

    def give(kind, content):
        path = tmp_path / kind
        shutil.copytree(opened_path(kind), path)
        n = give_text(path, content, "a file")
        return load_run(path), n

    return give


@pytest.mark.parametrize("kind", ["marian", "t5"])
def test_pairs_begin_and_end_as_the_model_does(given, kind):
    run, n = given(kind, TSV)
    assert n == len(PAIRS)
    assert run.settings.has_pairs
    config, found = run.model.config, {pair.text: pair for pair in held_out_pairs(run, 10, 0)}
    for source, target in PAIRS:
        pair = found[source]
        assert pair.source == (*run.tokenizer.encode(source).ids, config.eos_ids[0])
        ids = run.target_tokenizer.encode(target).ids
        assert pair.target == (config.bos_id, *ids, config.eos_ids[0])
    assert task_of(run).reference(PAIRS[0][0]) == PAIRS[0][1]


def test_a_model_with_pairs_is_evaluated_and_given_away(given, tmp_path):
    run, _ = given("t5", TSV)
    figures = evaluate(run)
    assert (figures["n"], figures["pronoun"]) == (len(PAIRS), None)
    archive_run(run.path, tmp_path / "run.zip")
    taken = unpack_run(tmp_path / "run.zip", tmp_path / "runs")
    assert held_out_pairs(load_run(taken), 10, 0) == held_out_pairs(run, 10, 0)


def test_lines_are_tidied_and_each_kept_once(given):
    content = "\ufeff  a  line \n\na line\nanother\u2028line\n".encode()
    run, n = given("bert", content)
    assert lines_of(run.path) == ["a line", "another", "line"][:n]
    assert not run.settings.has_pairs
    many = "\n".join(f"line {number}" for number in range(MOST_LINES + 5)).encode()
    assert give_text(run.path, many, "a file") == MOST_LINES
    assert lines_of(run.path)[-1] == f"line {MOST_LINES - 1}"


@pytest.mark.parametrize(
    ("kind", "content", "why"),
    [
        ("bert", b"one line", "at least 2 different lines"),
        ("bert", b"\xff\xfe\xfa", "UTF-8"),
        ("marian", b"", "a file"),
        ("marian", b"no second column\nnor here", "no pairs in it"),
    ],
)
def test_what_cannot_be_used_is_refused_and_changes_nothing(given, kind, content, why):
    run, _ = given(kind, TSV)
    before = (run.path / "run.json").read_bytes()
    with pytest.raises(RunError, match=why):
        give_text(run.path, content, "a file")
    assert (run.path / "run.json").read_bytes() == before


@pytest.mark.parametrize(("kind", "content"), [("marian", TSV), ("bert", b"a line\nanother\n")])
def test_what_was_given_is_read_again_changed_and_taken_back(given, kind, content):
    run, n = given(kind, content)
    assert (text_of(run.path), n_given(run.path)) == (content.decode().rstrip("\n"), n)
    for file in (HEADS, EVALUATION, PRUNING):
        (run.path / file).write_text("{}")
    give_text(run.path, content.replace(b"a line", b"a row"), "a file")
    # What was measured on the text before says nothing of another.
    assert not any((run.path / file).exists() for file in (HEADS, EVALUATION, PRUNING))
    before = {file.name for file in run.path.iterdir()}
    take_text_back(run.path)
    assert len(before - {file.name for file in run.path.iterdir()}) == 1
    assert (text_of(run.path), n_given(run.path)) == ("", 0)
    settings = load_run(run.path).settings
    assert not settings.has_pairs
    assert not settings.has_lines


def test_a_run_that_was_trained_here_keeps_its_task(copy_run):
    for change in (lambda path: give_text(path, TSV, "a file"), take_text_back):
        with pytest.raises(RunError, match="trained here"):
            change(copy_run.path)
    assert Translation.name != copy_run.settings.task
