"""What the view "compare" says about two heads in a sentence or two."""

from collections.abc import Sequence

from core.analysis.comparison import Alignment, aligned, largest_change
from core.tokenizer import Token
from pages.explorer.compare_shown import Compared, paired_labels
from pages.shared.text import _, plain

MOST_CHANGES = 6


def what_differs(shown: Compared) -> str:
    """Say in Markdown which of the tokens that look or are looked at stand differently."""
    comparison, kind = shown.comparison, shown.looked.kind
    first, second = comparison.first, comparison.second
    sources = _changes(comparison.source, first.source_tokens, second.source_tokens)
    targets = _changes(comparison.fed, first.fed_tokens, second.fed_tokens)
    found = []
    if sources and kind != "decoder.self":
        found.append(_("Differs: {changes}.").format(changes=sources))
    if targets and kind != "encoder.self":
        found.append(_("In the translation: {changes}.").format(changes=targets))
    return " ".join(found) or _("The tokens are the same.")


def what_changes(shown: Compared) -> str:
    """Say in Markdown where the second looks most differently."""
    change = largest_change(shown.difference)
    if change is None:
        return _("No weight differs.")
    queries, keys = (paired_labels(shown, of_keys=of_keys) for of_keys in (False, True))
    parts = {"query": plain(queries[change.query].text)}
    if change.more:
        parts |= {"more": _digits(change.more[1]), "there": plain(keys[change.more[0]].text)}
    if change.less:
        parts |= {"less": _digits(-change.less[1]), "here": plain(keys[change.less[0]].text)}
    if change.more and change.less:
        text = _("“{query}” looks {more} more at “{there}” and {less} less at “{here}”.")
    elif change.more:
        text = _("“{query}” looks {more} more at “{there}”.")
    else:
        text = _("“{query}” looks {less} less at “{here}”.")
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
    found = []
    for side, name in enumerate(shown.names):
        whose = name if shown.other.names else _("the {name}").format(name=name)
        count = sum(len(alignment.alone(side)) for alignment in both)
        if count == 1:
            found.append(_("1 token of {whose} has no counterpart.").format(whose=whose))
        elif count:
            text = _("{n} tokens of {whose} have no counterpart.")
            found.append(text.format(n=count, whose=whose))
    return found


def _digits(value: float) -> str:
    return f"{value:#.3g}" if value >= 0.001 else _("less than 0.001")


def _changes(alignment: Alignment, first: Sequence[Token], second: Sequence[Token]) -> str:
    """Return what stands differently, "tired | wide, – | very": each once, and not too many."""
    pairs = ((_words(first, ours), _words(second, theirs)) for ours, theirs in alignment.changes)
    found = [f"**{ours} | {theirs}**" for ours, theirs in dict.fromkeys(pairs)]
    if (more := len(found) - MOST_CHANGES) > 0:
        found[MOST_CHANGES:] = [_("and {n} more").format(n=more)]
    return ", ".join(found)


def _words(tokens: Sequence[Token], positions: range) -> str:
    """Return neighbours as people read them: tokens of one word without a space between them."""
    parts: list[str] = []
    for at in positions:
        together = at > positions.start and tokens[at].word == tokens[at - 1].word
        parts += ["" if together or at == positions.start else " ", tokens[at].text]
    return plain("".join(parts)) or "–"
