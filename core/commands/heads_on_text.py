"""What the heads of an opened model do on text made for it, and what silencing some costs."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from core.evaluate.intervals import Difference
from core.runs.run import Run
from core.studies.effects.text_cost import TextCost, text_costs
from core.studies.heads.antecedent import AntecedentHead, antecedent_of
from core.studies.heads.question import Role
from core.studies.heads.text_roles import TextRoles, text_roles

SHOWN = 5
"""The number of heads that are shown of each role."""


def run(loaded: Run, *, as_json: bool) -> None:
    """Print the heads of every role, and what silencing the best induction heads costs.

    Of an encoder also the head that links "it" to its antecedent, if any does.
    """
    found = text_roles(loaded, "random")
    costs, antecedent = text_costs(loaded, "random", Role.INDUCTION).of, antecedent_of(loaded)
    own = text_roles(loaded, "own") if loaded.settings.has_lines else None
    own_costs = {role: text_costs(loaded, "own", role).of for role in (own.scores if own else ())}
    if as_json:
        of_own = {"own_lines": _own_json(own, own_costs)} if own else {}
        print(json.dumps(_json(found, costs, antecedent) | of_own))
        return
    for line in _lines(found, costs, antecedent):
        print(line)
    for line in _own_lines(own, own_costs) if own else ():
        print(line)


def _json(
    found: TextRoles, costs: Mapping[int, TextCost], antecedent: AntecedentHead | None
) -> dict[str, object]:
    told: dict[str, object] | None = None
    if antecedent is not None:
        told = {"head": str(antecedent.head), "of_heads": antecedent.n_heads}
        told |= {name: getattr(antecedent, name) for name in ("share", "interval", "n")}
        told["baselines"] = asdict(antecedent.baselines)
    return {
        "n_sequences": found.n_texts,
        "tokens_before_they_repeat": found.half,
        "roles": _roles_json(found),
        "silenced_induction_heads": {
            n: _cost_json(cost, "second_half", first_half=True) for n, cost in costs.items()
        },
        "antecedent": told,
    }


def _own_json(found: TextRoles, costs: Mapping[Role, Mapping[int, TextCost]]) -> dict[str, object]:
    return {
        "roles": _roles_json(found),
        "silenced": {
            role: {n: _cost_json(cost, "loss") for n, cost in of_role.items()}
            for role, of_role in costs.items()
        },
    }


def _cost_json(cost: TextCost, name: str, *, first_half: bool = False) -> dict[str, object]:
    """Return what silencing heads costs, and what silencing others of their layers does."""
    before = {"first_half": cost.first_half and asdict(cost.first_half)} if first_half else {}
    return {
        "heads": [str(head) for head in cost.heads],
        **before,
        name: asdict(cost.silenced),
        "others": [str(head) for head in cost.others],
        f"others_{name}": asdict(cost.control),
    }


def _roles_json(found: TextRoles) -> dict[str, dict[str, object]]:
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


def _lines(
    found: TextRoles, costs: Mapping[int, TextCost], antecedent: AntecedentHead | None
) -> Iterator[str]:
    """Yield what was measured as lines to read."""
    yield (
        f"{found.n_texts} sequences of {found.half} random tokens, said twice; "
        "the mean weight on what a role looks at"
    )
    yield from _role_lines(found)
    yield from _cost_lines(Role.INDUCTION, costs, "the repetition")
    if antecedent is not None:
        low, high = antecedent.interval
        yield (
            f'"it" looks at its antecedent more than at other nouns in {antecedent.share:.1%} '
            f"({low:.1%} to {high:.1%}) of {antecedent.n} sentences at {antecedent.head}, which "
            f"was the best of {antecedent.n_heads} heads on others; the nearest noun is right in "
            f"{antecedent.baselines.nearest_noun:.1%}, the first in "
            f"{antecedent.baselines.first_noun:.1%}"
        )


def _own_lines(found: TextRoles, costs: Mapping[Role, Mapping[int, TextCost]]) -> Iterator[str]:
    yield ""
    yield "your own lines; the mean weight on what a role looks at"
    yield from _role_lines(found)
    for role, of_role in costs.items():
        yield from _cost_lines(role, of_role, "the next token")


def _cost_lines(role: Role, costs: Mapping[int, TextCost], what: str) -> Iterator[str]:
    for n, cost in costs.items():
        before = f"; before it repeats {_rise(cost.first_half)}" if cost.first_half else ""
        yield (
            f"without the best {n} of {role}, -log p of {what} rises "
            f"{_rise(cost.silenced)}{before}; without {n} others of the same layers "
            f"{_rise(cost.control)} (n = {cost.silenced.n})"
        )


def _role_lines(found: TextRoles) -> Iterator[str]:
    for role, scores in found.scores.items():
        for head in found.best(role, SHOWN):
            low, high = scores[head].interval
            yield (
                f"{role:<10} {head!s:<20} {scores[head].value:.3f} "
                f"({low:.3f} to {high:.3f}; an even row {scores[head].baseline:.3f})"
            )


def _rise(found: Difference) -> str:
    return (
        f"by {found.after - found.before:.2f} ({found.low:.2f} to {found.high:.2f}) "
        f"from {found.before:.2f} nats"
    )
