"""The layers of the two stacks: sublayers one after the other, each in its residual block.

B batch, D model width; x_BKD of source or target.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import cast

from torch import Tensor, nn

from ..config import ModelConfig
from ..heads import Site, Stack
from .dropout import Dropout
from .mixing import MIXINGS, OwnState
from .norm import norm_of, normalise
from .probe import Hook, Probe, Step, hook_of
from .recurrence import Recurrence
from .sublayers import CrossAttention, FeedForward, LayerInputs, SelfAttention, Sublayer


class Residual(nn.Module):
    """A residual connection around a sublayer, with a norm.

    The norm comes after the sum (post-norm, the paper) or before the sublayer (pre-norm). Without
    `residual`, the sublayer's output replaces x.
    """

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__()
        self.site = site
        self.norm = norm_of(config)
        self.dropout = Dropout(config.dropout)
        self.pre_norm = config.norm == "pre"
        self.adds = config.residual

    def forward(
        self,
        x_BKD: Tensor,
        sublayer: Callable[[Tensor], Tensor],
        probe: Probe | None = None,
        visible_BQK: Tensor | None = None,
    ) -> Tensor:
        """Return norm(x + sublayer(x)), or x + sublayer(norm(x)) when pre-norm.

        Args:
            x_BKD: The stream.
            sublayer: Maps it, or its norm, to added_BKD.
            probe: Observes or changes every step.
            visible_BQK: Padding mask; see `normalise`.
        """
        hook = hook_of(probe, self.site)
        x_BKD = hook(Step.STREAM_IN, x_BKD)
        input_BKD = self._normed(x_BKD, hook, visible_BQK) if self.pre_norm else x_BKD
        made_BKD = hook(Step.ADDED, self.dropout(sublayer(input_BKD)))
        x_BKD = x_BKD + made_BKD if self.adds else made_BKD
        if not self.pre_norm:
            x_BKD = self._normed(x_BKD, hook, visible_BQK)
        return hook(Step.STREAM_OUT, x_BKD)

    def _normed(self, x_BKD: Tensor, hook: Hook, visible_BQK: Tensor | None) -> Tensor:
        x_BKD = hook(Step.BEFORE_NORM, x_BKD)
        return hook(Step.AFTER_NORM, normalise(self.norm, x_BKD, visible_BQK))

    @property
    def input_step(self) -> Step:
        """The step that the sublayer works on."""
        return Step.AFTER_NORM if self.pre_norm else Step.STREAM_IN


class Layer(nn.Module):
    """Named sublayers in the order in which they are applied."""

    def __init__(self, config: ModelConfig, sublayers: Mapping[str, Sublayer]) -> None:
        super().__init__()
        self._names = tuple(sublayers)
        for name, sublayer in sublayers.items():
            self.add_module(name, cast(nn.Module, sublayer))
        self.residuals = nn.ModuleList(Residual(config, each.site) for each in sublayers.values())

    def forward(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Return x_BKD after all sublayers."""
        for sublayer, residual in self.blocks():
            added = partial(sublayer.added, inputs=inputs, probe=probe)
            x_BKD = residual(x_BKD, added, probe, inputs.visible_BQK)
        return x_BKD

    def blocks(self) -> tuple[tuple[Sublayer, Residual], ...]:
        """Return each sublayer with its residual block, in order."""
        # From the dictionaries: attributes of modules are slow to find, and each token asks.
        sublayers = [cast(Sublayer, self._modules[name]) for name in self._names]
        residuals = [cast(Residual, each) for each in self.residuals._modules.values()]
        return tuple(zip(sublayers, residuals, strict=True))


class EncoderLayer(Layer):
    """Self-attention, then feed-forward (Figure 1, left)."""

    self_attention: SelfAttention
    """Missing if `encoder_mixing` is not attention."""
    feed_forward: FeedForward
    """Missing without `feed_forward`."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        sublayers = _mixing(config, "encoder", layer, config.encoder_mixing)
        if config.feed_forward:
            sublayers["feed_forward"] = FeedForward(config, Site("encoder", layer, "feed_forward"))
        super().__init__(config, sublayers)


class DecoderLayer(Layer):
    """Masked self-attention, cross-attention, then feed-forward (Figure 1, right).

    A decoder alone has no cross-attention. A recurrent unit or another mixing may replace
    self-attention.
    """

    self_attention: SelfAttention
    """Missing if `decoder_mixing` is not attention."""
    feed_forward: FeedForward
    """Missing without `feed_forward`."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        sublayers = _mixing(config, "decoder", layer, config.decoder_mixing)
        if config.n_encoder_layers and config.cross == "attention":
            sublayers["cross_attention"] = CrossAttention(config, Site("decoder", layer, "cross"))
        if config.cross == "own":
            sublayers["mixing"] = OwnState(config, Site("decoder", layer, "mixing"))
        if config.feed_forward:
            sublayers["feed_forward"] = FeedForward(config, Site("decoder", layer, "feed_forward"))
        super().__init__(config, sublayers)


def _mixing(config: ModelConfig, stack: Stack, layer: int, setting: str) -> dict[str, Sublayer]:
    """Return the sublayer that mixes a layer's positions under its name; {} if there is none."""
    match setting:
        case "none":
            return {}
        case "attention":
            return {"self_attention": SelfAttention(config, Site(stack, layer, "self"))}
        case _ if setting in MIXINGS:
            return {"mixing": MIXINGS[setting](config, Site(stack, layer, "mixing"))}
        case _:
            return {"recurrent": Recurrence(config, Site(stack, layer, "recurrent"))}
