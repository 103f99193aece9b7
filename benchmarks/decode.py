"""Tokens per second of greedy decoding, beside Hugging Face Marian of the same sizes.

Run from the repository root: python -m benchmarks.decode

One sentence of 32 tokens, 3 + 3 layers, d_model 128, 8 heads, vocabulary 1,000, fresh weights, and
exactly so many new tokens; both decode greedily with kept keys and values, in turn, in one process.
Needs requirements-bench.txt.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial

import torch
from transformers import MarianConfig, MarianMTModel

from core.config import ModelConfig
from core.decoding.step import Stepper
from core.model import build
from core.vocabulary import BOS, EOS

ROUNDS, WARM_UP = 10, 2
LENGTHS = (16, 64, 256)
SOURCE, VOCABULARY, WIDTH, FEED_FORWARD, HEADS, LAYERS = 32, 1000, 128, 512, 8, 3
TARGET = 3.5


def main() -> None:
    """Measure all lengths and print them as a table."""
    torch.manual_seed(0)
    source_1S = torch.randint(3, VOCABULARY, (1, SOURCE))
    ours, marian = build(our_config()).eval(), MarianMTModel(marian_config()).eval()
    print(f"{'tokens':>7}{'ours/s':>10}{'Marian/s':>10}{'ratio':>8}{'ms/token':>10}   ≥ {TARGET} ×")
    for n in LENGTHS:
        run_ours = partial(write, ours, source_1S, n)
        run_marian = partial(generate, marian, source_1S, n)
        pairs = [(seconds(run_ours), seconds(run_marian)) for _ in range(WARM_UP + ROUNDS)][
            WARM_UP:
        ]
        own, other = (statistics.median(times) for times in zip(*pairs, strict=True))
        ratio = statistics.median(theirs / mine for mine, theirs in pairs)
        speeds = f"{n / own:>10.0f}{n / other:>10.0f}"
        print(f"{n:>7}{speeds}{ratio:>8.2f}{1000 * own / n:>10.3f}", flush=True)


def our_config() -> ModelConfig:
    """The sizes, for our model."""
    return ModelConfig(
        VOCABULARY, LAYERS, LAYERS, WIDTH, FEED_FORWARD, HEADS, dropout=0.0, max_positions=512
    )


def marian_config() -> MarianConfig:
    """The same sizes for Marian."""
    return MarianConfig(
        vocab_size=VOCABULARY,
        d_model=WIDTH,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=FEED_FORWARD,
        decoder_ffn_dim=FEED_FORWARD,
        max_position_embeddings=512,
        pad_token_id=0,
        bos_token_id=BOS,
        eos_token_id=EOS,
        decoder_start_token_id=BOS,
        forced_eos_token_id=None,
    )


def write(model: torch.nn.Module, source_1S: torch.Tensor, n: int) -> None:
    """Write exactly `n` tokens, EOS or not."""
    stepper = Stepper(model, source_1S)
    token_11 = torch.tensor([[BOS]])
    for _ in range(n):
        token_11 = stepper.feed(token_11).argmax(dim=-1, keepdim=True)


def generate(model: MarianMTModel, source_1S: torch.Tensor, n: int) -> None:
    """Let Marian write exactly `n` tokens."""
    with torch.inference_mode():
        model.generate(
            input_ids=source_1S, min_new_tokens=n, max_new_tokens=n, num_beams=1, do_sample=False
        )


def seconds(run: Callable[[], None]) -> float:
    """Time one run."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
