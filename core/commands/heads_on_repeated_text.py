"""What the heads of an opened model do on text made for it, and what silencing some costs."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from core.evaluate.intervals import Difference
from core.heads import Head
from core.runs.run import Run
from core.studies.effects.line_cost import LineCost, costs_on_lines
from core.studies.effects.repetition_cost import RepetitionCost, costs_of_induction
from core.studies.heads.antecedent import AntecedentHead, antecedent_of
from core.studies.heads.own_lines import roles_on_lines
from core.studies.heads.repeated_text import RepeatedText, TextRoles, TextScore, roles_on_text
from core.studies.heads.repeated_tokens import TextRole

SHOWN = 5
"""So many heads of each role."""


def run(loaded: Run, *, as_json: bool) -> None:
    """Print the heads of every role, and what silencing the best induction heads costs.

    Of an encoder it is told, too, which head links "it" to its antecedent, if any does.
    """
    found = roles_on_text(loaded)
    costs, antecedent = costs_of_induction(loaded, found), antecedent_of(loaded)
    own = roles_on_lines(loaded) if loaded.settings.has_lines else None
    own_costs = {} if own is None else {role: costs_on_lines(loaded, role) for role in own.scores}
    if as_json:
        of_own = {} if own is None else {"own_lines": _own_json(own, own_costs)}
        print(json.dumps(to_json(found, costs, antecedent) | of_own))
        return
    for line in lines(found, costs, antecedent):
        print(line)
    for line in () if own is None else _own_lines(own, own_costs):
        print(line)


def to_json(
    found: RepeatedText, costs: Mapping[int, RepetitionCost], antecedent: AntecedentHead | None
) -> dict[str, object]:
    """Return what was measured as JSON can hold it."""
    return {
        "n_sequences": found.text.n_sequences,
        "tokens_before_they_repeat": found.text.half,
        "roles": _roles_json(found),
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


def _own_json(
    found: TextRoles, costs: Mapping[TextRole, Mapping[int, LineCost]]
) -> dict[str, object]:
    return {
        "roles": _roles_json(found),
        "silenced": {
            role: {
                n: {
                    "heads": [str(head) for head in cost.heads],
                    "loss": asdict(cost.silenced),
                    "others": [str(head) for head in cost.others],
                    "others_loss": asdict(cost.control),
                }
                for n, cost in of_role.items()
            }
            for role, of_role in costs.items()
        },
    }


def _roles_json(found: TextRoles) -> dict[str, dict[str, object]]:
    return {
        role: {str(head): asdict(score) for head, score in scores.items()}
        for role, scores in found.scores.items()
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
    yield from _role_lines(found)
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


def _own_lines(found: TextRoles, costs: Mapping[TextRole, Mapping[int, LineCost]]) -> Iterator[str]:
    yield ""
    yield "your own lines; the mean weight on what a role looks at"
    yield from _role_lines(found)
    for role, of_role in costs.items():
        for n, cost in of_role.items():
            yield (
                f"without the best {n} of {role}, -log p of the next token rises "
                f"{_rise(cost.silenced)}; without {n} others of the same layers "
                f"{_rise(cost.control)} (n = {cost.silenced.n} lines)"
            )


def _role_lines(found: TextRoles) -> Iterator[str]:
    for role, scores in found.scores.items():
        for head in found.best(role, SHOWN):
            yield _role_line(role, head, scores[head])


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
