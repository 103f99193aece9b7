"""What there is to see in one stage of a head, said of the number that is marked."""

import numpy as np

from core.inspection import even_weights
from core.studies.heads.largest_weights import largest_weight
from core.studies.heads.stages import Stage
from core.studies.heads.steps import HeadSteps
from core.studies.heads.terms import Terms, largest
from pages.frame.language import _, n_, number, percent, plain
from pages.frame.selection import Selection
from pages.views.attention import seen
from pages.views.attention.stages import axis_of, named_cell


def of_stage(
    selected: Selection, steps: HeadSteps, stage: Stage, cell: tuple[int, int], found: Terms
) -> str:
    """Say what a stage does to one number.

    Args:
        selected: The head and the sentence.
        steps: Of the head.
        stage: One of them.
        cell: Row and column of its result.
        found: How the number there came about.
    """
    match stage:
        case Stage.PRODUCTS:
            return _match(selected, steps, *cell)
        case Stage.SCALE:
            text = _(
                "Divided by {root}, the score of **{pair}** goes from {before} to **{after}**."
            )
            return text.format(
                root=number(steps.divisor, 2),
                pair=plain(named_cell(selected, steps, stage, cell)),
                before=number(found.left_N[0], 2),
                after=number(found.recorded, 2),
            )
        case Stage.POSITION_BIAS:
            text = _(
                "To the score of **{pair}**, {before}, their distance adds **{added}**: {after}."
            )
            return text.format(
                pair=plain(named_cell(selected, steps, stage, cell)),
                before=number(found.left_N[0], 2),
                added=number(found.right_N[0], 2),
                after=number(found.recorded, 2),
            )
        case Stage.MASK:
            return _hidden(steps)
        case Stage.SOFTMAX:
            return _share(selected, steps, *cell, found.total)
        case Stage.CONCATENATE:
            head, at = divmod(cell[1], steps.d_v)
            text = _(
                "Place {place} of {n} holds number {at} of head {head}, unchanged: **{value}**."
            )
            return text.format(
                place=number(cell[1]),
                n=number(steps.n_heads * steps.d_v),
                at=number(at),
                head=number(head),
                value=number(found.recorded, 2),
            )
    return _sum(selected, steps, stage, cell, found)


def _match(selected: Selection, steps: HeadSteps, query: int, key: int) -> str:
    row_K = steps.products_QK[query]
    best = int(row_K.argmax())
    parts = {
        "query": seen.query_name(selected, query),
        "key": seen.key_name(selected, query, key),
        "value": number(float(row_K[key]), 2),
        "best": seen.key_name(selected, query, best),
        "largest": number(float(row_K[best]), 2),
        "mean": number(float(row_K.mean(dtype=np.float64)), 2),
        "n": number(len(row_K)),
    }
    if row_K[key] == row_K[best]:
        text = n_(
            "{query} matches no key better than **{key}**: **{value}**. "
            "The mean over the {n} key is {mean}.",
            "{query} matches no key better than **{key}**: **{value}**. "
            "The mean over all {n} keys is {mean}.",
            len(row_K),
        )
        return text.format(**parts)
    text = _(
        "{query} matches **{key}** with **{value}**, and no key better than {best}: {largest}."
    )
    return text.format(**parts)


def _hidden(steps: HeadSteps) -> str:
    n, hidden = steps.visible_QK.size, int((~steps.visible_QK).sum())
    if not hidden:
        text = n_(
            "The mask hides **nothing** here: the {n} score stays.",
            "The mask hides **nothing** here: all {n} scores stay.",
            n,
        )
        return text.format(n=number(n))
    text = n_(
        "The mask hides **{hidden}** of {n} score: {share}.",
        "The mask hides **{hidden}** of {n} scores: {share}.",
        n,
    )
    return text.format(hidden=number(hidden), n=number(n), share=percent(hidden / n))


def _share(selected: Selection, steps: HeadSteps, query: int, key: int, share: float) -> str:
    parts = {
        "query": seen.query_name(selected, query),
        "key": seen.key_name(selected, query, key),
    }
    if not steps.visible_QK[query, key]:
        text = _("{query} may not look at **{key}**: the weight is exactly **0**.")
        return text.format(**parts)
    found = largest_weight(steps.weights_QK, even_weights(steps.visible_QK), query)
    if found.n_visible == 1:
        return seen.of_row(selected, found)
    scores_K = np.where(steps.visible_QK[query], steps.masked_QK[query], -np.inf)
    score = float(scores_K[key])
    scores_K[key] = -np.inf
    other = int(scores_K.argmax())
    gap = score - float(scores_K[other])
    text = (
        _(
            "{query} gives **{key}** **{share}** of its weight: its score, {score}, is the "
            "largest; the next, of {other}, is {next}."
        )
        if gap >= 0
        else _(
            "{query} gives **{key}** **{share}** of its weight: its score, {score}, is below that "
            "of {other}, {next}."
        )
    )
    return text.format(
        **parts,
        share=percent(share),
        score=number(score, 2),
        next=number(score - gap, 2),
        other=seen.key_name(selected, query, other),
    )


def _sum(
    selected: Selection, steps: HeadSteps, stage: Stage, cell: tuple[int, int], found: Terms
) -> str:
    [at] = largest(found.terms_N, 1)
    label = axis_of(selected, steps, found.over).labels[found.places[at]].text
    if found.over not in ("query", "key"):
        label = _("dimension {n}").format(n=label)
    n = len(found.terms_N)
    text = n_(
        "**{cell}** is **{total}**. Its {n} product, of {label}, is {term}.",
        "**{cell}** is **{total}**. Of its {n} products, that of {label} weighs most: {term}.",
        n,
    )
    return text.format(
        cell=plain(named_cell(selected, steps, stage, cell)),
        total=number(found.recorded, 2),
        n=number(n),
        label=plain(label),
        term=number(float(found.terms_N[at]), 2),
    )
