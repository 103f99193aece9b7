"""The whole encoder–decoder (Figure 1)."""

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from core.config import ModelConfig
from core.heads import Site, Stack
from core.messages import N_
from core.model.attention import MultiHeadAttention
from core.model.cache import Cache
from core.model.layers import DecoderLayer, EncoderLayer, Layer, Residual
from core.model.masks import causal_mask, decoder_mask, padding_to_hide
from core.model.norm import LayerNorm, describe_norm
from core.model.part import EMBEDDINGS, Part, Sketch, products
from core.model.positional import Embedding
from core.model.probe import Probe
from core.model.sublayers import Seen, Sublayer


class Transformer(nn.Module):
    """Maps a source and a target's beginning to scores for the target's next tokens.

    Holds weights and nothing else: activations go to a probe or nowhere, so that one model can
    serve many threads.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        source_tokens = nn.Embedding(config.vocab_size, config.d_model)
        target_tokens = (
            source_tokens if config.tied else nn.Embedding(config.vocab_size, config.d_model)
        )
        self.source_embedding = Embedding(config, source_tokens, "encoder")
        self.target_embedding = Embedding(config, target_tokens, "decoder")
        self.encoder = nn.ModuleList(
            EncoderLayer(config, i) for i in range(config.n_encoder_layers)
        )
        self.decoder = nn.ModuleList(
            DecoderLayer(config, i) for i in range(config.n_decoder_layers)
        )
        # Post-norm layers end normalised; the sum that pre-norm layers leave needs one more norm.
        self.encoder_norm = _final_norm(config)
        self.decoder_norm = _final_norm(config)
        self.output = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self._initialise()
        if config.tied:
            self.output.weight = target_tokens.weight

    def forward(self, source_BS: Tensor, target_BT: Tensor, probe: Probe | None = None) -> Tensor:
        """Return logits_BTV: at each target position, scores for the token that comes next.

        Args:
            source_BS: Token ids, padded with PAD.
            target_BT: Token ids, beginning with BOS, padded with PAD.
            probe: Looks at the sublayers or changes them; see `core.model.probe`.
        """
        memory_BSD = self.encode(source_BS, probe)
        return self.decode(target_BT, memory_BSD, padding_to_hide(source_BS), probe)

    def encode(self, source_BS: Tensor, probe: Probe | None = None) -> Tensor:
        """Return memory_BSD, what the encoder makes of each source token."""
        x_BSD = self.source_embedding(source_BS, probe=probe)
        seen = Seen(padding_to_hide(source_BS))
        for layer in self.encoder:
            x_BSD = layer(x_BSD, seen, probe)
        return self.encoder_norm(x_BSD)

    def decode(
        self,
        target_BT: Tensor,
        memory_BSD: Tensor,
        visible_B1S: Tensor | None,
        probe: Probe | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """Return logits_BTV for a target whose source is already encoded.

        Args:
            target_BT: The whole target from BOS on, or, with a cache, what follows its positions.
            memory_BSD: From `encode`.
            visible_B1S: The source's padding mask; None where nothing is hidden.
            probe: Looks at the sublayers or changes them.
            cache: Keys and values of the positions before; the new ones are added to it. Without
                padding in the target.
        """
        start = 0 if cache is None else cache.length
        n_new = target_BT.shape[1]
        visible_BTK = (
            decoder_mask(target_BT)
            if cache is None
            else _later_rows(start, n_new, target_BT.device)
        )
        x_BTD = self.target_embedding(target_BT, start, probe)
        seen = Seen(visible_BTK, memory_BSD, visible_B1S, cache)
        for layer in self.decoder:
            x_BTD = layer(x_BTD, seen, probe)
        if cache is not None:
            cache.length += n_new
        return self.logits(x_BTD)

    def logits(self, x_BTD: Tensor) -> Tensor:
        """Return logits_BTV for the decoder's stream as it comes out of a layer."""
        return self.output(self.decoder_norm(x_BTD))

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.output.weight.device

    def sites(self) -> tuple[Site, ...]:
        """Return every attention sublayer's site: encoder self, decoder self, cross."""
        found = [each.site for each in self.modules() if isinstance(each, MultiHeadAttention)]
        kinds = list(dict.fromkeys(site.attention for site in found))
        return tuple(sorted(found, key=lambda site: kinds.index(site.attention)))

    def layers(self) -> tuple[Layer, ...]:
        """Return all layers from the bottom of the encoder to the top of the decoder."""
        return tuple(cast(Layer, layer) for layer in (*self.encoder, *self.decoder))

    def block(self, site: Site) -> tuple[Sublayer, Residual]:
        """Return the sublayer of a site, and what stands around it.

        Raises:
            ValueError: The model has no sublayer there.
        """
        for layer in self.layers():
            for sublayer, residual in layer.blocks():
                if residual.site == site:
                    return sublayer, residual
        raise ValueError(f"the model has no sublayer at {site}")

    def final_norm(self, stack: Stack) -> nn.Module:
        """Return what the stream of a stack goes through after its last layer."""
        return self.encoder_norm if stack == "encoder" else self.decoder_norm

    def saved(self) -> dict[str, Tensor]:
        """Return what a file of this model holds: parameters, a shared one once, and buffers.

        A buffer that is not persistent is computed anew and in no file.
        """
        kept = self.state_dict(keep_vars=True)
        buffers = {name: each for name, each in self.named_buffers() if name in kept}
        return {**dict(self.named_parameters()), **buffers}

    def describe(self, sketch: Sketch) -> None:
        """Add everything from the source's tokens to the next token's probabilities."""
        sketch.begin("encoder", "source", N_("source"))
        self._describe_stack(sketch, self.source_embedding, self.encoder, self.encoder_norm)
        sketch.memory = sketch.end
        sketch.begin("decoder", "target", N_("target, shifted right"))
        self._describe_stack(sketch, self.target_embedding, self.decoder, self.decoder_norm)
        vocabulary = (sketch.length, self.output.out_features)
        sketch.add(
            Part(
                id="output",
                kind="output",
                title="{part}",
                label=N_("Linear output"),
                group=EMBEDDINGS,
                multiply_adds=products(self.output, sketch.length),
                shapes=(("input", sketch.stream), ("output", vocabulary)),
                formula=r"z = W x \quad (W = E \text{ where the matrices are shared})",
                code=(Transformer,),
            ),
            learned=self.output.parameters(),
        )
        sketch.add(
            Part(
                id="softmax",
                kind="softmax",
                title="{part}",
                label=N_("Softmax"),
                group="",
                shapes=(("input", vocabulary), ("output", vocabulary)),
                formula=r"p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}",
                code=(Transformer,),
            ),
        )
        sketch.tokens("probabilities", N_("probabilities"))

    def _describe_stack(
        self, sketch: Sketch, embedding: Embedding, layers: nn.ModuleList, norm: nn.Module
    ) -> None:
        embedding.describe(sketch)
        for number, layer in enumerate(layers):
            with sketch.layer(number):
                cast(Layer, layer).describe(sketch)
        label, title = N_("Final norm"), N_("{place}: {part}")
        describe_norm(norm, sketch, f"{sketch.stack}.norm", label, title, ())

    def _initialise(self) -> None:
        """Glorot for the projections; embeddings so that √d_model brings them to variance 1."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=self.config.d_model**-0.5)


def _later_rows(start: int, n_new: int, device: torch.device) -> Tensor | None:
    """Return the last rows of the look-ahead mask; a single new position may look at all."""
    return None if n_new == 1 else causal_mask(start + n_new, device)[None, start:]


def _final_norm(config: ModelConfig) -> nn.Module:
    return LayerNorm(config.d_model) if config.norm == "pre" else nn.Identity()


def build(config: ModelConfig, seed: int = 0) -> Transformer:
    """Make a model with fresh weights from a seed; torch's own random state stays as it is."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(config)


def count_parameters(config: ModelConfig) -> int:
    """Return how many numbers a model of this configuration learns; a shared matrix counts once."""
    return sum(parameter.numel() for parameter in outline(config).parameters())


def unfilled(config: ModelConfig) -> Transformer:
    """Make a model whose weights are whatever memory held, for whoever puts others in their place.

    To draw random ones that nobody looks at takes longer than to read them from a file.
    """
    with torch.random.fork_rng(devices=[]), _NothingDrawn():
        return Transformer(config)


@lru_cache(maxsize=64)
def outline(config: ModelConfig) -> Transformer:
    """Return a model with the shapes of all its weights and without their numbers."""
    with torch.device("meta"), _NothingDrawn():
        return Transformer(config)


class _NothingDrawn(TorchFunctionMode):
    """Leaves out the drawing of random numbers.

    Where there is no memory for them, torch would import a compiler for it, for seconds.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Collection[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        given = kwargs or {}
        if func in (nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_):
            return given["tensor"]
        if func is torch.Tensor.uniform_:
            return args[0]
        return func(*args, **given)
