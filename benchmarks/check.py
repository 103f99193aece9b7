"""`core.check` on planted bugs and on sound models: what it finds, names rightly, and alarms.

Run from the repository root: python -m benchmarks.check

Ten kinds of bugs, each planted in ten models: tiny ones of `transformers` with random weights, of
PyTorch, of this project, and written by hand. A bug is found if a fault of its kind is reported,
and named rightly if no other module is named. The sound models are those without a bug.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from transformers import logging

from core.check import Report, check
from core.check.report import Kind
from core.config import ModelConfig
from core.config.styles import STYLES
from core.model import build
from tests.core.check import planted
from tests.core.check.models import decoder, encoder_decoder, spread, torch_transformer
from tests.core.watch.random_models import MODELS, model_of

Made = tuple[nn.Module, Any, dict[str, Any]]
"""A model, its batch (None for random tokens), and options of `check`."""
BOTH = ("t5", "bart", "m2m-100", "pegasus", "marian", "mbart")
"""Encoder–decoders of `transformers`."""


def own(**settings: Any) -> Made:  # noqa: ANN401
    """Return a model of this project."""
    sizes = {"n_encoder_layers": 2, "n_decoder_layers": 2, "d_model": 24, "d_ff": 40, "n_heads": 4}
    config = ModelConfig(**{"vocab_size": 61, "dropout": 0.1, **sizes, **settings})
    return spread(build(config)), None, {}


OWN: dict[str, Callable[[], Made]] = {
    "decoder by hand": decoder,
    "decoder by hand, eager": lambda: decoder(fused=False),
    "encoder–decoder by hand": encoder_decoder,
    "encoder–decoder by hand, fused": lambda: encoder_decoder(fused=True),
    "nn.Transformer": torch_transformer,
    "nn.Transformer, length first": lambda: torch_transformer(batch_first=False),
    "ours": own,
    "ours, pre-norm": lambda: own(norm="pre"),
    "ours, as BERT": lambda: own(n_decoder_layers=0, **STYLES["bert"].settings),
    "ours, as GPT-2": lambda: own(n_encoder_layers=0, **STYLES["gpt2"].settings),
    "ours, as LLaMA": lambda: own(n_encoder_layers=0, **STYLES["llama"].settings),
    "ours, as T5": lambda: own(**STYLES["t5"].settings),
    "ours, averages": lambda: own(encoder_mixing="average", decoder_mixing="average"),
    "ours, convolutions": lambda: own(encoder_mixing="convolution", decoder_mixing="convolution"),
    "ours, parallel": lambda: own(decoder="parallel"),
    "ours, additive": lambda: own(scores="additive"),
}
WITHOUT_KERNEL = ("deberta-v2", "mpnet", "gpt-neo", "gpt-j", "gpt-oss", "bloom", "mpt", "gemma 2")
"""Models of `transformers` that only attend step by step."""
N_SOUND = 50
NO_TEXT = ("whisper", "vit", "detr")


def made(name: str) -> Made:
    """Return a model by its name; one of `transformers` with PyTorch's kernel after "fused "."""
    if name in OWN:
        return OWN[name]()
    kernel = "sdpa" if name.startswith("fused ") else "eager"
    return model_of(name.removeprefix("fused "), kernel), None, {}


@dataclass(frozen=True)
class Bug:
    """A kind of bug, and the models in which it is planted."""

    label: str
    kind: Kind
    plant: Callable[[nn.Module, str], None]
    """Plants it in a module of a model."""
    module: Callable[[nn.Module, list[str], int], str]
    """Returns in which, given the modules that attend and the number of the model."""
    names: tuple[str, ...]


def causal(_model: nn.Module, attending: list[str], number: int) -> str:
    """Return an attention that must not look ahead."""
    found = attending[2::2] if len(attending) == 6 else attending
    return found[number % len(found)]


def reading(_model: nn.Module, attending: list[str], number: int) -> str:
    """Return an attention of an encoder, or of the only stack."""
    found = attending[:2] if len(attending) == 6 else attending
    return found[number % len(found)]


def crossing(_model: nn.Module, attending: list[str], number: int) -> str:
    """Return a cross-attention."""
    return attending[3::2][number % 2]


def feed_forward(model: nn.Module, _attending: list[str], number: int) -> str:
    """Return a module that transforms each position by itself, of the last stack."""
    ends = ("mlp", "fc1", "ff", "feed_forward", "DenseReluDense", "linear1")
    found = [name for name, _ in model.named_modules() if name.endswith(ends)]
    return found[-1 - number % 2]


def positions(model: nn.Module, _attending: list[str], _number: int) -> str:
    """Return the module that is handed positions."""
    ends = ("wpe", "rotary_emb", "decoder.embed_positions")
    return next(name for name, _ in model.named_modules() if name.endswith(ends))


def _visible(change: Callable[[Tensor], Tensor]) -> Callable[[nn.Module, str], None]:
    return lambda model, module: planted.plant_visible(model, module, change)


def _weights(weigh: Callable[[Tensor], Tensor]) -> Callable[[nn.Module, str], None]:
    return lambda model, module: planted.plant_weights(model, module, weigh)


