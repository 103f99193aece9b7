"""What it costs to encode a sentence: a recurrent network word by word, a Transformer all at once.

Run from the repository root: python -m benchmarks.encoding

Encoders of the size `small` (three layers, d_model 128) on one sentence of n tokens and one thread.
Printed are the steps that have to wait for one another (each position of each recurrent layer, in
a Transformer each layer), milliseconds (the fastest of 5), and how many times as long the recurrent
encoder takes. Steps that do not wait are the fewer products with larger matrices, even on one
thread; a device with many units does them at the same time.
"""

import time
from dataclasses import replace

import torch
from torch import Tensor

from core.config import ModelConfig
from core.model import Transformer, build
from core.training.presets import PRESETS

LENGTHS = (4, 8, 16, 32, 64, 128, 256, 512)
ATTENTION = replace(PRESETS["small"].model, max_positions=max(LENGTHS))
RECURRENT = replace(ATTENTION, encoder_mixing="gru", positions="none")


def main() -> None:
    """Measure every length and print a table."""
    torch.set_num_threads(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    kinds = {"GRU": RECURRENT, "attention": ATTENTION}
    models = {name: build(config).eval().to(device) for name, config in kinds.items()}
    print(f"{'n':>6}" + "".join(f"{name:>32}" for name in kinds) + f"{'GRU / attention':>18}")
    for n in LENGTHS:
        source_BS = torch.randint(3, 300, (1, n), generator=torch.Generator().manual_seed(n))
        found = {name: fastest(each, source_BS.to(device)) for name, each in models.items()}
        cells = "".join(
            f"{waiting(kinds[name], n):>14,} steps {1e3 * seconds:8.2f} ms"
            for name, seconds in found.items()
        )
        print(f"{n:>6}{cells}{found['GRU'] / found['attention']:16.2f} ×", flush=True)


def waiting(config: ModelConfig, n: int) -> int:
    """Return how many steps of an encoder have to wait for one another."""
    return config.n_encoder_layers * (1 if config.encoder_mixing == "attention" else n)


@torch.inference_mode()
def fastest(model: Transformer, source_BS: Tensor) -> float:
    """Return the seconds of encoding, the fastest of 5."""
    taken = []
    for _ in range(5):
        started = time.perf_counter()
        # To the processor and back: until then nothing is sure to be done.
        model.encode(source_BS).cpu()
        taken.append(time.perf_counter() - started)
    return min(taken)


if __name__ == "__main__":
    main()
