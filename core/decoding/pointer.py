"""Where each written word comes from: the vocabulary, or a position of the source.

H heads, S source length, T target length, V vocabulary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ..batch import one_row
from ..model import Record, Step, Transformer
from ..runs.run import Run
from ..tokenizer.tokenizer import Token
from .sentence import translate


@dataclass(frozen=True, slots=True, eq=False)
class Copied:
    """What a pointer-generator does at each step of a target."""

    p_gen_T: NDArray[np.float64]
    """Share of the probability that is generated."""
    taken_TS: NDArray[np.float64]
    """(1 − p_gen) a: the share of each source position. With p_gen it sums to 1."""
    copied_T: NDArray[np.float64]
    """Probability of the step's word that is copied."""
    generated_T: NDArray[np.float64]
    """Probability of the step's word that is generated: the rest."""

    def place(self, step: int) -> int:
        """Return the source position with the largest share at a step."""
        return int(self.taken_TS[step].argmax())


@torch.inference_mode()
def copied(model: Transformer, source_ids: Sequence[int], target_ids: Sequence[int]) -> Copied:
    """Decompose the probabilities of a target, in one pass over its true prefixes.

    Args:
        model: With a pointer; in evaluation mode.
        source_ids: With EOS.
        target_ids: The decoder's first tokens, then the output, EOS last.
    """
    assert model.pointer is not None
    record = Record(frozenset({Step.P_GEN, Step.COPY_WEIGHTS}), frozenset({model.pointer.site}))
    fed, said_T = target_ids[:-1], torch.tensor(target_ids[1:])
    log_probabilities_TV = model(one_row(source_ids), one_row(fed), record)[0].double()
    p_gen_T = record.tensors[model.pointer.site, Step.P_GEN][0].double()
    weights_HTS = record.tensors[model.pointer.site, Step.COPY_WEIGHTS][0].double()
    taken_TS = (1 - p_gen_T)[:, None] * weights_HTS.mean(dim=0)
    stands_TS = torch.tensor(source_ids)[None] == said_T[:, None]
    copied_T = (taken_TS * stands_TS).sum(dim=1)
    whole_T = log_probabilities_TV.gather(1, said_T[:, None])[:, 0].exp()
    return Copied(
        p_gen_T=p_gen_T.numpy(),
        taken_TS=taken_TS.numpy(),
        copied_T=copied_T.numpy(),
        # Rounding must not make a share negative.
        generated_T=(whole_T - copied_T).clamp_min(0.0).numpy(),
    )


@dataclass(frozen=True, slots=True, eq=False)
class CopiedWords:
    """Where each token of a translation comes from."""

    shares: Copied
    source: tuple[Token, ...]
    written: tuple[Token, ...]
    """Everything the model writes, EOS included if it came."""
    source_ids: tuple[int, ...]
    written_ids: tuple[int, ...]

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return a row for each step and place of the source."""
        shares = self.shares
        steps, places = np.indices(shares.taken_TS.shape).reshape(2, -1).tolist()
        return {
            "step": steps,
            "written": [self.written[step].text for step in steps],
            "p_gen": shares.p_gen_T[steps].tolist(),
            "generated": shares.generated_T[steps].tolist(),
            "copied": shares.copied_T[steps].tolist(),
            "place": places,
            "source": [self.source[place].text for place in places],
            "taken": shares.taken_TS.reshape(-1).tolist(),
        }


def copied_words(run: Run, sentence: str) -> CopiedWords:
    """Translate a sentence, and return where each token of the translation comes from.

    Raises:
        SentenceError: There is no text.
    """
    translation = translate(run, sentence)
    source_ids, written_ids = translation.source_ids, translation.written_ids
    target_ids = (translation.first, *written_ids)
    return CopiedWords(
        copied(run.model, source_ids, target_ids),
        run.tokenizer.describe(source_ids),
        run.target_tokenizer.describe(target_ids)[1:],
        source_ids,
        written_ids,
    )
