import math

import pytest

from core.decoding.generate import decode_steps
from core.decoding.marked_words import written_words
from core.decoding.sentence import model_input
from core.inspection import inspect_sentence
from core.runs.run import load_run
from tests.core.conftest import GALLERY


def marked(inspection):
    text = inspection.translation.text
    return [word.span.of(text) for word in inspection.written if word.is_doubtful]


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("He forgot to close the window.", ["attendre"]),
        ("It has been raining since Monday.", ["plu", "depuis", "Miné", "Mondres"]),
        ("The trophy didn't fit into the suitcase because it was too big.", ["formé", "dans"]),
        # No letter is marked of what is known well.
        ("The animal didn't cross the street because it was too tired.", []),
        ("I love you.", []),
    ],
)
def test_words_of_which_the_model_is_not_sure_are_marked(everyday, sentence, words):
    assert marked(inspect_sentence(everyday, sentence)) == words


@pytest.mark.parametrize("sentence", ["He photographed Schwarzenegger yesterday.", "Where is it?"])
def test_a_word_is_as_probable_as_its_tokens_where_they_are_decoded(everyday, sentence):
    """Token after token with keys and values kept, not in the one pass that records the maps."""
    steps = list(decode_steps(everyday.model, model_input(everyday, sentence).source_S))
    chosen = [step.chosen for step in steps[:-1]]
    chances: dict[int, float] = {}
    for step, token in zip(steps, everyday.tokenizer.describe(chosen), strict=False):
        log_p_V = step.logits_V.double().log_softmax(dim=-1)
        chances[token.word] = chances.get(token.word, 0.0) + float(log_p_V[step.chosen])
    texts = everyday.tokenizer.word_texts(chosen)
    wanted = [math.exp(chances[at]) for at, text in enumerate(texts) if text[0].isalnum()]
    found = [word.probability for word in inspect_sentence(everyday, sentence).written]
    assert found == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize(
    ("sentence", "unseen"),
    [
        ("A rose has thorns on its stem.", {"des": "thorns", "trous": "thorns", "état": "stem"}),
        ("Tom was caught speeding.", {"discuter": "speeding"}),
        ("What's your GPA?", {"bandien": "GPA"}),
        ("I love you.", {}),
    ],
)
def test_words_that_come_from_a_word_never_seen_name_it(everyday, sentence, unseen):
    inspection = inspect_sentence(everyday, sentence)
    text = inspection.translation.text
    found = {word.span.of(text): word.unseen for word in inspection.written if word.unseen}
    assert unseen.items() <= found.items()
    assert set(found.values()) == set(unseen.values())


@pytest.mark.parametrize(("name", "target"), [("parallel", None), ("everyday", "Je suis là.")])
def test_nothing_is_marked_where_no_word_is_the_models_own_next_one(name, target):
    assert inspect_sentence(load_run(GALLERY / name), "a b c d e f", target).written == ()


@pytest.mark.parametrize(
    ("text", "spans"),
    [("L'été !", ["L'", "été"]), ("la la, la", ["la", "la", "la"]), ("?", [])],
)
def test_words_have_their_places_and_signs_alone_are_none(everyday, text, spans):
    ids = everyday.tokenizer.encode(text).ids
    found = written_words(everyday.tokenizer, ids, [0.5] * len(ids))
    assert [word.span.of(everyday.tokenizer.decode(ids)) for word in found] == spans
    starts = [word.span.start for word in found]
    assert starts == sorted(set(starts))
