"""What the methods of attribution are called, and how far they agree, in words."""

from collections.abc import Sequence

import numpy as np

from core.studies.attribution.methods import AttributionStudy, Method
from pages.frame.language import N_, _, joined, n_, number, percent, percent_of_100, plain

SURE = 0.99
"""Above this probability a gradient has little left to say."""
NAMES = {
    Method.LEAVE_ONE_OUT: N_("leave one out (hide one word)"),
    Method.ATTENTION: N_("attention"),
    Method.ROLLOUT: N_("rollout"),
    Method.GRADIENT: N_("gradient × input"),
    Method.INTEGRATED: N_("integrated gradients"),
}
"""What each is called; marked for translation."""
SHORT = NAMES | {
    Method.LEAVE_ONE_OUT: N_("leave one out"),
    Method.GRADIENT: N_("grad × input"),
    Method.INTEGRATED: N_("integrated"),
}
"""The same where there is little room."""
LEAST_LOST, MUCH_LOST = 0.01, 0.1
"""A word does not depend on what takes less of its probability than this; and what takes much."""
LEAST_TOKENS = 4
"""Of fewer an order says nothing."""


def seen(study: AttributionStudy) -> str:
    """Say in Markdown on which part a word depends most, and how many methods say so."""
    found, without = study.attribution, study.attribution.without
    first, *others = sorted(range(len(without)), key=lambda at: without[at])
    names = {"word": plain(study.word.text), "token": plain(study.parts[first].text)}
    if found.probability - without[first] < LEAST_LOST:
        text = _(
            "“{word}” depends on no single token: whichever is hidden, the probability of “{word}” "
            "stays at **{after}** or more ({before} with all of them)."
        )
    else:
        text = _(
            "“{word}” depends most on “{token}”: when “{token}” is hidden, the probability of "
            "“{word}” falls from {before} to **{after}**."
        )
        if others and found.probability - without[others[0]] >= MUCH_LOST:
            text = _(
                "“{word}” depends most on “{token}”: when “{token}” is hidden, the probability of "
                "“{word}” falls from {before} to **{after}**; when “{next}” is hidden, to {share}."
            )
            names["next"] = plain(study.parts[others[0]].text)
            names["share"] = percent(without[others[0]])
    said = text.format(**names, before=percent(found.probability), after=percent(without[first]))
    return joined([said, _alike(study, first)])


def _alike(study: AttributionStudy, first: int) -> str:
    """Say what the other methods give the largest number, and which to trust; "" without others."""
    compared = [each for each in study.methods if each is not Method.LEAVE_ONE_OUT]
    if not compared:
        return ""
    sizes = [np.abs(study.attribution.scores[each]) for each in compared]
    # A method that gives the same to two has no first one.
    tops = [np.flatnonzero(size == size.max()) for size in sizes]
    alike = sum(top.tolist() == [first] for top in tops)
    text = n_(
        "{n} of {of} other method also puts “{token}” first. Trust “leave one out” most: it alone "
        "hides a word and measures what happens.",
        "{n} of {of} other methods also put “{token}” first. Trust “leave one out” most: it alone "
        "hides a word and measures what happens.",
        len(compared),
        number(alike),
    )
    if not alike:
        text = _(
            "No other method puts “{token}” first. Trust “leave one out” most: it alone hides a "
            "word and measures what happens."
        )
    return text.format(of=number(len(compared)), token=plain(study.parts[first].text))


def captions(study: AttributionStudy) -> Sequence[str]:
    """Return what limits the methods."""
    n = len(study.parts)
    said = []
    if study.attribution.probability > SURE:
        said.append(
            _("The model is sure, so that gradient × input is near 0 everywhere, and may be noise.")
        )
    if n < LEAST_TOKENS:
        text = _("Fewer than {least} parts have no order to speak of.")
        said.append(text.format(least=number(LEAST_TOKENS)))
    return said


def table(study: AttributionStudy) -> dict[str, list[str]]:
    """Return a row for each method: whether it agrees with leaving one out."""
    n = number(len(study.parts))
    return {
        _("method"): [_(NAMES[method]) for method in study.methods],
        _("same order of words as leaving one out (Spearman’s ρ, n = {n})").format(n=n): [
            _here(study, each) for each in study.methods
        ],
    }


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


def _here(study: AttributionStudy, method: Method) -> str:
    if method is Method.LEAVE_ONE_OUT:
        return _("the measure")
    rho = study.attribution.agreement[method]
    return "–" if rho is None or len(study.parts) < LEAST_TOKENS else number(rho, 2)
