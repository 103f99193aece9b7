"""Say what each head of a run does, and what silencing it costs."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from core.commands import heads_on_text, options
from core.evaluate.intervals import Difference
from core.heads import Head
from core.runs.run import Run, load_run
from core.studies.effects.head_effects import (
    N_SENTENCES,
    SEED,
    HeadEffect,
    HeadEffects,
    head_effects,
)
from core.studies.effects.measuring import effect_json, measured_effects, stored_effects
from core.studies.effects.pruning import N_PRUNED, pruned
from core.studies.heads.roles import HeadRole, roles_of_heads


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, and how many sentences."""
    parser.add_argument("run", type=Path, metavar="RUN", help="such as gallery/translate")
    parser.add_argument(
        "--n",
        type=options.samples,
        help=f"held-out sentences (default: as stored, else {N_SENTENCES})",
    )
    parser.add_argument(
        "--fresh", action="store_true", help="measure and store anew what is stored"
    )
    parser.add_argument(
        "--prune",
        action="store_true",
        help="and silence one head after the other, and keep what is left of the model each time",
    )
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> None:
    """Print the scores and the effects; the effects are kept in the run's folder."""
    loaded = load_run(arguments.run)
    if not loaded.settings.has_pairs or not loaded.settings.model.is_encoder_decoder:
        heads_on_text.run(loaded, as_json=arguments.json)
        return
    stored = None if arguments.fresh else stored_effects(loaded)
    effects = _known(loaded, arguments.n, stored)
    if arguments.prune:
        for _ in pruned(loaded, N_PRUNED):
            pass
    found = roles_of_heads(loaded, effects.n, effects.seed)
    roles = {role.head: role for role in found.heads}
    if arguments.json:
        print(json.dumps(to_json(effects, roles)))
    else:
        for line in table(effects, roles):
            print(line)


def _known(loaded: Run, n: int | None, stored: HeadEffects | None) -> HeadEffects:
    """Return what is stored where that is of so many sentences, else measure."""
    if stored is None:
        return _measured(loaded, n or N_SENTENCES)
    if n is None or n == stored.n or (n > stored.n and stored.all_there_are):
        return stored
    if n > stored.n:
        return _measured(loaded, n)
    print(
        f"note: what is stored stays, being of {stored.n} sentences; --fresh replaces it",
        file=sys.stderr,
    )
    found = tuple(head_effects(loaded, n))
    return HeadEffects(found, found[0].exact_match.n, SEED, loaded.step)


def _measured(loaded: Run, n: int) -> HeadEffects:
    """Measure and store; where nothing can be stored, say so and measure all the same."""
    try:
        found = tuple(measured_effects(loaded, n))
    except OSError as error:
        print(f"warning: what was measured is not kept: {error}", file=sys.stderr)
        found = tuple(head_effects(loaded, n))
    return HeadEffects(found, found[0].exact_match.n, SEED, loaded.step)


def to_json(effects: HeadEffects, roles: dict[Head, HeadRole]) -> dict[str, Any]:
    """Return what is known of every head as JSON can hold it."""
    return {
        "step": effects.step,
        "n": effects.n,
        "seed": effects.seed,
        "heads": [
            {
                "head": str(each.head),
                "scores": _scores(roles[each.head]),
                "effect": effect_json(each),
            }
            for each in effects.heads
        ],
    }


def _scores(role: HeadRole) -> dict[str, Any]:
    return {
        str(name): {
            "value": score.value,
            "baseline": score.baseline,
            "rule": score.rule,
            "n": score.n,
        }
        for name, score in role.scores.items()
    }


def table(effects: HeadEffects, roles: dict[Head, HeadRole]) -> list[str]:
    """Return the heads as lines to read."""
    pronouns = [each.pronoun for each in effects.heads if each.pronoun is not None]
    columns = ["head", "what it does", "exact match", "loss"]
    # These may be of more sentences than the rest.
    columns += [f"pronouns (n = {pronouns[0].n})"] if pronouns else []
    lines = [
        f"{effects.n} held-out sentences (seed {effects.seed}), weights of step {effects.step}.",
        "What silencing a head changes (shares in points), with its 95 % interval; * where that",
        "leaves 0 out, which by chance it does for one in twenty of heads that change nothing.",
        "",
        _row(columns),
    ]
    for each in effects.heads:
        lines.append(_row(_cells(each, roles[each.head])))
    return lines


def _row(cells: list[str]) -> str:
    return "".join(f"{cell:<{width}}" for cell, width in zip(cells, _WIDTHS, strict=False)).rstrip()


_WIDTHS = (18, 38, 26, 31, 26)


def _cells(effect: HeadEffect, role: HeadRole) -> list[str]:
    cells = [
        str(effect.head),
        _said(role),
        _points(effect.exact_match),
        f"{effect.loss.change:+.4f} [{effect.loss.low:+.4f}, {effect.loss.high:+.4f}]"
        f"{_star(effect.loss)}",
    ]
    if effect.pronoun is not None:
        cells.append(_points(effect.pronoun))
    return cells


def _said(role: HeadRole) -> str:
    """Return the role that says most of a head, with its score and baseline."""
    if role.leading is None:
        return "no role found"
    score = role.scores[role.leading]
    name = role.leading.replace("_", " ")
    return f"{name} {score.value:.0%} ({score.rule} {score.baseline:.0%})"


def _points(difference: Difference) -> str:
    """Return a change of a share, in percentage points."""
    change, low, high = (
        f"{100 * share:+.1f}" for share in (difference.change, difference.low, difference.high)
    )
    return f"{change} [{low}, {high}]{_star(difference)}"


def _star(difference: Difference) -> str:
    return " *" if difference.is_sure else ""
