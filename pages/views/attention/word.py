"""One word, followed through all layers and heads."""

from collections.abc import Sequence
from functools import partial
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from core.heads import Head, Kind, Side
from core.inspection import Inspection, inspect_sentence, merged
from core.model.attention import attend_probed
from pages.frame import clicks, components, controls, notes, pin, selection, session
from pages.frame.cells import cell_columns
from pages.frame.files import stacked
from pages.frame.language import N_, _, n_, number, plain
from pages.frame.listed import listed
from pages.frame.maps import labels, labels_of_target
from pages.frame.opening import Opened
from pages.frame.selection import Selection, key_tokens, query_tokens
from pages.frame.view import Columns, Shown
from pages.views.attention import seen, weights
from viz.plane.strips import StripGroup, Strips

AT, BY = "at", "by"
LARGEST, BY_LAYER = "largest", "layer"
STRIPS = "strips"
_MOST_LISTED = 8
"""So many tokens are named in one line."""
ORDER = "order"
"""Name of the widget and of the URL's parameter."""


def draw(opened: Opened) -> Shown:
    """Draw a strip for every head that the word takes part in."""
    with selection.row():
        selected = selection.choose(opened, kind=False, head=False)
        ways = {AT: _("looks at"), BY: _("is looked at by")}
        older = {"looks at": AT, "is looked at by": BY}
        direction = controls.choice(_("Direction"), session.DIRECTION, ways, AT, older=older)
        orders = {LARGEST: _("largest first"), BY_LAYER: _("by layer")}
        older = {"largest first": LARGEST, "by layer": BY_LAYER}
        order = controls.choice(_("Sort"), ORDER, orders, LARGEST, older=older)
        selection.tell(selected, head=False)
    inspection = selected.inspection
    side, index = _followed(selected)
    groups = _groups(inspection, side, index, direction)
    picture = components.strips(
        Strips(
            source=labels(inspection.source_tokens, inspection.unknown_words),
            # What the last row predicts ends the target: EOS, or what came at the length limit.
            target=labels_of_target(inspection),
            side=side,
            index=index,
            direction="at" if direction == AT else "by",
            groups=[group.largest_first() if order == LARGEST else group for group in groups],
            note=_note(inspection, side, index),
        ),
        key=STRIPS,
        on_pin=partial(pin.take, opened, inspection, STRIPS),
        on_strip=partial(clicks.take_strip, STRIPS),
    )
    return Shown(
        name=f"{side}.{index}.looks-at" if direction == AT else f"{side}.{index}.is-looked-at-by",
        title=_title(_token(inspection, side, index), direction),
        numbers=lambda: _numbers(inspection, groups, index, direction),
        python=weights.inspecting(selected) + _python(groups, index, direction),
        code=[attend_probed, inspect_sentence, *([merged] if selected.whole_words else [])],
        seen=_seen(inspection, side, index, groups, direction),
        pictures=[picture],
        how_to_read=_(_HOW_TO_READ),
        formula=weights.formula(selected),
    )


