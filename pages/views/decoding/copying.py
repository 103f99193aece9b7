"""Where each written word comes from: out of the vocabulary, or from a place of the source."""

from collections.abc import Sequence

import numpy as np

from core.decoding.pointer import Copied, copied
from core.tokenizer.tokenizer import Token
from pages.frame import cached
from pages.frame.components import matrices
from pages.frame.language import _, n_, number, percent, plain
from pages.frame.listed import listed
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.snippets import translating
from pages.frame.view import Columns, Shown
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix

MATRIX = "copied"
FORMULA = (
    r"P(w) = p_{gen}\, P_{vocab}(w) + (1 - p_{gen}) \sum_{i:\, x_i = w} a_i, \qquad "
    r"p_{gen} = \sigma(w_h \cdot h^* + w_s \cdot s + b)"
)


def draw(opened: Opened) -> Shown | None:
    """Draw p_gen above the places of the source, for each word that the model writes."""
    inspection, config = opened.inspection, opened.run.model.config
    translation = inspection.translation
    ends = config.eos_ids[:1] if translation.finished else ()
    target_ids = (*translation.fed_ids, *ends)
    found = cached.of_model(copied, opened.path, translation.source_ids, target_ids)
    said = opened.run.target_tokenizer.describe(target_ids)[1:]
    return Shown(
        name="copying",
        title=_("Where each written word comes from"),
        seen=_seen(opened, found, said, target_ids),
        numbers=lambda: _numbers(opened, found, said),
        python=_python(opened, ends),
        code=[copied],
        pictures=[matrices(Matrices(panels=[_matrix(opened, found, said)]), key=MATRIX)],
        formula=FORMULA,
        how_to_read=_(
            "Each column is a word that the model writes, and sums to 1. The first row is "
            "**p_gen**, the weight that the softmax over the vocabulary has; the rows below it say "
            "how much of the rest each place of the source has: what stands there is copied. a is "
            "the mean over the heads of the last cross-attention, h* what it takes from the "
            "memory, and s the decoder’s vector."
        ),
        tries=(
            _("Type a name that nobody has: it is copied, under its own name."),
            _("Put the name elsewhere in the sentence: the copy follows it."),
            _("Type a sentence without a name: the first row is 1 everywhere."),
        ),
    )


def _matrix(opened: Opened, found: Copied, said: Sequence[Token]) -> Matrix:
    inspection = opened.inspection
    source = labels(inspection.source_tokens, inspection.unknown_words)
    values = np.vstack([found.p_gen_T, found.taken_TS.T]).astype(np.float32)
    return Matrix(
        title=_("How each word is chosen: generated, or copied from a place of the source"),
        # Rounding must not bring a share above the scale’s end.
        values=values.clip(0.0, 1.0),
        rows=Axis(name=_("taken from"), labels=[TokenLabel(_("generated")), *source]),
        columns=Axis(name=_("written"), labels=labels(said)),
        value_name=_("weight"),
    )


def _seen(opened: Opened, found: Copied, said: Sequence[Token], target_ids: Sequence[int]) -> str:
    """Say which words are copied and from where; else how sure the model is to generate all."""
    source_ids = opened.inspection.translation.source_ids
    ends = opened.run.model.config.eos_ids
    words = [step for step, token in enumerate(target_ids[1:]) if token not in ends]
    taken = [step for step in words if found.p_gen_T[step] < 0.5]
    if not words:
        return _("The model writes nothing.")
    if not taken:
        lowest = float(min(found.p_gen_T[step] for step in words))
        return _(
            "Nothing is copied: **p_gen** is {share} or more at every word, so that all of them "
            "come out of the vocabulary."
        ).format(share=percent(lowest))
    named = listed(
        _("**{word}** (p_gen {share})").format(
            word=plain(said[step].text), share=percent(float(found.p_gen_T[step]))
        )
        for step in taken
    )
    text = n_(
        "{n} word is copied from the source: {named}.",
        "{n} words are copied from the source: {named}.",
        len(taken),
    ).format(n=number(len(taken)), named=named)
    wrong = [step for step in taken if source_ids[found.place(step)] != target_ids[1:][step]]
    rest = [step for step in words if step not in taken]
    if rest:
        mean = float(np.mean([found.p_gen_T[step] for step in rest]))
        text += " " + _(
            "The others are generated (mean p_gen {share}): p_gen is the weight of the vocabulary; "
            "the rest is that of the places."
        ).format(share=percent(mean))
    ended = [step for step, token in enumerate(target_ids[1:]) if token in ends]
    if any(found.p_gen_T[step] < 0.5 for step in ended):
        text += " " + _("EOS, which ends it, is copied, too.")
    if wrong:
        text += " " + _("What stands at that place is not always what is written.")
    return text


def _numbers(opened: Opened, found: Copied, said: Sequence[Token]) -> Columns:
    """Return a row for each step and place of the source."""
    source = [token.text for token in opened.inspection.source_tokens]
    steps, places = np.indices(found.taken_TS.shape).reshape(2, -1).tolist()
    return {
        "step": steps,
        "written": [said[step].text for step in steps],
        "p_gen": found.p_gen_T[steps].tolist(),
        "generated": found.generated_T[steps].tolist(),
        "copied": found.copied_T[steps].tolist(),
        "place": places,
        "source": [source[place] for place in places],
        "taken": found.taken_TS.reshape(-1).tolist(),
    }


def _python(opened: Opened, ends: tuple[int, ...]) -> str:
    begun = translating(opened.path, opened.sentence, "from core.decoding.pointer import copied")
    lines = [
        f"target = (*translation.fed_ids, *{ends})",
        "found = copied(run.model, translation.source_ids, target)",
        'numbers = {"taken": found.taken_TS}',
        "",
    ]
    return begun + "\n".join(lines)
