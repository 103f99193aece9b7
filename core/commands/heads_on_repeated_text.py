"""What the heads of an opened model do on repeated random tokens, and what silencing some costs."""

import json
from collections.abc import Iterator
from dataclasses import asdict

from core.analysis.heads.repeated_text import (
    RepeatedText,
    Role,
    SilencingCost,
    cost_of_silencing,
    measure_roles,
)
from core.runs.run import Run

SHOWN = 5
"""So many heads of each role."""
SILENCED = (1, 3, 5)
"""So many of the best induction heads are silenced together."""


def run(loaded: Run, *, as_json: bool) -> None:
    """Print the heads of every role, and what silencing the best induction heads costs."""
    specials = tuple(loaded.tokenizer.specials)
    found = measure_roles(loaded.model, without=specials)
    costs = {}
    if loaded.model.config.stacks == ("decoder",):
        for n in SILENCED:
            heads = found.best(Role.INDUCTION, n)
            costs[n] = cost_of_silencing(loaded.model, heads, without=specials)
    if as_json:
        print(json.dumps(to_json(found, costs)))
    else:
        for line in lines(found, costs):
            print(line)


def to_json(found: RepeatedText, costs: dict[int, SilencingCost]) -> dict[str, object]:
    """Return what was measured as JSON can hold it."""
    return {
        "n_sequences": found.n_sequences,
        "n_rows": found.n_rows,
        "roles": {
            role: {str(head): asdict(share) for head, share in shares.items()}
            for role, shares in found.shares.items()
        },
        "silenced_induction_heads": {n: asdict(cost) for n, cost in costs.items()},
    }


def lines(found: RepeatedText, costs: dict[int, SilencingCost]) -> Iterator[str]:
    """Yield what was measured as lines to read."""
    yield f"repeated random tokens, {found.n_sequences} sequences, {found.n_rows} rows of each head"
    for role, shares in found.shares.items():
        for head in found.best(role, SHOWN):
            share = shares[head]
            yield (
                f"{role:<10} {head!s:<20} {share.share:.3f} "
                f"({share.low:.3f} to {share.high:.3f}; an even row {share.baseline:.3f})"
            )
    for n, cost in costs.items():
        yield (
            f"without the best {n} of induction -log p of the repetition rises by "
            f"{cost.second_half:.2f} nats ({cost.low:.2f} to {cost.high:.2f}) from "
            f"{cost.before:.2f}; before the repetition by {cost.first_half:.2f}"
        )
