"""What the heads of an opened model do on text made for it, and what silencing some costs."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from core.analysis.effects.repetition_cost import (
    RepetitionCost,
    control_heads,
    cost_of_silencing,
)
from core.analysis.heads.antecedent import AntecedentHead, antecedent_head, sentences_with_it
from core.analysis.heads.repeated_text import RepeatedText, TextScore, measure_roles
from core.analysis.heads.repeated_tokens import HALF, Specials, TextRole
from core.evaluate.intervals import Difference
from core.heads import Head
from core.runs.run import Run

SHOWN = 5
"""So many heads of each role."""
SILENCED = (1, 3, 5)
"""So many of the best induction heads are silenced together."""
N_WITH_IT = 400
"""Sentences with a pronoun: a half to choose the head by, and a half to test it on."""


def run(loaded: Run, *, as_json: bool) -> None:
    """Print the heads of every role, and what silencing the best induction heads costs.

    Of an encoder it is told, too, which head links "it" to its antecedent, if any does.
    """
    specials = Specials.of(loaded.tokenizer)
    room = loaded.model.config.max_positions - len(specials.begins) - len(specials.ends) - 1
    found = measure_roles(loaded.model, half=min(HALF, room // 2), specials=specials)
    costs, antecedent = costs_of_induction(loaded, found), antecedent_of(loaded)
    if as_json:
        print(json.dumps(to_json(found, costs, antecedent)))
    else:
        for line in lines(found, costs, antecedent):
            print(line)


def costs_of_induction(loaded: Run, found: RepeatedText) -> dict[int, RepetitionCost]:
    """Return what silencing so many of the best induction heads costs a decoder alone."""
    if loaded.model.config.stacks != ("decoder",):
        return {}
    costs = {}
    for n in SILENCED:
        heads = found.best(TextRole.INDUCTION, n)
        try:
            controls = control_heads(found, TextRole.INDUCTION, heads)
        except ValueError:
            # So small a model has no other heads to compare with.
            continue
        costs[n] = cost_of_silencing(loaded.model, heads, controls, found.text.drawn_anew())
    return costs


def antecedent_of(loaded: Run) -> AntecedentHead | None:
    """Return the head of an encoder that links "it" to its antecedent most often."""
    if "encoder" not in loaded.model.config.stacks:
        return None
    pairs = sentences_with_it(loaded.tokenizer, N_WITH_IT)
    most = loaded.model.config.max_positions
    if any(len(pair.source) > most for pair in pairs):
        return None
    half = len(pairs) // 2
    return antecedent_head(loaded.model, pairs[:half], pairs[half:])


def to_json(
    found: RepeatedText, costs: Mapping[int, RepetitionCost], antecedent: AntecedentHead | None
) -> dict[str, object]:
    """Return what was measured as JSON can hold it."""
    return {
        "n_sequences": found.text.n_sequences,
        "tokens_before_they_repeat": found.text.half,
        "roles": {
            role: {str(head): asdict(score) for head, score in scores.items()}
            for role, scores in found.scores.items()
        },
        "silenced_induction_heads": {
            n: {
                "heads": [str(head) for head in cost.silenced.heads],
                "first_half": asdict(cost.silenced.first),
                "second_half": asdict(cost.silenced.second),
                "others": [str(head) for head in cost.control.heads],
                "others_second_half": asdict(cost.control.second),
            }
            for n, cost in costs.items()
        },
        "antecedent": None if antecedent is None else _antecedent_json(antecedent),
    }


def _antecedent_json(found: AntecedentHead) -> dict[str, object]:
    return {
        "head": str(found.head),
        "of_heads": found.n_heads,
        "share": found.share,
        "interval": found.interval,
        "n": found.n,
        "baselines": asdict(found.baselines),
    }


def lines(
    found: RepeatedText, costs: Mapping[int, RepetitionCost], antecedent: AntecedentHead | None
) -> Iterator[str]:
    """Yield what was measured as lines to read."""
    text = found.text
    yield (
        f"{text.n_sequences} sequences of {text.half} random tokens, said twice; "
        "the mean weight on what a role looks at"
    )
    for role, scores in found.scores.items():
        for head in found.best(role, SHOWN):
            yield _role_line(role, head, scores[head])
    for n, cost in costs.items():
        yield (
            f"without the best {n} of induction, -log p of the repetition rises "
            f"{_rise(cost.silenced.second)}; before it repeats {_rise(cost.silenced.first)}; "
            f"without {n} others of the same layers {_rise(cost.control.second)}"
        )
    if antecedent is not None:
        low, high = antecedent.interval
        yield (
            f'"it" looks at its antecedent more than at other nouns in {antecedent.share:.1%} '
            f"({low:.1%} to {high:.1%}) of {antecedent.n} sentences at {antecedent.head}, which "
            f"was the best of {antecedent.n_heads} heads on others; the nearest noun is right in "
            f"{antecedent.baselines.nearest_noun:.1%}, the first in "
            f"{antecedent.baselines.first_noun:.1%}"
        )


def _role_line(role: TextRole, head: Head, score: TextScore) -> str:
    low, high = score.interval
    return (
        f"{role:<10} {head!s:<20} {score.share:.3f} "
        f"({low:.3f} to {high:.3f}; an even row {score.baseline:.3f})"
    )


def _rise(found: Difference) -> str:
    return (
        f"by {found.after - found.before:.2f} ({found.low:.2f} to {found.high:.2f}) "
        f"from {found.before:.2f} nats"
    )
