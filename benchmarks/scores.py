"""What scores cost as a sentence grows: dot products, linear attention, a small network.

Run from the repository root: python -m benchmarks.scores

One layer of self-attention of an encoder (d_model 96, 4 heads), forward and backward, on one
sentence of n tokens and one thread. Printed are milliseconds, the fastest of 5, and how many times
as long as at half of the length: 2 where time grows with the length, 4 where with its square.
Linear attention is also compared with dot products.
"""

import time

import torch
from torch import Tensor

from core.choices import Scores
from core.config import ModelConfig
from core.heads import Site
from core.model.attention import MultiHeadAttention

LENGTHS = (128, 256, 512, 1024, 2048, 4096)
MOST_PAIRS = 1024
"""Tokens beyond which the small network, which has d_k hidden units for each pair, is left out."""
KINDS: tuple[Scores, ...] = ("dot", "linear", "additive")


def main() -> None:
    """Measure every length and print a table."""
    torch.set_num_threads(1)
    before: dict[Scores, float] = {}
    print(f"{'n':>6}" + "".join(f"{kind:>20}" for kind in KINDS) + f"{'linear / dot':>15}")
    for n in LENGTHS:
        x_BKD = torch.randn(1, n, 96, generator=torch.Generator().manual_seed(n))
        found = {
            kind: fastest(kind, x_BKD) for kind in KINDS if kind != "additive" or n <= MOST_PAIRS
        }
        cells = "".join(
            f"{1e3 * found[kind]:10.1f} ms {growth(found[kind], before.get(kind)):>6}"
            if kind in found
            else f"{'–':>20}"
            for kind in KINDS
        )
        print(f"{n:>6}{cells}{found['linear'] / found['dot']:13.2f} ×", flush=True)
        before = found


def growth(seconds: float, before: float | None) -> str:
    """Return how many times as long it takes as at half of the length."""
    return "" if before is None else f"{seconds / before:.1f} ×"


def fastest(kind: Scores, x_BKD: Tensor) -> float:
    """Return the seconds of a pass and its gradients, the fastest of 5."""
    config = ModelConfig(3, d_model=96, n_heads=4, scores=kind)
    attention = MultiHeadAttention(config, Site("encoder", 0, "self"))
    taken = []
    for _ in range(5):
        started = time.perf_counter()
        attention(x_BKD, attention.keys_values(x_BKD), None, None).square().sum().backward()
        taken.append(time.perf_counter() - started)
    return min(taken)


if __name__ == "__main__":
    main()
