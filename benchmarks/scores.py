"""What scores cost as a sentence grows: dot products, linear attention, a small network.

Run from the repository root: python -m benchmarks.scores

One layer of self-attention of an encoder (d_model 96, 4 heads), forward and backward, on one
sentence of n tokens and one thread. Printed are milliseconds, the fastest of 5, and how many times
as long as at half of the length: 2 where time grows with the length, 4 where with its square.
Linear attention is also compared with dot products.

Then the same of memory: by how many megabytes a process of its own grows in a forward pass without
gradients. The fused kernel of dot products never holds all n² weights at once; whoever wants to see
them (“dot, seen”) does.
"""

import multiprocessing
import resource
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import cast

import torch
from torch import Tensor

from core.config import ModelConfig
from core.config.choices import Scores
from core.heads import Site
from core.model import Record
from core.model.attention import MultiHeadAttention

LENGTHS = (128, 256, 512, 1024, 2048, 4096)
MOST_PAIRS = 1024
"""Tokens beyond which the small network, which has d_k hidden units for each pair, is left out."""
KINDS: tuple[Scores, ...] = ("dot", "linear", "additive")
SEEN = "dot, seen"


def main() -> None:
    """Measure every length and print two tables."""
    torch.set_num_threads(1)
    _table("ms", [*KINDS], lambda kind, n: 1e3 * fastest(kind, _sentence(n)))
    print()
    _table("MB", [*KINDS, SEEN], megabytes)


def _table(unit: str, kinds: list[str], measure: Callable[[str, int], float]) -> None:
    print(f"{'n':>6}" + "".join(f"{kind:>20}" for kind in kinds) + f"{'linear / dot':>15}")
    before: Mapping[str, float] = {}
    for n in LENGTHS:
        found = {kind: measure(kind, n) for kind in kinds if kind != "additive" or n <= MOST_PAIRS}
        cells = "".join(
            f"{found[kind]:10.1f} {unit} {growth(found[kind], before.get(kind)):>6}"
            if kind in found
            else f"{'–':>20}"
            for kind in kinds
        )
        print(f"{n:>6}{cells}{found['linear'] / found['dot']:13.2f} ×", flush=True)
        before = found


def _sentence(n: int) -> Tensor:
    """Return x_1KD of n random tokens."""
    return torch.randn(1, n, 96, generator=torch.Generator().manual_seed(n))


def _attention(kind: str) -> MultiHeadAttention:
    scores = cast(Scores, "dot" if kind == SEEN else kind)
    config = ModelConfig(3, d_model=96, n_heads=4, scores=scores)
    return MultiHeadAttention(config, Site("encoder", 0, "self"))


def megabytes(kind: str, n: int) -> float:
    """Return by how much a new process grows in one pass."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as process:
        return process.submit(_grown, kind, n).result()


@torch.inference_mode()
def _grown(kind: str, n: int) -> float:
    torch.set_num_threads(1)
    attention, probe = _attention(kind), Record() if kind == SEEN else None
    # What is loaded at the first pass is there before.
    for length in (2, n):
        x_1KD = _sentence(length)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        attention(x_1KD, attention.keys_values(x_1KD), None, probe)
    return max(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 1) / 1024


def growth(amount: float, before: float | None) -> str:
    """Return how many times as much it is as at half of the length."""
    return "" if before is None else f"{amount / before:.1f} ×"


def fastest(kind: str, x_BKD: Tensor) -> float:
    """Return the seconds of a pass and its gradients, the fastest of 5."""
    attention, taken = _attention(kind), []
    for _ in range(5):
        started = time.perf_counter()
        attention(x_BKD, attention.keys_values(x_BKD), None, None).square().sum().backward()
        taken.append(time.perf_counter() - started)
    return min(taken)


if __name__ == "__main__":
    main()
