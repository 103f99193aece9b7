import pytest

from core.decoding.sentence import translate
from core.heads import Head
from core.runs.run import load_run
from core.studies.lessons.embeddings import sentence_vectors
from core.studies.lessons.layers import sentence_lens, sentence_stream
from core.studies.lessons.masks import MASKS, padded_batch, without_masks
from core.studies.lessons.sublayers import sentence_mixing, sentence_units
from tests.core.conftest import GALLERY

SENTENCE = "The cat slept."


@pytest.fixture(scope="module", params=["translate", "gpt2", "bert"])
def run(request, one_stack_folder):
    """Models of two stacks, of a decoder alone and of an encoder alone."""
    in_gallery = request.param == "translate"
    return load_run(GALLERY / "translate" if in_gallery else one_stack_folder(request.param))


def test_every_row_of_a_table_names_its_tokens(run):
    written, stack = translate(run, SENTENCE), run.model.config.stacks[-1]
    ids = written.source_ids if stack == "encoder" else written.fed_ids
    tokenizer = run.tokenizer if stack == "encoder" else run.target_tokenizer
    texts = [token.text for token in tokenizer.describe(ids)]
    for lesson in (sentence_stream, sentence_lens, sentence_units):
        table = lesson(run, SENTENCE, stack).table()
        assert {len(column) for column in table.values()} == {len(table["position"])}
        named = [None if at is None else texts[at] for at in table["position"]]
        assert table["position_token"] == named
    vectors = sentence_vectors(run, SENTENCE, stack).table()
    assert set(vectors["row_token"]) == set(vectors["column_token"]) == set(texts)
    mixing = sentence_mixing(run, SENTENCE, 0).table()
    assert len(mixing["row_token"]) == len(mixing["self_attention"])


def test_what_leaks_without_a_mask_stands_below_the_weights(run):
    head = Head(run.model.sites()[0], 0)
    batch = padded_batch(run, ("it", SENTENCE))
    off = [mask for mask in MASKS if mask.attention is head.kind and mask not in batch.missing]
    found = without_masks(run, batch, head, 0, off)
    table, after = found.table(), found.result.after
    assert table["weight_without"][: after.weights_QK.size] == after.weights_QK.reshape(-1).tolist()
    assert table["without"][-2:] == ["", ", ".join(f"{each.attention}:{each.name}" for each in off)]
    assert table["leak_to_future"][-1] == after.leak.future
    assert {len(column) for column in table.values()} == {after.weights_QK.size + 2}
