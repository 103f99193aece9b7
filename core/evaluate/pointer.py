"""How a model treats names: whether it writes them, and whether it generates or copies them.

B batch, T target length.
"""

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice

import torch

from ..batch import Pair, collate, encode_samples
from ..decoding.targets import generate_targets
from ..model import Record, Step
from ..runs.run import Run
from ..tasks import TASKS
from .evaluation import held_out_pairs
from .metrics import sorted_batches


@dataclass(frozen=True, slots=True)
class CopyingFigures:
    """What a model does with names that training saw, and with those that it did not."""

    names_right: float
    """Share of the names in held-out targets that are written at the same position."""
    seen_names_right: float
    """The same of sentences with names of the training."""
    seen_exact_match: float
    """Share of those sentences that are written without a mistake."""
    p_gen_words: float | None
    """Mean p_gen at the words of held-out targets, after the true prefix; None without a pointer.
    EOS is excluded."""
    p_gen_names: float | None
    """The same at names."""

    @property
    def measured(self) -> dict[str, float]:
        """Name → figure, without missing ones."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def copying_figures(run: Run, n: int, seed: int) -> CopyingFigures | None:
    """Measure a run on up to `n` held-out sentences, and on as many with names of the training.

    Returns:
        None if no tokens are names.
    """
    if not run.tokenizer.n_names:
        return None
    drawn = TASKS[run.settings.task].training_samples(random.Random(f"seen {seed}"))
    held_out, trained = (
        held_out_pairs(run, n, seed),
        encode_samples(run.tokenizer, list(islice(drawn, n))),
    )
    names_right, _ = _written(run, held_out)
    seen_names_right, seen_exact_match = _written(run, trained)
    words, names = _p_gen(run, held_out)
    return CopyingFigures(names_right, seen_names_right, seen_exact_match, words, names)


def _written(run: Run, pairs: Sequence[Pair]) -> tuple[float, float]:
    """Return the shares of right names and of right sentences among greedy translations."""
    first = run.tokenizer.vocab_size - run.tokenizer.n_names
    names: list[bool] = []
    sentences: list[bool] = []
    for group in sorted_batches(pairs):
        for pair, ids in zip(group, generate_targets(run.model, group, run.tokenizer), strict=True):
            true = pair.target[1:]
            sentences.append(ids == true)
            names += [
                ids[at : at + 1] == (token,) for at, token in enumerate(true) if token >= first
            ]
    return sum(names) / len(names), sum(sentences) / len(sentences)


@torch.inference_mode()
def _p_gen(run: Run, pairs: Sequence[Pair]) -> tuple[float | None, float | None]:
    """Return the mean p_gen at words and at names."""
    pointer, config = run.model.pointer, run.model.config
    if pointer is None:
        return None, None
    first = run.tokenizer.vocab_size - run.tokenizer.n_names
    words, names = [], []
    for group in sorted_batches(pairs):
        batch = collate(group, config.pad_id).to(run.model.device)
        record = Record(frozenset({Step.P_GEN}), frozenset({pointer.site}))
        run.model(*batch.inputs, record)
        p_gen_BT = record.tensors[pointer.site, Step.P_GEN].double()
        name_BT = batch.labels_BT >= first
        ends_BT = torch.isin(batch.labels_BT, batch.labels_BT.new_tensor(config.eos_ids))
        names.append(p_gen_BT[name_BT])
        words.append(p_gen_BT[batch.predicted_BT & ~name_BT & ~ends_BT])
    return float(torch.cat(words).mean()), float(torch.cat(names).mean())
