import json
import struct

import gguf
import numpy as np
import pytest
import sentencepiece
import torch

from core.decoding.sentence import translate
from core.library import gguf as module
from core.library.checkpoint import OpeningError
from core.library.gguf import read_gguf
from core.library.tokenizer import tokenizer_files
from core.runs.run import load_run
from core.studies.opening.opening import open_model
from core.studies.opening.survey import survey
from core.tokenizer.fast_tokenizer import FILE, FastTokenizer
from tests.core.library import folders
from tests.core.library.folders import STRANGE, TEXTS
from tests.core.library.random_models import drawn, told, weights

SIZES = {"hidden_size": 32, "intermediate_size": 64, "num_key_value_heads": 2}


def metas(name, tensor, sizes):
    """Return queries and keys with neighbouring dimensions in pairs, as GGUF has them."""
    if "q_proj" not in name and "k_proj" not in name:
        return tensor
    heads = sizes["num_attention_heads" if "q_proj" in name else "num_key_value_heads"]
    return tensor.view(heads, 2, -1, tensor.shape[1]).transpose(1, 2).reshape(tensor.shape)


def ggufs(name):
    """Return what GGUF calls a weight of a LLaMA folder."""
    fixed = {
        "model.embed_tokens.weight": "token_embd.weight",
        "model.norm.weight": "output_norm.weight",
        "lm_head.weight": "output.weight",
    }
    if name in fixed:
        return fixed[name]
    _, _, layer, *rest = name.split(".")
    parts = {
        **{"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output"},
        **{"gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down"},
        **{"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"},
    }
    return f"blk.{layer}.{parts[rest[-2]]}.{rest[-1]}"


