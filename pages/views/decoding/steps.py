"""Step by step: on the model's own words beside the true ones, or pass by pass."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.decoding.beam import Beam
from core.decoding.beam_tree import beam_search
from core.decoding.choosing import Greedy
from core.decoding.generate import DecodingStrategy, decode_steps, forced_steps
from core.decoding.sentence import model_input, reference_ids
from core.evaluate.exposure import telling_mistake
from core.evaluate.side_by_side import TwoDecodings, decode_both_ways
from core.studies.opening.examples import known_continuation
from pages.frame import components, controls, session
from pages.frame.language import _, joined, number
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, ask_reference
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.decoding import branches, copying, methods, output, passes, seen, tree, two_sides
from pages.views.decoding.stepper import stepper_of
from viz.component.standalone import Drawn

PART = "part"
"""In the URL: what is looked at."""


def draw(opened: Opened) -> Shown | None:
    """Draw both decodings, the output layer, or what is copied; of a parallel decoder, passes."""
    if opened.run.settings.model.is_parallel:
        return passes.draw(opened)
    if all(site.in_encoder for site in opened.run.model.sites()):
        return _without_attention(opened)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        part = _ask_part(opened)
    if part == "copying":
        return copying.draw(opened)
    with row:
        method = methods.ask()
        for_mistake = st.container(width="content")
    return None if method is None else _decoding(opened, part, method, for_mistake)


def _decoding(
    opened: Opened, part: str, method: DecodingStrategy, for_mistake: DeltaGenerator
) -> Shown | None:
    """Draw the stepper, and below it what belongs to it; a mistake is offered in its container."""
    above, picture, below = st.container(), st.container(), st.container()
    # The reference is fed to the second side.
    with below:
        target, is_own = _ask_target(opened)
    overrides = branches.chosen(opened, method)
    writing = branches.decoding(opened, method, overrides)
    comparing = Recipe(decode_both_ways, opened.writer, opened.inspecting, writing, target)
    decodings = comparing.result()
    free = decodings.free
    with above:
        _warn(opened, decodings, len(target), is_own=is_own)
    at = branches.step(opened, method, free, seen.step_of(opened, free, overrides))
    # Two equal sides would say everything twice.
    differ = decodings.first_difference is not None or bool(overrides)
    beside = bool(decodings.forced) and differ
    said = _seen(opened, decodings, overrides, at)
    with for_mistake:
        if overrides:
            branches.offer_undo(overrides)
        elif not beside and method == Greedy() and not session.is_brief():
            branches.offer_mistake(opened, writing, free, at)
            said.insert(0, seen.of_mistake())
    n_arrivals = session.current().n_arrivals
    drawn = stepper_of(opened, comparing, overrides, at, n_arrivals, is_own=is_own, beside=beside)
    with picture:
        stepper = components.show(
            drawn,
            key=session.STEPPER,
            on_step=branches.rest,
            on_force=partial(branches.force, overrides),
        )
    if part == "output":
        with above:
            return output.draw(opened, writing, at, [stepper])
    with below:
        if not is_own:
            _say_reference(opened, decodings, at)
    return Shown(
        name="decoding",
        title=_("Free running beside teacher forcing, step by step")
        if beside
        else _("Decoding step by step"),
        recipe=comparing,
        code=[decode_steps, forced_steps, decode_both_ways, telling_mistake],
        question=_("What does one wrong word change?") if overrides else "",
        seen=joined(said),
        pictures=[
            stepper,
            *_tree_of(opened, method),
            *(two_sides.draw(decodings, is_own=is_own) if beside else []),
        ],
    )


def _say_reference(opened: Opened, decodings: TwoDecodings, at: int) -> None:
    """Say what teacher forcing predicts where nothing differs, and what a step adds to the loss."""
    forced, said = decodings.forced, []
    if forced and decodings.first_difference is None:
        said.append(seen.of_sides(opened, None, forced))
    if at < len(forced):
        said.append(seen.of_loss(opened, forced, at))
    if said:
        st.caption(joined(said))


def _without_attention(opened: Opened) -> Shown | None:
    """Draw the output layer alone: the stepper is about what heads look at."""
    method = methods.ask()
    if method is None:
        return None
    writing = branches.decoding(opened, method, branches.chosen(opened, method))
    free = writing.result()
    steps = {step: number(step + 1) for step in range(len(free))}
    usual = seen.step_of(opened, free, {})
    step = controls.selection(_("Step"), session.DECODING_STEP, steps, usual, width=130)
    return output.draw(opened, writing, step)


def _ask_target(opened: Opened) -> tuple[tuple[int, ...], bool]:
    """Ask for the reference; return its ids, and whether it is what the model writes itself."""
    translation, alone = opened.inspection.translation, opened.run.settings.model.is_decoder_only
    if opened.task is not None:
        known = opened.task.reference(translation.source)
    else:
        known = Recipe(known_continuation, opened.writer, opened.sentence).result()
    # What the model writes itself can be edited: so both sides stay.
    reference = ask_reference(opened.sentence, known or translation.text, goes_on=alone)
    if known is None and reference == translation.text:
        # Split anew, the same text might be other tokens.
        return translation.written_ids if alone else translation.target_ids, True
    given = model_input(opened.run, opened.sentence)
    return reference_ids(opened.run, given, reference), False


def _ask_part(opened: Opened) -> str:
    """Ask what to look at."""
    parts = ["output", *(["copying"] if opened.run.settings.model.pointer else [])]
    labels = {part: view_text("decoding", part).label for part in parts}
    return controls.choice(_("Part"), PART, {"sides": _("decoding"), **labels}, "sides")


def _tree_of(opened: Opened, method: DecodingStrategy) -> list[Drawn]:
    """Draw the tree of a beam search, if it is one."""
    if not isinstance(method, Beam):
        return []
    searching = Recipe(beam_search, opened.writer, opened.sentence, method)
    return [tree.drawn(searching.result(), branches.put)]


def _seen(
    opened: Opened, decodings: TwoDecodings, overrides: branches.Overrides, at: int
) -> list[str]:
    """Return what a wrong word changes; else what a step writes, and where the sides part."""
    free, forced, first = decodings.free, decodings.forced, decodings.first_difference
    if rest := seen.of_rest(opened, free, overrides):
        return [rest]
    sides = seen.of_sides(opened, first, forced) if forced and first is not None else ""
    return [seen.of_step(opened, free, at), sides]


def _warn(opened: Opened, decodings: TwoDecodings, n_reference: int, *, is_own: bool) -> None:
    """Say in one line what was cut, did not come to an end, or is no true target."""
    lines, free, forced = [], decodings.free, decodings.forced
    settings, alone = opened.run.settings, opened.run.settings.model.is_decoder_only
    # A text that goes on has no end; one of a task has.
    ends = not (alone and settings.is_opened)
    if ends and free[-1].chosen not in settings.model.eos_ids:
        text = _("The model wrote no EOS up to the limit (steps: {n}).")
        lines.append(text.format(n=number(len(free))))
    if forced and len(forced) < n_reference + (not alone):
        lines.append(_("The reference was cut: the model has no more positions."))
    if forced and is_own and alone:
        lines.append(
            _("The reference is what the model writes itself. Type how your text goes on.")
        )
    elif forced and is_own:
        text = _("No true translation is known. Type one as the reference: it is fed beside.")
        lines.append(text)
    if lines:
        st.caption(joined(lines))
