"""What the view "compare" says about two heads in a sentence or two."""

from collections.abc import Sequence

from core.analysis.heads.comparison import Alignment, aligned, largest_change
from core.tokenizer import Token
from pages.frame.text import _, plain
from pages.views.attention.compare_shown import Compared, paired_labels
from viz.component.payload import TokenLabel

MOST_CHANGES = 6
MOST_WORDS = 8
"""So many words of all changes together are named."""


def what_differs(shown: Compared) -> str:
    """Say in Markdown which of the tokens that look or are looked at stand differently."""
    comparison, kind = shown.comparison, shown.looked.kind
    sides = {kind.query_side, kind.key_side}
    first, second = comparison.first, comparison.second
    sources = _changes(comparison.source, first.source_tokens, second.source_tokens)
    targets = _changes(comparison.fed, first.fed_tokens, second.fed_tokens)
    found = []
    if sources and "source" in sides:
        found.append(_sentence(_("Differs: {changes}"), sources))
    if targets and "target" in sides:
        found.append(_sentence(_("In the translation: {changes}"), targets))
    if found:
        return " ".join(found)
    words = shown.looked.whole_words
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


def translations(shown: Compared) -> str:
    """Return both translations in Markdown, the words that differ in bold."""
    texts = [each.translation.text for each in (shown.looked.inspection, shown.other.inspection)]
    words = [text.split() for text in texts]
    found = aligned(*words)
    lines = [
        " ".join(
            f"**{plain(word)}**" if at in found.differing(side) else plain(word)
            for at, word in enumerate(words[side])
        )
        for side in (0, 1)
    ]
    return "  \n".join(
        _("{name}: {translation}").format(name=plain(name), translation=line or "–")
        for name, line in zip(shown.names, lines, strict=True)
    )


def left_out(shown: Compared) -> list[str]:
    """Say how many tokens are not in the difference, one sentence for each of the two."""
    both = [shown.queries] if shown.queries is shown.keys else [shown.queries, shown.keys]
    words = shown.looked.whole_words
    one, many = (_("word"), _("words")) if words else (_("token"), _("tokens"))
    found = []
    for side, name in enumerate(shown.names):
        whose = name if shown.other.names else _("the {name}").format(name=name)
        count = sum(len(alignment.alone(side)) for alignment in both)
        if count == 1:
            text = _("1 {unit} of {whose} has no counterpart.")
            found.append(text.format(unit=one, whose=whose))
        elif count:
            text = _("{n} {units} of {whose} have no counterpart.")
            found.append(text.format(n=count, units=many, whose=whose))
    return found


def _digits(value: float) -> str:
    return f"{value:#.3g}" if value >= 0.001 else _("less than 0.001")


def _named(labels: Sequence[TokenLabel], at: int) -> str:
    """Return a text in quotes, and where it stands if that is not clear."""
    texts = [label.text for label in labels]
    quoted = _("“{text}”").format(text=plain(texts[at]))
    if texts.count(texts[at]) == 1:
        return quoted
    return _("{quoted} (position {at})").format(quoted=quoted, at=at)


def _sentence(text: str, changes: str) -> str:
    """Return a sentence with one full stop."""
    end = "" if changes.endswith(plain(".") + "**") else "."
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
        found.append(_("and {n} more").format(n=more))
    return ", ".join(found)


def _cut(words: str, most: int) -> str:
    """Return the first of some words as Markdown, and dots for all others."""
    parts = words.split(" ")
    return plain(" ".join(parts[:most])) + (" …" if len(parts) > most else "")


def _words(tokens: Sequence[Token], positions: range) -> str:
    """Return neighbours as people read them: tokens of one word without a space between them."""
    parts: list[str] = []
    for at in positions:
        together = at > positions.start and tokens[at].word == tokens[at - 1].word
        parts += ["" if together or at == positions.start else " ", tokens[at].text]
    return "".join(parts) or "–"
