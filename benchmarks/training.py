"""Training: ours against `torch.nn.Transformer` in a plain loop, in one run.

    python -m benchmarks.training

Both have the same sizes, batch, dropout, loss and Adam, and learn English → French. The plain loop
draws its batches as sentences come and pads each to its longest, as tutorials do; a second row
gives it our batches of similar length, so that what is gained outside the model is told apart.
Tokens are target tokens without padding. A row is the median of 10 rounds, in which all take turns.
"""

import itertools
import math
import random
import time
from collections.abc import Callable, Iterator
from statistics import median

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from core.batch import Batch, collate, encode_samples
from core.config import ModelConfig
from core.config.training import Precision, TrainConfig
from core.evaluate.loss import token_loss
from core.model import Record, Transformer, build
from core.model.positional import sinusoids
from core.tasks import TASKS
from core.training.batches import training_batches
from core.training.loop import make_optimizer, train
from core.training.prepare import train_tokenizer
from core.vocabulary import PAD

ROUNDS = 10
TASK = TASKS["translate"]
VOCABULARY = 1500
WIDTH = 512
"""Of the square matrices by which the machine is measured."""
SIZES = {
    "d_model 128, 3 + 3 layers, batch 64": (128, 512, 4, 3, 64, 6),
    "d_model 512, 6 + 6 layers, batch 32": (512, 2048, 8, 6, 32, 1),
}
"""d_model, d_ff, heads, layers of each stack, pairs in a batch, batches in a round."""


class Plain(nn.Module):
    """`torch.nn.Transformer` between embeddings and an output layer that share one matrix."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.d_model
        self.tokens = nn.Embedding(config.vocab_size, width)
        self.body = nn.Transformer(
            width,
            config.n_heads,
            config.n_encoder_layers,
            config.n_decoder_layers,
            config.d_ff,
            config.dropout,
            batch_first=True,
        )
        self.dropout = nn.Dropout(config.dropout)
        self.register_buffer("positions", sinusoids(config.max_positions, width))
        nn.init.normal_(self.tokens.weight, std=width**-0.5)

    def forward(self, source_BS: Tensor, target_BT: Tensor) -> Tensor:
        """Return logits_BTV."""
        ahead_TT = torch.ones(target_BT.shape[1], target_BT.shape[1], dtype=torch.bool).triu(1)
        decoded_BTD = self.body(
            self._embedded(source_BS),
            self._embedded(target_BT),
            tgt_mask=ahead_TT,
            src_key_padding_mask=source_BS == PAD,
            tgt_key_padding_mask=target_BT == PAD,
            memory_key_padding_mask=source_BS == PAD,
        )
        return decoded_BTD @ self.tokens.weight.T

    def _embedded(self, ids_BK: Tensor) -> Tensor:
        width = self.tokens.embedding_dim
        placed = self.tokens(ids_BK) * math.sqrt(width) + self.positions[: ids_BK.shape[1]]
        return self.dropout(placed)


def plain_loop(config: ModelConfig, training: TrainConfig) -> Callable[[list[Batch]], None]:
    """Return a function that takes a step a batch, as a plain loop does."""
    torch.manual_seed(0)
    model = Plain(config).train()
    optimizer = torch.optim.Adam(
        model.parameters(), 1e-4, betas=training.adam_betas, eps=training.adam_eps
    )

    def learn(batches: list[Batch]) -> None:
        for batch in batches:
            optimizer.zero_grad()
            logits_BTV = model(batch.source_BS, batch.fed_BT)
            loss = token_loss(logits_BTV, batch.labels_BT, training.label_smoothing)
            loss.backward()
            optimizer.step()
            loss.item()

    return learn


def our_loop(config: ModelConfig, training: TrainConfig) -> Callable[[list[Batch]], None]:
    """Return a function that takes a step a batch, as a run does."""
    torch.manual_seed(0)
    model: Transformer = build(config)
    optimizer = make_optimizer(model, training)

    def learn(batches: list[Batch]) -> None:
        for _ in train(model, optimizer, batches, training):
            pass

    return learn


def compared(name: str) -> None:
    """Print one size's rows."""
    width, hidden, n_heads, n_layers, n_pairs, n_batches = SIZES[name]
    tokenizer = train_tokenizer(TASK, VOCABULARY, seed=0)
    config = ModelConfig(
        tokenizer.vocab_size, n_layers, n_layers, width, hidden, n_heads, dropout=0.1
    )
    loops = {
        "torch.nn.Transformer, plain loop": (plain_loop(config, _training()), False),
        "torch.nn.Transformer, our batches": (plain_loop(config, _training()), True),
        "ours": (our_loop(config, _training()), True),
    }
    # Elsewhere they take twice as long.
    if torch.cpu._is_avx512_bf16_supported():
        loops["ours, products in bfloat16"] = (our_loop(config, _training("bfloat16")), True)
    ours = training_batches(TASK, tokenizer, TrainConfig(batch_size=n_pairs))
    drawn = _as_they_come(tokenizer, n_pairs)
    seconds: dict[str, list[float]] = {loop: [] for loop in loops}
    tokens: dict[str, list[int]] = {loop: [] for loop in loops}
    work: dict[str, list[float]] = {loop: [] for loop in loops}
    for turn in range(ROUNDS + 1):
        sorted_ones = list(itertools.islice(ours, n_batches))
        plain_ones = list(itertools.islice(drawn, n_batches))
        for loop, (learn, is_sorted) in loops.items():
            batches = sorted_ones if is_sorted else plain_ones
            started = time.perf_counter()
            learn(batches)
            if turn:  # the first one warms up
                seconds[loop].append(time.perf_counter() - started)
                tokens[loop].append(sum(batch.n_tokens for batch in batches))
                work[loop].append(sum(_multiply_adds(config, batch) for batch in batches))
    _print(name, seconds, tokens, work)


