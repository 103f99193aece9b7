"""What a path from one head to another changes, in words."""

import math

from core.analysis.effects.path_patching import Read
from core.analysis.effects.path_study import OnePath
from core.heads import Head, Kind
from pages.frame.language import N_, _, brief, n_, number, percent, plain
from pages.views.heads.paths_maps import Paths
from viz.charts.flow import Box


def seen(paths: Paths, found: OnePath, read: Read) -> str:
    """Say in Markdown what the chosen path changes."""
    said = _look(paths, found, read)
    stays = _("What is written stays.")
    said = f"{said} {stays if _decides_nothing(found) else _effect(paths, found)}"
    effects = paths.study.effects
    strongest = effects.strongest(paths.change_NN)
    heads = found.sender, found.receiver
    if strongest is None or tuple(effects.heads[each] for each in strongest) != heads:
        return said
    n = int(effects.direct_NN.sum())
    last = n_("It is the only link.", "It is the strongest of {n} links.", n)
    return f"{said} {last.format(n=number(n))}"


def _look(paths: Paths, found: OnePath, read: Read) -> str:
    """Say which look a path changes most."""
    names = {
        "receiver": _within(found.receiver),
        "sender": _within(found.sender),
    }
    if read == Read.VALUE:
        text = _(
            "Let {sender} read the second sentence, and only {receiver} hear of it: that head "
            "looks where it did, and takes other values from there."
        )
        return text.format(**names)
    before, after = _weights(found)
    if before == after:
        return _("Whatever {sender} writes, {receiver} looks where it did.").format(**names)
    falls = _(
        "Let {sender} read the second sentence, and only {receiver} hear of it: there “{query}” → "
        "“{key}” falls from **{before}** to **{after}**."
    )
    rises = _(
        "Let {sender} read the second sentence, and only {receiver} hear of it: there “{query}” → "
        "“{key}” rises from **{before}** to **{after}**."
    )
    query, key = map(plain, paths.look(found.receiver, found.query, found.key))
    text = falls if after < before else rises
    return text.format(**names, query=query, key=key, before=percent(before), after=percent(after))


def _weights(found: OnePath) -> tuple[float, float]:
    """Return the weight that a path changes most, before and after."""
    before, after = (
        float(weights_QK[found.query, found.key])
        for weights_QK in (found.before_QK, found.after_QK)
    )
    return before, after


def boxes(paths: Paths, found: OnePath, read: Read) -> list[Box]:
    """Return what is done to a path as boxes: who writes, who reads it, what comes of it."""
    reads = {
        Read.QUERY: _("asks with that (query); the rest is the first sentence"),
        Read.KEY: _("is found by that (keys); the rest is the first sentence"),
        Read.VALUE: _("takes that (values); the rest is the first sentence"),
        Read.ALL: _("asks, is found and takes by that; the rest is the first sentence"),
    }[read]
    if read == Read.VALUE:
        last = Box(
            f"{percent(math.exp(found.before_log_p))} → {percent(math.exp(found.after_log_p))}",
            _("the chance of “{token}”").format(token=paths.study.token.text),
        )
    else:
        before, after = _weights(found)
        query, key = paths.look(found.receiver, found.query, found.key)
        look = _("the weight from “{query}” to “{key}”").format(query=query, key=key)
        last = Box(f"{percent(before)} → {percent(after)}", look)
    return [
        Box(_named(found.sender), _("as if it had read the second sentence")),
        Box(_named(found.receiver), reads),
        last,
    ]


_NAMES = {
    Kind.ENCODER_SELF: N_("Encoder layer {layer}, head {head}"),
    Kind.DECODER_SELF: N_("Decoder layer {layer}, head {head}"),
    Kind.CROSS: N_("Cross-attention layer {layer}, head {head}"),
}


_WITHIN = {
    Kind.ENCODER_SELF: N_("encoder layer {layer}, head {head}"),
    Kind.DECODER_SELF: N_("decoder layer {layer}, head {head}"),
    Kind.CROSS: N_("cross-attention layer {layer}, head {head}"),
}


def _within(head: Head) -> str:
    """Return what a head is called within a sentence."""
    return _(_WITHIN[head.kind]).format(layer=number(head.layer), head=number(head.index))


def _named(head: Head) -> str:
    """Return what a head is called in a box."""
    return _(_NAMES[head.kind]).format(layer=number(head.layer), head=number(head.index))


def _decides_nothing(found: OnePath) -> bool:
    """Say whether the chance of what is written reads the same with the path changed."""
    return percent(math.exp(found.before_log_p)) == percent(math.exp(found.after_log_p))


def _effect(paths: Paths, found: OnePath) -> str:
    """Say how much of what the second sentence changes comes along the path."""
    study = paths.study
    before, after, whole = (
        percent(math.exp(each))
        for each in (found.before_log_p, found.after_log_p, study.other_log_p)
    )
    text = _(
        "The chance of “{token}” goes from {before} to **{after}** (with the whole second sentence "
        "{whole})."
    )
    if before == after:
        text = _("“{token}” keeps its chance, {after} (with the whole second sentence {whole}).")
    return text.format(token=plain(study.token.text), before=before, after=after, whole=whole)


def small_print(paths: Paths, found: OnePath) -> str:
    """Say where it was measured; before that what becomes of the output, where nothing does."""
    said = measured(paths)
    return f"{_effect(paths, found)} {said}" if _decides_nothing(found) else said


def measured(paths: Paths) -> str:
    """Say where it was measured, and what is usual among all paths."""
    study, effects = paths.study, paths.study.effects
    median = effects.median(paths.change_NN)
    by_log_p = paths.log_p_NN is not None
    written = _("{median} nats").format(median=brief(median)) if by_log_p else percent(median)
    where = _("where the two outputs part") if study.part else _("where most changes")
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
