"""Layer after layer: the best guess at each depth, and what happens to the vectors on the way."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.describe import describe
from core.heads import Kind, Stack
from core.studies.lessons.layers import (
    Lens,
    Stream,
    decoder_lens,
    encoder_lens,
    formula,
)
from core.studies.lessons.of_sentence import sentence_lens, sentence_stream
from pages.frame import session
from pages.frame.charts import chart
from pages.frame.language import _, joined, number, percent, plain
from pages.frame.messages import explained
from pages.frame.needs import Need, missing
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, row
from pages.frame.view import Shown
from pages.views.lessons import stacks
from pages.views.lessons.stacks import Place
from viz.charts.bars import bars
from viz.charts.curves import Quantity
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrix

STACK = "lens_stack"
"""Name of the chosen stack in the URL."""
LENS = (Need.WRITING, Need.NEXT, Need.OWN_VECTORS)
OLDER = {"stream_stack": STACK, "stream_position": session.LENS_POSITION}
"""What older links called a choice → what it is called now."""


@dataclass(frozen=True, slots=True)
class _Guesses:
    """The best guess at every depth of every position, as words."""

    words: list[list[str]]
    echo_LK: NDArray[np.bool_]
    """True where a guess only repeats what the decoder was fed.

    With tied embeddings a vector that no layer has changed yet is most like its own token. Of an
    encoder, which nobody asks for the next token, that is what is to be seen.
    """


def draw(opened: Opened) -> Shown:
    """Draw the guess of each depth, or the length of the vectors through depth."""
    for older, name in OLDER.items():
        if text := session.text_of(older):
            session.choose({older: None, name: text})
    with row():
        pictures = {
            "lens": _("guess (logit lens)"),
            "norm": _("what is added"),
        }
        shown = stacks.ask_picture(
            opened,
            "layers_shown",
            pictures,
            {"lens": LENS},
            older={"added": "norm", "cosine": "norm"},
        )
        place = stacks.ask_place(
            opened, STACK, session.LENS_POSITION, first="decoder", usual=partial(_usual, opened)
        )
    return _lens(opened, place) if shown == "lens" else _stream(opened, place)


def _usual(opened: Opened, stack: Stack) -> int | None:
    """Return the position to begin with: the one that is decided last."""
    if missing(opened.run.settings, LENS):
        return None
    return Recipe(sentence_lens, opened.path, opened.sentence, stack).result().result.decided_last


def _lens(opened: Opened, place: Place) -> Shown:
    """Draw the model's best guess at every depth for every position."""
    recipe = Recipe(sentence_lens, opened.path, opened.sentence, place.stack)
    found = recipe.result().result
    guesses = _guesses(opened, found, place)
    shown, last = _map(opened, found, guesses, place), len(guesses.words) - 1
    picture = stacks.matrix(opened, place, shown, last, "lens")
    [followed] = _texts(opened, [found.followed_K[place.position]])
    causal = Kind.self_of(place.stack).causal
    seen = _decided(found, guesses, followed, place) if causal else _kept(found, guesses, place)
    return Shown(
        name=f"lens_{place.stack}",
        title=_title(place),
        question="" if causal else _("Does a word’s vector stay like the word?"),
        seen=seen,
        recipe=recipe,
        code=(decoder_lens, encoder_lens),
        pictures=[picture],
        formula=formula(opened.run.model, place.stack),
    )


def _guesses(opened: Opened, found: Lens, place: Place) -> _Guesses:
    echo_LK = np.zeros(found.best_LK.shape, dtype=np.bool_)
    if Kind.self_of(place.stack).causal:
        fed_K = np.asarray(opened.inspection.translation.fed_ids)
        # The last depth is what the model says.
        echo_LK[:-1] = found.best_LK[:-1] == fed_K
    return _Guesses([_texts(opened, depth) for depth in found.best_LK], echo_LK)


def _title(place: Place) -> str:
    return {
        "encoder": _("The token that each vector is most like, after each encoder layer"),
        "decoder": _("The most probable next token after each decoder layer"),
    }[place.stack]


