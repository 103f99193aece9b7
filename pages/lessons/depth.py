"""The layers lesson: what becomes of a token on its way up."""

from collections.abc import Iterable

import numpy as np
import streamlit as st

from core.analysis.lens import Lens, decoder_lens, encoder_lens
from core.analysis.stream import Stream, residual_stream
from core.model.probe import Stack
from core.run import Run
from core.tokenizer import Token
from pages.lessons import controls as asked
from pages.shared import cached, controls, lesson, session
from pages.shared.charts import chart
from pages.shared.lesson import Explanation
from pages.shared.maps import labels
from pages.shared.matrices import matrices
from pages.shared.opening import Opened
from pages.shared.text import _, percent
from viz.curves import Quantity, curves
from viz.matrices import Axis, Matrices, Matrix
from viz.payload import TokenLabel


def stream(opened: Opened) -> None:
    """Draw norm, cosine or additions of the residual stream through depth."""
    with st.container(horizontal=True, vertical_alignment="center"):
        stack = asked.stack()
        measures = {
            "norm": Quantity(_("length of the stream (Euclidean norm)")),
            "cosine": Quantity(_("cosine to the embedding"), zero=False),
            "added": Quantity(_("length of what was added (Euclidean norm)")),
        }
        measure = asked.measure(list(measures))
        tokens = tokens_of(opened, stack)
        position = controls.number(_("position"), len(tokens), 0, session.POSITION)
    ids = opened.inspection.translation
    streams = cached.of_model(residual_stream, opened.path, ids.source_ids, ids.fed_ids)
    found = streams[stack]
    values_LK = {
        "norm": found.norms_LK,
        "cosine": found.cosines_LK,
        "added": found.added_LK,
    }[measure]
    names = found.names[1:] if measure == "added" else found.names
    titles = {
        "norm": _("How long the vectors get"),
        "cosine": _("What is left of the embedding"),
        "added": _("What each sublayer adds"),
    }
    series = {
        f"{tokens[position].text} ({position})": values_LK[:, position].tolist(),
        _("mean of all positions"): values_LK.mean(axis=1).tolist(),
    }
    figure = curves(
        series, x=Quantity(_("after"), labels=names), y=measures[measure], title=titles[measure]
    )
    chart(figure)
    _say_most_added(found)
    lesson.numbers(f"stream_{stack}_{measure}", {"after": names, **series})
    lesson.explained(
        Explanation(
            formula=r"x_{l+1} = x_l + \mathrm{Sublayer}_l(\cdot), \qquad "
            r"\cos(x_l, x_0) = \frac{x_l \cdot x_0}{\lVert x_l \rVert \lVert x_0 \rVert}",
            tries=(
                _("Compare encoder and decoder: the decoder has to become another word."),
                _("Choose a position: some words change more than others on their way up."),
            ),
            code=(residual_stream,),
        )
    )


def _say_most_added(found: Stream) -> None:
    if not len(found.added_LK):
        return
    added = found.added_LK.mean(axis=1)
    most = int(added.argmax())
    said = _("Most is added by {name}: {norm:.3g} on average, to {before:.3g}.")
    before = found.norms_LK.mean(axis=1)[most]
    st.caption(said.format(name=found.names[1 + most], norm=added[most], before=before))


def lens(opened: Opened) -> None:
    """Show the model's best guess at every depth for every position."""
    with st.container(horizontal=True, vertical_alignment="center"):
        stack = asked.stack("decoder")
        tokens = tokens_of(opened, stack)
        found = _read(opened, stack)
        position = controls.number(_("position"), len(tokens), found.decided_last, session.POSITION)
    guesses = [_guesses(opened.run, depth) for depth in found.best_LK]
    matrices(
        Matrices(
            panels=[_lens_map(found, guesses, tokens, opened, stack)],
            selected=(0, len(guesses) - 1, position),
        ),
        key=session.LENS,
        on_pick=session.take_position,
    )
    _followed(opened.run, found, guesses, position, stack)
    lesson.explained(
        Explanation(
            formula=r"p_l = \mathrm{softmax}\!\left(\mathrm{Norm}(x_l)\, E^\top\right)",
            tries=(
                _(
                    "Decoder: at the embedding the model says what it was fed, since one matrix "
                    "serves both ends (tied). Find the layer where the next word appears."
                ),
                _("A sentence with “it”: in which layer is the pronoun decided?"),
                _("Encoder: nothing asks it for words; read how long a token stays what it was."),
            ),
            code=(decoder_lens, encoder_lens),
        )
    )


def _read(opened: Opened, stack: Stack) -> Lens:
    ids = opened.inspection.translation
    if stack == "encoder":
        return cached.of_model(encoder_lens, opened.path, ids.source_ids)
    return cached.of_model(decoder_lens, opened.path, ids.source_ids, ids.fed_ids)


def _lens_map(
    found: Lens, guesses: list[list[str]], tokens: tuple[Token, ...], opened: Opened, stack: Stack
) -> Matrix:
    title = (
        _("Decoder: the most probable next token after each layer")
        if stack == "decoder"
        else _("Encoder: the token whose vector is nearest after each layer")
    )
    unknown = opened.inspection.unknown_words if stack == "encoder" else frozenset[int]()
    return Matrix(
        title=title,
        values=found.best_probability_LK.astype(np.float32),
        rows=Axis(name=_("after"), labels=[TokenLabel(name) for name in found.names]),
        columns=Axis(
            name=_("word fed") if stack == "decoder" else _("word"),
            labels=labels(tokens, unknown),
            side="target" if stack == "decoder" else "source",
        ),
        texts=guesses,
        value_name=_("probability"),
    )


def _followed(run: Run, found: Lens, guesses: list[list[str]], position: int, stack: Stack) -> None:
    """Tabulate one position: how the token that is followed rises through depth."""
    [followed] = _guesses(run, [found.followed_K[position]])
    shown = _("of {token}").format(token=f"“{followed}”")
    table = {
        _("after"): list(found.names),
        _("best guess"): [row[position] for row in guesses],
        _("its probability"): [percent(p) for p in found.best_probability_LK[:, position]],
        _("probability {of}").format(of=shown): [
            percent(p) for p in found.followed_probability_LK[:, position]
        ],
        _("rank {of}").format(of=shown): found.followed_rank_LK[:, position].tolist(),
        _("entropy, nats"): [f"{nats:.3g}" for nats in found.entropy_LK[:, position]],
        _("KL from the last, nats"): [f"{nats:.3g}" for nats in found.divergence_LK[:, position]],
    }
    st.table(table, border="horizontal", hide_index=True)
    lesson.numbers(f"lens_{stack}", table)


def _guesses(run: Run, ids: Iterable[int]) -> list[str]:
    return [token.text for token in run.tokenizer.describe([int(i) for i in ids])]


def tokens_of(opened: Opened, stack: Stack) -> tuple[Token, ...]:
    """Return the tokens of a stack's positions."""
    inspection = opened.inspection
    return inspection.source_tokens if stack == "encoder" else inspection.fed_tokens
