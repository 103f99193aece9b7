"""What attention passes on from layer to layer, if weights were all there is."""

import numpy as np

from core.heads import Stack
from core.studies.attribution.rollout import (
    StackRollout,
    mixing,
    rollout,
    seen_fairly,
    stack_rollout,
)
from pages.frame import selection
from pages.frame.components import matrices
from pages.frame.language import _, number, percent, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from viz.plane.matrices import Axis, Matrices, Matrix

MAPS, STACK = "rollout_maps", "rollout_stack"


def ask(opened: Opened) -> Stack:
    """Ask for one of the stacks whose layers have self-attention."""
    stacks = list(dict.fromkeys(site.stack for site in opened.run.model.sites() if site.is_self))
    return selection.ask_stack(STACK, "encoder") if len(stacks) > 1 else stacks[0]


def draw(opened: Opened, stack: Stack) -> Shown:
    """Draw the rollout of a stack's self-attention after each of its layers."""
    recipe = Recipe(stack_rollout, opened.inspecting, stack)
    found = recipe.result()
    axis = selection.token_axis(opened.inspection, found.kind.key_side)
    panels = [_map(found, layer, axis) for layer in range(len(found.rolled_LQK))]
    picture = matrices(Matrices(panels=panels), key=MAPS)
    text = view_text("heads", "attribution")
    return Shown(
        name=f"rollout_{stack}",
        title=_("What attention passes on from layer to layer"),
        recipe=recipe,
        seen=_holding_least(found),
        code=(rollout, mixing, seen_fairly),
        pictures=[picture],
        how_to_read=text.sections["How to read rollout"],
        formula=text.sections["Formula of rollout"].strip("$\n"),
    )


def _holding_least(found: StackRollout) -> str:
    """Say in Markdown what is in the position that keeps least of its own token at the end."""
    last_QK = found.rolled_LQK[-1]
    texts = [plain(token.text) for token in found.tokens]
    row = int(last_QK.diagonal().argmin())
    own = percent(float(last_QK[row, row]))
    if len(texts) == 1:
        return _("One token: its position holds **{own}** of it.").format(own=own)
    others_K = last_QK[row].copy()
    others_K[row] = -1
    other = int(others_K.argmax())
    return _(
        "After layer {layer}, the position of **{word}** holds least of its own token: {own}. Of "
        "the others, **{other}** has most: **{share}**."
    ).format(
        layer=number(len(found.rolled_LQK) - 1),
        word=texts[row],
        own=own,
        other=texts[other],
        share=percent(float(others_K[other])),
    )


def _map(found: StackRollout, layer: int, axis: Axis) -> Matrix:
    return Matrix(
        title=_("After layer {layer}: how much of each token is in each position").format(
            layer=layer
        ),
        values=found.rolled_LQK[layer].astype(np.float32),
        rows=Axis(name=_("position"), labels=axis.labels, side=axis.side),
        columns=axis,
        visible=np.ascontiguousarray(found.visible_QK) if found.kind.causal else None,
        value_name=_("share"),
    )
