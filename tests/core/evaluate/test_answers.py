from core.decoding.sentence import translate
from core.evaluate.answers import Answer, answers
from core.evaluate.evaluation import held_out_pairs
from core.runs.run import load_run
from tests.pages.conftest import ROOT

COPY = ROOT / "gallery" / "copy"


def ids_of(run, n):
    return tuple((pair.source, pair.target) for pair in held_out_pairs(run, n, seed=1))


def test_answers_are_the_models_translations_beside_the_true_ones():
    run = load_run(ROOT / "gallery" / "translate-guided", 100)
    pairs = ids_of(run, 4)
    for (source, target), answer in zip(pairs, answers(run, pairs), strict=True):
        assert answer.source == run.tokenizer.decode(source)
        assert answer.target == run.tokenizer.decode(target)
        assert answer.said == translate(run, answer.source).text


def test_a_trained_model_copies_and_an_untrained_one_does_not():
    trained, untrained = load_run(COPY), load_run(COPY, 0)
    assert all(each.right for each in answers(trained, ids_of(trained, 5)))
    assert not any(each.right for each in answers(untrained, ids_of(untrained, 5)))


def test_only_the_whole_target_is_right():
    assert Answer("a b", "a b", "a b").right
    assert not Answer("a b", "a b", "a").right
