"""What `watch` sees and costs on a GPU.

Run from the repository root: python -m benchmarks.on_gpu [DEVICE]

DEVICE is "cuda", or "cpu" without the figures of the GPU. Models with random weights, width 384,
four layers, 16 × 120 tokens or 16 images, in 32 bits and in bfloat16. For each:

- the largest difference of the weights from those of eager attention on the same device,
- whether `generate` writes the same tokens while it is watched,
- where the weights are: they stay on the device,
- how often a watched pass waits for the GPU more than a plain one does: a copy to the host waits,
- the time of a watched pass over that of a plain one, median of alternating pairs,
- megabytes that are kept of a pass, and with the weights of all heads, once they are asked for.

A model that fails has a line with the error, and the others follow.
"""

import statistics
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain

import torch
from torch import Tensor, nn
from transformers import logging

from benchmarks.watch import ATTENTIONS, GREEDY, of_transformers
from core.watch import Watch, watch
from tests.core.watch.random_models import SPREAD, inputs_of, model_of

NAMES = ("gpt2", "qwen 2", "bart", "t5", "vit")
WIDTH, LAYERS, TOKENS, REPEATED = 384, 4, 120, 8
WRITTEN = 16
"""Tokens of the prompt from which a model writes on."""
ROUNDS = 15


@dataclass(frozen=True)
class Subject:
    """A model on the device, what it is called with, and the weights of eager attention."""

    model: nn.Module
    inputs: Mapping[str, Tensor]
    eager: Callable[[], list[Tensor]]
    prompt: Mapping[str, Tensor] | None
    """What it writes on from; None for a model that writes nothing."""

    def __call__(self) -> object:
        """Run a pass."""
        return self.model(**self.inputs)


def main(device: str) -> None:
    """Print the table."""
    logging.set_verbosity_error()
    on_gpu = torch.device(device).type == "cuda"
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name() if on_gpu else 'cpu'}")
    print(
        f"{'model':16}{'bits':>9}{'weights':>9}{'tokens':>8}{'on':>6}{'waits':>7}{'time':>7}"
        f"{'kept':>8}{'in all':>8}"
    )
    for name in (*NAMES, "nn.Transformer"):
        for dtype in (torch.float32, torch.bfloat16):
            try:
                line = figures(subject_of(name, device, dtype), on_gpu)
            # One that fails holds up none of the others.
            except Exception as error:
                line = f"  failed: {type(error).__name__}: {error}".partition("\n")[0]
            print(f"{name:16}{str(dtype).removeprefix('torch.'):>9}{line}", flush=True)


@torch.no_grad()
def figures(subject: Subject, on_gpu: bool) -> str:
    """Return what was measured of one model as the rest of its line."""
    subject()
    with watch(subject.model):
        subject()
    more = waits(subject, watched=True) - waits(subject, watched=False) if on_gpu else "-"
    before = kept(on_gpu)
    with watch(subject.model) as seen:
        subject()
    of_pass = kept(on_gpu) - before
    difference, places = compared(seen, subject.eager())
    in_all = kept(on_gpu) - before
    return (
        f"{difference:9.1e}{same_tokens(subject):>8}{places:>6}{more:>7}"
        f"{ratio(subject, on_gpu):7.2f}{of_pass:8.1f}{in_all:8.1f}"
    )


def subject_of(name: str, device: str, dtype: torch.dtype) -> Subject:
    """Return a model on the device."""
    if name == "nn.Transformer":
        return of_torch(device, dtype)
    inputs = on_device(inputs_of(name, length=TOKENS), device, dtype, REPEATED)
    prompt = on_device(inputs_of(name, length=WRITTEN), device, dtype)
    _, model = of_transformers(name, width=WIDTH, n_layers=LAYERS)

    def eager() -> list[Tensor]:
        beside = softened(model_of(name, "eager", width=WIDTH, n_layers=LAYERS))
        found = beside.to(device, dtype)(**inputs, output_attentions=True)
        return list(chain.from_iterable(getattr(found, each, None) or () for each in ATTENTIONS))

    source = {key: value for key, value in prompt.items() if "decoder" not in key}
    model = softened(model).to(device, dtype)
    return Subject(model, inputs, eager, None if name == "vit" else source)


