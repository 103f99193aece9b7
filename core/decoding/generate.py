"""Writing targets: one function for a batch, and others for the steps of a single sentence.

Models are in evaluation mode. `source_S` is one source with EOS, None for a decoder alone; `prompt`
is what the decoder is fed first, empty for what the model always begins with; `overrides` maps a
step to the id that is appended there, whatever the model predicts; `max_new_tokens` is None for
`length_limit`.

B batch, S source length, T length of a prompt or target, V vocabulary.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..model import Probe, Probes, Record, Transformer
from .beam import Beam, beam_steps, decode_by_beam
from .choosing import Greedy, Sampler
from .mask_predict import MaskPredict, fill_in
from .step import DecodeStep, Stepper, length_limit, mask_special_tokens, require_next

Ids = tuple[int, ...]
_ENDED = -1
"""Fills a row after the end of its target; no token has this id."""


def generate(  # noqa: PLR0913
    model: Transformer,
    source_BS: Tensor | None = None,
    strategy: Sampler | Beam | MaskPredict | None = None,
    *,
    prompt_BT: Tensor | None = None,
    probe: Probe | None = None,
    max_new_tokens: int | None = None,
) -> list[Ids]:
    """Write what follows each source or each prompt of a batch, until EOS or `length_limit`.

    Args:
        model: Any model.
        source_BS: With EOS, padded; None for a decoder alone.
        strategy: How tokens are chosen. None for greedy decoding or, for a parallel decoder, for
            `PASSES` passes.
        prompt_BT: What the decoder is fed first, all of one length; None for what the model always
            begins with. Not for a parallel decoder; the same in all rows for a beam.
        probe: Looks at the sublayers or changes them, token by token.
        max_new_tokens: Not for a beam or a parallel decoder.

    Returns:
        For each row the ids that follow; EOS is the last unless the limit came first.

    Raises:
        ConfigError: The model does not support the strategy.
    """
    if strategy is None:
        strategy = MaskPredict() if model.config.is_parallel else Greedy()
    if isinstance(strategy, MaskPredict):
        assert source_BS is not None and prompt_BT is None and probe is None
        return fill_in(model, source_BS, strategy)
    if prompt_BT is None:
        assert source_BS is not None
        prompt_BT = source_BS.new_tensor([model.config.begins]).expand(len(source_BS), -1)
    if isinstance(strategy, Beam):
        assert source_BS is not None and probe is None
        return decode_by_beam(model, source_BS, prompt_BT.to(model.device), strategy)
    stepper = Stepper(model, source_BS, len(prompt_BT), probe=probe)
    # Each sentence has its own limit, independent of the rest of the batch.
    n_sources = [0] * len(prompt_BT)
    if source_BS is not None:
        n_sources = (source_BS != model.config.pad_id).sum(dim=1).tolist()
    n_fed = prompt_BT.shape[1]
    limits = [length_limit(model, n, n_fed, max_new_tokens) for n in n_sources]
    steps = _tokens(stepper, prompt_BT.to(model.device), limits, strategy)
    # The first column is left out in the end: a model with one position writes no other.
    ended_B = prompt_BT.new_full((len(prompt_BT),), _ENDED, device=model.device)
    rows = torch.stack([ended_B, *(token_B for _, token_B in steps)], dim=1).tolist()
    return [tuple(i for i in row if i != _ENDED) for row in rows]


def _tokens(
    stepper: Stepper,
    prompt_BT: Tensor,
    limits: Sequence[int],
    sampler: Sampler,
    overrides: Mapping[int, int] | None = None,
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield logits_BV and token_B of each step; a row that has ended gets `_ENDED`."""
    choose, overrides = sampler.chooser(), overrides or {}
    end_E = prompt_BT.new_tensor(stepper.model.config.eos_ids)
    limits_B = prompt_BT.new_tensor(limits)
    open_B, new_BT, n = limits_B > 0, prompt_BT, 0
    while open_B.any():
        logits_BV = stepper.feed(new_BT)
        forced = overrides.get(n)
        token_B = choose(logits_BV) if forced is None else torch.full_like(new_BT[:, 0], forced)
        yield logits_BV, token_B.masked_fill(~open_B, _ENDED)
        new_BT, n = token_B[:, None], n + 1
        open_B &= ~torch.isin(token_B, end_E) & (limits_B > n)


