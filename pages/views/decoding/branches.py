"""Tokens that somebody put in the place of the model's own.

They stand in the address as `step:token`, with spaces between them; so a link opens a decoding as
it was changed. What was changed in one decoding comes back when it is looked at again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.decoding.generate import Method
from core.decoding.step import DecodeStep
from core.evaluate.side_by_side import decode_sentence
from pages.frame import session
from pages.frame.language import _
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.session import position

OVERRIDES = "overrides"
MISTAKE_RANK = 3
"""A wrong token has at most this rank: likely enough to be a word, and not the model's."""

MOST_TRIED = 24
"""Tokens that are tried for one that changes what follows."""

Overrides = Mapping[int, int]
"""Step → id of the token that is appended there whatever the model says."""


def decoding(
    opened: Opened, method: Method, overrides: Overrides
) -> Recipe[tuple[DecodeStep, ...]]:
    """Return what computes the steps of a decoding into which some tokens were put."""
    pairs = tuple(sorted(overrides.items()))
    return Recipe(
        decode_sentence, opened.path, opened.inspecting, method, *([pairs] if pairs else [])
    )


def chosen(opened: Opened, method: Method) -> Overrides:
    """Return the tokens that somebody put into a decoding."""
    session.goes_with(OVERRIDES, _owner(opened, method))
    texts = session.texts_of(OVERRIDES)
    session.show(OVERRIDES, texts or None)
    return _read(texts[-1], opened) if texts else {}


def step(opened: Opened, method: Method, steps: Sequence[DecodeStep], usual: int) -> int:
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


def corrupt(before: Overrides, free: Sequence[DecodeStep]) -> None:
    """Put a wrong word in the place of the one that the model said at the reported step."""
    pick = _reported("corrupt")
    if pick and (step := int(pick["step"])) < len(free):
        _put(before, step, free[step].most_probable(MISTAKE_RANK + 1)[-1])


def offer_mistake(opened: Opened, method: Method, free: Sequence[DecodeStep], at: int) -> None:
    """Offer to insert a wrong token, where possible one that changes what follows."""
    st.button(
        _("Insert a mistake"),
        key="insert_mistake",
        on_click=_insert_mistake,
        args=(opened, method, free, at),
    )


def _insert_mistake(opened: Opened, method: Method, free: Sequence[DecodeStep], at: int) -> None:
    """Insert a probable wrong token, here or at a later step, and open what it changes first."""
    here = [(at, rank) for rank in range(MISTAKE_RANK + 1)]
    later = [(step, rank) for step in range(at + 1, len(free) - 1) for rank in (0, 1)]
    first, names = None, opened.run.target_tokenizer.decode
    for step, rank in [*here, *later][:MOST_TRIED]:
        token = free[step].most_probable(rank + 1)[-1]
        # "␣était" and "était" are two tokens, and no mistake that can be seen.
        if names([token]) == names([free[step].chosen]):
            continue
        first = first or (step, token)
        written = decoding(opened, method, {step: token}).result()
        pairs = zip(free[step + 1 :], written[step + 1 :], strict=False)
        changed = [i for i, (own, now) in enumerate(pairs, step + 1) if own.chosen != now.chosen]
        if changed:
            _put({}, step, token, opens=changed[0])
            return
    if first:
        _put({}, *first)


def undo(before: Overrides) -> None:
    """Give the step back to the model that was clicked in the stepper."""
    if pick := _reported("undo"):
        put({at: token for at, token in before.items() if at < pick["step"]})


def put(overrides: Overrides) -> None:
    """Put tokens into a decoding, and take out all others; only for callbacks."""
    session.choose({OVERRIDES: written(overrides) or None})


def written(overrides: Overrides) -> str:
    """Return tokens as the address has them.

    >>> written({4: 231, 6: 17}), written({})
    ('4:231 6:17', '')
    """
    return " ".join(f"{step}:{token}" for step, token in sorted(overrides.items()))


def _put(before: Overrides, at: int, token: int, *, opens: int | None = None) -> None:
    after = {**{place: other for place, other in before.items() if place < at}, at: token}
    step = at if opens is None else opens
    session.choose({OVERRIDES: written(after), session.DECODING_STEP: step})


def _owner(opened: Opened, method: Method) -> str:
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
