"""The whole encoder–decoder (Figure 1)."""

from typing import cast

import torch
from torch import Tensor, nn

from ..config import ModelConfig
from ..heads import Kind, Site, Stack
from .attention import MultiHeadAttention, Unprojected
from .cache import Cache
from .layers import DecoderLayer, EncoderLayer, Layer, Residual
from .masks import decoder_mask, later_rows, padding_mask
from .norm import norm_of, normalise
from .output import LengthPrediction, OutputTransform
from .pointer import Pointer
from .positional import Embedding
from .probe import Probe
from .sublayers import LayerInputs, Sublayer


class Transformer(nn.Module):
    """Maps a source and a target's beginning to scores for the target's next tokens.

    Holds only weights: activations go to a probe or nowhere, so that one model can serve many
    threads.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        both = config.is_encoder_decoder
        source_tokens = nn.Embedding(config.vocab_size, config.d_model)
        target_tokens = (
            source_tokens
            if config.tied in ("all", "embeddings") or not both
            else nn.Embedding(config.vocab_size, config.d_model)
        )
        if "encoder" in config.stacks:
            self.source_embedding = Embedding(config, source_tokens, "encoder")
        if "decoder" in config.stacks:
            self.target_embedding = Embedding(config, target_tokens, "decoder")
        self.encoder = nn.ModuleList(
            EncoderLayer(config, i) for i in range(config.n_encoder_layers)
        )
        self.decoder = nn.ModuleList(
            DecoderLayer(config, i) for i in range(config.n_decoder_layers)
        )
        # Post-norm layers end with a norm; pre-norm layers need a final one.
        self.encoder_norm = _final_norm(config, "encoder")
        self.decoder_norm = _final_norm(config, "decoder")
        self.output_transform = OutputTransform(config) if config.head_transform else None
        self.output = nn.Linear(config.d_model, config.vocab_size, config.logit_bias)
        self.pointer = Pointer(config) if config.pointer else None
        self.length = LengthPrediction(config) if config.predicts_length else None
        self._initialise()
        if config.tied in ("all", "target"):
            self.output.weight = target_tokens.weight

    def forward(
        self, source_BS: Tensor | None, target_BT: Tensor | None, probe: Probe | None = None
    ) -> Tensor:
        """Return logits_BTV: at each target position, scores for the token that comes next.

        For a parallel decoder, scores for the token at the position itself.

        Args:
            source_BS: Token ids, padded; None for a decoder alone.
            target_BT: Token ids from the first fed one on, padded; None for an encoder alone, which
                returns logits_BSV for the tokens at source positions.
            probe: Observes or changes the sublayers; see `core.model.probe`.
        """
        if source_BS is None:
            assert target_BT is not None
            return self.decode(target_BT, None, None, probe)
        memory_BSD = self.encode(source_BS, probe)
        if target_BT is None:
            return self.scores(memory_BSD)
        visible_B1S = padding_mask(source_BS, self.config.pad_id)
        if self.length is not None and probe is not None:
            self.length(memory_BSD, visible_B1S, probe)
        return self.decode(target_BT, memory_BSD, visible_B1S, probe, source_BS=source_BS)

    def encode(self, source_BS: Tensor, probe: Probe | None = None) -> Tensor:
        """Return memory_BSD, the encoder's output.

        If decoder layers read several encoder layers, these are concatenated in each vector.

        Args:
            source_BS: Token ids, padded.
            probe: Observes or changes the sublayers.
        """
        x_BSD = self.source_embedding(source_BS, probe=probe)
        n = source_BS.shape[1]
        visible_B1S = padding_mask(source_BS, self.config.pad_id)
        inputs = LayerInputs(visible_B1S, bias_1HQK=self._bias("encoder", n, n))
        if self.config.memory == "last":
            for layer in self.encoder:
                x_BSD = layer(x_BSD, inputs, probe)
            return normalise(self.encoder_norm, x_BSD, visible_B1S)
        # Layers above the first are computed only for a probe.
        read = 1 if self.config.memory == "first" else len(self.encoder)
        depths = []
        for layer in self.encoder if probe is not None else self.encoder[:read]:
            x_BSD = layer(x_BSD, inputs, probe)
            depths.append(x_BSD)
        normed = [normalise(self.encoder_norm, each, visible_B1S) for each in depths[:read]]
        return torch.cat(normed, dim=-1)

    def decode(
        self,
        target_BT: Tensor,
        memory_BSD: Tensor | None,
        visible_B1S: Tensor | None,
        probe: Probe | None = None,
        cache: Cache | None = None,
        source_BS: Tensor | None = None,
    ) -> Tensor:
        """Return logits_BTV for a target whose source is already encoded.

        With a pointer they are log-probabilities.

        Args:
            target_BT: The whole target from BOS on, or, with a cache, what follows its positions.
            memory_BSD: From `encode`; None for a decoder alone.
            visible_B1S: The source's padding mask; None if nothing is hidden.
            probe: Observes or changes the sublayers.
            cache: Keys and values of earlier positions; new ones are appended. The target must have
                no padding.
            source_BS: The source's tokens, needed only with a pointer.
        """
        parallel = self.config.is_parallel
        assert cache is None or not parallel, "what a parallel decoder sees has no past to keep"
        start = 0 if cache is None else cache.length
        n_new = target_BT.shape[1]
        visible_BTK = (
            decoder_mask(target_BT, self.config.pad_id, causal=not parallel)
            if cache is None
            else later_rows(start, n_new, target_BT.device)
        )
        x_BTD = self.target_embedding(target_BT, start, probe)
        bias_1HQK = self._bias("decoder", n_new, start + n_new)
        inputs = LayerInputs(visible_BTK, memory_BSD, visible_B1S, cache, bias_1HQK)
        layer_probe = probe
        if self.pointer is not None:
            record, layer_probe = self.pointer.recorded(probe)
        for layer in self.decoder:
            x_BTD = layer(x_BTD, inputs, layer_probe)
        if cache is not None:
            cache.length += n_new
        if self.pointer is None:
            return self.logits(x_BTD, visible_BTK)
        assert memory_BSD is not None and source_BS is not None, "a pointer copies the source"
        x_BTD = normalise(self.decoder_norm, x_BTD, visible_BTK)
        weights_BHTS = record.weights(self.pointer.site)
        copied = (x_BTD, weights_BHTS, memory_BSD, source_BS, probe)
        log_probabilities_BTV: Tensor = self.pointer(self.scores(x_BTD), *copied)
        return log_probabilities_BTV

    def logits(self, x_BTD: Tensor, visible_BTK: Tensor | None = None) -> Tensor:
        """Return logits_BTV for the decoder's stream after a layer, without the pointer.

        Args:
            x_BTD: The stream.
            visible_BTK: Mask that tells padding; see `normalise`.
        """
        return self.scores(normalise(self.decoder_norm, x_BTD, visible_BTK))

    def scores(self, x_BKD: Tensor) -> Tensor:
        """Return logits_BKV for a stream after its final norm."""
        logits_BKV: Tensor = self.output(self.output_input(x_BKD))
        return logits_BKV

    def output_input(self, x_BKD: Tensor) -> Tensor:
        """Return what the output matrix multiplies, for a stream after its final norm."""
        if self.output_transform is not None:
            x_BKD = self.output_transform(x_BKD)
        if self.config.logit_scale:
            x_BKD = x_BKD * self.config.d_model**-0.5
        return x_BKD

    def _bias(self, stack: Stack, n_queries: int, n_keys: int) -> Tensor | None:
        """Return the position bias of a stack's heads, if any."""
        if self.config.positions != "buckets":
            return None
        first = (self.encoder if stack == "encoder" else self.decoder)[0]
        relative = cast(EncoderLayer | DecoderLayer, first).self_attention.relative
        assert relative is not None
        bias_1HQK: Tensor = relative(n_queries, n_keys)
        return bias_1HQK

    @property
    def device(self) -> torch.device:
        """Device of the weights."""
        return next(self.parameters()).device

    def sites(self) -> tuple[Site, ...]:
        """Return every attention sublayer's site: encoder self, decoder self, cross."""
        sublayers = [sublayer for layer in self.layers() for sublayer, _ in layer.blocks()]
        found = [each.site for each in sublayers if isinstance(each, MultiHeadAttention)]
        kinds = list(dict.fromkeys(site.attention for site in found))
        return tuple(sorted(found, key=lambda site: kinds.index(site.attention)))

    def layers(self) -> tuple[Layer, ...]:
        """Return all layers from the bottom of the encoder to the top of the decoder."""
        return tuple(cast(Layer, layer) for layer in (*self.encoder, *self.decoder))

    def layer_modules(self) -> tuple[nn.Module, ...]:
        """Return the modules that run for each layer; one may run several times."""
        return (*self.encoder, *self.decoder)

    def stream_sites(self, stack: Stack) -> tuple[Site, ...]:
        """Return the sites after which a stack's stream goes on: its embedding, its sublayers."""
        sites = [residual.site for layer in self.layers() for _, residual in layer.blocks()]
        return (Site(stack, 0, "embedding"), *(site for site in sites if site.stack == stack))

    def block(self, site: Site) -> tuple[Sublayer, Residual]:
        """Return the sublayer of a site, and its residual block.

        Raises:
            ValueError: The model has no sublayer there.
        """
        for layer in self.layers():
            for sublayer, residual in layer.blocks():
                if residual.site == site:
                    return sublayer, residual
        raise ValueError(f"the model has no sublayer at {site}")

    def n_parameters(self, site: Site) -> int:
        """Return the number of parameters of a sublayer, its norm included."""
        modules = cast(tuple[nn.Module, ...], self.block(site))
        return sum(each.numel() for module in modules for each in module.parameters())

    def embedding(self, stack: Stack) -> Embedding:
        """Return the embedding of a stack."""
        return cast(Embedding, getattr(self, f"{Kind.self_of(stack).query_side}_embedding"))

    def final_norm(self, stack: Stack) -> nn.Module:
        """Return the norm after a stack's last layer."""
        return self.encoder_norm if stack == "encoder" else self.decoder_norm

    def saved(self) -> dict[str, Tensor]:
        """Return the tensors to save: parameters, shared ones once, and buffers.

        Non-persistent buffers are recomputed, not saved.
        """
        kept = self.state_dict(keep_vars=True)
        buffers = {name: each for name, each in self.named_buffers() if name in kept}
        return {**dict(self.named_parameters()), **buffers}

    def _initialise(self) -> None:
        """Initialise projections by Glorot, embeddings with variance 1 / d_model."""
        for module in self.modules():
            if isinstance(module, nn.Linear) and not isinstance(module, Unprojected):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=self.config.d_model**-0.5)


def _final_norm(config: ModelConfig, stack: Stack) -> nn.Module:
    needed = config.norm == "pre" and stack in config.stacks
    return norm_of(config) if needed else nn.Identity()
