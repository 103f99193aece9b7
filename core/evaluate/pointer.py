"""How a model treats names: whether it writes them, and whether it generates or copies them.

B batch, T target length.
"""

import random
from collections.abc import Sequence
from itertools import islice

import torch

from ..batch import Pair, collate, encode_samples
from ..decoding.targets import generate_targets
from ..model import Record, Step
from ..runs.run import Run
from ..tasks import TASKS
from .evaluation import held_out_pairs
from .metrics import sorted_batches


def copying_figures(run: Run, n: int, seed: int) -> dict[str, float]:
    """Measure a run on up to `n` held-out sentences, and on as many with names of the training.

    Returns:
        Nothing if no tokens are names. Otherwise names_right, the share of the names in held-out
        targets that are written at the same position; seen_names_right, the same of sentences with
        names of the training, and seen_exact_match, the share of those that are written without a
        mistake. With a pointer also p_gen_words and p_gen_names, the mean p_gen at the words of
        held-out targets, EOS excluded, and at their names, after the true prefix.
    """
    if not run.tokenizer.n_names:
        return {}
    drawn = TASKS[run.settings.task].training_samples(random.Random(f"seen {seed}"))
    held_out = held_out_pairs(run, n, seed)
    names_right, _ = _written(run, held_out)
    seen = _written(run, encode_samples(run.tokenizer, list(islice(drawn, n))))
    figures = {"names_right": names_right, "seen_names_right": seen[0], "seen_exact_match": seen[1]}
    return figures | _p_gen(run, held_out)


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
def _p_gen(run: Run, pairs: Sequence[Pair]) -> dict[str, float]:
    """Return the mean p_gen at words and at names; nothing without a pointer."""
    pointer, config = run.model.pointer, run.model.config
    if pointer is None:
        return {}
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
    both = {"p_gen_words": words, "p_gen_names": names}
    return {name: float(torch.cat(each).mean()) for name, each in both.items()}
