"""Parallel decoding pass by pass, beside a model that writes one word after the other."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import streamlit as st

from core.decoding.bounds import MOST_PASSES, PASSES
from core.decoding.mask_predict import MaskPredict, least_sure, mask_predict_passes
from core.decoding.parallel import (
    Beside,
    ParallelDecoding,
    decode_in_passes,
)
from core.runs.run import RunError
from core.tasks import right_targets
from pages.frame import cached, components, controls
from pages.frame.language import _, alternatives, as_it_is, joined, n_, number, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from viz.component.payload import TokenLabel
from viz.direction import isolated
from viz.plane.matrices import Axis, Matrices, Matrix

N_PASSES, LENGTH = "passes", "length"
"""In the URL."""


def draw(opened: Opened) -> Shown:
    """Draw what each pass reads and writes, and the steps of a causal decoder beside."""
    text = view_text("decoding", "passes")
    st.caption(text.question)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_passes = controls.amount(_("Passes"), N_PASSES, PASSES, limits=(1, MOST_PASSES))
        most = opened.run.model.config.max_positions - 2
        given = controls.amount(
            _("Length"),
            LENGTH,
            0,
            limits=(0, most),
            empty=0,
            placeholder=_("the model’s"),
            help=_("How many tokens are written. Empty: as many as the model itself writes."),
        )
    other = _other_run(opened)
    beside = () if other is None else (other,)
    asked = (decode_in_passes, opened.writer, opened.sentence, n_passes)
    decoding = Recipe(*asked, given or None, *beside)
    found = decoding.result()
    panels = [_matrix(opened, found)]
    if found.beside is None:
        st.caption(
            _("No other run of this task writes left to right: its steps would stand beside.")
        )
    elif found.beside.tokens:
        panels.append(_steps_matrix(found.beside))
    return Shown(
        name=f"passes.{n_passes}",
        title=n_("Parallel decoding in {n} pass", "Parallel decoding in {n} passes", n_passes),
        text=text,
        seen=joined([*_length_sentence(given, Recipe(*asked)), _seen(opened, found)]),
        recipe=decoding,
        code=(mask_predict_passes, least_sure, MaskPredict),
        pictures=[components.show(Matrices(panels=panels), key="passes_maps")],
    )


def _length_sentence(length: int, own: Recipe[ParallelDecoding]) -> Iterator[str]:
    """Say which length is given, and which the model itself would choose."""
    if length:
        text = _("Length {n} is given; the model itself writes {own}.")
        n_own = len(own.result().passes[-1].written) - 1
        yield text.format(n=number(length), own=number(n_own))


def _other_run(opened: Opened) -> Path | None:
    """Return the first run of the same task that writes one word after the other."""
    for path in cached.run_paths().values():
        try:
            settings = cached.settings(path)
            is_one = settings.task == opened.run.settings.task and not settings.is_opened
            if not is_one or settings.model.is_parallel or not settings.model.is_encoder_decoder:
                continue
            cached.loaded(path)
        except RunError:
            continue
        return path
    return None


def _matrix(opened: Opened, found: ParallelDecoding) -> Matrix:
    """Return two rows for each pass: what it reads, and what stands after it."""
    n = found.n_written
    [mask] = opened.run.target_tokenizer.describe_alone([opened.run.model.config.mask_id])
    values, texts, visible, rows = [], [], [], []
    before = [0.0 if hidden else 1.0 for hidden in found.passes[0].masked[:n]]
    # Before the first pass nothing stands there but the EOS of a predicted length.
    kept = found.tokens[0][:n]
    for index, (each, tokens) in enumerate(zip(found.passes, found.tokens, strict=True)):
        sure, masked = list(each.probabilities[:n]), each.masked[:n]
        read = [mask.text if hidden else text for hidden, text in zip(masked, kept, strict=True)]
        values += [before, sure]
        texts += [read, list(tokens[:n])]
        visible += [[not hidden for hidden in masked], [True] * n]
        names = _("pass {number} reads"), _("pass {number} writes")
        rows += [TokenLabel(name.format(number=number(index + 1))) for name in names]
        before, kept = sure, tokens[:n]
    return Matrix(
        title=_("Parallel: all places at once"),
        values=np.array(values, np.float32),
        rows=Axis(name=_("pass"), labels=rows),
        columns=_places(n),
        visible=np.array(visible),
        texts=texts,
        hidden=_("masked, or not written yet"),
        value_name=_("probability"),
    )


def _steps_matrix(beside: Beside) -> Matrix:
    """Return a row for each step of a causal decoder: what is written after it."""
    n = len(beside.tokens)
    written_TT = np.tril(np.ones((n, n), bool))
    names = [_("step {number} writes").format(number=number(at + 1)) for at in range(n)]
    return Matrix(
        title=_("The model “{run}”: left to right, a pass for each word").format(run=beside.run),
        values=(written_TT * np.array(beside.probabilities)).astype(np.float32),
        rows=Axis(name=_("step"), labels=list(map(TokenLabel, names))),
        columns=_places(n),
        visible=written_TT,
        texts=[list(beside.tokens)] * n,
        hidden=_("masked, or not written yet"),
        value_name=_("probability"),
    )


def _places(n: int) -> Axis:
    return Axis(name=_("place"), labels=[TokenLabel(number(at)) for at in range(n)])


def _seen(opened: Opened, found: ParallelDecoding) -> str:
    """Say what the first pass writes, whether it is right, and what the others change."""
    decode = opened.run.target_tokenizer.decode
    right = right_targets(opened.task, opened.inspection.translation.source)
    first, last = decode(found.passes[0].written), decode(found.passes[-1].written)
    sentences = [_("Pass 1 writes {text}.").format(text=_coloured(first, right))]
    if right:
        known = alternatives(f"“{_coloured(each, right)}”" for each in right)
        is_right = _("That is right: {known}.") if first in right else _("Right would be {known}.")
        sentences.append(is_right.format(known=known))
    if len(right) > 1 and first not in right:
        sentences.append(
            _("It mixes both, for within a pass no place sees what another one writes.")
        )
    if len(found.passes) > 1:
        places = zip(*(each.token_ids[: found.n_written] for each in found.passes), strict=True)
        n_changed = sum(len(set(written)) > 1 for written in places)
        later = _(
            "Later passes see the words that are kept; places that change: {n}. They write {text}."
        )
        sentences.append(later.format(n=number(n_changed), text=_coloured(last, right)))
        if right:
            sentences.append(_("That is right.") if last in right else _("That is not right."))
    return joined(sentences)


def _coloured(text: str, right: Sequence[str]) -> str:
    """Return a text in Markdown, bold: words of one of two right targets have its colour."""
    if len(right) != 2:
        return f"**{plain(text)}**" if text else "–"
    words = []
    for at, word in enumerate(text.split()):
        one, other = (at < len(each.split()) and each.split()[at] == word for each in right)
        colour = {(True, False): "blue", (False, True): "orange"}.get((one, other))
        words.append(f":{colour}[{as_it_is(word)}]" if colour else as_it_is(word))
    return f"**{isolated(' '.join(words))}**" if words else "–"
