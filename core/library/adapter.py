"""A model of the library as the rest of the house uses it: the interface of our `Transformer`.

Its layers and attentions are wrapped (`tracing.wrap`): what a probe sees of a pass are the steps
that the library's own code computes, and what it returns the library goes on with. The model may
compute on a GPU: everything that goes in or comes out, the steps included, is on the CPU.

B batch, S source length, T target length, K positions of either stack, D model width, V vocabulary.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, Self, TypeVar, cast

import torch
from torch import Tensor, nn

from ..config import ModelConfig
from ..heads import Kind, Site, Stack
from ..model import Cache, Probe, Step, Transformer
from ..model.layers import Layer
from ..model.masks import padding_mask
from ..model.positional import Embedding
from ..model.probe import hook_of, unchanged
from .calls import Calls
from .structure import LayerPlan, Structure
from .tracing import AttentionSteps, ResidualSums, Run, Tracing

Made = TypeVar("Made")
_ENCODER, _DECODER = (kind.stack for kind in (Kind.ENCODER_SELF, Kind.DECODER_SELF))


class LibraryModel(Transformer):
    """A model that the `transformers` library runs."""

    def __init__(self, config: ModelConfig, calls: Calls, structure: Structure) -> None:
        """Take a model whose modules `find_structure` has wrapped."""
        nn.Module.__init__(self)
        self.config = config
        self.calls = calls
        self.structure = structure
        self.library = calls.model
        self.pointer = self.length = self.output_transform = None
        self._tables = {stack: calls.embedding_of(stack).weight.detach() for stack in config.stacks}
        output = calls.model.get_output_embeddings() if calls.has_output else None
        self._output = output and SimpleNamespace(
            weight=output.weight.detach(),
            bias=None if output.bias is None else output.bias.detach(),
        )

    def compute_on(self, device: torch.device) -> Self:
        """Move the model to a device. The tables of tokens and W^O are kept on the CPU, too."""
        self.library.to(device)
        return self

    @property
    def device(self) -> torch.device:
        """Device of what goes in and comes out."""
        return torch.device("cpu")

    def forward(
        self, source_BS: Tensor | None, target_BT: Tensor | None, probe: Probe | None = None
    ) -> Tensor:
        """Return logits_BTV, or what an encoder alone makes; see `Transformer.forward`."""
        if source_BS is None:
            assert target_BT is not None
            return self.decode(target_BT, None, None, probe)
        visible_B1S = padding_mask(source_BS, self.config.pad_id)
        if target_BT is None:
            filling_in = partial(self.calls.fill_in, source_BS, visible_B1S[:, 0])
            return self._probed(_ENCODER, probe, filling_in)
        return self.decode(target_BT, self.encode(source_BS, probe), visible_B1S, probe)

    def encode(self, source_BS: Tensor, probe: Probe | None = None) -> Tensor:
        """Return memory_BSD; see `Transformer.encode`."""
        visible_BS = padding_mask(source_BS, self.config.pad_id)[:, 0]
        return self._probed(_ENCODER, probe, partial(self.calls.encode, source_BS, visible_BS))

    def decode(
        self,
        target_BT: Tensor,
        memory_BSD: Tensor | None,
        visible_B1S: Tensor | None,
        probe: Probe | None = None,
        cache: Cache | None = None,
        source_BS: Tensor | None = None,
    ) -> Tensor:
        """Return logits_BTV; see `Transformer.decode`."""
        visible_BS = None if visible_B1S is None else visible_B1S[:, 0]
        given = (target_BT, memory_BSD, visible_BS)
        if cache is None:
            return self._probed(_DECODER, probe, lambda: self.calls.decode(*given)[0])
        decoding = partial(self.calls.decode, *given, cache.past, keeps=True)
        logits_BTV, cache.past = self._probed(_DECODER, probe, decoding)
        cache.length += target_BT.shape[1]
        return logits_BTV

    def logits(self, x_BTD: Tensor, visible_BTK: Tensor | None = None) -> Tensor:
        """Return logits_BTV for the decoder's stream after a layer: all that comes after the last.

        The library computes it: of one token, whose layers give way to the stream.
        """
        with _Skipping(self.structure.plans[_DECODER], x_BTD):
            return _shaped(self._decode_one(), x_BTD)

    def output_input(self, x_BKD: Tensor) -> Tensor:
        """Return what the output matrix multiplies, for a stream after its last layer."""
        given: list[Tensor] = []
        output = self.library.get_output_embeddings()
        hook = output.register_forward_pre_hook(lambda _module, args: given.append(args[0]))
        with hook, _Skipping(self.structure.plans[_DECODER], x_BKD):
            self._decode_one()
        return _shaped(given[0].cpu(), x_BKD)

    def _decode_one(self) -> Tensor:
        one_11 = torch.zeros((1, 1), dtype=torch.long, device=self.device)
        memory_11D = None
        if self.config.is_encoder_decoder:
            memory_11D = torch.zeros((1, 1, self.config.d_model), device=self.device)
        return self.calls.decode(one_11, memory_11D, None)[0]

    def _probed(self, stack: Stack, probe: Probe | None, passing: Callable[[], Made]) -> Made:
        """Run one stack, and hand its steps to a probe."""
        if probe is None:
            return passing()
        with _Probing(self.structure, stack, probe):
            return passing()

    def sites(self) -> tuple[Site, ...]:
        """Return every attention sublayer's site: encoder self, decoder self, cross."""
        sites = [block.site for layer in self.layers() for block, _ in layer.blocks()]
        found = [site for site in sites if site.is_attention]
        return tuple(sorted(found, key=lambda site: list(Kind).index(site.attention)))

    def layers(self) -> tuple[Layer, ...]:
        """Return all layers; only the sites of their sublayers are known."""
        outputs = self.structure.outputs_HED
        return tuple(
            cast(Layer, _Layer(tuple(_Place(site, outputs.get(site)) for site in plan.sites)))
            for plans in self.structure.plans.values()
            for plan in plans
        )

    def layer_modules(self) -> tuple[nn.Module, ...]:
        """Return the library's modules that are layers."""
        return tuple(map(self.library.get_submodule, self.structure.layers))

    def n_parameters(self, site: Site) -> int:
        """Return the number of parameters of a sublayer, its norms included."""
        plan = self.structure.plans[site.stack][site.layer]
        return plan.n_parameters[plan.sites.index(site)]

    def embedding(self, stack: Stack) -> Embedding:
        """Return the table of the vectors of a stack's tokens."""
        tokens = SimpleNamespace(weight=self._tables[stack])
        return cast(Embedding, SimpleNamespace(tokens=tokens, scale=1.0))

    @property
    def output(self) -> nn.Linear:  # type: ignore[override]
        """The output matrix."""
        return cast(nn.Linear, self._output)

    def final_norm(self, stack: Stack) -> nn.Module:
        """Return what comes after a stack's last layer, as one unknown module."""
        return Norm(self._after_encoder) if self.config.norm == "pre" else nn.Identity()

    @property
    def encoder_norm(self) -> nn.Module:  # type: ignore[override]
        """What comes after the encoder's last layer, up to its output."""
        return Norm(self._after_encoder)

    @property
    def decoder_norm(self) -> nn.Module:  # type: ignore[override]
        """Nothing: `output_input` has what comes after the decoder's last layer."""
        return nn.Identity()

    def _after_encoder(self, x_BSD: Tensor) -> Tensor:
        one_11 = torch.zeros((1, 1), dtype=torch.long, device=self.device)
        with _Skipping(self.structure.plans[_ENCODER], x_BSD):
            memory = self.calls.encode(one_11, torch.ones_like(one_11, dtype=torch.bool))
        return _shaped(memory, x_BSD)


