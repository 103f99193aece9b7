"""What a path from one head to another changes, in words."""

import math

from core.analysis.effects.path_patching import Read
from core.analysis.effects.path_study import OnePath
from pages.frame import notes
from pages.frame.language import _, brief, n_, number, percent, plain
from pages.views.heads.paths_maps import Paths


def seen(paths: Paths, found: OnePath, read: Read) -> str:
    """Say in Markdown what the chosen path changes."""
    effects = paths.study.effects
    strongest = effects.strongest(paths.change_NN)
    said = f"{_look(paths, found, read)} {_effect(paths, found)}"
    heads = found.sender, found.receiver
    if strongest is None or tuple(effects.heads[each] for each in strongest) != heads:
        return said
    n = int(effects.direct_NN.sum())
    first = n_("This is the only direct path.", "Strongest of {n} direct paths.", n)
    return f"{first.format(n=number(n))} {said}"


def _look(paths: Paths, found: OnePath, read: Read) -> str:
    """Say which look a path changes most."""
    names = {
        "receiver": notes.site_and_head(found.receiver),
        "sender": notes.within_sentence(found.sender),
    }
    if read == Read.VALUE:
        text = _(
            "**{receiver}** takes other values from what {sender} wrote, and looks where it did."
        )
        return text.format(**names)
    before, after = (
        float(weights_QK[found.query, found.key])
        for weights_QK in (found.before_QK, found.after_QK)
    )
    if before == after:
        return _("**{receiver}** looks where it did, whatever {sender} wrote.").format(**names)
    falls = _(
        "**{receiver}** reads what {sender} wrote. With what that would write in the second "
        "sentence, its look from “{query}” at “{key}” falls from **{before}** to **{after}**."
    )
    rises = _(
        "**{receiver}** reads what {sender} wrote. With what that would write in the second "
        "sentence, its look from “{query}” at “{key}” rises from **{before}** to **{after}**."
    )
    query, key = map(plain, paths.look(found.receiver, found.query, found.key))
    text = falls if after < before else rises
    return text.format(**names, query=query, key=key, before=percent(before), after=percent(after))


def _effect(paths: Paths, found: OnePath) -> str:
    """Say how much of what the second sentence changes comes along the path."""
    study = paths.study
    before, after, whole = (
        percent(math.exp(each))
        for each in (found.before_log_p, found.after_log_p, study.other_log_p)
    )
    text = _(
        "The chance of “{token}” goes from {before} to **{after}**; with the whole second sentence "
        "to {whole}."
    )
    if before == after:
        text = _(
            "No single path decides: with this one the chance of “{token}” stays at **{after}**, "
            "with the whole second sentence it goes to {whole}."
        )
    return text.format(token=plain(study.token.text), before=before, after=after, whole=whole)


def measured(paths: Paths) -> str:
    """Say where it was measured, and what is usual among all paths."""
    study, effects = paths.study, paths.study.effects
    median = effects.median(paths.change_NN)
    by_log_p = paths.log_p_NN is not None
    written = _("{median} nats").format(median=brief(median)) if by_log_p else percent(median)
    where = _("where the translations part") if study.part else _("where most changes")
    text = _(
        "Baseline: the median of the {n} paths whose sender writes something else is {median}. "
        "Measured at step {step}, {where}, "
        "after the same words: log p(“{token}”) is {clean} nats in the first sentence, {other} in "
        "the second. One pair of sentences (n = 1): an observation, not a law."
    )
    return text.format(
        n=number(effects.n_differing),
        median=written,
        step=study.step,
        where=where,
        token=plain(study.token.text),
        clean=number(study.clean_log_p),
        other=number(study.other_log_p),
    )
