"""What one head writes: its direct effect on the logits, around all later sublayers.

The head's term of the sublayer's sum goes through the norms that are left, their statistics held
fixed, and through the output matrix (Elhage et al., "A Mathematical Framework for Transformer
Circuits", 2021). The direct effects of all that is ever added to the stream, of the biases, and of
the embedding sum to the logits.

E width of one head, D model width, V vocabulary.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...batch import Pair, one_row
from ...heads import Head
from ...model import Record, Step, Transformer
from ...model.attention import MultiHeadAttention
from ...runs.run import Run
from ...tokenizer.tokenizer import Token

N_TOKENS = 5
"""Tokens that are named, promoted and suppressed ones each."""


@dataclass(frozen=True, slots=True)
class Written:
    """A head's direct effect on the logits of the next token at one position."""

    promoted: tuple[tuple[Token, float], ...]
    """The tokens with the largest effects above 0, the largest first."""
    suppressed: tuple[tuple[Token, float], ...]
    """Those with the effects farthest below 0, the farthest first."""
    on_target: float
    """On the token that is to be written there."""


def written(run: Run, head: Head, pair: Pair, position: int) -> Written:
    """Return which next tokens a head promotes at a position of a target that is fed."""
    effect_V = direct_effect(run.model, head, pair.source, pair.target[:-1], position)
    order = np.argsort(effect_V, kind="stable")
    lowest, highest = order[:N_TOKENS].tolist(), order[::-1][:N_TOKENS].tolist()
    tokens = run.target_tokenizer.describe_alone([*highest, *lowest])
    named = list(zip(tokens, effect_V[[*highest, *lowest]].tolist(), strict=True))
    return Written(
        promoted=tuple(each for each in named[: len(highest)] if each[1] > 0),
        suppressed=tuple(each for each in named[len(highest) :] if each[1] < 0),
        on_target=float(effect_V[pair.target[position + 1]]),
    )


def has_direct_path(model: Transformer, head: Head) -> bool:
    """Say whether what a head adds reaches the logits of the next token around later sublayers."""
    config = model.config
    # Of a model that the library computes the norms are not known.
    linear = config.residual and not config.head_transform and not config.architecture
    return linear and not config.is_parallel and not head.site.in_encoder


@torch.inference_mode()
def direct_effect(
    model: Transformer,
    head: Head,
    source_ids: Sequence[int],
    fed_ids: Sequence[int],
    position: int,
) -> NDArray[np.float64]:
    """Return effect_V, what a head of the decoder adds to each logit at one position.

    With a pointer these are the scores before copying.

    Args:
        model: One with a direct path from the head.
        head: A head of the decoder.
        source_ids: What the encoder reads; empty for a decoder alone.
        fed_ids: What the decoder is fed.
        position: Of a fed token: the logits are those of the token after it.
    """
    sublayers = [block for layer in model.layers() for block in layer.blocks()]
    first = next(at for at, (_, residual) in enumerate(sublayers) if residual.site == head.site)
    later = sublayers[first:]
    sites = frozenset(residual.site for _, residual in later)
    record = Record(frozenset({Step.MIXED, Step.BEFORE_NORM, Step.STREAM_OUT}), sites)
    model(one_row(source_ids), one_row(fed_ids), record)
    attention, last = later[0][0], later[-1][1]
    assert isinstance(attention, MultiHeadAttention)
    mixed_E = record.tensors[head.site, Step.MIXED][0, head.index, position].double()
    term_D = mixed_E @ attention.output_HED[head.index].double()
    for _, residual in later:
        if not residual.pre_norm:
            before_D = record.tensors[residual.site, Step.BEFORE_NORM][0, position]
            term_D = through_fixed_norm(residual.norm, before_D, term_D)
    out_D = record.tensors[last.site, Step.STREAM_OUT][0, position]
    term_D = through_fixed_norm(model.decoder_norm, out_D, term_D)
    if model.config.logit_scale:
        term_D = term_D * model.config.d_model**-0.5
    effect_V: NDArray[np.float64] = (model.output.weight.double() @ term_D).numpy()
    return effect_V


def through_fixed_norm(norm: nn.Module, x_D: Tensor, term_D: Tensor) -> Tensor:
    """Return what a norm makes of one term of its input; all terms and its bias sum to its output.

    Args:
        norm: Any norm, in evaluation.
        x_D: The whole input, whose mean and scale are held fixed.
        term_D: One of the terms that sum to it.
    """
    if isinstance(norm, nn.Identity):
        return term_D.double()
    of_term = cast(Callable[[Tensor, Tensor], Tensor], norm.of_term)
    return of_term(x_D.double(), term_D.double())
