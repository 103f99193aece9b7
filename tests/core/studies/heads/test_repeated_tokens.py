"""What is drawn, and where each role's key stands, on sequences small enough to check by eye."""

from dataclasses import replace

import pytest
import torch

from core.config import ModelConfig
from core.heads import Kind
from core.studies.heads.repeated_tokens import RepeatedTokens, Specials, TextRole
from core.vocabulary import BOS, EOS, PAD

OWN = ModelConfig(vocab_size=40, d_model=8, n_heads=2, d_ff=8, max_positions=80)
WITHOUT_BEGIN = replace(OWN, n_encoder_layers=0, bos_id=-1, pad_id=-1, eos_ids=())
SMALL = RepeatedTokens(n_sequences=5, half=3, seed=1)


def places(keys):
    """Row → key, of every role."""
    return {
        role: dict(zip(each.rows_R.tolist(), each.keys_R.tolist(), strict=True))
        for role, each in keys.items()
    }


def test_the_second_half_repeats_the_first_and_no_token_stands_twice_in_a_half():
    text = RepeatedTokens(n_sequences=50, half=20)
    for sequence in text.ids_NP(OWN, "source").tolist():
        assert sequence[:20] == sequence[20:]
        assert len(set(sequence[:20])) == 20


def test_every_token_is_drawn_but_those_that_are_no_words():
    text = RepeatedTokens(n_sequences=100, half=8, specials=Specials(frozenset({7, 39})))
    for side in ("source", "target"):
        drawn = text.ids_NP(OWN, side)[:, -16:].flatten().tolist()
        assert set(drawn) == set(range(40)) - {PAD, BOS, EOS, 7, 39}


def test_a_model_without_special_tokens_is_shown_all_of_them():
    text = RepeatedTokens(n_sequences=100, half=8)
    assert set(text.ids_NP(WITHOUT_BEGIN, "target").flatten().tolist()) == set(range(40))


def test_what_stands_around_a_text_is_of_its_side():
    text = replace(SMALL, specials=Specials(begins=(11, 12), ends=(13,)))
    source, target = (text.ids_NP(OWN, side) for side in ("source", "target"))
    assert source.shape == (5, 2 + 6 + 1)
    assert source[:, :2].tolist() == [[11, 12]] * 5
    assert source[:, -1].tolist() == [13] * 5
    assert not {11, 12, 13} & set(source[:, 2:-1].flatten().tolist())
    assert target.shape == (5, 1 + 6)
    assert target[:, 0].tolist() == [BOS] * 5


def test_a_target_is_drawn_from_its_own_vocabulary():
    config = replace(OWN, tied="none", target_vocab_size=300)
    text = RepeatedTokens(n_sequences=40, half=16)
    assert text.ids_NP(config, "source").max() < 40
    assert text.ids_NP(config, "target").max() > 40


def test_seeds_and_sides_are_drawn_apart_and_again_the_same():
    drawn = [
        text.ids_NP(OWN, side)[:, -2 * SMALL.half :]
        for text in (SMALL, SMALL.drawn_anew(), replace(SMALL, seed=-1))
        for side in ("source", "target")
    ]
    for number, one in enumerate(drawn):
        assert not any(torch.equal(one, other) for other in drawn[:number])
    assert torch.equal(SMALL.ids_NP(OWN, "source"), drawn[0])


def test_a_decoder_finds_keys_in_its_past():
    # BOS a b c a b c: places 0 to 6.
    assert places(SMALL.keys(OWN, Kind.DECODER_SELF)) == {
        TextRole.PREVIOUS: {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5},
        TextRole.FIRST: {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0},
        TextRole.ITSELF: {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6},
        TextRole.DUPLICATE: {4: 1, 5: 2, 6: 3},
        TextRole.INDUCTION: {4: 2, 5: 3, 6: 4},
    }


