"""Greedy decoding that tries in one pass what a model is likely to write.

Whoever changes a head mostly reads the same words again, or the same up to some step. One pass over
the words of the unchanged model says how far they stay (Leviathan et al. 2023, "Fast Inference from
Transformers via Speculative Decoding"); only what comes after is written token by token.
"""

from collections.abc import Sequence
from itertools import islice

from torch import Tensor

from core.decoding.greedy import greedy_steps, most_probable
from core.decoding.limit import length_limit
from core.decoding.step import DecodeOptions, DecodeStep
from core.model import Probe, Transformer


def drafted_steps(
    model: Transformer,
    source_S: Tensor | None,
    draft: Sequence[DecodeStep],
    probe: Probe | None,
    prompt: Sequence[int],
) -> list[DecodeStep]:
    """Return the steps of greedy decoding, without what the heads looked at.

    Args:
        model: In evaluation mode.
        source_S: One source, with EOS; None for a decoder alone.
        draft: Steps of teacher forcing after the prompt, with the same probe; none to try nothing.
        probe: Looks at the attention sublayers or changes them.
        prompt: What the decoder is fed first.
    """
    limit = length_limit(model, 0 if source_S is None else len(source_S), len(prompt))
    kept: list[DecodeStep] = []
    for step in draft[:limit]:
        if step.chosen != most_probable(step.logits_V):
            break
        kept.append(step)
        if step.chosen in model.config.eos_ids:
            return kept
    begun = (*prompt, *(step.chosen for step in kept))
    options = DecodeOptions(probe=probe, watch=False)
    # Where all positions are taken, nothing is left to write.
    n_left = limit - len(kept)
    if not n_left:
        return kept
    return [*kept, *islice(greedy_steps(model, source_S, options, begun), n_left)]
