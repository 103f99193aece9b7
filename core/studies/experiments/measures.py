"""What is measured of a trained variant beside its share of right sentences and its loss.

B batch, T target length.
"""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path

import torch

from ...batch import Pair, collate, encode_samples, encode_source, pad
from ...decoding.generate import generate
from ...decoding.mask_predict import MaskPredict
from ...decoding.targets import generate_targets
from ...evaluate import SEED
from ...evaluate.evaluation import held_out_pairs
from ...evaluate.exposure import after_mistake, exposure
from ...evaluate.metrics import sorted_batches
from ...inspection import even_weights
from ...messages import N_
from ...model import Record, Step
from ...runs.metrics import read_rows
from ...runs.run import Run, load_run
from ...tasks import TASKS
from ...tasks.symbols import Defining
from ..heads.largest_weights import evenness

EXACT_MATCH = "exact_match"
"""The measure that every experiment has."""
LEARNED = 0.95
"""Share of right sentences from which on a task counts as learned."""
IN_A_ROW = 3
N_COPIED = 1000
"""Held-out sentences in which names are looked for."""
N_FORCED = 400
"""Held-out sentences in which a mistake is forced."""
N_LOOKED_AT = 100
"""Held-out sentences whose attention weights are looked at."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a trained run."""

    name: str
    """In files."""
    label: str
    """What people call it; marked for translation."""
    of: Callable[[Run], float | None]
    """Measures it; None for a run that has no such figure."""
    share: bool = False
    """Whether it is a share, which is written in percent."""
    fewer_is_better: bool = False
    meaning: str = ""
    """What it is, where its label does not say it; marked for translation."""
    reported: bool = True
    """Whether the sentences of the results name it; the table always does."""


def _steps_to_learn(run: Run) -> float | None:
    """Return the first of `IN_A_ROW` measurements of `LEARNED` or more: one may be chance."""
    key = "held_out_exact_match"
    rows = [row for row in read_rows(run.path) if key in row]
    for at in range(len(rows) - IN_A_ROW + 1):
        if all(row[key] >= LEARNED for row in rows[at : at + IN_A_ROW]):
            return float(rows[at]["step"])
    return None


def _after_mistake(run: Run) -> float:
    return after_mistake(run.model, held_out_pairs(run, N_FORCED, 0))


def _without_mistake(run: Run) -> float:
    found = exposure(run.model, held_out_pairs(run, N_FORCED, 0))
    return sum(each.free * each.n for each in found) / sum(each.n for each in found)


def _bleu(run: Run) -> float | None:
    return None if run.evaluation is None else float(run.evaluation["bleu"])


def _tokens(run: Run) -> float:
    """Return the mean number of tokens of a held-out target, END included."""
    pairs = held_out_pairs(run, N_FORCED, 0)
    return sum(len(pair.target) - 1 for pair in pairs) / len(pairs)


@torch.inference_mode()
def _states_before(run: Run) -> float:
    """Return how far the encoder's first states of two rows are from each other.

    They are the task's first examples, alike but for what their letters stand for. The distance is
    relative to the length of the first state.
    """
    states = []
    for example in TASKS[Defining.name].examples[:2]:
        ids_1S = torch.tensor([encode_source(run.tokenizer, example.source)])
        states.append(run.model.encode(ids_1S.to(run.model.device))[0, 0].double())
    one_D, other_D = states
    return float((one_D - other_D).norm() / one_D.norm())


@torch.inference_mode()
def _evenness(run: Run) -> float:
    """Return how evenly the weights of all heads are spread, the mean over held-out sentences."""
    found = []
    for pair in held_out_pairs(run, N_LOOKED_AT, 0):
        record = Record()
        batch = collate([pair])
        run.model(batch.source_BS, batch.fed_BT, record)
        for site in run.model.sites():
            weights_HQK = record.weights(site)[0]
            visible_QK = record.tensors[site, Step.VISIBLE][0].expand_as(weights_HQK[0])
            even_QK = even_weights(visible_QK.numpy())
            found += [evenness(each_QK.numpy(), even_QK) for each_QK in weights_HQK]
    return sum(found) / len(found)


