"""What a path from one head to another changes, in words."""

import math

from core.analysis.effects.path_patching import Read
from core.analysis.effects.path_study import OnePath
from core.heads import Head, Kind
from pages.frame.language import N_, _, brief, n_, number, percent, plain
from pages.views.heads.paths_maps import Paths

_MARKS = ".,;:!?"


def seen(paths: Paths, found: OnePath, read: Read) -> str:
    """Say in Markdown what the chosen path changes."""
    effects = paths.study.effects
    said = [_look(paths, found, read)]
    if not _decides_nothing(found):
        said.append(_effect(paths, found))
    strongest = effects.strongest(paths.change_NN)
    chosen = found.sender, found.receiver
    n = int(effects.direct_NN.sum())
    if strongest is not None and tuple(effects.heads[each] for each in strongest) == chosen:
        text = n_("It is the only link.", "It is the strongest of {n} links.", n)
        if _decides_nothing(found):
            text = n_(
                "It is the only link; what is written stays.",
                "It is the strongest of {n} links, and alone it does not change what is written.",
                n,
            )
        said.append(text.format(n=number(n)))
    elif _decides_nothing(found):
        said.append(_("What is written stays."))
    return " ".join(said)


def _look(paths: Paths, found: OnePath, read: Read) -> str:
    """Say which look a path changes most."""
    names = {"receiver": _named(found.receiver), "sender": _within(found.sender)}
    if read == Read.VALUE:
        text = _(
            "{receiver} reads what {sender} wrote. With only that exchanged {for_what}, it looks "
            "where it did, and takes other values from there."
        )
        return text.format(**names, for_what=_for_what(paths))
    before, after = _weights(found)
    if before == after:
        return _("Whatever {sender} writes, {receiver} looks where it did.").format(
            sender=names["sender"], receiver=_within(found.receiver)
        )
    text = _(
        "{receiver} reads what {sender} wrote. With only that exchanged {for_what}, “{query}” "
        "looks at “{key}” with **{after}** instead of **{before}**."
    )
    query, key = map(plain, paths.look(found.receiver, found.query, found.key))
    shares = {"before": percent(before), "after": percent(after)}
    return text.format(**names, **shares, query=query, key=key, for_what=_for_what(paths))


def _for_what(paths: Paths) -> str:
    """Say for what the message is exchanged: for that of another word, where one word differs."""
    first, second = (each.source.split() for each in (paths.study.clean, paths.study.other))
    differing = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    if len(first) != len(second) or len(differing) != 1:
        return _("for that of the second sentence")
    one, other = (plain(word.strip(_MARKS)) for word in differing[0])
    return _("for that of the second sentence (“{one}” → “{other}”)").format(one=one, other=other)


def _weights(found: OnePath) -> tuple[float, float]:
    """Return the weight that a path changes most, before and after."""
    before, after = (
        float(weights_QK[found.query, found.key])
        for weights_QK in (found.before_QK, found.after_QK)
    )
    return before, after


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
    """Return what a head is called where a sentence begins."""
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
        "Baseline: {n} of the {all} links begin at a head that writes something else for the "
        "second sentence; the median of those is {median}. Measured at step {step}, {where}, "
        "after the same words: log p(“{token}”) is {clean} nats in the first sentence, {other} in "
        "the second. One pair of sentences (n = 1): an observation, not a law."
    )
    return text.format(
        n=number(effects.n_differing),
        all=number(int(effects.direct_NN.sum())),
        median=written,
        step=study.step,
        where=where,
        token=plain(study.token.text),
        clean=number(study.clean_log_p),
        other=number(study.other_log_p),
    )
