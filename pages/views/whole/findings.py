"""What there is to see in a pass, in sentences: each is computed from it."""

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from core.heads import Head, Kind
from core.inspection import Inspection, inspect_sentence
from core.runs.run import Run
from core.studies.forward_pass import Best, ForwardPass, forward_pass
from core.studies.heads.findings import antecedent_head, pronouns_among
from pages.frame import clicks, session
from pages.frame.language import _, joined, listed, n_, number, percent, plain
from pages.frame.notes import is_measured, where_it_looks, within_sentence
from pages.frame.passes import CERTAIN, PICTURE, texts_of
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, inspecting

N_NAMED = 2
"""Most silenced heads that are named; of more, the number is given."""


def pass_of(opened: Opened, silenced: tuple[Head, ...]) -> Recipe[ForwardPass]:
    """Return what computes the pass of the sentence that is shown, without some heads."""
    if not silenced:
        return Recipe(forward_pass, opened.writer, opened.inspecting)
    inspected = Recipe(inspect_sentence, opened.writer, opened.sentence, None, silenced)
    return Recipe(forward_pass, opened.path, inspected, silenced)


def what_is_lost(
    opened: Opened, found: ForwardPass, silenced: Sequence[Head]
) -> tuple[str, int | None]:
    """Return which word is another without some heads, or less probable, and at which step.

    Steps count from 1; None where nothing is written word by word.
    """
    names = listed(map(within_sentence, silenced))
    if len(silenced) > N_NAMED:
        names = n_("{n} head", "{n} heads", len(silenced))
    usual = pass_of(opened, ()).result()
    before, after = usual.best, found.best
    if before is None or after is None:
        return _without(names, usual, found), None
    if (changed := _first_change(opened.run, before, after)) is not None:
        step, old, new = changed
        text = _(
            "Without {heads} the model writes “**{new}**” instead of “{old}” at step {step}: {text}"
        )
        written = plain(found.inspection.translation.text)
        return text.format(heads=names, step=number(step), old=old, new=new, text=written), step
    chances, rest = before.probabilities_TN[:, 0], after.probabilities_TN[:, 0]
    at = int(np.abs(chances - rest).argmax())
    word, other = texts_of(opened.run, [before.ids_TN[at, 0].item(), after.ids_TN[at, 1].item()])
    text = _(
        "Without {heads}, “**{word}**” at step {step} goes from {before} to **{after}**, with "
        "“{other}” at {rest}; the text stays the same."
    )
    said = text.format(
        heads=names,
        step=number(at + 1),
        word=plain(word),
        before=percent(float(chances[at])),
        after=percent(float(rest[at])),
        other=plain(other),
        rest=percent(float(after.probabilities_TN[at, 1])),
    )
    return said, at + 1


def _without(names: str, usual: ForwardPass, found: ForwardPass) -> str:
    """Return what an encoder alone predicts without some heads, where it predicts anything."""
    old, new = (each.inspection.translation.text for each in (usual, found))
    text = _("Shown without {heads}.")
    if found.fills:
        same = _("Without {heads} the model predicts the same: “{new}”")
        text = same if old == new else _("Without {heads} the model predicts “{new}”, not “{old}”")
    return text.format(heads=names, old=plain(old), new=plain(new))


def _first_change(run: Run, before: Best | None, after: Best | None) -> tuple[int, str, str] | None:
    """Return the first step, from 1, that writes another word, with both words; None without."""
    if before is None or after is None:
        return None
    pairs = zip_longest(before.ids_TN[:, 0].tolist(), after.ids_TN[:, 0].tolist())
    for step, (old, new) in enumerate(pairs, start=1):
        if old != new:
            words = ["" if each is None else texts_of(run, [each])[0] for each in (old, new)]
            return step, plain(words[0]), plain(words[1])
    return None


def what_is_seen(opened: Opened, found: ForwardPass, focus: int | None) -> str:
    """Return what another word has changed, or else where the focus looks and what is written."""
    if changed := _what_changed(opened, found, focus):
        return changed
    written = _written(opened.run, found.inspection) or _next(opened.run, found)
    return joined([*_where_it_looks(opened, found, focus), written])


def _what_changed(opened: Opened, found: ForwardPass, focus: int | None) -> str:
    """Return where a pronoun looks now, and what is written, after another word was changed.

    Empty where more than one word is another, or where one of the two stays what it was.
    """
    sentence = _sentence_before(opened)
    if sentence is None:
        return ""
    words, before = opened.sentence.split(), sentence.split()
    if len(words) != len(before) or sum(map(operator.ne, words, before)) != 1:
        return ""
    earlier = replace(
        opened, sentence=sentence, inspection=inspecting(opened.writer, sentence).result()
    )
    looks = _largest_look(opened, focus)
    looked = _largest_look(earlier, clicks.first_pronoun(earlier, earlier.inspection))
    changed = _first_change(opened.run, pass_of(earlier, ()).result().best, found.best)
    if looks is None or looked is None or changed is None:
        return ""
    if looks.query != looked.query or looks.key == looked.key:
        return ""
    text = _(
        "“{query}” now looks at **{key}** instead of “{old_key}” ({where}), and the model writes "
        "“**{new}**” instead of “{old}”: “{text}”"
    )
    return text.format(
        query=looks.query,
        key=looks.key,
        old_key=looked.key,
        where=where_it_looks(opened.run, looks.head),
        new=changed[2],
        old=changed[1],
        text=plain(found.inspection.translation.text),
    )


def forget_before() -> None:
    """Compare the next sentence with none: something else is compared meanwhile."""
    session.storage(PICTURE).pop("sentences", None)


