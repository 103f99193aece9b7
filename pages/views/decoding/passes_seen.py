"""What to see of parallel decoding: whether a pass mixes targets, and what later ones change."""

from collections.abc import Sequence

from core.decoding.mask_predict import SentencePass
from core.decoding.sentence import predicted_length
from core.tasks import SEVERAL_RIGHT, right_targets
from pages.frame import cached
from pages.frame.language import _, as_it_is, n_, number, percent, plain
from pages.frame.listed import alternatives, joined, listed, listed_apart
from pages.frame.opening import Opened
from viz.direction import isolated

_FEW = 2
"""So many places are told one by one, with all that was written there."""


def said(opened: Opened, passes: Sequence[SentencePass]) -> str:
    """Say what the first pass writes, whether it is right, and what the others change."""
    decode = opened.run.target_tokenizer.decode
    right = right_targets(opened.task, opened.inspection.translation.source)
    first, last = decode(passes[0].written), decode(passes[-1].written)
    told = [_length(opened)] if opened.run.model.config.predicts_length else []
    told.append(_("Pass 1 writes {text}.").format(text=_coloured(first, right)))
    if right:
        known = alternatives(f"“{_coloured(each, right)}”" for each in right)
        is_right = _("That is right: {known}.") if first in right else _("Right would be {known}.")
        told.append(is_right.format(known=known))
    if opened.run.settings.task in SEVERAL_RIGHT and len(right) > 1:
        told.append(_mixed(first, right))
    if len(passes) > 1:
        told.append(_later(opened, passes, _coloured(last, right)))
        if right and first != last:
            told.append(_("That is right.") if last in right else _("That is not right."))
    return joined(told)


def n_shown(passes: Sequence[SentencePass]) -> int:
    """Return how many places are shown: up to the farthest end of any pass."""
    return max(len(each.written) for each in passes)


def _later(opened: Opened, passes: Sequence[SentencePass], last: str) -> str:
    """Say at which places the later passes write something else, and what stands in the end."""
    describe = opened.run.target_tokenizer.describe_alone
    written = [list(each) for each in zip(*(each.said for each in passes), strict=True)]
    changed = {at: ids for at, ids in enumerate(written[: n_shown(passes)]) if len(set(ids)) > 1}
    if not changed:
        return _("Later passes see the words that are kept, and change nothing.")
    text = n_(
        "Later passes see the words that are kept, and change {n} place: {text}.",
        "Later passes see the words that are kept, and change {n} places: {text}.",
        len(changed),
    )
    if len(changed) <= _FEW:
        text = n_(
            "Later passes see the words that are kept, and change {n} place ({places}): {text}.",
            "Later passes see the words that are kept, and change {n} places ({places}): {text}.",
            len(changed),
        )
    places = listed_apart(
        _("place {at}: pass by pass {words}").format(
            at=number(at), words=listed(plain(token.text) for token in describe(ids))
        )
        for at, ids in changed.items()
    )
    return text.format(n=number(len(changed)), places=places, text=last)


def _length(opened: Opened) -> str:
    """Say how long the target was predicted to be, before any of its words was."""
    found = cached.of_run(predicted_length, opened.path, opened.sentence)
    return n_(
        "The length is predicted first: **{n}** token with probability {share}, EOS among them "
        "(the source has {source}).",
        "The length is predicted first: **{n}** tokens with probability {share}, EOS among them "
        "(the source has {source}).",
        found.n_target,
    ).format(
        n=number(found.n_target), share=percent(found.probability), source=number(found.n_source)
    )


def _mixed(text: str, right: Sequence[str]) -> str:
    """Say how much a text has of either right target, beside what a coin would give."""
    n = len(right[0].split())
    alone = _(
        "A coin tossed at each of the {n} places would choose the same target everywhere with "
        "probability {coin}."
    ).format(n=number(n), coin=percent(2.0 ** (1 - n)))
    if text in right:
        return alone
    first, second = (number(_agreeing(text, each)) for each in right)
    mixed = _(
        "It mixes both (words as in the first: {first}, as in the second: {second}), for within a "
        "pass no place sees what another one writes."
    )
    return joined([mixed.format(first=first, second=second), alone])


_OF_FIRST, _OF_SECOND = "blue", "orange"


def _coloured(text: str, right: Sequence[str]) -> str:
    """Return a text in Markdown, bold: words of one of two right targets have its colour."""
    if len(right) != 2:
        return f"**{plain(text)}**" if text else "–"
    words = []
    for at, word in enumerate(text.split()):
        of = [at < len(each.split()) and each.split()[at] == word for each in right]
        colour = {(True, False): _OF_FIRST, (False, True): _OF_SECOND}.get((of[0], of[1]))
        words.append(f":{colour}[{as_it_is(word)}]" if colour else as_it_is(word))
    return f"**{isolated(' '.join(words))}**" if words else "–"


def _agreeing(text: str, right: str) -> int:
    """Return at how many places two texts have the same word.

    >>> _agreeing("a b b a", "a b c d")
    2
    """
    return sum(one == other for one, other in zip(text.split(), right.split(), strict=False))
