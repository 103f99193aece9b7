"""Encoder or decoder, and its positions: what several views of the layers lesson ask for."""

from core.heads import Stack
from core.tokenizer import Token
from pages.frame import controls
from pages.frame.language import _
from pages.frame.opening import Opened
from pages.frame.snippets import translating


def ask(opened: Opened, name: str, default: Stack) -> tuple[Stack, tuple[Token, ...]]:
    """Ask for one of the two stacks; return it with the tokens of its positions.

    Args:
        opened: The run and the sentence.
        name: Of the choice: every view has its own, and so its own default.
        default: To begin with.
    """
    offered: dict[Stack, str] = {"encoder": _("encoder"), "decoder": _("decoder")}
    stack = controls.choice(_("Stack"), name, offered, default)
    inspection = opened.inspection
    return stack, inspection.source_tokens if stack == "encoder" else inspection.fed_tokens


def python(opened: Opened, imports: list[str], *lines: str) -> str:
    """Return Python that translates the sentence, and then does what these lines say."""
    begun = translating(opened.path, opened.sentence, *imports)
    return begun + "\n".join([*lines, ""])
