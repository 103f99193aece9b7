"""What attention passes on from layer to layer, if weights were all there is."""

import numpy as np
import streamlit as st

from core.heads import Kind, Stack
from core.inspection import Inspection
from core.runs.run import Run
from core.studies.attribution.rollout import (
    StackRollout,
    mixing,
    rollout,
    seen_fairly,
    stack_rollout,
)
from pages.frame import cached, selection, snippets
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.language import N_, _, number, percent, plain
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity
from viz.plane.matrices import Axis, Matrices, Matrix

MAPS, STACK = "rollout_maps", "rollout_stack"
_FORMULA = (
    r"\tilde A_l = \tfrac12 \cdot \tfrac1H \textstyle\sum_h A_{l,h} + "
    r"\tfrac12 I, \qquad R_l = \tilde A_l \, \tilde A_{l-1} \cdots \tilde A_0"
)
TRIES = (
    N_("Follow one row upwards: after each layer it holds more of the other tokens."),
    N_(
        "In the decoder every row sees BOS: divided by how many rows can see a token, "
        "is it still the one that is seen most?"
    ),
)


def ask(opened: Opened) -> Stack:
    """Ask for one of the stacks whose layers have self-attention."""
    stacks = list(dict.fromkeys(site.stack for site in opened.run.model.sites() if site.is_self))
    return selection.ask_stack(STACK, "encoder") if len(stacks) > 1 else stacks[0]


def draw(opened: Opened, stack: Stack) -> Shown:
    """Draw the rollout of a stack's self-attention after each of its layers."""
    found = cached.of_run(_rolled, opened.path, opened.sentence, stack)
    kind, layers = Kind.self_of(stack), range(len(found.rolled_LQK))
    axis = selection.token_axis(opened.inspection, kind.key_side)
    shown = Matrices(panels=[_map(found, layer, axis, hides=kind.causal) for layer in layers])
    pictures = [matrices(shown, key=MAPS)]
    st.caption(
        _(
            "Half of each position goes on as it is, the other half is the mean over the layer’s "
            "heads of self-attention. Values, W^O, cross-attention and feed-forward layers are "
            "left out: a hypothesis, too."
        )
    )
    if kind.causal:
        pictures.append(chart(_seen(opened, found)))
        st.caption(
            _(
                "Divided like this, a late token is a mean over few rows, and the last one over "
                "its own row alone, which holds much of itself: read the right end with care."
            )
        )
    return Shown(
        name=f"rollout_{stack}",
        title=_("What attention passes on from layer to layer"),
        numbers=lambda: numbers(found, opened.inspection, kind),
        python=_python(opened, stack),
        seen=_holding_least(opened, found, kind),
        code=(stack_rollout, rollout, mixing, seen_fairly),
        pictures=pictures,
        formula=_FORMULA,
        tries=[_(each) for each in TRIES],
    )


def _holding_least(opened: Opened, found: StackRollout, kind: Kind) -> str:
    """Say in Markdown what is in the position that keeps least of its own token at the end."""
    last_QK = found.rolled_LQK[-1]
    texts = [plain(token.text) for token in opened.inspection.tokens_of(kind.key_side)]
    row = int(last_QK.diagonal().argmin())
    parts = {
        "layer": number(len(found.rolled_LQK) - 1),
        "word": texts[row],
        "own": percent(float(last_QK[row, row])),
    }
    if len(texts) == 1:
        return _("One token: its position holds **{own}** of it.").format(**parts)
    others_K = last_QK[row].copy()
    others_K[row] = -1
    other = int(others_K.argmax())
    text = _(
        "After layer {layer}, the position of **{word}** holds least of its own token: {own}. Of "
        "the others, **{other}** has most: **{share}**."
    )
    return text.format(**parts, other=texts[other], share=percent(float(others_K[other])))


def _rolled(run: Run, sentence: str, stack: Stack) -> StackRollout:
    return stack_rollout(cached.inspected(run.path, sentence, whole_words=False), stack)


def _map(found: StackRollout, layer: int, axis: Axis, *, hides: bool) -> Matrix:
    return Matrix(
        title=_("After layer {layer}: how much of each token is in each position").format(
            layer=layer
        ),
        values=found.rolled_LQK[layer].astype(np.float32),
        rows=Axis(name=_("position"), labels=axis.labels, side=axis.side),
        columns=axis,
        visible=np.ascontiguousarray(found.visible_QK) if hides else None,
        value_name=_("share"),
    )


def _seen(opened: Opened, found: StackRollout) -> Chart:
    """Return the chart of how much is seen of each token by the rows that can see it."""
    return bars(
        {
            _("mean over all rows"): list(map(float, found.seen_K)),
            _("mean over the rows that can see it"): list(map(float, found.seen_fairly_K)),
        },
        [token.text for token in opened.inspection.fed_tokens],
        value=Quantity(_("share of the token in the last layer’s positions"), share=True),
        title=_("Early tokens are seen by more rows, and seem to matter more"),
    )


def numbers(found: StackRollout, inspection: Inspection, kind: Kind) -> Columns:
    """Return a row for each cell of the maps; for the decoder also what is seen of each token."""
    texts = [token.text for token in inspection.tokens_of(kind.key_side)]
    rows: list[dict[str, object]] = [
        {
            "what": "share",
            "layer": layer,
            "position": row,
            "position_token": texts[row],
            "token": column,
            "token_text": texts[column],
            "share": float(share),
        }
        for (layer, row, column), share in np.ndenumerate(found.rolled_LQK)
    ]
    if kind.causal:
        seen = {"seen": found.seen_K, "seen_fairly": found.seen_fairly_K}
        for what, shares_K in seen.items():
            for token, share in enumerate(shares_K.tolist()):
                at = {"what": what, "token": token, "token_text": texts[token]}
                rows.append({**at, "share": share})
    return {name: [row.get(name) for row in rows] for name in rows[0]}


def _python(opened: Opened, stack: Stack) -> str:
    imports = "from core.studies.attribution.rollout import stack_rollout"
    lines = [f'found = stack_rollout(inspection, "{stack}")']
    lines.append("shares = found.rolled_LQK.reshape(-1).tolist()")
    if Kind.self_of(stack).causal:
        lines.append("shares += [*found.seen_K.tolist(), *found.seen_fairly_K.tolist()]")
    lines.append('numbers = {"share": shares}')
    return snippets.inspecting(opened.path, opened.sentence, imports) + "\n".join([*lines, ""])