BUGS = (
    Bug(
        *("no causal mask in one layer", Kind.FUTURE, _visible(planted.sees_all), causal),
        ("gpt2", "fused llama 3", "fused opt", "bart", "fused t5", "decoder by hand")
        + ("nn.Transformer",),
    ),
    Bug(
        *("no causal mask in one layer", Kind.FUTURE, _weights(planted.weakly_masked), causal),
        ("mistral", "marian", "decoder by hand, eager"),
    ),
    Bug(
        *("causal mask off by one", Kind.FUTURE, _visible(planted.sees_one_ahead), causal),
        ("gpt-neox", "fused qwen 3", "phi", "gemma 2", "fused marian", "mbart", "ours")
        + ("encoder–decoder by hand", "nn.Transformer, length first", "ours, as LLaMA"),
    ),
    Bug(
        *("future outside attention", Kind.FUTURE, planted.plant_mean, feed_forward),
        ("gpt2", "llama 3", "decoder by hand", "t5", "ours, averages"),
    ),
    Bug(
        *("future outside attention", Kind.FUTURE, planted.plant_neighbour, feed_forward),
        ("qwen 3", "bart", "encoder–decoder by hand", "nn.Transformer", "ours, as GPT-2"),
    ),
    Bug(
        *("padding mask missing or inverted", Kind.PADDING, _visible(planted.sees_padding), causal),
        ("gpt2", "fused llama 3", "fused gpt-neox"),
    ),
    Bug(
        *("padding mask missing or inverted", Kind.PADDING, _visible(planted.sees_all), reading),
        ("bert", "fused roberta", "fused bart", "encoder–decoder by hand, fused"),
    ),
    Bug(
        *(
            "padding mask missing or inverted",
            Kind.PADDING,
            _visible(planted.sees_only_padding),
            reading,
        ),
        ("electra", "t5", "ours"),
    ),
    Bug(
        *("source padding mask missing", Kind.SOURCE_PADDING, _visible(planted.sees_all), crossing),
        ("t5", "fused bart", "m2m-100", "fused pegasus", "marian", "mbart", "nn.Transformer")
        + ("encoder–decoder by hand", "encoder–decoder by hand, fused", "ours, pre-norm"),
    ),
    Bug(
        *("cache", Kind.CACHE, _visible(planted.forgets_the_first), causal),
        ("gpt2", "fused llama 3", "fused qwen 2", "bart", "t5", "ours"),
    ),
    Bug(
        *("cache", Kind.CACHE, planted.plant_position, positions),
        ("gpt2", "qwen 3", "gpt-neox", "phi"),
    ),
    Bug(
        *("rows of weights", Kind.ROWS, _weights(planted.over_queries), causal),
        ("gpt2", "bart", "decoder by hand, eager"),
    ),
    Bug(
        *("rows of weights", Kind.ROWS, _weights(planted.masked_afterwards), reading),
        ("bert", "llama 3", "t5", "encoder–decoder by hand"),
    ),
    Bug(
        *("rows of weights", Kind.ROWS, _weights(planted.scaled_weights), reading),
        ("roberta", "mpt", "gpt-j"),
    ),
    Bug(
        *("dropout in evaluation", Kind.DROPOUT, planted.plant_dropout, reading),
        ("gpt2", "fused llama 3", "bert", "t5", "nn.Transformer"),
    ),
    Bug(
        *("dropout in evaluation", Kind.DROPOUT, planted.plant_dropout, feed_forward),
        ("mistral", "bart", "decoder by hand", "encoder–decoder by hand", "ours"),
    ),
    Bug(
        *("blind row", Kind.BLIND, _visible(planted.sees_only_before), causal),
        ("gpt2", "fused llama 3", "fused qwen 3", "opt", "bart", "fused t5", "ours")
        + ("decoder by hand", "encoder–decoder by hand", "nn.Transformer"),
    ),
)


def planted_bugs() -> Iterator[tuple[str, Kind, str, str, Callable[[], Report]]]:
    """Yield label, kind, the model's name, the module at fault, and what reports."""
    for bug in BUGS:
        for number, name in enumerate(bug.names):
            model, batch, more = made(name)
            module = bug.module(model, planted.attending(model, batch, **more), number)
            bug.plant(model, module)
            yield bug.label, bug.kind, name, module, partial(check, model, batch, **more)
    for name, model, batch, more in planted.wrong_labels(made):
        report = partial(check, model, batch, **more)
        yield "labels", Kind.LABELS, name, type(model).__name__, report


def sound() -> Iterator[tuple[str, Made]]:
    """Yield fifty models without a bug."""
    texts = [name for name in MODELS if name not in NO_TEXT]
    fused = [f"fused {name}" for name in texts if name not in WITHOUT_KERNEL]
    names = [*OWN, *fused, *WITHOUT_KERNEL, *BOTH]
    yield from ((name, made(name)) for name in names[:N_SOUND])


def main() -> None:
    """Print a table by kind, and each bug that is missed and each alarm."""
    logging.set_verbosity_error()
    torch.set_num_threads(1)
    rows: dict[str, list[tuple[bool, bool]]] = {}
    for label, kind, name, module, report in planted_bugs():
        found = report()
        is_found = any(fault.kind is kind for fault in found.faults)
        is_right = is_found and {fault.module for fault in found.faults} == {module}
        rows.setdefault(label, []).append((is_found, is_right))
        if not is_right:
            print(f"missed: {label} in {name}, {module}\n{found}", flush=True)
    n_alarms = 0
    for name, (model, batch, more) in sound():
        found = check(model, batch, **more)
        n_alarms += not found.ok
        if not found.ok:
            print(f"alarm: {name}\n{found}", flush=True)
    print(f"{'bug':36}{'planted':>9}{'found':>9}{'named':>9}")
    for label, results in [*rows.items(), ("all", sum(rows.values(), []))]:
        n_found, n_right = (sum(column) for column in zip(*results, strict=True))
        print(f"{label:36}{len(results):9}{n_found:9}{n_right:9}")
    print(f"alarms on sound models: {n_alarms} of {N_SOUND}")


if __name__ == "__main__":
    main()