def write(path, model, more=None, fast=None):
    """Write a LLaMA; with a byte-level tokenizer, if one is given."""
    sizes, writer = told(model), gguf.GGUFWriter(path, "llama")
    if fast is not None:
        numbers = fast.get_vocab()
        writer.add_tokenizer_model("gpt2")
        writer.add_token_list(sorted(numbers, key=numbers.get))
        writer.add_token_merges(merges_of(fast))
        writer.add_chat_template("{% for each in messages %}Q: {{ each.content }} A:{% endfor %}")
    writer.add_block_count(sizes["num_hidden_layers"])
    writer.add_context_length(sizes["max_position_embeddings"])
    writer.add_embedding_length(sizes["hidden_size"])
    writer.add_feed_forward_length(sizes["intermediate_size"])
    writer.add_head_count(sizes["num_attention_heads"])
    writer.add_head_count_kv(sizes["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(sizes["rms_norm_eps"])
    writer.add_rope_freq_base(sizes["rope_parameters"]["rope_theta"])
    writer.add_vocab_size(sizes["vocab_size"])
    for name, tensor in {**weights(model), **(more or {})}.items():
        values = metas(name, tensor, sizes).numpy()
        writer.add_tensor(name if name in (more or {}) else ggufs(name), values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def llama():
    return drawn("llama", **SIZES)


@pytest.mark.slow
def test_a_file_is_opened_as_a_run_that_writes_on(tmp_path):
    fast = folders.byte_level()
    model = drawn("llama", vocab_size=fast.get_vocab_size(), **SIZES)
    file = write(tmp_path / "small.gguf", model, fast=fast)
    list(open_model(str(file), tmp_path / "run"))
    run = load_run(tmp_path / "run")
    assert (run.settings.chat.before, run.settings.chat.after) == ("Q: ", " A:")
    found = translate(run, TEXTS[0])
    given = list(found.fed_ids[: found.n_given + 1])
    assert given == fast.encode(TEXTS[0]).ids
    made = model.generate(
        torch.tensor([given]),
        max_new_tokens=4,
        min_new_tokens=4,
        do_sample=False,
        bad_words_ids=[[each] for each in run.model.config.never_said] or None,
    )
    assert made[0].tolist() == [*given, *found.target_ids[found.n_given :]][: len(given) + 4]


@pytest.mark.parametrize("at", [0, 8, 300, 9000])
def test_a_file_that_ends_early_is_refused_in_a_sentence(llama, tmp_path, at):
    file = write(tmp_path / "small.gguf", llama)
    whole = file.read_bytes()
    assert at < len(whole)
    file.write_bytes(whole[:at])
    with pytest.raises(OpeningError, match=r"small\.gguf cannot be read as GGUF: .+"):
        read_gguf(file)


def header(n_tensors, n_settings, rest=b""):
    return b"GGUF" + struct.pack("<IQQ", 3, n_tensors, n_settings) + rest


def named(name):
    return struct.pack("<Q", len(name)) + name.encode()


def array(of, n):
    return struct.pack("<IIQ", gguf.GGUFValueType.ARRAY, of, n)


BYTE, ARRAY = gguf.GGUFValueType.UINT8, gguf.GGUFValueType.ARRAY
MUCH = module.MOST_VALUES + 1


@pytest.mark.parametrize(
    "content",
    [
        header(0, 1, named("a") + array(BYTE, 2**60)),
        header(0, 1, named("a") + array(BYTE, 2**60) + bytes(8)),
        header(0, 1, named("a") + array(ARRAY, 2**60) + array(BYTE, 2**60)[4:] * 3),
        header(0, 1, named("a") + array(BYTE, MUCH) + bytes(MUCH)),
        header(0, 2**63),
        header(2**63, 0),
        header(0, 1, struct.pack("<Q", 2**62) + b"a"),
        header(1, 0, named("a") + struct.pack("<IQIQ", 1, 2**50, 0, 0)),
        header(1, 0, named("a") + struct.pack("<I", 2**32 - 1)),
    ],
    ids=lambda content: repr(content[16:60]),
)
def test_a_file_that_says_it_is_larger_than_it_is_is_refused_at_once(tmp_path, content):
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    for read in (read_gguf, module.gguf_tokenizer, survey):
        with pytest.raises(OpeningError, match="cannot be read"):
            read(path)


def test_weights_that_are_said_to_lie_in_one_place_are_refused(tmp_path):
    path = tmp_path / "model.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    for name in "abcd":
        writer.add_tensor(name, np.zeros((64, 64), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    content = bytearray(path.read_bytes())
    for name in "bcd":
        # Behind the name: how many axes, two sizes, the kind, the place.
        at = content.index(named(name)) + len(named(name)) + 4 + 2 * 8 + 4
        content[at : at + 8] = bytes(8)
    path.write_bytes(content[: -3 * 64 * 64 * 4])
    with pytest.raises(OpeningError, match="lies in another weight"):
        read_gguf(path)


@pytest.mark.parametrize("place", [(1 << 64) - 32, 1 << 20])
def test_a_weight_that_is_said_to_lie_where_none_are_is_refused(llama, tmp_path, place):
    path = write(tmp_path / "small.gguf", llama)
    content = bytearray(path.read_bytes())
    at = content.index(named("output_norm.weight")) + len(named("output_norm.weight")) + 4 + 8 + 4
    content[at : at + 8] = place.to_bytes(8, "little")
    path.write_bytes(content)
    with pytest.raises(OpeningError, match="its weights are larger than it is"):
        read_gguf(path)


def test_positions_that_are_scaled_are_refused(llama, tmp_path):
    factors = {"rope_freqs.weight": torch.ones(4)}
    with pytest.raises(OpeningError, match="scales its positions"):
        read_gguf(write(tmp_path / "small.gguf", llama, more=factors))


# A typed special token is the special token, as llama.cpp reads it.
TYPED = [text for text in [*TEXTS, *STRANGE] if text.strip() and "</s>" not in text]
NORMAL, UNKNOWN, CONTROL, BYTE_TOKEN = 1, 2, 3, 6


def write_tokenizer(path, kind, tokens, types, **more):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model(kind)
    if tokens:
        writer.add_token_list(tokens)
        writer.add_token_types(types)
    for name, value in more.items():
        getattr(writer, f"add_{name}")(value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def tokenizer(file, n):
    return FastTokenizer(tokenizer_files(file, {}, n)[FILE].decode(), n)


def merges_of(fast):
    return [" ".join(pair) for pair in json.loads(fast.to_str())["model"]["merges"]]


def byte_level(path, pre="gpt-2", **more):
    fast = folders.byte_level()
    numbers = fast.get_vocab()
    tokens = sorted(numbers, key=numbers.get)
    types = [CONTROL if token == "<|endoftext|>" else NORMAL for token in tokens]
    given = {"token_merges": merges_of(fast), "tokenizer_pre": pre} | more
    return write_tokenizer(path, "gpt2", tokens, types, **given), len(tokens), fast


def by_scores(path, **more):
    content = folders.spm(
        "bpe",
        256 + 3 + folders.WORDS,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=content)
    n = model.get_piece_size()
    kinds = [
        UNKNOWN
        if model.is_unknown(at)
        else CONTROL
        if model.is_control(at)
        else BYTE_TOKEN
        if model.is_byte(at)
        else NORMAL
        for at in range(n)
    ]
    scores = [model.get_score(at) for at in range(n)]
    ids = {"bos_token_id": 1, "eos_token_id": 2}
    tokens = [model.id_to_piece(at) for at in range(n)]
    return (
        write_tokenizer(path, "llama", tokens, kinds, token_scores=scores, **ids | more),
        n,
        model,
    )


def test_bytes_are_put_together_as_in_the_tokenizer_that_was_written(tmp_path):
    file, n, fast = byte_level(tmp_path / "m.gguf")
    found = tokenizer(file, n)
    for text in (*TEXTS, *STRANGE):
        assert list(found.encode(text).ids) == fast.encode(text).ids, text
    assert found.specials == {fast.token_to_id("<|endoftext|>"): "<|endoftext|>"}
    assert found.begins == ()


def test_pieces_with_scores_are_those_that_sentencepiece_finds(tmp_path):
    file, n, model = by_scores(tmp_path / "m.gguf")
    found = tokenizer(file, n)
    for text in (text for text in TYPED if "  " not in text):
        assert list(found.encode(text).ids) == model.encode(text), text
        assert found.decode(found.encode(text).ids) == text
    assert found.begins == (1,)


@pytest.mark.parametrize(
    ("kind", "tokens", "merges", "sentence"),
    [
        ("gpt2", [], [], "cannot be read"),
        ("wpm", ["a"], [], "'wpm'"),
        ("gpt2", ["a"], ["x y"], "cannot be read"),
    ],
)
def test_a_tokenizer_that_is_not_known_is_refused(tmp_path, kind, tokens, merges, sentence):
    types = [NORMAL] * len(tokens)
    more = {"token_merges": merges} if merges else {}
    file = write_tokenizer(tmp_path / "m.gguf", kind, tokens, types, **more)
    with pytest.raises(OpeningError, match=sentence):
        tokenizer(file, 10)


def test_a_text_that_is_cut_in_an_unknown_way_is_refused(tmp_path):
    file, n, _ = byte_level(tmp_path / "m.gguf", pre="nonesuch")
    with pytest.raises(OpeningError, match="cuts texts as 'nonesuch'"):
        tokenizer(file, n)
