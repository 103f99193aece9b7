"""The whole encoder–decoder (Figure 1)."""

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.heads import Site
from core.model.cache import Cache
from core.model.layers import DecoderLayer, EncoderLayer, Seen
from core.model.masks import causal_mask, decoder_mask, padding_to_hide
from core.model.positional import Embedding
from core.model.probe import Probe


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
        visible_B1S = padding_to_hide(source_BS)
        for layer in self.encoder:
            x_BSD = layer(x_BSD, visible_B1S, probe)
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
        seen = Seen(memory_BSD, visible_B1S, visible_BTK, cache)
        for layer in self.decoder:
            x_BTD = layer(x_BTD, seen, probe)
        if cache is not None:
            cache.length += n_new
        return self.output(self.decoder_norm(x_BTD))

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.output.weight.device

    def sites(self) -> tuple[Site, ...]:
        """Return every attention sublayer's site: encoder self, decoder self, cross."""
        encoder = [Site("encoder", i, "self") for i in range(self.config.n_encoder_layers)]
        n_decoder = self.config.n_decoder_layers
        decoder = [Site("decoder", i, "self") for i in range(n_decoder)]
        cross = [Site("decoder", i, "cross") for i in range(n_decoder)]
        return (*encoder, *decoder, *cross)

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
    return nn.LayerNorm(config.d_model) if config.norm == "pre" else nn.Identity()


def build(config: ModelConfig, seed: int = 0) -> Transformer:
    """Make a model with fresh weights from a seed; torch's own random state stays as it is."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(config)


def count_parameters(config: ModelConfig) -> int:
    """Return how many numbers a model of this configuration learns; a shared matrix counts once."""
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in Transformer(config).parameters())
