"""What a model writes: one function for each kind of model and each way of choosing tokens.

B batch, S source length, T length of a prompt.
"""

import torch
from torch import Tensor

from core.decoding.beam import Beam, decode_by_beam
from core.decoding.choosing import Choose, Greedy, Sampling
from core.decoding.limit import length_limit
from core.decoding.mask_predict import MaskPredict, fill_in
from core.decoding.step import DecodeOptions, Stepper
from core.model import Probe, Transformer

Ids = tuple[int, ...]
Strategy = Greedy | Sampling | Beam | MaskPredict
_NOTHING = -1
"""What stands after the end of a target: no token has this id."""


def generate(
    model: Transformer,
    source_BS: Tensor | None = None,
    strategy: Strategy | None = None,
    *,
    prompt_BT: Tensor | None = None,
    probe: Probe | None = None,
) -> list[Ids]:
    """Write what follows each source or each prompt of a batch, until EOS or `length_limit`.

    Args:
        model: In evaluation mode.
        source_BS: With EOS, padded; None for a decoder alone.
        strategy: How tokens are found. None for the most probable one, token by token, or, of a
            parallel decoder, for the usual number of passes.
        prompt_BT: What the decoder is fed first, all of one length; None for what the model always
            begins with. Not for a beam or a parallel decoder.
        probe: Looks at the sublayers or changes them, token by token.

    Returns:
        For each row the ids that follow; EOS is the last unless the limit came first.

    Raises:
        ConfigError: The strategy's settings cannot be, or the model does not write so.
    """
    if strategy is None:
        strategy = MaskPredict() if model.config.is_parallel else Greedy()
    if isinstance(strategy, Beam | MaskPredict):
        assert source_BS is not None and prompt_BT is None and probe is None
        if isinstance(strategy, Beam):
            return decode_by_beam(model, source_BS, strategy)
        return fill_in(model, source_BS, strategy)
    if prompt_BT is None:
        assert source_BS is not None
        prompt_BT = source_BS.new_tensor([model.config.begins]).expand(len(source_BS), -1)
    options = DecodeOptions(probe=probe, watch=False)
    stepper = Stepper(model, source_BS, options, len(prompt_BT))
    # Each has its own limit, whichever sentences are beside it.
    n_sources = [0] * len(prompt_BT)
    if source_BS is not None:
        n_sources = (source_BS != model.config.pad_id).sum(dim=1).tolist()
    limits = [length_limit(model, n, prompt_BT.shape[1]) for n in n_sources]
    return _token_by_token(stepper, prompt_BT, limits, strategy.chooser())


def _token_by_token(
    stepper: Stepper, begins_BT: Tensor, limits: list[int], choose: Choose
) -> list[Ids]:
    """Return what follows, token by token, after what is fed first."""
    begins_BT = begins_BT.to(stepper.model.device)
    limits_B = begins_BT.new_tensor(limits)
    # The first column is left out in the end: a model with one position writes no other.
    written = [begins_BT.new_full(limits_B.shape, _NOTHING)]
    end_E = begins_BT.new_tensor(stepper.model.config.eos_ids)
    open_B = limits_B > 0
    next_B = begins_BT[:, -1]
    while open_B.any():
        first = len(written) == 1 and begins_BT.shape[1] > 1
        scores_BV, _ = stepper.feed_all(begins_BT) if first else stepper.feed(next_B)
        next_B = choose(scores_BV)
        written.append(next_B.masked_fill(~open_B, _NOTHING))
        open_B &= ~torch.isin(next_B, end_E) & (limits_B >= len(written))
    rows = torch.stack(written, dim=1).tolist()
    return [tuple(i for i in row if i != _NOTHING) for row in rows]
