"""Say what each head of a run does, and what silencing it costs."""

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..heads import Head
from ..studies.effects import N_SENTENCES
from . import options
from .options import CommandError, print_table, progress_printer
from .translate import OF_WRITING

if TYPE_CHECKING:
    from ..evaluate.intervals import Difference
    from ..runs.run import Run
    from ..studies.effects.head_effects import HeadEffects
    from ..studies.heads.roles import HeadRole
    from ..studies.heads.text_roles import TextRoles


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, and how many sentences."""
    add = parser.add_argument
    add("run", type=options.run_folder, metavar="RUN", help="such as gallery/translate")
    add(
        "--n",
        type=options.samples,
        help=f"held-out sentences (default: as stored, else {N_SENTENCES})",
    )
    add("--fresh", action="store_true", help="measure and store anew what is stored")
    add(
        "--prune",
        action="store_true",
        help="and silence one head after the other, and keep what is left of the model each time",
    )
    add(
        "--prompts",
        type=Path,
        metavar="FILE",
        help="measure the difference of two logits instead: on each line a prompt, a right and a "
        "wrong continuation, between tabs or as JSON",
    )
    add("--json", action="store_true")


def run(arguments: argparse.Namespace) -> None:
    """Print the scores and the effects; the effects are kept in the run's folder."""
    if arguments.prompts is not None:
        options.refuse(arguments, ("n", "fresh", "prune"), "does not go with --prompts")
        _print_effects_on_prompts(arguments)
        return
    from ..runs.run import load_run
    from ..studies.effects.pruning import N_PRUNED, pruned
    from ..studies.heads.roles import roles_of_heads

    loaded = load_run(arguments.run)
    if not loaded.settings.has_pairs or not loaded.settings.model.is_encoder_decoder:
        why = "is for held-out pairs; the heads of this model are measured on whole texts"
        options.refuse(arguments, ("n", "fresh", "prune"), why)
        _print_text_roles(loaded, as_json=arguments.json)
        return
    effects = _effects(loaded, arguments.n, fresh=arguments.fresh)
    if arguments.prune:
        for _ in pruned(loaded, N_PRUNED):
            pass
    found = roles_of_heads(loaded, effects.n, effects.seed)
    roles = {role.head: role for role in found.heads}
    if arguments.json:
        print(json.dumps(to_json(effects, roles)))
        return
    print(f"{effects.n} held-out sentences (seed {effects.seed}), weights of step {effects.step};")
    print("what silencing each head changes, with the 95 % interval of the change")
    print_table(_columns(effects, roles))


def _print_effects_on_prompts(arguments: argparse.Namespace) -> None:
    """Print what silencing each head changes in how much a right continuation is preferred."""
    from ..runs.run import load_run
    from ..studies.effects.prompts import effects_on_prompts, encode_prompts, read_prompts
    from ..studies.heads.question import heads_of

    # A fault in the file is found before the model is loaded, which may take long.
    rows = read_prompts(arguments.prompts)
    loaded = load_run(arguments.run)
    if loaded.model.config.is_encoder_only or loaded.model.config.is_parallel:
        raise CommandError(f"--prompts {OF_WRITING}")
    prompts, found = encode_prompts(loaded, rows), list[tuple[Head, "Difference"]]()
    tell = progress_printer("silenced", len(heads_of(loaded.model)))
    for effect in effects_on_prompts(loaded, prompts):
        found.append(effect)
        tell(len(found))
    # The head that the right continuation needs most is the first.
    found.sort(key=lambda each: each[1].change)
    table: dict[str, list[object]] = {"head": [str(head) for head, _ in found]}
    for name in ("before", "after", "change", "low", "high", "n"):
        table[name] = [getattr(difference, name) for _, difference in found]
    if arguments.json:
        print(json.dumps({name: list(map(_finite, column)) for name, column in table.items()}))
        return
    print("logit of the right continuation less that of the wrong one, mean over the prompts,")
    print("before and after each head is silenced, with the 95 % interval of the change")
    print_table(table)


def _finite(value: object) -> object:
    """Return a number as JSON can hold it: one prompt has no interval."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _effects(loaded: "Run", n: int | None, *, fresh: bool) -> "HeadEffects":
    """Return the stored effects, or measure; what is stored stays unless it is to be fresh."""
    from ..studies.effects.head_effects import SEED, HeadEffects, head_effects
    from ..studies.effects.measuring import measured_effects, stored_effects

    stored = None if fresh else stored_effects(loaded)
    if stored is not None and n in (None, stored.n):
        return stored
    measure = measured_effects if stored is None else head_effects
    found = tuple(measure(loaded, n or N_SENTENCES))
    return HeadEffects(found, found[0].exact_match.n, SEED, loaded.step)


def to_json(effects: "HeadEffects", roles: "dict[Head, HeadRole]") -> dict[str, Any]:
    """Return what is known of every head as JSON can hold it."""
    from ..studies.effects.measuring import effect_json

    names = ("value", "baseline", "rule", "n")
    heads = [
        {
            "head": str(each.head),
            "scores": {
                str(role): {name: getattr(score, name) for name in names}
                for role, score in roles[each.head].scores.items()
            },
            "effect": effect_json(each),
        }
        for each in effects.heads
    ]
    return {"step": effects.step, "n": effects.n, "seed": effects.seed, "heads": heads}


def _columns(effects: "HeadEffects", roles: "dict[Head, HeadRole]") -> dict[str, list[object]]:
    """Return one row for each head: its leading role, and each figure that was measured."""
    from ..studies.effects.head_effects import figure_of, figures

    found = [roles[each.head] for each in effects.heads]
    scores = [each.leading and each.scores[each.leading] for each in found]
    columns: dict[str, list[object]] = {
        "head": [each.head for each in found],
        "role": [each.leading for each in found],
        "score": [score and score.value for score in scores],
        "baseline": [score and score.baseline for score in scores],
    }
    for name in figures(effects):
        changes = [figure_of(each, name) for each in effects.heads]
        columns[name] = [
            each and f"{each.change:+.4f} [{each.low:+.4f}, {each.high:+.4f}]" for each in changes
        ]
    return columns


def _print_text_roles(loaded: "Run", *, as_json: bool) -> None:
    """Print what the heads of an opened model do on random tokens said twice, and on own lines."""
    from ..studies.heads.text_roles import text_roles

    found = text_roles(loaded, "random")
    own = text_roles(loaded, "own") if loaded.settings.has_lines else None
    if as_json:
        of_random = {"n_sequences": found.n_texts, "tokens_before_they_repeat": found.half}
        of_own = {"own_lines": {"roles": _roles_json(own)}} if own else {}
        print(json.dumps(of_random | {"roles": _roles_json(found)} | of_own))
        return
    print(f"{found.n_texts} sequences of {found.half} random tokens, said twice")
    print_table(found.table())
    if own:
        print("your own lines")
        print_table(own.table())


def _roles_json(found: "TextRoles") -> dict[str, dict[str, object]]:
    return {
        role: {
            str(head): {
                "share": score.value,
                "baseline": score.baseline,
                "interval": score.interval,
                "n_rows": score.n,
                "n_sequences": score.n_texts,
            }
            for head, score in scores.items()
        }
        for role, scores in found.scores.items()
    }
