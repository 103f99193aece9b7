"""Copy one vector of one layer at one word: in which layer does the difference stand at which?"""

from typing import Literal

import numpy as np

from core.heads import Site
from core.studies.effects.position_patching import Part, PositionPatching, position_patching
from pages.frame import components, controls
from pages.frame.language import N_, _, joined, number, percent_of_100, plain
from pages.frame.maps import labels
from pages.frame.needs import Need, missing
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.component.payload import TokenLabel
from viz.component.standalone import Drawn
from viz.plane.matrices import Axis, Matrices, Matrix

MAP = "patch_positions"
STRONG = 0.1
"""What restores less than this is not said to carry the difference."""
NAMES = {
    Part.STREAM: N_("residual stream"),
    Part.ATTENTION: N_("attention"),
    Part.FEED_FORWARD: N_("feed-forward"),
}
"""Marked for translation."""


def ask(opened: Opened, name: str, heads: str) -> str:
    """Ask of which part an output is copied: of each head, or by layer and position of another.

    Args:
        opened: The run and the sentence.
        name: Of the choice, in the URL.
        heads: What the choice of heads is called there.
    """
    settings = opened.run.settings
    mixing = Need(f"{settings.model.stacks[0]}_self")
    needs = {Part.STREAM: (), Part.ATTENTION: (mixing,), Part.FEED_FORWARD: (Need.FEED_FORWARD,)}
    parts = {
        part.value: _(label) for part, label in NAMES.items() if not missing(settings, needs[part])
    }
    return controls.choice(_("What is copied"), name, {heads: _("heads"), **parts}, heads)


def shown(recipe: Recipe[PositionPatching], second: str) -> Shown:
    """Draw the share that each vector restores, and say which restores most."""
    study = recipe.result()
    return Shown(
        name=f"patching_{study.part}",
        title=_title(study),
        question=_("At which word is the difference in each layer?"),
        recipe=recipe,
        seen=_seen(study),
        code=(position_patching,),
        pictures=[_draw_map(study)],
        about={"second_sentence": second},
    )


def _title(study: PositionPatching) -> str:
    return {
        Part.STREAM: _("What one vector of the residual stream restores, by layer and position"),
        Part.ATTENTION: _("What the output of self-attention restores, by layer and position"),
        Part.FEED_FORWARD: _("What the feed-forward output restores, by layer and position"),
    }[study.part]


def _seen(study: PositionPatching) -> str:
    """Say which vector restores most, of those that were copied, and where the difference began."""
    row, at, share = study.strongest(_layers(study))
    text = _(
        "Of {n} vectors, the one of **“{token}” in layer {layer}** restores most: **{share}** of "
        "the way from “{other}” to “{one}”."
    )
    if share < STRONG:
        text = _(
            "None of {n} vectors carries the difference alone: the one of “{token}” in layer "
            "{layer} restores most, {share} of the way from “{other}” to “{one}”."
        )
    before = _("Before the first layer it is the one of “{first}”: {first_share}.")
    _row, first, first_share = study.strongest(slice(0, 1))
    return joined([text, before if study.part is Part.STREAM else ""]).format(
        n=number(int(study.tried_P.sum()) * len(study.sites[_layers(study)])),
        token=plain(study.tokens[at].text),
        layer=number(study.sites[row].layer),
        share=percent_of_100(100 * share, 0),
        one=plain(study.clean_token.text),
        other=plain(study.corrupt_token.text),
        first=plain(study.tokens[first].text),
        first_share=percent_of_100(100 * first_share, 0),
    )


def _layers(study: PositionPatching) -> slice:
    """Return the rows of layers: before them the differing word itself restores everything."""
    return slice(1, None) if study.part is Part.STREAM else slice(None)


def _draw_map(study: PositionPatching) -> Drawn:
    """Draw layers × positions, the last layer below."""
    shares_LP, tried_P = study.shares_LP, study.tried_P
    # Blue has a place on the scale only where a vector leads away from the other word.
    scale: Literal["weight", "signed"] = "signed" if shares_LP.min() < -STRONG else "weight"
    name = _("how far from “{other}” (0\u00a0%) to “{one}” (100\u00a0%)")
    panel = Matrix(
        title=_title(study),
        values=(100 * shares_LP).astype(np.float32),
        limit=100.0,
        scale=scale,
        visible=None if tried_P.all() else np.broadcast_to(tried_P, shares_LP.shape).copy(),
        hidden=_("the other sentence has no word here"),
        rows=Axis(name=_("after"), labels=[TokenLabel(_row(site)) for site in study.sites]),
        columns=Axis(
            name=_("word"),
            labels=labels(study.tokens),
            side=study.sites[0].side,
            differs=[at for at, differs in enumerate(study.differs_P) if differs],
        ),
        texts=[[percent_of_100(100 * each, 0) for each in row] for row in shares_LP.tolist()],
        note=""
        if study.partners_P == (*range(len(study.tokens)),)
        else _(
            "The sentences differ in length: words are matched from the start up to the first that "
            "differs, the others from the end."
        ),
        value_name=name.format(other=study.corrupt_token.text, one=study.clean_token.text),
    )
    row, at, _share = study.strongest(_layers(study))
    texts = {"cell": _("{row}, {column}: {value}\u00a0%")}
    return components.show(Matrices(panels=[panel], selected=(0, row, at), texts=texts), key=MAP)


def _row(site: Site) -> str:
    """Return what a row is called."""
    if site.sublayer == "embedding":
        return _("embedding")
    return _("layer {layer}").format(layer=number(site.layer))
