"""Mask-predict: a parallel decoder fills in all words at once, then re-predicts the least sure.

Ghazvininejad et al. 2019: pass k of K (from 0) masks the n (K − k) / K least sure of n places and
predicts them anew from all others. The target ends at its first EOS. They predict n beforehand, as
a model with `length=predicted` does, whose last place is EOS from the beginning. Without a
predicted length, pass 0 fills more places than needed; n is where its first EOS stands.

B batch, S source length, T places of the target.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..config import ConfigError, ModelConfig
from ..model import Transformer
from ..model.masks import padding_mask
from ..model.output import likeliest_lengths
from .bounds import MOST_PASSES, PASSES
from .step import mask_special_tokens


@dataclass(frozen=True, slots=True)
class MaskPredict:
    """Mask-predict with a number of passes; each re-predicts fewer places."""

    passes: int = PASSES
    n_tokens: int | None = None
    """Length of the target without EOS; None for the length that the model chooses."""

    def __post_init__(self) -> None:
        if not 1 <= self.passes <= MOST_PASSES:
            raise ConfigError(
                "passes is {passes}, not 1 to {most}", passes=self.passes, most=MOST_PASSES
            )


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """Input and output of one pass; targets shorter than T are padded with PAD."""

    fed_BT: Tensor
    """Decoder input after BOS, with the mask token at places to predict."""
    masked_BT: Tensor
    """True at places to predict."""
    token_BT: Tensor
    """Token at each place after the pass."""
    probability_BT: Tensor
    """Probability of each token in the pass that wrote it; 0 at padding."""


def predicted_lengths(model: Transformer, memory_BSD: Tensor, source_BS: Tensor) -> Tensor:
    """Return n_places_B, predicted target lengths with EOS; room for at least one word."""
    assert model.length is not None
    visible_B1S = padding_mask(source_BS, model.config.pad_id)
    logits_BN = model.length(memory_BSD, visible_B1S)
    lengths_B = (source_BS != model.config.pad_id).sum(dim=1)
    return likeliest_lengths(logits_BN, lengths_B).clamp(2, model.config.max_positions - 1)


def mask_predict_passes(
    model: Transformer, source_BS: Tensor, method: MaskPredict
) -> Iterator[Pass]:
    """Yield every pass of decoding a batch of padded sources with EOS.

    Raises:
        ConfigError: The decoder is not parallel.
    """
    config = model.config
    if not config.is_parallel:
        raise ConfigError(
            "mask-predict needs a parallel decoder: this model writes one word after the other"
        )
    begins_B1 = source_BS.new_tensor([config.begins]).expand(len(source_BS), -1)
    with torch.inference_mode():
        visible_B1S = padding_mask(source_BS, config.pad_id)
        memory_BSD = model.encode(source_BS)
        n_places_B = _lengths(model, memory_BSD, source_BS, method.n_tokens)
        place_BT, token_BT = _empty_places(config, source_BS, n_places_B)
        # The EOS of a length that is known beforehand is certain.
        probability_BT = (token_BT != config.pad_id).float()
        for number in range(method.passes):
            after_BT = _after_end(token_BT, config.eos_ids)
            target_BT = place_BT if number == 0 else place_BT & ~after_BT
            masked_BT = least_sure(probability_BT, target_BT, number, method.passes)
            fed_BT = token_BT.masked_fill(masked_BT, config.mask_id)
            read_BT = torch.cat([begins_B1, fed_BT], dim=1)
            logits_BTV = model.decode(read_BT, memory_BSD, visible_B1S)[:, 1:]
            word_BTV = mask_special_tokens(logits_BTV, config)
            if n_places_B is not None:
                word_BTV[..., list(config.eos_ids)] = -torch.inf
            best_BT = word_BTV.softmax(dim=-1).max(dim=-1)
            token_BT = torch.where(masked_BT, best_BT.indices, token_BT)
            probability_BT = torch.where(masked_BT, best_BT.values, probability_BT)
            yield Pass(fed_BT, masked_BT, token_BT, probability_BT)


def _lengths(
    model: Transformer, memory_BSD: Tensor, source_BS: Tensor, n_tokens: int | None
) -> Tensor | None:
    """Return lengths of targets with EOS; None where the model ends the target itself."""
    if n_tokens is not None:
        n = min(max(2, n_tokens + 1), model.config.max_positions - 1)
        return source_BS.new_full((len(source_BS),), n)
    return predicted_lengths(model, memory_BSD, source_BS) if model.length is not None else None


def _empty_places(
    config: ModelConfig, source_BS: Tensor, n_places_B: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Return place_BT, True where a token is to be written, and token_BT, the initial tokens.

    Args:
        config: The model's.
        source_BS: Padded sources with EOS.
        n_places_B: Lengths with EOS; None where the model ends the target itself.
    """
    n_source = (source_BS != config.pad_id).sum(dim=1).tolist()
    most_B = source_BS.new_tensor([config.n_places(n) for n in n_source])
    n_B = most_B if n_places_B is None else n_places_B
    at_T = torch.arange(int(n_B.max()), device=source_BS.device)
    place_BT = at_T < n_B[:, None]
    token_BT = torch.full_like(place_BT, config.pad_id, dtype=torch.long)
    if n_places_B is None:
        return place_BT, token_BT
    last_BT = at_T == n_B[:, None] - 1
    return place_BT & ~last_BT, token_BT.masked_fill(last_BT, config.eos_ids[0])


def _after_end(token_BT: Tensor, eos_ids: tuple[int, ...]) -> Tensor:
    """Return after_BT, True at the places behind the first EOS of a row."""
    ends_BT = torch.isin(token_BT, token_BT.new_tensor(eos_ids)).long()
    return ends_BT.cumsum(dim=1) > ends_BT


def least_sure(probability_BT: Tensor, place_BT: Tensor, number: int, of: int) -> Tensor:
    """Return masked_BT, True at the places that a pass predicts: at least one, the least sure.

    Among equally sure ones, the first.

    Args:
        probability_BT: Probability of the token at each place.
        place_BT: True at places of the target.
        number: Index of the pass; pass 0 predicts all places.
        of: Number of passes.

    >>> least_sure(torch.tensor([[0.9, 0.2, 0.5, 0.4]]), torch.ones(1, 4).bool(), 2, 4).int()
    tensor([[0, 1, 0, 1]], dtype=torch.int32)
    """
    if number == 0:
        return place_BT
    n_masked_B = (place_BT.sum(dim=1) * (of - number) // of).clamp(min=1)
    order_BT = probability_BT.masked_fill(~place_BT, 2.0).argsort(dim=1, stable=True)
    return order_BT.argsort(dim=1) < n_masked_B[:, None]


def fill_in(model: Transformer, source_BS: Tensor, method: MaskPredict) -> list[tuple[int, ...]]:
    """Translate a batch, and cut each target at its first EOS."""
    *_, last = mask_predict_passes(model, source_BS, method)
    lengths = (last.fed_BT != model.config.pad_id).sum(dim=1).tolist()
    return [
        until_end(row[:length], model.config.eos_ids)
        for row, length in zip(last.token_BT.tolist(), lengths, strict=True)
    ]


def until_end(ids: Sequence[int], eos_ids: tuple[int, ...]) -> tuple[int, ...]:
    """Return ids up to and including the first EOS.

    >>> until_end((7, 8, 2, 9), (2,)), until_end((7, 8), (2,))
    ((7, 8, 2), (7, 8))
    """
    ends = [at for at, token in enumerate(ids) if token in eos_ids]
    return tuple(ids[: ends[0] + 1] if ends else ids)
