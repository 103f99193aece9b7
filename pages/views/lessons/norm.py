"""LayerNorm beside BatchNorm: what other sentences of a batch change."""

import streamlit as st

from core.describe import Description, describe
from core.heads import Site, Stack, Sublayer
from core.studies.lessons.layers import Norms, batch_norm, sentence_norms, study_norms
from pages.frame import controls, selection, session
from pages.frame.charts import chart
from pages.frame.language import _, number
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons.batch import ask_others
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity


def draw(opened: Opened) -> Shown:
    """Draw how far other sentences move a vector under each norm."""
    with selection.row():
        site = _ask_site(describe(opened.run.model), opened.run.model.config.stacks[0])
        with st.popover(_("Other sentences of the batch"), width="content"):
            sentences = ask_others(opened)
    recipe = Recipe(sentence_norms, opened.path, sentences, site)
    found = recipe.result().result
    # What the stack reads, as far as it fits: the prompt of a decoder alone.
    read = opened.inspection.source_tokens or opened.inspection.fed_tokens
    tokens = [token.text for token in read[: found.n_alone]]
    alone = len(sentences) == 1
    return Shown(
        name=f"norm.{site}",
        title=_("How far other sentences of the batch move a vector"),
        recipe=recipe,
        seen=_seen(found, alone=alone),
        code=(study_norms, batch_norm),
        pictures=[chart(_moved(found, tokens))],
    )


def _seen(found: Norms, *, alone: bool) -> str:
    """Say how far other sentences move the vectors under each norm."""
    if alone:
        return _("The sentence is alone in its batch: add another to compare BatchNorm.")
    text = _(
        "With BatchNorm the vectors of a sentence, and so what the model writes, could depend on "
        "which others happen to be in its batch: their numbers change by up to **{batch}** "
        "standard deviations on average. With LayerNorm they change by **{layer}**."
    )
    # LayerNorm leaves rounding, far below a hundredth.
    layer = round(float(found.layer_norm_K.max()), 2)
    return text.format(batch=number(found.batch_norm_K.max(), 2), layer=number(layer, padded=False))


def _ask_site(described: Description, stack: Stack) -> Site:
    """Ask for a layer of the stack that reads, and for one of its sublayers."""
    layer = controls.number(_("layer"), described.stacks[stack], 0, session.LAYER)
    offered = {
        part.site.sublayer: _(part.label)
        for part in described.sublayers
        if part.site is not None and part.site.stack == stack and part.layer == layer
    }
    older: dict[str, Sublayer] = {"self-attention": "self", "feed-forward": "feed_forward"}
    first = next(iter(offered))
    chosen = controls.choice(_("Sublayer"), "sublayer", offered, first, older=older)
    return Site(stack, layer, chosen)


def _moved(found: Norms, tokens: list[str]) -> Chart:
    return bars(
        {
            "LayerNorm": found.layer_norm_K.tolist(),
            "BatchNorm": found.batch_norm_K.tolist(),
        },
        tokens,
        value=Quantity(_("mean change of a vector’s numbers, in standard deviations")),
        title=_("How far other sentences of the batch move a vector"),
        # A bar of length 0 would not be seen.
        drawn="dots",
    )
