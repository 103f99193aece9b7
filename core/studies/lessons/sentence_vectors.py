"""How alike an encoder makes two sentences: the cosine of their mean vectors. P positions, D width.

Source: Reimers and Gurevych, "Sentence-BERT" (2019), who train encoders so that it says how alike
two sentences are in meaning; of another encoder it says little.
"""

from itertools import combinations

import numpy as np
import torch
from numpy.typing import NDArray

from core.batch import encode_source
from core.runs.run import Run
from core.tasks import TASKS

N_OTHERS, SEED = 20, 0
"""So many sentences of the grammar say how alike two are that have nothing to do with each other,
and what draws them."""


@torch.inference_mode()
def sentence_vector(run: Run, sentence: str) -> NDArray[np.float64]:
    """Return vector_D: the mean of what the encoder makes of all tokens, special ones too."""
    source = encode_source(run.tokenizer, sentence)
    ids_1P = torch.tensor([source[: run.model.config.max_positions]], device=run.model.device)
    found: NDArray[np.float64] = run.model.encode(ids_1P)[0].double().mean(dim=0).cpu().numpy()
    return found


def sentence_cosine(run: Run, one: str, other: str) -> float:
    """Return the cosine of the vectors of two sentences, −1 to 1."""
    return _cosine(sentence_vector(run, one), sentence_vector(run, other))


def usual_cosine(run: Run) -> tuple[float, int]:
    """Return the mean cosine of all pairs of `N_OTHERS` sentences of the grammar, and their number.

    It is the baseline: in many encoders all sentences point much the same way.
    """
    samples = TASKS["translate"].held_out_samples(N_OTHERS, SEED)
    vectors = [sentence_vector(run, sample.source) for sample in samples]
    found = [_cosine(*pair) for pair in combinations(vectors, 2)]
    return float(np.mean(found)), len(found)


def _cosine(one_D: NDArray[np.float64], other_D: NDArray[np.float64]) -> float:
    lengths = np.linalg.norm(one_D) * np.linalg.norm(other_D)
    return float(one_D @ other_D / lengths) if lengths else 0.0
