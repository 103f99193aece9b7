import torch

from core.batch import (
    Pair,
    collate,
    encode_samples,
    encode_source,
    pad,
)
from core.tasks import Reference, Sample
from core.vocabulary import BOS, EOS, PAD, Span


def span(text, part):
    start = text.index(part)
    return Span(start, start + len(part))


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


def test_rows_are_filled_up_with_padding_at_the_end():
    assert pad([[5, 6, 7], [8], [9, 10]]).tolist() == [[5, 6, 7], [8, 0, 0], [9, 10, 0]]
    assert pad([[5]], 3).tolist() == [[5, 0, 0]]
    assert pad([[5, 6]]).dtype == torch.int64


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


def test_reference_of_a_written_out_sample_points_at_its_words(tokenizer):
    source = "The animal didn't cross the street because it was too tired."
    target = "L'animal n'a pas traversé la rue parce qu'il était trop fatigué."
    reference = Reference(
        pronoun=span(source, "it"),
        antecedent=span(source, "animal"),
        nouns=(span(source, "animal"), span(source, "street")),
        target=span(target, "il"),
        ambiguous=True,
    )
    [pair] = encode_samples(tokenizer, [Sample(source, target, (), (reference,))])
    [found] = pair.references
    labels = pair.target[1:]
    assert found.ambiguous
    assert spelled(tokenizer, pair.source, found.pronoun) == "it"
    assert spelled(tokenizer, pair.source, found.antecedent) == "animal"
    nouns = [spelled(tokenizer, pair.source, noun) for noun in found.nouns]
    assert nouns == ["animal", "street"]
    assert spelled(tokenizer, labels, found.steps) == "il"
    # The row that writes "il" is fed the token before it.
    assert tokenizer.decode(pair.target[: found.steps[0] + 1]).endswith("parce qu'")


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


def test_references_and_texts_stay_with_their_rows_in_a_batch(tokenizer, translation_pairs):
    batch = collate(translation_pairs[:12])
    rows = zip(batch.source_BS.tolist(), batch.sources, batch.references, strict=True)
    for pair, (row, text, references) in zip(translation_pairs, rows, strict=False):
        assert tokenizer.decode(row) == text
        assert references == pair.references
    assert any(batch.references)
