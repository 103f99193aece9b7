"""A multilingual model translates to the language whose token is forced, as in `transformers`."""

from dataclasses import replace

import pytest
import torch

from core.batch import Pair, collate
from core.decoding.beam import Beam
from core.decoding.generate import decode
from core.decoding.many import translate_all
from core.decoding.sentence import model_input, translate
from core.evaluate.evaluation import pairs_of
from core.evaluate.metrics import measure
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.opening.opening import open_model
from core.tasks.task import Sample
from tests.core.library.folders import write_multilingual

TEXT = "The animal did not cross the street."


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A model of `transformers`, and its run."""
    folder = tmp_path_factory.mktemp("languages")
    theirs = write_multilingual(folder / "model")
    list(open_model(str(folder / "model"), folder / "run"))
    return theirs, load_run(folder / "run")


@pytest.mark.slow
def test_the_makers_language_is_the_default_and_another_can_be_chosen(opened):
    theirs, run = opened
    assert set(run.languages) == {"fra_Latn", "deu_Latn"}
    assert run.forced_id == run.languages["fra_Latn"]
    for number in run.languages.values():
        asked = replace(run, forced_id=number)
        found = translate(asked, TEXT)
        made = theirs.generate(
            torch.tensor([found.source_ids]),
            max_new_tokens=len(found.written_ids) + 1,
            forced_bos_token_id=number,
            do_sample=False,
            num_beams=1,
            bad_words_ids=[[each] for each in run.model.config.never_said] or None,
        )[0].tolist()
        assert (*found.fed_ids[:2], *found.written_ids) == tuple(made)
        [[line]] = translate_all(asked, [TEXT])
        assert line.text == found.text
        [[line]] = translate_all(asked, [TEXT], beam=3)
        given = model_input(asked, TEXT)
        steps = decode(run.model, given.source_ids, Beam(3), prompt=given.prompt)
        assert line.text == run.target_tokenizer.decode(step.chosen for step in steps)


def test_the_language_is_fed_and_is_no_word_of_the_translation(opened):
    _, run = opened
    found = inspect_sentence(run, TEXT)
    assert found.fed_tokens[1].text == "fra_Latn"
    assert "fra_Latn" not in "".join(word.span.of(found.translation.text) for word in found.written)
    assert found.translation.n_given == 1


def test_held_out_pairs_are_measured_in_the_language_that_is_written(opened):
    _, run = opened
    texts = [TEXT, "The capital of France is Paris."]
    written = [translate(run, text).text for text in texts]
    samples = [Sample(*both) for both in zip(texts, written, strict=True)]
    pairs = pairs_of(run, samples)
    assert [pair.target[1] for pair in pairs] == [run.forced_id] * 2
    found = measure(run.model, pairs, run.tokenizer)
    own = [translate(run, text).written_ids for text in texts]
    assert found.exact_match == sum(map(Pair.is_right, pairs, own)) / 2
    assert set(collate(pairs, run.model.config.pad_id).labels_BT[:, 0].tolist()) == {
        run.model.config.pad_id
    }
