"""Teacher forcing: the steps of a target that is given, in one masked pass.

S source length, T target length.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from core.decoding.step import DecodeStep, sayable
from core.model import Probe, Probes, Record, Transformer
from core.vocabulary import BOS, EOS


def forced_steps(
    model: Transformer, source_S: Tensor, target: Sequence[int], probe: Probe | None = None
) -> Iterator[DecodeStep]:
    """Yield the step at which each token of a target, and then EOS, is to be predicted.

    Row i of the one pass is what decoding would compute after i true tokens: the look-ahead mask
    stands in for the growing prefix.

    Args:
        model: In evaluation mode.
        source_S: One source, with EOS.
        target: Ids without BOS and EOS.
        probe: Looks at the attention sublayers or changes them.
    """
    fed = (BOS, *target)
    record = Record()
    probes = [each for each in (probe, record) if each is not None]
    with torch.inference_mode():
        logits_1TV = model(source_S[None], source_S.new_tensor([fed]), Probes(probes))
    logits_TV = sayable(logits_1TV[0], model.config)
    sites = [site for site in model.sites() if not site.in_encoder]
    for step, chosen in enumerate((*target, EOS)):
        prefix = fed[: step + 1]
        attention = {}
        for site in sites:
            row_HK = record.weights(site)[0, :, step]
            attention[site] = row_HK[:, : len(prefix)] if site.attention.causal else row_HK
        yield DecodeStep(prefix, logits_TV[step], chosen, attention)