def softened(model: nn.Module) -> nn.Module:
    """Return a model whose random weights are small for its width.

    Else a head's weight is all on one token, and the slightest rounding moves it to another.
    """
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.mul_(1 / (2 * SPREAD * WIDTH**0.5))
    return model


def on_device(
    inputs: Mapping[str, Tensor], device: str, dtype: torch.dtype, repeated: int = 1
) -> dict[str, Tensor]:
    """Return inputs on the device, as a larger batch, real numbers in the model's precision."""
    return {
        name: (value.to(dtype) if value.is_floating_point() else value)
        .repeat(repeated, *[1] * (value.dim() - 1))
        .to(device)
        for name, value in inputs.items()
    }


def of_torch(device: str, dtype: torch.dtype) -> Subject:
    """Return torch's own encoder and decoder, whose weights its attentions return when asked."""
    torch.manual_seed(0)
    model = nn.Transformer(WIDTH, 4, LAYERS, LAYERS, 2 * WIDTH, batch_first=True).eval()
    model = model.to(device, dtype)
    vectors = torch.randn(2, 16, TOKENS, WIDTH, device=device, dtype=dtype)
    causal = nn.Transformer.generate_square_subsequent_mask(TOKENS, device=device, dtype=dtype)

    def eager() -> list[Tensor]:
        found: list[Tensor] = []
        asked = {"need_weights": True, "average_attn_weights": False}
        hooks = [
            hook
            for module in model.modules()
            if isinstance(module, nn.MultiheadAttention)
            for hook in (
                module.register_forward_pre_hook(
                    lambda _, args, given: (args, given | asked), with_kwargs=True
                ),
                module.register_forward_hook(lambda *call: found.append(call[2][1])),
            )
        ]
        # The fused path of a whole layer calls no attention.
        with torch.enable_grad():
            model(**inputs)
        for hook in hooks:
            hook.remove()
        return found

    inputs = {"src": vectors[0], "tgt": vectors[1], "tgt_mask": causal}
    return Subject(model, inputs, eager, None)


def compared(seen: Watch, maps: list[Tensor]) -> tuple[float, str]:
    """Return the largest difference from the closest map, infinite if one is missing, and where."""
    ours = [call.weights_BHQK for each in seen.values() for call in each.calls]
    places = {weights.device.type for weights in ours}
    if len(ours) != len(maps):
        return float("inf"), "/".join(places)
    differences = [
        min(float((each - weights).abs().max()) for each in maps if each.shape == weights.shape)
        for weights in ours
    ]
    return max(differences), "/".join(places)


def same_tokens(subject: Subject) -> str:
    """Return whether greedy decoding writes the same tokens while it is watched."""
    if subject.prompt is None:
        return "-"
    plain = subject.model.generate(**subject.prompt, **GREEDY)
    with watch(subject.model):
        watched = subject.model.generate(**subject.prompt, **GREEDY)
    return "same" if torch.equal(plain, watched) else "OTHER"


def waits(subject: Subject, *, watched: bool) -> int:
    """Return how often a pass waits for the GPU."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        with watch(subject.model) if watched else nullcontext():
            subject()
        torch.cuda.set_sync_debug_mode("default")
    return sum("synchroniz" in str(each.message) for each in found)


def ratio(subject: Subject, on_gpu: bool) -> float:
    """Return the time of a watched pass over that of a plain one."""
    pairs = [[timed(subject, on_gpu, watched) for watched in (True, False)] for _ in range(ROUNDS)]
    return statistics.median(watched / plain for watched, plain in pairs[1:])


def timed(subject: Subject, on_gpu: bool, watched: bool) -> float:
    """Return the seconds of one pass, until the GPU has done it."""
    with watch(subject.model) if watched else nullcontext():
        start = time.perf_counter()
        subject()
        if on_gpu:
            torch.cuda.synchronize()
        return time.perf_counter() - start


def kept(on_gpu: bool) -> float:
    """Return the megabytes that are in use on the GPU."""
    return torch.cuda.memory_allocated() / 1e6 if on_gpu else float("nan")


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["cuda"]))