def _kept(found: Lens, guesses: _Guesses, place: Place) -> str:
    """Say how many vectors of an encoder are still most like their own token in the end."""
    own_K = found.followed_rank_LK[-1] == 0
    text = _(
        "After the last encoder layer **{n}** of {total} vectors are still most like their own "
        "word."
    )
    if not own_K[place.position]:
        text = _(
            "After the last encoder layer **{n}** of {total} vectors are still most like their own "
            "word; that of “{token}” is most like “{word}”."
        )
    return text.format(
        n=number(int(own_K.sum())),
        total=number(len(own_K)),
        token=plain(place.token),
        word=plain(guesses.words[-1][place.position]),
    )


def _decided(found: Lens, guesses: _Guesses, followed: str, place: Place) -> str:
    """Say from which depth on a position's last guess is made."""
    position, last = place.position, len(found.names) - 1
    # What is followed is the last guess.
    decided = found.decided(position) or 0
    text = _("After “{token}”, “{word}” is the best guess from “{name}” on (**{share}** there).")
    if decided == 0:
        text = _("After “{token}”, “{word}” is the best guess from the embedding on ({share}).")
    elif decided == last:
        text = _(
            "After “{token}”, the last layer is the first to guess “{word}” (**{share}**); one "
            "layer earlier the guess is “{before}”."
        )
    return text.format(
        token=plain(place.token),
        word=plain(followed),
        before=plain(guesses.words[last - 1][position]),
        name=explained(found.names[decided]),
        share=plain(percent(float(found.followed_probability_LK[decided, position]))),
    )


def _map(opened: Opened, found: Lens, guesses: _Guesses, place: Place) -> Matrix:
    return Matrix(
        title=_title(place),
        values=found.best_probability_LK.astype(np.float32),
        rows=Axis(
            name=_("read after"), labels=[TokenLabel(explained(name)) for name in found.names]
        ),
        columns=stacks.axis(opened, place),
        texts=guesses.words,
        visible=~guesses.echo_LK if guesses.echo_LK.any() else None,
        hidden=_("only repeats the word fed"),
        grey_words=True,
        value_name=_("probability"),
    )


def _texts(opened: Opened, ids: Iterable[int]) -> list[str]:
    return [token.text for token in opened.run.tokenizer.describe([int(i) for i in ids])]


def _stream(opened: Opened, place: Place) -> Shown:
    """Draw how long the vectors are that the sublayers add, and say which adds most."""
    recipe = Recipe(sentence_stream, opened.path, opened.sentence, place.stack)
    found, position = recipe.result().result, place.position
    title = _("Length of the vector that each sublayer adds")
    token = place.token
    picture = bars(
        {
            _("{token}, position {n}").format(token=token, n=number(position)): found.added_LK[
                :, position
            ].tolist(),
            _("mean of all positions"): found.added_LK.mean(axis=1).tolist(),
        },
        [explained(name) for name in found.names[1:]],
        value=Quantity(_("length of the vector (Euclidean norm)")),
        title=title,
    )
    own = found.norms_LK[:, position].tolist()
    adds = opened.run.settings.model.residual
    return Shown(
        name=f"stream_{place.stack}",
        title=title,
        question=_("Which sublayer changes the vectors most?"),
        recipe=recipe,
        seen=joined([_most_added(found, adds=adds), _change(token, own)]),
        pictures=[chart(picture)],
        about={"number": _("position {n}: {token}").format(n=number(position), token=token)},
        formula=describe(opened.run.model, 1, 1).sublayers[0].step,
    )


def _change(token: str, values: Sequence[float]) -> str:
    """Say how a position's length goes from the first depth to the last."""
    text = _("The vector of “{token}” goes from length {first} to **{last}**.")
    first, last = (number(each, padded=False) for each in (values[0], values[-1]))
    return text.format(token=plain(token), first=first, last=last)


def _most_added(found: Stream, *, adds: bool) -> str:
    """Say which sublayer adds most to what goes on; without residual connections none adds."""
    if not adds:
        return _(
            "This model has no residual connections: each sublayer’s output takes the place of "
            "its input."
        )
    text = _("“{name}”: on average it adds a vector of length **{norm}** to one of {before}.")
    added, before = found.largest_addition
    return text.format(
        name=plain(explained(found.names[found.most_added])),
        norm=number(added, padded=False),
        before=number(before, padded=False),
    )
