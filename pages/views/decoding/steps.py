"""Decoding step by step: on the model's own words, beside the true ones."""

from functools import partial

import streamlit as st

from core.decoding.beam import Beam
from core.decoding.forced import forced_steps
from core.decoding.methods import Method
from core.decoding.sentence import given_text, reference_ids
from core.decoding.step import decode_steps
from core.evaluate.side_by_side import side_by_side
from core.studies.opening.examples import known_continuation
from pages.frame import arrival, cached, components, opening, session
from pages.frame.language import N_, _, n_, number
from pages.frame.listed import joined
from pages.frame.opening import Opened
from pages.frame.view import Shown
from pages.views.decoding import branches, methods, seen, tree
from pages.views.decoding.stepper import TwoDecodings, decode_both, numbers, stepper_of

HOW_TO_READ = N_(
    """
- **Free running** (inference): the decoder gets BOS, says a word, and gets that word as its next
  input, until it says EOS. An early mistake is fed back, and everything after it is conditioned on
  it (exposure bias).
- **Teacher forcing** (training): the decoder gets the true target shifted right by one,
  BOS y₁ y₂ …. Row i may look at the tokens up to i only (the look-ahead mask), so that one pass
  computes what decoding would compute step by step.
- The **bars** are the model's distribution over the next token. Click another word on the free
  side, and decoding goes on from there.
- **Looks at**: the weights of one head in this step, over the source (cross-attention) and over
  what was fed so far (self-attention).
- **KL(forced ‖ free)**: how far the distribution of free running is from that of teacher forcing
  in each step, in nats; 0 as long as both sides were fed the same.
"""
)
HOW_TO_READ_ALONE = N_(
    """
- The **prompt** is what was typed: both sides are fed it first, in one pass. Step 0 predicts the
  token after it.
- **Free running**: the model gets each token that it writes as its next input. An early mistake is
  fed back, and everything after it is conditioned on it (exposure bias).
- **Teacher forcing**: the model is fed the text of the reference, whatever it would have written.
  Row i may look at the tokens up to i only (the look-ahead mask), so that one pass computes what
  decoding would compute step by step.
- The **bars** are the model's distribution over the next token. Click another word on the free
  side, and decoding goes on from there.
- **Looks at**: the weights of one head in this step, over the prompt and what was fed since.
- **KL(forced ‖ free)**: how far the distribution of free running is from that of teacher forcing
  in each step, in nats; 0 as long as both sides were fed the same.
"""
)


def draw(opened: Opened) -> Shown | None:
    """Draw both decodings, and below them what was kept and what a search dropped."""
    translation, alone = opened.inspection.translation, opened.run.settings.model.is_decoder_only
    known = _known(opened)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        # What the model writes itself can be edited: so both sides stay.
        usual = known or translation.text
        reference = opening.ask_reference(opened.sentence, usual, goes_on=alone)
        method = methods.ask()
    if method is None:
        return None
    is_own = known is None and reference == translation.text
    target = _own_ids(opened) if is_own else _ids_of(opened, reference)
    decodings = _decoded(opened, method, target)
    overrides, free = decodings.overrides, decodings.free
    _warn(decodings, len(target), is_own=is_own)
    at = branches.step(opened, method, free, seen.step_of(opened, free, overrides))
    if decodings.forced and not overrides and decodings.figures.first_difference is None:
        with row:
            branches.offer_mistake(opened, free, at)
    stepper = components.decoding(
        stepper_of(decodings, at, arrival.number(), is_own=is_own),
        key=session.STEPPER,
        on_step=branches.rest,
        on_force=partial(branches.force, overrides),
        on_corrupt=partial(branches.corrupt, overrides, free),
        on_undo=partial(branches.undo, overrides),
    )
    if loss := seen.of_loss(opened, decodings.forced, at, is_own=is_own):
        st.caption(loss)
    branches.compare(opened, method, overrides, free)
    pictures = [stepper]
    if isinstance(method, Beam):
        nodes = cached.beam(opened.path, opened.sentence, method)
        pictures.append(tree.drawn(opened, nodes, branches.put))
    return Shown(
        name="decoding",
        title=_("Free running beside teacher forcing, step by step"),
        numbers=lambda: numbers(decodings),
        python=_python(decodings, method, target),
        code=[decode_steps, forced_steps, side_by_side],
        seen=_seen(decodings, method, at, is_own=is_own),
        pictures=pictures,
        formula=r"p(y \mid \mathrm{prompt}) = \prod_t p(y_t \mid \mathrm{prompt},\, y_{<t})"
        if alone
        else r"p(y \mid x) = \prod_t p(y_t \mid y_{<t},\, x)",
        how_to_read=_(HOW_TO_READ_ALONE) if alone else _(HOW_TO_READ),
        tries=_tries(alone=alone),
    )


