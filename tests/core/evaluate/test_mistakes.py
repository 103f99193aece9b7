import pytest

from core.decoding.choosing import Greedy
from core.evaluate.mistakes import telling_mistake, wrong_tokens
from core.evaluate.side_by_side import decode_sentence
from core.inspection import inspect_sentence

TIRED = "The animal didn't cross the street because it was too tired."


def test_what_is_written_after_a_mistake_is_what_decoding_with_it_writes(guided):
    inspection = inspect_sentence(guided, TIRED)
    free = decode_sentence(guided, inspection, Greedy())
    found = telling_mistake(guided, inspection, free)
    steps = decode_sentence(guided, inspection, Greedy(), ((found.step, found.token),))
    assert found.written == tuple(step.chosen for step in steps)
    assert found.n_lost > 0
    assert found.probability == pytest.approx(float(free[found.step].probabilities[found.token]))


def test_a_wrong_token_reads_otherwise_than_the_right_one_and_does_not_end_the_text(guided):
    decode, ends = guided.target_tokenizer.decode, guided.model.config.eos_ids
    for step in decode_sentence(guided, inspect_sentence(guided, TIRED), Greedy()):
        read = {decode([token]).strip() for token in wrong_tokens(guided, step)}
        assert not read & {"", decode([step.chosen]).strip()}
        assert not set(wrong_tokens(guided, step)) & set(ends)