def _sentence_before(opened: Opened) -> str | None:
    """Return the sentence that the same model was shown on before this one; None without."""
    sentences = session.storage(PICTURE).setdefault("sentences", [])
    own = (opened.path, opened.sentence)
    if own not in sentences[-1:]:
        sentences[:] = [*sentences[-1:], own]
    path, sentence = sentences[0]
    return sentence if len(sentences) > 1 and path == opened.path else None


@dataclass(frozen=True, slots=True)
class _Look:
    """Where a word of the source looks most.

    A pronoun in the head that finds what pronouns stand for, if there is one; else in any head.
    """

    query: str
    key: str
    weight: float
    head: Head


def _largest_look(opened: Opened, focus: int | None) -> _Look | None:
    inspection = opened.inspection
    if focus is None or not inspection.sites_of(Kind.ENCODER_SELF):
        return None
    is_pronoun = pronouns_among(opened.task, [inspection.source_tokens[focus].text])
    finder = antecedent_head(opened.run) if is_pronoun else None
    head, at, weight = _largest_weight(inspection, Kind.ENCODER_SELF, focus, finder)
    query, key = (plain(inspection.source_tokens[place].text) for place in (focus, at))
    return _Look(query, key, weight, head)


def _largest_weight(
    inspection: Inspection, kind: Kind, query: int, only: Head | None = None
) -> tuple[Head, int, float]:
    """Return the largest weight of a row in all heads of a kind, or in one: head, key, weight."""
    weights = {
        head: inspection.weights_of(head)[query]
        for site in inspection.sites_of(kind)
        for head in site.heads(len(inspection.attention[site].weights_HQK))
        if only in (None, head)
    }
    head, weights_K = max(weights.items(), key=lambda each: each[1].max())
    return head, int(weights_K.argmax()), float(weights_K.max())


def _where_it_looks(opened: Opened, found: ForwardPass, focus: int | None) -> Iterator[str]:
    """Yield where a word of the source looks most, and what is written for a pronoun."""
    if (look := _largest_look(opened, focus)) is None:
        return
    text = _("“{query}” looks at **{key}** with **{weight}** of its attention ({where}).")
    written = None
    if pronouns_among(opened.task, [look.query]) and is_measured(opened.run, opened.sentence):
        written = _written_at(opened.run, found, pronoun_step(opened, found))
    if written:
        text = _(
            "“{query}” looks at **{key}** with **{weight}** of its attention ({where}), and the "
            "model writes “**{written}**”: a French pronoun has the gender of its noun."
        )
    yield text.format(
        query=look.query,
        key=look.key,
        weight=percent(look.weight),
        where=where_it_looks(opened.run, look.head),
        written=written,
    )


def pronoun_step(opened: Opened, found: ForwardPass) -> int | None:
    """Return the step, from 1, that writes the first pronoun; None where it is unknown."""
    best = found.best
    known = None if best is None else clicks.pronoun_step(opened, best.ids_TN[:, 0].tolist())
    return None if known is None else known + 1


def _written_at(run: Run, found: ForwardPass, step: int | None) -> str | None:
    """Return the word that is written at a step, from 1; None without steps."""
    if step is None or found.best is None:
        return None
    return plain(texts_of(run, found.best.ids_TN[step - 1, :1].tolist())[0])


def ends(run: Run, found: ForwardPass) -> bool:
    """Return whether the text ends because the model writes EOS."""
    return found.best is not None and int(found.best.ids_TN[-1, 0]) in run.model.config.eos_ids


def at_step(run: Run, found: ForwardPass, step: int) -> str:
    """Return what is written at a step, from 1, and where in the source it looks most."""
    inspection, best = found.inspection, found.best
    if best is None:
        return ""
    ids, chances = best.ids_TN[step - 1, :1], best.probabilities_TN[step - 1, 0]
    text = _("At step {step} the model writes “**{word}**” ({share}).").format(
        step=number(step), word=plain(texts_of(run, ids.tolist())[0]), share=percent(float(chances))
    )
    if not inspection.sites_of(Kind.CROSS):
        return text
    head, key, weight = _largest_weight(inspection, Kind.CROSS, step - 1)
    looks = _("Cross-attention looks most at “**{key}**”: {weight} ({where}).").format(
        key=plain(inspection.source_tokens[key].text),
        weight=percent(weight),
        where=within_sentence(head),
    )
    return joined([text, looks])


def at_the_end(inspection: Inspection, step: int) -> str:
    """Return what the last step is fed, and that it ends the text."""
    text = _(
        "Step {step} is fed all that is written so far, “{text}”, and writes **EOS**: the end."
    )
    return text.format(step=number(step), text=plain(inspection.translation.text))


def _next(run: Run, found: ForwardPass) -> str:
    """Return what would come after a text that the model does not go on with."""
    if found.best is None or not found.inspection.n_typed:
        return ""
    ids, chances = found.best.ids_TN[-1, :1], found.best.probabilities_TN[-1, 0]
    text = _("After this text, “**{word}**” is the most probable next token ({share}).")
    return text.format(word=plain(texts_of(run, ids.tolist())[0]), share=percent(float(chances)))


def _written(run: Run, inspection: Inspection) -> str:
    """Return the text that is written, and the word of it that is not certain, if any."""
    text = plain(inspection.translation.text.replace("\n", "↵"))
    if run.settings.model.labels_text:
        return _("The model predicts “{text}”").format(text=text)
    if not inspection.fed_tokens:
        return _("With what the model guesses: “{text}”").format(text=text) if text else ""
    word = min(inspection.written, key=lambda each: each.probability, default=None)
    if word is None or word.probability >= CERTAIN:
        return _("The model writes “{text}”").format(text=text) if text else ""
    return _("The model writes “{text}”, least sure of **{word}**: **{share}**.").format(
        text=text,
        word=plain(inspection.translation.text[word.span.start : word.span.end]),
        share=percent(word.probability),
    )
