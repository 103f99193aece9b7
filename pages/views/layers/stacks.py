"""Encoder or decoder, and its positions: what several views of the layers lesson ask for."""

from core.heads import Kind, Stack
from core.tokenizer import Token
from pages.frame import selection
from pages.frame.opening import Opened
from pages.frame.snippets import translating
from viz.plane.matrices import Axis


def ask(opened: Opened, name: str, default: Stack) -> tuple[Stack, tuple[Token, ...]]:
    """Ask for one of the two stacks; return it with the tokens of its positions.

    Args:
        opened: The run and the sentence.
        name: Of the choice: every view has its own, and so its own default.
        default: To begin with.
    """
    stack = selection.ask_stack(name, default)
    return stack, opened.inspection.tokens_of(Kind.self_of(stack).query_side)


def axis(opened: Opened, stack: Stack) -> Axis:
    """Return what the positions of a stack are."""
    return selection.token_axis(opened.inspection, Kind.self_of(stack).query_side)


def python(opened: Opened, imports: list[str], *lines: str) -> str:
    """Return Python that translates the sentence, and then does what these lines say."""
    begun = translating(opened.path, opened.sentence, *imports)
    return begun + "\n".join([*lines, ""])
