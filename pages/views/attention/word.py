"""One word, followed through all layers and heads."""

from functools import partial

import numpy as np

from core.heads import Head, Kind, Side
from core.inspection import Inspection
from core.model.attention import attend_probed
from core.studies.heads.maps import Direction, TokenGroup, TokenInHeads, token_in_heads
from pages.frame import clicks, components, controls, notes, selection, session
from pages.frame.language import _, joined, number
from pages.frame.maps import labels_of_target, side_labels
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, Selection
from pages.frame.view import Shown
from pages.views.attention import seen
from pages.views.attention.formula import formula
from viz.plane.strips import StripGroup, Strips

STRIPS = "strips"


def draw(opened: Opened) -> Shown:
    """Draw a strip for every head that the word takes part in."""
    with selection.row():
        selected = selection.choose(opened, kind=False, head=False)
        ways: dict[Direction, str] = {"at": _("looks at"), "by": _("is looked at by")}
        older: dict[str, Direction] = {"looks at": "at", "is looked at by": "by"}
        direction = controls.choice(_("Direction"), "direction", ways, "at", older=older)
    inspection = selected.inspection
    side, index = _followed(selected)
    opened.show_image((side, index))
    recipe = Recipe(token_in_heads, selected.inspecting, side, index, direction)
    found = recipe.result()
    picture = components.show(
        Strips(
            source=side_labels(inspection, "source"),
            # What the last row predicts ends the target: EOS, or what came at the length limit.
            target=labels_of_target(inspection),
            side=side,
            index=index,
            direction=direction,
            groups=[
                _strips(group).largest_first(_unused(group.kind, direction))
                for group in found.groups
            ],
            note=_note(inspection, side, index),
        ),
        key=STRIPS,
        on_pin=partial(clicks.take_pin, opened, inspection, STRIPS),
        on_strip=_take_strip,
    )
    looks = direction == "at"
    token = inspection.tokens_of(side)[index].text
    title = (
        _("What “{token}” looks at, in every head")
        if looks
        else _("What looks at “{token}”, in every head")
    )
    return Shown(
        name=f"{side}.{index}.{'looks-at' if looks else 'is-looked-at-by'}",
        title=title.format(token=token),
        recipe=recipe,
        code=[attend_probed],
        seen=_seen(selected, side, found),
        pictures=[picture],
        formula=formula(opened.run),
    )


def _take_strip() -> None:
    """Open the head of the strip that was clicked in the maps."""
    if head := clicks.picked(STRIPS, "strip"):
        session.choose_above({**head, session.VIEW: "maps"})


def _followed(selected: Selection) -> tuple[Side, int]:
    """Return the token that the link names, or else the first pronoun, or the middle word."""
    opened, inspection = selected.opened, selected.inspection
    if found := clicks.pinned(opened, inspection, selected.kind):
        return found
    if found := clicks.first_pinned(opened, inspection):
        return found
    # The last word is EOS.
    side = next(iter(inspection.attention)).attention.query_side
    words = [token.word for token in inspection.tokens_of(side)]
    of_middle = [at for at, word in enumerate(words) if word == max(words) // 2]
    # The space before a word that is cut into bytes may be a token of its own.
    texts = inspection.tokens_of(side)
    return side, next((at for at in of_middle if texts[at].text != "␣"), of_middle[0])


def _unused(kind: Kind, direction: Direction) -> int | None:
    """Return the token on which heads leave the weight that they have no use for, if any.

    It is the first of a decoder: see `core.studies.heads.largest_weights.pairs_of_words`.
    """
    return 0 if direction == "at" and kind.causal else None


def _strips(group: TokenGroup) -> StripGroup:
    return StripGroup(
        kind=group.kind.value,
        sides=group.kind.sides,
        heads=[(head.layer, head.index) for head in group.heads],
        weights=group.weights_HN,
        visible=group.visible_N,
    )


def _seen(selected: Selection, side: Side, found: TokenInHeads) -> str:
    """Say between which tokens the largest weight lies, and in which head."""
    inspection, looks = selected.inspection, found.direction == "at"
    token = seen.token_name(inspection, side, found.index)
    if not found.groups:
        none = (
            _("No head of this model looks from {token}.")
            if looks
            else _("No head of this model looks at {token}.")
        )
        return none.format(token=token)
    ranked = _largest(found)
    if not ranked:
        alone = (
            _("{token} may look at no other token.")
            if looks
            else _("No other token may look at {token}.")
        )
        return alone.format(token=token)
    weight, head, at = ranked[0]
    other = seen.token_name(inspection, head.kind.key_side if looks else head.kind.query_side, at)
    text = (
        _("{token} gives {other} **{share}** of its attention in {head}.")
        if looks
        else _("{token} gets **{share}** of the attention of {other} in {head}.")
    )
    finding = text.format(
        token=token, other=other, share=seen.share(weight), head=notes.within_sentence(head)
    )
    others = len({(each.kind, place) for _weight, each, place in ranked})
    if not looks or len(ranked) == 1:
        return finding
    together = _("The {n} heads look most at {others} different words.")
    return joined([finding, together.format(n=number(len(ranked)), others=number(others))])


def _largest(found: TokenInHeads) -> list[tuple[float, Head, int]]:
    """Return the largest weight of each head that has a choice, and the token at its other end.

    The largest of all comes first, and what has no use last. The token itself is one of them where
    a head looks most at it.
    """
    largest = []
    for group in found.groups:
        others_N = group.visible_N.copy()
        if group.kind.is_self:
            others_N[found.index] = False
        if others_N.any():
            weights_HN = np.where(group.visible_N, group.weights_HN, -1)
            for head, weights_N in zip(group.heads, weights_HN, strict=True):
                other = int(weights_N.argmax())
                largest.append((float(weights_N[other]), head, other))

    def rank(each: tuple[float, Head, int]) -> tuple[bool, float]:
        weight, head, other = each
        return other != _unused(head.kind, found.direction), weight

    return sorted(largest, key=rank, reverse=True)


def _note(inspection: Inspection, side: Side, index: int) -> str:
    if side == "source" or not inspection.predicted_tokens:
        return ""
    return _("Fed “{fed}”, the decoder predicts “{predicted}”.").format(
        fed=inspection.tokens_of(side)[index].text,
        predicted=inspection.predicted_tokens[index].text,
    )
