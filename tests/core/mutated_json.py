"""What may stand in a JSON file that somebody made to harm, or that was damaged."""

import copy
import itertools
import json

HOSTILE = (
    *(None, True, False, 0, 1, -1, 7, 2**31, 2**62, 2**63, 2**64, 10**400, -(2**63)),
    *(0.5, 1e308, -1e308, 1e-320, float("nan"), float("inf"), -float("inf")),
    *("", "x", "default", "none", "x" * 10_000, "\0", "\ud800", "../../x", "{0.__class__}"),
    *([], [1], ["x"], [[]], [None], {}, {"a": 1}, {"type": "x"}, [10**9] * 3),
)
_MOST = 40
"""Values of one list that are looked at: a vocabulary has many alike."""


def places(stored, at=()):
    """Yield the way to every value within a value."""
    inner = stored.items() if isinstance(stored, dict) else enumerate(stored)
    for key, value in itertools.islice(inner, _MOST):
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from places(value, (*at, key))


def mutated(rng, stored):
    """Return the text of a value in which something is another, and what that is."""
    found = copy.deepcopy(stored)
    *way, last = rng.choice(list(places(found)))
    holder = found
    for key in way:
        holder = holder[key]
    keys = list(holder) if isinstance(holder, dict) else range(len(holder))
    other, value = rng.choice(keys), rng.choice(HOSTILE)
    match rng.randrange(8):
        case 0:
            what = "is gone"
            del holder[last]
        case 1:
            what = f"is that of {other!r}"
            holder[last] = copy.deepcopy(holder[other])
        case 2:
            what = f"changes place with {other!r}"
            holder[last], holder[other] = holder[other], holder[last]
        case _:
            what = f"is {value!r:.40}"
            holder[last] = value
    return json.dumps(found), f"{'/'.join(map(str, (*way, last)))} {what}"
