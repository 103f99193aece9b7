"""Layer after layer: the best guess at each depth, and what happens to the vectors on the way."""

from collections.abc import Sequence

from core.describe import describe
from core.studies.lessons.layers import Measure, Stream
from core.studies.lessons.of_sentence import sentence_stream
from pages.frame import session
from pages.frame.charts import chart
from pages.frame.language import _, joined, number, plain
from pages.frame.messages import explained
from pages.frame.needs import Need
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, row
from pages.frame.view import Shown
from pages.views.lessons import lens, stacks
from pages.views.lessons.stacks import Place
from viz.charts.curves import Quantity, curves

MEASURES: dict[str, Measure] = {"norm": "norm", "cosine": "cosine"}
LENS = (Need.WRITING, Need.NEXT, Need.OWN_VECTORS)
OLDER = {"stream_stack": lens.STACK, "stream_position": session.LENS_POSITION}
"""What older links called a choice → what it is called now."""


def draw(opened: Opened) -> Shown:
    """Draw the guess of each depth, or a measure of the vectors through depth."""
    for older, name in OLDER.items():
        if text := session.text_of(older):
            session.choose({older: None, name: text})
    with row():
        pictures = {
            "lens": _("guess (logit lens)"),
            "norm": _("length"),
            "cosine": _("cosine"),
        }
        shown = stacks.ask_picture(
            opened, "layers_shown", pictures, {"lens": LENS}, older={"added": "norm"}
        )
        place = lens.ask(opened)
    return lens.draw(opened, place) if shown == "lens" else _stream(opened, place, MEASURES[shown])


def _stream(opened: Opened, place: Place, measure: Measure) -> Shown:
    recipe = Recipe(sentence_stream, opened.path, opened.sentence, place.stack)
    found, position = recipe.result().result, place.position
    title, quantity = {
        "norm": (
            _("How long the vectors get"),
            Quantity(_("length of the vector (Euclidean norm)")),
        ),
        "cosine": (
            _("How similar each vector stays to its embedding"),
            Quantity(_("cosine to the embedding"), zero=False),
        ),
    }[measure]
    own, token = found.values(measure)[:, position].tolist(), place.token.text
    picture = curves(
        {
            _("{token}, position {n}").format(token=token, n=number(position)): own,
            _("mean of all positions"): found.mean(measure).tolist(),
        },
        x=Quantity(_("after which part"), labels=tuple(map(explained, found.names))),
        y=quantity,
        title=title,
    )
    said = _most_added(found, adds=opened.run.settings.model.residual)
    return Shown(
        name=f"stream_{place.stack}_{measure}",
        title=title,
        recipe=recipe,
        seen=joined([_change(token, own, measure), said]),
        pictures=[chart(picture)],
        about={"number": _("position {n}: {token}").format(n=number(position), token=token)},
        formula=describe(opened.run.model, 1, 1).sublayers[0].step + r", \qquad "
        r"\cos(x_l, x_0) = \frac{x_l \cdot x_0}{\lVert x_l \rVert \lVert x_0 \rVert}",
    )


def _change(token: str, values: Sequence[float], measure: Measure) -> str:
    """Say how a position's measure goes from the first depth to the last."""
    text = _("The vector of **{token}** goes from length {first} to **{last}**.")
    if measure == "cosine":
        text = _(
            "The vector of **{token}** begins as its embedding (cosine {first}) and ends at "
            "**{last}**."
        )
    first, last = (number(each, padded=False) for each in (values[0], values[-1]))
    return text.format(token=plain(token), first=first, last=last)


def _most_added(found: Stream, *, adds: bool) -> str:
    """Say which sublayer adds most to what goes on; without residual connections none adds."""
    if not adds:
        return _(
            "This model has no residual connections: each sublayer’s output takes the place of "
            "its input."
        )
    said = _("On average “{name}” adds most: a vector of length {norm} to one of {before}.")
    added, before = found.largest_addition
    return said.format(
        name=plain(explained(found.names[found.most_added])),
        norm=number(added, padded=False),
        before=number(before, padded=False),
    )
