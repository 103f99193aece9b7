"""What the methods of attribution are called, and how far they can be trusted, in words."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.runs.run import Run
from core.studies.attribution.methods import Attribution, Method
from core.studies.attribution.trust import SEED, Trust, most_trusted
from pages.frame import measured_on
from pages.frame.language import N_, _, n_, number, percent, percent_of_100, plain
from pages.frame.listed import joined

SURE = 0.99
"""Above this probability a gradient has little left to say."""

NAMES = {
    Method.LEAVE_ONE_OUT: N_("leave one out"),
    Method.ATTENTION: N_("attention"),
    Method.ROLLOUT: N_("rollout"),
    Method.GRADIENT: N_("gradient × input"),
    Method.INTEGRATED: N_("integrated gradients"),
}
"""What each is called, the one that others are compared with first; marked for translation."""

SHORT = NAMES | {Method.GRADIENT: N_("grad × input"), Method.INTEGRATED: N_("integrated")}
"""The same where there is little room."""

MEANINGS = {
    Method.LEAVE_ONE_OUT: N_("what log p loses, in nats, when the token is hidden: a test"),
    Method.ATTENTION: N_("weights of the last cross-attention, mean over its heads"),
    Method.ROLLOUT: N_("what attention passes on through the encoder to there"),
    Method.GRADIENT: N_("what log p would lose, in nats, if it were linear"),
    Method.INTEGRATED: N_("what log p gains, in nats, on the way from zero vectors"),
}
"""What their numbers are."""

OF_A_DECODER = {
    Method.ATTENTION: N_("weights of the last self-attention, mean over its heads"),
    Method.ROLLOUT: N_("what attention passes on through all layers to there"),
}
"""What they are where a decoder alone is asked about what it was fed."""

IN_NATS = frozenset({Method.LEAVE_ONE_OUT, Method.GRADIENT, Method.INTEGRATED})

ADDED = N_(
    "A word’s number is the sum over its tokens; leave one out hides them all together, for the "
    "rest of a word may tell what is hidden."
)
"""What is done where words get the numbers."""

OF_WORDS = {
    Method.LEAVE_ONE_OUT: N_("what log p loses, in nats, when the whole word is hidden: a test"),
}
"""What numbers of words are, where that needs more to be said than that they are sums."""

TRUSTED = N_("mean ρ on test sentences")

LEAST_LOST = 0.01
"""A word does not depend on what takes less of its probability."""
LEAST_TOKENS = 4
"""Of fewer an order says nothing."""


def asked(found: Attribution) -> list[Method]:
    """Return the methods that were asked, in the order in which they are shown."""
    return [method for method in NAMES if method in found.scores]


def seen(found: Attribution, tokens: Sequence[str], word: str) -> str:
    """Say in Markdown on which part of the source a word depends most, and how many methods say so.

    Args:
        found: What the methods say.
        tokens: The parts of the source.
        word: That is asked about.
    """
    without = found.without
    first, *others = sorted(range(len(without)), key=lambda at: without[at])
    names = {"word": plain(word), "token": plain(tokens[first])}
    if found.probability - without[first] < LEAST_LOST:
        text = _(
            "**{word}** depends on no single part of the source: whichever is hidden, its "
            "probability is **{after}** or more ({before} with all of it)."
        )
        if not found.said.source_ids:
            text = _(
                "**{word}** depends on no single token: whichever is hidden, its probability is "
                "**{after}** or more ({before} with all of them)."
            )
    else:
        text = _(
            "**{word}** depends most on **{token}**: with it hidden, its probability is "
            "**{after}** instead of {before}."
        )
        if others and found.probability - without[others[0]] >= LEAST_LOST:
            more = _("Next is **{next}**: {share}.").format(
                next=plain(tokens[others[0]]), share=percent(without[others[0]])
            )
            text = _("{first} {more}").format(first=text, more=more)
    said = text.format(**names, before=percent(found.probability), after=percent(without[first]))
    compared = [each for each in asked(found) if each is not Method.LEAVE_ONE_OUT]
    if not compared:
        return said
    sizes = [np.abs(found.scores[each]) for each in compared]
    # A method that gives the same to two has no first one.
    alike = sum(bool((np.delete(size, first) < size[first]).all()) for size in sizes)
    more = n_(
        "{n} of {of} other method finds the same token first.",
        "{n} of {of} other methods find the same token first.",
        len(compared),
    )
    return joined([said, more.format(n=number(alike), of=number(len(compared)))])


def few(found: Attribution, *, per_word: bool = False) -> str:
    """Return over how many tokens, or words, the correlations of one word are."""
    n = len(found.scores[Method.LEAVE_ONE_OUT])
    said = n_(
        "ρ of this word: over its n = {n} source token, EOS counted.",
        "ρ of this word: over its n = {n} source tokens, EOS counted.",
        n,
    )
    if not found.said.source_ids:
        said = n_(
            "ρ of this word: over the n = {n} token before it.",
            "ρ of this word: over the n = {n} tokens before it.",
            n,
        )
    if per_word:
        said = n_(
            "ρ of this word: over its n = {n} source word, EOS counted.",
            "ρ of this word: over its n = {n} source words, EOS counted.",
            n,
        )
    said = said.format(n=number(n))
    if n < LEAST_TOKENS:
        said += " " + _("Fewer than {least} have no order to speak of.").format(
            least=number(LEAST_TOKENS)
        )
    return said


def sure_of(word: str, found: Attribution) -> str:
    """Return how probable the word is, and what that does to gradients."""
    said = _("p(“{word}”) = {share}.").format(word=word, share=percent(found.probability))
    if found.probability > SURE:
        said += " " + _(
            "A gradient is nearly 0 where the model is sure, as it is here: what gradient × input "
            "says is small, and may be noise."
        )
    return said


def cell(method: Method, token: str, word: str, score: float) -> str:
    """Return in full what one method says of one token."""
    said = _("{method}: “{token}” → “{word}” {score}").format(
        method=_(NAMES[method]), token=token, word=word, score=number(score)
    )
    return _("{number} nats").format(number=said) if method in IN_NATS else said


def gap(found: Attribution) -> str:
    """Return how far integrated gradients are from what they should add up to, if asked."""
    integrated = found.integrated
    if integrated is None:
        return ""
    return n_(
        "Integrated gradients add up to {total} nats, and should to {wanted}: a gap of {gap} "
        "({n} gradient).",
        "Integrated gradients add up to {total} nats, and should to {wanted}: a gap of {gap} "
        "({n} gradients).",
        integrated.n_gradients,
    ).format(
        total=number(integrated.total),
        wanted=number(integrated.difference),
        gap=percent(integrated.gap),
        n=number(integrated.n_gradients),
    )


def table(
    found: Attribution, trust: Mapping[Method, Trust] | None, *, per_word: bool = False
) -> dict[str, list[str]]:
    """Return a row for each method: what it says, and whether it agrees with leaving one out."""
    meanings = MEANINGS | (OF_WORDS if per_word else {})
    if not found.said.source_ids:
        meanings |= OF_A_DECODER
    columns = {
        _("method"): [_(NAMES[method]) for method in asked(found)],
        _("its numbers"): [_(meanings[method]) for method in asked(found)],
        _("ρ, this word"): [_here(found, method) for method in asked(found)],
    }
    if trust is not None:
        columns[_(TRUSTED)] = [_over(trust.get(method)) for method in asked(found)]
    return columns


def agrees_best(run: Run, trust: Mapping[Method, Trust], *, per_word: bool = False) -> str:
    """Return which method agrees best over the test sentences."""
    best = most_trusted(trust)
    n = trust[best].n + trust[best].undefined
    said = _(
        "Over {sentences} (one word of each) {method} agrees best with leaving one "
        "out; ± is the standard deviation over sentences, [ ] the quartiles."
    ).format(method=_(NAMES[best]), sentences=measured_on.drawn(run, n, SEED))
    return joined([said, _("Each ρ is over the source’s words.")] if per_word else [said])


def short_share(share: float) -> str:
    r"""Return a share in whole per cent for a cell; only what is exactly so is all or nothing.

    >>> [short_share(each) for each in (0.0, 0.001, 0.456, 0.999, 1.0)]
    ['0\xa0%', '<\xa01\xa0%', '46\xa0%', '>\xa099\xa0%', '100\xa0%']
    """
    if 0 < share < 0.01:
        return _("<\u00a0{share}").format(share=percent_of_100(1, 0))
    if 0.99 < share < 1:
        return _(">\u00a0{share}").format(share=percent_of_100(99, 0))
    return percent_of_100(100 * share, 0)


def correlation(rho: float | None) -> str:
    """Return a correlation; a dash where there is none."""
    return "–" if rho is None else number(rho, 2)


def _here(found: Attribution, method: Method) -> str:
    if method not in found.agreement:
        return _("the measure")
    many = len(found.scores[method]) >= LEAST_TOKENS
    return correlation(found.agreement[method] if many else None)


def _over(trust: Trust | None) -> str:
    if trust is None:
        return ""
    low, _middle, high = map(correlation, trust.quartiles)
    said = _("{mean} ± {deviation} [{low}, {high}], n = {n}").format(
        mean=correlation(trust.mean),
        deviation=number(trust.deviation, 2),
        low=low,
        high=high,
        n=number(trust.n),
    )
    undefined = _(" ({n} undefined)").format(n=number(trust.undefined))
    return said + (undefined if trust.undefined else "")