def _print(
    name: str,
    seconds: dict[str, list[float]],
    tokens: dict[str, list[int]],
    work: dict[str, list[float]],
) -> None:
    peak = multiply_adds_per_second()
    print(f"\n{name}; this machine multiplies and adds {peak / 1e9:.0f} × 10⁹ times a second")
    rates = {
        loop: [n / s for n, s in zip(tokens[loop], seconds[loop], strict=True)] for loop in seconds
    }
    first, second = list(rates)[:2]
    print(f"{'':36}{'tokens/s':>10}{'× plain':>9}{'× same batches':>16}{'of the peak':>13}")
    for loop, found in rates.items():
        ratios = [
            median(ours / theirs for ours, theirs in zip(found, rates[other], strict=True))
            for other in (first, second)
        ]
        share = median(w / s / peak for w, s in zip(work[loop], seconds[loop], strict=True))
        print(f"{loop:36}{median(found):10,.0f}{ratios[0]:9.2f}{ratios[1]:16.2f}{share:12.0%}")


def multiply_adds_per_second() -> float:
    """Measure how fast this machine computes matrix products in float32, with all its threads."""
    left, right = torch.ones(WIDTH, WIDTH), torch.ones(WIDTH, WIDTH)
    seconds = []
    for _ in range(7):
        started = time.perf_counter()
        torch.mm(left, right)
        seconds.append(time.perf_counter() - started)
    # What else runs on the machine can only make a product slower.
    return WIDTH**3 / min(seconds)


def _training(precision: Precision = "float32") -> TrainConfig:
    return TrainConfig(steps=10**9, precision=precision)


def _as_they_come(tokenizer: object, n_pairs: int) -> Iterator[Batch]:
    samples = TASK.training_samples(random.Random(1))
    while True:
        yield collate(encode_samples(tokenizer, list(itertools.islice(samples, n_pairs))))


def _multiply_adds(config: ModelConfig, batch: Batch) -> float:
    """Return the multiply-adds of a step: of a forward pass three times, padding included."""
    # The probe has attention computed step by step, whose products are counted.
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        build(config)(*batch.inputs, Record())
    return 3 * counter.get_total_flops() / 2


if __name__ == "__main__":
    for size in SIZES:
        compared(size)
