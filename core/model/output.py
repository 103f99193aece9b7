"""How the stream becomes scores and probabilities, and what stands before that in some models."""

from torch import Tensor, nn

from core.config import ModelConfig
from core.model.norm import norm_of
from core.model.sublayers import ACTIVATIONS


class OutputTransform(nn.Module):
    """Norm(act(W x + b)): what a masked language model makes of a place before it scores words.

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
