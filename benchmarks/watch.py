"""What `watch` sees of many models, beside eager attention, and what it costs.

Run from the repository root: python -m benchmarks.watch

Models with random weights: tiny ones of `transformers`, with the fused kernel where they have it,
and some written by hand. For each:

- the largest difference between the weights and those of eager attention, or those that a model
  written by hand keeps,
- whether `generate` writes the same tokens while it is watched,
- the largest difference in the output between silencing a head of the last attention, and setting
  its columns of the output projection to 0; what silencing it changes at most stands behind it,
- the processor time of a watched pass over that of a plain one, with 4 layers of width 384, as in
  small models that are in use, and 2 × 60 tokens; those written by hand stay as tiny as they are.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from transformers import logging

from core.watch import Silence, watch
from tests.core.watch.random_models import MASKED, MODELS, inputs_of, model_of
from tests.core.watch.written_by_hand import KINDS, drawn, kept_weights

ATTENTIONS = ("encoder_attentions", "attentions", "decoder_attentions", "cross_attentions")
PROJECTIONS = ("o_proj", "out_proj", "c_proj", "dense", "out_lin", "o", "Wo", "W_o", "to_out")
"""What models call what follows the heads, in the module that attends or beside it."""
GREEDY = {"do_sample": False, "max_new_tokens": 8, "min_new_tokens": 8}
ROUNDS = 15


@dataclass(frozen=True)
class Subject:
    """A model, what it is called with, and what is known of it."""

    name: str
    kernel: str
    model: nn.Module
    forward: Callable[[nn.Module], Tensor]
    maps: Sequence[Tensor]
    """The weights_BHQK of all its attentions, in any order."""


def main() -> None:
    """Print the table."""
    logging.set_verbosity_error()
    print(
        f"{'model':18}{'kernel':8}{'weights':>9}{'tokens':>8}{'silenced':>10}{'of':>9}{'time':>7}"
    )
    ratios = []
    for name in MODELS:
        kernel, model = of_transformers(name)
        _, larger = of_transformers(name, width=384, n_layers=4)
        inputs, many = inputs_of(name), inputs_of(name, length=60)
        subject = Subject(name, kernel, model, lambda m, i=inputs: m(**i)[0], eager_maps(name))
        ratios.append(ratio(larger, lambda m, i=many: m(**i)[0]))
        print_row(subject, same_tokens(name, model), ratios[-1])
    print(f"median of the time: {statistics.median(ratios):.2f}, most {max(ratios):.2f}")
    for kind in KINDS:
        model, inputs = drawn(kind)
        forward = lambda m, i=inputs: first(m(*i))  # noqa: E731
        maps = list(kept_weights(model, *inputs).values())
        subject = Subject(kind.__name__, "by hand", model, forward, maps)
        print_row(subject, "-", ratio(model, forward))


def print_row(subject: Subject, tokens: str, time_ratio: float) -> None:
    """Print what was measured of one model."""
    with torch.no_grad():
        silenced, effect = silencing(subject)
        weights = difference(subject)
    print(
        f"{subject.name:18}{subject.kernel:8}{weights:9.1e}{tokens:>8}"
        f"{silenced:>10}{effect:>9}{time_ratio:7.2f}",
        flush=True,
    )


def of_transformers(name: str, **sizes: int) -> tuple[str, nn.Module]:
    """Return a model with the fused kernel if it has one, and the kernel's name."""
    try:
        return "sdpa", model_of(name, "sdpa", **sizes)
    except ValueError:
        return "eager", model_of(name, "eager", **sizes)


def eager_maps(name: str) -> list[Tensor]:
    """Return the weights that `transformers` gives itself."""
    with torch.no_grad():
        output = model_of(name, "eager")(**inputs_of(name), output_attentions=True)
    return [each for attribute in ATTENTIONS for each in getattr(output, attribute, None) or ()]


def difference(subject: Subject) -> float:
    """Return the largest difference of the weights that are seen; infinite if some are not."""
    with watch(subject.model) as seen:
        subject.forward(subject.model)
    weights = [call.weights_BHQK for each in seen.values() for call in each.calls]
    if subject.kernel == "by hand":
        weights = [each.calls[-1].weights_BHQK for each in seen.values()]
    if len(weights) != len(subject.maps):
        return float("inf")
    return max(
        min(float((ours - each).abs().max()) for each in subject.maps if each.shape == ours.shape)
        for ours in weights
    )


def same_tokens(name: str, model: nn.Module) -> str:
    """Return whether greedy decoding writes the same tokens while it is watched."""
    if MODELS[name][0] is MASKED or name in ("vit", "detr"):
        return "-"
    inputs = {key: value for key, value in inputs_of(name).items() if "decoder" not in key}
    plain = model.generate(**inputs, **GREEDY)
    with watch(model):
        watched = model.generate(**inputs, **GREEDY)
    return "same" if torch.equal(plain, watched) else "OTHER"


def silencing(subject: Subject) -> tuple[str, str]:
    """Return what silencing differs by from setting columns to 0, and what it changes."""
    model, plain = subject.model, subject.forward(subject.model)
    with watch(model) as seen:
        subject.forward(model)
    name = list(seen)[-1]
    projection = projection_of(model, name)
    if projection is None:
        return "-", "-"
    with watch(model, changes=[Silence(name, 1)]):
        silenced = subject.forward(model)
    width = seen[name].mixed_BHQE.shape[3]
    weight = projection.weight
    kept = weight.clone()
    # A convolution of width 1, as GPT-2 has it, holds its matrix the other way round.
    columns = weight.T if type(projection).__name__ == "Conv1D" else weight
    columns[:, width : 2 * width] = 0.0
    without = subject.forward(model)
    weight.copy_(kept)
    return f"{(silenced - without).abs().max():.1e}", f"{(silenced - plain).abs().max():.1e}"


def projection_of(model: nn.Module, name: str) -> nn.Module | None:
    """Return the output projection of an attention, or None where there is none."""
    attention = model.get_submodule(name)
    parent = model.get_submodule(name.rpartition(".")[0])
    beside = getattr(parent, "output", parent)
    for module in (attention, beside):
        for each in PROJECTIONS:
            if hasattr(module, each):
                return getattr(module, each)
    return attention.linears[-1] if hasattr(attention, "linears") else None


def ratio(model: nn.Module, forward: Callable[[nn.Module], Tensor]) -> float:
    """Return the time of a watched pass over that of a plain one: the median of pairs in turn."""
    pairs = [
        (timed(model, forward, watched=True), timed(model, forward, watched=False))
        for _ in range(ROUNDS + 1)
    ][1:]
    return statistics.median(watched / plain for watched, plain in pairs)


def timed(model: nn.Module, forward: Callable[[nn.Module], Tensor], *, watched: bool) -> float:
    """Return the seconds of processor time of one pass."""
    with watch(model) if watched else nullcontext(), torch.no_grad():
        start = time.process_time()
        forward(model)
        return time.process_time() - start


def first(output: Tensor | tuple[Tensor, ...]) -> Tensor:
    """Return the first of several outputs."""
    return output[0] if isinstance(output, tuple) else output


if __name__ == "__main__":
    main()
