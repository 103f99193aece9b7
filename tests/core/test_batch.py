from core.batch import Pair, collate, encode_samples, encode_source
from core.tasks import Sample
from core.vocabulary import BOS, EOS, PAD


def spelled(tokenizer, ids, tokens):
    return tokenizer.decode([ids[token] for token in tokens])


def test_what_is_fed_is_the_labels_shifted_right_by_one(translation_pairs):
    batch = collate(translation_pairs[:16])
    for pair, fed, labels in zip(translation_pairs, batch.fed_BT, batch.labels_BT, strict=False):
        n = len(pair.target) - 1
        assert fed[0] == BOS
        assert labels[n - 1] == EOS
        assert fed[1:n].tolist() == labels[: n - 1].tolist() == list(pair.target[1:-1])
        assert set(fed[n:].tolist()) | set(labels[n:].tolist()) <= {PAD}


def test_batch_counts_the_tokens_that_are_predicted():
    batch = collate([Pair((5, 2), (1, 6, 7, 2)), Pair((5, 6, 2), (1, 2))])
    assert batch.labels_BT.tolist() == [[6, 7, 2], [2, 0, 0]]
    assert batch.fed_BT.tolist() == [[1, 6, 7], [1, 0, 0]]
    assert batch.source_BS.tolist() == [[5, 2, 0], [5, 6, 2]]
    assert batch.n_tokens == 4


def test_source_ends_with_eos_and_has_no_bos(tokenizer):
    ids = encode_source(tokenizer, "the animal")
    assert ids[-1] == EOS
    assert BOS not in ids
    assert tokenizer.decode(ids) == "the animal"
    [pair] = encode_samples(tokenizer, [Sample("the animal", "l'animal")])
    assert pair.source == ids
    assert (pair.target[0], pair.target[-1]) == (BOS, EOS)
    assert tokenizer.decode(pair.target) == "l'animal"


def test_references_of_translations_spell_pronouns_and_antecedents(
    tokenizer, translations, translation_pairs
):
    n = 0
    for sample, pair in zip(translations, translation_pairs, strict=True):
        for known, found in zip(sample.references, pair.references, strict=True):
            n += 1
            words = (known.pronoun, known.antecedent, *known.nouns)
            tokens = (found.pronoun, found.antecedent, *found.nouns)
            for word, indices in zip(words, tokens, strict=True):
                assert spelled(tokenizer, pair.source, indices) == word.of(sample.source)
            pronoun = known.target.of(sample.target)
            assert spelled(tokenizer, pair.target[1:], found.steps) == pronoun
            assert found.antecedent in found.nouns
    assert n > 100
