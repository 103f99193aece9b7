import pytest

from core.heads import Head, Site
from core.inspection import inspect_sentence, merged
from core.runs.run import load_run
from core.tokenizer.tokenizer import Token
from pages.frame.maps import labels, maps_of
from tests.pages.conftest import ROOT


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "copy")


@pytest.fixture(scope="module")
def inspection(run):
    return inspect_sentence(run, "a b c")


def test_a_label_says_whether_its_token_goes_on_with_a_word_and_whether_training_saw_it():
    tokens = [Token("zeb", False, 0), Token("ra", False, 0), Token("EOS", True, 1)]
    found = labels(tokens, frozenset([0]))
    assert [(each.text, each.continues, each.unknown, each.special) for each in found] == [
        ("zeb", False, True, False),
        ("ra", True, True, False),
        ("EOS", False, False, True),
    ]


@pytest.mark.parametrize("whole_words", [False, True])
def test_what_was_typed_is_told_from_what_a_decoder_alone_wrote(opened_path, whole_words):
    run = load_run(opened_path("gpt2"))
    inspection = inspect_sentence(run, "the animal")
    n = inspection.translation.n_given + 1
    if whole_words:
        n = len({each.word for each in inspection.fed_tokens[:n]})
        inspection = merged(inspection)
    head = Head(Site("decoder", 0, "self"), 0)
    given = [label.given for label in maps_of(run, inspection, head).target]
    assert given == [True] * n + [False] * (len(given) - n)
    assert len(given) > n
