"""Texts that come in and go out."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decoding.generate import decode_steps
from core.decoding.sentence import (
    ModelInput,
    SentenceError,
    fitting_source,
    model_input,
    read_written,
    reference_ids,
    target_as_translation,
    translate,
)
from core.model import build
from core.runs.run import load_run
from core.vocabulary import BOS, EOS

TEXTS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=150).map(" ".join)


@given(TEXTS, st.booleans())
def test_a_source_ends_with_eos_and_has_no_more_tokens_than_the_model_positions(
    copy_run, text, truncates_left
):
    whole = (*copy_run.tokenizer.encode(text).ids, EOS)
    longest = copy_run.settings.model.max_positions
    ids, cut = fitting_source(replace(copy_run, truncates_left=truncates_left), text)
    assert cut == (len(whole) > longest)
    assert len(ids) == min(len(whole), longest)
    assert ids[-1] == EOS
    assert ids == whole[-len(ids) :] if truncates_left else ids[:-1] == whole[: len(ids) - 1]


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_a_text_without_words_is_refused(copy_run, text):
    for reader in (fitting_source, translate):
        with pytest.raises(SentenceError, match="no text"):
            reader(copy_run, text)
    with pytest.raises(SentenceError, match="no text"):
        target_as_translation(copy_run, text, "a")


@pytest.fixture(scope="module")
def talking(copy_run):
    """A run that was never trained: it hardly ever says EOS."""
    return replace(copy_run, model=build(copy_run.settings.model, seed=3).eval())


def test_a_translation_is_what_the_greedy_steps_write(talking):
    found = translate(talking, "  d a   f ")
    assert found.source == "d a f"
    assert len(found.target_ids) > 3
    assert found.fed_ids == (BOS, *found.target_ids)
    assert found.text == talking.tokenizer.decode(found.target_ids)
    given = ModelInput(found.source_ids, (BOS,), cut=False)
    steps = decode_steps(talking.model, given.source_S)
    assert read_written(talking, given, tuple(step.chosen for step in steps)) == found


@pytest.mark.parametrize("written", [(), (5,), (5, 6)])
def test_only_what_ends_with_eos_is_a_finished_translation(talking, written):
    begun = read_written(talking, ModelInput((5, EOS), (BOS,), cut=True), written)
    assert (begun.target_ids, begun.finished, begun.cut) == (written, False, True)
    whole = read_written(talking, ModelInput((5, EOS), (BOS,), cut=False), (*written, EOS))
    assert whole == replace(begun, finished=True, cut=False, written_ids=(*written, EOS))


@given(TEXTS)
def test_a_given_target_is_taken_as_far_as_the_model_can_be_fed_it(copy_run, target):
    found = target_as_translation(copy_run, "a b", target)
    ids = copy_run.tokenizer.encode(target).ids
    longest = copy_run.settings.model.max_positions
    assert found.finished == (1 + len(ids) <= longest)
    assert found.target_ids == tuple(ids[: longest - 1])
    assert len(found.fed_ids) <= longest
    assert (found.source, found.cut) == ("a b", False)


@pytest.mark.parametrize(
    ("prompt", "reference"), [("The capital of France is", "Paris."), ("it", "was"), ("a", ", b")]
)
def test_a_reference_after_a_prompt_is_split_as_the_whole_text_is(opened_path, prompt, reference):
    run = load_run(opened_path("gpt2"))
    found = model_input(run, prompt)
    space = "" if reference.startswith(",") else " "
    whole = run.tokenizer.encode(f"{prompt}{space}{reference}").ids
    assert (*found.prompt, *reference_ids(run, found, reference)) == whole
    assert reference_ids(run, found, "") == ()
