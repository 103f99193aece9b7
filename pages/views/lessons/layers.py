"""Layer after layer: the best guess at each depth, and what happens to the vectors on the way."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.describe import describe
from core.heads import Kind, Stack
from core.model import Transformer
from core.studies.lessons.layers import (
    Lens,
    Stream,
    decoder_lens,
    encoder_lens,
    formula,
    sentence_lens,
    sentence_stream,
)
from pages.frame import session
from pages.frame.charts import chart
from pages.frame.language import _, capitalised, joined, number, percent, plain, short
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
from viz.direction import isolated
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
            "norm": _("lengths"),
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
    """Return the position to begin with: of a decoder the one that is decided last."""
    if missing(opened.run.settings, LENS) or not Kind.self_of(stack).causal:
        return None
    return Recipe(sentence_lens, opened.writer, opened.sentence, stack).result().result.decided_last


def _lens(opened: Opened, place: Place) -> Shown:
    """Draw the model's best guess at every depth for every position."""
    recipe = Recipe(sentence_lens, opened.writer, opened.sentence, place.stack)
    found = recipe.result().result
    guesses = _guesses(opened, found, place)
    shown, last = _map(opened, found, guesses, place), len(guesses.words) - 1
    picture = stacks.matrix(opened, place, shown, last, "lens")
    [followed] = _texts(opened, [found.followed_K[place.position]])
    causal = Kind.self_of(place.stack).causal
    seen = (
        _decided(found, guesses, followed, place)
        if causal
        else _kept(found, place.position, place.token)
    )
    return Shown(
        name=f"lens_{place.stack}",
        title=_title(place),
        question="" if causal else _("Does a word’s vector still mean that word after each layer?"),
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


def _kept(found: Lens, position: int, token: str) -> str:
    """Say how many vectors of an encoder are still most like their own token in the end."""
    own_K, share_L = found.followed_rank_LK[-1] == 0, found.followed_probability_LK[:, position]
    answer = _("Mostly") if own_K.mean() > 0.5 else _("No")
    text = _(
        "{answer}: after the last layer **{n}** of {total} vectors are still most like their own "
        "word. But they take in context: how clearly “{token}” is read goes from {first} to "
        "**{last}**."
    )
    return text.format(
        answer=_("Yes") if own_K.all() else answer,
        n=number(int(own_K.sum())),
        total=number(len(own_K)),
        token=plain(token),
        first=percent(float(share_L[0])),
        last=percent(float(share_L[-1])),
    )


def _decided(found: Lens, guesses: _Guesses, followed: str, place: Place) -> str:
    """Say from which depth on a position's last guess is made."""
    position, last = place.position, len(found.names) - 1
    # What is followed is the last guess.
    decided = found.decided(position) or 0
    text = _("After “{token}”, “{word}” is the best guess from {name} on (**{share}** there).")
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
        value_name=_("probability")
        if Kind.self_of(place.stack).causal
        else _("how clearly the word is read (softmax over the vocabulary)"),
    )


def _texts(opened: Opened, ids: Iterable[int]) -> list[str]:
    return [token.text for token in opened.run.tokenizer.describe([int(i) for i in ids])]


def _stream(opened: Opened, place: Place) -> Shown:
    """Draw how long one vector is before and after each sublayer, and say which adds most."""
    recipe = Recipe(sentence_stream, opened.writer, opened.sentence, place.stack)
    found, position = recipe.result().result, place.position
    title = _("Length of the vector of “{token}” before and after each sublayer")
    title = title.format(token=isolated(place.token))
    norms_L = found.norms_LK[:, position].tolist()
    picture = bars(
        {
            _("before"): norms_L[:-1],
            _("output"): found.added_LK[:, position].tolist(),
            _("after"): norms_L[1:],
        },
        [explained(name) for name in found.names[1:]],
        value=Quantity(_("length of the vector")),
        title=title,
    )
    return Shown(
        name=f"stream_{place.stack}",
        title=title,
        question=_("What does each sublayer do to a word’s vector?"),
        recipe=recipe,
        seen=_most_added(found, place, opened.run.settings.model),
        pictures=[chart(picture)],
        about={"number": _("position {n}: {token}").format(n=number(position), token=place.token)},
        formula=_formula(opened.run.model),
    )


def _formula(model: Transformer) -> str:
    """Return how a sublayer changes the stream, in LaTeX."""
    if not model.config.architecture:
        return describe(model).sublayers[0].step
    added = r"x_l + \mathrm{Sublayer}_l"
    return (
        f"x_{{l+1}} = {added}"
        if model.config.norm == "pre"
        else rf"x_{{l+1}} = \mathrm{{Norm}}({added})"
    )


def _most_added(found: Stream, place: Place, config: ModelConfig) -> str:
    """Say what the first sublayer adds, and which adds most; without residual none adds."""
    if not config.residual:
        return _(
            "This model has no residual connections: each sublayer’s output takes the place of "
            "its input."
        )
    depth = found.most_added(place.position)
    first = _(
        "{name} adds to “{token}” a vector of length **{added}** ({before} before, {after} after)."
    )
    why = _("Lengths do not add up where two vectors point in different directions.")
    if config.norm == "post":
        why = _("“After” is after the norm.")
    most = _("**{name}** adds most: **{added}** ({before} before, {after} after).")
    if depth == 1:
        most = _("No sublayer adds more.")
    origins = {
        "cross": _("It brings in the words of the source."),
        "self": _("It brings in the words that “{token}” attends to."),
        "feed_forward": _("It is computed from this vector alone, without other words."),
    }
    origin = origins.get(found.sites[depth].sublayer, "").format(token=plain(place.token))
    return joined(
        [_of_sublayer(first, found, place, 1), why, _of_sublayer(most, found, place, depth), origin]
    )


def _of_sublayer(text: str, found: Stream, place: Place, depth: int) -> str:
    """Return a text with what the sublayer before a depth adds to the chosen vector."""
    return text.format(
        token=plain(place.token),
        name=plain(capitalised(explained(found.names[depth]))),
        added=short(float(found.added_LK[depth - 1, place.position])),
        before=short(float(found.norms_LK[depth - 1, place.position])),
        after=short(float(found.norms_LK[depth, place.position])),
    )
