"""What the heads of an opened model do on text made for it, and on lines of its own."""

import json
from collections.abc import Iterator

from core.runs.run import Run
from core.studies.heads.text_roles import TextRoles, text_roles

SHOWN = 5
"""The number of heads that are shown of each role."""


def run(loaded: Run, *, as_json: bool) -> None:
    """Print the heads of every role."""
    found = text_roles(loaded, "random")
    own = text_roles(loaded, "own") if loaded.settings.has_lines else None
    if as_json:
        of_own = {"own_lines": {"roles": _roles_json(own)}} if own else {}
        print(json.dumps(_json(found) | of_own))
        return
    print(
        f"{found.n_texts} sequences of {found.half} random tokens, said twice; "
        "the mean weight on what a role looks at"
    )
    for line in _role_lines(found):
        print(line)
    if own:
        print("\nyour own lines; the mean weight on what a role looks at")
        for line in _role_lines(own):
            print(line)


def _json(found: TextRoles) -> dict[str, object]:
    return {
        "n_sequences": found.n_texts,
        "tokens_before_they_repeat": found.half,
        "roles": _roles_json(found),
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


def _role_lines(found: TextRoles) -> Iterator[str]:
    for role, scores in found.scores.items():
        for head in found.best(role, SHOWN):
            low, high = scores[head].interval
            yield (
                f"{role:<10} {head!s:<20} {scores[head].value:.3f} "
                f"({low:.3f} to {high:.3f}; an even row {scores[head].baseline:.3f})"
            )
