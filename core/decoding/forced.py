"""Teacher forcing: the steps of a target that is given, in one masked pass.

S source length, T target length.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from core.decoding.step import DecodeStep, require_next, sayable
from core.model import Probe, Probes, Record, Transformer


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
    """Yield the step at which each token of a target, and then EOS, is to be predicted.

    Row i of the one pass is what decoding would compute after i true tokens: the look-ahead mask
    stands in for the growing prefix. Of tokens that a model wrote by itself these are the very
    steps that led there.

    Args:
        model: In evaluation mode.
        source_S: One source, with EOS; None for a decoder alone, whose texts have no end that it
            must predict.
        target: Ids without BOS.
        probe: Looks at the attention sublayers or changes them.
        prompt: What the decoder is fed first; nothing for what the model always begins with.
        ends: Whether EOS follows the target.
        watch: Keep what every head looked at; without, the fused kernel runs.

    Raises:
        ConfigError: The decoder is parallel.
    """
    prompt = tuple(prompt) or model.config.begins
    written = (*target, *(model.config.eos_ids[:1] if ends and source_S is not None else ()))
    # Its own row would show it every token that it is to predict.
    require_next(model.config)
    fed = (*prompt, *written[:-1])
    record = Record()
    probes = [each for each in (probe, record if watch else None) if each is not None]
    with torch.inference_mode():
        source_1S = None if source_S is None else source_S[None]
        fed_1T = torch.tensor([fed], device=model.device)
        logits_1TV = model(source_1S, fed_1T, Probes(probes) if probes else None)
    logits_TV = sayable(logits_1TV[0], model.config)
    sites = [site for site in model.sites() if watch and not site.in_encoder]
    for row, chosen in enumerate(written, start=len(prompt) - 1):
        prefix = fed[: row + 1]
        attention = {}
        for site in sites:
            row_HK = record.weights(site)[0, :, row]
            attention[site] = row_HK[:, : len(prefix)] if site.attention.causal else row_HK
        yield DecodeStep(prefix, logits_TV[row], chosen, attention)
