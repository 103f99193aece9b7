"""What the heads of an opened model do on text made for it, and what silencing some costs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from core.commands.options import print_table
from core.runs.run import Run
from core.studies.effects.text_cost import TextCost, TextCosts, text_costs
from core.studies.heads.antecedent import AntecedentHead, antecedent_of
from core.studies.heads.question import Role
from core.studies.heads.text_roles import TextRoles, text_roles


def run(loaded: Run, *, as_json: bool) -> None:
    """Print the heads of every role, and what silencing the best induction heads costs.

    Of an encoder also the head that links "it" to its antecedent, if any does.
    """
    found = text_roles(loaded, "random")
    costs = text_costs(loaded, "random", Role.INDUCTION)
    own = text_roles(loaded, "own") if loaded.settings.has_lines else None
    own_costs = [text_costs(loaded, "own", role) for role in (own.scores if own else ())]
    if as_json:
        of_own = {"own_lines": _own_json(own, own_costs)} if own else {}
        print(json.dumps(_json(found, costs.of, antecedent_of(loaded)) | of_own))
        return
    print(f"{found.n_texts} sequences of {found.half} random tokens, said twice")
    print_table(found.table())
    print_table(costs.table())
    if own:
        print("your own lines")
        print_table(own.table())
        for each in own_costs:
            print_table(each.table())


def _json(
    found: TextRoles, costs: Mapping[int, TextCost], antecedent: AntecedentHead | None
) -> dict[str, object]:
    of_it: dict[str, object] | None = None
    if antecedent is not None:
        of_it = {"head": str(antecedent.head), "of_heads": antecedent.n_heads}
        of_it |= {name: getattr(antecedent, name) for name in ("share", "interval", "n")}
        of_it["baselines"] = asdict(antecedent.baselines)
    return {
        "n_sequences": found.n_texts,
        "tokens_before_they_repeat": found.half,
        "roles": _roles_json(found),
        "silenced_induction_heads": {
            n: _cost_json(cost, "second_half", first_half=True) for n, cost in costs.items()
        },
        "antecedent": of_it,
    }


def _own_json(found: TextRoles, costs: Sequence[TextCosts]) -> dict[str, object]:
    return {
        "roles": _roles_json(found),
        "silenced": {
            of_role.role: {n: _cost_json(cost, "loss") for n, cost in of_role.of.items()}
            for of_role in costs
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
