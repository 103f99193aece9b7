"""Which picture of a lesson, which stack, which position: what several lessons ask for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.heads import STACK_LABELS, Kind, Side, Stack
from core.tokenizer.tokenizer import Token
from pages.frame import clicks, components, controls, session
from pages.frame.language import _, number
from pages.frame.maps import side_labels
from pages.frame.needs import Need, missing
from pages.frame.selection import Opened
from viz.component.standalone import Drawn
from viz.plane.matrices import Axis, Matrices, Matrix

WORD_WIDTH = 130
"""Pixels of the box for a word."""


def ask_picture(
    opened: Opened,
    name: str,
    pictures: Mapping[str, str],
    needs: Mapping[str, tuple[Need, ...]] | None = None,
    older: Mapping[str, str] | None = None,
) -> str:
    """Ask which picture of a lesson to show, of those that the model has.

    Args:
        opened: The run and the sentence.
        name: Of the choice, in the URL.
        pictures: Name → what people call it; the first is shown to begin with.
        needs: What some of them need of a model.
        older: Pictures of older links → those that show it now.
    """
    settings = opened.run.settings
    offered = {
        each: label
        for each, label in pictures.items()
        if not missing(settings, (needs or {}).get(each, ()))
    }
    asked = len(offered) > 1
    first = next(iter(offered))
    return controls.choice(_("Shown"), name, offered, first, asked=asked, older=older or {})


@dataclass(frozen=True, slots=True)
class Place:
    """A position of a stack."""

    stack: Stack
    tokens: tuple[Token, ...]
    """Of all positions of the stack."""
    position: int
    name: str
    """Of the position in older links."""

    @property
    def token(self) -> str:
        """The text of its token."""
        return self.tokens[self.position].text

    @property
    def side(self) -> Side:
        """The side of its tokens."""
        return Kind.self_of(self.stack).query_side


def ask_place(
    opened: Opened,
    stack_name: str,
    position_name: str,
    *,
    first: Stack = "encoder",
    usual: Callable[[Stack], int | None] = lambda _stack: None,
) -> Place:
    """Ask for one of the stacks and one of its positions; within a row.

    Args:
        opened: The run and the sentence.
        stack_name: Name of the stack in the URL; every view has its own, and so its own default.
        position_name: Name of the position in older links.
        first: The stack to begin with, where the model has it.
        usual: Returns the position of a stack to begin with; None for the first pronoun of the
            source, or the first word of the target.
    """
    stacks = opened.run.model.config.stacks
    stack = stacks[0]
    if len(stacks) > 1:
        offered = {each: _(label) for each, label in STACK_LABELS.items()}
        stack = controls.choice(_("Stack"), stack_name, offered, first)
    side = Kind.self_of(stack).query_side
    tokens = opened.inspection.tokens_of(side)
    default = usual(stack)
    if default is None:
        words = (at for at, token in enumerate(tokens) if not token.special)
        pronoun = clicks.first_pronoun(opened, opened.inspection) if side == "source" else None
        default = next(words, 0) if pronoun is None else pronoun
    at = clicks.pinned_position(opened, opened.inspection, side)
    st.caption(_("word"), width="content")
    position = controls.selection(
        _("word"),
        position_name,
        _named(tokens),
        default if at is None else at,
        WORD_WIDTH,
        labelled=False,
        then=lambda: clicks.pin(side, session.text_of(position_name), {position_name: None}),
    )
    return Place(stack, tokens, position, position_name)


def _named(tokens: Sequence[Token]) -> dict[int, str]:
    """Return the text of each token by its position, which stands after those that repeat."""
    texts = [token.text for token in tokens]
    repeated = _("{token} ({position})")
    return {
        at: text if texts.count(text) == 1 else repeated.format(token=text, position=number(at))
        for at, text in enumerate(texts)
    }


def matrix(
    opened: Opened, place: Place, shown: Matrix, row: int, key: str, row_name: str = ""
) -> Drawn:
    """Show a matrix whose columns are the tokens of a stack; a click chooses one.

    Args:
        opened: The run and the sentence.
        place: The chosen position, which has a frame.
        shown: The matrix.
        row: The row of the frame.
        key: The element's name.
        row_name: The choice that a click changes to its row; empty for none.
    """
    pinned = clicks.pinned_position(opened, opened.inspection, place.side)

    def take() -> None:
        if pick := clicks.picked(key):
            chosen = {row_name: pick["row"]} if row_name else {}
            clicks.pin(place.side, pick["column"], {place.name: None, **chosen})

    return components.show(
        Matrices(
            panels=[shown],
            selected=(0, row, place.position),
            pin=None if pinned is None else (place.side, pinned),
        ),
        key=key,
        on_pick=take,
        on_pin=partial(clicks.take_pin, opened, opened.inspection, key),
    )


def axis(opened: Opened, place: Place) -> Axis:
    """Return what the positions of a stack are."""
    names: dict[Side, str] = {"source": _("source token"), "target": _("word fed")}
    return Axis(
        name=names[place.side], labels=side_labels(opened.inspection, place.side), side=place.side
    )
