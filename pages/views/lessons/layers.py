"""Layer after layer: what every sublayer adds to the residual stream, and what it says there."""

from collections.abc import Sequence

from core.describe import describe
from core.studies.lessons.layers import Measure, Stream
from core.studies.lessons.of_sentence import sentence_stream
from pages.frame import selection, session
from pages.frame.charts import chart
from pages.frame.language import _, joined, number, plain
from pages.frame.messages import explained
from pages.frame.needs import Need
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons import lens, stacks
from viz.charts.curves import Quantity, curves

MEASURES: dict[str, Measure] = {"norm": "norm", "cosine": "cosine", "added": "added"}
LENS = (Need.WRITING, Need.NEXT, Need.OWN_VECTORS)


def draw(opened: Opened) -> Shown:
    """Draw the guess of each depth, or a measure of the stream through depth."""
    with selection.row():
        pictures = {
            "lens": _("guess (logit lens)"),
            "norm": _("norm"),
            "cosine": _("cosine"),
            "added": _("added"),
        }
        shown = stacks.ask_picture(opened, "layers_shown", pictures, {"lens": LENS})
        if shown == "lens":
            asked = lens.ask(opened)
        else:
            stack, tokens = stacks.ask(opened, "stream_stack", opened.run.model.config.stacks[0])
            position = stacks.ask_position(opened, stack, session.STREAM_POSITION)
    if shown == "lens":
        return lens.draw(opened, asked)
    recipe = Recipe(sentence_stream, opened.path, opened.sentence, stack)
    found, measure = recipe.result().result, MEASURES[shown]
    titles = {
        "norm": _("How long the vectors get"),
        "cosine": _("How alike each vector and its embedding are"),
        "added": _("How long each sublayer’s output is"),
    }
    quantities = {
        "norm": Quantity(_("length of the stream (Euclidean norm)")),
        "cosine": Quantity(_("cosine to the embedding"), zero=False),
        "added": Quantity(_("length of the sublayer’s output (Euclidean norm)")),
    }
    names = found.names[1:] if measure == "added" else found.names
    own, token = found.values(measure)[:, position].tolist(), tokens[position].text
    picture = curves(
        {
            _("{token}, position {n}").format(token=token, n=number(position)): own,
            _("mean of all positions"): found.mean(measure).tolist(),
        },
        x=Quantity(_("after which part"), labels=tuple(map(explained, names))),
        y=quantities[measure],
        title=titles[measure],
    )
    said = _most_added(found, adds=opened.run.settings.model.residual)
    return Shown(
        name=f"stream_{stack}_{measure}",
        title=titles[measure],
        recipe=recipe,
        seen=joined([_change(token, own, measure), said]),
        pictures=[chart(picture)],
        about={"number": _("position {n}: {token}").format(n=number(position), token=token)},
        formula=describe(opened.run.model, 1, 1).sublayers[0].step + r", \qquad "
        r"\cos(x_l, x_0) = \frac{x_l \cdot x_0}{\lVert x_l \rVert \lVert x_0 \rVert}",
    )


def _change(token: str, values: Sequence[float], measure: Measure) -> str:
    """Say how a position's measure goes from the first place to the last."""
    texts = {
        "norm": _("The vector of **{token}** grows from length {first} to **{last}**."),
        "cosine": _(
            "The vector of **{token}** begins as its embedding (cosine {first}) and ends at "
            "**{last}**."
        ),
        "added": _(
            "On **{token}** the first sublayer’s output has length {first}, the last’s **{last}**."
        ),
    }
    first, last = (number(each, padded=False) for each in (values[0], values[-1]))
    if first == last:
        texts["norm"] = _("The vector of **{token}** ends as long as it begins: **{last}**.")
    elif values[-1] < values[0]:
        texts["norm"] = _("The vector of **{token}** shrinks from length {first} to **{last}**.")
    return texts[measure].format(token=plain(token), first=first, last=last)


def _most_added(found: Stream, *, adds: bool) -> str:
    """Say which sublayer adds most to what goes on; without residual connections none adds."""
    if not adds:
        return _(
            "This model has no residual connections: each sublayer’s output takes the place of "
            "its input."
        )
    said = _("On average “{name}” adds most: a vector of length {norm} to one of {before}.")
    added, before = found.largest_addition
    name = plain(explained(found.names[found.most_added]))
    return said.format(
        name=name, norm=number(added, padded=False), before=number(before, padded=False)
    )
