"""Two heads and how they differ, and what is said about that in a sentence or two."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.studies.heads.comparison import (
    Alignment,
    Comparison,
    Difference,
    compare,
    difference,
    largest_change,
)
from core.tokenizer.tokenizer import Token
from core.tokenizer.words import has_unspaced
from pages.frame import cached, marked_words
from pages.frame.language import _, n_, number, plain
from pages.frame.listed import joined, listed
from pages.frame.selection import Selection, key_labels, query_labels
from pages.frame.translations import written
from pages.frame.typography import marked, typeset
from pages.views.attention import seen
from pages.views.attention.second_head import SecondHead
from viz.component.payload import TokenLabel
from viz.direction import unmarked

LEAST = 0.001
"""Smaller changes of a weight are not said in digits."""
MOST_CHANGES = 6
MOST_WORDS = 8
"""So many words of all changes together are named."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two heads and how they differ."""

    first: Selection
    second: SecondHead
    comparison: Comparison
    difference: Difference

    @property
    def queries(self) -> Alignment:
        """The pairs of tokens that look."""
        return self.comparison.queries(self.first.kind)

    @property
    def keys(self) -> Alignment:
        """The pairs of tokens looked at."""
        return self.comparison.keys(self.first.kind)

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called: two models, or two sentences."""
        return self.second.models or (_("first sentence"), _("second sentence"))


def compared(first: Selection, second: SecondHead) -> Compared:
    """Return the two heads with how they differ."""
    found = compare(first.inspection, second.inspection)
    return Compared(first, second, found, difference(found, first.head, second.head))


def paired_labels(shown: Compared, *, of_keys: bool) -> tuple[TokenLabel, ...]:
    """Return what each pair of queries or keys is called: both tokens where they differ."""
    alignment = shown.keys if of_keys else shown.queries
    labels = key_labels if of_keys else query_labels
    first = labels(shown.first.inspection, shown.first.kind)
    second = labels(shown.second.inspection, shown.first.kind)
    differing = set(alignment.differing(0))
    return tuple(
        replace(first[one], text=f"{first[one].text} | {second[other].text}", continues=False)
        if one in differing
        else first[one]
        for one, other in zip(alignment.first, alignment.second, strict=True)
    )


def what_differs(shown: Compared) -> str:
    """Say in Markdown which of the tokens that look or are looked at stand differently."""
    comparison, kind = shown.comparison, shown.first.kind
    sides = set(kind.sides)
    first, second = comparison.first, comparison.second
    sources = _changes(comparison.source, first.source_tokens, second.source_tokens)
    targets = _changes(comparison.fed, first.fed_tokens, second.fed_tokens)
    found = []
    if sources and "source" in sides:
        found.append(_sentence(_("Differs: {changes}"), sources))
    if targets and "target" in sides:
        text = _("In the {translation}: {{changes}}")
        found.append(_sentence(text.format(translation=written(shown.first.opened.run)), targets))
    if found:
        return joined(found)
    words = shown.first.whole_words
    return _("The words are the same.") if words else _("The tokens are the same.")


def what_changes(shown: Compared) -> str:
    """Say in Markdown where the second looks most differently."""
    change = largest_change(shown.difference)
    if change is None:
        return _("No weight differs.")
    queries, keys = (paired_labels(shown, of_keys=of_keys) for of_keys in (False, True))
    parts = {"query": _named(queries, change.query)}
    if change.more:
        parts |= {"more": _digits(change.more[1]), "there": _named(keys, change.more[0])}
    if change.less:
        parts |= {"less": _digits(-change.less[1]), "here": _named(keys, change.less[0])}
    if change.more and change.less:
        text = _("{query} looks {more} more at {there} and {less} less at {here}.")
    elif change.more:
        text = _("{query} looks {more} more at {there}.")
    else:
        text = _("{query} looks {less} less at {here}.")
    return text.format(**parts)


def where_pronoun_looks(shown: Compared) -> str:
    """Say where the first pronoun looks most in each of two models; empty without one."""
    if len(set(shown.second.models)) < len(shown.names):
        return ""
    heads = shown.first.head, shown.second.head
    inspections = shown.first.inspection, shown.second.inspection
    found, word = [], ""
    for name, head, inspection in zip(shown.names, heads, inspections, strict=True):
        row = seen.row_of_pronoun(shown.first.opened, inspection, head.kind)
        if row is None:
            return ""
        word = seen.token_name(inspection, head.kind.query_side, row)
        weights_K = inspection.weights_of(head)[row]
        key = seen.token_name(inspection, head.kind.key_side, int(weights_K.argmax()))
        weight = seen.weight(float(weights_K.max()))
        text = _("**{key}** ({weight}) in {model}")
        found.append(text.format(key=key, weight=weight, model=plain(name)))
    text = _("“{word}” looks most at {first}, at {second}.")
    return text.format(word=word, first=found[0], second=found[1])


def translations(shown: Compared) -> str:
    """Return both translations in Markdown, the words that differ in bold."""
    own, other = shown.first.opened.run, cached.loaded(shown.second.path)
    lines = marked(
        typeset(shown.first.inspection.translation.text, own),
        typeset(shown.second.inspection.translation.text, other),
        (marked_words.of(shown.first.inspection), marked_words.of(shown.second.inspection)),
    )
    return "  \n".join(
        _("{name}: {translation}").format(name=plain(name), translation=line)
        for name, line in zip(shown.names, lines, strict=True)
    )


def left_out(shown: Compared) -> list[str]:
    """Say how many tokens are not in the difference, one sentence for each of the two."""
    both = [shown.queries] if shown.queries is shown.keys else [shown.queries, shown.keys]
    whose = shown.second.models or (_("the first sentence"), _("the second sentence"))
    counts = [sum(len(alignment.alone(side)) for alignment in both) for side in (0, 1)]
    return [
        _without_counterpart(shown, count).format(n=number(count), whose=name)
        for name, count in zip(whose, counts, strict=True)
        if count
    ]


def _without_counterpart(shown: Compared, count: int) -> str:
    if shown.first.whole_words:
        return n_(
            "{n} word of {whose} has no counterpart.",
            "{n} words of {whose} have no counterpart.",
            count,
        )
    return n_(
        "{n} token of {whose} has no counterpart.",
        "{n} tokens of {whose} have no counterpart.",
        count,
    )


def _digits(value: float) -> str:
    if value >= LEAST:
        return number(value)
    return _("less than {least}").format(least=number(LEAST, padded=False))


def _named(labels: Sequence[TokenLabel], at: int) -> str:
    """Return a text in quotes, and where it stands if that is not clear."""
    texts = [label.text for label in labels]
    quoted = _("“{text}”").format(text=plain(texts[at]))
    if texts.count(texts[at]) == 1:
        return quoted
    return _("{quoted} (position {at})").format(quoted=quoted, at=number(at))


def _sentence(text: str, changes: str) -> str:
    """Return a sentence with one full stop."""
    end = "" if unmarked(changes).endswith(plain(".") + "**") else "."
    return text.format(changes=changes) + end


def _changes(alignment: Alignment, first: Sequence[Token], second: Sequence[Token]) -> str:
    """Return what stands differently, "tired | wide, – | very": each once, and not too many."""
    pairs = ((_words(first, ours), _words(second, theirs)) for ours, theirs in alignment.changes)
    changes = list(dict.fromkeys(pairs))
    found: list[str] = []
    left = MOST_WORDS
    for ours, theirs in changes:
        if len(found) == MOST_CHANGES or left <= 0:
            break
        found.append(f"**{_cut(ours, left)} | {_cut(theirs, left)}**")
        left -= max(len(words.split(" ")) for words in (ours, theirs))
    if more := len(changes) - len(found):
        found.append(_("and {n} more").format(n=number(more)))
    return listed(found)


def _cut(words: str, most: int) -> str:
    """Return the first of some words as Markdown, and dots for all others."""
    parts = words.split(" ")
    return plain(" ".join(parts[:most])) + (" …" if len(parts) > most else "")


def _words(tokens: Sequence[Token], positions: range) -> str:
    """Return neighbours as people read them: with spaces between words where a script has them."""
    text = ""
    for at in positions:
        together = at > positions.start and tokens[at].word == tokens[at - 1].word
        unspaced = has_unspaced(text[-1:]) or has_unspaced(tokens[at].text[:1])
        text += tokens[at].text if together or unspaced or not text else f" {tokens[at].text}"
    return text or "–"
