"""Tokens that somebody put in the place of the model's own.

They stand in the address as `step:token`, with spaces between them; so a link opens a decoding as
it was changed. What was changed in one decoding comes back when it is looked at again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.decoding.generate import DecodingStrategy
from core.decoding.step import DecodeStep
from core.evaluate.exposure import telling_mistake, wrong_tokens
from core.evaluate.side_by_side import decode_sentence
from pages.frame import session
from pages.frame.language import _
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.session import position

OVERRIDES = "overrides"
_LEFT = "step_before_a_word"
"""Part of the session: step at which a word was put in → step at which the visitor was then."""

Overrides = Mapping[int, int]
"""Step → id of the token that is appended there whatever the model says."""


def decoding(
    opened: Opened, method: DecodingStrategy, overrides: Overrides
) -> Recipe[tuple[DecodeStep, ...]]:
    """Return what computes the steps of a decoding into which some tokens were put."""
    pairs = tuple(sorted(overrides.items()))
    return Recipe(
        decode_sentence, opened.writer, opened.inspecting, method, *([pairs] if pairs else [])
    )


def chosen(opened: Opened, method: DecodingStrategy) -> Overrides:
    """Return the tokens that somebody put into a decoding."""
    session.goes_with(OVERRIDES, _owner(opened, method))
    texts = session.texts_of(OVERRIDES)
    session.show(OVERRIDES, texts or None)
    return _read(texts[-1], opened) if texts else {}


def step(opened: Opened, method: DecodingStrategy, steps: Sequence[DecodeStep], usual: int) -> int:
    """Return the step that is looked at; each decoding has its own.

    Args:
        opened: The run and the sentence.
        method: How it is decoded.
        steps: Of the decoding.
        usual: While none is chosen.
    """
    # Links of before, to the output layer.
    session.renamed("output_step", session.DECODING_STEP, map(str, range(len(steps))))
    session.goes_with(session.DECODING_STEP, _owner(opened, method))
    return session.value(session.DECODING_STEP, lambda text: position(text, len(steps)), usual)


def rest() -> None:
    """Take over the step at which the visitor rests in the stepper."""
    if pick := _reported("step"):
        session.choose({session.DECODING_STEP: pick["step"]})


def force(before: Overrides) -> None:
    """Go on with the alternative that was clicked in the stepper; what came after it is undone."""
    if pick := _reported("force"):
        _put(before, pick["step"], pick["token"])


def offer_mistake(
    opened: Opened, writing: Recipe[tuple[DecodeStep, ...]], free: Sequence[DecodeStep], at: int
) -> None:
    """Offer to insert the wrong token that changes most, else one at this step.

    It is looked for when it is asked for: the model writes on after dozens of them.
    """
    st.button(
        _("Insert a mistake"),
        key="insert_mistake",
        type="primary",
        on_click=_insert_mistake,
        args=(opened, writing, free, at),
    )


def _insert_mistake(
    opened: Opened, writing: Recipe[tuple[DecodeStep, ...]], free: Sequence[DecodeStep], at: int
) -> None:
    if found := Recipe(telling_mistake, opened.writer, opened.inspecting, writing).result():
        own = [each.chosen for each in free]
        pairs = enumerate(zip(own, found.written, strict=False))
        changed = (step for step, (one, other) in pairs if step > found.step and one != other)
        _put({}, found.step, found.token, opens=next(changed, found.step), left=at)
    else:
        step = free[at]
        wrong = next(iter(wrong_tokens(opened.run, step)), step.most_probable(2)[-1])
        _put({}, at, wrong)


def offer_undo(overrides: Overrides) -> None:
    """Offer to give the last step back to the model at which a word was put in."""
    st.button(
        _("Undo the inserted word"), key="undo", type="primary", on_click=_undo, args=(overrides,)
    )


def _undo(overrides: Overrides) -> None:
    """Take out the last word that was put in, and go back to the step where the visitor was."""
    *before, (last, _token) = sorted(overrides.items())
    step = session.storage(_LEFT, in_callback=True).pop(last, last)
    session.choose({OVERRIDES: written(dict(before)) or None, session.DECODING_STEP: step})


def put(overrides: Overrides) -> None:
    """Put tokens into a decoding, and take out all others; only for callbacks."""
    session.choose({OVERRIDES: written(overrides) or None})


def written(overrides: Overrides) -> str:
    """Return tokens as the address has them.

    >>> written({4: 231, 6: 17}), written({})
    ('4:231 6:17', '')
    """
    return " ".join(f"{step}:{token}" for step, token in sorted(overrides.items()))


def _put(
    before: Overrides, at: int, token: int, *, opens: int | None = None, left: int | None = None
) -> None:
    """Put a token in at a step.

    Args:
        before: The tokens that were put in; those before the step stay.
        at: The step.
        token: Its id.
        opens: The step that is looked at next, if another one.
        left: The step that an undo goes back to, if another one.
    """
    after = {**{place: other for place, other in before.items() if place < at}, at: token}
    session.storage(_LEFT, in_callback=True)[at] = at if left is None else left
    step = at if opens is None else opens
    session.choose({OVERRIDES: written(after), session.DECODING_STEP: step})


def _owner(opened: Opened, method: DecodingStrategy) -> str:
    """Return what a choice belongs to that is made in one decoding."""
    return f"{opened.path}\n{opened.sentence}\n{method}"


def _read(text: str, opened: Opened) -> dict[int, int]:
    """Return the tokens that a text names; what is none of the vocabulary's words is left out."""
    n_steps, n_tokens = (
        opened.run.settings.model.max_positions,
        opened.run.target_tokenizer.vocab_size,
    )
    never = opened.run.settings.model.never_said
    pairs = [pair.partition(":") for pair in text.split()]
    found = {position(step, n_steps): position(token, n_tokens) for step, _colon, token in pairs}
    return {
        step: token
        for step, token in found.items()
        if step is not None and token is not None and token not in never
    }


def _reported(event: str) -> dict[str, Any]:
    """Return what the stepper reports, inside a callback; nothing for another event."""
    return getattr(session.component_value(session.STEPPER), event, None) or {}
