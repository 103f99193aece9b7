"""The layers lesson: what becomes of a token on its way up."""

from collections.abc import Iterable

import numpy as np
import streamlit as st

from core.analysis.lessons.lens import Lens, decoder_lens, encoder_lens
from core.analysis.lessons.lens import formula as lens_formula
from core.analysis.lessons.stream import Stream, residual_stream
from core.heads import Stack
from core.model.description import describe
from core.runs.run import Run
from core.tokenizer import Token
from pages.frame import cached, clicks, controls, lesson, session
from pages.frame import lesson_controls as lesson_controls
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.text import _, percent, plain
from viz.charts.curves import Quantity, curves
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix


def stream(opened: Opened) -> None:
    """Draw norm, cosine or additions of the residual stream through depth."""
    with st.container(horizontal=True, vertical_alignment="center"):
        stack = lesson_controls.stack("stream_stack", "encoder")
        measures = {
            "norm": Quantity(_("length of the stream (Euclidean norm)")),
            "cosine": Quantity(_("cosine to the embedding"), zero=False),
            "added": Quantity(_("length of what was added (Euclidean norm)")),
        }
        measure = lesson_controls.measure(list(measures))
        tokens = tokens_of(opened, stack)
        position = controls.number(_("position"), len(tokens), 0, "stream_position")
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
            formula=describe(opened.run.model, 1, 1).sublayers[0].step + r", \qquad "
            r"\cos(x_l, x_0) = \frac{x_l \cdot x_0}{\lVert x_l \rVert \lVert x_0 \rVert}",
            tries=(
                _("Compare encoder and decoder: the decoder has to become another word."),
                _("Choose a position: some words change more than others on their way up."),
            ),
            code=(residual_stream,),
        )
    )


def _say_most_added(found: Stream) -> None:
    depth = found.most_added
    said = _("On average “{name}” adds most: a vector of length {norm:.3g} to one of {before:.3g}.")
    added, before = found.added_LK[depth - 1].mean(), found.norms_LK[depth - 1].mean()
    st.caption(said.format(name=found.names[depth], norm=added, before=before))


def lens(opened: Opened) -> None:
    """Show the model's best guess at every depth for every position."""
    with st.container(horizontal=True, vertical_alignment="center"):
        stack = lesson_controls.stack("lens_stack", "decoder")
        tokens = tokens_of(opened, stack)
        found = _read(opened, stack)
        position = controls.number(
            _("position"), len(tokens), found.decided_last, session.LENS_POSITION
        )
    guesses = [_guesses(opened.run, depth) for depth in found.best_LK]
    matrices(
        Matrices(
            panels=[_lens_map(found, guesses, tokens, opened, stack)],
            selected=(0, len(guesses) - 1, position),
        ),
        key=session.LENS,
        on_pick=clicks.take_position,
    )
    _followed(opened.run, found, guesses, position, stack)
    lesson.explained(
        Explanation(
            formula=lens_formula(opened.run.model),
            tries=(
                _(
                    "Decoder: where one matrix serves both ends (tied), the embedding of a word "
                    "says that word again. Find the layer where the next one appears."
                ),
                _("A translation with a pronoun: in which layer is it decided?"),
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
        else _("Encoder: the token with the largest dot product after each layer")
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
    best = [row[position] for row in guesses]
    columns = {
        "its probability": found.best_probability_LK[:, position].tolist(),
        "probability": found.followed_probability_LK[:, position].tolist(),
        "more probable tokens": found.followed_rank_LK[:, position].tolist(),
        "entropy, nats": found.entropy_LK[:, position].tolist(),
        "KL from the last, nats": found.divergence_LK[:, position].tolist(),
    }
    shown = _("of {token}").format(token=f"“{plain(followed)}”")
    table = {
        _("after"): list(found.names),
        _("best guess"): [plain(guess) for guess in best],
        _("its probability"): [percent(share) for share in columns["its probability"]],
        _("probability {of}").format(of=shown): [percent(p) for p in columns["probability"]],
        _("tokens before it"): columns["more probable tokens"],
        _("entropy, nats"): [f"{nats:.3g}" for nats in columns["entropy, nats"]],
        _("KL from the last, nats"): [f"{n:.3g}" for n in columns["KL from the last, nats"]],
    }
    st.table(table, border="horizontal", hide_index=True)
    lesson.numbers(
        f"lens_{stack}",
        {
            "after": found.names,
            "best guess": best,
            "token followed": [followed] * len(best),
            **columns,
        },
    )


def _guesses(run: Run, ids: Iterable[int]) -> list[str]:
    return [token.text for token in run.tokenizer.describe([int(i) for i in ids])]


def tokens_of(opened: Opened, stack: Stack) -> tuple[Token, ...]:
    """Return the tokens of a stack's positions."""
    inspection = opened.inspection
    return inspection.source_tokens if stack == "encoder" else inspection.fed_tokens