def _shaped(made: Tensor, x_BKD: Tensor) -> Tensor:
    """Return what was made of a stream with its axes: some models have those of the one token."""
    return made.reshape(*x_BKD.shape[:2], -1)


class Norm(nn.Module):
    """What comes after the last layer of an encoder."""

    def __init__(self, after_encoder: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self._after_encoder = after_encoder

    def forward(self, x_BSD: Tensor) -> Tensor:
        """Return what the encoder makes of its stream."""
        return self._after_encoder(x_BSD)


@dataclass(frozen=True)
class _Place:
    """A sublayer, or the residual connection around it."""

    site: Site
    output_HED: Tensor | None
    """Of an attention, if it is known."""


@dataclass(frozen=True)
class _Layer:
    """A layer with known sites."""

    places: tuple[_Place, ...]

    def blocks(self) -> tuple[tuple[_Place, _Place], ...]:
        """Return each sublayer twice: as what `Layer.blocks` returns of it and of its residual."""
        return tuple((place, place) for place in self.places)


@dataclass(frozen=True)
class _OnCPU:
    """A probe that sees the steps of any device on the CPU."""

    probe: Probe

    def sees(self, site: Site) -> bool:
        return self.probe.sees(site)

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Pass a step to the probe, and its answer back to the device."""
        return self.probe.at(site, step, tensor.cpu()).to(tensor.device)


class _ProbedSums(ResidualSums):
    """The sums of a layer, handed to a probe."""

    def __init__(self, x_BKD: Tensor, plan: LayerPlan, probe: Probe) -> None:
        self._plan = plan
        self._hooks = [hook_of(probe, site) for site in plan.sites]
        self._at = 0
        """The sublayer that runs."""
        self._is_summed = False
        """Whether it has added to the stream, and its norm is to come."""
        self.x_BKD = self._hooks[0](Step.STREAM_IN, x_BKD)
        super().__init__(self.x_BKD)

    def added(self, x: Tensor, added: Tensor) -> Tensor:
        """Return the stream after a sublayer added to it."""
        if self._plan.attention_part is not None:
            return self._added_together(x, added)
        x = x + self._hooked(self._at, Step.ADDED, added)
        self._is_summed = self._plan.post_norm
        return x if self._is_summed else self._out(x)

    def normed(self, x: Tensor, normed: Tensor) -> Tensor:
        """Return the norm of the stream, which goes on in a post-norm model."""
        if not self._is_summed:
            return normed
        self._is_summed = False
        return self._out(normed)

    def _out(self, x: Tensor) -> Tensor:
        """Return the stream between two sublayers."""
        x = self._hooked(self._at, Step.STREAM_OUT, x)
        self._at += 1
        return self._hooked(self._at, Step.STREAM_IN, x) if self._at < len(self._hooks) else x

    def _added_together(self, x: Tensor, added: Tensor) -> Tensor:
        """Return the stream after attention and feed-forward, which read the same stream.

        Between the two is what it would be after the attention alone.
        """
        parts = self.parts(added)
        part = self._plan.attention_part
        assert parts is not None and part is not None
        attended = self._hooked(0, Step.ADDED, parts[part])
        fed = self._hooked(1, Step.ADDED, parts[1 - part])
        self._hooked(1, Step.STREAM_IN, self._hooked(0, Step.STREAM_OUT, x + attended))
        added = attended + fed if part == 0 else fed + attended
        return self._hooked(1, Step.STREAM_OUT, x + added)

    def _hooked(self, at: int, step: Step, x: Tensor) -> Tensor:
        return self._hooks[at](step, x.reshape(self.shape)).reshape(x.shape)


class _Probing(Tracing[_ProbedSums]):
    """Hands the steps of one pass of a stack to a probe."""

    def __init__(self, structure: Structure, stack: Stack, probe: Probe) -> None:
        super().__init__()
        self._structure = structure
        self._plans = structure.plans[stack]
        self._stack = stack
        self._probe = _OnCPU(probe)
        self._n_layers = 0
        """The number that have begun."""

    def layer(self, name: str, run: Run, args: Sequence[Any]) -> Any:
        """Run a layer, and hand what it adds to the stream to the probe."""
        x_BKD, *rest = args
        if self._n_layers == 0:
            x_BKD = self._of_embedding(Step.STREAM_OUT, x_BKD)
        sums = _ProbedSums(x_BKD, self._plans[self._n_layers], self._probe)
        self._n_layers += 1
        return self.summed(sums, run, (sums.x_BKD, *rest))

    def attend(self, name: str, run: Run, args: Sequence[Any]) -> Any:
        """Run a module that attends, and hand the steps to the probe."""
        site = Site(self._stack, self._n_layers - 1, self._structure.attentions[name])
        hook = hook_of(self._probe, site)
        if hook is unchanged:
            return run(*args)
        sums = self.sums[-1]
        sums.attention = AttentionSteps(hook, len(sums.x_BKD))
        output = run(*args)
        sums.attention = None
        return output

    def embed(self, name: str, run: Run, args: Sequence[Any]) -> Any:
        """Look up the vectors of tokens, and hand them to the probe."""
        return self._of_embedding(Step.TOKENS, run(*args))

    def _of_embedding(self, step: Step, x_BKD: Tensor) -> Tensor:
        return hook_of(self._probe, Site(self._stack, 0, "embedding"))(step, x_BKD)


class _Skipping(Tracing[ResidualSums]):
    """Runs no layer: a stream stands in for what the last of them returns."""

    def __init__(self, plans: Sequence[LayerPlan], x_BKD: Tensor) -> None:
        super().__init__()
        self._plans = list(plans)
        self._x_BKD = x_BKD

    def layer(self, name: str, run: Run, args: Sequence[Any]) -> Any:
        """Return the layer's input, and the stream at last."""
        plan = self._plans.pop(0)
        x = args[0] if self._plans else self._x_BKD.to(args[0].device)
        return (x, *[None] * (plan.n_outputs - 1)) if plan.n_outputs else x
