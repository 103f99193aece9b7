"""Decode a sentence step by step, on the model's own words beside the true ones."""

from functools import partial

import streamlit as st

from core.config import ConfigError
from core.decoding import step as step_module
from core.decoding.methods import Beam, Forced, Method
from pages.frame import cached, components, opening, session
from pages.frame.folded import fold_code, fold_how_to_read
from pages.frame.text import DECODING, plain
from pages.views.decoding import branches, decoded, explained, methods, overrides


def render() -> None:
    """Ask for sentence, reference and method, and show both decodings."""
    opened = opening.model_and_sentence()
    if opened is None:
        return
    own = opened.task.reference(opened.inspection.translation.source) if opened.task else None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reference = opening.ask_reference(opened.sentence, own or "")
        try:
            method = methods.ask()
        except ConfigError as error:
            st.error(plain(str(error)))
            return
    _show(opened, method, reference)


def _show(opened: opening.Opened, method: Method, reference: str) -> None:
    """Draw the stepper, and below it what belongs to the method."""
    scope = f"{opened.path.name}\n{opened.sentence}\n{method}"
    chosen = overrides.chosen(scope)
    free = cached.decoded(opened.path, opened.sentence, method, chosen)
    forced = []
    if target := opened.run.tokenizer.encode(reference).ids:
        longest = opened.run.settings.model.max_positions - 1
        forced = cached.decoded(opened.path, opened.sentence, Forced(target[:longest]), {})
    explained.warnings(opened.inspection, free, forced, len(target))
    view = decoded.decoding_view(opened.run, opened.inspection, free, forced, chosen)
    components.decoding(
        view,
        key=session.STEPPER,
        on_force=partial(overrides.take_override, scope),
        on_corrupt=partial(branches.corrupt, scope, free),
        on_undo=partial(overrides.take_undo, scope),
    )
    branches.compare(opened, method, scope, free)
    if isinstance(method, Beam):
        branches.tree(opened, method, scope)
    explained.output_layer(opened.run, free)
    explained.why_sequential(opened)
    explained.exposure(opened)
    fold_how_to_read(DECODING)
    fold_code([step_module.steps])


if __name__ == "__main__":
    from app import main

    main()
