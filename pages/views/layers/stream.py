"""The residual stream: what every sublayer adds to it."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.config import ModelConfig
from core.describe import describe
from core.studies.lessons.layers import Measure, Stream, residual_stream
from pages.frame import cached, controls, session
from pages.frame.charts import chart
from pages.frame.files import stacked
from pages.frame.language import _, number, plain
from pages.frame.listed import joined
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.view import Shown
from pages.views.layers import stacks
from viz.charts.curves import Quantity, curves


def draw(opened: Opened) -> Shown:
    """Draw norm, cosine or additions of the residual stream through depth."""
    with st.container(horizontal=True, vertical_alignment="center"):
        stack, tokens = stacks.ask(opened, "stream_stack", "encoder")
        measure = _ask_measure()
        position = stacks.ask_position(opened, stack, session.STREAM_POSITION)
    ids = opened.inspection.translation
    found = cached.of_model(residual_stream, opened.path, ids.source_ids, ids.fed_ids)[stack]
    names = found.names[1:] if measure == "added" else found.names
    own = found.values(measure)[:, position].tolist()
    mean = found.mean(measure).tolist()
    token = tokens[position].text
    titles = {
        "norm": _("How long the vectors get"),
        "cosine": _("How alike each vector and its embedding are"),
        "added": _("How long each sublayer’s output is"),
    }
    picture = chart(
        curves(
            {
                _("{token}, position {n}").format(token=token, n=number(position)): own,
                _("mean of all positions"): mean,
            },
            x=Quantity(_("after which part"), labels=tuple(map(explained, names))),
            y=_quantities()[measure],
            title=titles[measure],
        )
    )
    added, before = found.largest_addition
    config = opened.run.settings.model
    return Shown(
        name=f"stream_{stack}_{measure}",
        title=titles[measure],
        seen=joined([_seen(token, own, measure), _most_added(found, adds=config.residual)]),
        numbers=lambda: stacked(
            {"after": names, "position": [position] * len(own), "own": own, "mean": mean},
            {"after": [found.names[found.most_added]], "added_most": [added], "to": [before]},
        ),
        python=stacks.python(
            opened,
            ["from core.studies.lessons.layers import residual_stream"],
            "streams = residual_stream(run.model, translation.source_ids, translation.fed_ids)",
            f'stream = streams["{stack}"]',
            "numbers = {",
            f'    "own": stream.values("{measure}")[:, {position}],',
            f'    "mean": stream.mean("{measure}"),',
            '    "largest_addition": stream.largest_addition,',
            "}",
        ),
        code=(residual_stream,),
        pictures=[picture],
        about={"number": _("position {n}: {token}").format(n=number(position), token=token)},
        formula=describe(opened.run.model, 1, 1).sublayers[0].step + r", \qquad "
        r"\cos(x_l, x_0) = \frac{x_l \cdot x_0}{\lVert x_l \rVert \lVert x_0 \rVert}",
        tries=_tries(config),
    )


def _tries(config: ModelConfig) -> list[str]:
    said = [_("Choose another position: which words change most on their way up?")]
    if config.is_encoder_decoder and not config.is_parallel:
        said.append(
            _("Compare encoder and decoder: the decoder’s vectors have to become the next word.")
        )
    return said


def _ask_measure() -> Measure:
    offered: dict[Measure, str] = {
        "norm": _("norm"),
        "cosine": _("cosine"),
        "added": _("added"),
    }
    return controls.choice(_("Measure"), "measure", offered, "norm")


def _quantities() -> Mapping[Measure, Quantity]:
    return {
        "norm": Quantity(_("length of the stream (Euclidean norm)")),
        "cosine": Quantity(_("cosine to the embedding"), zero=False),
        "added": Quantity(_("length of the sublayer’s output (Euclidean norm)")),
    }


def _seen(token: str, values: Sequence[float], measure: Measure) -> str:
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
