"""What the makers of a chat model put around each text: its chat template.

A template is a program in Jinja. `transformers` runs it in a sandbox, which ends no endless loop:
so it runs once, when a model is opened, in a process with little time and memory. What it puts
before and after a text is kept with the run; a template that makes more of a text than that is not
used.

    python -m core.library.chat < {"template": …, "tokens": {…}}
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from subprocess import TimeoutExpired
from typing import Any, Self

from ..limits import limit_process, run_limited

_SECONDS, _BYTES = 20, 4 << 30
_PLACE = "4f1c9a"
"""Stands for the text while the template runs."""
_LONGEST = 20_000
"""Letters before or after a text."""


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """What stands around a text that a chat model is asked."""

    before: str = ""
    after: str = ""
    problem: str = ""
    """Why it cannot be used; empty where it can."""

    def around(self, text: str) -> str:
        """Return what the model is fed for a text.

        >>> ChatTemplate("<user>", "<model>").around(" Hi ")
        '<user>Hi<model>'
        """
        return f"{self.before}{text.strip()}{self.after}"

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Read it as run.json holds it.

        Raises:
            ValueError: It puts more around a text than any template may.
        """
        found = cls(*(str(stored[field.name]) for field in fields(cls)))
        if max(map(len, (found.before, found.after, found.problem))) > _LONGEST:
            raise ValueError(f"chat has more than {_LONGEST:,} letters")
        return found


def chat_template(template: str, tokens: Mapping[str, str]) -> ChatTemplate | None:
    """Run a template, and return what it puts around a text; None where there is no template.

    Args:
        template: In Jinja.
        tokens: What it may ask for, such as bos_token.
    """
    if not template:
        return None
    try:
        asked = json.dumps({"template": template, "tokens": dict(tokens)})
        done = run_limited("core.library.chat", text=asked, seconds=_SECONDS)
    except TimeoutExpired:
        return ChatTemplate(problem=f"it takes longer than {_SECONDS} seconds")
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        return ChatTemplate(problem=last[:200] or "its process ended")
    before, place, after = done.stdout.partition(_PLACE)
    if not place or _PLACE in after:
        return ChatTemplate(problem="it does not write a text once, as it is")
    if max(len(before), len(after)) > _LONGEST:
        return ChatTemplate(problem=f"it puts more than {_LONGEST:,} letters around a text")
    return ChatTemplate(before, after)


def _render(asked: Mapping[str, Any]) -> str:
    limit_process(_BYTES)
    from transformers.utils.chat_template_utils import render_jinja_template

    found: Any = render_jinja_template(
        conversations=[[{"role": "user", "content": _PLACE}]],
        chat_template=asked["template"],
        add_generation_prompt=True,
        **asked["tokens"],
    )
    # Beside the texts it returns which tokens are the model's.
    [rendered], _ = found
    return str(rendered)[: 3 * _LONGEST]


if __name__ == "__main__":
    sys.stdout.write(_render(json.load(sys.stdin)))
