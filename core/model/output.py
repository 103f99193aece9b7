"""Modules on top of a stack in some models: an output transform, a prediction of lengths.

B batch, K positions, S source length, D model width, N differences of length.
"""

from torch import Tensor, nn

from ..config import ModelConfig
from ..heads import Site
from .norm import norm_of
from .probe import Probe, Step, probed
from .sublayers import ACTIVATIONS

MOST_DIFFERENCE = 32
"""Maximum difference of target and source length, in tokens; larger ones are clamped."""
N_DIFFERENCES = 2 * MOST_DIFFERENCE + 1


class OutputTransform(nn.Module):
    """Norm(act(W x + b)), applied by a masked language model before it scores words.

    Devlin et al. 2019; it is in BERT's code, not in the paper.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.activation = config.activation
        self.dense = nn.Linear(config.d_model, config.d_model)
        self.norm = norm_of(config)

    def forward(self, x_BKD: Tensor) -> Tensor:
        """Return transformed_BKD."""
        transformed_BKD: Tensor = self.norm(ACTIVATIONS[self.activation](self.dense(x_BKD)))
        return transformed_BKD


class LengthPrediction(nn.Module):
    """A classifier of the target's length minus the source's (Ghazvininejad et al. 2019, 3.3).

    They read a special token LENGTH of the encoder; here it reads the mean of the memory.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.site = Site("encoder", config.n_encoder_layers - 1, "length")
        """Where a probe finds its scores."""
        self.linear = nn.Linear(config.d_model, N_DIFFERENCES)

    def forward(
        self, memory_BSD: Tensor, visible_B1S: Tensor, probe: Probe | None = None
    ) -> Tensor:
        """Return logits_BN: scores for each difference from −32 to 32, EOS counted on both sides.

        Args:
            memory_BSD: The encoder's output.
            visible_B1S: The source's padding mask.
            probe: Observes or changes the scores.
        """
        share_B1S = visible_B1S.to(memory_BSD.dtype)
        share_B1S = share_B1S / share_B1S.sum(dim=-1, keepdim=True)
        logits_BN: Tensor = self.linear((share_B1S @ memory_BSD)[:, 0])
        return probed(probe, self.site, Step.LENGTH, logits_BN)


def difference_classes(source_lengths_B: Tensor, target_lengths_B: Tensor) -> Tensor:
    """Return class_B, the class of the true difference.

    >>> import torch
    >>> difference_classes(torch.tensor([5, 5]), torch.tensor([7, 99])).tolist()
    [34, 64]
    """
    differences_B = target_lengths_B - source_lengths_B
    return differences_B.clamp(-MOST_DIFFERENCE, MOST_DIFFERENCE) + MOST_DIFFERENCE


def likeliest_lengths(logits_BN: Tensor, source_lengths_B: Tensor) -> Tensor:
    """Return lengths_B of the targets by the most probable difference; may be below 1.

    >>> import torch
    >>> logits_BN = torch.zeros(1, 65)
    >>> logits_BN[0, 30] = 1.0
    >>> likeliest_lengths(logits_BN, torch.tensor([5])).tolist()
    [3]
    """
    return source_lengths_B + logits_BN.argmax(dim=-1) - MOST_DIFFERENCE
