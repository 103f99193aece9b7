import pytest

from core.tasks.translation import Translation, derivations


@pytest.mark.parametrize("example", Translation.examples, ids=lambda example: example.name)
def test_every_example_is_a_sentence_of_the_grammar(example):
    assert len({sample.target for sample in derivations(example.source)}) == 1


def test_first_two_examples_differ_in_one_word_and_in_the_antecedent():
    [tired], [wide] = (derivations(example.source) for example in Translation.examples[:2])
    different = set(tired.source.split()) ^ set(wide.source.split())
    assert different == {"tired.", "wide."}
    antecedents = [s.references[0].antecedent.of(s.source) for s in (tired, wide)]
    assert antecedents == ["animal", "street"]
