"""What a model writes, as a page shows it: set for print, with the doubtful words marked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from core.decoding.marked_words import UNSURE, WrittenWord, written_words
from core.inspection import Inspection
from core.runs.run import Run
from core.studies.effects.ablation import Outcome
from core.studies.heads.comparison import aligned
from core.tasks import TARGET_LANGUAGES
from core.tokenizer.words import spaced_words
from pages.frame.language import _, as_it_is, joined, percent
from viz.direction import isolated

_NARROW = "\u202f"
"""A narrow space at which no line ends."""
LONG = 600
"""Letters of translations that push the picture too far down."""
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubtful word of a generated text, as it is marked.

    Attributes:
        start: Its first character in the text.
        end: One after its last.
        explanation: The text on hover, and for a screen reader.
        unseen: True where it is marked for a source word that training never saw alone.
    """

    start: int
    end: int
    explanation: str
    unseen: bool = False


def written_name(run: Run) -> str:
    """Return the name of a model's output: a decoder alone goes on from a text."""
    goes_on = run.settings.model.is_decoder_only
    return _("continuation") if goes_on else _("translation")


def written_in_files(run: Run) -> str:
    """Return the name of a model's output in files, the same in every language."""
    return "continuation" if run.settings.model.is_decoder_only else "translation"


def show_written(inspection: Inspection, run: Run) -> None:
    """Show what a model wrote of a sentence, with what its marks mean."""
    text = typeset(inspection.translation.text, run)
    if not text:
        return
    with st.container(key="written"):
        shown = in_markdown(text, doubtful_words(inspection))
        st.markdown(shown, unsafe_allow_html=True)
        if meaning := legend(inspection.written):
            st.caption(meaning)


def show_translations(translations: str) -> None:
    """Show translations with their marks; folded where they are long."""
    # Marks are longer than what they mark.
    if len(_TAG.sub("", translations)) <= LONG:
        st.markdown(translations, unsafe_allow_html=True)
        return
    with st.expander(_("What is written"), type="compact"):
        st.markdown(translations, unsafe_allow_html=True)


def typeset(text: str, run: Run) -> str:
    """Return a target as it is printed in its language, where the run's task says which it is."""
    return typeset_target(text, run.settings.task)


def typeset_target(text: str, task: str) -> str:
    """Return a target of a task, by its name, as it is printed in its language."""
    return in_french(text) if TARGET_LANGUAGES.get(task) == "fr" else text


def in_french(text: str) -> str:
    """Return French with curved apostrophes and narrow spaces before what is not to stand alone.

    >>> in_french("Qu'est-ce que c'est ? Rien !")
    'Qu’est-ce que c’est\u202f? Rien\u202f!'
    """
    text = re.sub(r"(?<=\w)'(?=\w)", "’", text)
    text = re.sub(r" (?=[?!;:»])", _NARROW, text)
    return re.sub(r"(?<=«) ", _NARROW, text)


def doubtful_words(inspection: Inspection) -> tuple[Doubt, ...]:
    """Return the words of a translation that may be wrong, with a note on each."""
    return _doubts(inspection.translation.text, inspection.written)


def doubtful_words_of(run: Run, found: Outcome) -> tuple[Doubt, ...]:
    """Return the doubtful words of a translation while heads are changed, or might be.

    Nothing is marked in what a decoder alone goes on with: a text has many ways to go on.
    """
    ids = found.translation.target_ids
    if not run.settings.model.is_encoder_decoder:
        return ()
    chances = [each.probability for each in found.own[: len(ids)]]
    words = written_words(run.target_tokenizer, ids, chances)
    return _doubts(found.translation.text, words)


def _doubts(text: str, words: Sequence[WrittenWord]) -> tuple[Doubt, ...]:
    return tuple(
        Doubt(word.span.start, word.span.end, _note(word.span.of(text), word), not word.is_unsure)
        for word in words
        if word.is_doubtful
    )


def _note(text: str, word: WrittenWord) -> str:
    text = isolated(text)
    share = percent(word.probability)
    unsure = _("{word}: {share} – the model is unsure here.").format(word=text, share=share)
    if word.second:
        second = _("Where it was least sure, “{token}” came second: {share}.").format(
            token=isolated(word.second), share=percent(word.second_probability)
        )
        unsure = joined((unsure, second))
    if not word.unseen:
        return unsure
    source = _("It looked most at “{source}”, which training never saw.").format(
        source=isolated(word.unseen)
    )
    known = _("{word}: {share}.").format(word=text, share=share)
    return joined((unsure if word.is_unsure else known, source))


def legend(words: Sequence[WrittenWord]) -> str:
    """Return what the marks of a translation mean; empty without any."""
    parts = []
    if any(word.is_unsure for word in words):
        text = _(
            "dashed: the model was unsure of the word (its probability, the product of its "
            "pieces’, is below {share})"
        )
        parts.append(text.format(share=percent(UNSURE)))
    if any(word.unseen and not word.is_unsure for word in words):
        parts.append(_("dotted: from a word that training never saw"))
    return " · ".join(parts)


def in_markdown(text: str, doubts: Sequence[Doubt], start: int = 0, end: int | None = None) -> str:
    """Return a part of a text as Markdown that shows it as it is, with its marks as HTML.

    The part goes from `start` to `end`, or to the end of the text. Setting a text for print changes
    the position of no sign.
    """
    whole, end = end is None, len(text) if end is None else end
    parts, at = [], start
    for doubt in doubts:
        if start <= doubt.start and doubt.end <= end:
            unseen = " unseen" * doubt.unseen
            note = escape(doubt.explanation)
            marked = as_it_is(text[doubt.start : doubt.end])
            parts += [
                as_it_is(text[at : doubt.start]),
                f'<span class="doubt{unseen}" role="note" tabindex="0" aria-label="{note}" '
                f'data-explanation="{note}">{marked}</span>',
            ]
            at = doubt.end
    shown = "".join([*parts, as_it_is(text[at:end])])
    # A part takes its direction from the whole.
    return isolated(shown) if whole else shown


def marked(
    first: str, second: str, doubts: tuple[Sequence[Doubt], Sequence[Doubt]] = ((), ())
) -> tuple[str, str]:
    """Return two texts in Markdown, the words that differ in bold; a dash where there is none."""
    words = spaced_words(first), spaced_words(second)
    found = aligned(*([word for word, _ in side] for side in words))
    one, other = (
        _with_bold(text, words[side], found.differing(side), doubts[side])
        for side, text in enumerate((first, second))
    )
    return one, other


def _with_bold(
    text: str, words: Sequence[tuple[str, str]], differing: Sequence[int], doubts: Sequence[Doubt]
) -> str:
    parts, start = [], text.index(words[0][0]) if words else 0
    for at, (word, space) in enumerate(words):
        shown = in_markdown(text, doubts, start, start + len(word))
        start += len(word) + len(space)
        # Markdown takes no asterisks between a letter and a sign.
        bold = at in differing and (space or any(map(str.isalnum, word)))
        parts.append((f"**{shown}**" if bold else shown) + space)
    # Neighbours without a space between them are one bold text.
    return isolated("".join(parts).replace("****", "")) or "–"
