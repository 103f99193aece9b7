"""Copying: a word is either generated from the vocabulary or copied from the source.

B batch, H heads, S source length, T target length, D model width, V vocabulary.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from ..config import ModelConfig
from ..heads import Kind
from .probe import Probe, Probes, Step, probed
from .probes import Record


class Pointer(nn.Module):
    """The pointer-generator (See et al. 2017, eq. 8 and 9), on the last cross-attention.

    P(w) = p_gen P_vocab(w) + (1 − p_gen) Σ_{i: x_i = w} a_i, where a is the mean of the heads'
    weights, p_gen = σ(w_h · h* + w_s · s + b), h* = Σ_i a_i m_i is the memory weighted by a, and s
    the decoder's stream before the output projection.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.site = Kind.CROSS.site(config.n_decoder_layers - 1)
        """The sublayer whose weights say what is copied; also the site of the pointer's steps."""
        self.gate = nn.Linear(2 * config.d_model, 1)
        """w_h, w_s and b."""

    def recorded(self, probe: Probe | None) -> tuple[Record, Probe]:
        """Return a record for the copy weights, and the probe that fills it in a pass."""
        record = Record(frozenset({Step.WEIGHTS}), frozenset({self.site}), keep_graph=True)
        return record, Probes([record] if probe is None else [probe, record])

    def forward(
        self,
        logits_BTV: Tensor,
        x_BTD: Tensor,
        weights_BHTS: Tensor,
        memory_BSD: Tensor,
        source_BS: Tensor,
        probe: Probe | None = None,
    ) -> Tensor:
        """Return log_probabilities_BTV of the mixture.

        Args:
            logits_BTV: Scores of the words that can be generated.
            x_BTD: s, the decoder's stream.
            weights_BHTS: The weights of the last cross-attention.
            memory_BSD: m, the encoder's output.
            source_BS: x, the source's tokens.
            probe: Observes or changes p_gen and the weights.
        """
        # Half precisions are too coarse for a logarithm; float64 stays.
        exact = torch.promote_types(logits_BTV.dtype, torch.float32)
        weights_BHTS = probed(probe, self.site, Step.COPY_WEIGHTS, weights_BHTS).to(exact)
        least = torch.finfo(exact).tiny
        # The sum is 1 unless heads are silenced; 0 if all are, or if nothing is visible.
        summed_BTS = weights_BHTS.sum(dim=1)
        total_BT1 = summed_BTS.sum(dim=-1, keepdim=True)
        copied_BTS = summed_BTS / total_BT1.clamp_min(least)
        context_BTD = copied_BTS.to(memory_BSD.dtype) @ memory_BSD
        gate_BT1 = self.gate(torch.cat([context_BTD, x_BTD], dim=-1)).to(exact)
        generated_BT1, taken_BT1 = self._shares(gate_BT1, probe)
        nothing_BT1 = total_BT1 == 0
        generated_BT1 = generated_BT1.masked_fill(nothing_BT1, 0.0)
        ids_BTS = source_BS[:, None].expand_as(copied_BTS)
        copied_BTV = torch.zeros_like(logits_BTV, dtype=exact).scatter_add(2, ids_BTS, copied_BTS)
        # The gradient of log 0 is not finite; clamped, it is 0, and no sum changes.
        return torch.logaddexp(
            generated_BT1 + logits_BTV.to(exact).log_softmax(dim=-1),
            taken_BT1 + copied_BTV.clamp_min(least).log(),
        )

    def _shares(self, gate_BT1: Tensor, probe: Probe | None) -> tuple[Tensor, Tensor]:
        """Return the logarithms of p_gen and of 1 − p_gen."""
        if probe is not None and probe.sees(self.site):
            p_gen_BT = gate_BT1[..., 0].sigmoid()
            given_BT = probe.at(self.site, Step.P_GEN, p_gen_BT)
            if not torch.equal(given_BT, p_gen_BT):
                return given_BT[..., None].log(), (-given_BT[..., None]).log1p()
        # Near 0 and 1 the logarithm of the sigmoid loses precision; logsigmoid does not.
        return logsigmoid(gate_BT1), logsigmoid(-gate_BT1)