def _tries(*, alone: bool) -> list[str]:
    changed = _("Change a word of the reference: where do the two sides part, and how far?")
    if alone:
        changed = _("Type your own text as the reference: which of its words surprise the model?")
    return [
        _("Corrupt an early token: does the model find its way back?"),
        changed,
        _("Keep a decoding, then choose another word: which one is more probable as a whole?"),
    ]


def _known(opened: Opened) -> str | None:
    """Return the true target, where it is known."""
    if opened.task is not None:
        return opened.task.reference(opened.inspection.translation.source)
    return cached.of_run(known_continuation, opened.path, opened.sentence)


def _own_ids(opened: Opened) -> tuple[int, ...]:
    """Return the model's own words as it wrote them: split anew, they might be other tokens."""
    translation = opened.inspection.translation
    if opened.run.settings.model.is_decoder_only:
        return translation.written_ids
    return translation.target_ids


def _ids_of(opened: Opened, reference: str) -> tuple[int, ...]:
    return reference_ids(opened.run, given_text(opened.run, opened.sentence), reference)


def _seen(decodings: TwoDecodings, method: Method, at: int, *, is_own: bool) -> str:
    """Say what becomes of the rest where a word was put in; else where the two sides part."""
    opened, free = decodings.opened, decodings.free
    rest = seen.of_rest(opened, free, decodings.overrides)
    chances = ""
    if rest:
        own = cached.decoded(opened.path, opened.sentence, method, {})
        chances = seen.of_chances(opened, own, free, decodings.overrides, at)
    said = [rest, chances or seen.of_step(opened, free, at)]
    first = decodings.figures.first_difference
    if not rest or first is None:
        said.append(seen.of_sides(opened, first, decodings.forced, is_own=is_own))
    return joined(said)


def _decoded(opened: Opened, method: Method, target: tuple[int, ...]) -> TwoDecodings:
    overrides = branches.chosen(opened, method)
    # Before the first step stand BOS, or the whole prompt.
    n_begun = opened.inspection.translation.n_given + 1
    free, forced, figures, sides = cached.of_run(
        decode_both,
        opened.path,
        opened.sentence,
        method,
        tuple(sorted(overrides.items())),
        target[: opened.run.settings.model.max_positions - n_begun],
        _goes_on(opened, target),
    )
    return TwoDecodings(opened, free, forced, figures, sides, overrides)


def _goes_on(opened: Opened, target: tuple[int, ...]) -> bool:
    """Return whether the reference is a text that has no end."""
    return opened.run.settings.model.is_decoder_only and not set(target[-1:]) & set(
        opened.run.settings.model.eos_ids
    )


def _warn(decodings: TwoDecodings, n_reference: int, *, is_own: bool) -> None:
    """Say in one line what was cut, did not come to an end, or is no true target."""
    said, free, forced = [], decodings.free, decodings.forced
    opened, alone = decodings.opened, decodings.opened.run.settings.model.is_decoder_only
    # A text that goes on has no end; one of a task has.
    ends = not alone or not opened.run.settings.is_opened
    if ends and free[-1].chosen not in opened.run.settings.model.eos_ids:
        n = len(free)
        said.append(
            n_(
                "The model did not say EOS within {n} step, the limit.",
                "The model did not say EOS within {n} steps, the limit.",
                n,
            ).format(n=number(n))
        )
    if forced and len(forced) < n_reference + (not alone):
        said.append(_("The reference was cut: the model has no more positions."))
    if forced and is_own and alone:
        said.append(_("The reference is what the model writes itself. Type how your text goes on."))
    elif forced and is_own:
        said.append(_("No true target is known: the reference is the model's own output. Edit it."))
    if said:
        st.caption(joined(said))


def _python(decodings: TwoDecodings, method: Method, target: tuple[int, ...]) -> str:
    imports = ["from core.evaluate.side_by_side import side_by_side"]
    lines = ["forced = []"]
    if decodings.forced:
        imports.append("from core.decoding.methods import Forced")
        lines = [
            f"target = {target}",
            "longest = run.settings.model.max_positions - len(given.prompt)",
            "fitting = Forced(target[:longest])",
            "forced = decode(run.model, given.source_ids, fitting, prompt=given.prompt)",
        ]
    open_end = ", goes_on=True" if _goes_on(decodings.opened, target) else ""
    lines += [
        f"found = side_by_side(free, forced{open_end})",
        "both = (*found.free, *found.forced)",
        "numbers = {",
        '    "probability": [each.probabilities for each in both],',
        '    "others": [each.others for each in both],',
        '    "entropy": [each.entropy for each in both],',
        '    "rank": [each.true_rank for each in both if each.true_rank is not None],',
        '    "divergence": found.divergence,',
        '    "weight": [',
        "        weights_HK",
        "        for step in (*free, *forced)",
        "        for weights_HK in step.attention.values()",
        "    ],",
        "}",
        "",
    ]
    return methods.decoding(decodings.opened, method, decodings.overrides, *imports) + "\n".join(
        lines
    )
