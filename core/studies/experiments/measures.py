"""What is measured of a trained variant beside its share of right sentences and its loss."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import torch

from ...batch import collate, encode_source
from ...evaluate import SEED
from ...evaluate.evaluation import held_out_pairs
from ...evaluate.exposure import after_mistake, exposure
from ...evaluate.pointer import copying_figures
from ...inspection import even_weights
from ...messages import N_
from ...model import Record, Step
from ...runs.metrics import read_rows
from ...runs.run import Run, load_run
from ...tasks import TASKS
from ...tasks.symbols import Defining
from ..heads.evenness import evenness

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
"""How names are treated; see `core.evaluate.pointer`."""