def _followed(selected: Selection) -> tuple[Side, int]:
    """Return the token that the link names, or else the first pronoun, or the middle word."""
    opened, inspection = selected.opened, selected.inspection
    if found := pin.place(opened, inspection, selected.kind):
        return found
    if found := pin.followed(opened, inspection):
        return found
    # The last word is EOS.
    side = next(iter(inspection.attention)).attention.query_side
    words = [token.word for token in inspection.tokens_of(side)]
    of_middle = [at for at, word in enumerate(words) if word == max(words) // 2]
    # The space before a word that is cut into bytes may be a token of its own.
    texts = inspection.tokens_of(side)
    return side, next((at for at in of_middle if texts[at].text != "␣"), of_middle[0])


def _groups(inspection: Inspection, side: Side, index: int, direction: str) -> list[StripGroup]:
    """Return the token's row or column in every head, by kind of attention and layer."""
    groups = []
    for kind in dict.fromkeys(site.attention for site in inspection.attention):
        if (kind.query_side if direction == AT else kind.key_side) != side:
            continue
        layers = [inspection.attention[site] for site in inspection.sites_of(kind)]
        weights, visible = [each.weights_HQK for each in layers], layers[0].visible_QK
        groups.append(
            StripGroup(
                kind=kind.value,
                sides=kind.sides,
                heads=[
                    (layer, head) for layer, of in enumerate(weights) for head in range(len(of))
                ],
                weights=np.concatenate([_strip(of, index, direction) for of in weights]),
                visible=visible[index] if direction == AT else visible[:, index],
            )
        )
    return groups


def _seen(
    inspection: Inspection, side: Side, index: int, groups: Sequence[StripGroup], direction: str
) -> str:
    """Say at how many tokens the heads look most, which stand beside the strips, and where most.

    The token itself is one of them where a head looks most at it.
    """
    token = seen.token_name(inspection, side, index)
    if not groups:
        none = {
            AT: _("No head of this model looks from **{token}**."),
            BY: _("No head of this model looks at **{token}**."),
        }
        return none[direction].format(token=token)
    found, places = [], set()
    for group in groups:
        kind = Kind(group.kind)
        others_K = group.visible.copy()
        if kind.is_self:
            others_K[index] = False
        # Where nothing else is visible, a head has no choice.
        if not others_K.any():
            continue
        weights = np.where(group.visible, group.weights, -1)
        for strip, other in enumerate(weights.argmax(axis=1).tolist()):
            found.append((float(weights[strip, other]), group, strip, other))
            places.add((kind.key_side if direction == AT else kind.query_side, other))
    if not found:
        alone = {
            AT: _("**{token}** may look at no other token."),
            BY: _("No other token may look at **{token}**."),
        }
        return alone[direction].format(token=token)
    weight, group, strip, other = max(found, key=itemgetter(0))
    kind = Kind(group.kind)
    layer, head = group.heads[strip]
    text = {
        AT: n_(
            "From **{token}** the {n_heads} heads look most at **{n}** token: "
            "**{other}**, **{weight}** in {head}.",
            "From **{token}** the {n_heads} heads look most at **{n}** different tokens{which}; "
            "most of all at **{other}**: **{weight}** in {head}.",
            len(places),
        ),
        BY: n_(
            "In the {n_heads} heads **{token}** gets most from **{n}** token: "
            "**{other}**, **{weight}** in {head}.",
            "In the {n_heads} heads **{token}** gets most from **{n}** different tokens{which}; "
            "most of all from **{other}**: **{weight}** in {head}.",
            len(places),
        ),
    }[direction]
    beside = kind.key_side if direction == AT else kind.query_side
    return text.format(
        token=token,
        n=number(len(places)),
        which=_listed(inspection, sorted(places)) if len(places) <= _MOST_LISTED else "",
        n_heads=number(len(found)),
        weight=seen.weight(weight),
        other=seen.token_name(inspection, beside, other),
        head=notes.within_sentence(Head(kind.site(layer), head)),
    )


def _listed(inspection: Inspection, places: Sequence[tuple[Side, int]]) -> str:
    """Return tokens in brackets."""
    words = [plain(_token(inspection, side, index)) for side, index in places]
    return _(" ({tokens})").format(tokens=listed(words))


def _strip(weights_HQK: NDArray[np.float32], index: int, direction: str) -> NDArray[np.float32]:
    """Return a row or a column of each head."""
    return weights_HQK[:, index] if direction == AT else weights_HQK[:, :, index]


def _token(inspection: Inspection, side: Side, index: int) -> str:
    return inspection.tokens_of(side)[index].text


def _note(inspection: Inspection, side: Side, index: int) -> str:
    if side == "source" or not inspection.predicted_tokens:
        return ""
    return _("Fed “{fed}”, the decoder predicts “{predicted}”.").format(
        fed=_token(inspection, side, index), predicted=inspection.predicted_tokens[index].text
    )


def _title(token: str, direction: str) -> str:
    if direction == AT:
        return _("What “{token}” looks at, in every head").format(token=token)
    return _("What looks at “{token}”, in every head").format(token=token)


def _numbers(
    inspection: Inspection, groups: Sequence[StripGroup], index: int, direction: str
) -> Columns:
    """Return one row for each cell, by kind, layer and head whatever the strips' order is.

    Where `visible` is False the mask hides the key from the query, and the weight is 0.
    """
    tables: list[Columns] = []
    for group in groups:
        kind, others = Kind(group.kind), range(len(group.visible))
        cells = [(index, other) if direction == AT else (other, index) for other in others]
        columns = cell_columns(query_tokens(inspection, kind), key_tokens(inspection, kind), cells)
        tables += [
            {
                "kind": [group.kind] * len(cells),
                "layer": [layer] * len(cells),
                "head": [head] * len(cells),
                **columns,
                "visible": group.visible.tolist(),
                "weight": strip.tolist(),
            }
            for (layer, head), strip in zip(group.heads, group.weights, strict=True)
        ]
    return stacked(*tables)


def _python(groups: Sequence[StripGroup], index: int, direction: str) -> str:
    kinds = tuple(group.kind for group in groups)
    cells = f"[:, {index}]" if direction == AT else f"[:, :, {index}]"
    return "\n".join(
        [
            "numbers = {",
            f"    str(site): inspection.attention[site].weights_HQK{cells}",
            "    for site in inspection.attention",
            f"    if site.attention in {kinds}",
            "}",
            "",
        ]
    )


_HOW_TO_READ = N_(
    """
- Click a word, or a name beside a strip, to follow that word through every layer and head.
- Each **strip** is one head, each **cell** a token: how much weight the word gives to it (*looks
  at*: one row of that head's map), or gets from it (*is looked at by*: one column). What the word
  looks at sums to 1 in each strip; what looks at it need not.
- Beside a strip stands the token with the largest weight. Click a strip's name to see that head's
  whole map.
- A **source** word is looked at by the encoder's heads and by those of cross-attention. A
  **target** word stands for the step in which it is fed, and the next one predicted.
- The colours go from 0 to 1 for every head. Hatched cells are hidden by the look-ahead mask.
"""
)