def decode_steps(  # noqa: PLR0913
    model: Transformer,
    source_S: Tensor | None,
    prompt: Sequence[int] = (),
    sampler: Sampler | None = None,
    *,
    overrides: Mapping[int, int] | None = None,
    probe: Probe | None = None,
    max_new_tokens: int | None = None,
) -> Iterator[DecodeStep]:
    """Decode freely until EOS or a limit; greedily without a sampler.

    The steps hold the model's own scores, before the sampler changes them.
    """
    prefix = tuple(prompt) or model.config.begins
    stepper = Stepper(model, None if source_S is None else source_S[None], probe=probe)
    n_source = 0 if source_S is None else len(source_S)
    limit = length_limit(model, n_source, len(prefix), max_new_tokens)
    prompt_1T = torch.tensor([prefix], device=model.device)
    for logits_1V, token_1 in _tokens(stepper, prompt_1T, [limit], sampler or Greedy(), overrides):
        chosen = int(token_1)
        yield DecodeStep(prefix, logits_1V[0], chosen)
        prefix = (*prefix, chosen)


def forced_steps(  # noqa: PLR0913
    model: Transformer,
    source_S: Tensor | None,
    target: Sequence[int],
    probe: Probe | None = None,
    prompt: Sequence[int] = (),
    *,
    ends: bool = True,
    watch: bool = True,
) -> Iterator[DecodeStep]:
    """Yield the step that predicts each token of a target, and then EOS (teacher forcing).

    Row i of the single pass is what decoding would compute after i true tokens: the look-ahead
    mask replaces the growing prefix. For tokens that the model wrote itself, these are the steps
    of that decoding.

    The target has no BOS; `ends` says whether EOS follows it. Without `watch` no weights are kept,
    and the fused kernel runs.

    Raises:
        ConfigError: The decoder is parallel.
    """
    # Without a look-ahead mask it would see every token that it has to predict.
    require_next(model.config)
    prompt = tuple(prompt) or model.config.begins
    written = (*target, *(model.config.eos_ids[:1] if ends and source_S is not None else ()))
    fed = (*prompt, *written[:-1])
    record = Record()
    probes = [each for each in (probe, record if watch else None) if each is not None]
    with torch.inference_mode():
        source_1S = None if source_S is None else source_S[None]
        fed_1T = torch.tensor([fed], device=model.device)
        logits_1TV = model(source_1S, fed_1T, Probes(probes) if probes else None)
    logits_TV = mask_special_tokens(logits_1TV[0], model.config)
    sites = [site for site in model.sites() if watch and not site.in_encoder]
    for row, chosen in enumerate(written, start=len(prompt) - 1):
        prefix = fed[: row + 1]
        attention = {}
        for site in sites:
            row_HK = record.weights(site)[0, :, row]
            attention[site] = row_HK[:, : len(prefix)] if site.attention.causal else row_HK
        yield DecodeStep(prefix, logits_TV[row], chosen, attention)


@dataclass(frozen=True, slots=True)
class Forced:
    """Teacher forcing: the true target is fed, whatever the model predicts."""

    target: tuple[int, ...]
    """Ids without BOS and EOS; for a decoder alone, those after the prompt."""


DecodingStrategy = Sampler | Beam | Forced
"""How a whole target is written, of a decoder that writes token by token."""


def decode(  # noqa: PLR0913
    model: Transformer,
    source: Sequence[int],
    method: DecodingStrategy,
    overrides: Mapping[int, int] | None = None,
    prompt: Sequence[int] = (),
    *,
    max_new_tokens: int | None = None,
) -> list[DecodeStep]:
    """Return all steps of decoding one source, or of continuing a prompt.

    A beam search returns the steps of its best hypothesis, and starts from the last override.
    Teacher forcing has no overrides.
    """
    source_S = torch.tensor(source) if source else None
    fed, overrides = tuple(prompt) or model.config.begins, overrides or {}
    if isinstance(method, Forced):
        return list(forced_steps(model, source_S, method.target, prompt=fed))
    if isinstance(method, Beam):
        written = _best_of_beam(model, source_S, method, overrides, fed, max_new_tokens)
    else:
        steps = decode_steps(
            model, source_S, fed, method, overrides=overrides, max_new_tokens=max_new_tokens
        )
        written = tuple(step.chosen for step in steps)
    # One pass over the output gives the steps that led there.
    return list(forced_steps(model, source_S, written, prompt=fed, ends=False))


def _best_of_beam(  # noqa: PLR0913
    model: Transformer,
    source_S: Tensor | None,
    method: Beam,
    overrides: Mapping[int, int],
    prompt: Ids,
    max_new_tokens: int | None,
) -> Ids:
    """Return the tokens of the best hypothesis, with EOS if finished."""

    def best(prefix: Ids) -> Ids:
        found = list(beam_steps(model, source_S, method, prefix, prompt, max_new_tokens))
        # There are no steps if the prefix reaches the limit.
        return found[-1].best.tokens if found else prefix

    tokens = best(())
    for step, token in sorted(overrides.items()):
        if step < len(tokens):
            beginning = (*tokens[:step], token)
            tokens = beginning if token in model.config.eos_ids else best(beginning)
    return tokens