STEPS_TO_LEARN = Measure(
    "steps_to_learn", N_("steps to 95 % exact match"), _steps_to_learn, fewer_is_better=True
)
AFTER_MISTAKE = Measure(
    "after_mistake", N_("tokens right after a forced mistake"), _after_mistake, share=True
)
WITHOUT_MISTAKE = Measure(
    "without_mistake", N_("tokens right without it"), _without_mistake, share=True
)
BLEU = Measure("bleu", N_("BLEU"), _bleu)
EVENNESS = Measure(
    "evenness",
    N_("evenness of the weights"),
    _evenness,
    share=True,
    meaning=N_(
        "The entropy of a row of attention weights as a share of the largest possible, the mean "
        "over all heads: 100 % where a head looks at all tokens alike, 0 % where at one alone."
    ),
)
TOKENS = Measure("tokens", N_("tokens of a target"), _tokens)
STATES_BEFORE = Measure(
    "states_before", N_("distance of the first states in two rows"), _states_before
)


@lru_cache(maxsize=1)
def _copying(path: Path) -> Mapping[str, float]:
    """Return all figures of copying at once; each of them is asked for after the other."""
    return copying_figures(load_run(path), N_COPIED, SEED)


def _of_copying(name: str, label: str, meaning: str = "", *, reported: bool = False) -> Measure:
    def of(run: Run) -> float | None:
        return _copying(run.path).get(name)

    return Measure(name, label, of, share=True, meaning=meaning, reported=reported)


_P_GEN = N_(
    "p_gen is the share of the next word’s probability that comes from the vocabulary; the rest is "
    "copied from the source. Without a pointer there is none."
)
COPYING = (
    _of_copying("names_right", N_("unseen names right"), reported=True),
    _of_copying("seen_names_right", N_("seen names right")),
    _of_copying("seen_exact_match", N_("correct sentences, seen names only")),
    _of_copying("p_gen_words", N_("words generated, not copied (p_gen)"), _P_GEN),
    _of_copying("p_gen_names", N_("names generated, not copied (p_gen)"), _P_GEN),
)
"""How names are treated."""


# ---- parallel decoding: right sentences after some passes, and seconds


N_MEASURED = 1000
"""Held-out sentences among which the right ones are counted."""
N_TIMED = 30
"""Those that are decoded one by one and timed."""
REPEATS = 7
"""How often each of these is decoded."""


def _right(n_passes: int, label: str) -> Measure:
    def of(run: Run) -> float | None:
        if not run.model.config.is_parallel:
            return None
        pairs, right = held_out_pairs(run, N_MEASURED, 0), 0
        for batch in sorted_batches(pairs):
            source_BS = pad([pair.source for pair in batch], pad_id=run.model.config.pad_id)
            written = generate(run.model, source_BS, MaskPredict(n_passes))
            right += sum(pair.is_right(ids) for pair, ids in zip(batch, written, strict=True))
        return right / len(pairs)

    return Measure(f"right_{n_passes}", label, of, share=True)


def _seconds(name: str, label: str, n_passes: int | None) -> Measure:
    """Return what measures the seconds for a sentence; None: a causal decoder's, token by token."""

    def of(run: Run) -> float | None:
        if run.model.config.is_parallel is (n_passes is None):
            return None
        method = () if n_passes is None else (MaskPredict(n_passes),)
        sources = [pad([pair.source]) for pair in held_out_pairs(run, N_TIMED, 0)]
        return median_seconds([partial(generate, run.model, each, *method) for each in sources])

    return Measure(name, label, of, reported=False)


def median_seconds(calls: list[Callable[[], object]]) -> float:
    """Return the median over some calls of the seconds that each takes.

    Of each the smallest of several: what it takes where nothing else gets in its way.
    """
    found = sorted(min(_timed(call) for _ in range(REPEATS)) for call in calls)
    return found[len(found) // 2]


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


PASS_MEASURES = (
    _right(1, N_("right after 1 pass")),
    _right(2, N_("right after 2 passes")),
    _right(8, N_("right after 8 passes")),
    _seconds("seconds_1", N_("seconds a sentence, 1 pass"), 1),
    _seconds("seconds_4", N_("seconds a sentence, 4 passes"), 4),
    _seconds("seconds_steps", N_("seconds a sentence, a pass for each token"), None),
)
"""Right sentences by number of passes; 4 passes are what exact match counts."""


# ---- how a model treats names: whether it writes them, and whether it generates or copies them


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
