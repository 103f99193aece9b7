"""Folders as `transformers` writes them: a tiny random model, and a tokenizer learned here."""

import io
import json
from functools import cache

import sentencepiece
import tokenizers
from tokenizers import AddedToken, models, normalizers, pre_tokenizers, trainers

from tests.core.library.random_models import BOTH, DECODER, ENCODER, MODELS, drawn

TEXTS = [
    "The animal did not cross the street because it was too tired.",
    "The capital of France is Paris, and that of Italy is Rome.",
    "L'été dernier, nous n'avons pas traversé la rue où il dormait.",
    "tokenization, retokenizing and tokens 12 345 (678): what is it?",
]
STRANGE = [
    *("", " ", "a", "  two  spaces ", "tab\there", "line\nend", "naïve café", "cafe\u0301"),
    *("日本語", "🎉 ok", "don't I'll", "ALL CAPS", "123 4567", "[MASK] street", "</s> street"),
    *("ﬁne ½", "x" * 120, "street street", "…and — so", "\u200bzero", "The\u00a0street"),
]
WORDS = 120
"""Tokens of a vocabulary that is learned from TEXTS, bytes not counted."""


@cache
def spm(kind="unigram", size=WORDS, **more):
    """Return a SentencePiece model."""
    found = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 8),
        model_writer=found,
        model_type=kind,
        vocab_size=size,
        hard_vocab_limit=False,
        minloglevel=2,
        **more,
    )
    return found.getvalue()


def pieces(content):
    model = sentencepiece.SentencePieceProcessor(model_proto=content)
    return [model.id_to_piece(number) for number in range(model.get_piece_size())]


@cache
def word_piece():
    """Return the lines of a vocab.txt."""
    fast = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    fast.normalizer = normalizers.BertNormalizer()
    fast.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    fast.train_from_iterator(
        TEXTS, trainers.WordPieceTrainer(vocab_size=WORDS, special_tokens=specials)
    )
    numbers = fast.get_vocab()
    return sorted(numbers, key=numbers.get)


def byte_level():
    """Return a byte-level BPE as GPT-2 has it."""
    fast = tokenizers.Tokenizer(models.BPE())
    fast.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=256 + WORDS,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    fast.train_from_iterator(TEXTS, trainer)
    return fast


def write_bert(path):
    (path / "vocab.txt").write_text("".join(f"{word}\n" for word in word_piece()))
    return len(word_piece())


def write_gpt2(path):
    fast = byte_level()
    fast.model.save(str(path))
    return fast.get_vocab_size()


def write_json(path):
    """Write a tokenizer.json of LLaMA 3's kind."""
    fast = byte_level()
    fast.add_special_tokens([AddedToken("<|begin|>", special=True)])
    fast.save(str(path / "tokenizer.json"))
    return fast.get_vocab_size()


def write_llama(path):
    as_it_is = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    content = spm("bpe", 256 + 3 + WORDS, byte_fallback=True, **as_it_is)
    (path / "tokenizer.model").write_bytes(content)
    (path / "tokenizer_config.json").write_text('{"tokenizer_class": "LlamaTokenizer"}')
    return len(pieces(content))


def write_t5(path):
    content = spm(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    (path / "spiece.model").write_bytes(content)
    return len(pieces(content)) + 100 + 28


def write_marian(path):
    source, target = spm(), spm("bpe")
    (path / "source.spm").write_bytes(source)
    (path / "target.spm").write_bytes(target)
    names = ["</s>", "<unk>"]
    texts = dict.fromkeys([*names, ">>fra<<", *pieces(source)[3:], *pieces(target)[3:], "<pad>"])
    numbers = {text: number for number, text in enumerate(texts)}
    (path / "vocab.json").write_text(json.dumps(numbers))
    return len(numbers)


def write_folder(path, name="gpt2"):
    """Write a whole folder, and return the model in it."""
    path.mkdir(parents=True, exist_ok=True)
    writers = {
        **{"bert": write_bert, "bert without a head": write_bert, "gpt2": write_gpt2},
        **{"llama": write_llama, "llama3": write_json, "t5": write_t5, "marian": write_marian},
    }
    size = writers[name](path)
    more = {"vocab_size": size}
    if name == "marian":
        more |= {"decoder_vocab_size": size, "pad_token_id": size - 1}
        more |= {"decoder_start_token_id": size - 1}
    model = drawn(name, **more)
    model.save_pretrained(path)
    return model


def write_tiny(path, label, **more):
    """Write a whole folder, and return the model in it."""
    path.mkdir(parents=True)
    _, stacks, _ = MODELS[label]
    write = {DECODER: write_json, ENCODER: write_bert, BOTH: write_t5}[stacks]
    name = {DECODER: "PreTrainedTokenizerFast", ENCODER: "BertTokenizer", BOTH: "T5Tokenizer"}
    about = {"tokenizer_class": name[stacks]}
    (path / "tokenizer_config.json").write_text(json.dumps(about))
    model = drawn(label, vocab_size=write(path), **more)
    model.save_pretrained(path)
    return model


def write_multilingual(path):
    """Write a model that translates to French unless another language is chosen, and return it."""
    path.mkdir(parents=True)
    write_json(path)
    fast = tokenizers.Tokenizer.from_file(str(path / "tokenizer.json"))
    fast.add_special_tokens([AddedToken(name, special=True) for name in ("fra_Latn", "deu_Latn")])
    fast.save(str(path / "tokenizer.json"))
    # What some other seeds write is longer, tokenized again, than the positions.
    model = drawn("Bart", seed=1, vocab_size=fast.get_vocab_size())
    model.save_pretrained(path)
    about = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (path / "tokenizer_config.json").write_text(json.dumps(about))
    default = {"forced_bos_token_id": fast.token_to_id("fra_Latn")}
    (path / "generation_config.json").write_text(json.dumps(default))
    return model
