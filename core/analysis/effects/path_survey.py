"""Whether any single path changes what a model writes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from core.analysis.effects.path_effects import written_through
from core.analysis.effects.path_patching import Read, log_probability_of
from core.analysis.effects.path_study import path_pair
from core.runs.run import Run


@dataclass(frozen=True, slots=True)
class PathSurvey:
    """What all direct paths of two sentences change in the output, one at a time."""

    flips: bool
    """Whether any path, whatever the receiver reads of it, makes the model write another token."""
    most: Mapping[Read, float]
    """What is read → the largest change of the chance of the clean sentence's token, 0 to 1."""


def path_survey(run: Run, clean: str, other: str) -> PathSurvey:
    """Patch every direct path, one at a time, once for each thing that a receiver can read of it.

    Args and errors are those of `path_study.path_study`.
    """
    pair = path_pair(run, clean, other)
    before = math.exp(float(log_probability_of(pair.token, pair.paths.clean_logits_V)))
    flips, most = False, dict.fromkeys(Read, 0.0)
    for read in tuple(Read):
        for _senders, _receiver, logits_nV in written_through(pair.paths, read):
            flips |= bool((logits_nV.argmax(dim=-1) != pair.token).any())
            chance_n = log_probability_of(pair.token, logits_nV).exp()
            most[read] = max(most[read], float((chance_n - before).abs().max()))
    return PathSurvey(flips, most)