def test_without_a_beginning_the_first_token_sees_nothing_but_itself_and_is_not_asked():
    # a b c a b c: places 0 to 5.
    assert places(SMALL.keys(WITHOUT_BEGIN, Kind.DECODER_SELF)) == {
        TextRole.PREVIOUS: {1: 0, 2: 1, 3: 2, 4: 3, 5: 4},
        TextRole.FIRST: {1: 0, 2: 0, 3: 0, 4: 0, 5: 0},
        TextRole.ITSELF: {1: 1, 2: 2, 3: 3, 4: 4, 5: 5},
        TextRole.DUPLICATE: {3: 0, 4: 1, 5: 2},
        TextRole.INDUCTION: {3: 1, 4: 2, 5: 3},
    }


def test_an_encoder_finds_duplicates_at_the_other_place():
    # [CLS] a b c a b c [SEP]: places 0 to 7, of which the special ones are no rows.
    text = replace(SMALL, specials=Specials(begins=(11,), ends=(13,)))
    found = places(text.keys(OWN, Kind.ENCODER_SELF))
    assert found[TextRole.DUPLICATE] == {1: 4, 2: 5, 3: 6, 4: 1, 5: 2, 6: 3}
    assert found[TextRole.INDUCTION] == {4: 2, 5: 3, 6: 4}
    assert found[TextRole.FIRST] == dict.fromkeys(range(1, 7), 0)
    # Alone, the first token is a row, too: it may see all.
    assert places(SMALL.keys(OWN, Kind.ENCODER_SELF))[TextRole.ITSELF] == {i: i for i in range(6)}


def test_an_even_row_gives_each_key_that_it_may_see_the_same():
    decoder = SMALL.keys(OWN, Kind.DECODER_SELF)[TextRole.INDUCTION]
    assert decoder.chance_R.tolist() == [1 / 5, 1 / 6, 1 / 7]
    text = replace(SMALL, specials=Specials(begins=(11,), ends=(13,)))
    encoder = text.keys(OWN, Kind.ENCODER_SELF)[TextRole.INDUCTION]
    assert encoder.chance_R.tolist() == [1 / 8] * 3


@pytest.mark.parametrize("kind", [Kind.ENCODER_SELF, Kind.DECODER_SELF])
def test_no_two_roles_ask_the_same_of_a_row_but_where_the_text_begins(kind):
    text = RepeatedTokens(half=3, specials=Specials(begins=(11,)))
    found = places(text.keys(OWN, kind))
    for role, of_role in found.items():
        for other in set(found) - {role}:
            both = {row for row, key in of_role.items() if found[other].get(row) == key}
            # The token before the first drawn one is the first of all.
            assert both <= {1}


def test_all_halves_are_of_drawn_tokens():
    first, second = SMALL.halves(OWN, "target")
    assert (first.tolist(), second.tolist()) == ([1, 2, 3], [4, 5, 6])


@pytest.mark.parametrize(("n", "half"), [(1, 3), (20, 32), (7, 300)])
def test_batches_are_of_bounded_size_and_together_all_sequences(n, half):
    text = RepeatedTokens(n_sequences=n, half=half)
    taken = [list(range(n))[rows] for rows in text.batches()]
    assert sum(taken, []) == list(range(n))
    assert all(len(each) == 1 or len(each) * 2 * half <= 512 for each in taken)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ({"half": 38}, "38 different tokens are needed, and the vocabulary has 37."),
        ({"half": 37}, "The sequences have 75 tokens, and the model has 60 positions."),
    ],
)
def test_what_does_not_fit_a_model_is_refused_in_a_sentence(text, why):
    with pytest.raises(ValueError) as refused:
        RepeatedTokens(**text).ids_NP(replace(OWN, max_positions=60), "target")
    assert str(refused.value) == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ({"half": 2}, "A half has 2 tokens; it needs at least 3."),
        ({"n_sequences": 0}, "At least one sequence is needed."),
    ],
)
def test_what_is_no_text_is_refused_in_a_sentence(text, why):
    with pytest.raises(ValueError) as refused:
        RepeatedTokens(**text)
    assert str(refused.value) == why


def test_specials_are_those_of_a_tokenizer(tokenizer):
    assert Specials.of(tokenizer) == Specials(frozenset({PAD, BOS, EOS}), (), (EOS,))
